"""How a contrast is written for people: its segment, the sentence that states it, and what it could have detected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.wording import interval, number, p_phrase, percent, signed

if TYPE_CHECKING:
    from rankproof.proving.records import Contrast


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
