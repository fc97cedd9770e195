"""The dialects `trec_eval` and `pytrec_eval`: what they read otherwise, and trec_eval 10's own rbp."""

from __future__ import annotations

import pytest

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings
from rankproof.testing.tables import table_of


def evaluate(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]], measures: str, dialect: str,
             **choices: object) -> Evaluation:  # fmt: skip
    settings = Settings(dialect=dialect, **choices)
    return evaluate_tables(lambda order: table_of(qrels, run, order), parse(measures), settings)


GRADED = {"q": {"a": 2, "b": 1, "c": 0, "d": -1}}
RANKED = {"q": {"b": 5.0, "x": 4.0, "a": 3.0, "d": 2.0, "c": 1.0}}


def test_rbp_is_scaled_by_the_top_grade() -> None:
    found = evaluate(GRADED, RANKED, "rbp.p=.5", "trec_eval")["rbp_p=.5"]
    # 0.5 * (1/2 * 1 + 2/2 * 0.25)
    assert found.mean == pytest.approx(0.375)
    # The paper's: b and a are relevant, at ranks 1 and 3.
    assert evaluate(GRADED, RANKED, "rbp.p=.5", "rankproof")["rbp_p=.5"].mean == pytest.approx(0.625)


def test_rbp_ignores_the_level() -> None:
    assert evaluate(GRADED, RANKED, "rbp.p=.5", "trec_eval", level=2)["rbp_p=.5"].mean == pytest.approx(0.375)


def test_rbp_of_binary_grades_is_the_papers() -> None:
    qrels = {"q": {"a": 1, "b": 0}}
    for dialect in ("trec_eval", "rankproof"):
        assert evaluate(qrels, RANKED, "rbp", dialect)["rbp"].mean == pytest.approx(0.1 * 0.81)


def test_residual_is_0_when_all_retrieved_is_judged() -> None:
    run = {"q": {"b": 2.0, "a": 1.0}}
    assert evaluate(GRADED, run, "rbp_resid", "trec_eval")["rbp_resid"].mean == 0
    # After two judged documents the paper's residual is all the attention below rank 2.
    assert evaluate(GRADED, run, "rbp_resid", "rankproof")["rbp_resid"].mean == pytest.approx(0.81)


def test_residual_counts_pooled_documents_without_a_judgment() -> None:
    # Judged at ranks 1, 3, 5; x is not in the pool and d only pooled: 1 - 0.5 * (1 + 1/4 + 1/16).
    found = evaluate(GRADED, RANKED, "rbp_resid.p=.5", "trec_eval")["rbp_resid_p=.5"]
    assert found.mean == pytest.approx(0.34375)


def test_grades_below_0_are_unjudged() -> None:
    assert evaluate(GRADED, RANKED, "unj_5", "trec_eval")["unj_5"].mean == pytest.approx(0.4)
    assert evaluate(GRADED, RANKED, "unj_5", "rankproof")["unj_5"].mean == pytest.approx(0.2)


def test_queries_missing_from_the_run() -> None:
    qrels = {**GRADED, "lost": {"a": 1}}
    assert evaluate(qrels, RANKED, "num_q map", "trec_eval")["num_q"].mean == 1
    assert evaluate(qrels, RANKED, "num_q map", "trec_eval", complete=True)["num_q"].mean == 2


def test_levels_of_recall() -> None:
    # 3 relevant: level 0.4 is 1.2 documents, 1 to the nearest and 2 by adding 0.9.
    qrels = {"q": {"a": 1, "b": 1, "c": 1}}
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    assert evaluate(qrels, run, "IPrec@0.4", "trec_eval")["IPrec@0.4"].mean == 1
    assert evaluate(qrels, run, "IPrec@0.4", "pytrec_eval")["IPrec@0.4"].mean == pytest.approx(2 / 3)
    assert evaluate(qrels, run, "11pt(recall=0.4)", "pytrec_eval")["11pt(recall=0.4)"].mean == pytest.approx(2 / 3)


def test_scores_as_32_bit_floats() -> None:
    qrels = {"q": {"a": 1}}
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    assert evaluate(qrels, run, "RR", "trec_eval")["RR"].mean == 1
    # One 32-bit number: a tie, which the greater id wins.
    assert evaluate(qrels, run, "RR", "pytrec_eval")["RR"].mean == 0.5
