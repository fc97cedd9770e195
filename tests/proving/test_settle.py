"""The one place where a verdict is made of rulings: all must pass, and a failure must survive Holm's correction."""

from __future__ import annotations

import pytest

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.verdict import Ruling, Status
from rankproof.proving.corrections._family import step_down
from rankproof.proving.settle import reasons, settle


def fact(status: Status) -> Ruling:
    return Ruling("checks", f"a fact that is {status}", status, "Seen.")


def by_chance(status: Status, p_fail: float, confidence: float = 0.95, effect: float | None = None) -> Ruling:
    answer = Estimate(0.3, 0.2, 0.4, p_fail, confidence, "t", 20)
    return Ruling(
        "least_value", f"p = {p_fail}", status, "Seen.", p_fail=p_fail, basis="interval", answer=answer,
        confidence=confidence, effect=effect,
    )  # fmt: skip


def statuses(*rulings: Ruling) -> tuple[str, list[str]]:
    status, settled = settle(rulings)
    return status, [ruling.status for ruling in settled]


def test_holm_by_hand() -> None:
    """0.01 x 3, 0.02 x 2, 0.03 x 1 but not below 0.04; in the order given."""
    assert step_down([0.03, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert step_down([0.6, 0.7]) == [1.0, 1.0]
    assert step_down([0.2]) == [0.2]
    assert step_down([]) == []


def test_all_must_pass_and_passing_is_not_corrected() -> None:
    assert statuses(fact("PASS"), by_chance("PASS", 0.99), by_chance("PASS", 0.96)) == ("PASS", ["PASS"] * 3)
    assert statuses(fact("PASS"), by_chance("UNDECIDED", 0.5))[0] == "UNDECIDED"


def test_a_fact_that_fails_fails_the_gate() -> None:
    assert statuses(fact("FAIL"), by_chance("UNDECIDED", 0.5), by_chance("PASS", 0.99))[0] == "FAIL"


def test_a_failure_that_survives_the_correction_fails_the_gate() -> None:
    """0.01 x 3 = 0.03 < 0.05."""
    assert statuses(by_chance("FAIL", 0.01), by_chance("PASS", 0.9), by_chance("PASS", 0.95)) == (
        "FAIL",
        ["FAIL", "PASS", "PASS"],
    )


def test_a_failure_that_does_not_survive_becomes_undecided_and_says_so() -> None:
    """0.03 x 3 = 0.09."""
    status, (first, *_) = settle([by_chance("FAIL", 0.03, effect=0.5), by_chance("PASS", 0.9), by_chance("PASS", 0.95)])
    assert (status, first.status, first.adjusted) == ("UNDECIDED", "UNDECIDED", pytest.approx(0.09))
    assert "Alone it fails (p = 0.0300); after Holm's correction over the 3 rules that rest on chance" in first.reason
    assert "would make it fail 80% of the time" in first.decides


def test_facts_are_not_counted_in_the_correction() -> None:
    """Two rules rest on chance: 0.02 x 2 = 0.04 < 0.05, however many facts stand beside them."""
    rulings = [by_chance("FAIL", 0.02), by_chance("PASS", 0.9), *[fact("PASS")] * 20]
    assert statuses(*rulings)[0] == "FAIL"


def test_a_rule_alone_needs_no_correction() -> None:
    assert statuses(by_chance("FAIL", 0.0499), fact("PASS"))[0] == "FAIL"


def test_the_second_failure_is_held_to_less() -> None:
    """Holm: 0.01 x 2, then 0.03 x 1: both survive. Bonferroni would have kept only the first."""
    assert statuses(by_chance("FAIL", 0.03), by_chance("FAIL", 0.01)) == ("FAIL", ["FAIL", "FAIL"])


def test_a_corrected_p_value_on_the_level_does_not_fail() -> None:
    """0.025 x 2 = 0.05: the bound would lie on the threshold, which meets it."""
    assert statuses(by_chance("FAIL", 0.025), by_chance("PASS", 0.9))[0] == "UNDECIDED"
    assert statuses(by_chance("FAIL", 0.0249), by_chance("PASS", 0.9))[0] == "FAIL"


def test_every_rule_is_held_to_its_own_confidence() -> None:
    """0.04 x 2 = 0.08: below 0.1, the level of the rule itself."""
    assert statuses(by_chance("FAIL", 0.04, confidence=0.9), by_chance("PASS", 0.9))[0] == "FAIL"


def test_one_fails_for_sure_while_another_is_demoted() -> None:
    """0.001 x 3; then 0.04 x 2 = 0.08."""
    status, settled = settle([by_chance("FAIL", 0.04), by_chance("FAIL", 0.001), by_chance("PASS", 0.9)])
    assert (status, [ruling.status for ruling in settled]) == ("FAIL", ["UNDECIDED", "FAIL", "PASS"])


def test_reasons_are_those_of_the_rules_that_made_the_verdict() -> None:
    rulings = [fact("FAIL"), by_chance("UNDECIDED", 0.5), fact("PASS")]
    assert reasons("FAIL", rulings) == ("a fact that is FAIL: Seen.",)
    assert reasons("PASS", [fact("PASS")] * 3) == ("Every rule passes (3).",)
