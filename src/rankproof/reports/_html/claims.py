"""Claims: what a comparison says in one sentence, and the numbers that defend it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankproof import shelf
from rankproof.records.comparison import ALL_QUERIES, Comparison, Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.words import interval, p_phrase, p_text, percent, signed

MARK = {"better": "▲ better", "worse": "▼ worse", "not shown": "not shown"}
TONE = {"better": "better", "worse": "worse", "not shown": "open"}


# So many systems are called by their names; more are counted.
FEW = 3


def minus(text: str) -> str:
    """The text with a true minus sign, which is as wide as the plus."""
    return text.replace("-", "−")


def minus_signs(sentence: str) -> str:
    """Hyphens before a number as minus signs; others belong to names."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", sentence)


def difference(value: float | None) -> str:
    """A difference with its sign; a word where there is none."""
    return "none" if value is None else minus(signed(value))


def span(low: float, high: float) -> str:
    """An interval."""
    return minus(interval(low, high))


def p_value(p: float | None) -> str:
    """A p-value; a word where there is none."""
    return p_text(p).replace("<", "< ")


def called(shelf_name: str, item: str) -> str:
    """What an item of a shelf is called on its own page: "Paired t-test" for "t"."""
    return str(shelf.find(shelf_name, item).summary).partition(":")[0]


def against_baseline(comparison: Comparison, measure: str) -> list[Contrast]:
    """The contrasts of one measure with the baseline, over all queries."""
    return [
        c
        for c in comparison.contrasts
        if c.measure == measure and c.segment == ALL_QUERIES and c.baseline == comparison.systems[0]
    ]


def claim(contrast: Contrast) -> str:
    """Who is better, without numbers."""
    pair = f"{contrast.candidate} and {contrast.baseline}"
    if not isinstance(contrast.difference, Estimate):
        return f"{pair} cannot be told apart by a test in {contrast.measure}"
    if contrast.direction != "not shown":
        return f"{contrast.candidate} is {contrast.direction} than {contrast.baseline} in {contrast.measure}"
    if contrast.better == "neither":
        return f"{contrast.measure} has no better side; {pair} differ by {difference(contrast.difference.value)}"
    return f"No difference between {pair} is shown in {contrast.measure}"


def numbers(contrast: Contrast) -> str:
    """The difference, its interval and the p-values; or the reason why there is none."""
    answer = contrast.difference
    if not isinstance(answer, Estimate):
        return answer.reason
    said = f"{difference(answer.value)}, {percent(answer.level)} interval {span(answer.low, answer.high)}, "
    said += p_phrase(answer.p_value)
    if contrast.adjusted is not None:
        said += f", adjusted {p_phrase(contrast.adjusted.p_value)}"
    # A line does not end between "p", its sign and its number.
    return re.sub(r"p ([=<]) ", "p\u00a0\\1\u00a0", said)


def overall(contrasts: Sequence[Contrast]) -> str:
    """One sentence for several candidates in one measure."""
    first = contrasts[0]
    if len(contrasts) == 1:
        return claim(first)
    counts = {shown: [c for c in contrasts if c.direction == shown] for shown in MARK}
    several = len(contrasts)
    if not counts["better"] and not counts["worse"]:
        return f"None of {several} systems is shown to differ from {first.baseline} in {first.measure}"
    parts = []
    for shown in ("better", "worse"):
        found = counts[shown]
        if found:
            who = found[0].candidate if len(found) == 1 else f"{len(found)} of {several} systems"
            parts.append(f"{who} {'is' if len(found) == 1 else 'are'} {shown} than {first.baseline}")
    unshown = counts["not shown"]
    others = ""
    if unshown and several <= FEW:
        named = " and ".join(c.candidate for c in unshown)
        others = f"; {named} {'is' if len(unshown) == 1 else 'are'} not shown to differ"
    return f"{' and '.join(parts)} in {first.measure}{others}"
