"""Query sets that are no simple random sample, made of real differences: clusters, weights and strata.

Clusters: each has a template drawn from a pair's differences; each of its queries copies the template with a given
probability, and is drawn anew otherwise. Sizes are equal, or lognormal. Weights: lognormal (a few queries count ten
times as much as others), or as traffic is (the share of queries with at least w visits is 1/w, cut at 100). Strata:
three, with the shares 60, 30 and 10% of the population and as many queries each; in the second of them changes are
half as large. The threshold stands at the truth, so that every rejection is false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Estimate
from rankproof.proving.sampling import Sampling, SamplingColumns
from rankproof.proving.significance.contract import Significance, SignificanceRequest

from .sparse import NONE, SparseWorld
from .worlds import Rate, Values

SIZE, SPREAD = 1.2, 0.9  # of the logarithm of a cluster's size
SHARES, SCALES = (0.6, 0.3, 0.1), (1.0, 0.5, 1.0)
MOST_VISITS = 100.0

Sample = tuple[Values, Sampling, float]
Draw = Callable[[Values, np.random.Generator], Sample]


@dataclass(frozen=True)
class Design:
    """A kind of query set: what the tables call it, and how one is drawn from a pair's differences."""

    name: str
    draw: Draw


@dataclass(frozen=True)
class DesignAnswers:
    """Of the query sets that had an answer: false passes and fails, intervals with the truth."""

    passes: Rate = NONE
    fails: Rate = NONE
    covers: Rate = NONE

    def __add__(self, other: DesignAnswers) -> DesignAnswers:
        return DesignAnswers(*(getattr(self, name) + getattr(other, name) for name in self.__dataclass_fields__))


def designs() -> Iterator[Design]:
    """Every design of the tables."""
    for clusters in (5, 10, 25):
        for even, word in ((True, "of 5"), (False, "of unequal size")):
            for copied in (0.0, 0.5, 0.9):
                name = f"{clusters} clusters {word}, {copied:.0%} copied"
                yield Design(name, partial(_clusters, clusters=clusters, even=even, copied=copied))
    for n in (25, 50, 200):
        for kind in ("lognormal", "traffic"):
            yield Design(f"{n} queries, {kind} weights", partial(_weights, n=n, kind=kind))
    for n in (30, 60, 210):
        yield Design(f"{n} queries in 3 strata", partial(_strata, n=n))


def _sampling(
    columns: SamplingColumns, weights: Values, strata: Sequence[int] | None = None, of: Sequence[int] | None = None
) -> Sampling:
    n = len(weights)
    return Sampling(
        tuple(map(str, range(n))),
        weights,
        np.zeros(n, dtype=np.int64) if strata is None else np.array(strata),
        np.arange(n) if of is None else np.array(of),
        columns,
    )


def _clusters(changes: Values, rng: np.random.Generator, clusters: int, even: bool, copied: float) -> Sample:
    sizes = np.full(clusters, 5) if even else np.ceil(np.exp(rng.normal(SIZE, SPREAD, clusters)) - 0.5).clip(1)
    of = np.repeat(np.arange(clusters), sizes.astype(np.int64))
    own, template = rng.choice(changes, len(of)), rng.choice(changes, clusters)[of]
    values = np.where(rng.random(len(of)) < copied, template, own)
    return values, _sampling(SamplingColumns(clusters="cluster"), np.ones(len(of)), of=of), float(changes.mean())


def _weights(changes: Values, rng: np.random.Generator, n: int, kind: str) -> Sample:
    weights = rng.lognormal(0.0, 1.0, n) if kind == "lognormal" else np.minimum(1.0 / rng.random(n), MOST_VISITS)
    return rng.choice(changes, n), _sampling(SamplingColumns(weights="visits"), weights), float(changes.mean())


def _strata(changes: Values, rng: np.random.Generator, n: int) -> Sample:
    each = n // len(SHARES)
    values = np.concatenate([scale * rng.choice(changes, each) for scale in SCALES])
    strata = np.repeat(np.arange(len(SHARES)), each)
    truth = float(changes.mean()) * sum(share * scale for share, scale in zip(SHARES, SCALES, strict=True))
    sampling = _sampling(SamplingColumns(weights="share", strata="kind"), np.repeat(SHARES, each), strata)
    return values, sampling, truth


def answers(
    worlds_of: Sequence[SparseWorld], design: Design, trials: int, rng: np.random.Generator, method: str = "t_or_gaffke"
) -> DesignAnswers:
    """What a method says of query sets of a design, drawn from one pair after the other."""
    by: Significance = shelf.find("significance", method)
    passes = fails = covers = given = 0
    for trial in range(trials):
        values, sampling, truth = design.draw(worlds_of[trial % len(worlds_of)].changes, rng)

        def ask(side: Alternative, values: Values = values, sampling: Sampling = sampling, truth: float = truth):
            question = SignificanceRequest(0.95, side, truth, low=-1.0, high=1.0, sampling=sampling)
            return by.infer(values, question, rng)

        both, above, below = ask("two-sided"), ask("greater"), ask("less")
        if not (isinstance(both, Estimate) and isinstance(above, Estimate) and isinstance(below, Estimate)):
            continue
        given += 1
        covers += both.low - 1e-12 <= truth <= both.high + 1e-12
        passes += above.low > truth + 1e-12
        fails += below.high < truth - 1e-12
    return DesignAnswers(*(Rate(int(count), given) for count in (passes, fails, covers)))
