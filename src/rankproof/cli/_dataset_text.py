"""How a survey of a dataset looks to a person: sizes, grades, joins, doubles, splits, findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.checks._words import count
from rankproof.cli._findings import listed
from rankproof.records.survey import Documents, Join, Judgments, Queries, Survey
from rankproof.reports._align import aligned, printable

# Values of a column that a line shows.
SHOWN = 12


def as_text(found: Survey) -> str:
    """The whole answer."""
    rows = [
        *_documents(found.documents),
        *_queries(found.queries),
        *_judgments(found.judgments),
        *([["joins", _join(found.join, found.documents is not None)]] if found.judgments.count else []),
        *_splits(found),
        ["content", f"sha256 {found.content_hash}"],
    ]
    lines = [f"{found.name}: {found.kind} dataset, {found.source}", "", *aligned(rows, 2), ""]
    if found.judgments.grades:
        lines += [*aligned(_grades(found.judgments), 0), ""]
    lines += [f"note: {printable(note)}" for note in found.notes]
    lines += [line.removeprefix("  ") for line in listed(found.findings)] or ["nothing found that would spoil a result"]
    return "\n".join(lines) + "\n"


def written(folder: str, manifest: Mapping[str, Any]) -> str:
    """What was written where."""
    files = [[name, f"{about['bytes']:,} bytes"] for name, about in manifest["files"].items()]
    return "\n".join([f"written: {folder}", *(f"  {line}" for line in aligned(files, 1))]) + "\n"


def _documents(documents: Documents | None) -> list[list[str]]:
    if documents is None:
        return [["documents", "none"]]
    fields = ", ".join(
        name if filled == documents.count else f"{name} ({filled:,} filled)"
        for name, filled in documents.fields.items()
    )
    rows = [["documents", f"{documents.count:,}; fields: {fields}"]]
    if documents.duplicate_groups:
        shared = f"{documents.duplicates:,} documents share {count(documents.duplicate_groups, 'text')}"
        rows.append(["", f"{shared}; judged differently for one query: {documents.judged_differently:,}"])
    return rows


def _queries(queries: Queries) -> list[list[str]]:
    said = f"{queries.count:,}; judged: {queries.judged:,}"
    if queries.without_text:
        said += f"; without text: {queries.without_text:,}"
    if queries.sharing_a_text:
        said += f"; with the same text as another: {queries.sharing_a_text:,}"
    rows = [["queries", said]]
    for column, values in queries.columns.items():
        if values is None:
            rows.append(["", f"{column}: too many values to make segments"])
            continue
        shown = ", ".join(f"{value} {n:,}" for value, n in list(values.items())[:SHOWN])
        rows.append(["", f"{column}: {shown}{', ...' if len(values) > SHOWN else ''}"])
    return rows


def _judgments(judgments: Judgments) -> list[list[str]]:
    if not judgments.count:
        return [["judgments", "none"]]
    said = f"{judgments.count:,} for {count(judgments.queries, 'query', 'queries')}"
    per = judgments.per_query
    if per is not None:
        said += f"; per query {per.least:,} to {per.most:,}, median {per.median:g}, mean {per.mean:.1f}"
    return [["judgments", said]]


def _join(join: Join, corpus: bool) -> str:
    said = [
        f"{count(join.queries_without_text, 'judged query', 'judged queries')} without text"
        if join.queries_without_text
        else "every judged query has its text"
    ]
    if corpus:
        said.append(
            f"{join.judgments_without_document:,} judgments of {join.documents_missing:,} documents not in the corpus"
            if join.documents_missing
            else "every judged document is there"
        )
    return "; ".join(said)


def _splits(found: Survey) -> list[list[str]]:
    if not found.splits:
        return []
    rows = [
        ["splits" if i == 0 else "", f"{name}: {part.queries:,} queries, {part.judgments:,} judgments"]
        for i, (name, part) in enumerate(found.splits.items())
    ]
    if not found.leaks:
        rows.append(["", "no query text in two of them"])
    return rows + [["", f"{leak.texts:,} query texts in both {' and '.join(leak.splits)}"] for leak in found.leaks]


def _grades(judgments: Judgments) -> list[list[str]]:
    rows = [["grade", "judgments", "share"]]
    return rows + [[str(g.grade), f"{g.count:,}", f"{100 * g.share:.1f}%"] for g in judgments.grades]
