"""The contract of the measures shelf: what every measure promises, run over every measure."""

from __future__ import annotations

import importlib
import inspect
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.contracts.items import is_item
from tests.effort import examples
from tests.measuring.measures.asked import ASKED
from tests.measuring.measures.references import DIVERSITY, REFERENCES
from tests.measuring.measures.worlds import World, crowd, worlds
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.judged_table import Negatives
from rankproof.measuring.measures import contract
from rankproof.measuring.measures.contract import Measure, Variant
from rankproof.measuring.names import parse
from rankproof.testing.tables import table_of

MEASURES: dict[str, Measure] = dict(shelf.offered("measures"))
FILES = sorted(p for p in Path(inspect.getfile(contract)).parent.glob("*.py") if is_item(p))
VARIANTS = [parse(text)[0] for texts in ASKED.values() for text in texts]

# A cutoff measure looks no further than k, except in these variants, whose parameter is about the whole list.
WHOLE_LIST = ("InTop(over=found", "nDCG(ideal=retrieved")
# An empty ranking has 0, except here.
EMPTY = {"NumQ": 1.0, "RBPres": 1.0}
# An empty ranking has something to count here: the relevant documents that are missing.
COUNTS_MISSING = {"NumRel", "Utility", "YAAP"}

CROWD = crowd(seed=1, queries=60)

every_measure = pytest.mark.parametrize("name", sorted(ASKED))
every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=str)
quick = settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])


def asked(name: str) -> list[Variant]:
    return [parse(text)[0] for text in ASKED[name]]


# ---- the shelf is whole --------------------------------------------------------------------------


def test_every_measure_is_asked_for_and_has_a_plain_reference() -> None:
    assert set(ASKED) == set(MEASURES)
    assert {*REFERENCES, *DIVERSITY} == set(MEASURES)
    assert set(DIVERSITY) == {name for name, measure in MEASURES.items() if measure.needs_subtopics}


@pytest.mark.parametrize("measure", MEASURES.values(), ids=lambda m: m.name)
def test_every_parameter_is_asked_at_another_value(measure: Measure) -> None:
    for param in measure.params:
        told = {str(variant[param.name]) for variant in asked(measure.name)}
        assert len(told - {str(param.default)}) > 0, f"{measure.name}: nothing asks for another {param.name}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_a_file_has_one_measure_and_its_page(file: Path) -> None:
    module = importlib.import_module(f"rankproof.measuring.measures.{file.stem}")
    (measure,) = module.OFFERS
    assert measure.page == module.__doc__


# ---- the value -----------------------------------------------------------------------------------


@every_measure
@given(world=worlds(), negatives=st.sampled_from(["nonrelevant", "unjudged"]))
@quick
def test_the_value_equals_the_plain_reference(name: str, world: World, negatives: Negatives) -> None:
    """And it is undefined where the reference says so and nowhere else, and inside the stated range."""
    compare_with_reference(name, world, negatives)


@every_measure
@pytest.mark.parametrize("negatives", ["nonrelevant", "unjudged"])
def test_many_queries_at_once_equal_the_plain_reference(name: str, negatives: Negatives) -> None:
    compare_with_reference(name, CROWD, negatives)


def compare_with_reference(name: str, world: World, negatives: Negatives) -> None:
    for variant in asked(name):
        measure = variant.measure
        table = world.table(measure, negatives)
        values, undefined = measure.compute(table, variant), measure.undefined(table, variant)
        assert values.dtype == np.float64
        assert undefined.dtype == bool
        for got, no_value, told in zip(values, undefined, world.reference(variant, negatives), strict=True):
            assert no_value == (told is None), f"{variant}: undefined or not?"
            if told is not None:
                assert math.isclose(got, told, rel_tol=1e-9, abs_tol=1e-12), str(variant)
                if not has_negative_gain(variant):
                    assert measure.low - 1e-9 <= got <= measure.high + 1e-9, str(variant)
            elif not measure.skips_undefined:
                assert got == 0.0, f"{variant}: undefined counts as 0"


def has_negative_gain(variant: Variant) -> bool:
    """A mapping may give a grade a negative gain, and then no range holds."""
    gain = variant.values.get("gain", "linear")
    return not isinstance(gain, str) and any(worth < 0 for _, worth in gain)


@every_measure
@given(world=worlds(), rng=st.randoms(use_true_random=False))
@quick
def test_renaming_documents_changes_nothing(name: str, world: World, rng: object) -> None:
    names = sorted({d for docs in (*world.qrels.values(), *world.run.values()) for d in docs})
    fresh = [f"é{i:02}" for i in range(len(names))]
    if not MEASURES[name].needs_subtopics:
        rng.shuffle(fresh)
    # The greedy ideal of a diversity measure takes the greater id of two equally good documents, as ndeval
    # does: there, only a renaming that keeps the order of ids must change nothing.
    new = dict(zip(names, fresh, strict=True))
    renamed = World(
        {q: {new[d]: g for d, g in docs.items()} for q, docs in world.qrels.items()},
        {q: {new[d]: s for d, s in docs.items()} for q, docs in world.run.items()},
    )
    for variant in asked(name):
        assert np.array_equal(world.values(variant), renamed.values(variant), equal_nan=True), str(variant)


@pytest.mark.parametrize("name", sorted(n for n, m in MEASURES.items() if m.cutoff in ("optional", "required")))
@given(world=worlds())
@quick
def test_a_document_below_the_cutoff_changes_nothing(name: str, world: World) -> None:
    for variant in asked(name):
        if variant.k is None or str(variant).startswith(WHOLE_LIST):
            continue
        full = [q for q in world.qrels if len(world.run.get(q, {})) >= variant.k]
        here = [q in full for q in world.qrels]
        below = {f"d{i}": -1000.0 - i for i in range(12)}
        longer = {q: {**below, "new": -2000.0, **docs} for q, docs in world.run.items() if q in full}
        before, after = world.values(variant)[here], World(world.qrels, longer).values(variant)[here]
        assert np.array_equal(before, after, equal_nan=True), str(variant)


def test_whole_list_parameters_are_what_they_are_called() -> None:
    """The exemptions above are needed: a document below k does change these."""
    for text in ("InTop(over=found)@1", "nDCG(ideal=retrieved)@1"):
        (variant,) = parse(text)
        short, long = {"q": {"a": 2.0}}, {"q": {"a": 2.0, "b": 1.0}}
        values = [variant.measure.compute(table_of({"q": {"a": 1, "b": 2}}, run), variant) for run in (short, long)]
        assert values[0][0] != values[1][0]


@every_measure
@given(world=worlds())
@quick
def test_an_empty_ranking_has_the_stated_value(name: str, world: World) -> None:
    for run in ({}, {q: {} for q in world.qrels}):
        empty = World(world.qrels, run)
        for variant in asked(name):
            values = empty.values(variant)
            told = empty.reference(variant)
            undefined = variant.measure.undefined(empty.table(variant.measure), variant)
            for got, plain, no_value in zip(values, told, undefined, strict=True):
                if no_value:
                    assert variant.measure.skips_undefined or got == 0.0
                elif name in COUNTS_MISSING:
                    assert math.isclose(got, plain or 0.0)
                else:
                    expected = float(bool(run)) if name == "RunID" else EMPTY.get(name, 0.0)
                    assert got == pytest.approx(expected), str(variant)


@given(world=worlds())
@settings(max_examples=examples(15), deadline=None)
def test_asked_alone_or_with_others_the_number_is_the_same(world: World) -> None:
    for diverse in (False, True):
        variants = [v for v in VARIANTS if v.measure.needs_subtopics or not diverse]
        variants = [v for v in variants if diverse or not v.measure.needs_subtopics]
        table = world.table(variants[0].measure)
        together = evaluate_tables(lambda order, table=table: table, variants)
        for variant in variants:
            fresh = world.table(variant.measure)
            alone = evaluate_tables(lambda order, table=fresh: table, [variant])
            one, all_of_them = alone[str(variant)], together[str(variant)]
            assert one.by_query == all_of_them.by_query, str(variant)
            assert one.mean == all_of_them.mean or math.isnan(one.mean), str(variant)


@every_measure
def test_nothing_is_written_into_the_table(name: str) -> None:
    world = World(
        {"q1": {"d1": {"a": 2}, "d2": {"a": 0, "b": 1}, "d3": {"c": -1}}, "q2": {"d1": {"b": 3}}},
        {"q1": {"d2": 1.0, "d1": 1.0, "d9": 0.5}, "q2": {"d8": 2.0, "d1": 1.0}},
    )
    table = world.table(MEASURES[name])
    columns = [table.rank, table.tie_first, table.tie_last, table.doc, table.retrieved, table.start,
               table.in_run, table.pool.grade, table.pool.start]  # fmt: skip
    for column in columns:
        column.setflags(write=False)
    for variant in asked(name):
        variant.measure.compute(table, variant)
        variant.measure.undefined(table, variant)
        assert isinstance(variant.measure.fine_print(table, variant), str)
        if variant.measure.expected is not None:
            variant.measure.expected(table, variant)


@every_measure
def test_no_query_at_all_gives_no_value(name: str) -> None:
    table = World({}, {}).table(MEASURES[name])
    for variant in asked(name):
        assert variant.measure.compute(table, variant).shape == (0,)
        assert variant.measure.undefined(table, variant).shape == (0,)
        assert isinstance(variant.measure.fine_print(table, variant), str)


@pytest.mark.parametrize("name", sorted(DIVERSITY))
def test_a_diversity_measure_says_what_it_needs(name: str) -> None:
    (variant, *_) = asked(name)
    with raises(UsageError, name, "subtopic"):
        variant.measure.compute(table_of({"q": {"d": 1}}, {"q": {"d": 1.0}}), variant)
