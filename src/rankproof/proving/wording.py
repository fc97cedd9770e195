"""How a contrast is written for people: what it says, its numbers, its margin, and what it could have detected."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import confidence_interval, counted, interval, number, p_phrase, percent, signed

if TYPE_CHECKING:
    from rankproof.proving.records import Contrast


def item_title(kind: str, name: str) -> str:
    """What an item of a shelf is called on its own page: "Paired t-test" for "t" of significance."""
    return str(shelf.find(kind, name).summary).partition(":")[0]


def where(contrast: Contrast) -> str:
    """The segment as the end of a sentence; nothing for all queries."""
    return f" on {contrast.segment}" if contrast.segment else ""


def claim(contrast: Contrast) -> str:
    """Which side is better, without numbers and without a full stop."""
    both = f"{contrast.candidate} and {contrast.baseline}"
    measure = f"{contrast.measure}{where(contrast)}"
    if not isinstance(contrast.difference, Estimate):
        return f"{both} cannot be compared by a test in {measure}"
    if contrast.direction != "not shown":
        return f"{contrast.candidate} is significantly {contrast.direction} than {contrast.baseline} in {measure}"
    if contrast.better == "neither":
        return f"{measure} of {both} cannot be called better or worse"
    return f"{both} do not differ significantly in {measure}"


def numbers(contrast: Contrast) -> str:
    """The difference, its confidence interval and the p-value that decides; or the reason why there is none."""
    answer = contrast.difference
    if not isinstance(answer, Estimate):
        return answer.reason
    decides = answer.p_value if contrast.adjusted is None else contrast.adjusted.p_value
    p = p_phrase(decides) if contrast.adjusted is None else f"adjusted {p_phrase(decides)}"
    return f"{signed(answer.value)}, {confidence_interval(answer.level)} {interval(answer.low, answer.high)}, {p}"


def headline(contrast: Contrast) -> str:
    """What a contrast says, in a sentence that can be defended."""
    if not isinstance(contrast.difference, Estimate):
        return f"{claim(contrast)}: {numbers(contrast).rstrip('.')}."
    text = f"{claim(contrast)} ({numbers(contrast)})"
    return f"{text}; {detectable_text(contrast)}." if contrast.detectable is not None else f"{text}."


def detectable_text(contrast: Contrast) -> str:
    """The true difference that a comparison without a significant result would have detected."""
    able = contrast.detectable
    assert able is not None
    verb = "detects" if len(contrast.query_ids) == 1 else "detect"
    queries = counted(len(contrast.query_ids), "query", "queries")
    text = f"{queries} {verb} a true difference of {number(able.difference)} with {percent(able.power)} power"
    if able.queries_needed is not None:
        text += f"; the observed one needs about {counted(able.queries_needed, 'query', 'queries')}"
    return text


def margin_text(contrast: Contrast) -> str:
    """Whether the candidate is equivalent or non-inferior, up to its margin."""
    margin = contrast.equivalence
    assert margin is not None
    kind = "equivalent" if margin.kind == "equivalence" else "non-inferior"
    verb = f"is {kind}" if margin.holds else f"is not shown to be {kind}"
    ends = f"confidence interval {interval(margin.low, margin.high)}"
    return (
        f"{contrast.measure}{where(contrast)}: {contrast.candidate} {verb} to {contrast.baseline} within "
        f"{number(margin.margin)} ({p_phrase(margin.p_value)}, {ends})."
    )
