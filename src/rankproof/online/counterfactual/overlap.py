"""Overlap: how much of what the new system would show was logged, and whether clicks of a page are dependent.

Where a few pages carry the estimate, its interval is too narrow: the pages that would have carried it too were not
drawn. The limits below are on the safe side: in simulations intervals of 95% held the truth in about 94% of logs or
more with 50 effective pages, and in as few as 90% with 20.

Weighing ranks one by one takes it that a click at one rank says nothing about another. Where users stop after a click,
or read on because of one, the value of a whole ranking is not the sum of what its places earn elsewhere, and no overlap
tells. Under independence products of residuals of two places of a page are 0 on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rankproof.online.counterfactual.records import Decisions, Dependence, Floats, Overlap
from rankproof.online.impressions import Numbers

LEAST_EFFECTIVE = 100
MOST_OF_ONE = 0.05
MOST_UNSUPPORTED = 0.05
UNLIKELY = 0.01


def overlap_of(decisions: Decisions) -> Overlap:
    """How far the log reaches."""
    weights, target = decisions.weights, decisions.target
    units, unit_of = decisions.numbered_units
    by_page = decisions.by_page(weights)
    by_unit = np.bincount(unit_of, by_page, units)
    total, squares = float(weights.sum()), float((by_unit**2).sum())
    pages_of = decisions.pages_of_queries
    amounts = target.amounts * pages_of[target.queries]
    known = decisions.shown[target.cells] > 0
    total_amount = float(amounts.sum())
    mean = p_value = None
    if decisions.balanced and amounts[known].sum() > 0:
        of_queries = np.bincount(target.queries, np.where(known, target.amounts, 0.0), len(pages_of))
        mean, p_value = _balance(by_page, of_queries[decisions.queries].astype(np.float64), units, unit_of)
    return Overlap(
        effective=total * total / squares if squares else 0.0,
        largest_share=float(weights.max()) / total if total else 0.0,
        largest=float(weights.max()),
        mean_weight=mean,
        mean_p=p_value,
        unsupported=1 - float(amounts[known].sum()) / total_amount if total_amount else 1.0,
        absent=None if decisions.balanced else _absent(decisions, total_amount),
    )


def _balance(by_page: Floats, expected: Floats, units: int, of: Numbers) -> tuple[float, float | None]:
    """The mean weight over what it should be, and the p-value of both being the same."""
    from scipy.special import stdtr  # here: loading scipy is for those who estimate

    away = np.bincount(of, by_page - expected, units)
    error = math.sqrt(float(((away - away.mean()) ** 2).sum()) * units / max(units - 1, 1))
    mean = float(by_page.sum() / expected.sum())
    return mean, 2 * float(stdtr(units - 1, -abs(float(away.sum())) / error)) if error > 0 and units > 1 else None


def _absent(decisions: Decisions, total_amount: float) -> float | None:
    amounts = np.zeros(len(decisions.group_of))
    amounts[decisions.target.cells] = decisions.target.amounts
    return 1 - float(amounts[decisions.cells].sum()) / total_amount if total_amount else None


def warnings_on(overlap: Overlap, unit: str, names: Sequence[str]) -> tuple[str, ...]:
    """Why estimates may be further off than their intervals say; the names are those of the estimators."""
    warnings = []
    if overlap.effective < LEAST_EFFECTIVE:
        warnings.append(
            f"the log tells as much of the new system as {overlap.effective:.0f} {unit}s of equal weight would: below "
            f"{LEAST_EFFECTIVE} intervals are too narrow. Log more pages, or explore more"
        )
    if overlap.largest_share > MOST_OF_ONE:
        warnings.append(
            f"one decision has {overlap.largest_share:.1%} of all weight (its weight is {overlap.largest:,.1f}): the "
            "estimates rest on it. Clip weights, or explore more"
        )
    if overlap.mean_p is not None and overlap.mean_p < UNLIKELY and overlap.mean_weight is not None:
        warnings.append(
            f"weights average {overlap.mean_weight:.3f} where 1 is expected (p = {overlap.mean_p:.2g}): pages were not "
            "chosen with these propensities, or pages are missing. Trust no estimate before that is settled"
        )
    if overlap.unsupported > MOST_UNSUPPORTED:
        warnings.append(
            f"{overlap.unsupported:.1%} of what the new system would show was never logged for its query: nothing is "
            f"known of it. {_stand_in(names, overlap.absent is None)}"
        )
    return tuple(warnings)


def note_on(overlap: Overlap) -> tuple[str, ...]:
    """What is taken for granted where pages did not show all that the new system would show."""
    if overlap.absent is None or overlap.absent - overlap.unsupported <= MOST_UNSUPPORTED:
        return ()
    return (
        f"{overlap.absent:.1%} of what the new system would show is not on the page that was logged: pages that show "
        "it stand for all pages of the query, which is right only where chance decided what was shown",
    )


def _stand_in(names: Sequence[str], balanced: bool) -> str:
    """What each estimator takes in place of what it does not know."""
    rest = "the mean of the rest" if balanced else "0"
    takes = {"ips": "0", "snips": rest, "dr": "what its model says of anything"}
    return f"It counts as {', '.join(f'{takes[name]} in {name}' for name in dict.fromkeys(names) if name in takes)}"


APART = (
    "clicks of a page keep each other away (the number of clicks varies {share:.1%} less than for independent clicks, "
    "{p}): users seem to stop after a click, and then these estimates are wrong, too high for a better ranking. Use "
    "--setting list, an interleaving or a trial"
)
TOGETHER = (
    "clicks of a page go together (their number varies {share:.1%} more than for independent clicks, {p}): no harm "
    "where some users click more than others; where one click makes users read on, these estimates are wrong"
)


def dependence_of(decisions: Decisions) -> Dependence | None:
    """How clicks of a page depend on each other; None where no page has two places, or nothing varies."""
    from scipy.special import stdtr  # here: loading scipy is for those who estimate

    cells = len(decisions.group_of)
    looks = np.bincount(decisions.cells, decisions.looked, cells)
    liked = np.bincount(decisions.cells, decisions.rewards, cells) / np.where(looks > 0, looks, 1.0)
    away = decisions.rewards - decisions.looked * liked[decisions.cells]
    own = decisions.by_page(away**2)
    products = decisions.by_page(away) ** 2 - own
    units, of = decisions.numbered_units
    by_unit = np.bincount(of, products, units)
    error = math.sqrt(float(((by_unit - by_unit.mean()) ** 2).sum()) * units / max(units - 1, 1))
    if units < 2 or error <= 0:
        return None
    total = float(by_unit.sum())
    return Dependence(total / float(own.sum()), 2 * float(stdtr(units - 1, -abs(total) / error)))
