"""Judging: whether tuning paid, and whether the gain on dev comes from picking the best of many. Decided here, once.

The queries of the test split decide what came out: a gain counts where its interval lies above 0. Where it does not, a
gain on dev is put down to picking (overfitted) if one of these holds:

1. on test the winner is no better than the configuration as written
2. the gain on dev is beyond the interval of the gain on test
3. the gain on dev would pass for shown, but picked without the queries it is measured on it is not, and less than
   half of it is left

Chance can bring about each of them, and a search of many settings on few queries brings them about most of the time.
"""

from __future__ import annotations

from rankproof.records.estimate import Answer, Estimate
from rankproof.records.tuning import Gain, Outcome, Ruling
from rankproof.records.words import interval, signed

# Fewer queries than this make an interval wide and its method doubtful.
FEW_QUERIES = 30


def judge(dev: Gain, out_of_bag: Gain, test: Gain | None, settings: int) -> Ruling:
    """The outcome, the flag and the reasons. `test` is None where the configuration as written won."""
    cautions = _cautions(dev, test, settings)
    if test is None:
        return Ruling("as written", False, cautions)
    outcome = _outcome(test.answer)
    gained, held = value(dev.answer), value(test.answer)
    if outcome == "gain":
        if isinstance(test.answer, Estimate) and test.answer.high < gained:
            cautions = (_beyond(test.answer, gained), *cautions)
        return Ruling(outcome, False, cautions)
    reasons = []
    if held <= 0:
        how = "no better" if held == 0 else f"worse by {abs(held):.4f}"
        reasons.append(f"On test the winner is {how} than the configuration as written.")
    if isinstance(test.answer, Estimate) and test.answer.high < gained:
        reasons.append(_beyond(test.answer, gained))
    left = value(out_of_bag.answer)
    if left < gained / 2 and not _above(out_of_bag.answer):
        said = (
            f"Of the gain on dev, {signed(gained)}, picking without the queries it is measured on leaves "
            f"{signed(left)}{_ends(out_of_bag.answer)}."
        )
        # A gain that not even dev shows deceives nobody: then this is only worth knowing.
        if _above(dev.answer):
            reasons.append(said)
        else:
            cautions = (said, *cautions)
    return Ruling(outcome, bool(reasons), (*reasons, *cautions))


def value(answer: Answer) -> float:
    """The mean gain; differences that are all the same have one too."""
    return answer.value or 0.0


def _outcome(answer: Answer) -> Outcome:
    if not isinstance(answer, Estimate):
        return "not shown"
    return "gain" if answer.low > 0 else "worse" if answer.high < 0 else "not shown"


def _above(answer: Answer) -> bool:
    return isinstance(answer, Estimate) and answer.low > 0


def _ends(answer: Answer) -> str:
    return f" ({interval(answer.low, answer.high)})" if isinstance(answer, Estimate) else ""


def _beyond(answer: Estimate, gained: float) -> str:
    return f"The gain on dev, {signed(gained)}, is more than the test queries allow for: at most {signed(answer.high)}."


def _cautions(dev: Gain, test: Gain | None, settings: int) -> tuple[str, ...]:
    found = []
    if settings > dev.queries:
        found.append(f"{settings:,} settings were tried on {dev.queries:,} queries: more settings than queries.")
    if test is not None and test.queries < FEW_QUERIES:
        found.append(f"{test.queries:,} test queries show only large gains.")
    return tuple(found)
