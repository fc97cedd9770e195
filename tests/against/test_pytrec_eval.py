"""The dialect `pytrec_eval` against pytrec-eval-terrier itself, on random rankings and judgments."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings
from rankproof.measuring.trec_names import trec_name
from rankproof.testing.tables import table_of

pytrec_eval = pytest.importorskip("pytrec_eval")

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]

TOLERANCE = 1e-9

# runid and relstring are texts, which pytrec_eval does not give.
COMMON = sorted(pytrec_eval.supported_measures - {"runid", "relstring"})
# With other cutoffs and parameters than the usual ones, as far as pytrec_eval's reader takes them.
CHOSEN = [
    "P.1,2,3,7", "recall.1,2,7", "ndcg_cut.1,2,3,7", "map_cut.1,2,7", "success.2,3", "relative_P.1,3,7",
    "iprec_at_recall.0.05,0.25,0.33,0.75", "Rprec_mult.0.35,0.5,3.0", "set_F.0.5",
]  # fmt: skip

DOCS = ["d1", "d2", "d3", "d10", "D1", "a", "é", "文", "x-1", "x_1", "zz", "0"]
# Ties, scores that differ only as 64-bit floats, and large and negative ones.
SCORES = st.sampled_from([0.0, 1.0, 1.0, 2.0, 2.00000001, -1.5, 1e30, 0.1]) | st.floats(-10, 10, width=32)


@st.composite
def collections(draw: st.DrawFn) -> tuple[Qrels, Run]:
    """Judgments and a run on some of the same queries; a query may be missing from either."""
    # A pool with no grade from 0 upward makes pytrec_eval read memory it never wrote, and sometimes never return.
    grades = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 12]), min_size=1)
    pools = grades.filter(lambda pool: max(pool.values()) >= 0)
    rankings = st.dictionaries(st.sampled_from(DOCS), SCORES, min_size=1)
    queries = st.sampled_from(["1", "2", "10", "q"])
    return (
        draw(st.dictionaries(queries, pools, min_size=1)),
        draw(st.dictionaries(queries, rankings, min_size=1)),
    )


def theirs(qrels: Qrels, run: Run, measures: list[str], level: int, judged_only: bool) -> Any:
    evaluator = pytrec_eval.RelevanceEvaluator(
        qrels, measures, relevance_level=level, judged_docs_only_flag=judged_only
    )
    return evaluator.evaluate(run)


def ours(qrels: Qrels, run: Run, measures: list[str], level: int, judged_only: bool) -> Evaluation:
    asked = Settings(dialect="pytrec_eval", level=level, judged_only=judged_only)
    return evaluate_tables(lambda order: table_of(qrels, run, order), parse(measures), asked)


def compare(qrels: Qrels, run: Run, measures: list[str], level: int, judged_only: bool) -> None:
    if not qrels.keys() & run.keys():
        return
    found = ours(qrels, run, measures, level, judged_only)
    given = theirs(qrels, run, measures, level, judged_only)
    # With a level the canonical text has it, and trec_eval's name has not.
    variants = {variant.text: variant for variant in parse(measures)}
    assert len(variants) == len(found.results)
    for variant, result in zip(variants.values(), found.results.values(), strict=True):
        name = trec_name(variant)
        assert name is not None
        assert set(result.query_ids) == set(given)
        # pytrec_eval calls set_F.0.5 plain set_F.
        key = name.name if name.name in next(iter(given.values())) else name.measure.name
        values = {query: given[query][key] for query in given}
        for query, value in result.by_query.items():
            if name.measure.summary_only and name.name.startswith("gm_"):
                value = math.log(max(value, 1e-5))  # pytrec_eval gives the logarithm of a query's value
            if math.isnan(values[query]):
                # 0/0 in trec_eval: interpolation over a list that -J left empty.
                assert judged_only
                assert name.measure.name in ("iprec_at_recall", "11pt_avg")
                assert value == 0
            else:
                assert value == pytest.approx(values[query], abs=TOLERANCE), (variant.text, query)
        if not any(map(math.isnan, values.values())):
            mean = pytrec_eval.compute_aggregated_measure(key, list(values.values()))
            assert result.mean == pytest.approx(mean, abs=TOLERANCE), variant.text


@given(collections(), st.sampled_from([1, 1, 2, 3, 12, 13]), st.booleans())
@settings(max_examples=examples(250), deadline=None)
@example(({"q": {"a": 0}}, {"q": {"a": 1.0}}), 1, False)  # nothing relevant
@example(({"q": {"a": 1}}, {"q": {"zz": 1.0}}), 1, True)  # nothing left
@example(({"q": {"a": -1, "d1": 1}}, {"q": {"a": 2.0, "d1": 1.0}}), 1, False)  # pooled, not judged
@example(({"q": {"a": 1}}, {"q": {"a": 2.0, "zz": 2.00000001}}), 1, False)  # a tie as 32-bit floats only
def test_every_measure_both_have(data: tuple[Qrels, Run], level: int, judged_only: bool) -> None:
    compare(*data, COMMON, level, judged_only)


@given(collections(), st.sampled_from([1, 2]), st.booleans())
@settings(max_examples=examples(60), deadline=None)
def test_with_cutoffs_and_parameters_said(data: tuple[Qrels, Run], level: int, judged_only: bool) -> None:
    compare(*data, CHOSEN, level, judged_only)


def test_that_every_supported_measure_is_compared() -> None:
    """Fails when pytrec_eval learns a measure that nobody compares."""
    here = {trec_name(variant).measure.name for variant in parse(COMMON)}
    assert here == set(COMMON)
