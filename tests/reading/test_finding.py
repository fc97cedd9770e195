"""A finding reads as one sentence with its place and remedy, and goes to JSON whole."""

from __future__ import annotations

import json

from rankproof.reading.finding import Finding

FOUND = Finding(
    code="duplicate_document",
    severity="error",
    source="bm25.run",
    line=7,
    query_id="q1",
    doc_id="d1",
    message="document 'd1' is already ranked for query 'q1' on line 1.",
    remedy="Keep one of the two lines.",
)


def test_it_reads_as_the_house_style_has_it() -> None:
    assert str(FOUND) == (
        "bm25.run, line 7: document 'd1' is already ranked for query 'q1' on line 1. Keep one of the two lines."
    )


def test_without_a_line_it_names_the_source_alone() -> None:
    whole = Finding("empty", "error", "x.run", "the run has no row.", "Check the file.", further=2)
    assert str(whole) == "x.run: the run has no row. Check the file. (2 more like this.)"


def test_json_has_every_field() -> None:
    assert json.loads(json.dumps(FOUND.to_dict())) == {
        "code": "duplicate_document",
        "severity": "error",
        "source": "bm25.run",
        "message": "document 'd1' is already ranked for query 'q1' on line 1.",
        "remedy": "Keep one of the two lines.",
        "line": 7,
        "query_id": "q1",
        "doc_id": "d1",
        "further": 0,
        "unit": "line",
    }
