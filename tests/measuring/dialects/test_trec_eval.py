"""The dialects `trec_eval`, `trec_eval_9` and `pytrec_eval`: what they read and add otherwise, and trec_eval's rbp."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.measures._recall import documents
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation, Settings, aggregate
from rankproof.measuring.trec_names import trec_name
from rankproof.reports.forms.trec import trec_lines
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
    for dialect in ("pytrec_eval", "trec_eval_9"):
        assert evaluate(qrels, run, "IPrec@0.4", dialect)["IPrec@0.4"].mean == pytest.approx(2 / 3)
    assert evaluate(qrels, run, "11pt(recall=0.4)", "pytrec_eval")["11pt(recall=0.4)"].mean == pytest.approx(2 / 3)


def test_scores_as_32_bit_floats() -> None:
    qrels = {"q": {"a": 1}}
    run = {"q": {"a": 1.00000001, "b": 1.0}}
    assert evaluate(qrels, run, "RR", "trec_eval")["RR"].mean == 1
    # One 32-bit number: a tie, which the greater id wins.
    for dialect in ("pytrec_eval", "trec_eval_9"):
        assert evaluate(qrels, run, "RR", dialect)["RR"].mean == 0.5


# Query i has its relevant document at rank RANKS[i]. The mean of 1/rank is 0.39375, between two fourth digits; added
# one after the other as 64-bit floats, in this order, it is 0.39375000000000004.
RANKS = (4, 2, 4, 1, 2, 5, 5, 4)


def first_at(ranks: tuple[int, ...], names: str) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """Queries with these names, in this order, and one relevant document each at the given rank."""
    qrels = {name: {f"d{rank}": 1} for name, rank in zip(names, ranks, strict=True)}
    return qrels, {name: {f"d{rank}": 10.0 - rank for rank in range(1, 6)} for name in names}


@pytest.mark.parametrize("dialect", ["trec_eval", "trec_eval_9"])
def test_means_of_trec_eval_were_rounded_once_where_it_rounds_after_each_query(dialect: str) -> None:
    found = evaluate(*first_at(RANKS, "abcdefgh"), "recip_rank", dialect)
    assert found["RR"].mean == 0.39375000000000004
    assert trec_lines(found, per_query=False) == ["recip_rank            \tall\t0.3938"]
    assert evaluate(*first_at(RANKS, "abcdefgh"), "recip_rank", "rankproof")["RR"].mean == 0.39375


def test_queries_are_added_in_bytewise_order_whatever_that_of_the_files() -> None:
    qrels, run = first_at(RANKS, "abcdefgh")
    turned = dict(reversed(qrels.items())), dict(reversed(run.items()))
    assert evaluate(*turned, "RR", "trec_eval")["RR"].mean == 0.39375000000000004
    # Under other names the order is another, and so is the sum: the half at "b" comes last.
    moved = evaluate(*first_at(RANKS, "azcdefgh"), "RR", "trec_eval")["RR"].mean
    assert moved == (((((((0.25 + 0.25) + 1.0) + 0.5) + 0.2) + 0.2) + 0.25) + 0.5) / 8


def test_geometric_means_add_logarithms_one_by_one() -> None:
    values = np.array([0.3, 0.0, 0.7])
    logs = (math.log(0.3) + math.log(1e-5)) + math.log(0.7)
    assert aggregate(values, "geometric", one_by_one=True) == math.exp(logs / 3)
    assert aggregate(values, "geometric", one_by_one=True, blank=2) == math.exp((logs + 2 * math.log(1e-5)) / 5)
    assert aggregate(values, "sum", one_by_one=True, blank=2) == 0.3 + 0.0 + 0.7
    assert math.isnan(aggregate(values[:0], "mean", one_by_one=True))
    assert aggregate(values[:0], "mean", one_by_one=True, blank=1) == 0.0


@pytest.mark.parametrize("dialect", ["trec_eval", "trec_eval_9"])
def test_num_rel_of_all_queries_followed_the_level_under_c(dialect: str) -> None:
    # Grades above 0: two of q, two of lost. m_num_rel.c counts these for all queries, whatever -l says.
    qrels = {**GRADED, "lost": {"a": 1, "b": 3, "c": 0}}
    found = evaluate(qrels, RANKED, "num_rel num_q num_rel_ret", dialect, complete=True, level=2)
    assert found["num_rel"].mean == 4
    assert found["num_rel"].by_query["q"] == 1
    assert found["num_q"].mean == 2
    assert found["num_rel_ret"].mean == 1
    assert [line for line in found.fine_print if line.startswith("NumRel: ") and "grade 1" in line]
    # Without -c, or without a level, it is the sum of the queries, and nothing is to be said.
    assert evaluate(qrels, RANKED, "num_rel", dialect, level=2)["num_rel"].mean == 1
    plain = evaluate(qrels, RANKED, "num_rel", dialect, complete=True)
    assert plain["num_rel"].mean == 4
    assert not [line for line in plain.fine_print if line.startswith("NumRel: ")]
    assert evaluate(qrels, RANKED, "num_rel", "rankproof", complete=True, level=2)["num_rel"].mean == 2


def test_a_query_missing_from_the_run_is_only_counted_by_trec_eval_9() -> None:
    qrels = {**GRADED, "lost": {"a": 1, "b": 1}}
    nine, ten = (
        evaluate(qrels, RANKED, "map yaap gm_map num_q", d, complete=True) for d in ("trec_eval_9", "trec_eval")
    )
    # An empty ranking's yaap is log(1 / (1 + 2)); trec_eval 9 adds nothing for it.
    assert nine["yaap"].by_query["lost"] == 0
    assert ten["yaap"].by_query["lost"] == pytest.approx(math.log(1 / 3))
    assert nine["map"].mean == ten["map"].mean
    assert nine["gm_map"].mean == pytest.approx(ten["gm_map"].mean, rel=1e-15)
    assert nine["num_q"].mean == ten["num_q"].mean == 2
    assert "missing from the run: 1, count as 0 in every measure (lost)" in nine.fine_print
    lines = {dialect.dialect: trec_lines(dialect, per_query=True) for dialect in (nine, ten)}
    assert not [line for line in lines["trec_eval_9"] if "\tlost\t" in line]
    assert [line for line in lines["trec_eval"] if "\tlost\t" in line]


def test_all_trec_stands_for_what_the_version_has() -> None:
    names = {
        dialect: {trec_name(variant).measure.name for variant in parse("all_trec", dialect)}
        for dialect in ("trec_eval", "trec_eval_9")
    }
    assert names["trec_eval"] - names["trec_eval_9"] == {"rbp", "rbp_resid", "unj"}
    assert names["trec_eval_9"] < names["trec_eval"]
    # Asked for by name it is there.
    assert "RBP" in {variant.measure.name for variant in parse(["all_trec", "rbp"], "trec_eval_9")}
    assert "RBP" not in {variant.measure.name for variant in parse("all_trec", "trec_eval_9")}


def fused(level: float, relevant: int) -> int:
    """Whole documents of a level where multiplication and addition round once, as in one machine instruction."""
    return int(float(Fraction(level) * relevant + Fraction(0.9)))


def test_where_a_fused_multiply_and_add_takes_another_number_of_documents() -> None:
    """What the pages say of compilers that fuse, for the usual levels and up to 10,000 relevant documents."""
    relevant = np.arange(10_001)
    firsts = {}
    for level in [n / 10 for n in range(11)]:
        plain = documents(level, relevant, "plus_0.9").tolist()
        other = [r for r in range(10_001) if fused(level, r) != plain[r]]
        assert all(abs(fused(level, r) - plain[r]) == 1 for r in other)
        if other:
            firsts[level] = other[0]
    assert firsts == {0.3: 57, 0.7: 3}
    for fifth in range(1, 11):  # Rprec_mult, which trec_eval 10 computes in the same way
        mult = fifth / 5
        assert all(fused(mult, r) == int(mult * r + 0.9) for r in range(10_001))
