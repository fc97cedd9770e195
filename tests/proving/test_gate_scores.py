"""A gate on tables of scores: each rule, directions, missing values, repetitions, segments, ledger, manifest."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.manifest import ExperimentManifest
from rankproof.proving.policy import read_policy
from rankproof.proving.verdict import Verdict
from rankproof.proving.verify import verify

Table = dict[str, dict[str, Any]]
UNITS = [f"u{i}" for i in range(40)]
RNG = np.random.default_rng(11)
HARD = RNG.random(40) * 0.4
NOISE = RNG.random(40) * 0.1


def table(shift: float = 0.0, cheaper: float = 0.0, noise: float = 1.0) -> Table:
    """40 units: a quality in 0 to 1, and a cost of which less is better."""
    return {
        unit: {
            "quality": float(HARD[i] + shift + noise * NOISE[i] * (i % 3)),
            "cost": float(100 + i - cheaper - noise * NOISE[i]),
        }
        for i, unit in enumerate(UNITS)
    }


OLD, BETTER, WORSE = table(noise=0), table(0.3, 20), table(-0.2, -20)
CHOICES: dict[str, Any] = {"lower": ["cost"], "range": {"quality": [-1, 2]}}


def decide(rules: list[dict[str, Any]], candidate: Any = BETTER, baseline: Any = OLD, **choices: Any) -> Verdict:
    policy = {"scores": {**CHOICES, **choices}, "rule": rules}
    return rankproof.gate(policy, baseline=baseline, candidate=candidate)


def rule(name: str, measure: str = "quality", **values: Any) -> dict[str, Any]:
    return {"rule": name, "measure": measure, **values}


@pytest.mark.parametrize(
    ("asked", "better", "worse"),
    [
        (rule("no_regression", margin=0.05), "PASS", "FAIL"),
        (rule("no_regression", "cost", margin=5), "PASS", "FAIL"),
        (rule("least_gain", at_least=0.1), "PASS", "FAIL"),
        (rule("least_gain", "cost", at_least=10), "PASS", "FAIL"),
        (rule("no_query_loses_more", than=0.1), "PASS", "FAIL"),
        (rule("no_query_loses_more", "cost", than=5), "PASS", "FAIL"),
        (rule("protected", queries=["u1", "u2"]), "PASS", "FAIL"),
        (rule("least_value", at_least=0.1, basis="point"), "PASS", "FAIL"),
        (rule("least_value", "cost", at_most=110, basis="point"), "PASS", "FAIL"),
    ],
)
def test_each_rule_on_values_follows_the_better_side(asked: dict[str, Any], better: str, worse: str) -> None:
    assert decide([asked]).status == better
    assert decide([asked], WORSE).status == worse


def test_the_bounds_are_those_of_compare_scores() -> None:
    """Student's t on the same differences: a two-sided 90% interval has the one-sided 95% bounds."""
    verdict = decide([rule("least_gain", at_least=0.1)])
    by_comparison = rankproof.compare_scores(
        OLD, BETTER, "quality", ranges={"quality": (-1, 2)}, confidence=0.9, significance="t"
    )
    estimate = by_comparison.contrast("quality").difference
    by_t = rankproof.gate(
        {"scores": CHOICES, "policy": {"significance": "t"}, "rule": [rule("least_gain", at_least=0.1)]},
        baseline=OLD,
        candidate=BETTER,
    )
    answer = by_t.rulings[0].answer
    assert isinstance(answer, rankproof.Estimate)
    assert isinstance(estimate, rankproof.Estimate)
    assert (answer.low, answer.high) == pytest.approx((estimate.low, estimate.high))
    assert verdict.rulings[0].observed == pytest.approx(estimate.value)


def test_the_comparison_of_the_verdict_is_that_of_the_tables() -> None:
    verdict = decide([rule("least_gain", "cost", at_least=10)])
    assert verdict.comparison is not None
    assert verdict.comparison.contrast("cost").direction == "better"
    assert verdict.evaluation is not None
    assert list(verdict.evaluation) == ["cost"]


def test_a_direction_that_is_not_said_is_the_other_verdict() -> None:
    asked = [rule("no_regression", "cost", margin=5)]
    assert decide(asked, lower=["quality"]).status == "FAIL"


def test_one_system_alone_is_enough_where_no_rule_compares() -> None:
    verdict = rankproof.gate({"scores": CHOICES, "rule": [rule("least_value", at_least=-0.5)]}, candidate=BETTER)
    assert (verdict.status, verdict.baseline) == ("PASS", None)
    with raises(UsageError, "no_regression", "baseline"):
        rankproof.gate({"scores": CHOICES, "rule": [rule("no_regression", margin=0.1)]}, candidate=BETTER)


def test_a_score_of_0_and_1_has_exact_bounds_without_a_range() -> None:
    """59 of 59: the lower bound is 0.05^(1/59) = 0.9505; of 58 it is 0.9497."""
    asked = [rule("least_value", "passed", at_least=0.95)]
    for units, status in ((59, "PASS"), (58, "UNDECIDED")):
        told = rankproof.gate({"scores": {}, "rule": asked}, candidate={f"u{i}": {"passed": 1} for i in range(units)})
        assert told.status == status


# ---- rules that need rankings ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        {"rule": "checks"},
        {"rule": "judged_rate", "at_least": 0.8},
        {"rule": "judge_agreement", "human": "a", "at_least": 0.4},
        {"rule": "judge_bias", "human": "a", "at_most": 0.1},
        {"rule": "rerank_held", "rerank_of": "first.run", "depth": 10},
    ],
)
def test_a_rule_on_rankings_is_refused_when_the_policy_is_read(asked: dict[str, Any]) -> None:
    with raises(UsageError, "rule 1", asked["rule"], "rankings"):
        read_policy({"scores": {}, "rule": [asked]})


def test_every_other_rule_of_the_shelf_was_tried_here() -> None:
    here = {"no_regression", "least_gain", "no_query_loses_more", "protected", "least_value", "abstention", "latency"}
    refused = {"checks", "judged_rate", "judge_agreement", "judge_bias", "rerank_held"}
    assert set(shelf.offered("rules")) == here | refused


def test_latencies_need_no_table(tmp_path: Path) -> None:
    (tmp_path / "l.tsv").write_text("".join(f"u{i}\t20\n" for i in range(80)))
    policy = {
        "scores": {},
        "policy": {"latency": str(tmp_path / "l.tsv")},
        "rule": [{"rule": "latency", "percentile": 95, "budget_ms": 50}],
    }
    assert rankproof.gate(policy).status == "PASS"


# ---- names ----------------------------------------------------------------------------------------


def test_a_column_that_is_not_there_is_refused_with_those_that_are() -> None:
    with raises(UnknownName, "'qualty'", "'quality'"):
        decide([rule("no_regression", "qualty", margin=0.1)])
    with raises(UnknownName, "'price'", "cost, quality"):
        decide([rule("no_regression", "price", margin=0.1)])


@pytest.mark.parametrize("key", ["lower", "range"])
def test_a_direction_or_range_of_no_column_is_refused(key: str) -> None:
    choices = {"lower": ["cots"]} if key == "lower" else {"range": {"cots": [0, 1]}}
    with raises(UnknownName, key, "'cots'", "'cost'"):
        decide([rule("no_regression", margin=0.1)], **choices)


def test_a_column_that_is_named_as_a_measure_is_taken_as_it_is() -> None:
    """Recall@10 is a measure from 0 to 1; this column of that name is a percentage."""
    old = {unit: {"Recall@10": 50.0 + i} for i, unit in enumerate(UNITS)}
    new = {unit: {"Recall@10": row["Recall@10"] + 5 + NOISE[i]} for i, (unit, row) in enumerate(old.items())}
    policy = {"scores": {"range": {"Recall@10": [0, 100]}}, "rule": [rule("least_gain", "Recall@10", at_least=4)]}
    assert rankproof.gate(policy, baseline=old, candidate=new).status == "PASS"


def test_a_target_outside_of_a_range_is_refused_with_the_place() -> None:
    with raises(UsageError, "rule 1", "least_value", "quality"):
        decide([rule("least_value", at_least=3)])
    with raises(UsageError, "rule 1", "at_most"):
        decide([rule("least_value", "cost", at_least=3)])


# ---- missing values, hostile tables ---------------------------------------------------------------


def test_a_unit_that_the_candidate_lacks_counts_as_the_worst_of_the_range() -> None:
    """39 gain 0.3 and more; the missing one falls to -1: it alone loses more than 0.5."""
    lacking = {unit: row for unit, row in BETTER.items() if unit != "u7"}
    verdict = decide([rule("no_query_loses_more", than=0.5)], lacking)
    assert verdict.status == "FAIL"
    assert verdict.rulings[0].payers[0].query_id == "u7"
    assert any("new" in warning or "lacks 1 of 40 units (u7)" in warning for warning in verdict.warnings)


@pytest.mark.parametrize("asked", [rule("no_regression", "cost", margin=5), rule("least_value", "cost", at_most=200)])
def test_a_missing_value_without_a_range_is_undecided_and_names_the_unit(asked: dict[str, Any]) -> None:
    lacking = {unit: row for unit, row in BETTER.items() if unit != "u7"}
    verdict = decide([asked], lacking)
    assert verdict.status == "UNDECIDED"
    assert "u7" in verdict.rulings[0].reason


def test_a_dropped_unit_is_a_warning_of_the_verdict() -> None:
    lacking = {unit: row for unit, row in BETTER.items() if unit != "u7"}
    verdict = decide([rule("no_regression", "cost", margin=5)], lacking, missing="drop")
    assert verdict.status == "PASS"
    assert any("left out" in warning and "u7" in warning for warning in verdict.warnings)


@pytest.mark.parametrize(("missing", "status"), [("worst", "FAIL"), ("drop", "PASS")])
def test_an_empty_cell_of_one_system_alone_counts_too(missing: str, status: str) -> None:
    half = {unit: {"passed": 1.0 if i % 2 else math.nan} for i, unit in enumerate(UNITS)}
    policy = {"scores": {"missing": missing}, "rule": [rule("least_value", "passed", at_least=0.8)]}
    verdict = rankproof.gate(policy, candidate=half)
    assert verdict.status == status
    assert any("lacks 20" in line for line in (*verdict.warnings, *verdict.notes))


def test_an_empty_cell_of_one_system_alone_without_a_range_is_undecided() -> None:
    half = {unit: {"cost": 5.0 + i if i else math.nan} for i, unit in enumerate(UNITS)}
    policy = {"scores": {"lower": ["cost"]}, "rule": [rule("least_value", "cost", at_most=100, basis="point")]}
    verdict = rankproof.gate(policy, candidate=half)
    assert (verdict.status, "u0" in verdict.rulings[0].reason) == ("UNDECIDED", True)


def test_a_pass_that_rests_on_units_the_baseline_was_never_asked_is_undecided() -> None:
    """No gain on the 40 common units; on 20 more the baseline has no value, and the worst would stand for it."""
    same = {
        unit: {**row, "quality": row["quality"] + float(NOISE[i]) - 0.05} for i, (unit, row) in enumerate(OLD.items())
    }
    more = same | {f"x{i}": {"quality": 0.5 + i / 100, "cost": 1.0} for i in range(20)}
    asked = [rule("least_gain", at_least=0.1)]
    assert decide(asked, same).status == "FAIL"
    verdict = decide(asked, more)
    assert verdict.status == "UNDECIDED"
    assert "20 units" in verdict.rulings[0].reason
    reported = rankproof.gate(
        {"scores": CHOICES, "policy": {"risks": "report"}, "rule": asked}, baseline=OLD, candidate=more
    )
    assert reported.status == "PASS"
    assert any("20 units" in warning for warning in reported.warnings)


def test_tables_without_a_common_unit_are_refused() -> None:
    other = {f"x{unit}": row for unit, row in BETTER.items()}
    with raises(InputError, "no unit in common"):
        decide([rule("no_regression", margin=0.1)], other)
    with raises(InputError, "no unit in common"):
        rankproof.compare_scores(OLD, other, "quality", ranges={"quality": (-1, 2)})


def test_rows_written_twice_are_refused_unless_repetitions_were_announced() -> None:
    rows = [{"unit": unit, **row} for unit, row in BETTER.items()] * 2
    with raises(InputError, "'u0'", "--repeats"):
        decide([rule("no_regression", margin=0.1)], rows)
    once, twice = (decide([rule("no_regression", margin=0.1)], t, repeats=True) for t in (BETTER, rows))
    assert [r.answer for r in once.rulings] == [r.answer for r in twice.rulings]


def test_the_same_table_twice_is_a_warning_and_no_fact_that_nothing_changed() -> None:
    verdict = decide([rule("no_regression", margin=0.1)], OLD)
    assert any("the same values" in warning for warning in verdict.warnings)
    assert verdict.rulings[0].basis == "interval"


def test_a_column_of_texts_is_refused_with_its_row() -> None:
    texts = {unit: {"quality": "good" if unit == "u3" else 0.5, "cost": 1} for unit in UNITS}
    with raises(InputError, "row 4", "'good'", "quality"):
        decide([rule("least_value", at_least=0.1)], texts, None, range={})


def test_choices_for_rankings_beside_scores_are_refused() -> None:
    policy = {"scores": {}, "rule": [rule("least_value", at_least=0.1)]}
    with raises(UsageError, "qrels"):
        rankproof.gate(policy, candidate=BETTER, qrels={"u0": {"d": 1}})
    with raises(UsageError, "evaluate", "depth"):
        rankproof.gate({**policy, "evaluate": {"depth": 5}}, candidate=BETTER)


# ---- segments, systems in one table, ledger, manifest -----------------------------------------------


def test_segments_and_drawn_units_are_those_of_the_query_file() -> None:
    queries = {unit: {"kind": "ab"[i % 2], "group": str(i // 4)} for i, unit in enumerate(UNITS)}
    half = {
        unit: row if i % 2 else {**row, "quality": HARD[i] - 0.3 - NOISE[i]}
        for i, (unit, row) in enumerate(BETTER.items())
    }
    policy = {"scores": CHOICES, "rule": [rule("no_regression", margin=0.05, segment="kind")]}
    verdict = rankproof.gate(policy, baseline=OLD, candidate=half, queries=queries)
    assert {r.title.rpartition(" ")[2]: r.status for r in verdict.rulings} == {"kind=a": "FAIL", "kind=b": "PASS"}
    clustered = rankproof.gate(
        {"scores": CHOICES, "policy": {"clusters": "group"}, "rule": [rule("no_regression", margin=0.05)]},
        baseline=OLD, candidate=BETTER, queries=queries,
    )  # fmt: skip
    assert any("group" in note for note in clustered.notes)


def test_a_column_tells_the_systems_apart() -> None:
    tables = {"v1": OLD, "v2": WORSE, "v3": BETTER}
    rows = [{"model": m, "unit": u, **row} for m, table_ in tables.items() for u, row in table_.items()]
    asked = [rule("no_regression", margin=0.05)]
    with raises(UsageError, "3 systems", "candidate"):
        decide(asked, rows, None, system="model")
    named = {"system": "model", "baseline": "v1"}
    for candidate, status in (("v2", "FAIL"), ("v3", "PASS")):
        policy = {"scores": {**CHOICES, **named, "candidate": candidate}, "rule": asked}
        verdict = rankproof.gate(policy, candidate=rows)
        assert (verdict.status, verdict.candidate, verdict.baseline) == (status, candidate, "v1")
    with raises(UnknownName, "'v9'"):
        rankproof.gate({"scores": {**CHOICES, **named, "candidate": "v9"}, "rule": asked}, candidate=rows)


def test_a_ledger_counts_attempts_on_the_same_units(tmp_path: Path) -> None:
    policy = {
        "scores": CHOICES,
        "ledger": {"path": str(tmp_path / "tried.jsonl"), "spend_error": True},
        "rule": [rule("least_gain", at_least=0)],
    }
    first = rankproof.gate(policy, baseline=OLD, candidate=BETTER)
    again = rankproof.gate(policy, baseline=OLD, candidate=BETTER)
    other = rankproof.gate(policy, baseline=OLD, candidate=table(0.2, 10))
    numbers = [verdict.ledger.number for verdict in (first, again, other) if verdict.ledger is not None]
    assert numbers == [1, 1, 2]
    assert other.ledger is not None
    assert "attempt 2 on these units" in other.ledger.lines()[0]
    fewer = {unit: row for unit, row in OLD.items() if unit != "u0"}
    elsewhere = rankproof.gate(policy, baseline=fewer, candidate=fewer | {"u1": {"quality": 0.9, "cost": 1.0}})
    assert elsewhere.ledger is not None
    assert (elsewhere.ledger.number, elsewhere.ledger.elsewhere) == (1, 2)


def test_a_manifest_verifies_and_a_changed_table_or_policy_is_told(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for name, rows in (("old", OLD), ("new", BETTER)):
        lines = [f"{unit},{row['quality']!r},{row['cost']!r},x" for unit, row in rows.items()]
        (tmp_path / f"{name}.csv").write_text("\n".join(["qid,quality,cost,note", *lines]) + "\n")
    verdict = decide([rule("no_regression", margin=0.05), rule("least_gain", "cost", at_least=1)], "new.csv", "old.csv")
    kept = {**verdict.manifest, "observed": {"time": "2026-01-01T00:00:00Z"}}
    manifest = ExperimentManifest.from_dict(kept)
    assert manifest.qrels is None
    assert manifest.run_ids == ("old", "new")
    assert verify(manifest).verified
    text = (tmp_path / "new.csv").read_text()
    (tmp_path / "new.csv").write_text(text.replace(",x\n", ",y\n"))
    other_bytes = verify(manifest)
    assert other_bytes.verified
    assert any("other bytes" in note for note in other_bytes.notes)
    (tmp_path / "new.csv").write_text(text.replace("u5,", "u5,9", 1).replace("u5,90.", "u5,1.", 1))
    changed = verify(manifest)
    assert {"input_changed", "value_differs"} <= {d.problem for d in changed.discrepancies}
    assert {d.what for d in changed.discrepancies if d.problem == "input_changed"} == {"run new"}
    kept["parameters"] = {**kept["parameters"], "scores": {**kept["parameters"]["scores"], "lower": []}}
    with raises(InputError, "config_sha256"):
        ExperimentManifest.from_dict(kept)


def test_repetitions_that_failed_are_no_way_to_pass() -> None:
    """Every second answer is wrong, or fails where the candidate would have been wrong."""
    old = [{"unit": unit, "right": r % 2} for unit in UNITS for r in range(4)]
    new = [{"unit": unit, "right": 1 if r % 2 else None} for unit in UNITS for r in range(4)]
    gain, value = rule("least_gain", "right", at_least=0.2), rule("least_value", "right", at_least=0.7)

    def gated(rules: list[dict[str, Any]], candidate: Any, baseline: Any = None) -> Verdict:
        return rankproof.gate({"scores": {"repeats": True}, "rule": rules}, baseline=baseline, candidate=candidate)

    assert [r.status for r in gated([gain, value], new, old).rulings] == ["FAIL", "FAIL"]
    assert gated([value], new).status == "FAIL"
    unbounded = [{**row, "right": row["right"] and 2.5} for row in new]
    assert gated([value], unbounded).status == "UNDECIDED"
