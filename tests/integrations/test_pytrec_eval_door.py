"""pytrec_eval's interface here: what pytrec_eval's documentation and tests state, and what it leaves undefined.

The numbers are checked by hand or are trec_eval's own; `tests/against/test_pytrec_eval_api.py` holds all against the
installed pytrec_eval.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import InputError, Refused, UsageError
from rankproof.integrations import pytrec_eval
from rankproof.integrations.pytrec_eval import (
    RelevanceEvaluator,
    RepeatedDocument,
    UnsupportedLine,
    UnsupportedMeasure,
    UnsupportedType,
)

QRELS = {"q1": {"d1": 0, "d2": 1, "d3": 0}, "q2": {"d2": 1, "d3": 1}, "q10": {}}
LAST = {"q1": {"d1": 1.0, "d2": 0.0, "d3": 1.5}, "q2": {}}
TENTHS = [f"{level / 10:.2f}" for level in range(11)]
CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
OFFICIAL = {
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "map", "gm_map", "Rprec", "bpref", "recip_rank",
    *(f"iprec_at_recall_{level}" for level in TENTHS), *(f"P_{k}" for k in CUTS),
}  # fmt: skip
SET = {
    "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall",
    "set_map", "set_F",
}  # fmt: skip
ALL_TREC = {
    *OFFICIAL, *SET, "11pt_avg", "binG", "G", "gm_bpref", "infAP", "ndcg", "ndcg_rel", "num_nonrel_judged_ret",
    "relstring", "Rndcg", "success_1", "success_5", "success_10", *(f"Rprec_mult_{m / 5:.2f}" for m in range(1, 11)),
    *(f"{name}_{k}" for name in ("map_cut", "ndcg_cut", "recall", "relative_P") for k in CUTS),
}  # fmt: skip


def one(measures, scores, judged=QRELS["q1"], **options):
    return RelevanceEvaluator({"q": judged}, measures, **options).evaluate({"q": scores})["q"]


@pytest.mark.parametrize(
    ("second", "ndcg"),
    [
        ({"d1": 1.0, "d2": 0.0, "d3": 1.5}, 0.5),
        ({"d1": 1.0, "d2": 2.0, "d3": 1.5}, 1.0),
        ({"d1": 4.0, "d2": 2.0, "d3": 1.5}, 1 / math.log2(3)),
    ],
)
def test_a_relevant_document_at_its_rank(second, ndcg):
    evaluator = RelevanceEvaluator(QRELS, {"map", "ndcg"})
    for run in ({"q1": second, "q2": {}}, {"q1": second}):
        assert evaluator.evaluate(run)["q1"]["ndcg"] == pytest.approx(ndcg)


def test_judged_documents_only():
    run = {"q1": {}, "q2": {"d1": 1.0, "d2": 0.0, "d3": 1.5}}
    assert RelevanceEvaluator(QRELS, {"ndcg"}).evaluate(run)["q2"]["ndcg"] == pytest.approx(0.9197207891481876)
    condensed = RelevanceEvaluator(QRELS, {"ndcg"}, judged_docs_only_flag=True)
    assert condensed.evaluate(run)["q2"]["ndcg"] == 1.0


def test_queries_are_those_of_the_run_that_are_judged_in_the_order_of_the_run():
    run = {"q2": {"d2": 1.0}, "q10": {"d1": 1.0}, "unknown": {"d1": 1.0}, "q1": {}}
    assert list(RelevanceEvaluator(QRELS, {"map"}).evaluate(run)) == ["q2", "q1"]


@pytest.mark.parametrize(
    ("nicknames", "keys"),
    [
        ({"all_trec"}, ALL_TREC),
        ({"set"}, SET),
        ({"official"}, OFFICIAL),
        ({"official", "set", "ndcg"}, OFFICIAL | SET | {"ndcg"}),
    ],
)
def test_nicknames(nicknames, keys):
    assert set(RelevanceEvaluator(QRELS, nicknames).evaluate({"q1": {}, "q2": {}})["q1"]) == keys


def test_cutoffs_the_first_time_and_the_second():
    evaluator = RelevanceEvaluator(QRELS, {"ndcg_cut.1,2,3,1000"})
    for _ in range(2):
        assert evaluator.evaluate(LAST)["q1"] == {
            "ndcg_cut_1": 0.0, "ndcg_cut_2": 0.0, "ndcg_cut_3": 0.5, "ndcg_cut_1000": 0.5,
        }  # fmt: skip


def test_parameters_of_several_names_come_together_and_replace_the_usual_ones():
    names = ["ndcg_cut", "ndcg_cut.1,4", "ndcg_cut_20,4", "ndcg_cut_15", "recall.1000", "P"]
    found = RelevanceEvaluator(QRELS, names).evaluate(LAST)["q1"]
    assert list(found) == [*(f"P_{k}" for k in CUTS), "recall_1000", *(f"ndcg_cut_{k}" for k in (1, 4, 15, 20))]


def test_the_same_list_of_numbers_twice_is_one_list():
    names = ["set_F.0.5", "set_F_0.5", "utility.0,1,2,3", "utility_0,1,2,3", "set_F"]
    # One document retrieved, relevant. A collection of 0 documents leaves -1 that is neither retrieved nor relevant.
    assert one(names, {"d2": 1.0}) == {"utility": 0 * 1 + 1 * 0 + 2 * 0 + 3 * -1, "set_F": 1.0}


@pytest.mark.parametrize(
    ("qrels", "measures", "run", "answer"),
    [
        (QRELS, {"map", "ndcg"}, {}, {}),
        (QRELS, set(), LAST, {"q1": {}, "q2": {}}),
        ({}, {"map", "ndcg"}, LAST, {}),
        ({}, {"map", "ndcg"}, {}, {}),
        (QRELS, set(), {}, {}),
        ({}, set(), LAST, {}),
        ({}, {}, {}, {}),
        ({"q": {}}, {"map"}, {"q": {"a": 1.0}}, {}),
        (QRELS, {"map"}, {"other": {"d2": 1.0}}, {}),
    ],
)
def test_nothing_in_nothing_out(qrels, measures, run, answer):
    assert RelevanceEvaluator(qrels, measures).evaluate(run) == answer


def test_values_are_plain_floats_and_geometric_means_are_given_as_logarithms():
    found = one(["map", "gm_map", "num_ret", "runid"], {"d1": 2.0, "d2": 1.0})
    assert found == {"runid": 0.0, "num_ret": 2.0, "map": 0.5, "gm_map": math.log(0.5)}
    assert {type(value) for value in found.values()} == {float}
    assert one(["gm_map"], {"d1": 2.0})["gm_map"] == math.log(1e-5)


def test_the_relevance_level():
    judged = {"a": 1, "b": 2}
    assert one(["recip_rank"], {"a": 2.0, "b": 1.0}, judged)["recip_rank"] == 1.0
    assert one(["recip_rank"], {"a": 2.0, "b": 1.0}, judged, relevance_level=2)["recip_rank"] == 0.5


def test_tied_documents_stand_by_descending_id_also_where_only_32_bits_tie():
    for scores in ({"a": 1.0, "b": 1.0}, {"a": 0.700000001, "b": 0.7}, {"a": -math.inf, "b": -1e300}):
        assert one(["recip_rank"], scores, {"a": 1})["recip_rank"] == 0.5


def test_infinite_scores_have_a_place():
    assert one(["recip_rank"], {"a": -math.inf, "b": 1.0}, {"a": 1})["recip_rank"] == 0.5
    assert one(["recip_rank"], {"a": math.inf, "b": 1.0}, {"a": 1})["recip_rank"] == 1.0


def test_numbers_of_numpy():
    judged = {"a": np.int64(1), "b": np.int8(0)}
    assert one(["map"], {"a": np.float32(0.5), "b": np.int32(1)}, judged, relevance_level=np.int64(1)) == {"map": 0.5}


def test_later_changes_of_the_judgments_change_nothing():
    qrels = {"q": {"a": 1}}
    evaluator = RelevanceEvaluator(qrels, ["map"])
    qrels["q"]["a"] = 0
    assert evaluator.evaluate({"q": {"a": 1.0}}) == {"q": {"map": 1.0}}


def test_the_means():
    assert pytrec_eval.compute_aggregated_measure("num_ret", [2.0, 3.0]) == 5.0
    assert pytrec_eval.compute_aggregated_measure("gm_map", [math.log(0.25), 0.0]) == pytest.approx(0.5)
    assert pytrec_eval.compute_aggregated_measure("map", [0.25, 0.5]) == 0.375
    assert math.isnan(pytrec_eval.compute_aggregated_measure("map", []))
    assert math.isnan(pytrec_eval.compute_aggregated_measure("gm_map", []))
    assert pytrec_eval.compute_aggregated_measure("num_q", []) == 0.0


def test_lines_of_trec():
    assert pytrec_eval.parse_run(["q Q0 d 1 2.5 tag\n", "q Q0 e 2 1 tag"]) == {"q": {"d": 2.5, "e": 1.0}}
    assert pytrec_eval.parse_qrel(["q 0 d 1\n", "r 0 d -1"]) == {"q": {"d": 1}, "r": {"d": -1}}


@pytest.mark.parametrize(
    ("read", "lines", "kind", "values"),
    [
        ("parse_run", ["q Q0 d 1 2 t", "q Q0 d 2 1 t"], RepeatedDocument, (2, "d", "q")),
        ("parse_qrel", ["q 0 d 1", "q 0 d 1"], RepeatedDocument, (2, "d", "q")),
        ("parse_run", ["q Q0 d 1 2.0"], UnsupportedLine, (1, 5)),
        ("parse_qrel", ["q 0 d 1", ""], UnsupportedLine, (2, 0)),
        ("parse_run", ["q Q0 d 1 x t"], UnsupportedLine, (1, "x")),
        ("parse_qrel", ["q 0 d 1.5"], UnsupportedLine, (1, "1.5")),
    ],
)
def test_lines_that_are_none(read, lines, kind, values):
    with raises(kind, *values) as caught:
        getattr(pytrec_eval, read)(lines)
    assert isinstance(caught.value, InputError)
    assert isinstance(caught.value, AssertionError if kind is RepeatedDocument else ValueError)


@pytest.mark.parametrize(
    ("measures", "values"),
    [
        (["nope"], ("nope",)),
        (["ndcg_cut.a"], ("ndcg_cut.a",)),
        (["P_10abc"], ("P_10abc",)),  # pytrec_eval reads P_10
        (["P.0"], ("P.0",)),  # pytrec_eval ends the process
        (["ndcg.1"], ("ndcg", "ndcg_cut")),  # as well
        (["G.3"], ("G",)),  # as well
        (["Rndcg_3"], ("Rndcg",)),  # as well
        (["map.3"], ("map", "map_cut")),  # pytrec_eval takes no notice of the 3
        (["runid.3"], ("runid",)),
        (["iprec_at_recall_1.5"], (1.5,)),
        (["iprec_at_recall_.5"], ("iprec_at_recall_.5",)),
        (["set_F.0.5,2"], ("set_F.0.5,2",)),  # pytrec_eval takes the first
        (["set_F_0.5", "set_F_2"], ("set_F.0.5", "set_F.2")),
        (["utility.0,1,2,3", "utility.0,1"], ("utility.0,1,2,3", "utility.0,1")),
        (["utility.2,1,0,0"], ("utility.2,1,0,0",)),  # pytrec_eval sorts and merges them
        (["utility_2"], ("utility.2",)),
        (["prefs"], ("unsupported",)),
        ("map", ("map",)),
    ],
)
def test_measures_that_pytrec_eval_has_not_or_computes_otherwise(measures, values):
    with raises(UnsupportedMeasure, *values) as caught:
        RelevanceEvaluator({"q": {"a": 1}}, measures)
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value, UsageError)


@pytest.mark.parametrize(
    ("qrels", "run", "values"),
    [
        ([], {}, ("list",)),
        ({"q": ["a"]}, {}, ("q", "list")),
        ({1: {"a": 1}}, {}, (1, "int")),
        ({"q": {1: 1}}, {}, ("q", 1, "int")),
        ({"q": {"a": 1.0}}, {}, ("q", "a", "float")),
        ({"q": {"a": "1"}}, {}, ("q", "a", "str")),
        ({"q": {"a": None}}, {}, ("q", "a", "NoneType")),
        ({"q": {"a": 1}}, ["q"], ("list",)),
        ({"q": {"a": 1}}, {"q": ["a"]}, ("q", "list")),
        ({"q": {"a": 1}}, {1: {"a": 1.0}}, (1, "int")),
        ({"q": {"a": 1}}, {"q": {1: 1.0}}, ("q", 1, "int")),
        ({"q": {"a": 1}}, {"q": {"a": "1"}}, ("q", "a", "str")),
        ({"q": {"a": 1}}, {"other": {"a": None}}, ("other", "a", "NoneType")),
    ],
)
def test_types(qrels, run, values):
    with raises(UnsupportedType, *values) as caught:
        RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, InputError)


@pytest.mark.parametrize(
    "options",
    [{"relevance_level": level} for level in (0, -1, 1.5, "1", None)]
    + [{"judged_docs_only_flag": flag} for flag in (1.5, "1", None)],
)
def test_options(options):
    with raises(UnsupportedType, *options):
        RelevanceEvaluator({"q": {"a": 1}}, {"map"}, **options)


@pytest.mark.parametrize(
    ("qrels", "run", "values"),
    [
        ({"q": {"a": 1}}, {"q": {"a": math.nan, "b": 1.0}}, ("a", "q", "NaN")),
        ({"q": {"a": 1}}, {"q": {"\ud800": 1.0}}, (1,)),  # pytrec_eval ends the process
        ({"q": {"\ud800": 1}}, {"q": {"a": 1.0}}, (1,)),
        ({"q": {"a": 2**31 - 1}}, {"q": {"a": 1.0}}, ("a", "q", 2**31 - 1)),  # pytrec_eval does not come back
        ({"q": {"a": 2**40}}, {"q": {"a": 1.0}}, ("a", "q", 2**40)),  # 0 there
        ({"q": {"a": 2**70}}, {"q": {"a": 1.0}}, ("a", "q")),
    ],
)
def test_what_is_undefined_there_is_refused(qrels, run, values):
    with raises(Refused, *values) as caught:
        RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert "allow" not in str(caught.value)  # there is no such option here


def test_what_has_a_defined_answer_here_only():
    assert one(["11pt_avg"], {}) == {"11pt_avg": 0.0}  # NaN there
    assert one(["map", "ndcg"], {"a": 1.0}, {"a": -1}) == {"map": 0.0, "ndcg": 0.0}  # memory never written there


def test_the_fine_print_behind_the_numbers():
    evaluator = RelevanceEvaluator(QRELS, ["map", "runid"], relevance_level=1)
    found = evaluator.evaluation(LAST)
    assert found["AP"].mean == pytest.approx(1 / 6)
    assert any(re.match("order: score .*32", line) for line in found.fine_print), list(found.fine_print)
    assert found.population.scored == 2
    with raises(UnsupportedMeasure):
        RelevanceEvaluator(QRELS, ["runid"]).evaluation(LAST)


@needs_shared_data
@pytest.mark.parametrize(
    ("qrels", "expected", "level"), [("qrels.test", "out.test.a", 1), ("qrels.rel_level", "out.test.aql", 2)]
)
def test_trec_evals_own_outputs(qrels, expected, level):
    folder = SHARED / "trec_eval"
    with (folder / qrels).open() as judged, (folder / "results.test").open() as ranked:
        gold, run = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(ranked)
    printed = [line.split() for line in (folder / expected).read_text().splitlines()]
    means = {
        name: float(value) for name, query, value in printed if query == "all" and name not in ("runid", "relstring")
    }
    found = RelevanceEvaluator(gold, {"all_trec"}, relevance_level=level).evaluate(run)
    compared = means.keys() & next(iter(found.values())).keys()
    # trec_eval 10 has other levels of whole documents than pytrec_eval's trec_eval 9; 11pt_avg is made of these.
    for name in compared - {"11pt_avg"} - {key for key in compared if key.startswith("iprec")}:
        mean = pytrec_eval.compute_aggregated_measure(name, [values[name] for values in found.values()])
        assert mean == pytest.approx(means[name], abs=6e-5), name
    assert len(compared) > 80
