"""Fetch runs by asking pipelines; validate runs, and repair what takes no guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._fetch import fetch
from rankproof.cli._progress import watched
from rankproof.cli._types import ShelfName
from rankproof.errors import InputError, UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.cli._findings import Answer, Fixed
    from rankproof.flow.validate import Wanted

    _Ranks = click.ParamType[tuple[int, ...]]
else:
    _Ranks = click.ParamType

STDIN = "-"


class Cutoffs(_Ranks):
    """Ranks at which measures cut, separated by commas."""

    name = "cutoffs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The whole numbers."""
        if isinstance(value, tuple):
            return value
        try:
            cutoffs = tuple(int(part) for part in str(value).split(",") if part.strip())
        except ValueError:
            cutoffs = (0,)
        if any(k < 1 for k in cutoffs):
            self.fail(f"{value!r} is not a list of ranks from 1 on, such as 10,100.", param, ctx)
        return cutoffs


@click.group("runs")
def command() -> None:
    """Make runs by asking pipelines; look at runs: validate them, and repair what takes no guess."""


command.add_command(fetch)


@command.command("validate")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("--qrels", type=click.Path(), help="Hold queries and document ids against these judgments.")
@click.option("--topics", type=click.Path(), help="Hold queries against these topics.")
@click.option(
    "--cutoffs",
    type=Cutoffs(),
    default="10",
    show_default=True,
    help="Ranks where ties matter, such as 10,100. The deepest is the depth expected of every query.",
)
@click.option(
    "--max-depth",
    type=click.IntRange(1),
    help="Documents a query may have; 100 by default. With --fix, cut there.",
)
@click.option(
    "--allow",
    metavar="CODE",
    multiple=True,
    type=ShelfName("checks"),
    help="Report this fault as a note; may be repeated.",
)
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option(
    "--fix",
    metavar="OUT",
    type=click.Path(),
    help="Write a repaired run, in the format that its ending names; refused where it would be a guess.",
)
@click.option("--tag", help="With --fix: the tag of all rows.")
@click.option(
    "--format",
    "form",
    type=ShelfName("formats", "run"),
    help="The format of every RUN; found out by content otherwise.",
)
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; scores by default where there are any.",
)
@click.option("--lower-is-better", is_flag=True, default=None, help="Scores are distances: the least comes first.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
@click.option("-o", "--output", type=click.Path(), help="Write the answer to this file, whole or not at all.")
def validate(
    runs: Sequence[str],
    qrels: str | None,
    topics: str | None,
    cutoffs: tuple[int, ...],
    max_depth: int | None,
    allow: Sequence[str],
    strict: bool,
    fix: str | None,
    tag: str | None,
    form: str | None,
    order: str | None,
    lower_is_better: bool | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Check one or more RUNs. Exit status 0: valid; 1: not valid; 2: wrong usage.

    \b
    rankproof runs validate bm25.run
    rankproof runs validate bm25.run dense.run --qrels qrels.trec --cutoffs 10,100
    rankproof runs validate bm25.run --fix bm25.fixed.run --order score
    """
    if fix is not None and len(runs) > 1:
        raise UsageError(f"--fix writes one file, but {len(runs)} runs were given. Repair them one by one.")
    if fix == STDIN:
        raise UsageError("--fix needs a file to write to: the findings go to standard output.")
    if tag is not None and fix is None:
        raise UsageError("--tag is given to the rows that --fix writes. Add --fix OUT.")
    if tag is not None and (not tag or tag.split() != [tag]):
        raise UsageError(f"The tag {tag!r} has white space in it or is empty. Use one word.")
    for path in (fix, output):
        if path is not None and path != STDIN:
            refuse_path(path)
    from rankproof.cli import _findings
    from rankproof.flow.check import MAX_DEPTH
    from rankproof.flow.source import once
    from rankproof.flow.validate import Wanted, held_against

    judged, known = held_against(qrels, topics)
    wanted = Wanted(judged, known, cutoffs, max_depth or MAX_DEPTH, allow, strict)
    reading = {"format": form, "order": order, "lower_is_better": lower_is_better}
    answers = []
    for path in watched(runs, "validating"):
        source = once(path)  # a pipe cannot be read twice
        answer = _answer(source, path, wanted, reading)
        if fix is not None and answer.validated is not None:
            answer = replace(answer, fixed=_fix(source, fix, wanted, {**reading, "tag": tag, "max_depth": max_depth}))
        answers.append(answer)
    _output.give(_findings.as_json(answers) if as_json else _findings.as_text(answers), output)
    return 0 if all(answer.valid for answer in answers) else 1


def _answer(source: Any, path: str, wanted: Wanted, reading: dict[str, Any]) -> Answer:
    from rankproof.cli._findings import Answer
    from rankproof.flow.validate import validate_run

    try:
        validated = validate_run(source, wanted, **reading)
    except InputError as error:
        return Answer(path, unreadable=str(error))
    return Answer(validated.said.source, validated)


def _fix(source: Any, out: str, wanted: Wanted, how: dict[str, Any]) -> Fixed:
    """Repairs, writes what came of it, and checks it again."""
    from rankproof.cli._findings import Fixed
    from rankproof.flow.description import Description
    from rankproof.flow.validate import repair_run
    from rankproof.store.files import write

    try:
        run, changes = repair_run(source, **how)
        form = write(run, out, _form(out))
    except InputError as error:  # a guess, or an id that the format cannot hold
        return Fixed(out, refused=str(error))
    return Fixed(out, changes, wanted.findings(run.rows, Description(out, "run", form, run.order, unit="row")))


def _form(path: str) -> str:
    """The format that a file's ending names; TREC when it names none that can hold a run."""
    from rankproof.store.files import format_for

    try:
        return format_for(path, "run").name
    except UsageError:
        return "trec"
