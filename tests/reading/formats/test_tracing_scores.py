"""Scores of LangSmith and Langfuse: feedback, averages, sessions and experiments, and what is left out is told."""

from __future__ import annotations

from typing import Any

from tests.raising import raises
from tests.reading.formats.samples import lines
from tests.reading.formats.tracing_files import step, system

import rankproof
from rankproof.errors import InputError
from rankproof.reading.score_tables import read_score_table


def test_feedback_alone_repeated_and_of_others() -> None:
    def feedback(at: int, score: object, **more: object) -> dict[str, Any]:
        return {"id": str(at), "run_id": "t1", "trace_id": "t1", "key": "good", "score": score, "value": None, **more}

    table = read_score_table(
        lines([feedback(1, True), feedback(2, 0), feedback(3, None), feedback(4, None, value="x")])
    )
    assert table.values["good"].tolist() == [0.5]
    told = " | ".join(table.notes)
    for part in ("averaged: good", "no numbers: good", "does not say who", "without its runs"):
        assert part in told
    with raises(InputError):
        read_score_table(lines([feedback(1, 1.0, run_id=None, trace_id=None)]))
    with raises(InputError, "line 1", "key"):
        read_score_table(lines([feedback(1, 1.0, key=3)]))


def test_averages_of_runs_are_kept_where_no_feedback_stands_beside_them() -> None:
    whole = step(id="t1", parent_run_id=None, run_type="chain", end_time="2026-01-01T00:00:02", total_cost="0.01")
    whole |= {"feedback_stats": {"good": {"n": 2, "avg": 0.5, "values": {}}, "tone": {"avg": None, "values": {"x": 1}}}}
    table = read_score_table(lines([whole]))
    assert {name: column.tolist() for name, column in table.values.items()} == {
        "good": [0.5], "seconds": [2.0], "total_cost": [0.01],
    }  # fmt: skip
    assert any("no numbers: tone" in note for note in table.notes)
    other = {"id": "f", "run_id": "t1", "trace_id": "t1", "key": "good", "score": 1.0}
    assert read_score_table(lines([whole, other])).values["good"].tolist() == [1.0]


def test_scores_of_sessions_and_of_lost_traces_are_told() -> None:
    def score(at: int, trace: str | None, **more: object) -> dict[str, Any]:
        return {
            "id": f"s{at}",
            "traceId": trace,
            "name": "good",
            "source": "API",
            "dataType": "NUMERIC",
            "value": 1.0,
            **more,
        }

    item = {"id": "i", "traceId": "t1", "startTime": "1", "experimentItemId": "q1", "scores": [score(1, None)]}
    table = read_score_table(lines([item, score(2, None), score(3, "gone"), score(4, "t1", value=0.0)]))
    assert table.unit_ids == ("q1",)
    assert table.values["good"].tolist() == [0.5], "the item's own score and the record's"
    told = " | ".join(table.notes)
    assert "1 score of sessions" in told
    assert "scores of 1 trace whose root" in told
    subject = {"subject": {"kind": "trace", "id": "t1"}}
    third = {**score(5, None), **subject}
    del third["traceId"]
    assert read_score_table(lines([{**item, "scores": None}, third])).values["good"].tolist() == [1.0]
    alone = read_score_table(lines([score(1, "t1"), score(2, "t2", dataType="TEXT", value="so")]))
    assert alone.unit_ids == ("t1",)
    assert any("without their traces" in note for note in alone.notes)


def test_scores_without_ids_within_experiment_items_all_count_for_their_own_trace() -> None:
    """Two without an id were taken for one, and for the trace of the last item."""

    def item(number: int) -> dict[str, object]:
        within = [{"name": name, "value": number / 10, "dataType": "NUMERIC", "source": "EVAL"} for name in ("a", "b")]
        return {
            "id": f"i{number}", "traceId": f"t{number}", "startTime": "1", "experimentItemId": f"q{number}",
            "scores": within,
        }  # fmt: skip

    table = read_score_table(lines([item(1), item(2)]))
    assert table.unit_ids == ("q1", "q2")
    assert [table.values[name].tolist() for name in ("a", "b")] == [[0.1, 0.2], [0.1, 0.2]]


def test_experiments_of_one_file_are_told_apart_by_their_name() -> None:
    content = system("langfuse", "before").read_bytes() + system("langfuse", "after").read_bytes()
    comparison = rankproof.compare_scores(content, [], "faithfulness", system="experiment")
    apart = rankproof.compare_scores(system("langfuse", "before"), system("langfuse", "after"), "faithfulness")
    assert comparison.contrast("faithfulness").difference.value == apart.contrast("faithfulness").difference.value
