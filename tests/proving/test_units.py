"""Units that are no independent queries: clusters and weights of score tables, repetitions, datasets of real scores."""

from __future__ import annotations

import itertools
import json
import math
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import forking
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.corrections.max_t import _Race
from rankproof.proving.sampling import Sampling, SamplingColumns
from rankproof.proving.score_tables import compare_scores, plan_scores
from rankproof.proving.significance.contract import SignificanceRequest

Rows = list[dict[str, Any]]
ENDS = ("low", "high", "p_value")


def rows(lift: float, seed: int, documents: int = 14) -> Rows:
    """Questions about documents, alike within a document; visits and a cost that is no score."""
    rng = np.random.default_rng(seed)
    return [
        {"id": f"d{d}q{q}", "document": f"d{d}", "visits": 1 + d, "score": float(own + rng.normal(0, 0.02) + lift)}
        for d, own in enumerate(rng.normal(0.5, 0.1, documents))
        for q in range(1 + d % 4)
    ]


OLD, NEW = rows(0.0, 1), rows(0.1, 2)


def ends(contrast: Any) -> list[float]:
    assert isinstance(contrast.difference, Estimate), contrast
    return [getattr(contrast.difference, name) for name in ENDS]


# ---- columns of the table itself ------------------------------------------------------------------


def test_clusters_and_weights_are_columns_of_the_table_or_of_a_file_of_queries(tmp_path: Path) -> None:
    own = compare_scores(OLD, NEW, clusters="document", weights="visits")
    assert own.measures == ("score",)  # neither column is a score
    about = {row["id"]: {"document": row["document"], "visits": row["visits"]} for row in OLD}
    given = compare_scores(OLD, NEW, "score", clusters="document", weights="visits", queries=about)
    assert ends(own.contrast("score")) == pytest.approx(ends(given.contrast("score")), rel=1e-12)
    document = own.to_dict(by_query=False)
    assert document["design"]["sampling"] == {"weights": "visits", "strata": None, "clusters": "document"}
    assert document["contrasts"][0]["design_effect"] == own.contrast("score").design_effect > 1
    assert any("14 clusters by document, intraclass correlation 0." in text for text in own.warnings)
    for name, table in (("old", OLD), ("new", NEW)):
        lines = ["id,document,visits,score", *(",".join(map(str, row.values())) for row in table)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    line = ("compare", "--scores", "old.csv", "new.csv", "--clusters", "document", "--weights", "visits", "--json")
    done = subprocess.run(
        [*forking.command(), *line], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    (contrast,) = json.loads(done.stdout)["contrasts"]
    assert [contrast["difference"][name] for name in ENDS] == pytest.approx(ends(own.contrast("score")), rel=1e-12)


def test_a_test_that_ignores_clusters_has_a_far_shorter_interval() -> None:
    kept, naive = (compare_scores(OLD, NEW, "score", **choices) for choices in ({"clusters": "document"}, {}))
    (low, high, _), (least, most, _) = (ends(each.contrast("score")) for each in (kept, naive))
    assert high - low > 1.5 * (most - least)


@pytest.mark.parametrize(
    ("old", "choices", "error", "told"),
    [
        (OLD, {"clusters": "docs"}, UsageError, ["'docs'"]),
        ([{**OLD[0], "document": "other"}, *OLD[1:]], {"clusters": "document"}, InputError, ["d0q0", "'other'"]),
        ([*OLD, {**OLD[0], "document": "d9"}], {"clusters": "document", "repeats": True}, InputError, ["d9", "d0q0"]),
        ([{**OLD[0], "visits": -1}, *OLD[1:]], {"weights": "visits"}, InputError, ["'visits'", "d0q0"]),
    ],
)
def test_columns_that_contradict_themselves_are_refused(
    old: Rows, choices: dict[str, Any], error: type[Exception], told: list[str]
) -> None:
    with raises(error, *told):
        compare_scores(old, NEW, "score", **choices)


def test_a_column_that_one_table_leaves_empty_is_filled_by_the_other() -> None:
    bare = [{name: value for name, value in row.items() if name != "document"} for row in OLD]
    found = compare_scores(bare, NEW, "score", clusters="document").contrast("score")
    assert ends(found) == ends(compare_scores(OLD, NEW, "score", clusters="document").contrast("score"))


# ---- few clusters, and clusters that are too large ------------------------------------------------


def test_few_clusters_of_a_score_without_a_range_are_not_estimable_and_say_what_to_do() -> None:
    """Three documents of eight questions each: t is not used, and bounds need a range."""
    few = [[{**row, "document": f"d{i % 3}"} for i, row in enumerate(table[:24])] for table in (OLD, NEW)]
    answer = compare_scores(*few, "score", clusters="document").contrast("score").difference
    assert isinstance(answer, NotEstimable)
    assert "3 of 3 clusters" in answer.reason
    assert "--range" in answer.reason
    bounded = compare_scores(*few, "score", clusters="document", ranges={"score": (-1, 2)}).contrast("score")
    assert bounded.difference.method == "gaffke"


def test_a_cluster_with_half_of_the_weight_is_not_answered_by_t() -> None:
    rng = np.random.default_rng(4)
    for share, method in ((0.5, "gaffke"), (0.4, "t_or_gaffke")):
        many = 10
        large = round(share / (1 - share) * many * 4)
        of = np.repeat(np.arange(many + 1), [large, *[4] * many])
        sampling = Sampling(
            tuple(map(str, range(len(of)))), np.ones(len(of)), np.zeros(len(of), dtype=np.int64), of,
            SamplingColumns(clusters="c"),
        )  # fmt: skip
        question = SignificanceRequest(low=-1, high=1, sampling=sampling)
        answer = shelf.find("significance", "t_or_gaffke").infer(rng.normal(0, 0.2, len(of)).clip(-1, 1), question, rng)
        assert answer.method == method, share


def test_values_that_are_the_same_within_each_stratum_have_no_error_of_zero() -> None:
    """Every query of a dataset changed by the same: an interval of no length would be certain of everything."""
    old = {f"q{i}": {"score": 0.5, "kind": "ab"[i % 2]} for i in range(40)}
    new = {unit: {"score": 0.6 if row["kind"] == "a" else 0.8, "kind": row["kind"]} for unit, row in old.items()}
    for method in ("t", "t_or_gaffke"):
        answer = compare_scores(old, new, strata="kind", significance=method).contrast("score").difference
        assert isinstance(answer, NotEstimable), answer


# ---- sign flips of whole clusters -----------------------------------------------------------------


def flipped(values: list[float], clusters: list[int], weights: list[float] | None = None, **choices: Any) -> Any:
    n = len(values)
    sampling = Sampling(
        tuple(map(str, range(n))), np.array(weights or [1.0] * n), np.zeros(n, dtype=np.int64), np.array(clusters),
        SamplingColumns(clusters="c"),
    )  # fmt: skip
    question = SignificanceRequest(sampling=sampling, **choices)
    return shelf.find("significance", "randomization").infer(np.array(values), question, np.random.default_rng(0))


def test_sign_flips_of_clusters_are_counted_by_hand() -> None:
    """All 2^6 flips of six clusters, weighted: the share of those that reach the observed mean, twice."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(6), [1, 3, 2, 5, 1, 4])
    values, weights = rng.normal(0.4, 1, len(clusters)), rng.uniform(1, 3, len(clusters))
    totals = np.bincount(clusters, weights * values)
    sums = np.array([np.array(signs) @ totals for signs in itertools.product((1, -1), repeat=6)])
    observed = totals.sum()
    p = 2 * min((sums >= observed - 1e-12).mean(), (sums <= observed + 1e-12).mean())
    answer = flipped(values.tolist(), clusters.tolist(), weights.tolist())
    assert answer.p_value == pytest.approx(min(1.0, p))
    assert answer.value == pytest.approx(float(weights @ values / weights.sum()))


def test_five_clusters_have_too_few_flips_to_reject_and_say_so() -> None:
    answer = flipped([5.0, 5.1, 4.9, 5.2, 4.8], [0, 1, 2, 3, 4])
    assert answer.p_value == 2 / 32
    assert (answer.low, answer.high) == (-math.inf, math.inf)
    assert "32" in answer.notes[0]


def test_flips_of_cloned_queries_are_those_of_the_queries() -> None:
    values = np.random.default_rng(5).normal(0.3, 1, 12)
    once = flipped(values.tolist(), list(range(12)))
    cloned = flipped(np.repeat(values, 5).tolist(), np.repeat(np.arange(12), 5).tolist())
    assert (cloned.low, cloned.high, cloned.p_value) == pytest.approx((once.low, once.high, once.p_value))


def test_strata_cannot_be_flipped() -> None:
    found = compare_scores(
        [{**row, "kind": "ab"[i % 2]} for i, row in enumerate(OLD)], NEW, "score", strata="kind",
        significance="randomization",
    )  # fmt: skip
    assert isinstance(found.contrast("score").difference, NotEstimable)


# ---- max_t over strata and clusters ---------------------------------------------------------------


def test_max_t_draws_the_clusters_of_each_stratum_among_themselves() -> None:
    """Two strata of 8 and 3 queries, each of the same weight: 8 and 3 are drawn, and each adds its share of a mean."""
    rng = np.random.default_rng(6)
    strata = np.repeat([0, 1], [8, 3])
    sampling = Sampling(
        tuple(map(str, range(11))), np.repeat([1 / 8, 1 / 3], [8, 3]), strata, np.arange(11),
        SamplingColumns("weight", "dataset"),
    )  # fmt: skip
    values = rng.normal(size=(11, 2))
    parts = _Race((0, 1), values, sampling).parts()
    assert [len(part) for part in parts] == [8, 3]
    for number, part in enumerate(parts):
        inside = values[strata == number]
        assert part == pytest.approx((inside - inside.mean(axis=0)) / len(inside) / 2)


def test_clones_as_clusters_are_corrected_as_the_queries_are() -> None:
    rng = np.random.default_rng(8)
    once = [{f"q{i}": float(x) for i, x in enumerate(rng.normal(lift, 1, 30))} for lift in (0.0, 0.4, 0.8)]
    five = [[{"id": f"{q}-{c}", "q": q, "score": x} for q, x in t.items() for c in range(5)] for t in once]
    plain = compare_scores(once[0], once[1:], resamples=20_000)
    cloned = compare_scores(five[0], five[1:], "score", clusters="q", resamples=20_000)
    assert cloned.correction == plain.correction == "max_t"
    for one, other in zip(plain.contrasts, cloned.contrasts, strict=True):
        assert one.adjusted is not None
        assert other.adjusted is not None
        assert other.adjusted.high == pytest.approx(one.adjusted.high, abs=0.02)
        assert other.adjusted.p_value == pytest.approx(one.adjusted.p_value, abs=0.01)


# ---- repetitions ----------------------------------------------------------------------------------


def repeated(seed: int, noise: float, units: int = 400, times: int = 3) -> tuple[Rows, Rows]:
    rng = np.random.default_rng(seed)
    level, gain = rng.normal(0, 3, units), rng.normal(0.2, 1, units)
    return tuple(
        [{"id": i, "score": float(x + noise * rng.normal())} for i, x in enumerate(mean) for _ in range(times)]
        for mean in (level, level + gain)
    )


def test_the_plan_of_repetitions_is_that_of_both_levels_of_variance() -> None:
    """Between units 1, between single answers 2 x 2^2: sd is sqrt(1 + 8 / r), and 5% above 1 from r = 79 on."""
    (plan,) = compare_scores(*repeated(0, 2.0), repeats=True).repeats
    assert plan.within == pytest.approx(8, rel=0.1)
    assert plan.between == pytest.approx(1, abs=0.5)
    for at in plan.at:
        assert at.sd == pytest.approx(math.sqrt(plan.between + plan.within / at.repeats))
    assert plan.enough is not None
    limit = math.sqrt(plan.between)
    assert math.sqrt(plan.between + plan.within / plan.enough) <= 1.05 * limit
    assert math.sqrt(plan.between + plan.within / (plan.enough - 1)) > 1.05 * limit
    needed = [at.units_needed for at in plan.at]
    assert needed == sorted(needed, reverse=True)  # more repetitions, fewer units


def test_a_plan_says_what_so_many_repetitions_would_have_given() -> None:
    """The standard deviation that three repetitions predict for one is the one that a single answer has."""
    old, new = repeated(1, 1.5, 2000)
    (plan,) = compare_scores(old, new, repeats=True).repeats
    single = compare_scores(old[::3], new[::3]).contrast("score").by_query
    assert plan.at[0].sd == pytest.approx(float(np.std(single, ddof=1)), rel=0.05)


def test_repetitions_that_do_not_vary_have_no_plan() -> None:
    assert compare_scores(*repeated(2, 0.0), repeats=True).repeats == ()
    assert "repeats" not in compare_scores(*repeated(2, 0.0), repeats=True).to_dict()


def test_power_plans_with_scores_as_the_comparison_does() -> None:
    old, new = repeated(3, 1.0, 60)
    plan, compared = plan_scores([old, new], repeats=True), compare_scores(old, new, repeats=True)
    assert plan.sizings["score"].spread.sd == pytest.approx(float(np.std(compared.contrast("score").by_query, ddof=1)))
    assert plan.to_dict()["repeats"] == compared.to_dict()["repeats"]
    with raises(UsageError, "1 system"):
        plan_scores([old], repeats=True)


# ---- real data ------------------------------------------------------------------------------------


@needs_shared_data
@pytest.mark.parametrize("pair", [(0, 1), (2, 5)])
def test_dl20_cloned_five_times_is_decided_as_without_and_a_naive_test_is_not(pair: tuple[int, int]) -> None:
    folder = SHARED / "dl20"
    runs = sorted((folder / "runs").iterdir())
    values = [rankproof.evaluate(folder / "qrels.trec", runs[at], "nDCG@10")["nDCG@10"].by_query for at in pair]
    once = compare_scores(*values, ranges={"score": (0, 1)}).contrast("score")
    clones = [
        [{"unit": f"{q}-{c}", "query": q, "score": v} for q, v in by_query.items() for c in range(5)]
        for by_query in values
    ]
    asked = [[{"unit": row["query"], "score": row["score"]} for row in table] for table in clones]
    as_repeats = compare_scores(*asked, repeats=True, ranges={"score": (0, 1)}).contrast("score")
    as_clusters = compare_scores(*clones, "score", clusters="query", ranges={"score": (0, 1)}).contrast("score")
    naive = compare_scores(*clones, "score", unit="unit", ranges={"score": (0, 1)}).contrast("score")
    for same in (as_repeats, as_clusters):
        assert same.direction == once.direction
        assert ends(same) == pytest.approx(ends(once), rel=1e-9)
    (low, high, _), (least, most, _) = ends(once), ends(naive)
    assert most - least < 0.5 * (high - low)


@needs_shared_data
def test_a_leaderboard_over_five_datasets_of_real_scores() -> None:
    """Five matrices as datasets of one benchmark; system k of each stands for one model."""
    files = sorted((SHARED / "score_matrices").glob("*.csv"))
    assert len(files) == 5
    table = [
        {"model": f"m{system}", "benchmark": file.stem, "id": str(topic), "score": float(value)}
        for file in files
        for topic, line in enumerate(np.loadtxt(file, delimiter=",", skiprows=1)[:, 10:16])
        for system, value in enumerate(line)
    ]
    board = rankproof.leaderboard_scores(table, system="model", dataset="benchmark", resamples=2_000)
    assert len(board.rows) == 6
    assert len(board.without) == 5
    assert board.hold_together
    assert board.correction == "max_t"
    means = {row.system: row.means["score"] for row in board.rows}
    for model, mean in means.items():
        by_file = [
            np.mean([r["score"] for r in table if (r["model"], r["benchmark"]) == (model, f.stem)]) for f in files
        ]
        assert mean == pytest.approx(float(np.mean(by_file)))
    for row in board.rows:
        assert row.rank_interval is not None
        assert row.rank_interval[0] <= (row.rank or 0) <= row.rank_interval[1]
