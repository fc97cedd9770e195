"""Dependence: whether clicks of a page go together or keep each other away, where estimates take each rank for itself.

Weighing ranks one by one takes it that a click at one rank says nothing about another. Where users stop after a click,
or read on because of one, the value of a whole ranking is not the sum of what its places earn elsewhere, and no overlap
tells. Under independence products of residuals of two places of a page are 0 on average.
"""

from __future__ import annotations

import math

import numpy as np

from rankproof.records.counterfactual import Dependence
from rankproof.records.decisions import Decisions

UNLIKELY = 0.01
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
