"""Days: they read back, add up where they may, and are refused where they would mislead."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.online.trial.made_up import LATENCY, SUCCESS, design, drawn, successes
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.online.trial.days import Day, DayCell, merged_days, read_day, refuse_days

DESIGN = design(SUCCESS, LATENCY)
ONE = drawn(DESIGN, "2026-11-01", np.random.default_rng(0))
TWO = drawn(DESIGN, "2026-11-02", np.random.default_rng(1))


def test_a_day_reads_back_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "day.json"
    path.write_text(json.dumps({"rankproof": "0.0", **ONE.to_dict()}))
    assert read_day(path) == ONE
    assert read_day(path).to_dict() == ONE.to_dict()


def test_days_add_up_in_any_order() -> None:
    both = ONE + TWO
    assert both.to_dict() == (TWO + ONE).to_dict()
    assert both.dates == ("2026-11-01", "2026-11-02")
    assert both.units == {name: ONE.units[name] + TWO.units[name] for name in ("old", "new")}
    assert both.tallies[DayCell("latency", "old")].n == both.units["old"]
    assert both.label == "2026-11-01 to 2026-11-02"


def test_counts_by_hand() -> None:
    # 3 of 10 and 5 of 10 are 8 of 20: mean 0.4, squared deviations 20 x 0.4 x 0.6 = 4.8.
    asked = design()
    first = successes(asked, "2026-11-01", {"old": (3, 10), "new": (4, 10)})
    second = successes(asked, "2026-11-02", {"old": (5, 10), "new": (1, 10)})
    found = (first + second).moments[DayCell("success", "old")]
    assert (found.n, found.means[0]) == (20, 0.4)
    assert found.products[0] == pytest.approx(4.8, rel=1e-15)


def test_days_of_different_shares_stay_apart() -> None:
    small = replace(TWO, shares={"old": 0.9, "new": 0.1})
    three = replace(TWO, dates=("2026-11-03",))
    assert [day.dates for day in merged_days([three, small, ONE])] == [("2026-11-01", "2026-11-03"), ("2026-11-02",)]
    with raises(InputError, "2026-11-01", "2026-11-02", "shares", "{'old': 0.9, 'new': 0.1}"):
        ONE + small


def test_what_does_not_belong_is_refused() -> None:
    with raises(UsageError, "day", "rankproof trial collect"):
        refuse_days(DESIGN, [])
    for wrong, values in (
        (replace(TWO, trial="other"), ["2026-11-02", "'other'", "'made up'"]),
        (replace(TWO, unit="session"), ["2026-11-02", "unit", "'session'", "'user'"]),
        (replace(TWO, shares={"old": 0.5, "newer": 0.5}), ["2026-11-02", "'newer'", "old, new"]),
        (replace(TWO, metrics={}), ["2026-11-02", "metric", "'success'"]),
        (replace(TWO, strata=("device",)), ["2026-11-01", "2026-11-02", "strata", "('device',)"]),
        (replace(TWO, dates=("2026-11-01",)), ["2026-11-01", "twice"]),
    ):
        with raises(InputError, *values):
            refuse_days(DESIGN, [ONE, wrong])
    other = design({**SUCCESS, "value": "bought"}, LATENCY)
    with raises(InputError, "2026-11-01", "success", "value", "'success'", "'bought'"):
        refuse_days(other, [ONE])
    # Only what is asked differs, not what was counted: the same days serve.
    refuse_days(design(SUCCESS, {**LATENCY, "margin": 0.5}), [ONE, TWO])
    # The shares changed within a day: two files of one date.
    refuse_days(DESIGN, [ONE, replace(ONE, shares={"old": 0.75, "new": 0.25})])


@pytest.mark.parametrize(
    ("change", "values"),
    [
        ({"schema": "verdict/1"}, ["'verdict/1'", "'day/1'"]),
        ({"dates": []}, ["date"]),
        ({"dates": ["2026-02-30"]}, ["'2026-02-30'", "2026-11-01"]),
        ({"units": {"old": -1, "new": 1}}, ["-1", "count"]),
        ({"units": {"old": 1}}, ["units", "['old']", "['new', 'old']"]),
        ({"shares": {"old": 1.0}}, ["shares", "{'old': 1.0}"]),
        ({"cells": [{"metric": "success"}]}, ["'variant'"]),
    ],
)
def test_a_broken_file_is_told(change: dict[str, object], values: list[str]) -> None:
    with raises(InputError, "day.json", *values):
        Day.from_dict({**ONE.to_dict(), **change}, "day.json")
