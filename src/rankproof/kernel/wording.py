"""How numbers, intervals, p-values, differences and test results are written for people."""

from __future__ import annotations

import math

PLACES = 4
UNDEFINED = "undefined"


def number(value: float, whole: bool = False) -> str:
    """The value as text. `whole` drops the decimals of a count; an expected count may still have some."""
    if math.isnan(value):
        return UNDEFINED
    if whole and value.is_integer():
        return str(int(value))
    return f"{value:.{PLACES}f}"


# A smaller p-value is written as "<0.0001": further digits are an accident of the method.
LEAST_P = 0.0001


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 page", "2 pages", "1,234 pages"; `many` is the plural where it is not `one` + "s".

    >>> counted(1, "page"), counted(0, "query", "queries"), counted(1234, "row")
    ('1 page', '0 queries', '1,234 rows')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


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


def verdict_word(direction: str) -> str:
    """The direction of a difference in words: records and JSON say "not shown" where people say "not significant".

    >>> verdict_word("better"), verdict_word("not shown")
    ('better', 'not significant')
    """
    return "not significant" if direction == "not shown" else direction


def confidence_interval(level: float, short: bool = False) -> str:
    """The name of an interval: "95% confidence interval", or "95% CI" for the header of a table."""
    return f"{percent(level)} {'CI' if short else 'confidence interval'}"


def interval(low: float, high: float) -> str:
    """Both ends with their signs; an infinite end is said in words."""
    if math.isinf(low) and math.isinf(high):
        return "no bound"
    if math.isinf(low):
        return f"at most {signed(high)}"
    if math.isinf(high):
        return f"at least {signed(low)}"
    return f"{signed(low)} to {signed(high)}"
