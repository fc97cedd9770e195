"""Units that are no independent queries, made of known distributions: clusters, repeats, weights, several datasets.

Values are differences between two systems whose true mean is known. *normal*; *skewed* (exponential, skewness 2);
*0/1* (a paired change of a hit: -1, 0 or 1 with probabilities 15, 50 and 35%); *sparse 0/1* (5, 80 and 15%).

clusters   of 5 units, of lognormal sizes, or with half of all units in one. Units have the stated intraclass
           correlation: normal and skewed values are sums of a cluster's part and their own, 0/1 values copy their
           cluster's template with the square root of it as the probability.
repeats    units asked 1 to 8 times (as often as the least of two draws), averaged; the stated share of the variance of
           a single answer is noise between repetitions. 0/1: each repetition succeeds with the unit's own probability.
weights    lognormal, or as traffic is (the share of units with at least w visits is 1/w, cut at 100)
datasets   of unequal sizes, each of the same weight, with means and spreads of their own

The threshold of one-sided bounds stands at the truth, so that every rejection is false. Used by the tests in
`tests/simulated` (few trials) and by `benchmarks/statistics.py` (many).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Answer, Estimate
from rankproof.proving.sampling import Sampling, SamplingColumns
from rankproof.proving.significance.contract import Significance, SignificanceRequest

from .sparse import NONE
from .worlds import Rate, Values

KINDS = ("normal", "skewed", "0/1", "sparse 0/1")
CHANGES = {"0/1": (0.15, 0.5, 0.35), "sparse 0/1": (0.05, 0.8, 0.15)}
SIZE, SPREAD = 1.2, 0.9  # of the logarithm of a cluster's size
MOST_REPEATS = 8
MOST_VISITS = 100.0
# Query sets drawn with the same sizes, which are answered together.
TOGETHER = 100
# One value of these lies in this range, by definition; the others have no range.
RANGES = {"0/1": 1.0, "sparse 0/1": 1.0}

# Units by trials, how they were drawn (None: one by one), and the true mean.
Sample = tuple[Values, Sampling | None, float]


@dataclass(frozen=True)
class UnitDesign:
    """A kind of units: what the tables call it, and how so many sets of them are drawn."""

    name: str
    kind: str
    draw: Callable[[int, np.random.Generator], Sample]
    repeated: bool = False


@dataclass(frozen=True)
class UnitAnswers:
    """How often intervals hold the truth, tests reject it, and one-sided bounds lie beyond it.

    `missing` of each rate counts the sets without an answer: NotEstimable, and no error.
    """

    covers: Rate = NONE
    rejects: Rate = NONE
    above: Rate = NONE
    below: Rate = NONE
    by_t: Rate = NONE

    def __add__(self, other: UnitAnswers) -> UnitAnswers:
        return UnitAnswers(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


# ---- values ---------------------------------------------------------------------------------------


def plain(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Values:
    """Independent values of a kind; those of normal and skewed ones have mean 0 and variance 1."""
    if kind == "normal":
        return rng.normal(size=shape)
    if kind == "skewed":
        return rng.exponential(size=shape) - 1.0
    return rng.choice([-1.0, 0.0, 1.0], size=shape, p=CHANGES[kind])


def truth_of(kind: str) -> float:
    """The mean of `plain` values."""
    return CHANGES[kind][2] - CHANGES[kind][0] if kind in CHANGES else 0.0


def _sampling(n: int, columns: SamplingColumns, weights: Values | None = None, **codes: Values) -> Sampling:
    return Sampling(
        tuple(map(str, range(n))),
        np.ones(n) if weights is None else weights,
        codes.get("strata", np.zeros(n)).astype(np.int64),
        codes.get("clusters", np.arange(n)).astype(np.int64),
        columns,
    )


def cluster_sizes(clusters: int, sizes: str, rng: np.random.Generator) -> Values:
    """How many units each cluster has."""
    if sizes == "of 5":
        return np.full(clusters, 5)
    if sizes == "one with half":
        return np.array([4 * (clusters - 1), *[4] * (clusters - 1)])
    return np.ceil(np.exp(rng.normal(SIZE, SPREAD, clusters)) - 0.5).clip(1)


def _clusters(trials: int, rng: np.random.Generator, clusters: int, sizes: str, alike: float, kind: str) -> Sample:
    of = np.repeat(np.arange(clusters), cluster_sizes(clusters, sizes, rng).astype(np.int64))
    n = len(of)
    theirs, own = plain(kind, (clusters, trials), rng)[of], plain(kind, (n, trials), rng)
    if kind in CHANGES:
        values = np.where(rng.random((n, trials)) < np.sqrt(alike), theirs, own)
    else:
        values = np.sqrt(alike) * theirs + np.sqrt(1 - alike) * own
    return values, _sampling(n, SamplingColumns(clusters="cluster"), clusters=of), truth_of(kind)


def _repeats(trials: int, rng: np.random.Generator, n: int, noise: float, kind: str) -> Sample:
    """Means over repetitions, as a score table gives them: the unit stays one."""
    times = np.minimum(*rng.integers(1, MOST_REPEATS + 1, (2, n)))
    if kind in CHANGES:
        old, new = 0.3, 0.45  # the mean chance of success; a unit's own lies about it, the less the more is noise
        firm = (1 - noise) / max(noise, 1e-9)
        sides = []
        for mean in (old, new):
            own = (
                np.full((n, trials), mean)
                if noise >= 1
                else (rng.random((n, trials)) < mean).astype(float)
                if noise <= 0
                else rng.beta(mean / firm, (1 - mean) / firm, (n, trials))
            )
            sides.append(rng.binomial(times[:, None], own) / times[:, None])
        return sides[1] - sides[0], None, new - old
    within = plain(kind, (n, trials), rng) / np.sqrt(times)[:, None]
    return np.sqrt(1 - noise) * plain(kind, (n, trials), rng) + np.sqrt(noise) * within, None, 0.0


def _weights(trials: int, rng: np.random.Generator, n: int, heavy: str, kind: str) -> Sample:
    weights = rng.lognormal(0.0, 1.0, n) if heavy == "lognormal" else np.minimum(1.0 / rng.random(n), MOST_VISITS)
    return plain(kind, (n, trials), rng), _sampling(n, SamplingColumns(weights="visits"), weights), truth_of(kind)


def _datasets(trials: int, rng: np.random.Generator, sizes: tuple[int, ...], kind: str) -> Sample:
    of = np.repeat(np.arange(len(sizes)), sizes)
    weights = (1.0 / np.array(sizes))[of]
    values = plain(kind, (len(of), trials), rng)
    middle = truth_of(kind)
    if kind not in CHANGES:
        shifts, scales = np.linspace(-0.5, 0.5, len(sizes)), np.linspace(0.5, 1.5, len(sizes))
        values, middle = scales[of][:, None] * values + shifts[of][:, None], 0.0
    return values, _sampling(len(of), SamplingColumns("weight", "dataset"), weights, strata=of), middle


# ---- designs --------------------------------------------------------------------------------------

# Below 20 queries in one of them a warning says that the error is told too small.
DATASETS = (
    (60, 20),
    (50, 30, 20),
    (60, 40, 30, 25, 20),
    (80, 60, 50, 40, 30, 30, 25, 25, 20, 20),
    (21, 14, 7),
)


def unit_designs(part: str) -> Iterator[UnitDesign]:
    """Every design of a part: "clusters", "repeats", "weights" or "datasets"."""
    for kind in KINDS:
        if part == "clusters":
            for clusters in (5, 10, 25):
                for sizes in ("of 5", "of unequal size", "one with half"):
                    for alike in (0.0, 0.1, 0.5):
                        draw = partial(_clusters, clusters=clusters, sizes=sizes, alike=alike, kind=kind)
                        yield UnitDesign(f"{clusters} clusters, {sizes}, correlation {alike:g}", kind, draw)
        elif part == "repeats" and kind != "sparse 0/1":
            for n in (25, 50):
                for noise in (0.0, 0.5, 1.0):
                    draw = partial(_repeats, n=n, noise=noise, kind=kind)
                    yield UnitDesign(f"{n} units asked 1 to 8 times, {noise:.0%} noise", kind, draw, repeated=noise > 0)
        elif part == "weights":
            for n in (25, 50, 200):
                for heavy in ("lognormal", "traffic"):
                    yield UnitDesign(
                        f"{n} units, {heavy} weights", kind, partial(_weights, n=n, heavy=heavy, kind=kind)
                    )
        elif part == "datasets":
            for sizes in DATASETS:
                name = f"{len(sizes)} datasets of {max(sizes)} to {min(sizes)}"
                yield UnitDesign(name, kind, partial(_datasets, sizes=sizes, kind=kind))


def unit_answers(
    design: UnitDesign, trials: int, rng: np.random.Generator, method: str = "t_or_gaffke", together: int = TOGETHER
) -> UnitAnswers:
    """What a method says of sets of units; sizes, weights and repetitions are drawn anew every `together` sets."""
    by: Significance = shelf.find("significance", method)
    found = UnitAnswers()
    while found.covers.trials + found.covers.missing < trials:
        sample = design.draw(min(together, trials), rng)
        found += _answered(by, sample, RANGES.get(design.kind, np.inf), rng, design.repeated)
    return found


def _answered(
    by: Significance, sample: Sample, widest: float, rng: np.random.Generator, repeated: bool = False
) -> UnitAnswers:
    values, sampling, truth = sample

    def ask(side: Alternative) -> list[Answer]:
        asked = SignificanceRequest(0.95, side, truth, 2_000, -widest, widest, sampling, repeated=repeated)
        return by.many(values, asked, rng)

    both, above, below = ask("two-sided"), ask("greater"), ask("less")
    return UnitAnswers(
        _rate(both, lambda a: a.low - 1e-9 <= truth <= a.high + 1e-9),
        _rate(both, lambda a: a.p_value <= 0.05),
        _rate(above, lambda a: a.low > truth + 1e-9),
        _rate(below, lambda a: a.high < truth - 1e-9),
        _rate(both, lambda a: a.method != "gaffke"),
    )


def _rate(answers: list[Answer], holds: Callable[[Estimate], bool]) -> Rate:
    given = [answer for answer in answers if isinstance(answer, Estimate)]
    return Rate(sum(map(holds, given)), len(given), len(answers) - len(given))


# ---- tables ---------------------------------------------------------------------------------------


def unit_rows(part: str, trials: int, seed: int) -> Iterator[str]:
    """The rows of a table: a design in each, and for each kind of values what the default says of it."""
    by_name: dict[str, list[tuple[int, UnitDesign]]] = {}
    for number, design in enumerate(unit_designs(part)):
        by_name.setdefault(design.name, []).append((number, design))
    for name, of_name in by_name.items():
        cells = []
        for number, design in of_name:
            # Bounds that are Gaffke's take a hundred times as long as t.
            many = trials if design.kind not in CHANGES else max(TOGETHER, trials // 12)
            cells.append(_cell(unit_answers(design, many, np.random.default_rng([seed, number]))))
        yield f"| {name} | {' | '.join(cells)} |"


def _cell(found: UnitAnswers) -> str:
    """Coverage, the worse side of one-sided bounds, and the share without an answer where there are such."""

    def told(*rates: Rate) -> str:
        known = [rate.share for rate in rates if rate.trials]
        return f"{100 * max(known):.1f}" if known else "none"

    lost = found.covers.missing / (found.covers.trials + found.covers.missing)
    without = f" ({lost:.0%} not estimable)" if lost else ""
    return f"{told(found.covers)}, {told(found.above, found.below)}{without}"
