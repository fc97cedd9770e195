"""The evidence of a step: roles, harm within margins, and shares held against all looks together."""

from __future__ import annotations

import pytest
from tests.online.trial.made_up import SUCCESS, day, design, successes

from rankproof.online.ramp.look import of_days, splits_as_planned, units_of
from rankproof.online.ramp.records import RampPolicy, RampStep, SeenFile
from rankproof.online.trial.days import DayCell
from rankproof.online.trial.moments import from_counts

POLICY = RampPolicy("made up", "", "", "", "", (RampStep(0.5), RampStep(0.6)))


def test_without_days_there_is_nothing_to_judge() -> None:
    evidence, verdict = of_days(POLICY, design(), [], [SeenFile("1.json", "", 1)])
    assert (evidence.status, evidence.days, len(evidence.files), verdict) == (None, 0, 1, None)


def test_a_decision_rests_on_the_days_of_its_step_that_came_in_time() -> None:
    assert SeenFile("1.json", "", 1).is_of(1)
    assert not SeenFile("1.json", "", 1).is_of(2)
    assert not SeenFile("1.json", "", 1, late=True).is_of(1)


def test_units_and_days_are_those_of_the_step() -> None:
    asked = design()
    days = [successes(asked, f"2026-03-0{i}", {"old": (300, 1000), "new": (310, 1100)}) for i in (1, 2)]
    assert units_of(days) == {"old": 2000, "new": 2200}
    evidence, _ = of_days(POLICY, asked, days)
    assert (evidence.days, evidence.units, evidence.fewest) == (2, 4200, 2000)
    assert evidence.confidence == POLICY.confidence == pytest.approx(0.976)  # 1 - (0.025 - 0.001)


def test_harm_within_the_margin_is_known_from_harm_beyond_it() -> None:
    """Success falls from 40% to 36%: a tenth, where a fifth is allowed."""
    asked = design({**SUCCESS, "role": "guardrail", "margin": 0.2}, method="sequence(units=20000)")
    evidence, verdict = of_days(
        POLICY, asked, [successes(asked, "2026-03-01", {"old": (8000, 20000), "new": (7200, 20000)})]
    )
    assert verdict is not None
    assert verdict.status == "PASS"
    (guardrail,) = (sign for sign in evidence.signs if sign.role == "guardrail")
    assert (guardrail.status, guardrail.worse, guardrail.tolerates) == ("PASS", True, True)
    (ratio,) = (sign for sign in evidence.signs if sign.role == "sample_ratio")
    assert (ratio.status, ratio.worse) == ("PASS", False)


def test_watched_metrics_have_no_sign() -> None:
    asked = design(SUCCESS, {"ready": "success", "name": "other", "role": "watch"})
    counts = {"old": (300, 1000), "new": (300, 1000)}
    moments = {DayCell(metric, name): from_counts(*counts[name]) for metric in ("success", "other") for name in counts}
    evidence, _ = of_days(POLICY, asked, [day(asked, "2026-03-01", {"old": 1000, "new": 1000}, moments)])
    assert [sign.role for sign in evidence.signs] == ["sample_ratio", "decision"]


@pytest.mark.parametrize(
    ("new", "status", "shown"), [(5000, "PASS", False), (5180, "FAIL", False), (5400, "FAIL", True)]
)
def test_shares_are_held_against_one_look_and_against_all(new: int, status: str, shown: bool) -> None:
    """Of 10,000 units 5,180 are 3.6 standard errors from a half: beyond 0.001 at one look, and not at all of them."""
    asked = design()
    found = successes(asked, "2026-03-01", {"old": (3000, 10_000 - new), "new": (3000, new)})
    assert splits_as_planned(POLICY, asked, [found]) is not shown
    evidence, _ = of_days(POLICY, asked, [found])
    ratio = evidence.signs[0]
    assert (ratio.role, ratio.status, ratio.worse) == ("sample_ratio", status, shown)
