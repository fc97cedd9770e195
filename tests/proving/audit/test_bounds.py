"""What a report leaves open: bounds against values tried one by one, and true reports that are not impossible."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest

from rankproof.measuring.evaluate import evaluate
from rankproof.measuring.names import parse
from rankproof.proving.audit.bounds import (
    best_gains_first,
    best_gains_last,
    mean_precision,
    share_returned,
    ungraded,
)
from rankproof.proving.audit.claims import ReportAudit, read_claims
from rankproof.proving.audit.rankings import table_of
from rankproof.proving.audit.report import audit_report
from rankproof.testing.tables import value

# All placements of up to 3 relevant documents in the first 5 ranks.
PLACEMENTS = [ranks for many in (1, 2, 3) for ranks in combinations(range(1, 6), many)]


def audit(values: str, **given: Any) -> ReportAudit:
    return audit_report(read_claims(values.split()), **given)


def ranking(ranks: tuple[int, ...], grades: tuple[int, ...]) -> list[int | None]:
    by_rank = dict(zip(ranks, grades, strict=True))
    return [by_rank.get(rank) for rank in range(1, 6)]


def graded(ranks: tuple[int, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Grades from 1 on, some of them far apart."""
    return tuple(int(grade) for grade in np.ceil(rng.pareto(0.5, len(ranks)) * 3 + 1e-9).clip(1, 10**6))


@pytest.mark.parametrize("discount", ["log2", "jk2002"])
def test_no_gains_give_more_or_less(discount: str) -> None:
    """Random grades stay between the ends; equal gains for the first j, or the last j, come near them."""
    rng = np.random.default_rng(0)
    name = f"nDCG(discount={discount})@5"
    for ranks in PLACEMENTS:
        least, greatest = best_gains_last(discount, ranks, len(ranks)), best_gains_first(discount, ranks)
        for _ in range(20):
            grades = graded(ranks, rng)
            assert least - 1e-4 <= value(name, ranking(ranks, grades), list(grades)) <= greatest + 1e-4
        steps = [
            value(name, ranking(ranks, steep), list(steep))
            for j in range(1, len(ranks) + 1)
            for steep in ((10**6,) * j + (1,) * (len(ranks) - j), (1,) * (len(ranks) - j) + (10**6,) * j)
        ]
        assert max(steps) == pytest.approx(greatest, abs=2e-4)
        assert min(steps) == pytest.approx(least, abs=2e-4)


def test_a_missed_document_may_be_worth_all() -> None:
    assert best_gains_last("log2", (1, 2), 3) == 0
    assert value("nDCG@5", [1, 1], [10**6, 1, 1]) == 0


def test_ends_of_other_definitions() -> None:
    """Of any placement cut anywhere, by the definitions themselves."""
    for ranks in PLACEMENTS:
        for returned in range(1, 6):
            seen = [1 if rank in ranks else None for rank in range(1, returned + 1)]
            pool = [1] * len(ranks)
            assert value("P(denominator=returned)@5", seen, pool) <= share_returned(ranks) + 1e-4
            assert value("AP(denominator=relevant_retrieved)@5", seen, pool) <= mean_precision(ranks) + 1e-4


@pytest.mark.parametrize("measure", ["ERR@5", "nERR@5"])
def test_ends_of_cascades(measure: str) -> None:
    rng = np.random.default_rng(1)
    (variant,) = parse(measure)
    bound = ungraded(variant)
    assert bound is not None
    for ranks in PLACEMENTS:
        placed, way = tuple((rank, 1) for rank in ranks), (1,) * len(ranks)
        (low,), (high,) = bound.ends([placed], [placed], [way], (table_of([placed], [way], 1),) * 2)
        for _ in range(10):
            grades = tuple(int(grade) for grade in rng.integers(1, 9, len(ranks)))
            assert low <= value(measure, ranking(ranks, grades), list(grades)) <= high + 1e-4


# ---- true reports that were called impossible --------------------------------------------------------


def test_grades_that_are_not_stated_are_open() -> None:
    """Grades 3, 1 at ranks 2, 1: nDCG@5 (1 + 3 x 0.6309) / (3 + 0.6309) = 0.797; with one grade it would be 1."""
    assert value("nDCG@5", [1, 3], [3, 1]) == 0.7967
    for given in ({}, {"dialect": "rankproof"}):
        assert audit("P@2=1.00 RR=1.00 nDCG@5=0.797", relevant="2", **given).verdict != "impossible"
    assert audit("P@2=1.00 nDCG@5=0.797", grades=["1,1"], dialect="rankproof").verdict == "impossible"


def test_definitions_that_are_not_stated_are_open() -> None:
    """Without a discount at rank 2, grades 3, 1 at ranks 2, 3 have nDCG@5 (3 + 0.6309) / (3 + 1) = 0.908."""
    assert value("nDCG(discount=jk2002)@5", [None, 3, 1], [3, 1]) == 0.9077
    found = audit("RR=0.50 P@1=0.00 nDCG@5=0.908", relevant="2")
    assert (found.verdict, found.would_be) == ("undecided", ("--dialect rankproof",))


def test_means_may_be_over_fewer_queries() -> None:
    """313 / 510 = 0.6137: 51 queries of 54 are answered."""
    assert audit("P@10=0.6137", queries=54, dialect="trec_eval").verdict != "impossible"
    assert audit("P@10=0.6137", queries=54, dialect="rankproof", average="answered").verdict != "impossible"
    found = audit("P@10=0.6137", queries=54, dialect="trec_eval", average="all")
    assert (found.verdict, found.rests_on) == ("impossible", ("--average all", "--dialect trec_eval"))
    # With 2 answers or 1 there is no such mean either.
    assert audit("P@10=0.6137", queries=2, dialect="trec_eval").verdict == "impossible"


def test_tools_that_average_over_different_queries() -> None:
    """BEIR leaves unanswered queries out of P and counts them in MRR and Accuracy."""
    report = "P@10=0.62 Success@10=0.54"
    assert audit(report, queries=50, dialect="beir").verdict != "impossible"
    assert audit(report, queries=50).verdict != "impossible"
    assert audit(report, queries=50, dialect="trec_eval").verdict == "impossible"
    assert audit("RR@10=0.62 Success@10=0.54", queries=50, dialect="beir").verdict == "impossible"


def test_tools_that_order_ties_differently_for_each_measure() -> None:
    """One relevant document, tied with another: at rank 1 for P and at rank 2 for RR@10."""
    qrels, run = {"1": {"b": 1}}, {"1": {"a": 1.0, "b": 1.0}}
    report = "P@1=1.00 RR@10=0.50"
    for tool in ("ir_measures", "beir"):
        told = evaluate(qrels, run, "P@1 RR@10", dialect=tool)
        assert {text: result.mean for text, result in told.items()} == {"P@1": 1.0, "RR@10": 0.5}
        for given in ({}, {"average": "all"}, {"queries": 1, "average": "answered"}):
            assert audit(report, dialect=tool, **given).verdict != "impossible"
    assert audit(report).verdict != "impossible"
    assert audit(report, average="all", relevant="1").verdict != "impossible"
    assert audit(report, dialect="trec_eval").verdict == "impossible"


def test_measures_that_draw_the_line_of_relevance_elsewhere() -> None:
    """Grade 1 at rank 1 and grade 2 at rank 2: P@1 from grade 1 on is 1, RR from grade 2 on is 1/2."""
    assert value("P@1", [1, 2]) == 1.0
    assert value("RR(rel=2)", [1, 2]) == 0.5
    found = audit("P@1=1.00 RR=0.50")
    assert (found.verdict, found.would_be) == ("undecided", ("--dialect rankproof",))


def test_a_mean_over_the_queries_where_a_measure_is_defined() -> None:
    """Two queries; only the first has a document of grade 2, and finds it."""
    qrels, run = {"1": {"a": 2}, "2": {"b": 1}}, {"1": {"a": 1.0}, "2": {"x": 1.0}}
    by_measure = {text: evaluate(qrels, run, text, undefined="skip")[text].mean for text in ("P@1", "P(rel=2)@1")}
    assert by_measure == {"P@1": 0.5, "P(rel=2)@1": 1.0}
    given: dict[str, Any] = {"queries": 2, "grades": ["2", "1"], "dialect": "rankproof"}
    assert audit("P@1=0.50 P(rel=2)@1=1.00", average="answered", **given).verdict != "impossible"
    assert audit("P@1=0.50 P(rel=2)@1=1.00", average="all", **given).verdict == "impossible"
    # Where grade 1 is worth nothing, nDCG is undefined without a document of grade 2.
    assert evaluate(qrels, run, "nDCG(gain={1:0})@1", undefined="skip")["nDCG(gain={1:0})@1"].mean == 1.0
    assert audit("P@1=0.50 nDCG(gain={1:0})@1=1.00", average="answered", **given).verdict != "impossible"
    assert audit("P@1=0.50 nDCG(gain={1:0})@1=1.00", average="all", **given).verdict == "impossible"


def test_a_tool_that_rounds_its_means() -> None:
    """332 / 540 = 0.614814...: BEIR gives 0.61481, which may be written with a sixth digit."""
    assert audit("P@10=0.614810", queries=54, dialect="beir", average="all").verdict != "impossible"
    assert audit("P@10=0.614810", queries=54, dialect="rankproof").verdict == "impossible"
    # 1 / 1 in all of three queries, or in two of them: 0.66667 at five digits, and never 0.66668.
    assert audit("P@1=0.666670", queries=3, dialect="beir", rounding="nearest", average="all").verdict != "impossible"


def test_a_tool_that_rounds_each_query_has_no_example() -> None:
    """A search by exact values is no example where each query's value is rounded to two places."""
    found = audit("AP@10=0.337", queries=3, relevant="1-3", dialect="opensearch")
    assert found.verdict == "undecided"
    assert any("rounds the value of each query" in note for note in found.notes)
    assert audit("AP@10=0.337", queries=3, relevant="1-3", dialect="rankproof").verdict != "undecided"


def test_bounds_that_come_down_to_one_value_are_no_contradiction() -> None:
    """One relevant document at rank 1: whatever it is worth, nDCG is 1; at no rank it is 0."""
    for report in ("nDCG@5=1.00 RR=1.00", "nDCG@5=1.00 P@5=0.20", "nDCG@5=0.00 RR@5=0.00", "ERR@5=0.00 RR@5=0.00"):
        assert audit(report, relevant="1", dialect="rankproof").verdict == "possible"
    assert audit("nDCG@5=1.00 RR=0.50", relevant="1", dialect="rankproof").verdict == "impossible"


def test_values_may_be_truncated() -> None:
    """Two of three are 0.666...: 0.66 when truncated, 0.67 when rounded."""
    assert audit("P@3=0.66", dialect="rankproof").verdict == "possible"
    assert audit("P@3=0.66", dialect="rankproof", rounding="nearest").verdict == "impossible"
    assert audit("P@3=0.67", dialect="rankproof", rounding="truncated").verdict == "impossible"


def test_a_top_grade_above_those_given() -> None:
    """Grade 1 on a scale up to 3: a reader stops with chance 1/8. The scale is not in the grades of one query."""
    assert value("ERR(max_grade=3)@5", [1]) == 0.125
    assert audit("P@1=1.00 ERR@5=0.125", grades=["1"], dialect="rankproof").verdict != "impossible"
    assert audit("P@1=1.00 ERR(max_grade=1)@5=0.125", grades=["1"], dialect="rankproof").verdict == "impossible"


def test_a_top_grade_below_those_given() -> None:
    """The query with grades 2, 1 is not answered: of those that count the top grade is 1, and a reader stops there with
    chance 1/2. F@1 is 1 only for a query with one relevant document."""
    assert value("ERR@5", [1]) == 0.5
    given: dict[str, Any] = {"grades": ["2,1", "1"], "queries": 2, "dialect": "trec_eval"}
    assert audit("F@1=1.00 ERR@5=0.500", **given).verdict != "impossible"
    assert audit("F@1=1.00 ERR@5=0.600", **given).verdict == "impossible"
    # Over all queries the scale goes up to 2 or further: a chance of 1/4 at most.
    assert audit("F@1=1.00 ERR@5=0.500", average="all", **given).verdict == "impossible"


def test_a_line_of_relevance_that_is_not_stated() -> None:
    """Of grades 2, 1 at ranks 1, 2 one is relevant where relevant begins at 2."""
    assert audit("P@2=0.50 R@2=1.00", grades=["2,1"]).verdict != "impossible"
    assert audit("P@2=0.50 R@2=1.00", grades=["2,1"], dialect="rankproof").verdict == "impossible"
    # rel is written, and the grades are not known: any number of the 3 may reach grade 2
    assert audit("P(rel=2)@2=0.50 R(rel=2)@2=1.00", relevant="3", dialect="rankproof").verdict != "impossible"


def test_what_holds_whatever_is_open() -> None:
    for report, given in (
        ("Success@5=0.62 Success@10=0.54", {}),
        ("RR@3=0.62 RR@10=0.54", {}),
        ("nDCG@10=1.20", {}),
        ("R@10=0.62 R@20=0.54", {"relevant": "1-10"}),
        ("AP@5=0.62 AP@10=0.10", {"relevant": "1-5"}),
    ):
        found = audit(report, queries=50, **given)
        assert (found.verdict, found.rests_on) == ("impossible", ("--relevant " + given["relevant"],) if given else ())


@pytest.mark.parametrize("dialect", ["rankproof", "trec_eval", "pytrec_eval", "ranx"])
def test_contradictions_of_the_page_are_found_with_a_dialect(dialect: str) -> None:
    """Whatever the grades are: these tools put the documents of a query in one order for all measures."""
    for report, given in (
        ("P@3=0.67 R@5=0.60 RR=0.5 nDCG@5=0.75", {"relevant": "5"}),
        ("RR@10=0.62 Success@10=0.54", {"queries": 50}),
        ("P@10=0.6137", {"queries": 54, "average": "all"}),
    ):
        found = audit(report, dialect=dialect, **given)
        assert (found.verdict, found.rests_on[-1]) == ("impossible", f"--dialect {dialect}")
        assert audit(report, **given).verdict == "undecided"


def test_what_a_definition_of_recall_allows() -> None:
    """20 relevant documents, 6 in the first 10 and 11 in the first 100: over at most k of them 0.6 and 0.55."""
    assert value("R(denominator=min_k)@10", [1] * 6 + [None] * 4, [1] * 20) == 0.6
    assert value("R(denominator=min_k)@100", [1] * 11, [1] * 20) == 0.55
    assert audit("R@10=0.60 R@100=0.55", relevant="20").verdict != "impossible"
    assert audit("R@10=0.60 R@100=0.55", relevant="20", dialect="trec_eval").verdict == "impossible"
