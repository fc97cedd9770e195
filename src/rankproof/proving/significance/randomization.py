"""Sign-flip randomization test: how often a random relabeling of both systems gives as large a mean difference.

Where the systems are alike, each query's difference is as likely to have either sign. The p-value is the share of sign
flips whose mean is at least as far out as the observed one: of all 2^n flips where they are no more than the resamples
asked for, of random ones otherwise, with the observed one counted in. The two-sided p-value is twice the smaller
one-sided one. It assumes that differences about the tested mean are symmetric, not that they are normal.

The interval is every mean that the same test, with the same flips, does not reject. Its ends are means of d over
flipped subsets of queries: a flip moves the sum of (d - delta) to the other side exactly where delta passes that mean.

Where queries come in clusters, whole clusters are flipped, since only they were drawn by chance; where queries have
weights, means are weighted. Few clusters have few flips: of five there are 32, so that no two-sided p-value is below
2/32, and an interval at 95% has no ends. Strata have means of their own, which no common flip leaves as they are: there
the answer is not estimable.

about: the mean
source: Fisher, The Design of Experiments, 1935; the interval: Hartigan, Using subsample values as typical values, JASA
64, 1969; the count: Phipson and Smyth, Permutation p-values should never be zero, 2010; for IR: Smucker, Allan and
Carterette, CIKM 2007

Differences 1, 2, 3, 4, 5, 6: of 64 flips only the observed one, which flips nothing, has a sum of 21 or more: p = 2/64.
At 95% one flip may lie beyond each end of the interval, so the ends are the next means: 1 (flip the 1) and 6. At 90%
three may: nothing, {1} with mean 1 and {1, 2} with mean 1.5, and the next is {2}.

>>> from rankproof.testing.statistics import inferred
>>> inferred("randomization", [1, 2, 3, 4, 5, 6])
'3.5 [1, 6] p = 0.03125'
>>> inferred("randomization", [1, 2, 3, 4, 5, 6], level=0.9)
'3.5 [2, 5] p = 0.03125'
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, NotEstimable
from rankproof.proving.sampling import Sampling
from rankproof.proving.significance import _typical
from rankproof.proving.significance._answered import Some, answered
from rankproof.proving.significance._together import MOST_HELD, together
from rankproof.proving.significance._typical import ResampleCount
from rankproof.proving.significance.contract import Differences, Significance, SignificanceRequest

# Turning the signs of the subset F changes the sum of (d - delta) by twice the sum over F, so the flipped sum is at
# least the observed one exactly when the mean of d over F is at most delta. All a sign-flip test has to know about a
# flip is therefore that one mean, whatever delta is; Hartigan (1969) calls these means typical values.

# All pairs of s systems make s (s - 1) / 2 columns of differences, and s - 1 of them give all the others. Whatever is
# linear in a column can be had from those by one subtraction.


CHUNK = 2_000_000  # flips x queries at a time: 16 MB of weights


class Flips:
    """All subsets of n queries, or random ones: shared by every column they are asked about.

    `len` is how many of them have a query, and so a mean; the others, and the observed order itself, count on
    both sides whatever the tested mean is.
    """

    def __init__(self, n: int, resamples: int, rng: np.random.Generator) -> None:
        self._n = n
        self._exact = n < 63 and 2**n <= resamples
        drawn = 2**n if self._exact else resamples
        step = max(1, CHUNK // n)
        self._starts = range(0, drawn, step)
        self._stops = [min(start + step, drawn) for start in self._starts]
        # A seed for each chunk, so that a chunk can be drawn again and the weights need not be kept.
        self._seeds = [] if self._exact else rng.integers(2**63, size=len(self._starts)).tolist()
        chunks = range(len(self._starts))
        self._count = sum(int(np.count_nonzero(self._members(chunk).any(axis=1))) for chunk in chunks)
        empty = drawn - self._count
        # Every flip was gone through, the observed one among them; or they were drawn, and it comes on top
        # (Phipson and Smyth, Permutation p-values should never be zero, 2010).
        self.counted = ResampleCount(drawn, empty, None) if self._exact else ResampleCount(drawn + 1, empty + 1, drawn)

    def __len__(self) -> int:
        return self._count

    def means(self, columns: NDArray[np.float64], weight: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Columns by flips: the mean of each column over the queries of each subset that has any.

        Where rows are totals of clusters, `weight` is what each of them is a total of.
        """
        rows = np.ascontiguousarray(columns.T)
        sums = np.empty((len(rows), self._count))
        start = 0
        for members in self._weights(weight):
            sums[:, start : start + len(members)] = rows @ members.T
            start += len(members)
        return sums

    def _weights(self, weight: NDArray[np.float64] | None) -> Iterator[NDArray[np.float64]]:
        for chunk in range(len(self._starts)):
            members = self._members(chunk).astype(np.float64)
            sizes = members.sum(axis=1)
            if not sizes.all():
                members, sizes = members[sizes > 0], sizes[sizes > 0]
            members /= (sizes if weight is None else members @ weight)[:, None]
            yield members

    def _members(self, chunk: int) -> NDArray[np.uint8]:
        start, stop = self._starts[chunk], self._stops[chunk]
        if self._exact:
            return (np.arange(start, stop)[:, None] >> np.arange(self._n) & 1).astype(np.uint8)
        draw = np.random.default_rng(self._seeds[chunk])
        packed = draw.integers(0, 256, (stop - start, (self._n + 7) // 8), dtype=np.uint8)
        return np.unpackbits(packed, axis=1, count=self._n)


# What a column may be off, for each row and as a share of the largest difference: far below what counts as a tie.
ROUNDING = 1e-16

# (first, second): the column is first - second. (itself, None): it has to be computed.
Span = tuple[int, int | None]


def spans(columns: NDArray[np.float64]) -> list[Span]:
    """For each column, the two earlier columns it is the difference of; itself where there are none."""
    rows, count = columns.shape
    # One number stands for each column: where these do not fit, the columns cannot.
    shadow = np.cos(np.arange(1.0, rows + 1)) @ columns
    room = ROUNDING * max(rows, 100) * float(np.abs(columns).max(initial=0.0))
    basis: list[int] = []
    spans: list[Span] = []
    for column in range(count):
        span = _other(columns, shadow, np.array(basis, dtype=np.intp), column, room)
        spans.append(span or (column, None))
        if span is None:
            basis.append(column)
    return spans


def _other(
    columns: NDArray[np.float64],
    shadow: NDArray[np.float64],
    basis: NDArray[np.intp],
    column: int,
    room: float,
) -> Span | None:
    if not len(basis):
        return None
    ordered = basis[np.argsort(shadow[basis])]
    targets = shadow[column] + shadow[basis]
    slack = room * len(columns)
    at = np.searchsorted(shadow[ordered], targets - slack).clip(max=len(basis) - 1)
    for i in np.flatnonzero(np.abs(shadow[ordered[at]] - targets) <= slack):
        first, second = int(ordered[at[i]]), int(basis[i])
        if np.abs(columns[:, first] - columns[:, second] - columns[:, column]).max() <= room:
            return first, second
    return None


def batches(made_of: Sequence[Span], most: int) -> Iterator[tuple[list[int], list[int]]]:
    """(columns, what they need): consecutive columns that need at most `most` computed ones between them."""
    columns: list[int] = []
    needed: dict[int, None] = {}
    for column, span in enumerate(made_of):
        need = [part for part in span if part is not None]
        if columns and len(needed.keys() | set(need)) > most:
            yield columns, list(needed)
            columns, needed = [], {}
        columns.append(column)
        needed.update(dict.fromkeys(need))
    if columns:
        yield columns, list(needed)


NAME = "randomization"


def infer(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> Answer:
    """Test and interval of one set of differences."""
    return infer_many(differences[:, None], question, rng)[0]


def infer_many(differences: Differences, question: SignificanceRequest, rng: np.random.Generator) -> list[Answer]:
    """The same for every column, with the same flips for all: one matrix product, and a subtraction for each pair."""
    sampling = question.sampling
    if sampling is not None and len(differences) > 1 and (why := _why_no_flips(sampling)):
        return [NotEstimable(why, NAME, len(differences), sampling.mean(column)) for column in differences.T]
    weight = None if sampling is None else sampling.cluster_weights

    def ask(columns: NDArray[np.float64]) -> Some:
        rows = columns if sampling is None else sampling.totals(columns)
        flips = Flips(len(rows), question.resamples, rng)
        made_of = spans(rows)
        for batch, needed in batches(made_of, MOST_HELD // len(flips)):
            means = dict(zip(needed, flips.means(rows[:, needed], weight), strict=True))

            def one(i: int, means: dict[int, NDArray[np.float64]] = means) -> Answer:
                first, second = made_of[i]
                typical = means[first] if second is None else means[first] - means[second]
                answer = _typical.answer(columns[:, i], typical, flips.counted, question, NAME)
                return answer if sampling is None else replace(answer, value=sampling.mean(columns[:, i]))

            yield batch, together(one, batch)

    return answered(differences, NAME, ask)


def _why_no_flips(sampling: Sampling) -> str:
    """Why signs cannot be flipped, as a sentence goes on after a colon; "" where they can."""
    if len(np.unique(sampling.strata)) > 1:
        return "strata have means of their own, which flipped signs would not leave as they are; use t"
    return sampling.why_no_error


OFFERS = (
    Significance(
        name=NAME,
        page=__doc__,
        spellings=("permutation", "permutation-test", "sign-flip", "fisher"),
        infer=infer,
        infer_many=infer_many,
        random=True,
        sampled=True,
    ),
)
