"""pytrec_eval's interface here against pytrec-eval-terrier itself: the same calls, the same dicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples

from rankproof.integrations import pytrec_eval as ours

theirs = pytest.importorskip("pytrec_eval", reason="pytrec_eval is not installed: nothing to hold against")

DOCS = ["d1", "d2", "d3", "d10", "D1", "a", "é", "文", "x-1", "x_1", "zz", "0"]
SCORES = (
    st.sampled_from([0.0, -0.0, 1.0, 1.0, 2.0, 2.00000001, -1.5, 1e30, 1e300, 0.1, math.inf, -math.inf, 3, True])
    | st.floats(-10, 10, width=32)
    | st.floats(-10, 10).map(np.float64)
)
NAMES = st.sampled_from(
    [
        *sorted(theirs.supported_measures), "official", "set", "all_trec",
        "P.1,2,3,7", "P_2", "recall_1,7", "ndcg_cut.10,2,100", "map_cut.1,2,7", "success.2,3", "relative_P.3,1",
        "iprec_at_recall.0.05,0.25,0.33", "iprec_at_recall_0.125", "Rprec_mult.3.0,0.35", "set_F.0.5", "set_F_3",
        "11pt_avg.0.25,0.5", "utility.0,1,2,3", "P.5.7", "relstring.3",
    ]
)  # fmt: skip


@st.composite
def calls(draw):
    """Judgments, a run, names of measures, and the two options."""
    # A pool with no grade from 0 upward makes pytrec_eval read memory it never wrote.
    grades = st.dictionaries(st.sampled_from(DOCS), st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3, 12, True]), max_size=9)
    pools = grades.filter(lambda pool: not pool or max(pool.values()) >= 0)
    queries = st.sampled_from(["1", "2", "10", "q"])
    names = draw(st.lists(NAMES, max_size=6))
    # pytrec_eval sorts two weights as texts and takes the first: refused here.
    if "set_F.0.5" in names:
        names = [name for name in names if name != "set_F_3"]
    return (
        draw(st.dictionaries(queries, pools)),
        draw(st.dictionaries(queries, st.dictionaries(st.sampled_from(DOCS), SCORES))),
        names,
        draw(st.sampled_from([1, 1, 2, 3, 12, 13])),
        draw(st.booleans()),
    )


@given(calls())
@settings(max_examples=examples(300), deadline=None)
@example(({"q": {"a": 0}}, {"q": {"a": 1.0}}, ["all_trec"], 1, False))  # nothing relevant
@example(({"q": {"a": 1}}, {"q": {}}, ["all_trec"], 1, False))  # nothing retrieved
@example(({"q": {"a": 1}}, {"q": {"zz": 1.0}}, ["all_trec"], 1, True))  # nothing left
@example(({"q": {"a": 1}}, {"q": {"a": -1e300, "b": -math.inf}}, ["all_trec"], 1, False))  # a tie as 32-bit floats only
def test_the_same_call_gives_the_same_dicts(call):
    qrels, run, names, level, judged_only = call
    found = ours.RelevanceEvaluator(qrels, names, level, judged_only).evaluate(run)
    given = theirs.RelevanceEvaluator(qrels, names, level, judged_only).evaluate(run)
    assert list(found) == list(given)
    for query, values in given.items():
        assert list(found[query]) == list(values)
        for key, value in values.items():
            if math.isnan(value):  # 0/0 there: interpolation over an empty ranking
                assert key.startswith(("iprec_at_recall", "11pt_avg"))
                assert found[query][key] == 0.0
            else:
                assert found[query][key] == pytest.approx(value, abs=1e-12), (key, query)
    for key in next(iter(given.values()), {}):
        values = [found[query][key] for query in found]
        assert ours.compute_aggregated_measure(key, values) == theirs.compute_aggregated_measure(key, values)


def test_the_same_names():
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert set(theirs.__all__) <= set(ours.__all__)


@pytest.mark.parametrize("lines", [["q Q0 d 1 2.5 t\n", "q Q0 e 2 1e3 t"], [], ["q\tQ0\td\t1\t-inf\tt"]])
def test_the_same_runs_are_read(lines):
    assert ours.parse_run(lines) == theirs.parse_run(lines)


def raised(module, make):
    with pytest.raises((TypeError, ValueError, AssertionError)) as caught:
        make(module)
    return caught.type


@pytest.mark.parametrize(
    "make",
    [
        lambda m: m.parse_run(["q Q0 d 1 2.5"]),
        lambda m: m.parse_run(["q Q0 d 1 2 t", "q Q0 d 1 2 t"]),
        lambda m: m.parse_qrel(["q 0 d 1", "q 0 d 1"]),
        lambda m: m.parse_qrel(["q 0 d x"]),
        *(lambda m, name=name: m.RelevanceEvaluator({"q": {"a": 1}}, [name]) for name in ("nope", "P.x", "prefs", 3)),
        *(lambda m, qrels=qrels: m.RelevanceEvaluator(qrels, ["map"])
          for qrels in ({1: {"a": 1}}, {"q": {1: 1}}, {"q": {"a": 1.0}}, {"q": {"a": "1"}}, {"q": {"a": None}})),
        *(lambda m, run=run: m.RelevanceEvaluator({"q": {"a": 1}}, ["map"]).evaluate(run)
          for run in ([1], {1: {"a": 1}}, {"q": {1: 1}}, {"q": {"a": "1"}}, {"q": {"a": None}}, {"q": ["a"]})),
        *(lambda m, level=level: m.RelevanceEvaluator({"q": {"a": 1}}, ["map"], level) for level in (0, 1.5, "1")),
    ],
)  # fmt: skip
def test_the_same_kind_of_error(make):
    assert issubclass(raised(ours, make), raised(theirs, make))
