"""Latency at a percentile must stay within a budget.

From the run's latency file: one request per line, `query_id<TAB>milliseconds`, or CSV or JSON lines with such
columns. Passes when the one-sided upper bound of the percentile is within the budget, fails when the lower bound is
over it, and is undecided between: 20 requests say little about a 99th percentile. The bounds come from order statistics
(binomial) and assume independent requests, no shape of their times. `basis = "point"` compares the plain percentile
(nearest rank) and says so.

decides by: one-sided bounds of the percentile over requests
fails by: chance in at most 5 of 100 cases where the budget is truly met (at confidence 0.95)
source: David and Nagaraja, Order Statistics, 3rd edition, 2003, section 7.1

    [policy]
    latency = "candidate.latency.tsv"

    [[rule]]
    rule = "latency"
    percentile = 95
    budget_ms = 250

The greatest of n requests bounds the 95th percentile with confidence 1 - 0.95^n, so 59 requests are the fewest that
can pass it at 95%: 1 - 0.95^58 = 0.9490, 1 - 0.95^59 = 0.9515.

>>> from rankproof.testing.ruling import case_of, rule_on
>>> rule_on(case_of(latencies=[100.0] * 58), "latency", percentile=95, budget_ms=250).status
'UNDECIDED'
>>> rule_on(case_of(latencies=[100.0] * 59), "latency", percentile=95, budget_ms=250).status
'PASS'
"""

from __future__ import annotations

import math
from dataclasses import replace

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import percent
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param
from rankproof.kernel.verdict import Ruling
from rankproof.proving.mean_rule import decided
from rankproof.proving.percentile import Percentile, nearest_rank, percentile, requests_needed
from rankproof.proving.rule_params import BASIS, CONFIDENCE, level_of
from rankproof.proving.rules.contract import Case, Rule, RuleValues

NAME = "latency"


def refuse(values: RuleValues) -> None:
    """Refuses a share where a percentage is asked for: nobody holds a service to its fastest hundredth."""
    if values["percentile"] < 1:
        at = float(values["percentile"])
        raise UsageError(
            f"percentile = {at:g} is the {at:g}th of 100. If the {100 * at:g}th is meant, say {100 * at:g}"
        )


def title(values: RuleValues) -> str:
    """The budget in a few words."""
    return f"latency p{values['percentile']:g} at most {values['budget_ms']:g} ms"


def decide(case: Case, values: RuleValues) -> Ruling:
    """Decides by the bounds of the percentile, or by the plain percentile."""
    times, level = case.latencies, level_of(case, values)
    share, budget = float(values["percentile"]) / 100, float(values["budget_ms"])
    what = f"The {values['percentile']:g}th percentile of {len(times):,} requests"
    ruling = Ruling(
        NAME, title(values), "UNDECIDED", "", threshold=budget, better="lower", unit="ms", confidence=level,
        observed=nearest_rank(times, share), basis=values["basis"],
    )  # fmt: skip
    if values["basis"] == "point":
        plain = nearest_rank(times, share)
        status = decided(plain, plain, budget, "lower")
        verb = "within" if status == "PASS" else "over"
        end = 'the plain percentile is compared (basis = "point"), so chance is not ruled out'
        return replace(ruling, status=status, reason=f"{what} is {_ms(plain)}, {verb} {_ms(budget)}; {end}.")
    seen = percentile(times, share, budget, level)
    status = decided(seen.low, seen.high, budget, "lower")
    answer = Estimate(
        seen.value,
        seen.low,
        seen.high,
        seen.p_over,
        level,
        "order statistics",
        seen.n,
        alternative="greater",
        null=budget,
    )
    ruling = replace(ruling, status=status, answer=answer, p_fail=seen.p_over)
    reason = f"{what} is {_ms(seen.value)}; {_bounds(seen, level)}, the budget is {_ms(budget)}."
    return replace(ruling, reason=reason, decides=_decides(seen, share, level) if status == "UNDECIDED" else "")


def _bounds(seen: Percentile, level: float) -> str:
    sure = f"one-sided {percent(level)} bounds"
    if math.isinf(seen.low) and math.isinf(seen.high):
        return f"there are too few requests for {sure}"
    low = "none" if math.isinf(seen.low) else _ms(seen.low)
    high = "none: too few requests" if math.isinf(seen.high) else _ms(seen.high)
    return f"{sure}: lower {low}, upper {high}"


def _decides(seen: Percentile, share: float, level: float) -> str:
    needed = requests_needed(seen.over, seen.n, share, level)
    if needed is None:
        return "As many requests go over the budget as may, where no number of requests decides. Time more of them."
    way = "pass" if seen.over / seen.n < 1 - share else "fail"
    return (
        f"If {seen.over / seen.n:.2%} of all requests go over the budget, as seen, about {needed:,} requests "
        f"({needed - seen.n:,} more) make it {way}."
    )


def _ms(value: float) -> str:
    return f"{value:,.6g} ms"


OFFERS = (
    Rule(
        name=NAME,
        page=__doc__,
        params=(
            Param("percentile", Number(0, 100, open_low=True, open_high=True), REQUIRED, "which one: 50, 95, 99.9"),
            Param("budget_ms", Number(0, open_low=True), REQUIRED, "the greatest time allowed, in milliseconds"),
            BASIS,
            CONFIDENCE,
        ),
        title=title,
        decide=decide,
        refuse=refuse,
    ),
)
