"""Checks run on a few lines, for the pages of checks and for their tests."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import Any

from rankproof.core import Rows
from rankproof.kernel import shelf
from rankproof.reading.check_subject import Subject
from rankproof.reading.checks.contract import Check
from rankproof.reading.finding import Finding

Lines = str | bytes | Sequence[str]

# How wide a page shows a finding.
WIDTH = 100

RUN_SHAPE = "a TREC run has 6: query_id Q0 doc_id rank score tag"
QRELS_SHAPE = "TREC qrels have 4: query_id subtopic doc_id grade"


def run_rows(lines: Lines, most: int = 0) -> Rows:
    """Rows of a TREC run."""
    return Rows.from_text(_bytes(lines), " ", 0, 2, number=4, rank=3, label=5, least=6, most=most)


def qrels_rows(lines: Lines, most: int = 0) -> Rows:
    """Rows of TREC qrels."""
    return Rows.from_text(_bytes(lines), " ", 0, 2, number=3, label=1, least=4, most=most)


def findings(code: str, *, run: Lines | None = None, qrels: Lines | None = None, **options: Any) -> tuple[Finding, ...]:
    """What one check finds in the lines of a run (held against qrels, when given) or of qrels alone."""
    judgments = None if qrels is None else qrels_rows(qrels)
    if run is not None:
        subject = Subject(
            run_rows(run), "run", "example.run",
            qrels=judgments, shape=RUN_SHAPE, again=lambda: run_rows(run, most=6), **options,
        )  # fmt: skip
    else:
        assert qrels is not None, "give run= or qrels="
        assert judgments is not None
        subject = Subject(
            judgments,
            "qrels",
            "example.qrels",
            shape=QRELS_SHAPE,
            again=lambda: qrels_rows(qrels, most=4),
            **options,
        )
    check: Check = shelf.find("checks", code)
    return check.findings(subject)


def show(code: str, **lines: Any) -> None:
    """Prints what one check finds, wrapped so that it fits a page."""
    for finding in findings(code, **lines):
        print(fill(str(finding), WIDTH, break_long_words=False, break_on_hyphens=False))


def _bytes(lines: Lines) -> bytes:
    if isinstance(lines, bytes):
        return lines
    return (lines if isinstance(lines, str) else "\n".join(lines) + "\n").encode()
