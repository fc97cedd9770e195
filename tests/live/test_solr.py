"""A real Solr: words, parameters of one's own, vectors, and what it says against a request."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.live.clients import asking, engine_step, opened
from tests.live.shoes import PLACES, SHOES
from tests.live.solr_server import call, load
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.asking.ask import ask_step
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def shoes(solr_url: str) -> None:
    load(solr_url, "shoes", SHOES, PLACES)


@pytest.fixture
def engine(solr_url: str) -> Any:
    return lambda **said: opened(engine_step("solr", **{"collection": "shoes", "url": solr_url, **said}))


@pytest.fixture
def ask(engine: Any) -> Any:
    return asking(engine, 20.0)


def test_words(ask: Any) -> None:
    assert set(ask("red shoes", fields="title text").doc_ids) == {"d1", "d2", "d3", "d4"}
    assert ask("red shoes", fields="title text").doc_ids[0] == "d1"
    assert ask("red shoes", fields="title", mm="100%").doc_ids == ("d1",)
    assert ask("nothing like it", fields="title").doc_ids == ()
    assert len(ask("red shoes", 2, fields="title text")) == 2


def test_the_score_is_bm25_as_lucene_has_it(ask: Any) -> None:
    """umbrella stands in 1 of 5 titles, in one of 1 word where the mean is 9/5: k1 = 1.2, b = 0.75.

    idf = ln(1 + (5 - 1 + 0.5) / (1 + 0.5)) = ln 4; tf = 1 / (1 + 1.2 (0.25 + 0.75 / 1.8)) = 1 / 1.8.
    """
    (score,) = ask("umbrella", fields="title").scores
    assert score == pytest.approx(math.log(4) / 1.8, rel=1e-6)
    assert ask("umbrella", fields="title^3").scores[0] == pytest.approx(3 * score, rel=1e-6)


def test_vectors(ask: Any) -> None:
    """Lucene's score of a cosine c is (1 + c) / 2: 1, 0.9, 0.5, 0.5 and 0; ties by id, last first."""
    nearest = {"q": "{!knn f=embedding topK={depth}}{vector}", "parser": "lucene"}
    found = ask("", columns={"vector": "[2, 0, 0]"}, **nearest)
    assert found.doc_ids == ("d1", "d2", "d4", "d3", "d5")
    assert found.scores.tolist() == pytest.approx([1, 0.9, 0.5, 0.5, 0], abs=1e-6)
    assert ask("", 2, columns={"vector": "[2, 0, 0]"}, **nearest).doc_ids == ("d1", "d2")
    with raises(AskFailed, "vector", 3):
        ask("", columns={"vector": "[1, 0]"}, **nearest)


def test_parameters_of_your_own(ask: Any) -> None:
    only = {"fq": "{!term f=id}{wanted}"}
    assert ask("red", fields="title text", params=only, columns={"wanted": "d3"}).doc_ids == ("d3",)
    by_id = ask("red", fields="title text", params={"sort": "id asc"})
    assert (by_id.doc_ids, by_id.scores.tolist()) == (("d1", "d2", "d3"), [3, 2, 1])


def test_documents_that_tie_are_ordered_as_they_are_measured(ask: Any, solr_url: str) -> None:
    load(solr_url, "twins", Corpus(("a", "c", "b"), {"title": ("red shoes", "red shoes", "red shoes")}))
    assert ask("shoes", collection="twins", fields="title").doc_ids == ("c", "b", "a")


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"fields": "title^3 txet"}, ("'txet'", "'text'", "title", "embedding", "*_t")),
        ({"fields": "title", "id": "sku"}, ("'sku'", "id")),
        ({"q": "{!knn f=embeding topK=3}{vector}", "parser": "lucene"}, ("'embeding'", "'embedding'")),
    ],
)
def test_a_field_that_is_not_there(ask: Any, engine: Any, said: dict[str, Any], values: tuple[str, ...]) -> None:
    with raises(AskFailed, "'shoes'", *values) as failed:
        ask("red", columns={"vector": "[1, 0, 0]"}, **said)
    assert (failed.value.kind, failed.value.again) == ("no such field", False)
    with raises(UsageError, "solr", "'shoes'", *values):
        _ = engine(**said).identity


def test_a_field_that_a_pattern_makes(ask: Any) -> None:
    assert ask("red", fields="title color_t").doc_ids == ("d1",)


def test_queries_of_every_kind_are_answered(ask: Any) -> None:
    for text in (
        "",
        "the",
        "red caf\udce9",
        "🥾",
        "red\0shoes",
        '"; {} --',
        "{!knn f=x}[1]",
        "title:red~ [* TO",
        "x " * 400,
    ):
        ask(text, fields="title text")


def test_as_a_step_of_a_pipeline_and_what_changes_its_identity(engine: Any, solr_url: str) -> None:
    load(solr_url, "changing", SHOES)
    step = read_pipeline(f"solr(collection='changing', url='{solr_url}', fields='title^2 text')")
    queries = [Query(f"q{i}", text) for i, text in enumerate(["red shoes", "umbrella"] * 10)]
    asker = opened(step)
    told = ask_step(asker, step, queries, 3, limits=Limits(concurrency=4, timeout=20.0), keep=KEEP_NOTHING)
    asker.close()
    assert told.failures == ()
    assert [ranking.doc_ids[0] for ranking in told.rankings[:2]] == ["d1", "d5"]
    analyzer = "StandardTokenizer, LowerCaseFilter, PorterStemFilter"
    assert dict(told.identity) == {"solr": "9.8.1", "documents": "5", "analyzer": analyzer}
    call(f"{solr_url}/changing/update?commit=true", [{"id": "d6", "title": "boots"}])
    assert engine(collection="changing").identity["documents"] == "6"


def test_a_collection_that_is_not_there(ask: Any) -> None:
    with raises(AskFailed, "404") as failed:
        ask("red", collection="none_such", fields="title")
    assert not failed.value.again
