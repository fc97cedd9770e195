"""Influence: by how much one unit of a pair's gain moves the mean of a measure over all queries."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.flow.correcting.frame import Frame
from rankproof.measures._contract import Variant
from rankproof.measures._dependence import Dependence, Gain, Linear, OverIdeal
from rankproof.measures._text import parse

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Form:
    """How a measure's mean comes from gains: a weighted sum, over the query's ideal sum where there is one.

    discounts   of the ideal's ranks, best first; empty for a plain sum
    """

    variant: Variant
    gain: Gain
    weights: Numbers  # by run and pair
    discounts: Numbers

    @property
    def over_ideal(self) -> bool:
        """Whether the sum is divided by that of the best order."""
        return bool(len(self.discounts))


def variants_of(measures: str | list[str]) -> tuple[Variant, ...]:
    """The measures, once each can be written as a weighted sum of gains or as one over its ideal."""
    variants = parse(measures)
    for variant in variants:
        kind = _kind(variant)
        linear = isinstance(kind, Linear) and kind.elsewhere == 0
        if not linear and not (isinstance(kind, OverIdeal) and not kind.retrieved):
            raise UsageError(
                f"{variant} cannot be corrected: it is neither a weighted sum of grades, as P, DCG and RBP are, nor "
                "such a sum over the best possible one, as nDCG is."
            )
    return variants


def _kind(variant: Variant) -> Dependence | None:
    depends = variant.measure.depends
    return None if depends is None else depends(variant)


def depth_of(variants: tuple[Variant, ...], said: int | None) -> int:
    """How many of each run's first documents matter: as said, or the greatest cutoff."""
    if said is not None:
        return said
    endless = next((variant for variant in variants if variant.k is None), None)
    if endless is not None:
        raise UsageError(f"{endless} has no cutoff, so all documents would have to be graded. Say a depth.")
    return max(variant.k or 0 for variant in variants)


def form_of(frame: Frame, variant: Variant) -> Form:
    """The weights of all runs; a query's weights are divided by the number of queries, as its mean is."""
    kind = _kind(variant)
    weights = np.zeros(frame.ranks.shape)
    discounts = np.zeros(0)
    for at, ranks in enumerate(frame.ranks):
        here = ranks > 0
        if isinstance(kind, Linear):
            weights[at, here] = kind.weight(ranks[here], frame.retrieved[at][frame.query[here]])
        else:
            assert isinstance(kind, OverIdeal)
            within = ranks[here] <= (kind.k or frame.depth)
            weights[at, here] = within / kind.discount(ranks[here])
    if isinstance(kind, OverIdeal):
        longest = int(np.bincount(frame.query).max())
        cut = longest if kind.ideal_k is None else min(kind.ideal_k, longest)
        discounts = 1 / kind.discount(np.arange(1, cut + 1))
    assert isinstance(kind, Linear | OverIdeal)
    return Form(variant, kind.gain, weights / len(frame.queries), discounts)
