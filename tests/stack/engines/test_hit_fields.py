"""What engines keep of hits: asked for, read where the configuration says, and never at the cost of the ranking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.live.clients import opened
from tests.live.echo import Reply, echo
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Answered, Ranking
from rankproof.stack.asking.answers import Answers
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

QUERY = Query("q1", "skillet")


def ask(engine: str, reply: Reply | bytes, depth: int = 10, **values: Any) -> tuple[Ranking, list[dict[str, Any]]]:
    """The ranking, and the bodies of the requests that were sent."""
    with echo(reply) as server:
        options = ", ".join(f"{name}={value!r}" for name, value in {"url": server.url, **values}.items())
        step = read_pipeline(f"{engine}({options})")
        assert read_pipeline(step.text).key == step.key
        asker = opened(step)
        try:
            ranking = asker.ask(QUERY, depth, 5.0)
        finally:
            asker.close()
        return ranking, [
            json.loads(r.body) if r.body[:1] == b"{" else {"text": r.body.decode()} for r in server.requests
        ]


def api(*hits: dict[str, Any]) -> bytes:
    return json.dumps({"hits": list(hits)}).encode()


def test_an_api_keeps_what_the_expressions_find_as_text() -> None:
    hit = {
        "sku": "a",
        "product": {"name": "Skillet", "price": {"amount": 19.5, "currency": "EUR"}, "stock": 3, "new": True},
        "bullets": ["iron", "", "10 inch"],
        "images": [{"src": "https://x/a.png"}, {"src": "https://x/b.png"}],
        "none": None,
    }
    fields = {
        "title": "product.name", "price": "product.price.amount", "all": "product.price", "stock": "product.stock",
        "new": "product.new", "text": "bullets", "image": "images[0].src", "none": "none", "gone": "no.such.place",
    }  # fmt: skip
    ranking, _ = ask("http", api(hit), hits="hits", id="sku", hit_fields=fields)
    assert ranking.hit_fields == {
        "a": {
            "title": "Skillet", "price": "19.5", "all": '{"amount": 19.5, "currency": "EUR"}', "stock": "3",
            "new": "true", "text": "iron\n10 inch", "image": "https://x/a.png",
        }
    }  # fmt: skip


def test_names_alone_are_the_fields_of_that_name() -> None:
    ranking, _ = ask("http", api({"id": 1, "title": "A", "url": "u"}), hits="hits", hit_fields="title url")
    assert ranking.hit_fields == {"1": {"title": "A", "url": "u"}}


def test_documents_that_are_cut_off_or_reordered_keep_their_own_fields() -> None:
    hits = [{"id": "a", "s": 2, "t": "A"}, {"id": "b", "s": 2, "t": "B"}, {"id": "c", "s": 1, "t": "C"}]
    ranking, _ = ask("http", api(*hits), depth=2, hits="hits", score="s", hit_fields={"t": "t"})
    assert ranking.doc_ids == ("b", "a")  # a tie, by id
    assert dict(ranking.hit_fields) == {"b": {"t": "B"}, "a": {"t": "A"}}


def test_nothing_is_kept_where_nothing_is_said() -> None:
    ranking, _ = ask("http", api({"id": "a", "title": "A"}), hits="hits")
    assert ranking.hit_fields == {}


def test_an_expression_that_is_none_is_told_before_anything_is_asked() -> None:
    with raises(UsageError, "hit_fields: title", "'a..b'"):
        ask("http", api(), hits="hits", hit_fields={"title": "a..b"})
    with raises(UsageError, "hit_fields", "must say where a field stands"):
        ask("http", api(), hits="hits", hit_fields={"title": 3})


def test_a_function_that_does_not_fit_says_so() -> None:
    with raises(AskFailed, "does not fit the answer"):
        ask("http", api({"id": "a", "tags": 3}), hits="hits", hit_fields={"tags": "join(', ', tags)"})


ELASTIC = {"_id": "a", "_score": 1.0, "_source": {"title": "A", "shop": {"price": 3}}, "highlight": {"text": ["<em>x"]}}


@pytest.mark.parametrize("engine", ["elasticsearch", "opensearch"])
@pytest.mark.parametrize(
    ("fields", "source", "kept"),
    [
        ({}, False, {}),
        ("title", ["title"], {"title": "A"}),
        ({"price": "shop.price"}, ["shop.price"], {"price": "3"}),
        ({"price": "_source.shop.price", "title": "title"}, ["shop.price", "title"], {"price": "3", "title": "A"}),
        ({"snippet": "highlight.text[0]"}, False, {"snippet": "<em>x"}),
        ({"either": "_source.nothing || _source.title"}, True, {"either": "A"}),
    ],
)
def test_a_cluster_is_asked_for_the_fields_that_are_kept(
    engine: str, fields: object, source: object, kept: dict[str, str]
) -> None:
    body = json.dumps({"hits": {"hits": [ELASTIC]}}).encode()
    ranking, sent = ask(engine, body, index="products", hit_fields=fields)
    assert sent[-1]["_source"] == source
    assert dict(ranking.hit_fields.get("a", {})) == kept


def test_solr_vespa_weaviate_and_qdrant_are_asked_for_them_too() -> None:
    solr = json.dumps({"response": {"docs": [{"id": "a", "score": 1.0, "title_t": ["A", "B"]}]}}).encode()
    ranking, sent = ask("solr", solr, collection="products", hit_fields={"title": "title_t"})
    assert "fl=id%2Ctitle_t%2Cscore" in sent[0]["text"]
    assert ranking.hit_fields == {"a": {"title": "A\nB"}}

    hit = {"relevance": 1.0, "fields": {"documentid": "id:x:product::a", "title": "A"}}
    ranking, sent = ask(
        "vespa", json.dumps({"root": {"children": [hit]}}).encode(), schema="product", hit_fields="title"
    )
    assert sent[0]["yql"].startswith("select documentid, title from")
    assert ranking.hit_fields == {"a": {"title": "A"}}

    found = {"sku": "a", "title": "A", "_additional": {"id": "1-2", "score": "1.5"}}
    answer = json.dumps({"data": {"Get": {"Product": [found]}}}).encode()
    ranking, sent = ask("weaviate", answer, collection="Product", id="sku", hit_fields={"title": "title"})
    assert "{ sku title _additional" in sent[0]["query"]
    assert ranking.hit_fields == {"a": {"title": "A"}}


@pytest.mark.parametrize("engine", ["solr", "vespa", "weaviate"])
def test_a_server_with_names_takes_no_expressions(engine: str) -> None:
    where = {"solr": "collection", "vespa": "schema", "weaviate": "collection"}[engine]
    with raises(UsageError, engine, "no name of a field"):
        ask(engine, b"{}", hit_fields={"title": "a, b"}, **{where: "products"})


def test_answers_that_are_stored_keep_them(tmp_path: Any) -> None:
    ranking = Ranking.in_order(["a", "b"])
    told = Ranking(ranking.doc_ids, ranking.scores, hit_fields={"a": {"title": "Ä \ud800 \n"}})
    with Answers(tmp_path / "answers.jsonl") as keep:
        keep.put("k-1", Answered("q1", told, 1.0))
        keep.put("k-2", Answered("q1", ranking, 1.0))
    with Answers(tmp_path / "answers.jsonl") as keep:
        one, two = keep.get("k-1"), keep.get("k-2")
        assert keep.damaged == 0
    assert one is not None
    assert two is not None
    assert one.ranking.hit_fields == {"a": {"title": "Ä \ud800 \n"}}
    assert two.ranking.hit_fields == {}
