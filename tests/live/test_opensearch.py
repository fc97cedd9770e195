"""A real OpenSearch node: words, fields with weights, requests of one's own, and vectors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from tests.live.clients import opened
from tests.live.opensearch_index import call, load
from tests.live.shoes import PLACES, SHOES
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.asking.ask import ask_step
from rankproof.stack.asking.limits import KEEP_NOTHING, Limits
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import StepOutcome

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def shoes(opensearch_url: str) -> None:
    load(opensearch_url, "shoes", SHOES, PLACES)


@pytest.fixture
def ask(opensearch_url: str) -> Any:
    def one(text: str, depth: int = 10, columns: dict[str, str] | None = None, **said: Any) -> Ranking:
        said = {"index": "shoes", "url": opensearch_url, **said}
        asker = opened(read_pipeline(f"opensearch({', '.join(f'{name}={value!r}' for name, value in said.items())})"))
        try:
            return asker.ask(Query("q1", text, columns or {}), depth, 20.0)
        finally:
            asker.close()

    return one


def test_words(ask: Any) -> None:
    assert set(ask("red shoes", fields="title text").doc_ids) == {"d1", "d2", "d3", "d4"}
    assert ask("red shoes", fields="title", operator="and").doc_ids == ("d1",)
    assert ask("red shoes", fields="title text").doc_ids[0] == "d1"
    assert ask("nothing like it").doc_ids == ()
    assert len(ask("red shoes", 2, fields="title text")) == 2


def test_the_score_is_bm25_as_lucene_has_it(ask: Any) -> None:
    """umbrella stands in 1 of 5 titles, in one of 1 word where the mean is 9/5: k1 = 1.2, b = 0.75.

    idf = ln(1 + (5 - 1 + 0.5) / (1 + 0.5)) = ln 4; tf = 1 / (1 + 1.2 (0.25 + 0.75 / 1.8)) = 1 / 1.8. OpenSearch 2
    keeps the factor k1 + 1 = 2.2, which changes no order.
    """
    (score,) = ask("umbrella", fields="title").scores
    assert score == pytest.approx(2.2 * math.log(4) / 1.8, rel=1e-6)
    assert ask("umbrella", fields="title^3").scores[0] == pytest.approx(3 * score, rel=1e-6)


def test_vectors(ask: Any) -> None:
    """OpenSearch's score of a cosine c is (1 + c) / 2: 1, 0.9, 0.5, 0.5 and 0."""
    found = ask("", vector_field="embedding", columns={"vector": "[2, 0, 0]"})
    assert found.doc_ids[:2] == ("d1", "d2")
    assert found.scores.tolist() == pytest.approx([1, 0.9, 0.5, 0.5, 0], abs=1e-6)


def test_a_request_of_your_own(ask: Any) -> None:
    body = {"query": {"match_phrase": {"title": "{query}"}}, "size": "{depth}"}
    assert ask("garden hose", body=body).doc_ids == ("d3",)
    by_id = {"query": {"match_all": {}}, "sort": [{"title.length": "asc"}]}
    with pytest.raises(AskFailed, match=r"No mapping found for \[title\.length\]"):
        ask("x", body=by_id)


def test_what_is_too_deep_is_refused_with_the_servers_words(ask: Any) -> None:
    with pytest.raises(AskFailed, match="Result window is too large") as failed:
        ask("red", 20_000)
    assert not failed.value.again


def outcome(url: str, index: str = "shoes") -> StepOutcome:
    step = read_pipeline(f"opensearch(index='{index}', url='{url}', fields='title^2 text')")
    asker = opened(step)
    queries = [Query(f"q{i}", text) for i, text in enumerate(["red shoes", "umbrella", "rain", "red"] * 10)]
    try:
        return ask_step(asker, step, queries, 3, limits=Limits(concurrency=4, timeout=20.0), keep=KEEP_NOTHING)
    finally:
        asker.close()


def test_as_a_step_of_a_pipeline(opensearch_url: str) -> None:
    told = outcome(opensearch_url)
    assert told.failures == ()
    assert [r.doc_ids[0] for r in told.rankings[:3]] == ["d1", "d5", "d5"]
    assert np.isfinite(told.milliseconds).all()
    assert (told.identity["server"], told.identity["documents"]) == ("opensearch 2.19.1", "5")


def test_documents_that_tie_are_ordered_as_they_are_measured(opensearch_url: str, ask: Any) -> None:
    """Lucene breaks ties by when documents came; runs are ordered by id, last first."""
    twins = Corpus(("a", "c", "b"), {"title": ("red shoes", "red shoes", "red shoes")})
    load(opensearch_url, "twins", twins)
    assert ask("shoes", index="twins", fields="title").doc_ids == ("c", "b", "a")
    by_age = {"query": {"match": {"title": "{query}"}}, "sort": ["_score", "_doc"]}
    assert ask("shoes", index="twins", body=by_age).doc_ids == ("a", "c", "b")


def test_a_document_that_was_replaced_makes_another_index(opensearch_url: str) -> None:
    load(opensearch_url, "changing", SHOES)
    before = outcome(opensearch_url, "changing").identity
    assert outcome(opensearch_url, "changing").identity == before
    call("PUT", f"{opensearch_url}/changing/_doc/d1?refresh=true", '{"title": "green boots", "text": ""}')
    after = outcome(opensearch_url, "changing").identity
    assert {name for name in after if after[name] != before[name]} == {"changes"}
    assert (before["changes"], after["changes"]) == ("5", "6")


def test_queries_of_every_kind_are_answered(ask: Any) -> None:
    for text in ("", "the", "red caf\udce9", "🥾", "red\0shoes", '"; {} --', "shoes " * 400):
        ask(text, fields="title text")


@pytest.mark.parametrize(
    ("said", "near"), [({"fields": "titel text"}, "'title'"), ({"vector_field": "embeding"}, "'embedding'")]
)
def test_a_field_that_is_not_there(ask: Any, opensearch_url: str, said: dict[str, Any], near: str) -> None:
    with raises(AskFailed, "'shoes'", near, "embedding", "text", "title") as failed:
        ask("purple", columns={"vector": "[1, 0, 0]"}, **said)
    assert (failed.value.kind, failed.value.again) == ("no such field", False)
    options = ", ".join(f"{name}={value!r}" for name, value in said.items())
    asker = opened(read_pipeline(f"opensearch(index='shoes', url='{opensearch_url}', {options})"))
    with raises(UsageError, "opensearch", "'shoes'", near):
        _ = asker.identity
    asker.close()


def test_an_index_that_is_not_there_is_one_clear_error(opensearch_url: str) -> None:
    with raises(InputError, "opensearch", "no such index [none_such]"):
        outcome(opensearch_url, "none_such")
