"""`rankproof audit report`: whether reported values can be true together."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.audit.shared import SHOWN, give_audit
from rankproof.cli.shared.options import ShelfName, answer_options, refuse_outputs
from rankproof.errors import UsageError
from rankproof.kernel.sections import aligned, counted
from rankproof.proving.audit.claims import Instead, Placement, ReportAudit

if TYPE_CHECKING:
    from rankproof.proving.audit.claims import Reported

# Ranks of one ranking that are written out.
MOST_RANKS = 12


@click.command("report")
@click.argument("values", metavar="[MEASURE=VALUE...]", nargs=-1)
@click.option("--relevant", metavar="N", help="How many relevant documents a query has: 5, or a range such as 1-8.")
@click.option(
    "--grades",
    multiple=True,
    metavar="G,G,...",
    help="In place of --relevant: the grades of the relevant documents, such as 3,2,1; may be repeated where queries "
    "differ.",
)
@click.option("-n", "--queries", type=click.IntRange(1), help="The values are means over this many queries.")
@click.option(
    "--decimals", type=click.IntRange(0, 15), help="Values were rounded to so many decimals; by default as typed."
)
@click.option(
    "--dialect", metavar="NAME", type=ShelfName("dialects"), help="The tool whose definitions the measures have."
)
@click.option(
    "--average",
    type=click.Choice(["all", "answered"]),
    help="The means are over all queries, or over those that the run answers; by default as the dialect does, or "
    "either.",
)
@click.option(
    "--rounding",
    type=click.Choice(["nearest", "truncated"]),
    help="Values were rounded once, to the nearest, or truncated; by default either, or rounded more often.",
)
@click.option("--file", "path", type=click.Path(), help="Read the report from a TOML or JSON file, or from - .")
@answer_options
def command(
    values: Sequence[str],
    relevant: str | None,
    grades: Sequence[str],
    queries: int | None,
    decimals: int | None,
    dialect: str | None,
    average: str | None,
    rounding: str | None,
    path: str | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Say whether reported values can be true together.

    Impossible is a proof, whatever the options leave open: grades, definitions, which queries count, rounding. Exit
    status 0: possible, with an example; 1: impossible, with what contradicts; 3: undecided; 2: wrong usage.

    \b
    rankproof audit report --dialect trec_eval --relevant 5 P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75
    rankproof audit report --dialect rankproof --queries 54 P@10=0.6137
    rankproof audit report --grades 3,2,1 nDCG@4=0.973 RR=1.00
    """
    refuse_outputs(output)
    from rankproof.proving.audit.claims import claims, read_claims
    from rankproof.proving.audit.report import audit_report

    began = time.perf_counter()
    if path is None:
        if not values:
            raise UsageError("No value was reported. Write one or more, such as: P@3=0.67 nDCG@5=0.75")
        claimed = read_claims(values, decimals)
    else:
        claim_file = _file(path, values)
        claimed = claims(claim_file.values, decimals if decimals is not None else claim_file.decimals)
        # What is typed wins over what the file says.
        if relevant is None and not grades:
            relevant, grades = claim_file.relevant, claim_file.grades
        queries = queries if queries is not None else claim_file.queries
        dialect, average = dialect or claim_file.dialect, average or claim_file.average
        rounding = rounding or claim_file.rounding
    audit = audit_report(
        claimed,
        relevant=relevant,
        grades=grades,
        queries=1 if queries is None else queries,
        dialect=dialect,
        average=average,
        rounding=rounding,
    )
    return give_audit(audit, "report", report_text(audit), as_json, output, began)


def _file(path: str, values: Sequence[str]) -> Reported:
    if values:
        raise UsageError(
            f"Values come from the command line or from --file, not from both; got {values[0]} and {path}."
        )
    from rankproof.proving.audit.claims import read_report

    return read_report(path)


def report_text(audit: ReportAudit) -> str:
    """The answer of `rankproof audit report`."""
    over = "one query" if audit.queries == 1 else f"means over {audit.queries:,} queries"
    each = "" if audit.queries == 1 else ", each"
    parts = [[f"{audit.verdict.upper()}: {over}{each} with {audit.relevant}"]]
    rows = [["measure", "reported", "rounded from"]]
    rows += [[claim.measure, claim.said, f"{claim.low:.8g} to {claim.high:.8g}"] for claim in audit.claims]
    parts.append(aligned(rows, 1))
    parts.append([contradiction.reason for contradiction in audit.contradictions])
    parts.append([_instead(alternative, len(audit.claims)) for alternative in audit.instead])
    parts.append(_stated(audit))
    parts.append(_example(audit))
    parts.append(list(audit.notes))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _stated(audit: ReportAudit) -> list[str]:
    """What the proof takes from the caller, or would take."""
    if audit.verdict == "impossible" and audit.rests_on:
        return [f"This rests on what was stated: {', '.join(audit.rests_on)}."]
    if audit.verdict == "impossible":
        return ["This holds for all grades, definitions, averages and ways of rounding."]
    return [f"It would be impossible with {', '.join(audit.would_be)}."] if audit.would_be else []


def _instead(alternative: Instead, claims: int) -> str:
    places = max(3, len(alternative.said.rstrip("%").partition(".")[2]) + 1)
    given = "" if claims == 1 else "If the other values are right, "
    if not alternative.values:
        least, greatest = f"{alternative.least:.{places}f}", f"{alternative.greatest:.{places}f}"
        ends = least if least == greatest else f"between {least} and {greatest}"
        return f"{given}{alternative.measure} is {ends}, not {alternative.said}."
    text = " or ".join(
        f"{value:.{places}f} (relevant at {_ranks(placement)})"
        for value, placement in zip(alternative.values, alternative.placements, strict=True)
    )
    if alternative.complete:
        return f"{given}{alternative.measure} is {text}, not {alternative.said}."
    return f"{given}{alternative.measure} is not {alternative.said}; the nearest that it can be: {text}."


def _example(audit: ReportAudit) -> list[str]:
    if not audit.example:
        return []
    if audit.queries == 1:
        (placement,) = audit.example
        values = ", ".join(f"{text} {value:.4f}" for text, value in placement.values.items())
        return [f"For example: relevant documents at {_ranks(placement)}; {values}."]
    lines = ["For example:"]
    for placement in audit.example[:SHOWN]:
        queries = counted(placement.queries, "query", "queries")
        of = len(placement.ranks) + len(placement.missed)
        lines.append(f"  {queries} with {of} relevant {'document' if of == 1 else 'documents'}, at {_ranks(placement)}")
    rest = sum(placement.queries for placement in audit.example[SHOWN:])
    return [*lines, f"  and {rest:,} more"] if rest else lines


def _ranks(placement: Placement) -> str:
    if not placement.ranks:
        return "no rank"
    graded = len({*placement.grades, *placement.missed}) > 1
    ranks = [
        f"{rank} (grade {grade})" if graded else str(rank)
        for rank, grade in zip(placement.ranks, placement.grades, strict=True)
    ]
    if len(ranks) > MOST_RANKS:
        ranks = [*ranks[:MOST_RANKS], "..."]
    return f"{'rank' if len(ranks) == 1 else 'ranks'} {', '.join(ranks)}"
