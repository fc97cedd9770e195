"""`rankproof runs validate`: what is wrong with runs, where, and a repaired run where that takes no guess."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName, refuse_outputs, strictness
from rankproof.cli.shared.options import columns as columns_option
from rankproof.cli.shared.output import watched
from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from rankproof.cli.shared.findings import FileReport, FixOutcome
    from rankproof.reading.validate import RunReference

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


@click.command("validate")
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
@strictness
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
    help="The format of every RUN; detected by content otherwise.",
)
@columns_option
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; scores by default where there are any.",
)
@click.option("--lower-is-better", is_flag=True, default=None, help="Scores are distances: the least comes first.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
@click.option("-o", "--output", type=click.Path(), help="Write the answer to this file, whole or not at all.")
def command(
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
    columns: Sequence[str],
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
    refuse_outputs(fix, output)
    from rankproof.cli.shared import findings
    from rankproof.reading.check import MAX_DEPTH
    from rankproof.reading.collect import named_columns
    from rankproof.reading.source import once
    from rankproof.reading.validate import RunReference, read_reference

    named = named_columns(columns, qrels, runs)
    judged, known = read_reference(qrels, topics, **named)
    reference = RunReference(judged, known, cutoffs, max_depth or MAX_DEPTH, allow, strict)
    reading = {"format": form, "order": order, "lower_is_better": lower_is_better, **named}
    answers = []
    for path in watched(runs, "validating"):
        source = once(path)  # a pipe cannot be read twice
        answer = _answer(source, path, reference, reading)
        if fix is not None and answer.validated is not None:
            answer = replace(
                answer, fixed=_fix(source, fix, reference, {**reading, "tag": tag, "max_depth": max_depth})
            )
        answers.append(answer)
    _output.give(findings.as_json(answers) if as_json else findings.as_text(answers), output)
    return 0 if all(answer.valid for answer in answers) else 1


def _answer(source: Any, path: str, reference: RunReference, reading: dict[str, Any]) -> FileReport:
    from rankproof.cli.shared.findings import FileReport
    from rankproof.reading.validate import validate_run

    try:
        validated = validate_run(source, reference, **reading)
    except InputError as error:
        return FileReport(path, unreadable=str(error))
    return FileReport(validated.description.source, validated)


def _fix(source: Any, out: str, reference: RunReference, how: dict[str, Any]) -> FixOutcome:
    """Repairs, writes what came of it, and checks it again."""
    from rankproof.cli.shared.findings import FixOutcome
    from rankproof.reading.detect import SourceDescription
    from rankproof.reading.validate import repair_run
    from rankproof.reading.write import write

    try:
        run, changes = repair_run(source, **how)
        form = write(run, out, _form(out))
    except InputError as error:  # a guess, or an id that the format cannot hold
        return FixOutcome(out, refused=str(error))
    return FixOutcome(
        out, changes, reference.findings(run.rows, SourceDescription(out, "run", form, run.order, unit="row"))
    )


def _form(path: str) -> str:
    """The format that a file's ending names; TREC when it names none that can hold a run."""
    from rankproof.reading.write import format_for

    try:
        return format_for(path, "run").name
    except UsageError:
        return "trec"
