"""Validate qrels: what is wrong with judgments, and where."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.groups import KnownCommands
from rankproof.cli.shared.options import ShelfName, refuse_outputs, strictness
from rankproof.cli.shared.output import watched
from rankproof.errors import InputError


@click.group("qrels", cls=KnownCommands)
def command() -> None:
    """Look at judgments: validate them."""


@command.command("validate")
@click.argument("qrels", metavar="QRELS...", nargs=-1, required=True, type=click.Path())
@strictness
@click.option(
    "--format",
    "form",
    type=ShelfName("formats", "qrels"),
    help="The format of every QRELS; detected by content otherwise.",
)
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
@click.option("-o", "--output", type=click.Path(), help="Write the answer to this file, whole or not at all.")
def validate(
    qrels: Sequence[str],
    allow: Sequence[str],
    strict: bool,
    form: str | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Check one or more QRELS. Exit status 0: valid; 1: not valid; 2: wrong usage.

    \b
    rankproof qrels validate qrels.trec
    rankproof qrels validate qrels_test.tsv --allow negative_grade --strict
    """
    refuse_outputs(output)
    from rankproof.cli.shared.findings import FileReport, as_text
    from rankproof.cli.shared.findings import as_json as to_json
    from rankproof.reading.validate import validate_qrels

    answers = []
    for path in watched(qrels, "validating"):
        try:
            validated = validate_qrels(path, form, allow=allow, strict=strict)
        except InputError as error:
            answers.append(FileReport(path, unreadable=str(error)))
        else:
            answers.append(FileReport(validated.description.source, validated))
    _output.give(to_json(answers) if as_json else as_text(answers), output)
    return 0 if all(answer.valid for answer in answers) else 1
