"""Every kind of chart with friendly and unfriendly data: many systems, long and foreign names, few and many queries."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from tests.reports.comparisons import HOSTILE, MEASURES, comparison_of, contrast_of

from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.measuring.grade_shares import GradeShares
from rankproof.measuring.records import Evaluation, Population, Result
from rankproof.proving.holes.bounds import Bound, MeasureBounds
from rankproof.proving.records import Comparison, Contrast
from rankproof.reports.charts.frame import ChartStyle
from rankproof.reports.charts.intervals import Panel, difference_bounds, forest, panels, segment_panels, value_bounds
from rankproof.reports.charts.plot import Plot
from rankproof.reports.charts.stack import Point, Reply, pareto_chart, response_chart
from rankproof.reports.charts.values import query_chart, share_chart, value_chart

Draw = Callable[[ChartStyle], Plot]
FOREIGN = (
    "bm25",
    "a <b> & \"c\" 'd'",
    "نظام البحث الجديد مع إعادة ترتيب النتائج",
    "מערכת חיפוש 2.0",
    "混合検索システム・再順位付けあり・第二版（評価用）",
    "система_поиска_с_очень_длинным_названием_ЩЖШЮ",
    "W" * 60,
    "one two three four five six seven eight nine ten eleven twelve",
    "🚀🚀 emoji 👩‍💻",
    "e\u0301" * 20,
    HOSTILE,
)
LONG = tuple(f"experiment_2026-11-16/dense_reranker_large_v{i}.fine-tuned.seed={i}.lr=0.0001.final" for i in range(50))


def cases() -> dict[str, Draw]:
    """Name -> a function that draws the chart in a given style."""
    three, fifty = comparison_of(("bm25", "dense", "hybrid"), segments=True), comparison_of(LONG, queries=12)
    foreign = comparison_of(FOREIGN, queries=20)
    every: dict[str, Draw] = {
        "forest-two": _forest(panels(comparison_of())[0]),
        "forest-three": _forest(panels(three)[0]),
        "forest-fifty": _forest(panels(fifty)[0]),
        "forest-foreign": _forest(panels(foreign)[0]),
        "forest-segments": _forest(segment_panels(three)[0]),
        "forest-unusual": _forest(unusual_panel()),
        "bounds-values": lambda look: value_bounds(three, _bounds(three), look),
        "bounds-differences": lambda look: difference_bounds(three, _bounds(three), look),
        "bounds-fifty": lambda look: difference_bounds(fifty, _bounds(fifty), look),
        "bounds-missing": lambda look: value_bounds(three, _unbounded(three), look),
        "values-two": lambda look: value_chart(comparison_of().evaluations, "nDCG@10", look),
        "values-fifty": lambda look: value_chart(fifty.evaluations, "AP", look),
        "values-foreign": lambda look: value_chart(foreign.evaluations, "RR@10", look),
        "values-many-queries": lambda look: value_chart([big_evaluation(f"run {i}") for i in range(3)], "AP", look),
        "values-large-numbers": lambda look: value_chart([_sums(1.5e6), _sums(12_345_678.25)], "AP", look),
        "grades-three": lambda look: share_chart(_shares(three.systems), look),
        "grades-fifty": lambda look: share_chart(_shares(LONG), look),
        "grades-foreign": lambda look: share_chart(_shares(FOREIGN), look),
        "grades-many": lambda look: share_chart(many_grades(), look),
        "pareto-four": lambda look: pareto_chart(_modes(4), "nDCG@10", "milliseconds a query (median)", look),
        "pareto-fifty": lambda look: pareto_chart(_modes(50), "nDCG@10", "milliseconds a query (median)", look),
        "pareto-same": lambda look: pareto_chart([Point(n, 3.0, 0.5, True) for n in "abcd"], "AP", "cost", look),
        "pareto-free": lambda look: pareto_chart([Point("a", 0.0, 0.4, True), Point("b", 2.0, 0.5, True)], "AP", "EUR",
                                                 look),
        "pareto-foreign": lambda look: pareto_chart(_foreign_modes(), "nDCG@10", "milliseconds", look),
        "response-five": lambda look: response_chart(_replies(5), "k1", "nDCG@10", look),
        "response-one": lambda look: response_chart(_replies(1), "k1", "nDCG@10", look),
        "response-many": lambda look: response_chart(_replies(40), "a parameter with a long name", "nDCG@10", look),
        "response-foreign": lambda look: response_chart(
            [Reply(name, 0.01 * i, -0.01, None, None) for i, name in enumerate(FOREIGN)], "stemmer", "AP", look
        ),
    }  # fmt: skip
    every |= {f"queries-{name}": _queries(contrast) for name, contrast in contrasts().items()}
    return every


def contrasts() -> dict[str, Contrast]:
    """Differences by query: one, two, many, all equal, of one sign, with a long tail."""
    rng = np.random.default_rng(7)
    differences = {
        "one": np.array([0.25]),
        "two": np.array([0.25, -0.5]),
        "forty": rng.normal(0.02, 0.1, 40).round(4),
        "ten-thousand": np.where(rng.random(10_000) < 0.6, 0.0, rng.normal(0.01, 0.2, 10_000)),
        "equal": np.full(30, 0.125),
        "nothing": np.zeros(30),
        "negative": -rng.beta(2, 5, 60),
        "positive": rng.beta(2, 5, 60),
        "skewed": np.concatenate([np.full(80, 0.2), np.full(20, -0.3)]),
        "tiny": rng.normal(0, 1e-9, 25),
        "large": rng.normal(2e6, 5e6, 25),
    }
    made = {name: _contrast(values) for name, values in differences.items()}
    made["long-names"] = replace(made["forty"], baseline=LONG[0], candidate=LONG[1])
    return made


def _contrast(differences: np.ndarray) -> Contrast:
    n = len(differences)
    ids = [f"q{i}" for i in range(n)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of differences that are all the same
        made = contrast_of("nDCG@10", ("bm25", "dense"), ids * (2 if n == 1 else 1), np.zeros(max(n, 2)),
                           np.resize(differences, max(n, 2)))  # fmt: skip
    return made if n > 1 else replace(made, query_ids=("q0",), by_query=differences, wins=1)


def unusual_panel() -> Panel:
    """Rows without a number, without an interval, with an interval that has no end, and with one that is far out."""
    base = panels(comparison_of(("base", "a", "b", "c", "d")))[0]
    one, two, three, four = base.contrasts
    assert isinstance(three.difference, Estimate)
    endless = replace(three.difference, low=-np.inf, high=np.inf)
    return replace(
        base,
        contrasts=(
            replace(one, difference=NotEstimable("nothing is paired", "t", 0, None), adjusted=None),
            replace(two, difference=NotEstimable("no query differs", "t", 40, 0.0), adjusted=None),
            replace(three, difference=endless, adjusted=None),
            four,
        ),
    )


def big_evaluation(name: str, queries: int = 10_000) -> Evaluation:
    """An evaluation of many queries."""
    values = np.random.default_rng(len(name)).beta(1, 2, queries)
    ids = [f"q{i}" for i in range(queries)]
    results = {m: Result(m, float(values.mean()), ids, values) for m in MEASURES}
    return Evaluation(results, Population(queries, queries), (), name)


def many_grades() -> GradeShares:
    """Eleven grades and both other parts, some too thin to hold a number."""
    parts = (*range(10, -1, -1), "unjudged", "not returned")
    row = (0.001, 0.04, 0.05, 0.06, 0.09, 0.2, 0.11, 0.009, 0.04, 0.1, 0.1, 0.15, 0.05)
    return GradeShares(100, ("bm25", LONG[0]), parts, (row, row[::-1]))


def _forest(panel: Panel) -> Draw:
    return lambda look: forest(panel, look)


def _queries(contrast: Contrast) -> Draw:
    return lambda look: query_chart(contrast, look)


def _shares(systems: Sequence[str]) -> GradeShares:
    turns = [i % 10 for i in range(len(systems))]
    rows = tuple((0.1 + 0.02 * n, 0.2, 0.25, 0.4 - 0.04 * n, 0.03 + 0.02 * n, 0.02) for n in turns)
    return GradeShares(10, tuple(systems), (3, 2, 1, 0, "unjudged", "not returned"), rows)


def _bounds(comparison: Comparison) -> MeasureBounds:
    assert comparison.holes is not None
    return comparison.holes.bounds[0]


def _unbounded(comparison: Comparison) -> MeasureBounds:
    """Bounds that are no numbers for the first system, and without an end for the second."""
    bounds = _bounds(comparison)
    nothing, endless = (Bound(low, high, np.empty((0, 2)), False, "") for low, high in
                        ((np.nan, np.nan), (-np.inf, np.inf)))  # fmt: skip
    return replace(bounds, values=(nothing, endless, *bounds.values[2:]))


def _sums(total: float) -> Evaluation:
    made = big_evaluation(f"sum {total}", 30)
    return replace(made, results={m: replace(r, mean=total, aggregate="sum") for m, r in made.results.items()})


def _modes(count: int) -> list[Point]:
    rng = np.random.default_rng(3)
    return [
        Point(LONG[i] if count > 10 else f"mode {i}", float(np.exp(rng.normal(2, 1))), 0.3 + 0.2 * rng.random(), i < 4)
        for i in range(count)
    ]


def _foreign_modes() -> list[Point]:
    return [Point(name, 2.0**i, 0.3 + 0.03 * i, i % 2 == 0) for i, name in enumerate(FOREIGN)]


def _replies(count: int) -> list[Reply]:
    rng = np.random.default_rng(5)
    return [
        Reply(f"{0.3 + 0.1 * i:.1f}", b := float(rng.normal(0, 0.02)), b - 0.01, *((b - 0.02, b + 0.02) if i % 3 else
              (None, None)))
        for i in range(count)
    ]  # fmt: skip
