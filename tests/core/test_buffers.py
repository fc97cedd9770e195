"""Rows taken apart into columns and put together again; and pieces of a text with the lines of the whole."""

from __future__ import annotations

import numpy as np
from tests.raising import raises

from rankproof.core import Rows
from rankproof.measuring.outofcore.columns import concatenated, dealt, gathered, with_lines

COLUMNS = ("query", "number", "state", "rank", "line", "label", "doc_start", "doc_data")
TREC = {"separator": " ", "query": 0, "doc": 2, "rank": 3, "number": 4, "label": 5, "least": 6, "comments": True}
TEXT = b"q1 Q0 d1 1 2.5 a\nq2 Q0 d\xc3\xa9 x nan b\nq1 Q0 d\xff 3 high a\n# no row\nq1 Q0\nq3 Q0 d1 1 inf c\n"


def same(a: Rows, b: Rows) -> bool:
    return (a.query_ids, a.labels, a.undecodable) == (b.query_ids, b.labels, b.undecodable) and all(
        np.array_equal(getattr(a, name), getattr(b, name), equal_nan=name == "number") for name in COLUMNS
    )


def test_rows_come_back_as_they_were() -> None:
    rows = Rows.from_text(TEXT, **TREC)
    assert len(rows) == 4
    assert same(with_lines(rows, rows.line), rows)
    assert same(concatenated([rows.take(np.arange(2)), rows.take(np.arange(2, 4))]), rows)
    assert with_lines(rows, np.arange(4) + 7).line.tolist() == [7, 8, 9, 10]


def test_rows_that_were_dealt_out_are_all_there_and_together() -> None:
    rows = Rows.from_text(TEXT, **TREC)
    hands: dict[int, list[bytes]] = {}
    for part in (rows.take(np.arange(2)), rows.take(np.arange(2, 4))):
        for hand, packed in dealt(part, 3):
            hands.setdefault(hand, []).append(packed)
    back = [gathered(packed) for packed in hands.values()]
    assert sum(map(len, back)) == 4
    assert sum("q1" in part.query_ids for part in back) == 1  # both rows of q1 are in one hand
    assert list(dealt(Rows.from_columns([], []), 3)) == []


def test_a_piece_has_the_lines_of_the_whole() -> None:
    """Lines 4 to 6 of the text: a comment, a line that is too short, a row. One header line more moves none."""
    piece = TEXT[TEXT.index(b"#") :]
    rows = Rows.from_text(piece, **TREC, first_line=4)
    assert (rows.line.tolist(), rows.faults[0][0]) == ([6], 5)
    assert Rows.from_text(b"header\n" + piece, **TREC, skip=1, first_line=3).line.tolist() == [6]


def test_columns_that_do_not_fit_are_refused() -> None:
    rows = Rows.from_text(TEXT, **TREC)
    columns = {name: getattr(rows, name) for name in COLUMNS}
    with raises(ValueError, "columns", "length"):
        Rows.from_buffers(query_ids=rows.query_ids, labels=rows.labels, **columns | {"rank": rows.rank[:2]})
    for wrong in ({"query": rows.query + 9}, {"doc_start": rows.doc_start + 99}, {"label": rows.label + 9}):
        with raises(ValueError, "column", "beyond"):
            Rows.from_buffers(query_ids=rows.query_ids, labels=rows.labels, **columns | wrong)
