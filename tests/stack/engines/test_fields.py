"""Wrong names of fields: an error with the fields that there are, and never an empty ranking."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.live.clients import opened
from tests.live.echo import Request, echo
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.reading.collection import Query
from rankproof.stack.engines._fields import mapped_fields, unknown_field
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

PROPERTIES = {
    "title": {"type": "text", "fields": {"raw": {"type": "keyword"}}},
    "brand": {"properties": {"name": {"type": "text"}}},
    "offers": {"type": "nested", "properties": {"price": {"type": "float"}}},
    "labels": {"type": "flattened"},
    "place": {"type": "dense_vector"},
}
FIELDS = ("title", "title.raw", "brand.name", "offers.price", "labels", "place", "kind")
EMPTY = {"timed_out": False, "_shards": {"failed": 0}, "hits": {"hits": []}}
VECTOR = {"vector": "[1, 0]"}


def cluster(*properties: dict[str, Any], refuses: bool = False, search: dict[str, Any] = EMPTY) -> Any:
    """Answers as a cluster does; one index for each table of properties."""

    def reply(asked: Request) -> tuple[int, bytes]:
        if "/_search" in asked.path:
            return (400 if "error" in search else 200), json.dumps(search).encode()
        if asked.path == "/shop":
            indexes = {
                f"shop-{i}": {
                    "settings": {"index": {"uuid": f"u{i}"}},
                    "mappings": {"properties": own, "runtime": {"kind": {"type": "keyword"}}} if own else {},
                }
                for i, own in enumerate(properties)
            }
            return (403, b"{}") if refuses else (200, json.dumps(indexes).encode())
        return 200, json.dumps({"version": {"number": "8.15.5"}, "count": 1}).encode()

    return echo(reply)


@pytest.mark.parametrize("name", ["opensearch", "elasticsearch"])
class TestClusters:
    def engine(self, name: str, url: str, **said: Any) -> Any:
        options = ", ".join(f"{key}={value!r}" for key, value in {"index": "shop", "url": url, **said}.items())
        return opened(read_pipeline(f"{name}({options})"))

    @pytest.mark.parametrize(
        ("said", "values"),
        [
            ({"fields": "title^3 titel.raw"}, ("'titel.raw'", "'title.raw'", *FIELDS)),
            ({"fields": "brand"}, ("'brand'", "'brand.name'")),
            ({"fields": "body*"}, ("'body*'", "brand.name")),
            ({"vector_field": "plaice"}, ("'plaice'", "'place'", *FIELDS)),
        ],
    )
    def test_a_field_that_is_not_there(self, name: str, said: dict[str, Any], values: tuple[str, ...]) -> None:
        with cluster(PROPERTIES) as server:
            asker = self.engine(name, server.url, **said)
            with raises(UsageError, name, "'shop'", *values):
                _ = asker.identity
            with raises(AskFailed, "'shop'", *values) as failed:
                asker.ask(Query("q1", "red", VECTOR), 10, 5.0)
            asker.close()
        assert (failed.value.kind, failed.value.again) == ("no such field", False)

    def test_a_refusal_names_the_field(self, name: str) -> None:
        with cluster(PROPERTIES, search={"error": {"reason": "all shards failed"}}) as server:
            asker = self.engine(name, server.url, vector_field="plaice")
            with raises(AskFailed, "'plaice'", "'place'"):
                asker.ask(Query("q1", "red", VECTOR), 10, 5.0)
            asker.close()

    @pytest.mark.parametrize(
        "said",
        [
            {"fields": " ".join(FIELDS)}, {"fields": "ti*^2 *.name"}, {"fields": "labels.color"}, {"fields": "_id"}, {},
            {"vector_field": "place"}, {"body": {"query": {"match": {"nothing": "{query}"}}}},
        ],
    )  # fmt: skip
    def test_fields_that_are_there_may_find_nothing(self, name: str, said: dict[str, Any]) -> None:
        with cluster({}, PROPERTIES) as server:
            asker = self.engine(name, server.url, **said)
            assert asker.ask(Query("q1", "red", VECTOR), 10, 5.0).doc_ids == ()
            assert asker.identity["documents"] == "1"
            asker.close()

    def test_one_may_be_in_one_of_several_indexes(self, name: str) -> None:
        with cluster({"title": {"type": "text"}}, {"text": {"type": "text"}}) as server:
            asker = self.engine(name, server.url, fields="title text")
            assert asker.identity
            asker.close()

    def test_whoever_may_not_look_is_not_told(self, name: str) -> None:
        with cluster(PROPERTIES, refuses=True) as server:
            asker = self.engine(name, server.url, fields="titel")
            assert asker.identity["index"] == "not told"
            assert asker.ask(Query("q1", "red"), 10, 5.0).doc_ids == ()
            asker.close()

    def test_an_index_without_any(self, name: str) -> None:
        with cluster({}) as server:
            asker = self.engine(name, server.url, fields="titel.raw")
            with raises(UsageError, "'titel.raw'", "none"):
                _ = asker.identity
            asker.close()


def test_every_field_of_a_mapping() -> None:
    mapping = {"properties": PROPERTIES, "runtime": {"kind": {"type": "keyword"}}, "dynamic": "strict"}
    assert sorted(mapped_fields(mapping)) == sorted([*FIELDS, "labels.*"])
    through = {"properties": {"attributes": {"type": "passthrough", "properties": {"color": {"type": "keyword"}}}}}
    assert set(mapped_fields(through)) >= {"attributes.color", "color"}
    assert list(mapped_fields({"properties": {"a": None, "b": 3}})) == []


def test_of_many_fields_some_are_named() -> None:
    told = unknown_field("field of x", ["titel"], [f"field_{i:03}" for i in range(2000)] + ["title"])
    assert "'title'" in told
    assert "and 1,981 more" in told
    assert len(told) < 600


SCHEMA = {"fields": [{"name": "id"}, {"name": "title"}, {"name": "place"}]}
PATTERNS = {"dynamicFields": [{"name": "*_t"}, {"name": "attr_*"}]}


def solr(docs: list[dict[str, Any]], told: int = 200) -> Any:
    def reply(asked: Request) -> tuple[int, bytes]:
        if "/schema/" in asked.path:
            return told, json.dumps(SCHEMA if "/fields" in asked.path else PATTERNS).encode()
        return 200, json.dumps({"response": {"numFound": 1, "docs": docs}}).encode()

    return echo(reply)


class TestSolr:
    def engine(self, url: str, **said: Any) -> Any:
        options = {"collection": "shop", "url": f"{url}/solr", **said}
        return opened(read_pipeline(f"solr({', '.join(f'{key}={value!r}' for key, value in options.items())})"))

    @pytest.mark.parametrize(
        ("said", "values"),
        [
            ({"fields": "title^3 titel"}, ("'titel'", "'title'", "place")),
            ({"id": "sku"}, ("'sku'", "title")),
            ({"q": "{!knn f=plaice topK={depth}}{vector}", "parser": "lucene"}, ("'plaice'", "'place'")),
            ({"params": {"rq": "{!rerank reRankQuery=$r}", "r": "{!knn topK=3 f=plaice}{vector}"}}, ("'plaice'",)),
        ],
    )
    def test_a_field_that_is_not_there(self, said: dict[str, Any], values: tuple[str, ...]) -> None:
        with solr([]) as server:
            asker = self.engine(server.url, **said)
            with raises(UsageError, "solr", "'shop'", "*_t", *values):
                _ = asker.identity
            with raises(AskFailed, "'shop'", *values) as failed:
                asker.ask(Query("q1", "red", VECTOR), 10, 5.0)
            asker.close()
        assert (failed.value.kind, failed.value.again) == ("no such field", False)

    def test_hits_without_ids_are_told_from_a_wrong_name(self) -> None:
        with solr([{"score": 1.0}]) as server:
            asker = self.engine(server.url, id="sku")
            with raises(AskFailed, "'sku'", "id"):
                asker.ask(Query("q1", "red"), 10, 5.0)
            asker.close()

    @pytest.mark.parametrize(
        "said",
        [
            {"fields": "title name_t^2 attr_color"}, {}, {"q": "{!knn f=place topK=3}{vector}"},
            {"fields": "both", "params": {"f.both.qf": "title name_t"}},
        ],
    )  # fmt: skip
    def test_fields_that_are_there_may_find_nothing(self, said: dict[str, Any]) -> None:
        with solr([]) as server:
            asker = self.engine(server.url, **said)
            assert asker.ask(Query("q1", "red", VECTOR), 10, 5.0).doc_ids == ()
            assert asker.identity["documents"] == "1"
            asker.close()

    def test_whoever_may_not_look_is_not_told(self) -> None:
        with solr([], told=403) as server:
            asker = self.engine(server.url, fields="titel")
            assert asker.ask(Query("q1", "red"), 10, 5.0).doc_ids == ()
            assert asker.identity["documents"] == "1"
            asker.close()
