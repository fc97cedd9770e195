"""What a tuning says, in sentences and short values: one wording for the terminal and for the page."""

from __future__ import annotations

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.specs import show_number
from rankproof.kernel.wording import interval, p_phrase, percent, signed
from rankproof.stack.tune.records import Response, Tuning


def title(tuning: Tuning) -> str:
    """What was done."""
    config = tuning.config
    tried = f"{len(tuning.settings):,} settings by {config.method}"
    return (
        f"{config.benchmark.name}: {config.mode} tuned for {config.measure}, {tried} on {len(tuning.dev_queries):,} "
        f"dev queries; {tuning.test_queries:,} test queries"
    )


def conclusion(tuning: Tuning) -> str:
    """What came of it, in a sentence that can be defended."""
    outcome, test = tuning.ruling.outcome, tuning.test
    if test is None:
        return "Keep the configuration as written: no setting did better on dev. The test queries were not touched."
    numbers = f"({said(test.answer)})"
    if outcome == "gain":
        return f"Use the winner: it is better on queries that the search never saw {numbers}."
    flag = "OVERFITTED. " if tuning.ruling.overfitted else ""
    if outcome == "worse":
        return f"{flag}Keep the configuration as written: the winner is worse on test {numbers}."
    return f"{flag}Keep the configuration as written: no gain is shown on test {numbers}."


def said(answer: Answer) -> str:
    """A gain with its interval and p-value."""
    if not isinstance(answer, Estimate):
        return f"{signed(answer.value or 0.0)}; {answer.reason}"
    ends = f"{percent(answer.level)} interval {interval(answer.low, answer.high)}"
    return f"{signed(answer.value)}, {ends}, {p_phrase(answer.p_value)}"


def spoken(response: Response) -> str:
    """A value of a parameter, or a span of them."""
    low, high = shown(response.low), shown(response.high)
    return low if low == high else f"{low} to {high}"


def shown(value: object) -> str:
    """A value of a parameter as a person writes it."""
    if value is None:
        return "nothing said"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return show_number(value)
    if isinstance(value, list | tuple):
        return ", ".join(shown(each) for each in value)
    return str(value)
