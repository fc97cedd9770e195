"""Days: they read back, add up where they may, and are refused where they would mislead."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.flow.trials.made_up import LATENCY, SUCCESS, design, drawn, successes

from rankproof.errors import InputError, UsageError
from rankproof.flow.trials.days import merged_days, read_day, refuse_days
from rankproof.records.day import Cell, Day

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
    assert both.tallies[Cell("latency", "old")].n == both.units["old"]
    assert both.label == "2026-11-01 to 2026-11-02"


def test_counts_by_hand() -> None:
    # 3 of 10 and 5 of 10 are 8 of 20: mean 0.4, squared deviations 20 x 0.4 x 0.6 = 4.8.
    asked = design()
    first = successes(asked, "2026-11-01", {"old": (3, 10), "new": (4, 10)})
    second = successes(asked, "2026-11-02", {"old": (5, 10), "new": (1, 10)})
    found = (first + second).moments[Cell("success", "old")]
    assert (found.n, found.means[0]) == (20, 0.4)
    assert found.products[0] == pytest.approx(4.8, rel=1e-15)


def test_days_of_different_shares_stay_apart() -> None:
    small = replace(TWO, shares={"old": 0.9, "new": 0.1})
    three = replace(TWO, dates=("2026-11-03",))
    assert [day.dates for day in merged_days([three, small, ONE])] == [("2026-11-01", "2026-11-03"), ("2026-11-02",)]
    with pytest.raises(InputError, match="do not add up: shares is"):
        ONE + small


def test_what_does_not_belong_is_refused() -> None:
    with pytest.raises(UsageError, match="No day came"):
        refuse_days(DESIGN, [])
    for wrong, message in (
        (replace(TWO, trial="other"), "is of the trial 'other'; the design is of 'made up'"),
        (replace(TWO, unit="session"), "collected with unit = 'session'"),
        (replace(TWO, shares={"old": 0.5, "newer": 0.5}), "has the variant 'newer', which the design does not"),
        (replace(TWO, metrics={}), "collected without the metric 'success'"),
        (replace(TWO, strata=("device",)), "do not add up: strata"),
        (replace(TWO, dates=("2026-11-01",)), "2026-11-01 came twice"),
    ):
        with pytest.raises(InputError, match=message):
            refuse_days(DESIGN, [ONE, wrong])
    other = design({**SUCCESS, "value": "bought"}, LATENCY)
    with pytest.raises(InputError, match="success was collected with value = 'success', and the design says 'bought'"):
        refuse_days(other, [ONE])
    # Only what is asked differs, not what was counted: the same days serve.
    refuse_days(design(SUCCESS, {**LATENCY, "margin": 0.5}), [ONE, TWO])
    # The shares changed within a day: two files of one date.
    refuse_days(DESIGN, [ONE, replace(ONE, shares={"old": 0.75, "new": 0.25})])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "verdict/1"}, "is no day of a trial: its schema is 'verdict/1'"),
        ({"dates": []}, "it has no date"),
        ({"dates": ["2026-02-30"]}, "'2026-02-30' is no date"),
        ({"units": {"old": -1, "new": 1}}, "-1 is no count"),
        ({"units": {"old": 1}}, "units are of"),
        ({"shares": {"old": 1.0}}, "shares are numbers between 0 and 1"),
        ({"cells": [{"metric": "success"}]}, "KeyError"),
    ],
)
def test_a_broken_file_is_told(change: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Day.from_dict({**ONE.to_dict(), **change}, "day.json")
