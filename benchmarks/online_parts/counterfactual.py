"""How often intervals of counterfactual estimates hold the truth, in each setting, and what poor overlap does.

    action        ten actions for each of thirty queries, chosen with probabilities that are bounded from below
    placement     ten documents in an order drawn anew for each page; propensities of a document at a rank
    examination   the same pages; the examination curve is known, or learned from the same log

The new ranking puts what is liked most on top. Users are position-based; sessions of some pages share how willing their
user is to click.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from benchmarks.online_parts.tables import percent, row, table

from rankproof.online.clicks.examination import proportions
from rankproof.online.counterfactual.estimators import LearnedCurve, estimates, read_estimators
from rankproof.online.counterfactual.overlap import UNLIKELY, dependence_of, overlap_of, warnings_on
from rankproof.online.counterfactual.records import (
    Choices,
    Decisions,
    EstimatorResult,
    MeanReward,
    PlacedPages,
    PredictedRewards,
)
from rankproof.online.counterfactual.settings import (
    decisions_by_examination,
    decisions_of_actions,
    decisions_of_placements,
)
from rankproof.online.impressions import Impressions

ESTIMATORS = ("ips", "snips", "dr")
QUERIES, DOCS = 30, 10
QUERY_IDS = tuple(f"q{i}" for i in range(QUERIES))
DOC_IDS = tuple(f"d{i}" for i in range(DOCS))
LOOKED = np.array([1.0, 0.69, 0.57, 0.47, 0.35, 0.3, 0.28, 0.24, 0.23, 0.22])
LIKED = 0.7 * np.random.default_rng(3).beta(1, 3, (QUERIES, DOCS))
BEST = np.argsort(-LIKED, axis=1)
RANKINGS = {query: tuple(DOC_IDS[doc] for doc in BEST[i]) for i, query in enumerate(QUERY_IDS)}
# What somebody may believe who has it the wrong way round.
WRONG = 0.7 - LIKED
LOGS = 2_000


@dataclass(frozen=True, eq=False)
class Drawn:
    """A log as decisions, what is true of the new ranking's value and of the logged one's, and a learned curve.

    logged   NaN where the truth of the logged ranking is not worked out
    """

    decisions: Decisions
    new: float
    logged: float
    learned: LearnedCurve | None = None


def _willing(size: int, per_session: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray | None]:
    if per_session == 1:
        return np.ones(size), None
    sessions = np.arange(size) // per_session
    return rng.choice([0.6, 1.4], sessions.max() + 1)[sessions], sessions


def actions(
    size: int, least: float, rng: np.random.Generator, per_session: int = 1, model: np.ndarray | None = None
) -> Drawn:
    """One of ten documents for each page, each with probability `least` or more: the worse, the more likely.

    model   what is believed of the reward of each document, in place of what is learned
    """
    bad = np.exp(-40 * LIKED)
    likely = least + (1 - DOCS * least) * bad / bad.sum(axis=1, keepdims=True)
    queries = rng.integers(QUERIES, size=size)
    shown = (rng.random(size)[:, None] > likely[queries].cumsum(axis=1)).sum(axis=1).clip(0, DOCS - 1)
    willing, sessions = _willing(size, per_session, rng)
    rewards = (rng.random(size) < LIKED[queries, shown] * willing).astype(np.float64)
    log = Choices(QUERY_IDS, DOC_IDS, queries, shown, likely[queries, shown], rewards, sessions)
    decisions = decisions_of_actions(log, {query: {docs[0]: 1.0} for query, docs in RANKINGS.items()})
    if model is not None:
        believed = PredictedRewards(model[queries, shown], model[queries, BEST[queries, 0]])
        decisions = replace(decisions, believed=believed)
    return Drawn(decisions, float(LIKED.max(axis=1).mean()), float((likely * LIKED).sum(axis=1).mean()))


def shuffles(
    size: int, rng: np.random.Generator, per_session: int = 1, stops: float = 0.0, length: int = DOCS
) -> tuple[PlacedPages, float]:
    """Pages in chance order with the propensity of each place, 1/10; and the mean number of clicks of a page.

    stops    how likely a user reads no further after a click, which neither model of clicks knows of
    length   how many of the ten documents a page shows
    """
    queries = rng.integers(QUERIES, size=size)
    docs = np.argsort(rng.random((size, DOCS)), axis=1)[:, :length]
    willing, sessions = _willing(size, per_session, rng)
    mean = LIKED[queries[:, None], docs] * LOOKED[:length] * willing[:, None]
    clicks = rng.random(mean.shape) < mean
    gone = np.cumsum(clicks & (rng.random(mean.shape) < stops), axis=1) > 0
    clicks[:, 1:] &= ~gone[:, :-1]
    pages = Impressions.of(QUERY_IDS, DOC_IDS, queries, docs, np.full(size, length), clicks, sessions=sessions)
    logged = float(LIKED.mean() * LOOKED[:length].sum()) if not stops else float("nan")
    return PlacedPages(pages, np.full(docs.shape, 1 / DOCS)), logged


def _best(stops: float = 0.0, length: int = DOCS) -> float:
    """What the new ranking earns: each document what its rank gives, by those who have not stopped above."""
    mean = np.take_along_axis(LIKED, BEST, axis=1) * LOOKED
    reading = np.cumprod(1 - stops * mean, axis=1)
    reading = np.column_stack([np.ones(QUERIES), reading[:, :-1]])
    return float((mean * reading)[:, :length].sum(axis=1).mean())


def placed(size: int, rng: np.random.Generator, per_session: int = 1, stops: float = 0.0) -> Drawn:
    """The ranks of shuffled pages, with logged propensities."""
    log, logged = shuffles(size, rng, per_session, stops)
    return Drawn(decisions_of_placements(log, RANKINGS, DOCS), _best(stops), logged)


def moved(
    size: int,
    rng: np.random.Generator,
    per_session: int = 1,
    learn: bool = False,
    stops: float = 0.0,
    length: int = DOCS,
) -> Drawn:
    """The same pages without propensities: by a curve that is known, or learned from them."""
    log, logged = shuffles(size, rng, per_session, stops, length)
    decide, new = decisions_by_examination(log.pages, RANKINGS, length), _best(stops, length)
    if not learn:
        return Drawn(decide(LOOKED[:length]), new, logged)
    found = proportions(log.pages)
    units = log.pages.numbers if log.pages.sessions is None else log.pages.sessions
    learned = LearnedCurve(found.values, found.influences, units, np.arange(size), decide)
    return Drawn(decide(found.values), new, logged, learned)


@dataclass(frozen=True)
class Held:
    """What became of an estimator's intervals in all logs.

    value, difference   how often the interval had the truth
    bias                the mean error of the estimate, in its standard deviations
    width               the mean width of the interval of the value
    warned              how often there was a warning
    """

    value: float
    difference: float
    bias: float
    width: float
    warned: float


def covered(draw: Callable[[np.random.Generator], Drawn], logs: int, seed: int = 0) -> dict[str, Held]:
    """What became of each estimator's intervals."""
    rng = np.random.default_rng(seed)
    calls = read_estimators(ESTIMATORS)
    rows: dict[str, list[tuple[float, ...]]] = {name: [] for name in ESTIMATORS}
    for _ in range(logs):
        drawn = draw(rng)
        warned = _warned(drawn.decisions)
        _, told = estimates(drawn.decisions, calls, 0.95, 0, drawn.learned)
        for one in told:
            rows[one.estimator].append(_held(one, drawn, warned))
    held = {}
    for name, found in rows.items():
        value, difference, error, width, warned_share = np.array(found).T
        bias = float(np.nanmean(error) / np.nanstd(error))
        held[name] = Held(value.mean(), difference.mean(), bias, float(np.nanmean(width)), warned_share.mean())
    return held


def _warned(decisions: Decisions) -> bool:
    """Whether somebody would be warned: of the overlap, or where ranks are weighed one by one, of stopping users."""
    if warnings_on(overlap_of(decisions), "page", ESTIMATORS):
        return True
    depends = dependence_of(decisions) if len(decisions.pages) > len(decisions) else None
    return depends is not None and depends.share < 0 and depends.p_value < UNLIKELY


def _held(one: EstimatorResult, drawn: Drawn, warned: bool) -> tuple[float, ...]:
    new, apart = one.new, one.difference
    if not isinstance(new, MeanReward):
        return 0.0, 0.0, np.nan, np.nan, float(warned)
    inside = new.low <= drawn.new <= new.high
    true = drawn.new - drawn.logged
    held = np.nan if np.isnan(true) else apart.low <= true <= apart.high
    return inside, held, new.value - drawn.new, new.high - new.low, float(warned)


def study(share: float = 1.0, seed: int = 0) -> None:
    """The table of all settings."""
    logs = max(100, round(LOGS * share))
    cases: dict[str, Callable[[np.random.Generator], Drawn]] = {
        "action, propensities from 5%, 4,000 pages": lambda rng: actions(4_000, 0.05, rng),
        "action, the same, 1,000 sessions of 4 pages": lambda rng: actions(4_000, 0.05, rng, 4),
        "action, the same, dr with the true rewards": lambda rng: actions(4_000, 0.05, rng, model=LIKED),
        "action, the same, dr with wrong rewards": lambda rng: actions(4_000, 0.05, rng, model=WRONG),
        "placement, 2,000 pages": lambda rng: placed(2_000, rng),
        "placement, 500 sessions of 4 pages": lambda rng: placed(2_000, rng, 4),
        "examination, known curve, 2,000 pages": lambda rng: moved(2_000, rng),
        "examination, curve of the same log, 2,000 pages": lambda rng: moved(2_000, rng, learn=True),
        "examination, the same, 500 sessions of 4 pages": lambda rng: moved(2_000, rng, 4, learn=True),
        "examination, the same, 2,000 pages of 5 documents": lambda rng: moved(2_000, rng, learn=True, length=5),
        "placement, half of those who click stop": lambda rng: placed(2_000, rng, stops=0.5),
        "examination, half of those who click stop": lambda rng: moved(2_000, rng, learn=True, stops=0.5),
        "action, propensities from 1%, 2,000 pages": lambda rng: actions(2_000, 0.01, rng),
        "action, propensities from 0.1%, 2,000 pages": lambda rng: actions(2_000, 0.001, rng),
    }
    head = "setting | logs | estimator | value | difference | bias in sd | mean width | warned"
    table("Coverage of 95% intervals of counterfactual estimates", head, _rows(cases, logs, seed))


def _rows(cases: Mapping[str, Callable[[np.random.Generator], Drawn]], logs: int, seed: int) -> Iterator[str]:
    for name, draw in cases.items():
        # A curve that is learned anew in every log takes its time.
        some = logs if name.startswith("action") else logs // 2 if name.startswith("placement") else logs // 4
        for estimator, held in covered(draw, some, seed).items():
            difference = "" if np.isnan(held.difference) else percent(held.difference)
            shares = percent(held.value), difference, f"{held.bias:+.2f}", f"{held.width:.4f}"
            yield row(name, f"{some:,}", estimator, *shares, percent(held.warned, 0))


if __name__ == "__main__":
    import sys

    study(float(sys.argv[1]) if len(sys.argv) > 1 else 1.0)
