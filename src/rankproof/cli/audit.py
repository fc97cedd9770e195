"""Audit what others report: values that cannot be true together, and runs that are no reranks."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli import _output
from rankproof.cli._types import ShelfName
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.flow.audit.files import Reported

SCHEMA = "audit/1"
EXIT = {"possible": 0, "clean": 0, "impossible": 1, "broken": 1, "undecided": 3}


@click.group("audit")
def command() -> None:
    """Audit what is reported: values that cannot be true together, runs that are not what they are said to be."""


@command.command("report")
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
@click.option("--file", "path", type=click.Path(), help="Read the report from a TOML or JSON file, or from - .")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
def report(
    values: Sequence[str],
    relevant: str | None,
    grades: Sequence[str],
    queries: int | None,
    decimals: int | None,
    path: str | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Say whether reported values can be true together.

    A value is taken as rounded to the digits typed: 0.67 was between 0.665 and 0.675. Exit status 0: possible, with
    an example; 1: impossible, with what contradicts; 3: undecided; 2: wrong usage.

    \b
    rankproof audit report --relevant 5 P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75
    rankproof audit report --queries 54 P@10=0.6137
    rankproof audit report --grades 3,2,1 nDCG@4=0.973 RR=1.00
    """
    if output is not None and output != "-":
        refuse_path(output)
    from rankproof.flow.audit.claims import claims, read_claims
    from rankproof.flow.audit.report import audit_report

    began = time.perf_counter()
    if path is None:
        if not values:
            raise UsageError("No value was reported. Write one or more, such as: P@3=0.67 nDCG@5=0.75")
        asked = read_claims(values, decimals)
    else:
        said = _file(path, values)
        asked = claims(said.values, decimals if decimals is not None else said.decimals)
        # What is typed wins over what the file says.
        if relevant is None and not grades:
            relevant, grades = said.relevant, said.grades
        queries = queries if queries is not None else said.queries
    audit = audit_report(asked, relevant=relevant, grades=grades, queries=1 if queries is None else queries)
    return _answer(audit, "report", as_json, output, time.perf_counter() - began)


def _file(path: str, values: Sequence[str]) -> Reported:
    if values:
        raise UsageError(
            f"Values come from the command line or from --file, not from both; got {values[0]} and {path}."
        )
    from rankproof.flow.audit.files import read_report

    return read_report(path)


@command.command("rerank")
@click.argument("base", type=click.Path())
@click.argument("reranked", type=click.Path())
@click.option("-d", "--depth", type=click.IntRange(1), help="The depth that was reranked; found out otherwise.")
@click.option("--qrels", type=click.Path(), help="Show set measures of both runs, which must not move.")
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; scores by default where there are any.",
)
@click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first.")
@click.option(
    "--run-format",
    type=ShelfName("formats", "run"),
    help="The format of both runs; found out by content otherwise.",
)
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
def rerank(
    base: str,
    reranked: str,
    depth: int | None,
    qrels: str | None,
    order: Any,
    lower_is_better: bool,
    run_format: str | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Say whether RERANKED is BASE with only its first documents in another order.

    Exit status 0: it is; 1: it is not, with the first query and document that show it; 2: wrong usage.

    \b
    rankproof audit rerank bm25.run bm25_reranked.run --depth 20
    rankproof audit rerank bm25.run bm25_reranked.run --qrels qrels.trec
    """
    if [base, reranked, qrels].count("-") > 1:
        raise UsageError("Standard input (-) can be read only once. Give the other inputs as files.")
    if output is not None and output != "-":
        refuse_path(output)
    from rankproof.flow.audit.rerank import audit_rerank
    from rankproof.flow.collect import read_run

    began = time.perf_counter()
    reading = {"order": order, "lower_is_better": lower_is_better or None}
    first, second = (read_run(path, run_format, **reading) for path in (base, reranked))
    audit = audit_rerank(first, second, depth, qrels=qrels, names=(base, reranked))
    return _answer(audit, "rerank", as_json, output, time.perf_counter() - began)


def _answer(audit: Any, kind: str, as_json: bool, output: str | None, seconds: float) -> int:
    from rankproof.cli import _audit_text

    if as_json:
        from dataclasses import asdict

        from rankproof.cli._document import document

        text = document(SCHEMA, {"audit": kind, **asdict(audit), "exit_status": EXIT[audit.verdict]}, seconds)
    else:
        text = _audit_text.report(audit) if kind == "report" else _audit_text.rerank(audit)
    _output.give(text, output)
    return EXIT[audit.verdict]
