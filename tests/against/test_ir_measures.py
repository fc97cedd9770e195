"""The ir_measures dialect against ir_measures itself: random collections, query by query and on the mean."""

from __future__ import annotations

import logging
import shutil

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import OutOfDialect, UsageError
from rankproof.measuring.evaluate import evaluate, evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Settings
from rankproof.testing.collections import DOCS, QUERIES, CollectionKind, collections, scores
from rankproof.testing.tables import subtopic_table

irm = pytest.importorskip("ir_measures", reason="ir_measures is not installed: nothing to hold against")
logging.getLogger("ir_measures").setLevel(logging.ERROR)

INSIDE = CollectionKind(unjudged=False)

# rankproof's text -> ir_measures' text, computed there by pytrec_eval, msmarco, judged and python.
EVERYDAY = {
    "nDCG": "nDCG",
    "nDCG@1": "nDCG@1",
    "nDCG@5": "nDCG@5",
    "nDCG(gain={1:0,2:1,3:10})@5": "nDCG(gains={1:0,2:1,3:10})@5",
    "P@1": "P@1",
    "P@5": "P@5",
    "P(rel=2)@5": "P(rel=2)@5",
    "R@3": "R@3",
    "R(rel=2)@10": "R(rel=2)@10",
    "RR": "RR",
    "RR(rel=2)": "RR(rel=2)",
    "RR@3": "RR@3",
    "RR(rel=3)@10": "RR(rel=3)@10",
    "AP": "AP",
    "AP(rel=2)": "AP(rel=2)",
    "AP@3": "AP@3",
    "AP(rel=2)@5": "AP(rel=2)@5",
    "Rprec": "Rprec",
    "Rprec(rel=2)": "Rprec(rel=2)",
    "Bpref": "Bpref",
    "Bpref(rel=2)": "Bpref(rel=2)",
    "infAP": "infAP",
    "infAP(rel=2)": "infAP(rel=2)",
    "Success@1": "Success@1",
    "Success(rel=2)@5": "Success(rel=2)@5",
    "IPrec@0": "IPrec@0.0",
    "IPrec@0.1": "IPrec@0.1",
    "IPrec(rel=2)@0.5": "IPrec(rel=2)@0.5",
    "IPrec@0.35": "IPrec@0.35",
    "IPrec@1": "IPrec@1.0",
    "SetP": "SetP",
    "SetP(rel=2)": "SetP(rel=2)",
    "SetRelP": "SetP(relative=True)",
    "SetR": "SetR",
    "SetR(rel=2)": "SetR(rel=2)",
    "SetF": "SetF",
    "SetF(weight=0.5)": "SetF(beta=0.5)",
    "SetF(rel=2,weight=2)": "SetF(rel=2,beta=2.0)",
    "SetAP": "SetAP",
    "SetAP(rel=2)": "SetAP(rel=2)",
    "NumQ": "NumQ",
    "NumRet": "NumRet",
    "NumRel": "NumRel",
    "NumRelRet": "NumRet(rel=1)",
    "NumRelRet(rel=2)": "NumRet(rel=2)",
    "Judged": "Judged",
    "Judged@1": "Judged@1",
    "Judged@5": "Judged@5",
}
CONDENSED = (
    "nDCG",
    "nDCG@3",
    "P@3",
    "R@3",
    "RR",
    "AP",
    "AP@3",
    "Rprec",
    "SetP",
    "SetF",
    "SetAP",
    "Success@1",
)
GDEVAL = {
    "nDCG(gain=exp2)@3": "nDCG(dcg='exp-log2')@3",
    "nDCG(gain=exp2)@20": "nDCG(dcg='exp-log2')@20",
    "ERR@3": "ERR@3",
    "ERR@20": "ERR@20",
}
CWL_EVAL = {
    "RBP": "RBP(rel=1)",
    "RBP(p=0.99,rel=2)": "RBP(p=0.99,rel=2)",
    "RBP(p=0.5)": "RBP(p=0.5,rel=1)",
    "INST(max_grade=3)": "INST(max_rel=3)",
    "INST(T=2.5,max_grade=4)": "INST(T=2.5,max_rel=4)",
}
DIVERSITY = {
    "alpha_nDCG@5": "alpha_nDCG@5",
    "alpha_nDCG(alpha=0.2,rel=2)@20": "alpha_nDCG(alpha=0.2,rel=2)@20",
    "ERR_IA@5": "ERR_IA@5",
    "nERR_IA@20": "nERR_IA@20",
    "StRecall@3": "StRecall@3",
}


def theirs(texts, qrels, run):
    """ir_measures' values by text and query, and its aggregates by text."""
    by_query, aggregated = {text: {} for text in texts}, {}
    # Asked together, a plain nDCG may be computed with the gains of another one: ir_measures puts it into whichever
    # call of pytrec_eval comes first out of a set, and the order of a set differs from one process to the next.
    for gains in (False, True):
        measures = {text: irm.parse_measure(text) for text in texts if ("gains=" in text) == gains}
        if not measures:
            continue
        found = irm.calc(list(measures.values()), qrels, run)
        for metric in found.per_query:
            for text, measure in measures.items():
                if metric.measure == measure:
                    by_query[text][metric.query_id] = metric.value
        aggregated |= {text: found.aggregated[measure] for text, measure in measures.items()}
    return by_query, aggregated


def assert_same(ours, names, qrels, by_query, aggregated, tolerance=1e-9):
    for text, name in names.items():
        # A query that we leave out of a sum is a 0 in theirs.
        mine = {**dict.fromkeys(qrels, 0.0), **ours[text].by_query}
        assert mine == pytest.approx(by_query[name], abs=tolerance), text
        assert ours[text].mean == pytest.approx(aggregated[name], abs=tolerance), text


@settings(max_examples=examples(150), deadline=None)
@given(collection=collections(INSIDE))
def test_same_value_for_every_query_and_on_the_mean(collection):
    qrels, run = collection
    ours = evaluate(qrels, run, list(EVERYDAY), dialect="ir_measures")
    assert_same(ours, EVERYDAY, qrels, *theirs(EVERYDAY.values(), qrels, run))


@settings(max_examples=examples(60), deadline=None)
@given(collection=collections(INSIDE))
def test_same_values_over_judged_documents_only(collection):
    qrels, run = collection
    names = {text: irm_judged_only(text) for text in CONDENSED}
    ours = evaluate(qrels, run, CONDENSED, dialect="ir_measures", judged_only=True)
    assert_same(ours, names, qrels, *theirs(names.values(), qrels, run))


def irm_judged_only(text):
    name, at, cutoff = text.partition("@")
    return f"{name}(judged_only=True){at}{cutoff}"


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed: ir_measures cannot run gdeval")
@settings(max_examples=examples(30), deadline=None)
@given(collection=collections(CollectionKind(grades=(-1, 0, 1, 2, 3, 4))))
def test_same_values_where_gdeval_rounds_them(collection):
    qrels, run = collection
    ours = evaluate(qrels, run, list(GDEVAL), dialect="ir_measures")
    assert_same(ours, GDEVAL, qrels, *theirs(GDEVAL.values(), qrels, run))


@settings(max_examples=examples(60), deadline=None)
@given(collection=collections(INSIDE))
def test_same_values_where_cwl_eval_ends_at_rank_1000(collection):
    pytest.importorskip("cwl", reason="cwl-eval is not installed: ir_measures has no RBP and INST")
    qrels, run = collection
    ours = evaluate(qrels, run, list(CWL_EVAL), dialect="ir_measures")
    assert_same(ours, CWL_EVAL, qrels, *theirs(CWL_EVAL.values(), qrels, run))


@settings(max_examples=examples(80), deadline=None)
@given(collection=collections(CollectionKind(ties=False)))
def test_same_compatibility(collection):
    qrels, run = collection
    above_zero = {query: {doc: score + 1.0 for doc, score in docs.items()} for query, docs in run.items()}
    names = {"Compat": "Compat", "Compat(p=0.8)": "Compat(p=0.8)"}
    ours = evaluate(qrels, above_zero, list(names), dialect="ir_measures")
    assert_same(ours, names, qrels, *theirs(names.values(), qrels, above_zero))


@settings(max_examples=examples(60), deadline=None)
@given(
    qrels=st.dictionaries(
        st.sampled_from(QUERIES),
        st.dictionaries(
            st.sampled_from(DOCS),
            st.dictionaries(st.sampled_from("abc"), st.sampled_from((0, 1, 2)), min_size=1),
            min_size=1,
        ),
        min_size=1,
    ),
    run=st.dictionaries(st.sampled_from(QUERIES), scores(CollectionKind()), min_size=1),
)
def test_same_diversity(qrels, run):
    pytest.importorskip("pyndeval", reason="pyndeval is not installed: ir_measures has no diversity measures")
    rows = [
        irm.Qrel(query, doc, grade, subtopic)
        for query, docs in qrels.items()
        for doc, covers in docs.items()
        for subtopic, grade in covers.items()
    ]
    ours = evaluate_tables(
        lambda order: subtopic_table(qrels, run, order),
        parse(list(DIVERSITY)),
        Settings(dialect="ir_measures"),
    )
    for text, name in DIVERSITY.items():
        # Asked one at a time: ir_measures 0.4.3 gives its run to the first setting of alpha and rel only.
        assert_same(ours, {text: name}, qrels, *theirs([name], rows, run))


@pytest.mark.parametrize(
    ("text", "qrels", "run", "kind", "values"),
    [
        ("ERR", {"1": {"a": 1}}, {"1": {"a": 1.0}}, UsageError, ("ERR(max_grade=4)", "cutoff", "ERR(max_grade=4)@20")),
        ("ERR@5", {"q": {"a": 1}}, {"q": {"a": 1.0}}, UsageError, ("ERR(max_grade=4)@5", "'q'", "gdeval")),
        ("ERR@5", {"1": {"a": 5}}, {"1": {"a": 1.0}}, OutOfDialect, ("ERR(max_grade=4)@5", 1, "gdeval", "grades")),
        ("RBP@5", {"1": {"a": 1}}, {"1": {"a": 1.0}}, UsageError, ("RBP(p=0.8)@5", "cutoff")),
        ("alpha_nDCG@30", {"1": {"a": 1}}, {"1": {"a": 1.0}}, UsageError, ("alpha_nDCG@30", 1, 20, "alpha_nDCG@20")),
        ("IPrec@0.125", {"1": {"a": 1}}, {"1": {"a": 1.0}}, UsageError, ("IPrec(rounding=plus_0.9)@0.125", "decimals")),
        ("Judged@5", {"1": {"a": 1}}, {"1": {}, "2": {"a": 1.0}}, OutOfDialect, ("Judged@5", 1, "empty")),
        (
            "IPrec@0.5",
            {"1": {"a": 1}},
            {"1": {}, "2": {"a": 1.0}},
            OutOfDialect,
            ("IPrec(rounding=plus_0.9)@0.5", 1, "empty"),
        ),
        ("Compat", {"1": {"a": 1, "b": 1}}, {"1": {"a": 1.0, "b": 1.0}}, OutOfDialect, ("Compat", 1, "ties")),
        ("GMAP", {"1": {"a": 1}}, {"1": {"a": 1.0}}, UsageError, ("GMAP", "ir_measures", "nDCG", "StRecall")),
    ],
)
def test_what_lies_outside_is_refused(text, qrels, run, kind, values):
    with raises(kind, *values):
        evaluate(qrels, run, text, dialect="ir_measures")
