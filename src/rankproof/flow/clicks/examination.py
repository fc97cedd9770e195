"""Examination: how likely users look at each rank, against rank 1, with intervals.

The curve of position_based is found from pairs that stood at several ranks, without the model's prior (see
`proportions`), and its intervals come from what each session or page adds to the error. In simulations they hold the
truth at their level where a rank has FEW telling clicks or more; where one has fewer, the curve says so. What the prior
of the fitted model does to pairs that were seldom shown, which pulls examination down at low ranks, is not in it.

The curve of another model is that of the model as it is fitted, prior and all, with percentile intervals over resampled
sessions or pages. They say how much another sample would change the curve, not how far the prior has moved it.

No interval says whether the model is true.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankproof.clickmodels._contract import Fitted, Floats
from rankproof.errors import UsageError
from rankproof.flow.calls import Call, read_call
from rankproof.flow.clicks.proportions import proportions
from rankproof.records import kept
from rankproof.records.impressions import Impressions, Numbers, slices

POSITION_BASED = "position_based"
# Intervals of ranks with fewer telling clicks held the truth in as few as nine of ten simulations, at 95%.
FEW = 10
FEW_UNITS = 50
WITH_PRIOR = "the intervals leave out what the prior of the model does: they hold the truth less often than they say"


@dataclass(frozen=True, slots=True)
class Looked:
    """Examination of a rank over that of rank 1, with the interval at the level of the curve.

    telling   clicks that compare this rank with others, by share; None where the model is fitted with its prior
    """

    rank: int
    value: float
    low: float
    high: float
    telling: float | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """What a model says users look at. Models fix examination only up to a factor: rank 1 is 1, without an interval.

    ranks       those that can be compared with rank 1; notes name the others
    unit        what varies from one sample to another: "session" where the log has sessions, else "page"
    resamples   how many times they were resampled; 0 where nothing was left to chance
    notes       what a reader must know, as sentences without their ends
    """

    model: str
    ranks: tuple[Looked, ...]
    level: float
    unit: str
    units: int
    resamples: int
    notes: tuple[str, ...] = ()


def curve(
    pages: Impressions, model: str = POSITION_BASED, resamples: int = 200, level: float = 0.95, seed: int = 0
) -> Curve:
    """The curve of a model, from all the pages. Choices of position_based, which are about its prior, change nothing.

    resamples, seed   for models other than position_based, whose intervals take resamples
    """
    asked = read_call("clickmodels", model)
    if resamples < 20 or not 0 < level < 1:
        raise UsageError(
            f"An interval needs 20 resamples or more and a level between 0 and 1; got {resamples}, {level}."
        )
    unit, of = ("page", pages.numbers) if pages.sessions is None else ("session", pages.sessions)
    of, units = renumbered(of)
    if asked.item.name == POSITION_BASED:
        ranks, notes = _compared(pages, of, units, level)
        return Curve(POSITION_BASED, ranks, level, unit, units, 0, notes)
    ranks = _resampled(asked, pages, of, resamples, level, np.random.default_rng(seed))
    return Curve(asked.text, ranks, level, unit, units, resamples, (WITH_PRIOR,))


def mean_examination(fitted: Fitted, pages: Impressions) -> Floats | None:
    """Examination by rank, mean over the pages that reach it, down to the end of the longest of them.

    None where the model has no such thing.
    """
    sums, counts = np.zeros(pages.ranks), np.zeros(pages.ranks, dtype=np.int64)
    for piece in pages.pieces():
        looked = fitted.examination(piece)
        if looked is None:
            return None
        sums += np.where(piece.there, looked, 0.0).sum(axis=0)
        counts += piece.there.sum(axis=0)
    reached = counts > 0
    return np.asarray(sums[reached] / counts[reached])


def clicked_at_top(pages: Impressions) -> bool:
    """Whether anything is clicked at rank 1."""
    return any(bool(piece.clicks[:, 0].any()) for piece in pages.pieces())


def renumbered(units: Numbers) -> tuple[Numbers, int]:
    """Numbers of units without gaps, from 0 in the same order, and how many units there are."""
    there = np.zeros(int(units.max()) + 1, dtype=np.bool_)
    there[units] = True
    places = np.cumsum(there) - 1
    return np.asarray(places[units]), int(places[-1]) + 1


def _compared(pages: Impressions, of: Numbers, units: int, level: float) -> tuple[tuple[Looked, ...], tuple[str, ...]]:
    """The curve without a prior, and what to know about it."""
    from scipy.special import stdtrit  # here: loading scipy is for those who ask for a curve

    if not clicked_at_top(pages):
        raise UsageError(f"{POSITION_BASED}: nobody clicks at rank 1, so that other ranks cannot be compared with it.")
    found = proportions(pages)
    spread = np.sqrt(_squares(found.influences, of, units) * (units / max(units - 1, 1)))
    reach = np.exp(float(stdtrit(max(units - 1, 1), (1 + level) / 2)) * spread)
    ranks = tuple(
        Looked(rank + 1, value, value / by, value * by, tells)
        for rank, (tied, value, by, tells) in enumerate(
            zip(found.tied.tolist(), found.values.tolist(), reach.tolist(), found.telling.tolist(), strict=True)
        )
        if tied
    )
    reached = int(pages.lengths.max())
    apart = [rank for rank in range(1, reached + 1) if not found.tied[rank - 1]]
    few = [one.rank for one in ranks if one.telling is not None and one.telling < FEW]
    notes = []
    if apart:
        notes.append(
            f"{_ranks(apart)} cannot be compared with rank 1: too few documents stood and were clicked at both, or at "
            "ranks between them. Show some documents at other ranks, by chance"
        )
    if few and len(ranks) > 1:
        notes.append(f"fewer than {FEW} clicks compare {_ranks(few)} with others: there the interval may be too narrow")
    if units < FEW_UNITS:
        notes.append(f"{units} of them are too few to say how much they vary: the intervals may be too narrow")
    return ranks, tuple(notes)


def _squares(influences: Floats, of: Numbers, units: int) -> Floats:
    """By rank: what the pages of each unit add, squared, and summed over units."""
    by_unit = kept.zeros((units, influences.shape[1]), np.float64)
    for at in slices(len(of)):
        for rank in range(influences.shape[1]):
            np.add.at(by_unit[:, rank], of[at], influences[at, rank])
        kept.let_go(influences[at], by_unit)
    if not kept.is_kept(by_unit):
        return np.asarray((by_unit**2).sum(axis=0))
    found = np.zeros(influences.shape[1])
    for at in slices(units):
        found += (by_unit[at] ** 2).sum(axis=0)
        kept.let_go(by_unit[at])
    return found


def _ranks(numbers: list[int]) -> str:
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _resampled(
    asked: Call, pages: Impressions, of: Numbers, resamples: int, level: float, chance: np.random.Generator
) -> tuple[Looked, ...]:
    """The curve of the model as it is fitted, and of resampled units."""
    value = _relative(asked, pages)
    units = int(of.max()) + 1
    order = np.argsort(of, kind="stable")
    starts, counts = np.searchsorted(of[order], np.arange(units)), np.bincount(of)
    drawn = np.full((resamples, len(value)), np.nan)  # a resample may lack the few pages that reach the last ranks
    for row in drawn:
        picked = chance.integers(units, size=units)
        sizes = counts[picked]
        # The rows of each picked unit, one after the other.
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        again = _relative(asked, pages.take(order[np.repeat(starts[picked], sizes) + within]))
        row[: len(again)] = again
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        Looked(rank, float(v), float(a), float(b))
        for rank, (v, a, b) in enumerate(zip(value, low, high, strict=True), start=1)
    )


def _relative(asked: Call, pages: Impressions) -> Floats:
    looked = mean_examination(asked.item.fit(pages, asked.values), pages)
    if looked is None:
        raise UsageError(f"{asked.text} says nothing about examination. Ask for another click model: position_based.")
    if not looked[0]:
        raise UsageError(f"{asked.text}: nobody looks at rank 1, so that other ranks cannot be compared with it.")
    return np.asarray(looked / looked[0])
