"""How a comparison looks to a person: signed differences, intervals, p-values, and the sentence that says it all."""

from __future__ import annotations

import math

from rankproof.records.comparison import Contrast
from rankproof.records.estimate import Estimate
from rankproof.records.show import number

# A smaller p-value is written as "<0.0001": further digits are an accident of the method.
LEAST_P = 0.0001


def signed(value: float) -> str:
    """A difference with its sign; 0 has none, and neither has what rounds to it."""
    text = number(value)
    if text.strip("-0.") == "":
        return text.removeprefix("-")
    return text if value < 0 else f"+{text}"


def p_text(p: float | None) -> str:
    """A p-value as text; a word where there is none."""
    if p is None:
        return "none"
    return f"<{LEAST_P}" if p < LEAST_P else f"{p:.4f}"


def p_phrase(p: float) -> str:
    """ "p = 0.0312" or "p < 0.0001", for the middle of a sentence."""
    text = p_text(p)
    return f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"


def percent(level: float) -> str:
    """A confidence level as "95%"."""
    return f"{100 * level:.6g}%"


def interval(low: float, high: float) -> str:
    """Both ends with their signs; an infinite end is said in words."""
    if math.isinf(low) and math.isinf(high):
        return "no bound"
    if math.isinf(low):
        return f"at most {signed(high)}"
    if math.isinf(high):
        return f"at least {signed(low)}"
    return f"{signed(low)} to {signed(high)}"


def where(contrast: Contrast) -> str:
    """The segment as the end of a sentence; nothing for all queries."""
    return f" on {contrast.segment}" if contrast.segment else ""


def headline(contrast: Contrast) -> str:
    """What a contrast says, in a sentence that can be defended."""
    answer = contrast.difference
    names = f"{contrast.candidate} and {contrast.baseline}"
    if not isinstance(answer, Estimate):
        return f"{contrast.measure}{where(contrast)}: {names} cannot be told apart by a test: {answer.reason}."
    p = contrast.p_value
    assert p is not None  # an Estimate has one
    ends = interval(answer.low, answer.high)
    numbers = f"{signed(answer.value)}, {percent(answer.level)} interval {ends}, {p_phrase(p)}"
    if contrast.adjusted is not None:
        numbers += " adjusted"
    shown = contrast.direction
    if shown != "not shown":
        who = f"{contrast.candidate} is {shown} than {contrast.baseline}"
        return f"{who} in {contrast.measure}{where(contrast)} ({numbers})."
    if contrast.better == "neither":
        return f"{contrast.measure}{where(contrast)} has no better side; {names} differ by {numbers}."
    text = f"No difference of {names} is shown in {contrast.measure}{where(contrast)} ({numbers})"
    return f"{text}; {could_have_found(contrast)}." if contrast.detectable is not None else f"{text}."


def could_have_found(contrast: Contrast) -> str:
    """What a comparison that found nothing could have found."""
    able = contrast.detectable
    assert able is not None
    text = (
        f"{len(contrast.query_ids)} queries show a true difference of {number(able.difference)} "
        f"in {percent(able.power)} of cases"
    )
    if able.queries_needed is not None:
        text += f"; for the observed one about {able.queries_needed:,} would be needed"
    return text
