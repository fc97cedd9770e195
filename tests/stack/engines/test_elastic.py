"""OpenSearch and Elasticsearch: what is asked, and which answers are believed. The server here only plays a part."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.live.clients import opened
from tests.live.echo import Echo, Request, echo
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import Asker, AskFailed
from rankproof.stack.pipeline import read_pipeline

CHANGES = "/shop/_stats/docs?level=shards&filter_path=indices.*.shards.*.seq_no"
HITS = [{"_id": "b", "_score": 3.5, "_source": {"sku": "B1"}}, {"_id": "a", "_score": 3.5, "_source": {"sku": "A1"}}]
GOOD: dict[str, Any] = {"timed_out": False, "_shards": {"total": 1, "failed": 0}, "hits": {"hits": HITS}}
CLUSTER = {
    "/": {"version": {"distribution": "opensearch", "number": "2.19.1"}},
    "/shop": {"shop": {"settings": {"index": {"uuid": "u1"}}, "mappings": {"properties": {"title": {"type": "text"}}}}},
    "/shop/_count": {"count": 12},
    CHANGES: {"indices": {"shop": {"shards": {"0": [{"seq_no": {"max_seq_no": 11}}, {"seq_no": {"max_seq_no": 10}}]}}}},
}


def engine(server: Echo, name: str = "opensearch", **said: Any) -> Asker:
    said = {"index": "shop", "url": server.url, **said}
    return opened(read_pipeline(f"{name}({', '.join(f'{key}={value!r}' for key, value in said.items())})"))


def request(columns: dict[str, str] | None = None, name: str = "opensearch", **said: Any) -> tuple[str, dict[str, Any]]:
    """The path and body of one search for red "shoes"."""
    with echo(json.dumps(GOOD).encode()) as server:
        asker = engine(server, name, **said)
        asker.ask(Query("q1", 'red "shoes"', columns or {}), 20, 5.0)
        asker.close()
    (asked,) = server.requests
    assert asked.method == "POST"
    return asked.path, json.loads(asked.body)


def test_words_are_searched_in_fields_with_weights() -> None:
    path, body = request(fields="title^3 text", operator="and")
    assert path == "/shop/_search?preference=rankproof&allow_partial_search_results=false"
    match = {"query": 'red "shoes"', "type": "best_fields", "operator": "and", "fields": ["title^3", "text"]}
    assert body == {"size": 20, "_source": False, "track_total_hits": False, "query": {"multi_match": match}}
    assert "fields" not in request()[1]["query"]["multi_match"]


def test_vectors_are_searched_as_each_of_the_two_has_it() -> None:
    columns = {"v": "[0.5, 1]"}
    _, body = request(columns, vector_field="place", vector="v", candidates=50)
    assert body["query"] == {"knn": {"place": {"vector": [0.5, 1.0], "k": 50}}}
    _, body = request(columns, "elasticsearch", vector_field="place", vector="v", candidates=5)
    assert body["knn"] == {"field": "place", "query_vector": [0.5, 1.0], "k": 20, "num_candidates": 20}


def test_a_request_of_your_own() -> None:
    own = {"query": {"match": {"title": "{query}"}}, "size": "{depth}", "rescore": {"v": "{vector}", "in": "{locale}"}}
    _, body = request({"vector": "[1, 2]", "locale": "us"}, body=own)
    assert body["query"] == {"match": {"title": 'red "shoes"'}}
    assert body["rescore"] == {"v": [1.0, 2.0], "in": "us"}
    assert (body["size"], body["_source"]) == (20, False)


def test_ids_are_read_where_they_stand() -> None:
    with echo(json.dumps(GOOD).encode()) as server:
        for said, ids in (({}, ("b", "a")), ({"id": "_source.sku"}, ("B1", "A1"))):
            asker = engine(server, **said)
            ranking = asker.ask(Query("q1", "x"), 20, 5.0)
            asker.close()
            assert ranking.doc_ids == ids
            assert ranking.scores.tolist() == [3.5, 3.5]
    assert json.loads(server.requests[1].body)["_source"] == ["sku"]


@pytest.mark.parametrize(
    ("change", "kind", "again"),
    [
        ({"timed_out": True}, "partial answer", True),
        ({"_shards": {"total": 3, "failed": 1}}, "partial answer", True),
        ({"hits": None}, "unreadable answer", False),
        ({"hits": {"hits": ["b"]}}, "unreadable answer", False),
        ({"hits": {"hits": [HITS[0], HITS[0]]}}, "repeated ids", False),
        ({"hits": {"hits": [{"_score": 1.0}]}}, "missing ids", False),
    ],
)
def test_half_an_answer_is_none(change: dict[str, Any], kind: str, again: bool) -> None:
    with echo(json.dumps(GOOD | change).encode()) as server:
        asker = engine(server)
        with pytest.raises(AskFailed) as failed:
            asker.ask(Query("q1", "x"), 20, 5.0)
        asker.close()
    assert (failed.value.kind, failed.value.again) == (kind, again)


def test_what_the_cluster_says_against_it_is_told() -> None:
    told = {
        "error": {"root_cause": [{"type": "index_not_found_exception", "reason": "no such index [shop]"}]},
        "status": 404,
    }
    with echo(lambda request: (404, json.dumps(told).encode())) as server:
        asker = engine(server)
        with raises(AskFailed, "404 Not Found", "no such index [shop]"):
            asker.ask(Query("q1", "x"), 20, 5.0)
        asker.close()


def identity(cluster: dict[str, Any]) -> dict[str, str]:
    def reply(asked: Request) -> tuple[int, bytes]:
        return (200, json.dumps(cluster[asked.path]).encode()) if cluster[asked.path] else (403, b"{}")

    with echo(reply) as server:
        asker = engine(server)
        told = dict(asker.identity)
        asker.close()
    return told


def test_an_index_that_changed_is_another_one() -> None:
    told = identity(CLUSTER)
    assert (told["server"], told["documents"], told["changes"]) == ("opensearch 2.19.1", "12", "12")
    assert identity({**CLUSTER, "/shop/_count": {"count": 13}}) != told
    other = json.loads(json.dumps(CLUSTER).replace('"text"', '"keyword"'))
    assert identity(other)["index"] != told["index"]
    assert identity({**CLUSTER, "/": None})["server"] == "not told"
    assert identity({**CLUSTER, CHANGES: None})["changes"] == "not told"
    replaced = json.loads(json.dumps(CLUSTER).replace('"max_seq_no": 11', '"max_seq_no": 12'))
    assert identity(replaced)["changes"] == "13"


def test_with_a_sort_of_its_own_the_order_is_all_there_is() -> None:
    hits = [{"_id": "a", "_score": 1.0}, {"_id": "b", "_score": 1.0}]
    by_price = {"query": {"match": {"title": "{query}"}}, "sort": ["_score", {"price": "asc"}]}
    with echo(json.dumps({**GOOD, "hits": {"hits": hits}}).encode()) as server:
        for said, order in (({"body": by_price}, ("a", "b")), ({}, ("b", "a"))):
            asker = engine(server, **said)
            assert asker.ask(Query("q1", "red"), 10, 5.0).doc_ids == order
            asker.close()


@pytest.mark.parametrize(
    ("said", "values"),
    [
        (
            "index='x', fields='a', vector_field='v'",
            ("fields", "fuse_rrf(opensearch(...), opensearch(vector_field='v', ...))"),
        ),
        ("index='x', fields='a', body={'q': 1}", ("body", "fields", "vector_field")),
        ("index='x', body=[1]", ("body", "object", "list")),
        ("fields='a'", ("index",)),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(said: str, values: tuple[str, ...]) -> None:
    with raises(UsageError, "opensearch", *values):
        opened(read_pipeline(f"opensearch(url='http://search.example.org', {said})"))
