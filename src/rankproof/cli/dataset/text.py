"""What is in a dataset, for a terminal: documents, queries, judgments, joins, splits, grades and findings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.cli.shared.findings import listed
from rankproof.kernel.sections import aligned, counted, printable
from rankproof.reading.datasets.records import DocumentSurvey, Join, JudgmentSurvey, QuerySurvey, Survey

# Values of a column that a line shows.
SHOWN = 12


def survey_text(report: Survey) -> str:
    """The whole answer."""
    rows = [
        *_documents(report.documents),
        *_queries(report.queries),
        *_judgments(report.judgments),
        *([["joins", _join(report.join, report.documents is not None)]] if report.judgments.count else []),
        *_splits(report),
        ["content", f"sha256 {report.content_hash}"],
    ]
    lines = [f"{report.name}: {report.kind} dataset, {report.source}", "", *aligned(rows, 2), ""]
    if report.judgments.grades:
        lines += [*aligned(_grades(report.judgments), 0), ""]
    lines += [f"note: {printable(note)}" for note in report.notes]
    lines += [line.removeprefix("  ") for line in listed(report.findings)] or [
        "nothing found that would spoil a result"
    ]
    return "\n".join(lines) + "\n"


def _documents(documents: DocumentSurvey | None) -> list[list[str]]:
    if documents is None:
        return [["documents", "none"]]
    fields = ", ".join(
        name if filled == documents.count else f"{name} ({filled:,} filled)"
        for name, filled in documents.fields.items()
    )
    rows = [["documents", f"{documents.count:,}; fields: {fields}"]]
    if documents.duplicate_groups:
        shared = f"{counted(documents.duplicates, 'document')} share {counted(documents.duplicate_groups, 'text')}"
        rows.append(["", f"{shared}; judged differently for one query: {documents.judged_differently:,}"])
    return rows


def _queries(queries: QuerySurvey) -> list[list[str]]:
    text = f"{queries.count:,}; judged: {queries.judged:,}"
    if queries.without_text:
        text += f"; without text: {queries.without_text:,}"
    if queries.sharing_a_text:
        text += f"; with the same text as another: {queries.sharing_a_text:,}"
    rows = [["queries", text]]
    for column, values in queries.columns.items():
        if values is None:
            rows.append(["", f"{column}: too many values to make segments"])
            continue
        shown = ", ".join(f"{value} {n:,}" for value, n in list(values.items())[:SHOWN])
        rows.append(["", f"{column}: {shown}{', ...' if len(values) > SHOWN else ''}"])
    return rows


def _judgments(judgments: JudgmentSurvey) -> list[list[str]]:
    if not judgments.count:
        return [["judgments", "none"]]
    text = f"{judgments.count:,} for {counted(judgments.queries, 'query', 'queries')}"
    per = judgments.per_query
    if per is not None:
        text += f"; per query {per.least:,} to {per.most:,}, median {per.median:g}, mean {per.mean:.1f}"
    return [["judgments", text]]


def _join(join: Join, corpus: bool) -> str:
    parts = [
        f"{counted(join.queries_without_text, 'judged query', 'judged queries')} without text"
        if join.queries_without_text
        else "every judged query has its text"
    ]
    if corpus:
        parts.append(
            f"{counted(join.judgments_without_document or 0, 'judgment')} of "
            f"{counted(join.documents_missing, 'document')} not in the corpus"
            if join.documents_missing
            else "every judged document is there"
        )
    return "; ".join(parts)


def _splits(report: Survey) -> list[list[str]]:
    if not report.splits:
        return []
    rows = [
        [
            "splits" if i == 0 else "",
            f"{name}: {counted(part.queries, 'query', 'queries')}, {counted(part.judgments, 'judgment')}",
        ]
        for i, (name, part) in enumerate(report.splits.items())
    ]
    if not report.leaks:
        rows.append(["", "no query text in two of them"])
    return rows + [
        ["", f"{counted(leak.texts, 'query text')} in both {' and '.join(leak.splits)}"] for leak in report.leaks
    ]


def _grades(judgments: JudgmentSurvey) -> list[list[str]]:
    rows = [["grade", "judgments", "share"]]
    return rows + [[str(g.grade), f"{g.count:,}", f"{100 * g.share:.1f}%"] for g in judgments.grades]


def written(folder: str, manifest: Mapping[str, Any]) -> str:
    """What was written where."""
    files = [[name, counted(about["bytes"], "byte")] for name, about in manifest["files"].items()]
    return "\n".join([f"written: {folder}", *(f"  {line}" for line in aligned(files, 1))]) + "\n"
