"""`rankproof audit rerank`: whether a run is another one with only its first documents in another order."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import click

from rankproof.cli.audit.shared import SHOWN, give_audit
from rankproof.cli.shared.options import answer_options, refuse_outputs, refuse_second_stdin, two_runs
from rankproof.kernel.sections import aligned, counted, printable
from rankproof.proving.audit.claims import RerankAudit


@click.command("rerank")
@click.argument("base", type=click.Path())
@click.argument("reranked", type=click.Path())
@click.option("-d", "--depth", type=click.IntRange(1), help="The depth that was reranked; inferred otherwise.")
@click.option("--qrels", type=click.Path(), help="Show set measures of both runs, which must not move.")
@two_runs
@answer_options
def command(
    base: str,
    reranked: str,
    depth: int | None,
    qrels: str | None,
    order: Any,
    lower_is_better: bool,
    run_format: str | None,
    columns: Sequence[str],
    as_json: bool,
    output: str | None,
) -> int:
    """Say whether RERANKED is BASE with only its first documents in another order.

    Without --depth the depth is inferred, from the order and from where the scores change their scale. A run is broken
    too where they show that reranked documents were merged with the others on another scale.

    Exit status 0: it is; 1: it is not, with the first query and document that show it; 2: wrong usage.

    \b
    rankproof audit rerank bm25.run bm25_reranked.run --depth 20
    rankproof audit rerank bm25.run bm25_reranked.run --qrels qrels.trec
    """
    refuse_second_stdin([base, reranked, qrels])
    refuse_outputs(output)
    from rankproof.proving.audit.rerank import audit_rerank
    from rankproof.reading.collect import named_columns, read_qrels, read_run

    began = time.perf_counter()
    named = named_columns(columns, qrels, (base, reranked))
    reading = {"order": order, "lower_is_better": lower_is_better or None, **named}
    first, second = (read_run(path, run_format, **reading) for path in (base, reranked))
    judged = qrels if qrels is None or not named else read_qrels(qrels, **named)
    audit = audit_rerank(first, second, depth, qrels=judged, names=(base, reranked))
    return give_audit(audit, "rerank", rerank_text(audit), as_json, output, began)


def rerank_text(audit: RerankAudit) -> str:
    """The answer of `rankproof audit rerank`."""
    parts = [[_headline(audit), *_inferred(audit)]]
    if audit.first is not None:
        where = f"query {audit.first.query_id}"
        if audit.first.doc_id:
            ranks = [
                f"rank {rank} in {name}" if rank is not None else f"not in {name}"
                for rank, name in ((audit.first.base_rank, audit.base), (audit.first.rank, audit.reranked))
            ]
            where += f", document {audit.first.doc_id} ({', '.join(ranks)})"
        parts.append([f"First: {where}: {audit.first.reason}.", _broken(audit.broken)])
    parts.append([audit.cause] if audit.cause else [])
    if audit.moved:
        rows = [["measure", audit.base, audit.reranked]]
        rows += [[moved.measure, f"{moved.base:.4f}", f"{moved.reranked:.4f}"] for moved in audit.moved]
        parts.append(aligned(rows, 1))
    parts.append(list(audit.notes))
    return "\n\n".join("\n".join(map(printable, part)) for part in parts if part) + "\n"


def _inferred(audit: RerankAudit) -> list[str]:
    """How the depth was found, and how sure it is."""
    found = audit.inferred
    if found is None:
        return []
    span = f" ({found.least} to {found.most} by query)" if found.least < found.most and found.by != "order" else ""
    queries = counted(found.queries, "query", "queries")
    why = {
        "order": f"nothing moved below it, and {found.agree:,} of {queries} changed as far down or nearly so",
        "scores": f"in {found.agree:,} of {queries} the scores above it are on another scale than those below",
        "order of the tail": f"below it documents keep their order in {found.agree:,} of {queries}",
        "end of the lists": f"{found.agree:,} of {queries} end there",
    }[found.by]
    doubt = {
        "high": "",
        "fair": " State it with --depth to be sure.",
        "low": " It may be greater: state it with --depth.",
    }[found.sure]
    return [f"Depth {audit.depth}{span} was inferred: {why}. How sure: {found.sure}.{doubt}"]


def _headline(audit: RerankAudit) -> str:
    names = f"{audit.reranked} is {audit.base}"
    queries = counted(audit.queries, "query", "queries")
    if audit.verdict == "clean":
        if audit.least_depth == 0:
            return f"CLEAN: {names}, unchanged; {queries}"
        lesser = audit.claimed is not None and audit.least_depth != audit.claimed
        least = f" (it changes only the first {audit.least_depth})" if lesser else ""
        return f"CLEAN: {names}, reranked to depth {audit.depth}{least}; {queries}"
    depth = f", reranked to depth {audit.depth}" if audit.depth is not None else ", reranked to any depth"
    least = f"; it would be for depth {audit.least_depth}" if audit.least_depth is not None else ""
    return f"BROKEN: {audit.reranked} is not {audit.base}{depth}: {len(audit.broken):,} of {queries}{least}"


def _broken(ids: Sequence[str]) -> str:
    rest = len(ids) - SHOWN
    return f"Broken: {', '.join(ids[:SHOWN])}{f' and {rest:,} more' if rest > 0 else ''}"
