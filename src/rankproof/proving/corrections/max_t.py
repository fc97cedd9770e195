"""Studentized bootstrap max-t: each difference against the largest that chance gives in the family, in standard errors.

Queries are drawn anew from those that were asked, whole rows at a time, so that what the tests share (systems,
queries, measures) stays as it is. Of each draw the largest |t| about the observed means is kept; the adjusted p-value
of a difference is the share of draws whose largest is at least its own |t|, the observed one counted in. Differences
that are already shown leave the race for the next ones (step-down). It supposes neither equal spread, as Tukey's method
does, nor that t has Student's distribution, as Holm's correction of t tests does: both err where systems spread
unequally and differences are skewed (docs/statistics.md). The price is power with few queries. A draw whose variance is
below a twentieth of the observed one counts with that much, or nineteen gains of twenty would not be told from chance.

A test on few changed queries (fewer than 12, or than half of all) has no t that could be trusted: it takes its part of
the error as one test of the family (Bonferroni), by its own method; so does one that is alone on its queries. Tables on
different queries, which segments are, share the error by their number of tests.

The intervals reach so many standard errors to each side as 5% of the draws go beyond: all of them hold together.

Where queries have weights, strata or clusters, the clusters of each stratum are drawn anew among themselves, each with
what it adds to the weighted mean, and errors are those of the design. So a small dataset among large ones, each of the
same weight, is drawn with all its uncertainty, where the t tests of few queries would err.

controls: family-wise error
source: Romano and Wolf, Exact and approximate stepdown methods for multiple hypothesis testing, JASA 100(469), 2005;
Westfall, On using the bootstrap for multiple comparisons, Journal of Biopharmaceutical Statistics 21(6), 2011

Three systems on 14 queries; the third is better than both, the first two differ by chance:

>>> from rankproof.testing.statistics import adjusted, all_pairs
>>> first = [0.1, 0.5, 0.3, 0.9, 0.4, 0.2, 0.7, 0.6, 0.3, 0.8, 0.1, 0.5, 0.4, 0.6]
>>> wobble = [0.1, -0.2, 0.1, 0.0, -0.1, 0.2, -0.1, 0.1, 0.2, -0.3, 0.1, -0.1, 0.2, -0.1]
>>> table = [[a, a + w, a + 0.3 + w / 2] for a, w in zip(first, wobble)]
>>> adjusted("max_t", all_pairs([table]))
[0.869, 0.0, 0.0]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.proving.corrections._family import intervals, made, percent
from rankproof.proving.corrections.contract import Block, Correction, Tests
from rankproof.proving.records import Adjusted
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance._tails import decisive
from rankproof.proving.significance._typical import of_rank
from rankproof.proving.significance.contract import SAME
from rankproof.proving.significance.t_or_gaffke import changed_queries, enough_changed, few_clusters

Numbers = NDArray[np.float64]

CHUNK = 2_000_000  # draws x tests at a time, and draws x queries
# Draws are as many as asked for, but no more than this many multiplications allow, and never fewer than the least.
MOST_WORK, LEAST_DRAWS = 1_000_000_000, 2_000
# A draw in which nearly all values are equal says little of the spread: it counts with this share of the variance.
LEAST_SPREAD = 0.05


@dataclass(frozen=True, slots=True, eq=False)
class _Race:
    """The tests on one set of queries that are held against each other.

    tests         their places in the family
    differences   queries by tests
    sampling      how the queries were drawn; None for a simple random sample
    """

    tests: tuple[int, ...]
    differences: Numbers
    sampling: Sampling | None = None

    def means_and_errors(self) -> tuple[Numbers, Numbers]:
        """The mean of each test, and its standard error."""
        if self.sampling is not None:
            sampled = self.sampling.means(self.differences)
            return sampled.mean, sampled.error
        errors = self.differences.std(axis=0, ddof=1) / math.sqrt(len(self.differences))
        return self.differences.mean(axis=0), np.asarray(errors, dtype=np.float64)

    def parts(self) -> list[Numbers]:
        """What each drawn thing adds to the distance of the mean from the truth, stratum by stratum: sums of 0."""
        if self.sampling is None:
            return [(self.differences - self.differences.mean(axis=0)) / len(self.differences)]
        scores = self.sampling.scores(self.differences) / float(self.sampling.weights.sum())
        strata = self.sampling.stratum_of_cluster
        return [scores[strata == stratum] for stratum in np.unique(strata)]


def adjust(tests: Tests, rng: np.random.Generator) -> list[Adjusted | None]:
    """p-values and intervals from the largest |t| of drawn query sets; few changed queries by Bonferroni."""
    estimates = made(tests)
    adjusted: list[Adjusted | None] = [None] * len(tests.answers)
    if not estimates:
        return adjusted
    for answer in estimates.values():
        if answer.alternative != "two-sided" or answer.null != 0:
            raise UsageError(
                f"The correction max_t is for two-sided tests of 0; got {answer.alternative} of {answer.null:g}. "
                "Use holm for one-sided tests and margins."
            )
    races = list(_races(tests.blocks, estimates))
    total = len(estimates)
    raced = {test for race in races for test in race.tests}
    alone = [test for test in estimates if test not in raced]
    if alone:
        each = 1 - (1 - tests.level) / total
        ends = intervals(tests, each)
        kind = f"simultaneous {percent(tests.level)} (Bonferroni, {percent(each)} each)"
        for test in alone:
            adjusted[test] = Adjusted(min(1.0, total * estimates[test].p_value), *ends[test], kind)
    kind = f"simultaneous {percent(tests.level)} (studentized bootstrap max-t)"
    for race in races:
        _adjust_race(race, estimates, total / len(race.tests), tests, kind, rng, adjusted)
    return adjusted


def _races(blocks: Sequence[Block], estimates: dict[int, Estimate]) -> Iterator[_Race]:
    """Tests with enough changed queries, together where they are on the same queries."""
    together: dict[object, list[tuple[int, Numbers]]] = {}
    designs: dict[object, Sampling | None] = {}
    for at, block in enumerate(blocks):
        same = block.queries or at
        designs[same] = block.sampling
        for test, (baseline, candidate) in zip(block.tests, block.pairs, strict=True):
            differences = block.scores[:, candidate] - block.scores[:, baseline]
            changed = int(changed_queries(differences[:, None])[0])
            enough = test in estimates and enough_changed(changed, len(differences)) and np.ptp(differences) > 0
            if enough and _drawable(differences, block.sampling):
                together.setdefault(same, []).append((test, differences))
    for queries, entries in together.items():
        if len(entries) == 1:
            continue  # nobody to race against
        values = np.column_stack([values for _, values in entries])
        yield _Race(tuple(test for test, _ in entries), values, designs[queries])


def _drawable(differences: Numbers, sampling: Sampling | None) -> bool:
    """Whether enough clusters changed for t, and each stratum has several."""
    return sampling is None or not (sampling.why_no_error or few_clusters(differences, sampling, True))


def _adjust_race(
    race: _Race,
    estimates: dict[int, Estimate],
    parts: float,
    tests: Tests,
    kind: str,
    rng: np.random.Generator,
    adjusted: list[Adjusted | None],
) -> None:
    """`parts` is what part of the error the race has: one of so many."""
    means, errors = race.means_and_errors()
    t = np.abs(means) / errors
    order = np.argsort(-t, kind="stable")
    parts_of = [part[:, order] for part in race.parts()]
    draws = min(tests.resamples, max(LEAST_DRAWS, MOST_WORK // (sum(map(len, parts_of)) * len(order))))
    reached, largest = _drawn(parts_of, t[order], draws, rng)
    p_values = np.minimum(1.0, parts * np.maximum.accumulate((1 + reached) / (draws + 1)))
    rank = decisive(draws + 1, tests.level, parts)  # so many draws may reach further, besides the observed one
    farthest = -of_rank(-largest, rank) if rank > 0 else math.inf
    for place, at in enumerate(order.tolist()):
        test = race.tests[at]
        plain = estimates[test]
        half = farthest * float(errors[at])
        # Never sharper than the test by itself.
        low, high = min(plain.low, plain.value - half), max(plain.high, plain.value + half)
        adjusted[test] = Adjusted(max(float(p_values[place]), plain.p_value), low, high, kind)


def _drawn(
    strata: Sequence[Numbers], t: Numbers, draws: int, rng: np.random.Generator
) -> tuple[NDArray[np.int64], Numbers]:
    """For tests from the largest |t| down: how many draws reach it among itself and those after it; and the largest.

    `strata` has what each query or cluster adds to each mean; those of a stratum are drawn among themselves.
    """
    width = len(t)
    reached = np.zeros(width, dtype=np.int64)
    largest = np.empty(draws)
    step = max(1, CHUNK // max(width, *map(len, strata)))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        distance, variance = np.zeros((size, width)), np.zeros((size, width))
        for part in strata:
            n, squares = len(part), np.square(part)
            drawn = rng.integers(0, n, (size, n)) + n * np.arange(size)[:, None]
            counts = np.bincount(drawn.ravel(), minlength=size * n).reshape(size, n).astype(np.float64)
            sums = counts @ part
            # Of n things with mean 0 the variance of the sum is n / (n - 1) times the sum of squares about the mean.
            around = np.maximum(counts @ squares - np.square(sums) / n, LEAST_SPREAD * squares.sum(axis=0))
            distance += sums
            variance += around * (n / (n - 1))
        statistics = np.abs(distance) / np.sqrt(variance)
        after = np.maximum.accumulate(statistics[:, ::-1], axis=1)[:, ::-1]
        reached += np.count_nonzero(after >= t * (1 - SAME), axis=0)
        largest[start : start + size] = after[:, 0]
    return reached, largest


OFFERS = (Correction(name="max_t", page=__doc__, adjust=adjust, controls="family-wise error"),)
