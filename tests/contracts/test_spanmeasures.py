"""The contract of the shelf of span measures, and every measure against sets of characters, counted one by one."""

from __future__ import annotations

import doctest
import importlib
import inspect
import math
import re
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.items import is_item
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.measuring import names
from rankproof.measuring.explain import explain
from rankproof.measuring.names import Budget
from rankproof.measuring.spans.evaluate import evaluate
from rankproof.measuring.spans.measures import contract
from rankproof.measuring.spans.measures.contract import SpanMeasure, SpanVariant, parse

ITEMS: dict[str, SpanMeasure] = dict(shelf.offered("spanmeasures"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))
CUTOFFS = ("", "@1", "@3", "@7chars", "@25chars")
VARIANTS = [
    *(parse(f"{name}{at}")[0] for name in ITEMS for at in CUTOFFS),
    *(parse(f"{name}(whole=true)@25chars")[0] for name in ITEMS),
    *(parse(f"{name}(repeats=once)@3")[0] for name in ("SpanPrecision", "SpanIoU")),
    *(parse(f"{name}(rel=2)@25chars")[0] for name in ITEMS if name != "SpanRedundancy"),
    *(parse(f"SpanFound(overlap={share})@3")[0] for share in (0.1, 0.55, 1)),
]

every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
Place = tuple[str, int]


def ranges(most: int) -> st.SearchStrategy[list[tuple[str, int, int, int]]]:
    """Up to `most` ranges in three short documents, so that they often meet: document, start, end, grade."""
    one = st.tuples(st.sampled_from("xyz"), st.integers(0, 30), st.integers(1, 25), st.integers(0, 2))
    return st.lists(one.map(lambda r: (r[0], r[1], r[1] + r[2], r[3])), max_size=most)


collections = st.lists(st.tuples(ranges(5), ranges(8)), min_size=1, max_size=4)


# ---- the reference: every character on its own ---------------------------------------------------


def characters(span: tuple[str, int, int]) -> list[Place]:
    return [(span[0], at) for at in range(span[1], span[2])]


def read_in_order(chunks: list[tuple[str, int, int]], variant: SpanVariant) -> list[Place]:
    """Every character that is read, in the order of reading, repeats included."""
    if isinstance(variant.at, Budget):
        if variant["whole"]:
            text: list[Place] = []
            for chunk in chunks:
                if len(text) + len(characters(chunk)) > variant.at:
                    break
                text += characters(chunk)
            return text
        return [place for chunk in chunks for place in characters(chunk)][: int(variant.at)]
    return [place for chunk in chunks[: variant.at] for place in characters(chunk)]


def islands(spans: list[tuple[str, int, int, int]], rel: int) -> list[set[Place]]:
    """Gold spans of grade `rel` or more; those that share a character are one."""
    merged: list[set[Place]] = []
    for span in spans:
        if span[3] >= rel:
            new = set(characters(span[:3]))
            apart = [island for island in merged if not island & new]
            merged = [*apart, new.union(*(island for island in merged if island & new))]
    return merged


def plain(
    variant: SpanVariant, gold: list[tuple[str, int, int, int]], chunks: list[tuple[str, int, int]]
) -> float | None:
    rel = variant.values.get("rel", 1)
    spans = islands(gold, rel)
    text = read_in_order(chunks, variant)
    good = {place for span in spans for place in span}
    size = len(set(text)) if variant.values.get("repeats") == "once" else len(text)
    hit = len(good & set(text))
    match variant.measure.name:
        case "SpanRedundancy":
            return None if not text else 1 - len(set(text)) / len(text)
        case _ if not good:
            return None
        case "SpanRecall":
            return hit / len(good)
        case "SpanPrecision":
            return hit / size if size else 0.0
        case "SpanIoU":
            return hit / (len(good) + size - hit)
        case "SpanFound":
            share = Fraction(str(variant["overlap"]))
            return sum(len(span & set(text)) >= share * len(span) for span in spans) / len(spans)
    raise AssertionError(f"{variant} has no plain reference")


@every_variant
@given(collection=collections)
@settings(max_examples=examples(120), deadline=None)
def test_the_value_equals_that_of_counted_characters(variant: SpanVariant, collection) -> None:
    gold = {f"q{i}": spans for i, (spans, _) in enumerate(collection)}
    chunks = {f"q{i}": [row[:3] for row in rows] for i, (_, rows) in enumerate(collection)}
    result = evaluate(gold, chunks, [variant])[variant.text]
    told = {query: plain(variant, gold[query], chunks[query]) for query in gold}
    defined = {query: value for query, value in told.items() if value is not None}
    assert set(result.undefined) == {query for query, value in told.items() if value is None}
    assert result.by_query == pytest.approx(defined, abs=1e-15)
    assert math.isclose(result.mean, math.fsum(defined.values()) / len(defined)) if defined else math.isnan(result.mean)
    assert all(variant.measure.low <= value <= variant.measure.high for value in result.by_query.values())


# ---- pages and names -----------------------------------------------------------------------------


def test_every_measure_is_tried() -> None:
    assert {variant.measure.name for variant in VARIANTS} == set(ITEMS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    module = importlib.import_module(f"rankproof.measuring.spans.measures.{file.stem}")
    (item,) = module.OFFERS
    assert item.page == module.__doc__
    for heading in ("range:", "undefined:", "source:"):
        assert len(re.findall(rf"^{heading} \S", item.page, re.MULTILINE)) == 1, heading
    assert re.search(rf"^range: {item.low:g} to {item.high:g}$", item.page, re.MULTILINE)
    told = doctest.testmod(module)
    assert told.attempted >= 2
    assert told.failed == 0


@every_variant
def test_the_text_reads_back(variant: SpanVariant) -> None:
    (again,) = parse(str(variant))
    assert (again, again.values, again.at, again.budget) == (variant, variant.values, variant.at, variant.budget)
    for spelling in variant.measure.spellings:
        assert parse(spelling)[0].measure is variant.measure


def test_a_budget_is_not_a_rank() -> None:
    assert parse("SpanRecall@25chars") != parse("SpanRecall@25") != parse("SpanRecall@25tokens")
    assert len(parse("SpanRecall@25 SpanRecall@25chars SpanRecall@25")) == 2


@pytest.mark.parametrize(
    "name", ["SpanRecall@0", "SpanRecall@0tokens", "SpanRecall@10words", "SpanRecall@-5", "SpanRecall@2.5"]
)
def test_a_cutoff_that_is_none_names_both_kinds(name: str) -> None:
    with raises(UsageError, name, "4000tokens"):
        parse(name)


def test_a_budget_is_no_cutoff_of_measures_of_documents() -> None:
    with raises(UsageError, "R@4000tokens"):
        names.parse("R@4000tokens")


def test_a_span_measure_among_those_of_documents_says_where_it_belongs() -> None:
    with raises(UsageError, "SpanRecall@5", "rankproof.spans.evaluate"):
        names.parse("SpanRecall@5")


def test_a_wrong_name_is_near_a_right_one() -> None:
    with raises(UnknownName, "'SpanRecal'", "'SpanRecall'"):
        parse("SpanRecal@5")


def test_whole_needs_a_budget() -> None:
    with raises(UsageError, "SpanRecall(whole=true)@5"):
        parse("SpanRecall(whole=true)@5")


@pytest.mark.parametrize("name", ["SpanIoU", "token_iou@5", "SpanRecall@4000tokens"])
def test_a_span_measure_is_explained(name: str) -> None:
    assert explain(name).pages[0].kind == "span measure"
