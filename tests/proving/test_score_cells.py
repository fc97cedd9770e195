"""Tables of scores as tools and pandas write them: cells that are missing or no numbers, headers, row numbers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas
import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError

RNG = np.random.default_rng(3)
OLD = pandas.DataFrame({"id": [f"q{i}" for i in range(30)], "acc": RNG.random(30), "cost": RNG.random(30)})
NEW = OLD.assign(acc=OLD.acc + RNG.normal(0.1, 0.1, 30), cost=OLD.cost + RNG.normal(0, 0.1, 30))
RANGES = {"acc": (-1.0, 2.0)}


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_pandas_na_was_no_missing_value(backend: str) -> None:
    new = NEW[["id", "acc"]].convert_dtypes(dtype_backend=backend)
    new.loc[3, "acc"] = pandas.NA
    expected = NEW[["id", "acc"]].copy()
    expected.loc[3, "acc"] = np.nan
    made = rankproof.compare_scores(OLD, new, "acc", ranges=RANGES)
    alike = rankproof.compare_scores(OLD, expected, "acc", ranges=RANGES)
    assert made.contrast("acc").difference == alike.contrast("acc").difference
    assert any("q3" in line and "worst" in line for line in made.fine_print)


def test_a_unit_that_is_na_was_taken_for_a_unit_of_that_name() -> None:
    units = OLD.convert_dtypes()
    units.loc[3, "id"] = pandas.NA
    with raises(InputError, 4, "id"):
        rankproof.compare_scores(units, NEW)
    times = [pandas.NaT, *pandas.date_range("2026-01-01", periods=29)]
    with raises(InputError, 1, "id"):
        rankproof.compare_scores(OLD.assign(id=times), NEW.assign(id=times))


@pytest.mark.parametrize("cell", ["error: timeout", "50%"])
def test_one_cell_that_is_no_number_hid_a_score_in_the_fine_print(cell: str) -> None:
    new = NEW.astype({"acc": object})
    new.loc[2, "acc"] = cell
    made = rankproof.compare_scores(OLD, new)
    assert made.measures == ("cost",)
    assert [line for line in made.warnings if cell in line and "row 3" in line and line.startswith("acc")]
    # The same where it is like that in both tables, so that neither of them has the score.
    assert [line for line in rankproof.compare_scores(new, new).warnings if line.startswith("acc")]
    with raises(InputError, cell, 3, "acc"):
        rankproof.compare_scores(OLD, new, "acc")


def test_texts_beside_scores_are_no_warning() -> None:
    old, new = (table.assign(answer=["yes", "42", "no"] * 10) for table in (OLD, NEW))
    assert not [line for line in rankproof.compare_scores(old, new).warnings if "answer" in line]


@pytest.mark.parametrize("cell", ["50%", '"1,200"', '"0,5"', "pass"])
def test_a_table_without_numbers_did_not_say_what_stands_in_it(cell: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"id,acc\nq1,{cell}\nq2,{cell}\n")
    with raises(InputError, "acc", cell.strip('"'), 1, "a.csv"):
        rankproof.compare_scores(path, path)


def test_numbers_of_rows_that_pandas_writes_were_the_primary_score(tmp_path: Path) -> None:
    for name, table in (("old", OLD), ("new", NEW)):
        table.to_csv(tmp_path / f"{name}.csv")  # with its index, as is the default
    files = [tmp_path / "old.csv", tmp_path / "new.csv"]
    assert rankproof.compare_scores(*files).measures == ("acc", "cost")
    assert rankproof.compare_scores(*map(pandas.read_csv, files)).measures == ("acc", "cost")


def test_two_columns_of_one_name_were_a_traceback_or_the_last_of_them(tmp_path: Path) -> None:
    with raises(InputError, "acc"):
        rankproof.compare_scores(pandas.concat([OLD, OLD[["acc"]]], axis=1), NEW)
    path = tmp_path / "a.csv"
    path.write_text("id,acc,acc\nq1,0.5,0.9\nq2,0.4,0.8\n")
    with raises(InputError, "a.csv", "acc"):
        rankproof.compare_scores(path, path)


@pytest.mark.parametrize("name", ["ID", "Question_ID", " Query_Id "])
def test_the_case_of_the_units_header_mattered(name: str) -> None:
    made = rankproof.compare_scores(OLD.rename(columns={"id": name}), NEW, "acc")
    assert made.contrast("acc").difference == rankproof.compare_scores(OLD, NEW, "acc").contrast("acc").difference


def test_a_text_of_200_000_characters_beside_the_scores_was_a_traceback(tmp_path: Path) -> None:
    for name, table in (("old", OLD), ("new", NEW)):
        table.assign(contexts="x" * 200_000).to_csv(tmp_path / f"{name}.csv", index=False)
    made = rankproof.compare_scores(tmp_path / "old.csv", tmp_path / "new.csv", "acc")
    assert made.contrast("acc").difference == rankproof.compare_scores(OLD, NEW, "acc").contrast("acc").difference


def test_a_mapping_of_numbers_was_refused_with_the_advice_to_give_a_mapping() -> None:
    systems = {"a": {"q1": 0.5, "q2": 0.7}, "b": {"q1": 0.4, "q2": 0.6}}
    with raises(UsageError, 2, "a", "{system: {unit: {score: value}}}"):
        rankproof.leaderboard_scores(systems)


def test_the_ranks_of_two_systems_were_called_exploratory() -> None:
    board = rankproof.leaderboard_scores({"old": OLD, "new": NEW}, "acc")
    assert board.hold_together  # one test: there is nothing to correct for
    assert "exploratory" not in str(board)
    three = rankproof.leaderboard_scores(
        {"old": OLD, "new": NEW, "third": NEW.assign(acc=OLD.cost)}, "acc", correction="none"
    )
    assert not three.hold_together


def test_a_system_that_was_asked_once_hid_its_repetitions_among_the_units() -> None:
    once = [{"id": f"q{i}", "ok": int(RNG.random() < 0.6)} for i in range(30)]
    often = [{"id": f"q{i}", "ok": int(RNG.random() < 0.6)} for i in range(30) for _ in range(4)]
    lines = rankproof.compare_scores(once, often, "ok", names=["old", "new"], repeats=True).fine_print
    assert [line for line in lines if line.startswith("ok, old: asked once")]
    both = rankproof.compare_scores(often, often[::-1], "ok", names=["old", "new"], repeats=True).fine_print
    assert not [line for line in both if "asked once" in line]


def test_a_failed_cell_in_one_dataset_changed_what_ranks_the_systems() -> None:
    rows = [
        {"model": model, "set": name, "id": i, "acc": float(RNG.random()), "lat": float(RNG.random())}
        for model in "ab"
        for name in ("x", "y")
        for i in range(25)
    ]
    rows[3]["acc"] = "error"  # type: ignore[assignment]
    board = rankproof.leaderboard_scores(rows, system="model", dataset="set")
    assert board.measures == ("lat",)
    assert [
        line for line in board.warnings if line.startswith("acc is left out") and "(x)" in line and "'error'" in line
    ]
