"""What the commands about model judges share: grades, judges and runs from the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rankproof.cli.shared.options import ShelfName, refuse_outputs, refuse_second_stdin
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.kernel.sections import Section
    from rankproof.reading.records import Run

F = TypeVar("F", bound=Callable[..., Any])
Grades = Mapping[str, Mapping[str, int]]


def reading_options(command: F) -> F:
    """--json, -o and the formats of inputs."""
    for option in reversed(
        (
            click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too."),
            click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all."),
            click.option("--qrels-format", type=ShelfName("formats", "qrels"), help="The format of grades."),
            click.option("--run-format", type=ShelfName("formats", "run"), help="The format of runs."),
        )
    ):
        command = option(command)
    return command


def prepare(paths: Sequence[str | None], output: str | None) -> None:
    """Refuses what cannot be read or written, before the work."""
    refuse_second_stdin(paths)
    refuse_outputs(output)


def grades(path: str, form: str | None) -> dict[str, dict[str, int]]:
    """The grades of qrels."""
    from rankproof.reading.collect import read_qrels

    return read_qrels(path, form).to_dict()


def judges(texts: Sequence[str]) -> dict[str, list[str]]:
    """Files by judge: NAME=PATH, or a path, named after its file. Files under one name are passes of one judge."""
    paths: dict[str, list[str]] = {}
    plain = [one for one in texts if _unnamed(one)]
    names = [_stem(path) for path in plain]
    for path, name in zip(plain, names, strict=True):
        paths[name if names.count(name) == 1 else path] = [path]
    for one in texts:
        if one not in plain:
            name, _, path = one.partition("=")
            if name in paths and paths[name] == [name]:
                raise UsageError(f"Two judges are called {name!r}. Give one of them another name: --model NAME=PATH.")
            paths.setdefault(name, []).append(path)
    return {name: paths[name] for name in sorted(paths, key=lambda name: _first(texts, paths[name][0]))}


def _stem(path: str) -> str:
    """The file's name without its ending, and without that of a compressed file's."""
    name = os.path.basename(path)
    for packed in (".gz", ".bz2", ".xz", ".zst"):
        name = name.removesuffix(packed)
    return os.path.splitext(name)[0] or path


def _unnamed(one: str) -> bool:
    name, equals, path = one.partition("=")
    return not (equals and name and path) or os.path.exists(one)


def _first(texts: Sequence[str], path: str) -> int:
    return next(at for at, one in enumerate(texts) if one == path or one.endswith(f"={path}"))


def read_runs(paths: Sequence[str], form: str | None) -> dict[str, Run]:
    """Runs by name; by path where two would have one name."""
    from rankproof.cli.shared.output import watched
    from rankproof.reading.collect import read_run
    from rankproof.reading.naming import distinct_names

    every = [read_run(path, form) for path in watched(paths, "reading")]
    names = distinct_names([run.name for run in every], [_stem(path) for path in paths], paths)
    runs = dict(zip(names, every, strict=True))
    if len(runs) < len(every):
        raise UsageError("A run is given twice. Give each once.")
    return runs


def rankings(runs: Mapping[str, Run]) -> dict[str, dict[str, list[str]]]:
    """Query to documents, best first, by run."""
    return {name: {query: docs for query, docs, _ in run.rankings()} for name, run in runs.items()}


def shown(sections: Sequence[Section], form: str) -> str:
    """Parts of an answer as text or as Markdown."""
    if form == "markdown":
        from rankproof.reports.forms.markdown import sections_markdown

        return sections_markdown(sections)
    from rankproof.kernel.sections import part

    return "\n\n".join(map(part, sections)) + "\n"
