"""Ties: closed forms, extreme orders and sampling, against writing out every order of the tied documents."""

from __future__ import annotations

import math
from itertools import chain, groupby, permutations, product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.measuring.measures.asked import ASKED
from tests.measuring.measures.worlds import World, crowd, worlds
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.measuring import ties
from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.judged_table import Negatives
from rankproof.measuring.measures._expected import worth_by_grade
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.measuring.records import Settings, TieRange
from rankproof.measuring.ties import over_ties
from rankproof.testing.tables import ranked, table_of

every_measure = pytest.mark.parametrize("name", sorted(ASKED))
# Measures whose mean over all orders has no closed form here: all orders or random ones are computed.
NO_CLOSED_FORM = {
    "11pt",
    "AllStRecall",
    "BinG",
    "Bpref",
    "Compat",
    "G",
    "GMBpref",
    "INST",
    "IPrec",
    "NuggetRecall",
    "Rndcg",
    "YAAP",
    "infAP",
    "nDCGrel",
}
# Measures of which no order is known to be the best or the worst.
NO_EXTREME_ORDER = {
    "AllStRecall",
    "ERR_IA",
    "G",
    "INST",
    "NuggetRecall",
    "Rndcg",
    "StRecall",
    "alpha_nDCG",
    "infAP",
    "nDCGrel",
    "nERR_IA",
}


def asked(name: str) -> list[Variant]:
    return [parse(text)[0] for text in ASKED[name]]


def orders_of(scores: dict[str, float]) -> list[list[str]]:
    """Every ranking in which a higher score is never below a lower one."""
    groups = [list(group) for _, group in groupby(ranked(scores), key=lambda doc: scores[doc])]
    return [[*chain(*choice)] for choice in product(*(permutations(group) for group in groups))]


def every_order(world: World, variant: Variant, negatives: Negatives = "nonrelevant") -> list[np.ndarray]:
    """The values of each query under each order, computed on rankings without ties."""
    qrels, run, owner = {}, {}, []
    for number, (query, docs) in enumerate(world.qrels.items()):
        for order in orders_of(world.run[query]) if query in world.run else [None]:
            name = f"{query} {len(owner)}"
            qrels[name] = docs
            owner.append(number)
            if order is not None:
                run[name] = {doc: -float(i) for i, doc in enumerate(order)}
    values = World(qrels, run).values(variant, negatives)
    return [values[np.array(owner) == number] for number in range(len(world.qrels))]


@every_measure
@given(world=worlds(tied=True, most=5), negatives=st.sampled_from(["nonrelevant", "unjudged"]))
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_the_range_is_that_of_all_orders(name: str, world: World, negatives: Negatives) -> None:
    for variant in asked(name):
        told = over_ties(world.table(variant.measure, negatives), variant)
        assert told.exact
        orders = every_order(world, variant, negatives)
        for (least, expected, greatest), values in zip(told.by_query, orders, strict=True):
            if np.isnan(values).all():
                assert np.isnan([least, expected, greatest]).all()
                continue
            assert math.isclose(least, values.min(), abs_tol=1e-12), f"{variant}: least"
            assert math.isclose(expected, values.mean(), rel_tol=1e-9, abs_tol=1e-12), f"{variant}: expected"
            assert math.isclose(greatest, values.max(), abs_tol=1e-12), f"{variant}: greatest"


@every_measure
def test_a_closed_form_agrees_with_all_orders_on_many_queries(name: str) -> None:
    world = crowd(seed=3, queries=25, most=6, tied=True)
    for variant in asked(name):
        told = over_ties(world.table(variant.measure), variant)
        for (least, expected, greatest), values in zip(told.by_query, every_order(world, variant), strict=True):
            if not np.isnan(values).all():
                ends = (values.min(), values.mean(), values.max())
                assert (least, expected, greatest) == pytest.approx(ends, rel=1e-9, abs=1e-12), str(variant)


def test_which_measures_have_closed_forms_and_extreme_orders() -> None:
    world = crowd(seed=4, queries=3, most=6, tied=True)
    no_form, no_end = set(), set()
    for name in ASKED:
        for variant in asked(name)[:1]:
            table = world.table(variant.measure)
            if variant.measure.expected is None or variant.measure.expected(table, variant) is None:
                no_form.add(name)
            if ties.worth_of(table, variant) is None:
                no_end.add(name)
    assert no_form == NO_CLOSED_FORM
    assert no_end == NO_EXTREME_ORDER
    assert set(ASKED) == set(shelf.offered("measures"))


def test_over_found_within_k_neither_is_known() -> None:
    """One more relevant document in the first k can lower the mean of precisions over those found there."""
    (variant,) = parse("AP(denominator=relevant_retrieved)@3")
    told = over_ties(table_of({"q": {"a": 1, "b": 1}}, {"q": {"a": 3, "x": 2, "b": 1, "y": 1}}), variant)
    # b at rank 3: (1 + 2/3) / 2; b at rank 4: 1. A higher place for b makes the value smaller.
    assert told.by_query[0].tolist() == pytest.approx([5 / 6, 11 / 12, 1.0])
    assert told.exact


# ---- by hand -------------------------------------------------------------------------------------


def tied(text: str, grades: list[int | None], pool: dict[str, int] | None = None) -> TieRange:
    """One tie group with these grades; None is a document that nobody judged."""
    qrels = {f"d{i}": grade for i, grade in enumerate(grades) if grade is not None}
    run = {"q": {f"d{i}": 1.0 for i in range(len(grades))}}
    return over_ties(table_of({"q": {**qrels, **(pool or {})}}, run), parse(text)[0])


def test_reciprocal_rank_of_two_relevant_among_four() -> None:
    # The first relevant is at rank 1, 2, 3 in 3, 2, 1 of 6 orders: (3 + 2/2 + 1/3) / 6.
    told = tied("RR", [1, 0, None, 1])
    assert (told.least, told.expected, told.greatest) == pytest.approx((1 / 3, (3 + 1 + 1 / 3) / 6, 1.0))


def test_average_precision_of_one_relevant_among_three() -> None:
    told = tied("AP", [1, 0, None])
    assert (told.least, told.expected, told.greatest) == pytest.approx((1 / 3, (1 + 1 / 2 + 1 / 3) / 3, 1.0))


def test_precision_where_the_cutoff_splits_the_group() -> None:
    told = tied("P@2", [1, 1, 0, None])
    assert (told.least, told.expected, told.greatest) == pytest.approx((0.0, 0.5, 1.0))


def test_bpref_keeps_judged_and_unjudged_apart() -> None:
    # Only the judged nonrelevant document matters: it is above in half of the orders.
    told = tied("Bpref", [1, 0, None])
    assert (told.least, told.expected, told.greatest) == pytest.approx((0.0, 0.5, 1.0))


def test_positions_are_least_where_the_ranking_is_best() -> None:
    told = tied("MinPos", [0, 1, 1, 0])
    assert (told.least, told.expected, told.greatest) == pytest.approx((1.0, 1 + 2 / 3, 3.0))


def test_without_ties_all_three_are_the_value() -> None:
    world = crowd(seed=5, queries=10)
    for name in ASKED:
        for variant in asked(name):
            told = over_ties(world.table(variant.measure), variant)
            values = world.values(variant)
            assert told.exact
            assert told.note == "" or variant.measure.aggregate == "geometric"
            assert np.array_equal(told.by_query, np.stack([values] * 3, axis=1), equal_nan=True), str(variant)


def test_ties_below_the_cutoff_do_not_count() -> None:
    qrels = {"q": {f"d{i}": i % 3 for i in range(40)}}
    run = {"q": {**{f"d{i}": 100.0 - i for i in range(5)}, **{f"d{i}": 1.0 for i in range(5, 40)}}}
    (variant,) = parse("AP(denominator=relevant_retrieved)@5")
    told = over_ties(table_of(qrels, run), variant)
    assert told.exact
    assert told.least == told.greatest


def test_a_measure_that_prefers_grades_wants_the_judged_and_not_relevant_last() -> None:
    (variant,) = parse("Bpref(rel=2)")
    qrels = {"q": {"a": 3, "b": 1, "c": -1}}
    run = {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "x": 1.0}}
    assert worth_by_grade(table_of(qrels, run), variant).tolist() == [4.0, -1.0, -1.0]
    pooled = table_of(qrels, run, negatives="unjudged")
    assert worth_by_grade(pooled, variant).tolist() == [4.0, -1.0, 0.0], "pooled without a judgment: unknown"


# ---- in an evaluation ----------------------------------------------------------------------------


def test_an_evaluation_gives_the_expected_value_and_its_range() -> None:
    table = table_of({"q": {"a": 1}, "r": {"a": 1}}, {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 2.0, "b": 1.0}})
    result = evaluate_tables(lambda order: table, parse("RR"), Settings(ties="expected"))["RR"]
    assert result.by_query == {"q": 0.75, "r": 1.0}
    assert result.mean == 0.875
    assert result.ties is not None
    assert (result.ties.least, result.ties.expected, result.ties.greatest) == (0.75, 0.875, 1.0)


def test_positions_leave_out_queries_where_nothing_was_found() -> None:
    table = table_of({"q": {"a": 1}, "r": {"z": 1}}, {"q": {"a": 1.0, "b": 1.0}, "r": {"a": 1.0, "b": 1.0}})
    result = evaluate_tables(lambda order: table, parse("AvgPos"), Settings(ties="range"))["AvgPos"]
    assert result.by_query == {"q": 1.5}
    assert result.ties is not None
    assert (result.ties.least, result.ties.expected, result.ties.greatest) == (1.0, 1.5, 2.0)


def test_a_depth_that_splits_a_tie_is_refused() -> None:
    table = table_of({"q": {"a": 1}}, {"q": {"x": 2.0, "a": 1.0, "b": 1.0, "c": 1.0}})
    for depth in (2, 3):
        with raises(UsageError, "'q'", "2 to 4"):
            evaluate_tables(lambda order: table, parse("RR"), Settings(ties="expected", depth=depth))
    for depth in (1, 4, 9):
        evaluate_tables(lambda order: table, parse("RR"), Settings(ties="expected", depth=depth))
    evaluate_tables(lambda order: table, parse("RR"), Settings(depth=2))


def test_condensed_lists_keep_their_ties() -> None:
    # Without the unjudged document, a and b are tied at ranks 1 and 2.
    table = table_of({"q": {"a": 1, "b": 0}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}})
    result = evaluate_tables(lambda order: table, parse("RR"), Settings(ties="expected", judged_only=True))["RR"]
    assert result.mean == 0.75
