"""Examination: how likely users look at each rank relative to rank 1, with confidence intervals.

The curve of position_based is estimated from pairs that stood at several ranks, without the model's prior (see
`proportions`), and its intervals come from what each session or page adds to the error. In simulations they hold the
truth at their level where a rank has FEW telling clicks or more; where one has fewer, the curve says so. What the prior
of the fitted model does to pairs that were seldom shown, which pulls examination down at low ranks, is not in it.

The curve of another model is that of the model as it is fitted, prior and all, with percentile intervals over resampled
sessions or pages. They say how much another sample would change the curve, not how far the prior has moved it.

No interval says whether the model is true.

Where a click needs a look, which depends on the rank, and a liking, which depends on the pair, the clicks of one pair
spread over its ranks as showings times examination, whatever the liking is. So each pair compares the ranks where it
stood, and no prior is needed: this is Poisson regression with an effect for each pair, solved by proportional fitting.
Its estimates are consistent however many pairs there are and however clicks depend on each other on a page, as long as
the mean is right (Wooldridge, Distribution-free estimation of some nonlinear panel data models, Journal of
Econometrics 90, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.column_files import is_in_file, let_go, zeros
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.online.clickmodels._product import Cells, by_rank, cells_of
from rankproof.online.clickmodels.contract import Fitted, Floats
from rankproof.online.impressions import Impressions, Numbers, slices

# Fitting ends when no logarithm changes by more than this, or after PASSES: then the pairs hold little information.
STILL = 1e-10
PASSES = 5_000
# A residual of a pair with few clicks is too small, since the pair's own effect was fitted to it. It is divided by the
# root of 1 minus its leverage, which may not come nearer to 1 than this (as HC2 of MacKinnon and White, 1985).
LEVERAGE = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class Proportions:
    """Examination by rank relative to rank 1, and the influence of each page on its error.

    tied         whether pairs connect the rank with rank 1, directly or through other ranks; otherwise it is unknown
    values       1 at rank 1; 0 where the rank is not tied
    influences   pages x ranks: an error of the logarithm is the sum over pages, which are independent of each other
                 or are summed by session first; 0 at rank 1 and where the rank is not tied
    telling      clicks that compare the rank with others: a click counts by the share of its pair's clicks that was
                 expected at other ranks
    """

    tied: NDArray[np.bool_]
    values: Floats
    influences: Floats
    telling: Floats


def proportions(pages: Impressions) -> Proportions:
    """The proportions, estimated from the clicks of these pages."""
    ranks = pages.ranks
    cells = cells_of(pages, by_rank, ranks)
    tied = _tied(cells, len(pages.pairs), ranks)
    stays = tied[cells.slots]
    cells = Cells(cells.pairs[stays], cells.slots[stays], cells.shown[stays], cells.clicked[stays])
    looked, liked = _fitted(cells, len(pages.pairs), ranks)
    expected = np.zeros((len(pages.pairs), ranks))
    expected[cells.pairs, cells.slots] = cells.shown * liked[cells.pairs] * looked[cells.slots]
    of_pairs, of_ranks = expected.sum(axis=1), expected.sum(axis=0)
    shares = expected / np.where(of_pairs > 0, of_pairs, 1.0)[:, None]
    curvature = np.diag(of_ranks) - shares.T @ expected
    free = np.flatnonzero(tied)[1:]
    inverse = np.linalg.pinv(curvature[np.ix_(free, free)]) if len(free) else curvature[:0, :0]
    influences = zeros((len(pages), ranks), np.float64)
    start = 0
    for piece in pages.pieces():
        at = slice(start, start + len(piece))
        counted = piece.there & tied
        mean = np.where(counted, liked[piece.shown] * looked, 0.0)
        leverage = _over(mean, of_pairs[piece.shown]) + _over(mean, of_ranks)
        away = np.where(counted, piece.clicks - mean, 0.0) / np.sqrt(1 - np.minimum(leverage, LEVERAGE))
        scores = away.copy()
        for rank in range(ranks):
            scores -= away[:, rank, None] * shares[piece.shown[:, rank]]
        influences[at, free] = scores[:, free] @ inverse
        let_go(influences[at])
        start = at.stop
    return Proportions(tied, looked, influences, np.diag(curvature).copy())


def _over(part: Floats | Numbers, whole: Floats | Numbers) -> Floats:
    """A share; 0 where there is nothing to share."""
    return np.asarray(part / np.where(whole > 0, whole, np.inf))


def _fitted(cells: Cells, n_pairs: int, ranks: int) -> tuple[Floats, Floats]:
    """Examination by rank, that of rank 1 being 1, and liking by pair: sums of both agree with the clicks."""
    looked = np.zeros(ranks)
    looked[np.unique(cells.slots)] = 1.0
    of_ranks = np.bincount(cells.slots, cells.clicked, ranks)
    of_pairs = np.bincount(cells.pairs, cells.clicked, n_pairs)
    there = looked > 0
    for _ in range(PASSES):
        liked = _over(of_pairs, np.bincount(cells.pairs, cells.shown * looked[cells.slots], n_pairs))
        updated = _over(of_ranks, np.bincount(cells.slots, cells.shown * liked[cells.pairs], ranks))
        updated /= updated[0]
        moved = float(np.abs(np.log(updated[there] / looked[there])).max())
        looked = updated
        if moved <= STILL:
            break
    return looked, _over(of_pairs, np.bincount(cells.pairs, cells.shown * looked[cells.slots], n_pairs))


def _tied(cells: Cells, n_pairs: int, ranks: int) -> NDArray[np.bool_]:
    """Ranks that reach rank 1 and are reached from it; j reaches k by a pair that stood at j and was clicked at k.

    As for paired comparisons (Ford, Solution of a ranking problem from binary comparisons, 1957): without both ways the
    likelihood is greatest at a proportion of 0 or without bound.
    """
    stood = np.zeros((n_pairs, ranks), dtype=np.bool_)
    stood[cells.pairs, cells.slots] = True
    hit = np.zeros((n_pairs, ranks), dtype=np.bool_)
    hit[cells.pairs, cells.slots] = cells.clicked > 0
    reaches = (stood.T.astype(np.float64) @ hit.astype(np.float64)) > 0
    tied = _from_first(reaches) & _from_first(reaches.T)
    tied[0] = True
    return tied


def _from_first(reaches: NDArray[np.bool_]) -> NDArray[np.bool_]:
    reached = np.zeros(len(reaches), dtype=np.bool_)
    reached[0] = True
    while True:
        more = reached | reaches[reached].any(axis=0)
        if (more == reached).all():
            return reached
        reached = more


POSITION_BASED = "position_based"
# Intervals of ranks with fewer telling clicks held the truth in as few as nine of ten simulations, at 95%.
FEW = 10
FEW_UNITS = 50
WITH_PRIOR = "the intervals leave out what the prior of the model does: they hold the truth less often than they say"


@dataclass(frozen=True, slots=True)
class RankExamination:
    """Examination of a rank over that of rank 1, with the interval at the level of the curve.

    telling   clicks that compare this rank with others, by share; None where the model is fitted with its prior
    """

    rank: int
    value: float
    low: float
    high: float
    telling: float | None = None


@dataclass(frozen=True, slots=True)
class ExaminationCurve:
    """Examination by rank, as a model estimates it. It is known only up to a factor: rank 1 is 1, without an interval.

    ranks       those that can be compared with rank 1; notes name the others
    unit        what varies from one sample to another: "session" where the log has sessions, else "page"
    resamples   how many times they were resampled; 0 where no resampling was needed
    notes       what a reader must know, as sentences without full stops
    """

    model: str
    ranks: tuple[RankExamination, ...]
    level: float
    unit: str
    units: int
    resamples: int
    notes: tuple[str, ...] = ()


def curve(
    pages: Impressions, model: str = POSITION_BASED, resamples: int = 200, level: float = 0.95, seed: int = 0
) -> ExaminationCurve:
    """The curve of a model, from all the pages. The parameters of position_based, its prior, have no effect here.

    resamples, seed   for models other than position_based, whose intervals take resamples
    """
    chosen = read_configured("clickmodels", model)
    if resamples < 20 or not 0 < level < 1:
        raise UsageError(
            f"An interval needs 20 resamples or more and a level between 0 and 1; got {resamples}, {level}."
        )
    unit, unit_of = ("page", pages.numbers) if pages.sessions is None else ("session", pages.sessions)
    unit_of, units = renumbered(unit_of)
    if chosen.item.name == POSITION_BASED:
        ranks, notes = _compared(pages, unit_of, units, level)
        return ExaminationCurve(POSITION_BASED, ranks, level, unit, units, 0, notes)
    ranks = _resampled(chosen, pages, unit_of, resamples, level, np.random.default_rng(seed))
    return ExaminationCurve(chosen.text, ranks, level, unit, units, resamples, (WITH_PRIOR,))


def mean_examination(fitted: Fitted, pages: Impressions) -> Floats | None:
    """Mean examination by rank over the pages that reach it; None where the model has no examination."""
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


def _compared(
    pages: Impressions, of: Numbers, units: int, level: float
) -> tuple[tuple[RankExamination, ...], tuple[str, ...]]:
    """The curve without a prior, and what to know about it."""
    from scipy.special import stdtrit  # here: only a curve needs scipy

    if not clicked_at_top(pages):
        raise UsageError(f"{POSITION_BASED}: there is no click at rank 1, so other ranks cannot be compared with it.")
    fit = proportions(pages)
    spread = np.sqrt(_squares(fit.influences, of, units) * (units / max(units - 1, 1)))
    reach = np.exp(float(stdtrit(max(units - 1, 1), (1 + level) / 2)) * spread)
    ranks = tuple(
        RankExamination(rank + 1, value, value / by, value * by, tells)
        for rank, (tied, value, by, tells) in enumerate(
            zip(fit.tied.tolist(), fit.values.tolist(), reach.tolist(), fit.telling.tolist(), strict=True)
        )
        if tied
    )
    reached = int(pages.lengths.max())
    apart = [rank for rank in range(1, reached + 1) if not fit.tied[rank - 1]]
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
    by_unit = zeros((units, influences.shape[1]), np.float64)
    for at in slices(len(of)):
        for rank in range(influences.shape[1]):
            np.add.at(by_unit[:, rank], of[at], influences[at, rank])
        let_go(influences[at], by_unit)
    if not is_in_file(by_unit):
        return np.asarray((by_unit**2).sum(axis=0))
    sums = np.zeros(influences.shape[1])
    for at in slices(units):
        sums += (by_unit[at] ** 2).sum(axis=0)
        let_go(by_unit[at])
    return sums


def _ranks(numbers: list[int]) -> str:
    return f"rank{'s' if len(numbers) > 1 else ''} {', '.join(map(str, numbers))}"


def _resampled(
    chosen: Configured, pages: Impressions, unit_of: Numbers, resamples: int, level: float, rng: np.random.Generator
) -> tuple[RankExamination, ...]:
    """The curve of the model as it is fitted, and of resampled units."""
    value = _relative(chosen, pages)
    units = int(unit_of.max()) + 1
    order = np.argsort(unit_of, kind="stable")
    starts, counts = np.searchsorted(unit_of[order], np.arange(units)), np.bincount(unit_of)
    drawn = np.full((resamples, len(value)), np.nan)  # a resample may lack the few pages that reach the last ranks
    for row in drawn:
        picked = rng.integers(units, size=units)
        sizes = counts[picked]
        # The rows of each picked unit, one after the other.
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        again = _relative(chosen, pages.take(order[np.repeat(starts[picked], sizes) + within]))
        row[: len(again)] = again
    low, high = np.nanquantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return tuple(
        RankExamination(rank, float(v), float(a), float(b))
        for rank, (v, a, b) in enumerate(zip(value, low, high, strict=True), start=1)
    )


def _relative(chosen: Configured, pages: Impressions) -> Floats:
    looked = mean_examination(chosen.item.fit(pages, chosen.values), pages)
    if looked is None:
        raise UsageError(f"{chosen.text} has no examination. Use another click model, such as position_based.")
    if not looked[0]:
        raise UsageError(f"{chosen.text}: the examination of rank 1 is 0, so other ranks cannot be compared with it.")
    return np.asarray(looked / looked[0])
