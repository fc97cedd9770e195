"""Collecting: rows of users become days of sufficient statistics, and what is left out is counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.online.trial.made_up import HALVES
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.online.trial.collect import collect_days
from rankproof.online.trial.days import TWO_VARIANTS, Day, DayCell
from rankproof.online.trial.design import read_design
from rankproof.online.trial.moments import Moments, Tally, moments_of
from rankproof.online.trial.records import TrialDesign
from rankproof.online.trial.unit_columns import rounded

METRICS: list[dict[str, Any]] = [
    {"ready": "clicks_per_search", "covariate": "before"},
    {"ready": "success"},
    {"ready": "latency"},
    {"name": "best", "value": "clicks", "each": "max"},
]
EVENTS = """\
user_id,variant,day,clicks,searches,success,latency,before,device
u1,old,2026-11-01,1,1,0,100,4,phone
u1,old,2026-11-01,3,1,1,300,4,phone
u2,new,2026-11-01,0,1,0,123.456,,desk
u3,old,2026-11-01,2,1,yes,50,1,phone
u3,new,2026-11-01,2,1,1,50,1,phone
u4,other,2026-11-01,2,1,1,50,1,phone
,old,2026-11-01,2,1,1,50,1,phone
u5,,2026-11-01,2,1,1,50,1,phone
u6,new,2026-11-01,5,2,,,2,desk
u1,old,2026-11-02,7,1,1,10,4,phone
"""


def design_of(columns: dict[str, Any] | None = None, **trial: Any) -> TrialDesign:
    head = {"name": "t", "control": "old", "shares": HALVES, **trial}
    return read_design({"trial": head, "columns": {"day": "day", **(columns or {})}, "metric": METRICS})


def collected(folder: Path, design: TrialDesign, text: str = EVENTS, **how: Any) -> dict[str, Day]:
    path = folder / "rows.csv"
    path.write_text(text)
    return collect_days(design, [str(path)], **how)


def test_by_hand(tmp_path: Path) -> None:
    days = collected(tmp_path, design_of())
    assert list(days) == ["2026-11-01"]  # u1 entered then: its row of the next day does not count
    day = days["2026-11-01"]
    assert day.units == {"old": 1, "new": 2}  # u1; u2 and u6
    assert day.rows == 9
    assert day.dropped == {
        TWO_VARIANTS: 1,
        "rows of variants without a planned share": 1,
        "rows without a unit": 1,
        "rows without a variant": 1,
        "units without success": 1,
        "units without latency": 1,
    }
    # u1 clicked 4 times in 2 searches; before, 4. u2 has nothing before, which is 0.
    assert day.moments[DayCell("clicks_per_search", "old")] == moments_of([4.0], [2.0], [4.0])
    assert day.moments[DayCell("clicks_per_search", "new")] == moments_of([0.0, 5.0], [1.0, 2.0], [0.0, 2.0])
    assert day.moments[DayCell("success", "old")] == moments_of([1.0])
    assert day.moments[DayCell("best", "old")] == moments_of([3.0])
    assert day.tallies == {
        DayCell("latency", "old"): Tally((200.0,), (1,)),  # the mean of 100 and 300
        DayCell("latency", "new"): Tally((123.0,), (1,)),  # three digits
    }
    json.dumps(day.to_dict(), allow_nan=False)


def test_rows_can_be_what_is_divided_by(tmp_path: Path) -> None:
    metric = {"ready": "clicks_per_search", "denominator": "*"}
    design = read_design({"trial": {"control": "old", "shares": HALVES}, "columns": {"day": "day"}, "metric": [metric]})
    day = collected(tmp_path, design)["2026-11-01"]
    assert day.moments[DayCell("clicks_per_search", "old")] == moments_of([4.0], [2.0])
    assert day.moments[DayCell("clicks_per_search", "new")] == moments_of([0.0, 5.0], [1.0, 1.0])


def test_strata_and_segments(tmp_path: Path) -> None:
    day = collected(tmp_path, design_of({"strata": ["device"], "segments": ["device"]}))["2026-11-01"]
    cell = DayCell("success", "new", "device=desk")
    assert day.moments[cell] == moments_of([0.0])
    assert day.moments[cell._replace(segment="device=desk")] == moments_of([0.0])
    assert {found.segment for found in day.moments} == {"", "device=desk", "device=phone"}


def test_units_count_on_the_day_they_entered(tmp_path: Path) -> None:
    rows = EVENTS.replace(",device\n", ",entered\n").replace(",phone\n", ",2026-11-01T08:00:00Z\n")
    rows = rows.replace(",desk\n", ",2026-11-01\n")
    days = collected(tmp_path, design_of({"entered": "entered"}), rows)
    assert list(days) == ["2026-11-01"]
    assert days["2026-11-01"].units == {"old": 1, "new": 2}


def test_many_units_are_written_out_and_come_back_whole(tmp_path: Path) -> None:
    """A hundred units at a time in memory, 3,000 in the rows, several rows each, in no order."""
    rng = np.random.default_rng(0)
    lines = ["user_id,variant,day,clicks,searches,success,latency,before,device"]
    for unit in rng.integers(0, 3_000, 12_000).tolist():
        variant = "new" if unit % 2 else "old"
        if unit % 500 == 0 and rng.random() < 0.5:
            variant = "new"
        lines.append(
            f"u{unit},{variant},2026-11-0{1 + unit % 3},{rng.integers(0, 5)},1,{unit % 2},{1 + unit % 9},{unit % 7},"
        )
    text = "\n".join(lines) + "\n"
    whole, parts = (collected(tmp_path, design_of(), text, most_units=most) for most in (10**6, 100))
    for date, day in whole.items():
        other = parts[date]
        assert (day.units, day.dropped, day.rows, day.tallies) == (
            other.units,
            other.dropped,
            other.rows,
            other.tallies,
        )
        assert day.moments.keys() == other.moments.keys()
        for cell, found in day.moments.items():
            near(found, other.moments[cell])
    assert sum(day.dropped.get(TWO_VARIANTS, 0) for day in whole.values()) > 0


def near(one: Moments, other: Moments) -> None:
    assert one.n == other.n
    assert one.means == pytest.approx(other.means, rel=1e-12)
    assert one.products == pytest.approx(other.products, rel=1e-9, abs=1e-9)


def test_what_is_wrong_is_told_with_its_place(tmp_path: Path) -> None:
    design = design_of()
    with raises(InputError, "rows.csv", "line 3", "clicks", "'many'"):
        collected(tmp_path, design, EVENTS.replace("old,2026-11-01,3,", "old,2026-11-01,many,"))
    with raises(InputError, "rows.csv", "line 2", "day", "2026-11-01", "'yesterday'"):
        collected(tmp_path, design, EVENTS.replace("u1,old,2026-11-01,1", "u1,old,yesterday,1"))
    with raises(InputError, "rows.csv", "line 2", "day", "2026-11-01", "'2026-11-31'"):
        collected(tmp_path, design, EVENTS.replace("u1,old,2026-11-01,1", "u1,old,2026-11-31,1"))
    with raises(InputError, "rows.csv", "'searches'", "'search'"):
        collected(tmp_path, design, EVENTS.replace("searches", "search"))
    with raises(InputError, "rows.csv", "8", "old, new"):
        collected(tmp_path, design, EVENTS.replace("old", "a").replace("new", "b"))
    with raises(UsageError, "'day'", "--day"):
        collected(tmp_path, design, day="2026-11-01")
    plain = read_design({"trial": {"control": "old", "shares": HALVES}, "metric": METRICS})
    with raises(UsageError, "--day 2026-11-01", "[columns]"):
        collected(tmp_path, plain)
    with raises(UsageError, "2026-11-01", "'1.11.'"):
        collected(tmp_path, plain, day="1.11.")
    with raises(UsageError, "'newer'", "old, new"):
        collected(tmp_path, design, shares={"old": 0.5, "newer": 0.5})
    many = "user_id,variant,day,clicks,searches,success,latency,before,query\n"
    many += "".join(f"u{i},old,2026-11-01,1,1,1,1,1,query {i}\n" for i in range(201))
    with raises(InputError, "rows.csv", "'query'", "200"):
        collected(tmp_path, design_of({"segments": ["query"]}), many)


def test_a_day_named_by_hand_takes_all_rows(tmp_path: Path) -> None:
    plain = read_design({"trial": {"control": "old", "shares": HALVES}, "metric": METRICS})
    shares = {"old": 0.9, "new": 0.1}
    (day,) = collected(tmp_path, plain, day="2026-11-05", shares=shares).values()
    assert (day.dates, day.rows, dict(day.shares)) == (("2026-11-05",), 10, shares)


def test_rounding_keeps_the_digits() -> None:
    values = np.array([999.96, 1000.4, 0.00123456, 5e15, -7.0])
    assert rounded(values, 4).tolist() == [1000.0, 1000.0, 0.001235, 5e15, -7.0]
    assert np.isfinite(rounded(np.array([5e-324, 1.7e308]), 15)).all()


def test_json_lines_with_words_and_missing_values(tmp_path: Path) -> None:
    rows = [
        {"user_id": 1, "variant": "old", "day": "2026-11-01T09:30:00", "success": True},
        {"user_id": 1, "variant": "old", "day": "2026-11-01T10:00:00", "success": False},
        {"user_id": 2, "variant": "new", "day": "2026-11-01", "success": None},
        {"user_id": 3, "variant": "new", "day": "2026-11-01", "success": False},
    ]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    design = read_design(
        {"trial": {"control": "old", "shares": HALVES}, "columns": {"day": "day"}, "metric": [{"ready": "success"}]}
    )
    (day,) = collect_days(design, [str(path)]).values()
    assert (day.units, day.dropped) == ({"old": 1, "new": 2}, {"units without success": 1})
    assert day.moments == {DayCell("success", "old"): moments_of([1.0]), DayCell("success", "new"): moments_of([0.0])}
