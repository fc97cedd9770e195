"""Weights, strata and clusters: means, errors and degrees of freedom against plain linear algebra and by hand."""

import math
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.bounded_mean import Weighted, gaffke_bound, sized_gaffke_bound
from rankproof.proving.sampling import Sampling, SamplingColumns, read_sampling
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.testing.ruling import case_of, rule_on

RNG = np.random.default_rng(0)


def drawn(n, weights=None, strata=None, clusters=None):
    columns = SamplingColumns(
        *("" if c is None else name for c, name in ((weights, "w"), (strata, "s"), (clusters, "c")))
    )
    return Sampling(
        tuple(f"q{i}" for i in range(n)),
        np.ones(n) if weights is None else np.array(weights, dtype=float),
        np.zeros(n, dtype=np.int64) if strata is None else np.array(strata),
        np.arange(n) if clusters is None else np.array(clusters),
        columns,
    )


def asked(method, values, sampling, alternative="two-sided", low=-1.0, high=1.0):
    question = SignificanceRequest(0.95, alternative, low=low, high=high, sampling=sampling)
    return shelf.find("significance", method).infer(np.array(values, dtype=float), question, np.random.default_rng(0))


def ends(answer):
    assert isinstance(answer, Estimate), answer
    return answer.value, answer.low, answer.high, answer.p_value


# ---- what does not change -------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["t", "t_or_gaffke", "gaffke"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_equal_weights_and_clusters_of_one_are_a_simple_random_sample(method, alternative):
    values = RNG.normal(0.05, 0.2, 30)
    plain = asked(method, values, None, alternative)
    for sampling in (drawn(30, weights=[3.0] * 30), drawn(30, clusters=range(30)), drawn(30, strata=[0] * 30)):
        assert ends(asked(method, values, sampling, alternative)) == pytest.approx(ends(plain), rel=1e-9)


@pytest.mark.parametrize("method", ["t", "gaffke"])
def test_queries_cloned_five_times_tell_no_more_than_once(method):
    values = RNG.normal(0.05, 0.2, 25)
    once = ends(asked(method, values, None))
    cloned = drawn(125, clusters=np.repeat(np.arange(25), 5))
    assert ends(asked(method, np.repeat(values, 5), cloned)) == pytest.approx(once, rel=1e-9)
    naive = ends(asked(method, np.repeat(values, 5), None))
    assert naive[2] - naive[1] < 0.6 * (once[2] - once[1])


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10_000))
def test_neither_the_order_of_queries_nor_the_unit_of_weights_matters(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(6, 40))
    values, weights = rng.normal(0, 0.3, n).clip(-1, 1), rng.exponential(size=n) + 0.01
    strata = np.arange(n) % 2
    clusters = 2 * rng.integers(0, 3, n) + strata
    clusters[:4] = [0, 1, 2, 3]  # two clusters in each stratum
    turn = rng.permutation(n)
    one = drawn(n, weights, strata, clusters).means(values[:, None])
    other = drawn(n, 7.0 * weights[turn], strata[turn], clusters[turn]).means(values[turn][:, None])
    for name in ("mean", "error", "degrees", "effect"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), rel=1e-9)


# ---- against linear algebra -----------------------------------------------------------------------


def intraclass(values, clusters):
    """The intraclass correlation by the sums of squares of the analysis of variance, from 0 to 1."""
    groups = [values[clusters == cluster] for cluster in np.unique(clusters)]
    n, k = len(values), len(groups)
    if n == k:
        return 0.0
    between = sum(len(g) * (g.mean() - values.mean()) ** 2 for g in groups) / (k - 1)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - k)
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (k - 1)
    of_clusters = max(between - within, 0.0) / size
    return of_clusters / (of_clusters + within)


def by_matrices(values, weights, clusters):
    """CR2 and Satterthwaite's degrees of freedom as Bell and McCaffrey write them, for an intercept of one stratum.

    The working model is that of Imbens and Kolesar: units of a cluster have the intraclass correlation.
    """
    n, each = len(values), np.unique(clusters)
    mean = weights @ values / weights.sum()
    left = np.eye(n) - np.outer(np.ones(n), weights / weights.sum())  # residual = left @ values
    alike = intraclass(values, clusters)
    model = (1 - alike) * np.eye(n) + alike * (clusters[:, None] == clusters[None, :])
    forms = []
    for cluster in each:
        inside = weights * (clusters == cluster)
        score = inside @ left  # the cluster's total of weighted residuals
        forms.append(score * math.sqrt((inside @ model @ inside) / (score @ model @ score)))
    matrix = np.array(forms)
    variance = float(np.square(matrix @ values).sum()) / weights.sum() ** 2
    products = matrix @ model @ matrix.T
    return mean, math.sqrt(variance), np.trace(products) ** 2 / float(np.square(products).sum())


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10_000))
def test_errors_and_degrees_of_freedom_are_those_of_the_matrices(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 40))
    values, weights = rng.normal(size=n), rng.exponential(size=n) + 0.01
    clusters = rng.integers(0, int(rng.integers(2, 8)), n)
    clusters[:2] = [0, 1]
    sampled = drawn(n, weights, None, clusters).means(values[:, None])
    mean, error, degrees = by_matrices(values, weights, clusters)
    assert (sampled.mean[0], sampled.error[0], sampled.degrees[0]) == pytest.approx((mean, error, degrees), rel=1e-8)


def test_strata_by_hand():
    """Two strata of shares 3/4 and 1/4: mean 0.75 x 0.2 + 0.25 x 0.6, each variance over its queries."""
    head, tail = [0.1, 0.3], [0.5, 0.6, 0.7]
    sampling = drawn(5, [0.375] * 2 + [0.25 / 3] * 3, [0, 0, 1, 1, 1])
    sampled = sampling.means(np.array(head + tail)[:, None])
    one, other = 0.75**2 * 0.02 / 2, 0.25**2 * 0.01 / 3
    assert sampled.mean[0] == pytest.approx(0.3)
    assert sampled.error[0] == pytest.approx(math.sqrt(one + other))
    assert sampled.degrees[0] == pytest.approx((one + other) ** 2 / (one**2 / 1 + other**2 / 2))


def test_the_design_effect_of_whole_clusters_is_their_size():
    values = np.repeat(RNG.normal(size=40), 4)
    effect = drawn(160, clusters=np.repeat(np.arange(40), 4)).means(values[:, None]).effect[0]
    assert effect == pytest.approx(4.0, rel=0.02)


# ---- bounds by the range --------------------------------------------------------------------------


def test_sizes_that_are_equal_change_no_bound_of_gaffke():
    values = RNG.uniform(-1, 1, 20)
    plain = gaffke_bound(Weighted.of(values), -1.0, 0.95)
    assert sized_gaffke_bound(values, np.full(20, 1.0), -1.0, 0.95) == pytest.approx(plain, abs=1e-8)


@settings(max_examples=examples(100), deadline=None)
@given(st.integers(0, 10_000))
def test_a_better_value_never_lowers_the_bound_of_a_weighted_mean(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    values, sizes = rng.uniform(0, 1, n), rng.exponential(size=n) + 0.01
    better = values.copy()
    better[rng.integers(n)] = 1.0
    low, high = (sized_gaffke_bound(each, sizes / sizes.mean(), 0.0, 0.95) for each in (values, better))
    assert high >= low - 1e-9
    assert low <= float(sizes @ values / sizes.sum()) + 1e-9


def test_few_clusters_are_bounded_by_gaffke_though_all_queries_changed():
    values = RNG.normal(0.1, 0.05, 48)
    four, eight, twelve = (drawn(48, clusters=np.arange(48) // size) for size in (12, 6, 4))
    assert asked("t_or_gaffke", values, four).method == "gaffke"
    assert asked("t_or_gaffke", values, eight).method == "t_or_gaffke"
    bound = asked("t_or_gaffke", values, eight, "greater")
    assert bound.method == "gaffke"
    assert any("8 of 8 clusters changed" in note for note in bound.notes)
    assert asked("t_or_gaffke", values, twelve, "greater").method == "t_or_gaffke"


def test_as_many_more_queries_are_needed_as_the_design_effect_says():
    """Queries in whole clusters of four tell a fourth: a rule asks for about four times as many to decide."""
    rng = np.random.default_rng(5)
    change = np.repeat(rng.normal(0.005, 0.05, 30), 4).clip(-0.5, 0.5)
    asked_for = []
    for drawn_by in ({}, {"clusters": np.repeat(np.arange(30), 4).tolist()}):
        case = case_of(0.5 + change, baseline=[0.5] * 120, drawn=drawn_by)
        ruling = rule_on(case, "no_regression", measure="nDCG@10", margin=0.002)
        assert ruling.status == "UNDECIDED"
        asked_for.append(int(re.search(r"about ([\d,]+) queries", ruling.decides)[1].replace(",", "")))
    assert asked_for[1] == pytest.approx(4 * asked_for[0], rel=0.1)


# ---- what cannot be told, and what is refused ------------------------------------------------------


@pytest.mark.parametrize("method", ["t", "t_or_gaffke", "gaffke"])
def test_one_cluster_is_not_estimable(method):
    answer = asked(method, [0.1, 0.2, 0.3], drawn(3, clusters=[0, 0, 0]))
    assert isinstance(answer, NotEstimable)
    assert "one cluster only" in answer.reason


def test_a_stratum_with_a_single_query_is_not_estimable_by_t_and_bounded_by_gaffke():
    values, strata = RNG.normal(0.1, 0.1, 20).clip(-1, 1), [0] * 19 + [1]
    assert isinstance(asked("t", values, drawn(20, strata=strata)), NotEstimable)
    assert asked("t_or_gaffke", values, drawn(20, strata=strata)).method == "gaffke"


TABLE = {
    "q1": {"w": "2", "s": "a", "c": "u"},
    "q2": {"w": "1", "s": "b", "c": "u"},
    "q3": {"w": "0", "s": "", "c": "v"},
}


def test_columns_are_read_in_the_order_of_the_queries():
    sampling = read_sampling(TABLE, SamplingColumns("w", "s"), ("q2", "q1"))
    assert sampling.weights.tolist() == [1.0, 2.0]
    assert sampling.strata.tolist() == [1, 0]
    assert str(sampling) == "weighted by w; 2 strata by s"


@pytest.mark.parametrize(
    ("columns", "queries", "error", "word"),
    [
        (SamplingColumns(weights="x"), ("q1",), UnknownName, "x"),
        (SamplingColumns(weights="w"), ("q1", "q9"), InputError, "q9"),
        (SamplingColumns(weights="w"), ("q3",), InputError, "above 0"),
        (SamplingColumns(strata="s"), ("q3",), InputError, "no value"),
        (SamplingColumns(strata="s", clusters="c"), ("q1", "q2"), InputError, "two strata"),
    ],
)
def test_columns_that_do_not_say_how_queries_were_drawn_are_refused(columns, queries, error, word):
    with pytest.raises(error, match=word):
        read_sampling(TABLE, columns, queries)


@pytest.mark.parametrize("cell", ["nan", "inf", "-1", "much", "1e999"])
def test_weights_that_are_no_numbers_above_0_are_refused(cell):
    with pytest.raises(InputError, match="weight"):
        read_sampling({"q1": {"w": cell}}, SamplingColumns(weights="w"), ("q1",))


def test_columns_without_a_file_of_queries_are_refused():
    with pytest.raises(UsageError, match="--queries"):
        read_sampling(None, SamplingColumns(weights="w"), ("q1",))
