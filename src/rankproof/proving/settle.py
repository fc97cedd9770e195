"""Settle: rulings become a verdict, with Holm's correction over the rules with a statistical test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rankproof.kernel.sections import p_phrase
from rankproof.kernel.verdict import Ruling, Status
from rankproof.proving.corrections._family import step_down
from rankproof.proving.mean_rule import ROUNDING, enough
from rankproof.proving.power import queries_needed
from rankproof.proving.rules.contract import POWER


def settle(rulings: Sequence[Ruling]) -> tuple[Status, tuple[Ruling, ...]]:
    """The verdict from the rulings, and the rulings after the correction.

    PASS when every rule passes: all must hold, so nothing has to be corrected. FAIL when a rule fails and still does
    after Holm's correction over the rules with a test; facts have nothing to correct. UNDECIDED otherwise. A rule that
    fails alone but not after the correction becomes UNDECIDED and says so.
    """
    settled = _corrected(rulings)
    if all(ruling.status == "PASS" for ruling in settled):
        return "PASS", settled
    return ("FAIL" if any(ruling.status == "FAIL" for ruling in settled) else "UNDECIDED"), settled


def _corrected(rulings: Sequence[Ruling]) -> tuple[Ruling, ...]:
    tested = [i for i, ruling in enumerate(rulings) if ruling.p_fail is not None]
    adjusted = dict(zip(tested, step_down([rulings[i].p_fail or 0.0 for i in tested]), strict=True))
    return tuple(
        _weighed(replace(ruling, adjusted=adjusted[i]), len(tested)) if i in adjusted else ruling
        for i, ruling in enumerate(rulings)
    )


def _weighed(ruling: Ruling, rules: int) -> Ruling:
    """A failure that does not survive the correction becomes undecided. One rule alone needs no correction."""
    allowed = 1 - ruling.confidence
    if ruling.status != "FAIL" or rules == 1 or ruling.adjusted is None or ruling.adjusted < allowed - ROUNDING:
        return ruling
    assert ruling.p_fail is not None
    reason = (
        f"{ruling.reason} Alone it fails ({p_phrase(ruling.p_fail)}); after Holm's correction over the {rules} rules "
        f"that rest on chance it does not ({p_phrase(ruling.adjusted)})."
    )
    return replace(ruling, status="UNDECIDED", reason=reason, decides=_would_fail(ruling, rules))


def _would_fail(ruling: Ruling, rules: int) -> str:
    """What would make it fail after the correction too, at the strictest step of it."""
    if ruling.effect is None or ruling.answer is None:
        return "More queries, or for a latency more requests, would decide it."
    level = 1 - (1 - ruling.confidence) / rules
    needed = queries_needed(1.0, ruling.effect, level=level, power=POWER, alternative="greater")
    return "More queries would decide it." if needed is None else enough(needed, ruling.answer.n, "fail")


def reasons(status: Status, rulings: Sequence[Ruling]) -> tuple[str, ...]:
    """The reasons of the verdict: the rules that decided it, each in a sentence."""
    if status == "PASS":
        return (f"Every rule passes ({len(rulings)}).",)
    return tuple(f"{ruling.title}: {ruling.reason}" for ruling in rulings if ruling.status == status)
