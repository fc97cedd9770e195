"""What executors do, without a cluster: lines to rows, rows dealt out, joined and answered."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from rankproof.measuring.prepare import prepare_qrels
from rankproof.reading.formats.trec import RUN
from rankproof.reading.records import DEFAULT_ORDER
from rankproof.scale import _joining, _judged, _lines, _work

pyarrow = pytest.importorskip("pyarrow", reason="executors speak Arrow")
SHAPE = _work.RowColumns(scored=True, ranked=True, tagged=True, placed=True, in_order=False)


def lines(*texts: str, split: int = 0, file: str = "f") -> Any:
    count = len(texts)
    columns = {
        _lines.LINE: pyarrow.array([text.encode() for text in texts], pyarrow.binary()),
        _lines.FILE: [file] * count,
        _lines.SPLIT: [split] * count,
    }
    return pyarrow.RecordBatch.from_pydict(columns)


def answers(batches: list[Any], qrels: dict[str, dict[str, int]]) -> list[Any]:
    """One task that gets everything."""
    judged = _judged.sent(prepare_qrels(qrels).judgments)
    dealt = _lines.deal_lines(iter(batches), RUN.layout, 4, None)
    told = _work.join_rows_of(dealt, judged, SHAPE, DEFAULT_ORDER, DEFAULT_ORDER)
    return [pickle.loads(batch.column(0)[0].as_py()) for batch in told]


def test_places_rise_over_batches_and_splits() -> None:
    """Lines of 17 bytes: two batches of the split at 0, after one of the split at 3,000,000,000, beyond 32 bits."""
    line = "q1 Q0 d{} 1 2.5 t"
    batches = [lines(line.format(3), split=3_000_000_000), lines(line.format(1)), lines(line.format(2))]
    places = [stretch.place.tolist() for stretch in _lines.stretches(iter(batches), RUN.layout, None)]
    assert places == [[3_000_000_000], [0], [17]]
    firsts = {("f", 0): 1, ("f", 3_000_000_000): 3}
    numbers = [stretch.place.tolist() for stretch in _lines.stretches(iter(batches), RUN.layout, firsts)]
    assert numbers == [[3], [1], [2]]


def test_headers_and_marks_belong_to_the_beginning_of_a_file() -> None:
    from dataclasses import replace

    layout = replace(RUN.layout, skip=1)
    first, other = lines("\ufeffheader", "q1 Q0 d1 1 2 t"), lines("\ufeffq2 Q0 d1 1 2 t", split=99)
    found = [stretch.rows.query_ids for stretch in _lines.stretches(iter([first, other]), layout, None)]
    assert found == [["q1"], ["\ufeffq2"]]


def test_the_answer_of_a_task() -> None:
    """d2 stands above d1; q9 is not judged and appears first; the tag is that of the last row of the file."""
    batches = [lines("q1 Q0 d1 1 2.0 late", split=50), lines("q9 Q0 d1 1 1.0 t", "q1 Q0 d2 2 3.0 t")]
    (answer,) = answers(batches, {"q1": {"d1": 1}, "q2": {"d1": 1}})
    assert (answer.part.queries.tolist(), answer.part.rank.tolist(), answer.part.rows) == ([0], [2], 3)
    assert (answer.part.unjudged, answer.first, answer.part.tag) == (("q9",), (0,), "late")
    assert answers([], {"q1": {"d1": 1}}) == []


def test_lines_that_become_no_row_are_counted() -> None:
    (answer,) = answers([lines("q1 Q0 d1 1 2.0 t", "q1 Q0", "q1")], {"q1": {"d1": 1}})
    assert answer.part.faults["wrong_columns"] == 1  # marked once for each batch: that there is one is what counts
    assert answer.part.rows == 1


def test_judgments_that_were_sent_are_the_same() -> None:
    judgments = prepare_qrels({"q2": {"b": 0, "a": 2, "c": 2}, "q1": {"x": -1}}).judgments
    sent = pickle.loads(pickle.dumps(_judged.sent(judgments)))
    made = sent.judgments()
    assert (made.query_ids, made.doc_ids()) == (judgments.query_ids, judgments.doc_ids())
    assert made.grade.tolist() == judgments.grade.tolist()
    assert sent.judgments() is made


def test_the_reason_of_a_failed_job_is_one_line() -> None:
    report = "An exception was thrown:\nTraceback (most recent call last):\n  File x\nModuleNotFoundError: No module"
    assert _joining._reason(RuntimeError(report)) == "ModuleNotFoundError: No module"
    assert _joining._reason(RuntimeError("Job aborted.\nmore")) == "Job aborted."
