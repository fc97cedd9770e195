"""Validate runs, qrels and topics: what is wrong, and where."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, refuse_outputs, refuse_second_stdin, strictness
from rankproof.cli.shared.options import columns as columns_option
from rankproof.cli.shared.output import note, watched
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import some

if TYPE_CHECKING:
    from rankproof.cli.shared.findings import FileReport
    from rankproof.reading.formats.contract import Noun
    from rankproof.reading.validate import RunReference


@click.command("validate")
@click.argument("files", metavar="FILE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "--as",
    "noun",
    type=click.Choice(["run", "qrels", "topics"]),
    help="What every FILE holds; found out by content otherwise.",
)
@click.option("--qrels", type=click.Path(), help="Check queries and document ids of runs against these judgments.")
@click.option("--topics", type=click.Path(), help="Check queries of runs against these topics.")
@strictness
@click.option("--format", "form", type=ShelfName("formats"), help="The format of every FILE; by content otherwise.")
@columns_option
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
@click.option("-o", "--output", type=click.Path(), help="Write the answer to this file, whole or not at all.")
def command(
    files: Sequence[str],
    noun: Noun | None,
    qrels: str | None,
    topics: str | None,
    allow: Sequence[str],
    strict: bool,
    form: str | None,
    columns: Sequence[str],
    as_json: bool,
    output: str | None,
) -> int:
    """Check runs, qrels and topics. What each FILE holds is found out by content, and said. A folder stands for those
    of its files that hold one of them. Exit status 0: valid; 1: not valid; 2: wrong usage.

    `rankproof runs validate` has more for runs: cutoffs, depth, and --fix, which writes a repaired run.

    \b
    rankproof validate qrels.trec bm25.run
    rankproof validate runs/ --qrels qrels.trec
    rankproof validate scores.tsv --as qrels
    """
    refuse_second_stdin([*files, qrels, topics])
    refuse_outputs(output)
    from rankproof.cli.shared import findings

    paths = [path for file in files for path in _files(file)]
    answers = validate_files(paths, noun, qrels, topics, allow, strict, form, columns)
    _output.give(findings.as_json(answers) if as_json else findings.as_text(answers, name_nouns=True), output)
    return 0 if all(answer.valid for answer in answers) else 1


def validate_files(
    paths: Sequence[str],
    noun: Noun | None,
    qrels: str | None,
    topics: str | None,
    allow: Sequence[str],
    strict: bool,
    form: str | None,
    columns: Sequence[str],
) -> list[FileReport]:
    """The answer about each file, in the order given."""
    from rankproof.reading.collect import named_columns
    from rankproof.reading.validate import RunReference, read_reference

    named = named_columns(columns, qrels, paths)
    judged, known = read_reference(qrels, topics, **named)
    reference = RunReference(judged, known, cutoffs=(10,), allow=allow, strict=strict)
    return [_answer(path, noun, form, reference, columns) for path in watched(paths, "validating")]


def _files(path: str) -> list[str]:
    """The files of a folder, by name; a folder of Parquet parts is one table, and a file is itself."""
    if not os.path.isdir(path):
        return [path]
    from rankproof.reading.source import is_hidden, parquet_parts

    if parquet_parts(path):
        return [path]
    inside = [os.path.join(path, name) for name in sorted(os.listdir(path)) if not is_hidden(name)]
    known = [file for file in inside if os.path.isfile(file) and _may_be_one(file)]
    if not known:
        raise UsageError(f"The folder {path} has no run, qrels or topics. Name files, or a folder that has some.")
    others = [os.path.basename(file) for file in inside if file not in known]
    if others:
        note(f"{path}: {some(others)} left out: no run, qrels or topics.")
    return known


def _may_be_one(path: str) -> bool:
    """Whether a file may be a run, qrels or topics; what cannot be read is for the answer to report."""
    from rankproof.reading.detect import possible_nouns

    try:
        return bool(possible_nouns(path, path))
    except InputError:
        return True


def _answer(
    path: str, noun: Noun | None, form: str | None, reference: RunReference, columns: Sequence[str]
) -> FileReport:
    from rankproof.cli.shared.findings import FileReport
    from rankproof.reading.validate import validate_file

    try:
        validated = validate_file(path, path, noun, reference=reference, format=form, columns=columns)
    except InputError as error:
        return FileReport(path, unreadable=str(error))
    return FileReport(path, validated)
