"""Any scores compared by unit: forms of tables, repetitions, missing values, costs, ranges; what is refused."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.score_tables import compare_scores
from rankproof.reading.score_tables import read_score_table, split_by_column

RNG = np.random.default_rng(7)
OLD = {f"t{i}": float(v) for i, v in enumerate(RNG.random(40))}
NEW = {unit: min(1.0, value + float(RNG.random()) * 0.2) for unit, value in OLD.items()}


def _csv(path: Path, values: dict[str, float], header: str = "task_id,score") -> str:
    path.write_text("\n".join([header, *(f"{unit},{value!r}" for unit, value in values.items())]) + "\n")
    return str(path)


def test_every_form_of_a_table_gives_the_same_answer(tmp_path: Path) -> None:
    expected = compare_scores(OLD, NEW).contrast("score")
    assert expected.direction == "better"
    (tmp_path / "new.jsonl").write_text("".join(json.dumps({"id": u, "score": v}) + "\n" for u, v in NEW.items()))
    (tmp_path / "new.json").write_text(json.dumps([{"qid": u, "score": v, "note": "x"} for u, v in NEW.items()]))
    (tmp_path / "new.tsv").write_text("id\tscore\n" + "".join(f"{u}\t{v!r}\n" for u, v in NEW.items()))
    forms: list[object] = [
        _csv(tmp_path / "new.csv", NEW),
        str(tmp_path / "new.jsonl"),
        str(tmp_path / "new.json"),
        str(tmp_path / "new.tsv"),
        {unit: {"score": value} for unit, value in NEW.items()},
        [{"unit": unit, "score": value} for unit, value in NEW.items()],
        dict(reversed(NEW.items())),
    ]
    for form in forms:
        contrast = compare_scores(OLD, form).contrast("score")
        assert contrast.difference == expected.difference
        assert contrast.query_ids == expected.query_ids


def test_data_frames_are_tables() -> None:
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    pyarrow = pytest.importorskip("pyarrow")
    expected = compare_scores(OLD, NEW).contrast("score").difference
    plain = {"task_id": list(NEW), "score": list(NEW.values())}
    indexed = pandas.DataFrame(plain).set_index("task_id")
    for frame in (pandas.DataFrame(plain), indexed, polars.DataFrame(plain), pyarrow.table(plain)):
        assert compare_scores(OLD, frame).contrast("score").difference == expected


def test_ids_that_one_tool_wrote_as_a_float_are_the_same_units() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": [1.0, 2.0, 3.0], "score": [0.5, 0.2, 0.9]})
    assert read_score_table(frame).unit_ids == ("1", "2", "3")


def test_a_cost_is_better_when_it_is_lower() -> None:
    contrast = compare_scores(OLD, NEW, lower_is_better="score").contrast("score")
    assert contrast.direction == "worse"
    assert contrast.wins == 0


def test_the_first_score_is_the_primary_one() -> None:
    rows = [{"unit": unit, "b": value, "a": value} for unit, value in OLD.items()]
    better = [{"unit": unit, "b": value, "a": value} for unit, value in NEW.items()]
    comparison = compare_scores(rows, better, ["a", "b"])
    assert comparison.measures == ("a", "b")
    assert comparison.family.primary == "a"


# ---- repetitions ----------------------------------------------------------------------------------


def test_a_doubled_file_is_refused_and_not_taken_for_twice_the_data(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    _csv(path, OLD)
    path.write_text(path.read_text() + path.read_text().split("\n", 1)[1])
    with raises(InputError, "twice.csv", "t0", "--repeats"):
        compare_scores(OLD, str(path))


def test_copies_taken_for_repetitions_change_neither_interval_nor_verdict() -> None:
    def copied(values: dict[str, float]) -> list[dict[str, Any]]:
        return [{"unit": unit, "score": value} for unit, value in values.items() for _ in range(5)]

    once, five = compare_scores(OLD, NEW), compare_scores(copied(OLD), copied(NEW), repeats=True)
    one, other = once.contrast("score").difference, five.contrast("score").difference
    assert isinstance(one, Estimate)
    assert isinstance(other, Estimate)
    assert (other.low, other.high, other.p_value) == pytest.approx((one.low, one.high, one.p_value), abs=1e-12)
    assert any("do not vary" in line for line in five.fine_print)


@needs_shared_data
def test_dl20_with_each_query_cloned_five_times_is_decided_as_without() -> None:
    """A test that took the copies for queries would find an interval some 2.2 times narrower."""
    folder = SHARED / "dl20"
    runs = sorted((folder / "runs").iterdir())[:2]
    values = [rankproof.evaluate(folder / "qrels.trec", run, "nDCG@10")["nDCG@10"].by_query for run in runs]
    one = compare_scores(values[0], values[1], ranges={"score": (0, 1)}).contrast("score")
    rows = [[{"unit": q, "score": v} for _ in range(5) for q, v in by_query.items()] for by_query in values]
    five = compare_scores(rows[0], rows[1], repeats=True, ranges={"score": (0, 1)}).contrast("score")
    assert isinstance(one.difference, Estimate)
    assert isinstance(five.difference, Estimate)
    assert five.direction == one.direction
    assert (five.difference.low, five.difference.high) == pytest.approx((one.difference.low, one.difference.high))


def asked_four_times(*values: float | None) -> list[dict[str, object]]:
    return [{"id": f"q{i}", "pass": value} for i in range(12) for value in values]


def test_repetitions_that_failed_count_as_the_worst_and_do_not_flatter() -> None:
    even, failing = asked_four_times(1, 0, 1, 0), asked_four_times(1, None, 1, None)
    found = rankproof.compare_scores(even, failing, "pass", repeats=True)
    assert found.contrast("pass").candidate_mean == 0.5
    assert any(
        "a repetition without a value counts as the worst, 0.0000: candidate, 12 units" in n for n in found.fine_print
    )
    dropped = rankproof.compare_scores(even, failing, "pass", repeats=True, missing="drop")
    assert dropped.contrast("pass").candidate_mean == 1.0
    assert any("repetitions without a value are left out, which can favor a system" in w for w in dropped.warnings)


def test_a_unit_with_failed_repetitions_has_no_value_where_the_score_has_no_worst_one() -> None:
    even, failing = asked_four_times(1.5, 0.5, 1.5, 0.5), asked_four_times(1.5, None, 1.5, None)
    difference = rankproof.compare_scores(even, failing, "pass", repeats=True).contrast("pass").difference
    assert isinstance(difference, NotEstimable)
    assert "no worst value" in difference.reason


def test_repetitions_that_were_left_out_are_told() -> None:
    even = asked_four_times(1, 0, 1, 0)
    left_out = [row for i, row in enumerate(even) if row["pass"] == 1 or i < 8]
    found = rankproof.compare_scores(even, left_out, "pass", repeats=True)
    assert any("candidate has 4 repetitions of some units and fewer of others (q2," in w for w in found.warnings)
    fewer = [row for i, row in enumerate(even) if i % 4 < 2]
    assert not any("fewer of others" in w for w in rankproof.compare_scores(even, fewer, "pass", repeats=True).warnings)


def test_the_share_of_repetitions_in_the_variance_of_a_difference_is_told() -> None:
    """Units differ much in level, which cancels: of the difference, 1 is between units and 1/2 + 1/2 repetitions."""
    rng = np.random.default_rng(0)
    level, gain = rng.normal(0, 5, size=600), rng.normal(size=600)

    def asked(mean: Any) -> list[dict[str, Any]]:
        return [{"unit": f"u{i}", "score": float(x + rng.normal())} for i, x in enumerate(mean) for _ in range(2)]

    comparison = compare_scores(asked(level), asked(level + gain), repeats=True, names=["old", "new"])
    (line,) = (line for line in comparison.fine_print if "between repetitions" in line)
    share, narrower = (int(number) for number in re.findall(r"(\d+)%", line)[:2])
    assert 44 <= share <= 56
    assert narrower == pytest.approx(100 * (1 - math.sqrt(0.75)), abs=2)
    assert sum("2 values a unit" in line for line in comparison.fine_print) == 2


def test_twice_as_many_repetitions_narrow_the_interval_as_much_as_was_said() -> None:
    rng = np.random.default_rng(1)
    gain = rng.normal(size=4000)

    def width(repeats: int) -> tuple[float, list[str]]:
        old, new = (
            [
                {"unit": f"u{i}", "score": float(x + rng.normal(0, 2))}
                for i, x in enumerate(mean)
                for _ in range(repeats)
            ]
            for mean in (np.zeros(4000), gain)
        )
        comparison = compare_scores(old, new, repeats=True)
        answer = comparison.contrast("score").difference
        assert isinstance(answer, Estimate)
        return answer.high - answer.low, list(comparison.fine_print)

    (before, told), (after, _) = width(4), width(8)
    (line,) = (line for line in told if "between repetitions" in line)
    promised = int(re.findall(r"(\d+)%", line)[1])
    assert 100 * (1 - after / before) == pytest.approx(promised, abs=3)


# ---- missing values -------------------------------------------------------------------------------


def test_a_candidate_without_values_for_its_failures_is_not_better_over_the_rest() -> None:
    """Tasks that time out leave an empty cell: dropping them would reward the system that fails most."""
    old = {f"t{i}": 1.0 if i % 2 else 0.0 for i in range(40)}
    new: dict[str, float | None] = dict.fromkeys(old, 1.0)
    for i in range(0, 40, 2):
        new[f"t{i}"] = None
    told = compare_scores(old, new, names=["old", "new"])
    assert told.contrast("score").direction == "not shown"
    assert any("new lacks 20" in line for line in told.fine_print)
    dropped = compare_scores(old, new, missing="drop")
    assert len(dropped.contrast("score").query_ids) == 20
    assert any("left out" in warning for warning in dropped.warnings)


def test_without_a_range_nothing_can_stand_for_a_missing_value() -> None:
    new: dict[str, float | None] = {**NEW, "t3": None}
    answer = compare_scores(OLD, new).contrast("score").difference
    assert isinstance(answer, NotEstimable)
    assert "t3" in answer.reason
    known = compare_scores(OLD, new, ranges={"score": (0, 1)}).contrast("score")
    assert isinstance(known.difference, Estimate)
    assert known.by_query[known.query_ids.index("t3")] == pytest.approx(-OLD["t3"])


def test_units_that_only_one_table_has_are_missing_too() -> None:
    fewer = {unit: value for unit, value in NEW.items() if unit != "t5"}
    assert isinstance(compare_scores(OLD, fewer).contrast("score").difference, NotEstimable)


def test_units_that_nobody_has_a_value_for_are_left_out_and_told() -> None:
    comparison = compare_scores({**OLD, "t0": None}, {**NEW, "t0": math.nan})
    assert "t0" not in comparison.contrast("score").query_ids
    assert any("no system has a value" in line and "t0" in line for line in comparison.fine_print)


# ---- binary scores and ranges ---------------------------------------------------------------------


def test_a_binary_score_has_bounds_that_hold_for_few_changes() -> None:
    old = {f"t{i}": i % 3 == 0 for i in range(30)}
    new = {**old, "t1": True, "t2": True}
    contrast = compare_scores(old, new).contrast("score")
    assert isinstance(contrast.difference, Estimate)
    assert contrast.difference.method == "mcnemar"
    assert any("every value is 0 or 1" in note for note in contrast.difference.notes)
    assert contrast.direction == "not shown"


def test_words_for_true_and_false_are_taken(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("id,ok\na,TRUE\nb,false\nc,\n")
    assert read_score_table(str(path)).values["ok"].tolist()[:2] == [1.0, 0.0]


# ---- what is refused ------------------------------------------------------------------------------

ROWS = [{"unit": "a", "score": 1.0, "word": "x"}, {"unit": "b", "score": 0.0, "word": "y"}]
REFUSED: list[tuple[str, type[Exception], object, dict[str, Any], tuple[str, ...]]] = [
    ("text in a score", InputError, ROWS, {"scores": "word"}, ("word", "x", "row 1")),
    ("infinity", InputError, [{"unit": "a", "score": "inf"}], {"scores": "score"}, ("score", "inf")),
    ("a number with underscores", InputError, [{"unit": "a", "score": "1_000"}], {"scores": "score"}, ("1_000",)),
    ("an unknown score", UnknownName, ROWS, {"scores": "scoer"}, ("scoer", "score")),
    ("an unknown unit", UnknownName, ROWS, {"unit": "uint"}, ("uint", "unit")),
    ("no unit column", InputError, [{"x": "a", "score": 1.0}], {}, ("x", "--unit")),
    ("an empty unit", InputError, [{"unit": "", "score": 1.0}], {}, ("row 1", "unit")),
    ("a unit that is NaN", InputError, [{"unit": math.nan, "score": 1.0}], {}, ("row 1", "unit")),
    ("no rows", InputError, {}, {}, ("no rows",)),
    ("no numbers", InputError, [{"unit": "a", "word": "x"}], {}, ("unit", "word")),
    ("something else", UsageError, 5, {}, ("int",)),
    ("a range the wrong way", UsageError, ROWS, {"scores": "score", "ranges": {"score": (1, 0)}}, ("score", "1", "0")),
    ("values outside", InputError, [{"unit": "a", "score": 7.0}], {"ranges": {"score": (0, 1)}}, ("score", "7")),
    ("an unknown cost", UnknownName, ROWS, {"lower_is_better": "cost"}, ("cost",)),
    ("an unknown choice", UnknownName, ROWS, {"confidance": 0.9}, ("confidance", "confidence")),
    ("an unknown way with gaps", UsageError, ROWS, {"missing": "zero"}, ("zero", "worst", "drop")),
]


@pytest.mark.parametrize(("what", "error", "table", "given", "parts"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_is_no_table_of_scores_is_refused(
    what: str, error: type[Exception], table: object, given: dict[str, Any], parts: tuple[str, ...]
) -> None:
    with raises(error, *parts):
        compare_scores(table, table, **given)


def test_tables_without_a_common_score_are_refused() -> None:
    with raises(InputError, "old", "new"):
        compare_scores({"a": {"old": 1}}, {"a": {"new": 1}})


def test_a_table_of_several_systems_is_split() -> None:
    rows = [{"system": s, "unit": u, "score": 1.0} for s in ("x", "y") for u in "ab"]
    parts = split_by_column(rows, "system")
    assert list(parts) == ["x", "y"]
    assert compare_scores(parts["x"], parts["y"]).contrast("score").difference.value == 0
    with raises(UnknownName, "sytem", "system"):
        split_by_column(rows, "sytem")


@pytest.mark.parametrize("form", ["table", "markdown", "json", "latex", "html"])
def test_every_report_shows_scores(form: str) -> None:
    from rankproof.kernel import shelf

    text = shelf.find("reports", form).comparison(
        compare_scores(OLD, NEW, names=["old", "new"]), per_query=True, observed={}
    )
    assert "score" in text
    assert form == "latex" or "t17" in text


def test_where_the_range_of_a_score_is_needed_the_warning_says_how_to_say_it() -> None:
    few = {**OLD, "t3": OLD["t3"] + 0.1}
    warned = compare_scores(OLD, few)
    assert any("--range score=0:1" in text for text in warned.warnings)
    said = compare_scores(OLD, few, ranges={"score": (0, 2)})
    assert isinstance(said.contrast("score").difference, Estimate)
    assert not any("--range" in text for text in said.warnings)
