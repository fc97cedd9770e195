"""Every dialect on the shelf: a page that says what differs and where it ends, real measures, readable refusals."""

from __future__ import annotations

import doctest
import importlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import OutOfDialect, RankproofError, UsageError
from rankproof.kernel import shelf
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.evaluate import evaluate
from rankproof.measuring.explain import explain
from rankproof.measuring.measures.contract import Measure
from rankproof.measuring.names import parse

DIALECTS: Mapping[str, Dialect] = shelf.offered("dialects")
OTHERS = [name for name in DIALECTS if name != "rankproof"]
HEADINGS = ("checked", "differs", "limits")

QRELS = {"1": {"a": 2, "b": 1, "c": 0}, "2": {"a": 1, "x": 0}}
RUN = {"1": {"b": 3.0, "z": 2.0, "a": 1.0}, "2": {"x": 2.0, "y": 1.0}}
# Inside the limits of every dialect: no ties, every document judged.
INSIDE = {"1": {"b": 3.0, "c": 2.0, "a": 1.0}, "2": {"x": 2.0, "a": 1.0}}


@dataclass(frozen=True)
class Outside:
    """A request that the dialect's own limit refuses, and what the refusal says."""

    measure: str
    qrels: dict[str, dict[str, int]]
    run: dict[str, dict[str, float]]
    says: str


# One for each dialect that has limits on data; completeness is tested below.
REFUSED = {
    "beir": Outside("RR@5", QRELS, {**RUN, "3": {"a": 1.0}}, "such as 3"),
    "elasticsearch": Outside("nDCG@5", {"1": {"a": -2, "b": 1}}, RUN, "query 1"),
    "haystack": Outside("nDCG@5", {"1": {"a": -2, "b": 1}}, RUN, "query 1"),
    "ir_measures": Outside("ERR@5", {"1": {"a": 7}}, RUN, "query 1"),
    "llama_index": Outside("RR", {**QRELS, "3": {"a": 1}}, RUN, "query 3"),
    "opensearch": Outside("nDCG@5", {"1": {"a": -2, "b": 1}}, RUN, "query 1"),
    "quepid": Outside("AP@5", {"1": {"a": 0}, "2": {"a": 0}}, RUN, "queries 1, 2"),
    "ragas": Outside("SetR", {**QRELS, "2": {"a": 0}}, RUN, "query 2"),
    "ranx": Outside("AP", QRELS, {"1": {"a": 1.0, "b": 1.0}}, "query 1"),
    "sklearn": Outside("nDCG", QRELS, {"1": {"a": 1.0}}, "query 1"),
}


def module(dialect: str) -> Any:
    return importlib.import_module(f"rankproof.measuring.dialects.{dialect}")


def test_every_dialect_with_a_limit_is_refused_somewhere_here() -> None:
    assert {name for name, dialect in DIALECTS.items() if dialect.limit is not None} == set(REFUSED)


@pytest.mark.parametrize("name", DIALECTS)
def test_one_file_one_dialect_and_its_page(name: str) -> None:
    found = module(name)
    assert [item.name for item in found.OFFERS] == [name]
    assert DIALECTS[name].page == found.__doc__
    assert DIALECTS[name].summary.endswith(".")
    assert explain(name).pages[0].text == found.__doc__.strip()


@pytest.mark.parametrize("name", OTHERS)
def test_the_page_says_what_was_checked_what_differs_and_where_it_ends(name: str) -> None:
    page = DIALECTS[name].page
    for heading in HEADINGS:
        assert len(re.findall(rf"^{heading}: \S", page, re.MULTILINE)) == 1, heading
    assert re.search(r"^checked: .*(\d|source)", page, re.MULTILINE), "which version, or which source"


@pytest.mark.parametrize("name", OTHERS)
def test_the_example_shows_both_numbers_and_they_come_out(name: str) -> None:
    ran = doctest.testmod(module(name))
    assert ran.attempted > 0
    assert ran.failed == 0
    asked = re.findall(r"mean\(.*\)", DIALECTS[name].page)
    assert any("dialect=" not in line.split("), mean(")[0] for line in asked), "rankproof's number"
    assert any(f'dialect="{name}"' in line for line in asked), "the tool's number"


@pytest.mark.parametrize("name", DIALECTS)
def test_what_it_names_exists(name: str) -> None:
    dialect = DIALECTS[name]
    measures: Mapping[str, Measure] = shelf.offered("measures")
    heads = [re.split(r"[(@]", text)[0] for text in dialect.reading_of]
    for measure in (*heads, *dialect.defaults, *dialect.instead, *dialect.speaks):
        assert measure in measures
        assert not dialect.speaks or measure in dialect.speaks
    for measure, defaults in dialect.defaults.items():
        params = {p.name: p for p in (dialect.instead.get(measure) or measures[measure]).params}
        for param, value in defaults.items():
            kind = params[param].kind
            assert kind.parse(kind.show(value)) == value
    for measure, instead in dialect.instead.items():
        assert instead.name == measure, "a measure keeps its name"


@pytest.mark.parametrize("name", DIALECTS)
def test_every_measure_it_speaks_has_a_value_and_every_other_is_refused(name: str) -> None:
    dialect = DIALECTS[name]
    measures: Mapping[str, Measure] = shelf.offered("measures")
    for measure in dialect.speaks:
        if measures[measure].needs_subtopics:
            continue
        at = {"none": "", "optional": "@5", "required": "@5", "recall": "@0.5"}[measures[measure].cutoff]
        at = "" if (name, measure) == ("ir_measures", "RBP") else at
        result = evaluate(QRELS, INSIDE, f"{measure}{at}", dialect=name)[f"{measure}{at}"]
        assert math.isfinite(result.mean), measure
    if dialect.speaks:
        (stranger,) = parse("GradeShare(grade=1)@5")
        with raises(UsageError, name, "GradeShare", *dialect.speaks):
            evaluate(QRELS, RUN, stranger, dialect=name)


@pytest.mark.parametrize("name", REFUSED)
def test_a_refusal_says_which_measure_where_why_and_what_to_do(name: str) -> None:
    case = REFUSED[name]
    with pytest.raises(OutOfDialect) as caught:
        evaluate(case.qrels, case.run, case.measure, dialect=name)
    told = str(caught.value)
    assert isinstance(caught.value, RankproofError)
    assert told.startswith(re.split(r"[(@]", case.measure)[0])
    assert case.says in told
    assert told.endswith("or leave the dialect out.")


def test_a_dialect_speaks_its_definition_only_where_nothing_else_was_said() -> None:
    (asked,) = parse("nDCG(ideal=retrieved)@5")
    spoken = DIALECTS["quepid"].speak(asked)
    assert str(spoken) == "nDCG(gain=exp2,ideal=retrieved)@5"
    assert DIALECTS["rankproof"].speak(asked) is asked


def test_the_most_exact_name_decides_how_a_run_is_read() -> None:
    dialect = DIALECTS["ir_measures"]
    assert dialect.read(parse("RR")[0]) == dialect.reading
    assert dialect.read(parse("RR(rel=2)@5")[0]) == dialect.reading_of["RR@k"]
    assert dialect.read(parse("nDCG(gain=exp2)@5")[0]) == dialect.reading_of["nDCG(gain=exp2)@k"]
    assert dialect.read(parse("nDCG@5")[0]) == dialect.reading
    assert dialect.read(parse("Judged@5")[0]) == dialect.reading_of["Judged"]


def test_the_fine_print_says_what_a_dialect_does_otherwise_for_some_measures() -> None:
    lines = evaluate(QRELS, RUN, "nDCG@5 RR@5", dialect="beir").fine_print
    assert "order: score descending (as 32-bit floats), then document id descending" in lines
    assert "RR@5: order score descending, then as given; queries missing from the run count as empty rankings" in lines
    assert "means rounded to 5 places" in lines
    assert "nDCG@5: each query rounded to 2 places" in evaluate(QRELS, RUN, "nDCG@5", dialect="opensearch").fine_print
    averaged = evaluate(QRELS, RUN, "nDCG@5", dialect="sklearn").fine_print
    assert "nDCG@5: mean over all orders of documents with equal scores" in averaged
    # An order that the caller asks for holds for every measure.
    asked = evaluate(QRELS, RUN, "nDCG@5 RR@5", dialect="beir", order="given").fine_print
    assert "RR@5: queries missing from the run count as empty rankings" in asked
