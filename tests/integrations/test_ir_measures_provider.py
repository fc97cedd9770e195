"""rankproof as a provider of ir_measures: the numbers of ir_measures' own providers, and what is refused."""

from __future__ import annotations

import logging
import sys

import pytest
from tests.raising import raises
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import OutOfDialect, Refused, UsageError

irm = pytest.importorskip("ir_measures", reason="ir_measures is not installed: there is nothing to provide for")
from rankproof.integrations import ir_measures as integration  # noqa: E402
from rankproof.integrations.pytrec_eval import RepeatedDocument, UnsupportedType  # noqa: E402

logging.getLogger("ir_measures").setLevel(logging.ERROR)

QRELS = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"a": 1}, "3": {"z": 1}, "4": {"y": 0}}
RUN = {"1": {"c": 3.0, "x": 2.0, "a": 1.0, "b": 0.5}, "2": {"y": 1.0, "a": 0.5}, "4": {"y": 1.0}, "9": {"a": 1.0}}
TEXTS = (
    "nDCG", "nDCG@2", "nDCG(gains={1:0,2:10})@2", "nDCG(judged_only=True)@2", "P@2", "P(rel=2)@2", "R@2", "RR", "RR@2",
    "RR(rel=2)@2", "AP", "AP@2", "AP(judged_only=True)", "Rprec", "Bpref", "infAP", "IPrec@0.1", "Success@2", "SetP",
    "SetP(relative=True)", "SetR", "SetF(beta=2.0)", "SetAP", "NumQ", "NumRet", "NumRet(rel=2)", "NumRel", "Judged@2",
    "Judged", "Compat", "Compat(p=0.8)",
)  # fmt: skip
PROVIDER = integration.RankproofProvider()


def numbers(pipeline, measure, qrels, run):
    found = pipeline.calc([measure], qrels, run)
    return {metric.query_id: metric.value for metric in found.per_query}, found.aggregated[measure]


def assert_the_same(text, qrels, run):
    measure = irm.parse_measure(text)
    theirs, ours = (numbers(pipeline, measure, qrels, run) for pipeline in (irm.DefaultPipeline, PROVIDER))
    assert ours[0] == pytest.approx(theirs[0], abs=1e-12)
    assert ours[1] == pytest.approx(theirs[1], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("text", TEXTS)
def test_the_same_numbers_from_dicts(text):
    assert_the_same(text, QRELS, RUN)


@pytest.mark.parametrize("text", ["nDCG@2", "NumRel", "AP", "Judged@2"])  # for the fourth, their own RR@2 has no query
@pytest.mark.parametrize(
    ("qrels", "run"), [(QRELS, {}), ({}, RUN), ({}, {}), ({"1": {}}, RUN), (QRELS, {"9": {"a": 1.0}})]
)
def test_the_same_numbers_where_something_is_empty(text, qrels, run):
    assert_the_same(text, qrels, run)


@needs_shared_data
@pytest.mark.parametrize("text", [text for text in TEXTS if not text.startswith("Compat")])
def test_the_same_numbers_on_trec_evals_test_data(text):
    folder = SHARED / "trec_eval"
    qrels = list(irm.read_trec_qrels(str(folder / "qrels.test")))
    assert_the_same(text, qrels, list(irm.read_trec_run(str(folder / "results.test"))))


def test_frames_and_iterators():
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: there are no frames")
    qrels = [irm.Qrel(query, doc, grade) for query, docs in QRELS.items() for doc, grade in docs.items()]
    run = [irm.ScoredDoc(query, doc, score) for query, docs in RUN.items() for doc, score in docs.items()]
    wanted = PROVIDER.calc_aggregate([irm.nDCG @ 2], QRELS, RUN)
    assert PROVIDER.calc_aggregate([irm.nDCG @ 2], iter(qrels), iter(run)) == wanted
    assert PROVIDER.calc_aggregate([irm.nDCG @ 2], pandas.DataFrame(qrels), pandas.DataFrame(run)) == wanted


def test_one_evaluator_takes_several_runs():
    evaluator = PROVIDER.evaluator([irm.RR, irm.P @ 1], QRELS)
    for _ in range(2):
        assert evaluator.calc_aggregate({"2": {"a": 1.0}}) == {irm.RR: 0.25, irm.P @ 1: 0.25}


# ---- what is supported -----------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*TEXTS, "RBP(rel=1)", "INST(max_rel=3)", "ERR@20", "nDCG(dcg='exp-log2')@10"])
def test_supported(text):
    assert PROVIDER.supports(irm.parse_measure(text))


@pytest.mark.parametrize(
    "text",
    [
        "RBP", "RBP(rel=1)@10", "ERR", "nDCG(dcg='exp-log2')", "RR(judged_only=True)@10", "NumRel(rel=2)",
        "Compat(normalize=False)", "INST(max_rel=3,min_rel=1)", "IPrec@0.125", "P@0", "BPM(max_rel=1)@10",
        "SDCG(max_rel=1)@10", "alpha_nDCG@10", "StRecall@10", "Accuracy", "nDCG(dcg='exp-log2',judged_only=True)@10",
    ],
)  # fmt: skip
def test_not_supported_is_left_to_others_or_refused(text):
    measure = irm.parse_measure(text)
    assert not PROVIDER.supports(measure)
    with raises(UsageError, str(measure), "nDCG"):
        PROVIDER.calc_aggregate([measure, irm.AP], QRELS, RUN)


def test_a_measure_that_was_defined_at_run_time_is_none_of_ours_whatever_its_name():
    own = irm.define_byquery(lambda qrels, run: 0.5, name="P")
    assert not PROVIDER.supports(own)


@pytest.mark.parametrize(
    ("text", "qrels", "run", "kind", "values"),
    [
        ("AP", {"1": {"a": 1.0}}, RUN, UnsupportedType, ("1", "a", "float")),
        ("AP", {1: {"a": 1}}, RUN, UnsupportedType, (1, "int")),
        ("AP", QRELS, {1: {"a": 1.0}}, UnsupportedType, (1, "int")),
        ("AP", QRELS, {"1": {"a": "2"}}, UnsupportedType, ("1", "a", "str")),
        ("AP", QRELS, {"1": {"a": float("nan"), "b": 1.0}}, Refused, ("a", "1", "NaN")),
        ("AP", [irm.Qrel("1", "a", 1), irm.Qrel("1", "a", 0)], RUN, RepeatedDocument, ("a", "1", 0)),
        ("AP", QRELS, [irm.ScoredDoc("1", "a", 1.0), irm.ScoredDoc("1", "a", 2.0)], RepeatedDocument, ("a", "1", 2.0)),
        ("Judged@2", QRELS, {"1": {}}, OutOfDialect, ("Judged@2", 1)),  # a division by 0 there
        ("ERR@2", {"q": {"a": 1}}, {"q": {"a": 1.0}}, UsageError, ("'q'", "gdeval")),
    ],
)
def test_data_that_define_no_number_are_refused(text, qrels, run, kind, values):
    with raises(kind, *values):
        PROVIDER.calc_aggregate([irm.parse_measure(text)], qrels, run)


def test_the_same_judgment_twice_is_no_contradiction():
    twice = [irm.Qrel("1", "a", 1), irm.Qrel("1", "a", 1)]
    assert PROVIDER.calc_aggregate([irm.AP], twice, {"1": {"a": 1.0}}) == {irm.AP: 1.0}


# ---- registration and the command line -----------------------------------------------------------


@pytest.fixture
def unregistered():
    """ir_measures as it was before, also afterwards."""
    registry, pipeline = dict(irm.providers.registry), list(irm.DefaultPipeline.providers)
    yield
    irm.providers.registry.clear()
    irm.providers.registry.update(registry)
    irm.DefaultPipeline.providers[:] = pipeline


def test_registered_by_name_and_first(unregistered):
    before = list(irm.DefaultPipeline.providers)
    provider = integration.register()
    assert irm.providers.registry["rankproof"] is provider
    assert irm.DefaultPipeline.providers == before
    assert integration.register(first=True) is integration.register(first=True) is provider
    assert irm.DefaultPipeline.providers == [provider, *before]
    evaluator = irm.evaluator([irm.nDCG @ 10, irm.AP], QRELS)
    assert isinstance(evaluator, integration.RankproofEvaluator)
    own = irm.define_byquery(lambda qrels, run: 0.5, name="half")
    # Ours and another's measure in one call; that counts query 9, which is not judged, and 0 for query 3.
    assert irm.calc_aggregate([irm.P @ 1, own], QRELS, RUN) == {irm.P @ 1: 0.25, own: 0.4}


def test_unregistered_again(unregistered):
    before = list(irm.DefaultPipeline.providers)
    integration.register(first=True)
    for _ in range(2):
        integration.unregister()
        assert irm.DefaultPipeline.providers == before
        assert "rankproof" not in irm.providers.registry


@pytest.fixture
def files(tmp_path):
    qrels, run = tmp_path / "qrels.trec", tmp_path / "a.run"
    qrels.write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    run.write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n")
    return [str(qrels), str(run)]


def test_the_command_line_of_ir_measures_on_this_core(unregistered, files, capsys):
    before = list(sys.argv)
    assert integration.main([*files, "RR", "nDCG@1 P@2", "-p", "6"]) == 0
    assert capsys.readouterr().out == "RR\t0.250000\nnDCG@1\t0.000000\nP@2\t0.250000\n"
    assert integration.main([*files, "RR", "-q", "-o", "jsonl"]) == 0
    assert '{"query_id": "1", "measure": "RR", "value": 0.5}' in capsys.readouterr().out
    assert sys.argv == before


def test_the_command_line_refuses_without_a_traceback_and_knows_other_providers(unregistered, files, capsys):
    assert integration.main([*files, "Accuracy"]) == 2
    assert "Accuracy" in capsys.readouterr().err
    assert integration.main([*files, "Accuracy", "--provider", "accuracy"]) == 0
    with open(files[1], "a", encoding="utf-8") as run:
        run.write("1 Q0 a 3 0.5 t\n")
    assert integration.main([*files, "RR"]) == 1
    assert "twice" not in (told := capsys.readouterr().err)
    assert "'a'" in told
