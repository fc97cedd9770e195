"""The fast path (bytes or dicts straight to the table) and the path over rows give the same values and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Refused

MEASURES = "nDCG@5 RR AP P@3 R@10 Bpref Judged@10 NumRet"
QRELS = {"q1": {"d1": 2, "d2": 0, "d3": 1}, "q2": {"d1": 1, "d9": -1}}

CLEAN = ["q1 Q0 d1 1 3.5 t", "q1 Q0 d2 2 2.5 t", "q2 Q0 d9 1 1e3 t", "q1 Q0 d7 3 2.5 t", "q3 Q0 d1 1 1 t"]
FAULTY = [
    "q1 Q0 d1 1 3.5 t",  # a double
    "q1 Q0 d8 9 nan t",
    "q1 Q0 d8 9 -inf t",
    "q1 Q0 d8 9 1e999 t",
    "q1 Q0 d8 9 high t",
    "q1 Q0 d8 9 0x10 t",
    "q1 d8 9",
    "q1",
    "q1 Q0 d\xff8 9 1.0 t",
    "q1 Q0 d8 9 1.0 t\xff",
    "q1 Q0 d8 9 1.0 t more\xff",
    "q1 Q0 d8 x 1.0 t",
    "q1 Q0 d8 9 1.0 t more",
    "",
    "# q1 Q0 d8 9 1.0 t",
    "\tq1  Q0\td8 9 1.0 t ",
    "q4 Q0 d1 1 1 t",
]


def outcome(run: Any, **choices: Any) -> Any:
    """The values, or the class, message and findings of the refusal."""
    try:
        evaluation = rankproof.evaluate(QRELS, run, MEASURES, **choices)
    except Refused as refused:
        return "refused", [(f.code, f.line, f.query_id, f.doc_id) for f in refused.findings]
    except InputError as error:
        return type(error).__name__
    return {name: result.by_query for name, result in evaluation.items()}, evaluation.population.unjudged


def by_rows(text: bytes) -> Any:
    """The same over a Run: read as rows, checked, put in order, joined."""
    try:
        run = rankproof.read_run(text, format="trec")
    except Refused as refused:
        return "refused", [(f.code, f.line, f.query_id, f.doc_id) for f in refused.findings]
    except InputError as error:
        return type(error).__name__
    return outcome(run)


@settings(max_examples=examples(300), deadline=None)
@given(lines=st.lists(st.sampled_from(CLEAN + FAULTY), min_size=1, max_size=7), seed=st.integers(0, 99))
def test_a_text_gives_the_same_either_way(lines: list[str], seed: int) -> None:
    np.random.default_rng(seed).shuffle(lines)
    text = "\n".join(lines).encode("latin-1")
    fast = outcome(text, run_format="trec")
    slow = by_rows(text)
    assert fast == slow


@settings(max_examples=examples(200), deadline=None)
@given(
    run=st.dictionaries(
        st.sampled_from(["q1", "q2", "q3"]),
        st.dictionaries(
            st.sampled_from(["d1", "d2", "d3", "d7", "d9"]),
            st.sampled_from([1.0, 2.0, 2, -1.5, float("nan"), float("inf")]),
            min_size=1,
        ),
        min_size=1,
    )
)
def test_a_dict_gives_the_same_as_its_rows(run: dict[str, dict[str, float]]) -> None:
    rows = [{"query_id": q, "doc_id": d, "score": s} for q, docs in run.items() for d, s in docs.items()]
    fast, slow = outcome(run), outcome(rows)
    assert fast == slow


def test_a_run_without_a_judged_query_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("101 Q0 d1 1 1.0 t\n")
    with raises(Refused, path, "--allow no_common_query") as refused:
        rankproof.evaluate(QRELS, path, "RR")
    assert [finding.code for finding in refused.value.findings] == ["no_common_query"]
    evaluation = rankproof.evaluate(QRELS, path, "RR", allow=["no_common_query"])
    assert evaluation["RR"].mean == 0.0


def test_allowed_faults_are_settled_and_said(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d2 1 3.0 t\nq1 Q0 d1 2 2.0 t\nq1 Q0 d2 3 1.0 t\nq1 Q0 d7 4 nan t\n")
    with raises(Refused) as refused:
        rankproof.evaluate(QRELS, path, "RR")
    assert [finding.code for finding in refused.value.findings] == ["duplicate_document", "nan_score"]
    evaluation = rankproof.evaluate(QRELS, path, "RR NumRet", allow=["duplicate_document", "nan_score"])
    # d2 counts once, at its best place; d7 has no score and is left out: ranking d2, d1.
    assert evaluation["RR"].by_query["q1"] == 0.5
    assert evaluation["NumRet"].by_query["q1"] == 2
    assert any("repeats a document" in line for line in evaluation.fine_print)
    assert any("usable score" in line for line in evaluation.fine_print)


def test_prepared_runs_give_the_same_and_keep_their_table() -> None:
    run = {"q1": {"d1": 1.0, "d3": 0.5}}
    judged = rankproof.prepare(QRELS)
    ready = judged.prepare(run)
    for measure in ("nDCG@5", "AP"):
        assert (
            judged.evaluate(ready, measure)[measure].by_query
            == rankproof.evaluate(QRELS, run, measure)[measure].by_query
        )
    first = ready.table(rankproof.Order())
    assert ready.table(rankproof.Order()) is first


def test_a_run_that_meets_no_judged_document_is_measured_with_a_warning() -> None:
    evaluation = rankproof.evaluate({"q1": {"12": 1}}, {"q1": {"doc_12": 1.0}}, "RR")
    assert evaluation["RR"].mean == 0.0
    (finding,) = evaluation.findings
    assert (finding.code, finding.severity) == ("no_common_document", "warning")
    assert "prefix" in finding.message
    assert not rankproof.evaluate({"q1": {"12": 1}}, {"q1": {"12": 1.0}}, "RR").findings


def test_a_prepared_run_refuses_other_judgments_and_other_reading() -> None:
    judged = rankproof.prepare(QRELS)
    ready = judged.prepare({"q1": {"d1": 1.0}})
    with raises(rankproof.UsageError, "'run'", "<dict>", "run.qrels"):
        rankproof.evaluate(rankproof.prepare(QRELS), ready, "RR")
    with raises(rankproof.UsageError, "'run'", "order", "prepare(run, ...)"):
        judged.evaluate(ready, "RR", order="given")


def test_allowed_faults_of_qrels(tmp_path: Path) -> None:
    run = {"q1": {"d1": 1.0}}
    path = tmp_path / "a.qrels"
    path.write_text("q1 0 d1 1\nq1 0 d1 2\n")
    with raises(Refused, path, "line 2", "--allow conflicting_judgment") as refused:
        rankproof.evaluate(path, run, "RR")
    assert [finding.code for finding in refused.value.findings] == ["conflicting_judgment"]
    evaluation = rankproof.evaluate(path, run, "RR(rel=2)", allow=["conflicting_judgment"])
    assert evaluation["RR(rel=2)"].mean == 1.0
    assert "judged more than once: 1; the best grade of a document counts" in evaluation.fine_print
    # No whole number could honestly stand in for half a grade.
    path.write_text("q1 0 d1 0.5\n")
    for allow in ([], ["fractional_grade"]):
        with raises(Refused, path, "line 1", "'d1'", "'q1'", "0.5") as refused:
            rankproof.evaluate(path, run, "RR", allow=allow)
        assert "--allow" not in str(refused.value)


def test_ids_that_are_numbers_become_text() -> None:
    evaluation = rankproof.evaluate({1: {10: 1, 11: 0}}, {1: {11: 2.0, 10: 1.0}}, "RR")
    assert evaluation["RR"].by_query == {"1": 0.5}


def test_a_score_that_is_text_is_refused() -> None:
    with raises(InputError, "row 1", "'high'", "score"):
        rankproof.evaluate(QRELS, {"q1": {"d1": "high"}}, "RR")
