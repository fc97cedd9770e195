"""Audits as text for a terminal: the verdict first, then why, then what was taken for granted."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.records.audit import Instead, Placement, ReportAudit, RerankAudit
from rankproof.reports._align import aligned, printable

# How many rankings of an example, and how many broken queries, are written out.
SHOWN = 5
# Ranks of one ranking that are written out.
MOST_RANKS = 12


def report(audit: ReportAudit) -> str:
    """The answer of `rankproof audit report`."""
    over = "one query" if audit.queries == 1 else f"means over {audit.queries:,} queries"
    each = "" if audit.queries == 1 else ", each"
    parts = [[f"{audit.verdict.upper()}: {over}{each} with {audit.relevant}"]]
    rows = [["measure", "reported", "rounded from"]]
    rows += [[claim.measure, claim.said, f"{claim.low:.8g} to {claim.high:.8g}"] for claim in audit.claims]
    parts.append(aligned(rows, 1))
    parts.append([contradiction.reason for contradiction in audit.contradictions])
    parts.append([_instead(found, len(audit.claims)) for found in audit.instead])
    parts.append(_example(audit))
    parts.append(list(audit.notes))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _instead(found: Instead, claims: int) -> str:
    places = max(3, len(found.said.rstrip("%").partition(".")[2]) + 1)
    given = "" if claims == 1 else "If the other values are right, "
    if not found.values:
        ends = f"between {found.least:.{places}f} and {found.greatest:.{places}f}"
        return f"{given}{found.measure} is {ends}, not {found.said}."
    told = " or ".join(
        f"{value:.{places}f} (relevant at {_ranks(placement)})"
        for value, placement in zip(found.values, found.placements, strict=True)
    )
    if found.complete:
        return f"{given}{found.measure} is {told}, not {found.said}."
    return f"{given}{found.measure} is not {found.said}; the nearest that it can be: {told}."


def _example(audit: ReportAudit) -> list[str]:
    if not audit.example:
        return []
    if audit.queries == 1:
        (placement,) = audit.example
        told = ", ".join(f"{text} {value:.4f}" for text, value in placement.values.items())
        return [f"For example: relevant documents at {_ranks(placement)}; {told}."]
    lines = ["For example:"]
    for placement in audit.example[:SHOWN]:
        queries = "1 query" if placement.queries == 1 else f"{placement.queries:,} queries"
        of = len(placement.ranks) + len(placement.missed)
        lines.append(f"  {queries} with {of} relevant {'document' if of == 1 else 'documents'}, at {_ranks(placement)}")
    rest = sum(placement.queries for placement in audit.example[SHOWN:])
    return [*lines, f"  and {rest:,} more"] if rest else lines


def _ranks(placement: Placement) -> str:
    if not placement.ranks:
        return "no rank"
    graded = len({*placement.grades, *placement.missed}) > 1
    told = [
        f"{rank} (grade {grade})" if graded else str(rank)
        for rank, grade in zip(placement.ranks, placement.grades, strict=True)
    ]
    if len(told) > MOST_RANKS:
        told = [*told[:MOST_RANKS], "..."]
    return f"{'rank' if len(told) == 1 else 'ranks'} {', '.join(told)}"


def rerank(audit: RerankAudit) -> str:
    """The answer of `rankproof audit rerank`."""
    parts = [[_headline(audit)]]
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


def _headline(audit: RerankAudit) -> str:
    names = f"{audit.reranked} is {audit.base}"
    queries = "1 query" if audit.queries == 1 else f"{audit.queries:,} queries"
    if audit.verdict == "clean":
        if audit.least_depth == 0:
            return f"CLEAN: {names}, unchanged; {queries}"
        lesser = audit.claimed is not None and audit.least_depth != audit.claimed
        least = f" (it changes only the first {audit.least_depth})" if lesser else ""
        return f"CLEAN: {names}, reranked to depth {audit.depth}{least}; {queries}"
    said = f", reranked to depth {audit.depth}" if audit.depth is not None else ", reranked to any depth"
    least = f"; it would be for depth {audit.least_depth}" if audit.least_depth is not None else ""
    return f"BROKEN: {audit.reranked} is not {audit.base}{said}: {len(audit.broken):,} of {queries}{least}"


def _broken(ids: Sequence[str]) -> str:
    rest = len(ids) - SHOWN
    return f"Broken: {', '.join(ids[:SHOWN])}{f' and {rest:,} more' if rest > 0 else ''}"
