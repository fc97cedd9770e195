"""What a tuning says, in sentences and short values: one wording for the terminal and for the page."""

from __future__ import annotations

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import confidence_interval, interval, p_phrase, signed
from rankproof.kernel.specs.kinds import show_number
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
    numbers = f"({gain_text(test.answer)})"
    if outcome == "gain":
        return f"Use the winner: it is significantly better on queries that the search never saw {numbers}."
    flag = "OVERFITTED. " if tuning.ruling.overfitted else ""
    if outcome == "worse":
        return f"{flag}Keep the configuration as written: the winner is significantly worse on test {numbers}."
    return f"{flag}Keep the configuration as written: the gain on test is not significant {numbers}."


def gain_text(answer: Answer) -> str:
    """A gain with its confidence interval and p-value."""
    if not isinstance(answer, Estimate):
        return f"{signed(answer.value or 0.0)}; {answer.reason}"
    ends = f"{confidence_interval(answer.level)} {interval(answer.low, answer.high)}"
    return f"{signed(answer.value)}, {ends}, {p_phrase(answer.p_value)}"


def response_text(response: Response) -> str:
    """A value of a parameter, or a range of values."""
    low, high = value_text(response.low), value_text(response.high)
    return low if low == high else f"{low} to {high}"


def value_text(value: object) -> str:
    """A value of a parameter as a person writes it."""
    if value is None:
        return "not set"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return show_number(value)
    if isinstance(value, list | tuple):
        return ", ".join(value_text(each) for each in value)
    return str(value)
