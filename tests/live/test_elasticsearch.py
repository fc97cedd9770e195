"""A real Elasticsearch node: words, vectors, requests of one's own, and fields that are not there."""

from __future__ import annotations

import math
from typing import Any

import pytest
from tests.live.clients import asking, engine_step, opened
from tests.live.elasticsearch_server import load
from tests.live.opensearch_index import call
from tests.live.shoes import PLACES, SHOES
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.asking.ask import ask_step
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

pytestmark = pytest.mark.full


@pytest.fixture(scope="module", autouse=True)
def shoes(elasticsearch_url: str) -> None:
    load(elasticsearch_url, "shoes", SHOES, PLACES)


@pytest.fixture
def engine(elasticsearch_url: str) -> Any:
    return lambda **said: opened(engine_step("elasticsearch", **{"index": "shoes", "url": elasticsearch_url, **said}))


@pytest.fixture
def ask(engine: Any) -> Any:
    return asking(engine, 30.0)


def test_words(ask: Any) -> None:
    """No English analyzer: shoe is another word than shoes."""
    assert set(ask("red shoes", fields="title text").doc_ids) == {"d1", "d2", "d3"}
    assert ask("red shoes", fields="title", operator="and").doc_ids == ("d1",)
    assert ask("red shoes", fields="title text").doc_ids[0] == "d1"
    assert ask("shoe").doc_ids == ("d4",)
    assert len(ask("red shoes", 2, fields="title text")) == 2


def test_the_score_is_bm25_with_the_factor_that_elasticsearch_keeps(ask: Any) -> None:
    """As in test_opensearch.py: 2.2 ln 4 / 1.8."""
    (score,) = ask("umbrella", fields="title").scores
    assert score == pytest.approx(2.2 * math.log(4) / 1.8, rel=1e-6)
    assert ask("umbrella", fields="title^3").scores[0] == pytest.approx(3 * score, rel=1e-6)


def test_vectors(ask: Any) -> None:
    """The score of a cosine c is (1 + c) / 2: 1, 0.9, 0.5, 0.5 and 0; ties by id, last first."""
    said = {"vector_field": "embedding", "columns": {"vector": "[2, 0, 0]"}}
    found = ask("", **said)
    assert found.doc_ids == ("d1", "d2", "d4", "d3", "d5")
    assert found.scores.tolist() == pytest.approx([1, 0.9, 0.5, 0.5, 0], abs=1e-6)
    assert ask("", 2, **said).doc_ids == ("d1", "d2")
    with raises(AskFailed, 2, 3):
        ask("", vector_field="embedding", columns={"vector": "[1, 0]"})


def test_a_request_of_your_own(ask: Any) -> None:
    body = {"query": {"match_phrase": {"title": "{query}"}}, "size": "{depth}"}
    assert ask("garden hose", body=body).doc_ids == ("d3",)
    near = {"knn": {"field": "embedding", "query_vector": "{vector}", "k": 2, "num_candidates": 10}}
    assert ask("", body=near, columns={"vector": "[0, 1, 0]"}).doc_ids == ("d3", "d2")


@pytest.mark.parametrize(
    ("said", "near"), [({"fields": "titel text"}, "'title'"), ({"vector_field": "embeding"}, "'embedding'")]
)
def test_a_field_that_is_not_there(ask: Any, engine: Any, said: dict[str, Any], near: str) -> None:
    with raises(AskFailed, "'shoes'", near, "embedding", "text", "title") as failed:
        ask("purple", columns={"vector": "[1, 0, 0]"}, **said)
    assert (failed.value.kind, failed.value.again) == ("no such field", False)
    with raises(UsageError, "elasticsearch", "'shoes'", near):
        _ = engine(**said).identity


def test_documents_that_tie_are_ordered_as_they_are_measured(ask: Any, elasticsearch_url: str) -> None:
    twins = Corpus(("a", "c", "b"), {"title": ("red shoes", "red shoes", "red shoes")})
    load(elasticsearch_url, "twins", twins)
    assert ask("shoes", index="twins", fields="title").doc_ids == ("c", "b", "a")


def test_queries_of_every_kind_are_answered(ask: Any) -> None:
    for text in ("", "the", "red caf\udce9", "🥾", "red\0shoes", '"; {} --', "shoes " * 400):
        ask(text, fields="title text")


def test_as_a_step_of_a_pipeline_and_what_changes_its_identity(engine: Any, elasticsearch_url: str) -> None:
    load(elasticsearch_url, "changing", SHOES)
    step = read_pipeline(f"elasticsearch(index='changing', url='{elasticsearch_url}', fields='title^2 text')")
    queries = [Query(f"q{i}", text) for i, text in enumerate(["red shoes", "umbrella"] * 10)]
    asker = opened(step)
    told = ask_step(asker, step, queries, 3, limits=Limits(concurrency=4, timeout=30.0), keep=KEEP_NOTHING)
    asker.close()
    assert told.failures == ()
    assert [ranking.doc_ids[0] for ranking in told.rankings[:2]] == ["d1", "d5"]
    # The module that tells the version is not on Maven Central.
    assert (told.identity["server"], told.identity["documents"]) == ("not told", "5")
    call("PUT", f"{elasticsearch_url}/changing/_doc/d1?refresh=true", '{"title": "green boots", "text": ""}')
    after = dict(engine(index="changing").identity)
    assert {name for name in after if after[name] != told.identity[name]} == {"changes"}


def test_what_is_too_deep_or_not_there_is_refused_with_the_servers_words(ask: Any) -> None:
    for said, why in ((20_000, "Result window is too large"), (10, "no such index [none_such]")):
        index = {"index": "none_such"} if said == 10 else {}
        with raises(AskFailed, why) as failed:
            ask("red", said, **index)
        assert not failed.value.again
