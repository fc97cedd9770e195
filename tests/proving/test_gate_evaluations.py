"""A gate on evaluations that were made before: of spans, of tasks and of rankings, in memory and from kept reports."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

import rankproof
from rankproof import spans
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.manifest import ExperimentManifest
from rankproof.measuring.report import report_of, write_report
from rankproof.proving.verify import verify

QUERIES = [f"q{i}" for i in range(30)]
GOLD = {query: [("doc", 100 * i, 100 * i + 60)] for i, query in enumerate(QUERIES)}


def chunks(offset: int, width: int = 100) -> dict[str, list[tuple[str, int, int]]]:
    """One chunk for each query, that begins `offset` after the gold span, a little later for each third query."""
    starts = {query: 100 * i + offset + i % 3 for i, query in enumerate(QUERIES)}
    return {query: [("doc", start, start + width)] for query, start in starts.items()}


OLD = spans.evaluate(GOLD, chunks(30), "SpanRecall@1 SpanPrecision@1", name="old")
NEW = spans.evaluate(GOLD, chunks(0), "SpanRecall@1 SpanPrecision@1", name="new")


def policy(*rules: dict[str, Any], **tables: Any) -> dict[str, Any]:
    return {"rule": list(rules), **tables}


NO_LOSS = {"rule": "no_regression", "measure": "SpanRecall@1", "margin": 0.05}


def test_two_evaluations_of_spans_are_gated_as_they_are() -> None:
    verdict = rankproof.gate(policy(NO_LOSS), baseline=OLD, candidate=NEW)
    assert (verdict.status, verdict.candidate, verdict.baseline) == ("PASS", "new", "old")
    assert rankproof.gate(policy(NO_LOSS), baseline=NEW, candidate=OLD).status == "FAIL"
    assert verdict.comparison is not None
    by_hand = rankproof.compare_evaluations([OLD, NEW]).contrast("SpanRecall@1").difference
    assert verdict.comparison.contrast("SpanRecall@1").difference.value == by_hand.value == verdict.rulings[0].observed


def test_other_gold_and_other_queries_are_refused_as_in_a_comparison() -> None:
    other = spans.evaluate({**GOLD, "q0": [("doc", 0, 90)]}, chunks(0), "SpanRecall@1", name="new")
    with raises(InputError, "different judgments"):
        rankproof.gate(policy(NO_LOSS), baseline=OLD, candidate=other)


def test_a_measure_that_was_not_evaluated_is_refused_with_those_that_were() -> None:
    with raises(UnknownName, "'SpanIoU@1'", "SpanPrecision@1"):
        rankproof.gate(policy({**NO_LOSS, "measure": "SpanIoU@1"}), baseline=OLD, candidate=NEW)


def test_a_rule_on_rankings_is_refused_before_anything_is_decided() -> None:
    with raises(UsageError, "judged_rate", "rankings"):
        rankproof.gate(policy({"rule": "judged_rate", "at_least": 0.5}), candidate=NEW)
    with raises(UsageError, "qrels"):
        rankproof.gate(policy(NO_LOSS), baseline=OLD, candidate=NEW, qrels={"q": {"d": 1}})
    with raises(UsageError, "score"):
        rankproof.gate(policy({"rule": "abstention", "threshold": 1, "at_most": 0.1}), candidate=NEW)


def test_tasks_know_that_fewer_calls_are_better_and_an_unfinished_task_leaves_it_undecided() -> None:
    qrels = {f"t{i}": {"a": 1, "b": 1} for i in range(30)}
    slow = {task: [["a"], ["x"], ["x", "y"], ["b"]][: 4 + i % 2] for i, task in enumerate(qrels)}
    slow = {task: [*calls[: 3 - i % 2], ["b"]] for i, (task, calls) in enumerate(slow.items())}
    fast = {task: [["a", "b"]] for task in qrels}
    old, new = (rankproof.evaluate_tasks(qrels, calls) for calls in (slow, fast))
    rules = policy(
        {"rule": "no_regression", "measure": "CallsToAll", "margin": 0.1},
        {"rule": "least_gain", "measure": "Calls", "at_least": 1},
    )
    verdict = rankproof.gate(rules, baseline=old, candidate=new)
    assert (verdict.status, verdict.candidate, verdict.baseline) == ("PASS", "candidate", "baseline")
    assert rankproof.gate(rules, baseline=new, candidate=old).status == "FAIL"
    never = rankproof.evaluate_tasks(qrels, {**fast, "t3": [["a"]]})
    lost = rankproof.gate(policy(rules["rule"][0]), baseline=old, candidate=never)
    assert lost.status == "UNDECIDED"
    assert "t3" in lost.rulings[0].reason
    assert any("CallsToAll" in warning and "t3" in warning for warning in lost.warnings)


def test_a_missing_query_is_a_warning() -> None:
    short = spans.evaluate(GOLD, {q: c for q, c in chunks(0).items() if q != "q5"}, "SpanRecall@1", name="short")
    verdict = rankproof.gate(
        policy(NO_LOSS), baseline=spans.evaluate(GOLD, chunks(30), "SpanRecall@1", name="old"), candidate=short
    )
    assert any("lacks 1 of 30" in warning and "q5" in warning for warning in verdict.warnings)


def test_kept_reports_are_gated_and_their_manifest_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    qrels = {query: {"a": 1, "b": 0} for query in QUERIES}
    runs = {
        "old": {query: {"b": 2.0, "a": 1.0} for query in QUERIES},
        "new": {query: {"a": 2.0, "b": 1.0} for query in QUERIES},
    }
    for name, run in runs.items():
        evaluation = replace(rankproof.evaluate(qrels, run, "RR@10 P@1"), run_name=name)
        write_report(f"{name}.json", report_of(evaluation))
    rules = policy({"rule": "least_gain", "measure": "mrr@10", "at_least": 0.1}, policy={"saved": True})
    verdict = rankproof.gate(rules, baseline="old.json", candidate="new.json")
    assert (verdict.status, verdict.rulings[0].measure) == ("PASS", "RR@10")
    manifest = ExperimentManifest.from_dict({**verdict.manifest, "observed": {"time": "2026-01-01T00:00:00Z"}})
    assert verify(manifest).verified
    (tmp_path / "new.json").write_text((tmp_path / "old.json").read_text())
    assert {"input_changed", "value_differs"} <= {d.problem for d in verify(manifest).discrepancies}


def test_evaluations_in_memory_have_a_manifest_that_says_they_never_were_files() -> None:
    verdict = rankproof.gate(policy(NO_LOSS), baseline=OLD, candidate=NEW)
    manifest = ExperimentManifest.from_dict({**verdict.manifest, "observed": {"time": "2026-01-01T00:00:00Z"}})
    assert [d.problem for d in verify(manifest).discrepancies] == ["input_missing", "input_missing"]


def test_scores_and_kept_reports_at_once_are_refused() -> None:
    with raises(UsageError, "[scores]", "saved"):
        rankproof.gate(policy(NO_LOSS, scores={}, policy={"saved": True}), candidate="a.json")
