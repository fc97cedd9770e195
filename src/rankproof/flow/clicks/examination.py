"""Examination: how likely users look at each rank, against rank 1, with intervals.

An interval says how much another sample of sessions or pages would change the curve. It does not say whether the model
is true, nor what its prior does to pairs that were seldom shown, which pull the curve down a little at low ranks: it
holds the truth somewhat less often than its level says.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankproof.clickmodels._contract import Fitted, Floats
from rankproof.errors import UsageError
from rankproof.flow.calls import Call, read_call
from rankproof.records.impressions import Impressions


@dataclass(frozen=True, slots=True)
class Looked:
    """Examination of a rank over that of rank 1, with the interval at the level of the curve."""

    rank: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Curve:
    """What a model says users look at. Models fix examination only up to a factor: rank 1 is 1, without an interval.

    unit        what was resampled: "session" where the log has sessions, else "page"
    resamples   how many times
    """

    model: str
    ranks: tuple[Looked, ...]
    level: float
    unit: str
    units: int
    resamples: int


def curve(
    pages: Impressions, model: str = "position_based", resamples: int = 200, level: float = 0.95, seed: int = 0
) -> Curve:
    """The curve of a model learned from all the pages, with percentile intervals over resampled sessions or pages."""
    asked = read_call("clickmodels", model)
    if resamples < 20 or not 0 < level < 1:
        raise UsageError(
            f"An interval needs 20 resamples or more and a level between 0 and 1; got {resamples}, {level}."
        )
    chance = np.random.default_rng(seed)
    value = _relative(asked, pages)
    keys = pages.numbers if pages.sessions is None else pages.sessions
    units, of = np.unique(keys, return_inverse=True)
    order = np.argsort(of, kind="stable")
    starts, counts = np.searchsorted(of[order], np.arange(len(units))), np.bincount(of)
    drawn = np.full((resamples, len(value)), np.nan)  # a resample may lack the few pages that reach the last ranks
    for row in drawn:
        picked = chance.integers(len(units), size=len(units))
        sizes = counts[picked]
        # The rows of each picked unit, one after the other.
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        again = _relative(asked, pages.take(order[np.repeat(starts[picked], sizes) + within]))
        row[: len(again)] = again
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    ranks = tuple(
        Looked(rank, float(v), float(a), float(b))
        for rank, (v, a, b) in enumerate(zip(value, low, high, strict=True), start=1)
    )
    return Curve(asked.text, ranks, level, "page" if pages.sessions is None else "session", len(units), resamples)


def mean_examination(fitted: Fitted, pages: Impressions) -> Floats | None:
    """Examination by rank, mean over the pages that reach it, down to the end of the longest of them.

    None where the model has no such thing.
    """
    looked = fitted.examination(pages)
    if looked is None:
        return None
    reached = slice(int(pages.lengths.max()))
    there = pages.there[:, reached]
    return np.asarray(np.where(there, looked[:, reached], 0.0).sum(axis=0) / there.sum(axis=0))


def _relative(asked: Call, pages: Impressions) -> Floats:
    looked = mean_examination(asked.item.fit(pages, asked.values), pages)
    if looked is None:
        raise UsageError(f"{asked.text} says nothing about examination. Ask for another click model: position_based.")
    if not looked[0]:
        raise UsageError(f"{asked.text}: nobody looks at rank 1, so that other ranks cannot be compared with it.")
    return np.asarray(looked / looked[0])
