"""The state machine of a ramp: every way out of every state."""

from __future__ import annotations

import pytest
from tests.online.ramp.ramps import at_step, evidence, policy, sign
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.online.ramp.records import RampDecision, RampEvidence, RampStep, StopRules
from rankproof.online.ramp.steps import next_step, standing

HELD = sign("guardrail", "PASS")
OPEN = sign("decision", "UNDECIDED")


def test_a_ramp_begins_at_the_gate() -> None:
    assert standing([]).step == 0
    passed = next_step(policy(), [], evidence(sign("gate", "PASS"), sign("gate", "PASS")))
    assert (passed.action, passed.before, passed.share, passed.exit_status) == ("ADVANCE", 0.0, 0.01, 0)
    assert passed.reasons == ("The offline gate passes: all 2 rules hold.",)


def test_a_gate_that_fails_stops_and_one_that_is_undecided_holds() -> None:
    failed = next_step(policy(), [], evidence(sign("gate", "PASS"), sign("gate", "FAIL", title="nDCG@10")))
    assert (failed.action, failed.share, failed.exit_status) == ("STOP_AND_ROLL_BACK", 0.0, 1)
    assert failed.reasons == ("The offline gate fails.", "nDCG@10: it is fail.")
    unsure = next_step(policy(), [], evidence(sign("gate", "UNDECIDED")))
    assert (unsure.action, unsure.share, unsure.exit_status) == ("HOLD", 0.0, 3)
    assert standing([unsure]).step == 0


def test_without_a_gate_the_first_share_comes_first() -> None:
    assert next_step(policy(gate=""), [], RampEvidence(None)).share == 0.01


@pytest.mark.parametrize(
    ("days", "units", "missing"),
    [
        (1, 999, ("1 of 2 days.", "999 of 1,000 units.")),
        (2, 999, ("999 of 1,000 units.",)),
        (1, 1000, ("1 of 2 days.",)),
    ],
)
def test_a_step_is_held_until_days_and_units_are_there(days: int, units: int, missing: tuple[str, ...]) -> None:
    held = next_step(policy(), at_step(1), evidence(HELD, OPEN, days=days, units=units))
    assert (held.action, held.before, held.share, held.exit_status) == ("HOLD", 0.01, 0.01, 3)
    assert held.reasons == missing


def test_no_harm_goes_on_while_the_decision_is_open() -> None:
    onward = next_step(policy(), at_step(1), evidence(HELD, OPEN, days=2, units=1000))
    assert (onward.action, onward.before, onward.share) == ("ADVANCE", 0.01, 0.05)
    assert onward.reasons == ("Nothing is shown to be worse after 2 days and 1,000 units at 1%.",)


def test_guardrails_must_be_shown_to_hold_where_the_step_asks_for_it() -> None:
    unsure = sign("guardrail", "UNDECIDED", title="latency")
    held = next_step(policy(), at_step(2), evidence(unsure, OPEN))
    assert (held.action, held.reasons) == ("HOLD", ("Not shown yet: latency: it is undecided.",))
    assert next_step(policy(), at_step(2), evidence(HELD, OPEN)).action == "ADVANCE"


def test_the_last_step_asks_for_the_whole_verdict_and_then_commits() -> None:
    assert next_step(policy(), at_step(3), evidence(HELD, OPEN, days=3)).action == "HOLD"
    done = next_step(policy(), at_step(3), evidence(HELD, sign("decision", "PASS"), days=3))
    assert (done.action, done.before, done.share, done.exit_status) == ("COMMIT", 0.5, 1.0, 0)
    other = next_step(policy(), at_step(3), evidence(HELD, days=3, status="UNDECIDED"))
    assert other.reasons == ("The trial's verdict is UNDECIDED.",)


def test_what_is_shown_worse_stops_at_once() -> None:
    """On the first day, long before the step's days and units are there."""
    slow = sign("guardrail", "FAIL", worse=True, title="latency")
    stopped = next_step(policy(), at_step(2), evidence(slow, OPEN, days=1, units=210))
    assert (stopped.action, stopped.before, stopped.share, stopped.exit_status) == ("STOP_AND_ROLL_BACK", 0.05, 0.0, 1)
    assert stopped.reasons == ("latency: it is fail.",)


def test_worse_within_the_margin_stops_only_where_any_harm_does() -> None:
    strict = policy(stops=StopRules(harm="any"))
    for threshold, better in ((-0.01, "higher"), (0.01, "lower")):
        little = sign("guardrail", "PASS", worse=True, threshold=threshold, better=better)
        onward = next_step(policy(), at_step(1), evidence(little))
        assert onward.action == "ADVANCE"
        assert onward.reasons[0].startswith("What is worse stays within its margin after 2 days")
        assert next_step(strict, at_step(1), evidence(little)).action == "STOP_AND_ROLL_BACK"


def test_what_is_shown_worse_holds_until_it_is_clear_how_much() -> None:
    """Even where the step asks for nothing but that no harm is shown."""
    unclear = sign("guardrail", "UNDECIDED", worse=True, threshold=-0.01, better="higher", title="latency")
    held = next_step(policy(), at_step(1), evidence(unclear))
    assert (held.action, held.reasons) == (
        "HOLD",
        ("Shown to be worse, and not yet whether within its margin: latency: it is undecided.",),
    )


@pytest.mark.parametrize("role", ["decision", "sample_ratio"])
def test_decision_and_sample_ratio_stop_or_hold_as_said(role: str) -> None:
    wrong = sign("decision" if role == "decision" else "sample_ratio", "FAIL", worse=True)
    assert next_step(policy(), at_step(1), evidence(wrong)).action == "STOP_AND_ROLL_BACK"
    patient = policy(stops=StopRules(**{role: "hold"}))
    held = next_step(patient, at_step(1), evidence(wrong))
    assert (held.action, held.share) == ("HOLD", 0.01)
    assert held.reasons == (wrong.summary,)


def test_a_metric_that_was_to_be_better_stops_when_it_is_shown_worse() -> None:
    for threshold, better in ((0.0, "higher"), (0.02, "higher"), (-0.02, "lower")):
        lost = sign("decision", "UNDECIDED", worse=True, threshold=threshold, better=better)
        stopped = next_step(policy(), at_step(1), evidence(lost))
        assert (stopped.action, stopped.reasons) == (
            "STOP_AND_ROLL_BACK",
            ("Shown to be worse: decision: it is undecided.",),
        )


def test_shares_that_look_wrong_at_one_look_hold_it_until_that_is_clear() -> None:
    held = next_step(policy(), at_step(1), evidence(sign("sample_ratio", "FAIL")))
    assert held.action == "HOLD"
    assert held.reasons == ("It may be chance, as one look of many; until it is clear: sample_ratio: it is fail.",)


def test_few_units_hold_what_looks_worse_and_stop_nothing() -> None:
    slow = sign("guardrail", "FAIL", worse=True, title="latency")
    held = next_step(policy(), at_step(1), evidence(slow, fewest=99))
    assert (held.action, held.reasons) == (
        "HOLD",
        ("99 of 100 units in a variant, too few to stop by: latency: it is fail.",),
    )
    assert next_step(policy(), at_step(1), evidence(slow, fewest=100)).action == "STOP_AND_ROLL_BACK"


def test_what_is_only_watched_stops_nothing() -> None:
    assert next_step(policy(), at_step(1), evidence(sign("watch", "FAIL", worse=True), HELD)).action == "ADVANCE"


def test_a_step_that_takes_too_long_is_rolled_back() -> None:
    unsure = sign("guardrail", "UNDECIDED", title="latency")
    assert next_step(policy(), at_step(2), evidence(unsure, days=6)).action == "HOLD"
    stopped = next_step(policy(), at_step(2), evidence(unsure, days=7))
    assert stopped.action == "STOP_AND_ROLL_BACK"
    assert stopped.reasons == (
        "7 days at 5% are all that is allowed, and this is still missing:",
        "Not shown yet: latency: it is undecided.",
    )
    assert next_step(policy(), at_step(2), evidence(HELD, days=7)).action == "ADVANCE"  # shown on the last day


def test_nothing_is_decided_after_the_end() -> None:
    for action in ("COMMIT", "STOP_AND_ROLL_BACK"):
        over = [*at_step(3), RampDecision(action, 3, 0.5, 1.0, ())]
        assert standing(over).over
        with raises(UsageError, "ramp", "over"):
            next_step(policy(), over, evidence(HELD))


def test_the_allowed_false_alarm_is_split_over_the_steps() -> None:
    """A third of 0.05 for each of three steps, of which 0.001 is for the three tests of its data."""
    assert policy().ratio_alarm == 0.001
    assert policy().data_alarm == pytest.approx(0.001 / 3)
    assert policy().confidence == pytest.approx(1 - (0.05 / 3 - 0.001))
    strict = policy(false_alarm=0.003)
    assert (strict.ratio_alarm, strict.confidence) == (pytest.approx(0.0001), pytest.approx(0.9991))


@pytest.mark.parametrize(
    ("steps", "values"),
    [
        ((), ["ramp", "step"]),
        ((RampStep(0.5), RampStep(0.05)), ["greater", "50%, 5%"]),
        ((RampStep(0.5), RampStep(1.0)), ["Shares", "50%, 100%"]),
    ],
)
def test_senseless_steps_are_refused(steps: tuple[RampStep, ...], values: list[str]) -> None:
    with raises(UsageError, *values):
        policy(steps=steps)


def test_a_step_allows_as_many_days_as_it_asks_for() -> None:
    with raises(UsageError, "10%", "7", "3", "most_days", "least_days"):
        RampStep(0.1, least_days=7, most_days=3)
