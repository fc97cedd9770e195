"""Values by unit: the table itself, and that comparisons and plans take one from anywhere."""

import numpy as np
import pytest

from rankproof.measuring.evaluate import evaluate
from rankproof.proving.compare import compare_evaluations, compare_values
from rankproof.proving.per_unit import PerUnit, from_evaluations, logarithms
from rankproof.proving.plan_power import Sizing, plan_values
from rankproof.proving.records import Design

TASKS = ("t1", "t2", "t3", "t4")
TABLE = PerUnit(
    "success", "higher", "mean", TASKS, np.array([[0.1, 0.3], [0.2, 0.3], [0.5, 0.5], [0.4, 0.9]]), unit="task"
)


def test_a_part_of_a_table_keeps_the_rest_of_it() -> None:
    part = TABLE.select({"t4", "t1", "other"})
    assert part.unit_ids == ("t1", "t4")
    assert part.values.tolist() == [[0.1, 0.3], [0.4, 0.9]]
    assert (part.measure, part.better, part.unit) == ("success", "higher", "task")


def test_differences_by_rounding_alone_are_0() -> None:
    table = PerUnit("m", "higher", "mean", ("a", "b"), np.array([[0.3, 0.1 + 0.2], [0.0, 1.0]]))
    assert table.differences(0, 1).tolist() == [0.0, 1.0]


def test_a_mean_of_logarithms_is_told_on_the_measures_own_scale() -> None:
    table = PerUnit("m", "higher", "geometric", ("a", "b"), logarithms(np.array([[1.0], [4.0]])), "natural logarithms")
    assert table.mean(0) == pytest.approx(2.0)
    assert np.isnan(table.select(()).mean(0))


def test_a_comparison_asks_nothing_of_where_values_came_from() -> None:
    comparison = compare_values(("old", "new"), [TABLE], Design())
    contrast = comparison.contrast("success")
    assert contrast.difference.value == pytest.approx(0.2)
    assert (contrast.wins, contrast.ties, contrast.losses) == (3, 1, 0)
    assert comparison.evaluations == ()
    assert comparison.query_ids == TASKS


def test_segments_of_units() -> None:
    columns = {"t1": {"kind": "short"}, "t2": {"kind": "short"}, "t3": {"kind": "long"}}
    comparison = compare_values(("old", "new"), [TABLE], Design(), queries=columns, by=("kind",))
    assert comparison.segments == {"kind=short": ("t1", "t2"), "kind=long": ("t3",)}
    assert len(comparison.fine_print) == 1  # t4 is in no segment


def test_evaluations_and_their_values_give_the_same_contrasts() -> None:
    qrels = {f"q{i}": {"a": 1} for i in range(6)}
    runs = [{q: {"a": 1.0, "b": float(2 * (i % k == 0))} for i, q in enumerate(qrels)} for k in (2, 3)]
    evaluations = [evaluate(qrels, run, "RR", name=name) for run, name in zip(runs, ("old", "new"), strict=True)]
    by_evaluations = compare_evaluations(evaluations).contrast("RR")
    by_values = compare_values(("old", "new"), [from_evaluations(evaluations, "RR")]).contrast("RR")
    assert by_values.difference == by_evaluations.difference
    assert by_values.by_query.tolist() == by_evaluations.by_query.tolist()


def test_a_plan_from_values_by_unit() -> None:
    sizing = plan_values(("old", "new"), [TABLE], difference=0.1).sizings["success"]
    assert isinstance(sizing, Sizing)
    assert sizing.observed == pytest.approx(0.2)
    assert sizing.spread.sd == pytest.approx(np.std([0.2, 0.1, 0.0, 0.5], ddof=1))
