"""Sampling design: how the units of a comparison were drawn, where they are no simple random sample.

weights    how much each unit counts, such as its traffic: means are weighted means
strata     parts of the population that were each sampled on their own, such as head, torso and tail: only the spread
           within a stratum is left to chance
clusters   units that came together and are alike, such as the queries of one user, document or template: chance drew
           clusters, not units, so only as many clusters as there are speak for the rest

The mean is the sum of weight times value over the sum of weights. Its standard error is that of a ratio of cluster
totals within strata (linearized), each squared residual divided by what a cluster's residual keeps of its variance
(CR2), with the degrees of freedom of Satterthwaite. Both rest on a working model: units of equal variance that are as
alike within clusters as they were seen to be, by the intraclass correlation of the analysis of variance. Independent
units as the working model would take clusters of unequal size for more than they are: a large one of units that are
alike counts by the square of its size. Where each unit is its own cluster, of equal weight and in one stratum, all of
it is Student's standard error with n - 1.

source: Cochran, Sampling Techniques, 3rd ed., 1977, chapters 5 and 6; Bell and McCaffrey, Bias reduction in standard
    errors for linear regression with multi-stage samples, Survey Methodology 28(2), 2002; Imbens and Kolesar, Robust
    standard errors in small samples, Review of Economics and Statistics 98(4), 2016, for the working model; Donner,
    A review of inference procedures for the intraclass correlation coefficient, International Statistical Review 54(1),
    1986, for its estimate; Kish, Survey Sampling, 1965, for the design effect
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted, some
from rankproof.reading.segments import Table, read_columns

Numbers = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SamplingColumns:
    """The columns of a query file that say how queries were drawn; "" where nothing is said."""

    weights: str = ""
    strata: str = ""
    clusters: str = ""

    @property
    def named(self) -> tuple[str, ...]:
        """The columns that are named."""
        return tuple(column for column in (self.weights, self.strata, self.clusters) if column)

    def __bool__(self) -> bool:
        return bool(self.named)


@dataclass(frozen=True, slots=True, eq=False)
class SampledMeans:
    """For each column of values: the mean, its standard error, the degrees of freedom of that, and the design effect.

    effect   the variance of the mean over that of a simple random sample of as many units; 1 where values do not vary
    alike    the intraclass correlation: how much of the variance of a unit lies between clusters, from 0 to 1
    """

    mean: Numbers
    error: Numbers
    degrees: Numbers
    effect: Numbers
    alike: Numbers


@dataclass(frozen=True, eq=False)
class Sampling:
    """The design of some units, in their order.

    unit_ids   the units
    weights    above 0, one for each unit
    strata     the number of each unit's stratum
    clusters   the number of each unit's cluster, which lies within one stratum
    columns    the columns that it was read from
    """

    unit_ids: tuple[str, ...]
    weights: Numbers
    strata: Codes
    clusters: Codes
    columns: SamplingColumns

    def __len__(self) -> int:
        return len(self.weights)

    @cached_property
    def _place(self) -> dict[str, int]:
        return {unit: place for place, unit in enumerate(self.unit_ids)}

    def of(self, units: Sequence[str]) -> Sampling:
        """The design of these units, in this order; all of them are in it."""
        if tuple(units) == self.unit_ids:
            return self
        places = [self._place[unit] for unit in units]
        return Sampling(tuple(units), self.weights[places], self.strata[places], self.clusters[places], self.columns)

    def weights_of(self, units: Sequence[str]) -> Numbers:
        """What each of these counts: 0 for one that is not in the design."""
        places = [self._place.get(unit, -1) for unit in units]
        return np.where(np.array(places) < 0, 0.0, self.weights[places])

    def __str__(self) -> str:
        """For the fine print."""
        columns, parts = self.columns, []
        if columns.weights:
            parts.append(f"weighted by {columns.weights}")
        if columns.strata:
            parts.append(f"{len(np.unique(self.strata))} strata by {columns.strata}")
        if columns.clusters:
            parts.append(f"{counted(len(self.sizes), 'cluster')} by {columns.clusters}")
        return "; ".join(parts)

    # ---- clusters --------------------------------------------------------------------------------

    @cached_property
    def _unit_cluster(self) -> Codes:
        """The place of each unit's cluster among the clusters, which stand in the order of their numbers."""
        return np.unique(self.clusters, return_inverse=True)[1].astype(np.int64).reshape(-1)

    @cached_property
    def cluster_weights(self) -> Numbers:
        """The weight of each cluster."""
        return np.asarray(np.bincount(self._unit_cluster, self.weights), dtype=np.float64)

    @cached_property
    def sizes(self) -> Numbers:
        """The weight of each cluster, over the mean weight of a cluster."""
        weight = self.cluster_weights
        return np.asarray(weight / weight.mean() if len(weight) else weight, dtype=np.float64)

    @cached_property
    def stratum_of_cluster(self) -> Codes:
        """The number of each cluster's stratum."""
        first = np.unique(self._unit_cluster, return_index=True)[1]
        return self.strata[first]

    @property
    def noun(self) -> str:
        """What chance drew: "cluster" or "query"."""
        return "cluster" if self.columns.clusters else "query"

    def totals(self, values: Numbers) -> Numbers:
        """The weighted sum of each cluster; `values` has a row for each unit and a column for each set of values."""
        turn = np.argsort(self._unit_cluster, kind="stable")
        starts = np.searchsorted(self._unit_cluster[turn], np.arange(len(self.sizes)))
        return np.asarray(np.add.reduceat((self.weights[:, None] * values)[turn], starts, axis=0), dtype=np.float64)

    def cluster_means(self, values: Numbers) -> Numbers:
        """The weighted mean of each cluster, of one set of values."""
        return np.asarray(self.totals(values[:, None])[:, 0] / self.cluster_weights, dtype=np.float64)

    # ---- means -----------------------------------------------------------------------------------

    def mean(self, values: Numbers) -> float:
        """The weighted mean of one set of values."""
        return float(self.weights @ values / self.weights.sum())

    @cached_property
    def why_no_error(self) -> str:
        """Why the error of a mean cannot be told, as a sentence goes on after a colon; "" where it can."""
        counts = np.bincount(np.unique(self.stratum_of_cluster, return_inverse=True)[1].reshape(-1))
        if len(self.sizes) < 2:
            return f"one {self.noun} only: two or more are needed to see how much they vary"
        lonely = int((counts < 2).sum())
        if lonely:
            return (
                f"{counted(lonely, 'stratum', 'strata')} of {len(counts)} by {self.columns.strata!r} with a single "
                f"{self.noun}: each needs two or more to see how much they vary; join strata that are alike"
            )
        return ""

    def means(self, values: Numbers) -> SampledMeans:
        """Means with their errors, of each column; only where `why_no_error` is empty."""
        totals, all_weight = self.totals(values), float(self.weights.sum())
        unit = self._unit_cluster
        weight, squares = self.cluster_weights, np.bincount(unit, np.square(self.weights))
        alike = self.alike(values)
        variance, spent = np.zeros(values.shape[1]), np.zeros(values.shape[1])
        for stratum in np.unique(self.strata):
            inside = self.stratum_of_cluster == stratum
            share = (weight[inside] / weight[inside].sum())[:, None]
            residual = totals[inside] - share * totals[inside].sum(axis=0)
            # Units of unit variance give a cluster's total the variance `own`, and its residual `kept`.
            own = (1.0 - alike) * squares[inside][:, None] + alike * np.square(weight[inside])[:, None]
            kept = own * np.square(1.0 - share) + np.square(share) * _of_others(own)
            adjust = own / kept
            within = (adjust * np.square(residual)).sum(axis=0) / all_weight**2
            variance += within
            spent += np.square(within) / _degrees(adjust, share, own)
        mean = totals.sum(axis=0) / all_weight
        n = len(self.weights)
        around = self.weights @ np.square(values - mean) / all_weight * n / max(n - 1, 1) / n
        degrees = np.divide(np.square(variance), spent, out=np.full(len(spent), n - 1.0), where=spent > 0)
        effect = np.divide(variance, around, out=np.ones(len(around)), where=around > 0)
        return SampledMeans(mean, np.sqrt(variance), degrees, effect, alike)

    def alike(self, values: Numbers) -> Numbers:
        """The intraclass correlation of each column within strata, from 0 to 1; 0 where each unit is its own cluster.

        Clusters whose units are less alike than chance would have them are taken for chance.
        """
        nothing = np.zeros(values.shape[1])
        unit, stratum = self._unit_cluster, self.stratum_of_cluster
        size = np.bincount(unit).astype(np.float64)
        n, between = len(unit), len(size) - len(np.unique(stratum))
        if n == len(size) or between < 1:
            return nothing
        inner = Sampling(self.unit_ids, np.ones(n), self.strata, self.clusters, self.columns)
        means = inner.totals(values) / size[:, None]
        within = np.square(values - means[unit]).sum(axis=0) / (n - len(size))
        around, spread = nothing.copy(), float(n)
        for number in np.unique(stratum):
            inside = stratum == number
            middle = size[inside] @ means[inside] / size[inside].sum()
            around += size[inside] @ np.square(means[inside] - middle)
            spread -= float(np.square(size[inside]).sum() / size[inside].sum())
        of_clusters = np.maximum(around / between - within, 0.0) / (spread / between)
        whole = of_clusters + within
        return np.asarray(np.divide(of_clusters, whole, out=nothing, where=whole > 0), dtype=np.float64)

    def drawn_one_by_one(self, values: Numbers) -> NDArray[np.bool_]:
        """Whether each column is a plain sample: clusters of one unit, or of copies of one, that all count the same."""
        one = len(np.unique(self.strata)) == 1 and bool(np.ptp(self.cluster_weights) <= 1e-9 * self.cluster_weights[0])
        if not one:
            return np.zeros(values.shape[1], dtype=bool)
        unit = self._unit_cluster
        first = values[np.unique(unit, return_index=True)[1]]
        return np.asarray((values == first[unit]).all(axis=0), dtype=bool)

    def skewness(self, values: Numbers) -> Numbers:
        """The skewness of each column's mean, by the working model: residuals of clusters that spread alike within a
        stratum, once each is taken over the spread that a cluster of its size has. A few heavy clusters hide the shape
        of all others from sums of cubes, and not from this.
        """
        totals, unit, alike = self.totals(values), self._unit_cluster, self.alike(values)
        weight, squares = self.cluster_weights, np.bincount(unit, np.square(self.weights))
        cubes, variance = np.zeros(values.shape[1]), np.zeros(values.shape[1])
        for stratum in np.unique(self.strata):
            inside = self.stratum_of_cluster == stratum
            share = (weight[inside] / weight[inside].sum())[:, None]
            own = (1.0 - alike) * squares[inside][:, None] + alike * np.square(weight[inside])[:, None]
            even = (totals[inside] - share * totals[inside].sum(axis=0)) / np.sqrt(own)
            even -= even.mean(axis=0)
            m = len(even)
            variance += np.square(even).sum(axis=0) / max(m - 1, 1) * own.sum(axis=0)
            if m > 2:  # two residuals have no skewness
                cubes += (even**3).sum(axis=0) * m / ((m - 1) * (m - 2)) * (own**1.5).sum(axis=0)
        none = np.zeros(values.shape[1])
        return np.asarray(np.divide(cubes, variance**1.5, out=none, where=variance > 0), dtype=np.float64)

    def scores(self, values: Numbers) -> Numbers:
        """What each cluster adds to the distance of the mean from the truth, as seen: residuals within strata."""
        totals = self.totals(values)
        for stratum in np.unique(self.strata):
            inside = self.stratum_of_cluster == stratum
            share = self.sizes[inside] / self.sizes[inside].sum()
            totals[inside] -= share[:, None] * totals[inside].sum(axis=0)
        return totals


def _degrees(adjust: Numbers, share: Numbers, own: Numbers) -> Numbers:
    """Satterthwaite's degrees of freedom of a sum of squared residuals: its mean squared over half of its variance.

    Residuals of independent totals with variances `own` have the covariance own [c = d] - share_c own_d - share_d own_c
    + share_c share_d sum(own); summed in closed form, a column for each set of values.
    """
    rest = 1.0 - share
    others = _of_others(own)
    scaled = adjust * (np.square(rest) * own + np.square(share) * others)  # the variances of scaled residuals
    p, u, x = (_of_others(adjust * part) for part in (np.square(share), np.square(own), share * own))
    all_own = own.sum(axis=0)
    # Of each cluster with the others: adjust_c adjust_d (share_c own_d + share_d own_c - share_c share_d sum(own))^2.
    squares = np.square(share) * u + np.square(own) * p + np.square(share * all_own) * p
    squares += 2.0 * share * own * x - 2.0 * all_own * np.square(share) * x - 2.0 * all_own * share * own * p
    products = np.square(scaled).sum(axis=0) + (adjust * squares).sum(axis=0)
    return np.asarray(np.square(scaled.sum(axis=0)) / products, dtype=np.float64)


def _of_others(values: Numbers) -> Numbers:
    """The sum of each column without each row, by sums of positive numbers alone."""
    before = np.cumsum(values, axis=0)
    after = np.cumsum(values[::-1], axis=0)[::-1]
    sums = np.zeros_like(values)
    sums[1:] += before[:-1]
    sums[:-1] += after[1:]
    return sums


# ---- reading -------------------------------------------------------------------------------------


def read_sampling(queries: object, columns: SamplingColumns, query_ids: Sequence[str]) -> Sampling:
    """The design of these queries from the columns of a query file; every query must be in it."""
    if queries is None:
        raise UsageError("Weights, strata and clusters are columns of a file of queries (--queries FILE): name it too.")
    table, known = read_columns(queries)
    return sampling_of(table, known, columns, query_ids)


def sampling_of(table: Table, known: Sequence[str], columns: SamplingColumns, query_ids: Sequence[str]) -> Sampling:
    """The design of these queries, from a table that was read."""
    for column in (columns.weights, columns.strata, columns.clusters):
        if column and column not in known:
            raise UnknownName("column of the query file", column, known)
    n = len(query_ids)
    weights = np.ones(n)
    if columns.weights:
        cells = _cells(table, columns.weights, query_ids)
        weights = np.array([_weight(query, cell, columns.weights) for query, cell in cells.items()])
    strata = _codes(table, columns.strata, query_ids) if columns.strata else np.zeros(n, dtype=np.int64)
    clusters = _codes(table, columns.clusters, query_ids) if columns.clusters else np.arange(n, dtype=np.int64)
    if columns.strata and columns.clusters:
        _refuse_split_clusters(strata, clusters, columns, table, query_ids)
    return Sampling(tuple(query_ids), weights.reshape(n), strata, clusters, columns)


def _cells(table: Table, column: str, query_ids: Sequence[str]) -> dict[str, str]:
    cells = {query: table.get(query, {}).get(column, "").strip() for query in query_ids}
    missing = tuple(query for query, cell in cells.items() if not cell)
    if missing:
        raise InputError(
            f"The column {column!r} of the query file has no value for {len(missing)} of {len(cells)} compared queries "
            f"({some(missing)}). Give each compared query one; nothing is guessed."
        )
    return cells


def _weight(query: str, cell: str, column: str) -> float:
    try:
        weight = float(cell)
    except ValueError:
        weight = float("nan")
    if not 0.0 < weight < float("inf"):
        raise InputError(
            f"The weight {cell!r} of query {query!r} in the column {column!r} is no number above 0. A query that shall "
            "not count is left out of the judgments."
        )
    return weight


def _codes(table: Table, column: str, query_ids: Sequence[str]) -> Codes:
    """A number for each different text, in the order of the texts, so that the order of queries does not matter."""
    cells = list(_cells(table, column, query_ids).values())
    numbers = {text: number for number, text in enumerate(sorted(set(cells)))}
    return np.array([numbers[cell] for cell in cells], dtype=np.int64)


def _refuse_split_clusters(
    strata: Codes, clusters: Codes, columns: SamplingColumns, table: Mapping[str, Mapping[str, str]], ids: Sequence[str]
) -> None:
    first: dict[int, int] = {}
    for at, (stratum, cluster) in enumerate(zip(strata.tolist(), clusters.tolist(), strict=True)):
        before = first.setdefault(cluster, at)
        if strata[before] != stratum:
            one, other = (table[ids[place]] for place in (before, at))
            raise InputError(
                f"The cluster {one[columns.clusters]!r} ({columns.clusters}) lies in two strata: {ids[before]!r} in "
                f"{one[columns.strata]!r} and {ids[at]!r} in {other[columns.strata]!r} ({columns.strata}). Strata are "
                "sampled each on their own, so a cluster is in one of them. Leave the strata out, or name other ones."
            )
