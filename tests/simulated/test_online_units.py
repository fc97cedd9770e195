"""False alarms where units come back for 14 days, and of the sample ratio of parts, over all looks together."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from benchmarks.online_parts.looking import allowed
from tests.effort import examples

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.collect import collect_days
from rankproof.online.trial.days import Day
from rankproof.online.trial.decide import judge_variants
from rankproof.online.trial.design import read_design
from rankproof.online.trial.effects import effect_of
from rankproof.online.trial.moments import merged
from rankproof.online.trial.part_ratios import ALARM, part_ratios
from rankproof.online.trial.records import TrialDesign
from rankproof.online.trials.contract import Effect, EffectRequest

pytestmark = pytest.mark.slow

DAYS, USERS = 14, 120


def design(enter: str) -> TrialDesign:
    head = {"name": "t", "control": "old", "shares": {"old": 0.5, "new": 0.5}, "method": "welch", "units": 2}
    window = {"window": DAYS} if enter == "first_day" else {}
    metric = {"name": "clicks", "value": "clicks", "goal": "better", "scale": "absolute"}
    columns = {"day": "day"}
    return read_design({"trial": {**head, "enter": enter, **window}, "columns": columns, "metric": [metric]})


def rows(rng: np.random.Generator) -> Iterator[str]:
    """Users like clicks to a different degree, and come on half of 14 days; variants are alike."""
    yield "user_id,variant,day,clicks"
    liking = rng.gamma(1.0, 2.0, USERS)
    variant = rng.integers(0, 2, USERS)
    for day in range(1, DAYS + 1):
        for user in np.flatnonzero(rng.random(USERS) < 0.5).tolist():
            yield f"u{user},{('old', 'new')[variant[user]]},2026-11-{day:02d},{rng.poisson(liking[user])}"
    # The windows of those who came first are over on this day.
    yield f"late,old,2026-11-{2 * DAYS:02d},0"
    yield f"later,new,2026-11-{2 * DAYS:02d},0"


@pytest.mark.parametrize("enter", ["first_day", "every_day"])
def test_returning_users_raise_no_more_false_alarms_than_promised(tmp_path: Path, enter: str) -> None:
    """At most 5% of trials without an effect show one; where user-days are taken for users, far more do."""
    runs, alarms, naive = examples(60), 0, 0
    asked = design(enter)
    path = tmp_path / "rows.csv"
    for run in range(runs):
        path.write_text("\n".join(rows(np.random.default_rng([7, run]))) + "\n")
        days = [day for date, day in collect_days(asked, [str(path)]).items() if date <= f"2026-11-{DAYS:02d}"]
        judged = judge_variants(asked, days)
        assert not judged.unsound
        alarms += alarm(judged.effects["new", "clicks"].effect)
        naive += enter == "every_day" and _pooled_alarm(days)
    assert alarms / runs <= allowed(runs, 0.05)
    if enter == "every_day":
        assert naive / runs > allowed(runs, 0.05)  # what it would be if user-days were users


def _pooled_alarm(days: list[Day]) -> bool:
    metric = design("every_day").metrics[0].metric
    arms = [
        merged(m for day in days for cell, m in day.moments.items() if cell.variant == name) for name in ("old", "new")
    ]
    return alarm(effect_of(arms[0], arms[1], metric))


def alarm(effect: Effect) -> bool:
    """Whether Welch's test finds an effect at 5%."""
    call = read_configured("trials", "welch")
    answer = call.item.answer(effect, EffectRequest(0.95), call.values)
    return isinstance(answer, Estimate) and answer.p_value <= 0.05


def test_parts_of_a_sound_trial_look_wrong_seldom_over_all_looks() -> None:
    """28 days, looked at often, in four segments, at 50:50 and 90:10: some part alarms in at most 0.1% of trials."""
    from tests.online.trial.made_up import day as made_day

    from rankproof.online.trial.day_trace import DayTrace, UnitCell

    runs, alarms = examples(90), 0
    for run in range(runs):
        rng = np.random.default_rng([8, run])
        share = (0.5, 0.1)[run % 2]
        shares = {"old": 1 - share, "new": share}
        asked = read_design(
            {"trial": {"name": "t", "control": "old", "shares": shares}, "metric": [{"ready": "success"}]}
        )
        days = []
        for number in range(1, 29):
            counts = {f"s={i}": rng.binomial(200, share) for i in range(4)}
            cells = {
                UnitCell(name, "", segment): int(n if name == "new" else 200 - n)
                for segment, n in counts.items()
                for name in shares
            }
            new = int(sum(counts.values()))
            date = f"2026-11-{number:02d}"
            one = made_day(asked, date, {"old": 800 - new, "new": new}, {})
            days.append(_traced(one, DayTrace(until=date, cells=cells)))
        alarms += any(not part.holds for upto in (1, 2, 4, 7, 14, 28) for part in part_ratios(days[:upto]))
    assert alarms / runs <= allowed(runs, ALARM)


def _traced(day: Day, trace: object) -> Day:
    from dataclasses import replace

    return replace(day, trace=trace)  # type: ignore[arg-type]
