"""Where the answers of search APIs have what: guessed for the shapes that APIs have, and refused with what came."""

from __future__ import annotations

from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.stack.answer_layout import guess_layout

FACETS = {"facets": [{"name": "brand", "values": [{"id": "x", "name": "X"}, {"id": "y", "name": "Y"}]}]}
OWN = {
    "results": {"items": [{"product": {"sku": "P1", "title": "A"}}, {"product": {"sku": "P2", "title": "B"}}]},
    **FACETS,
}
ELASTIC = {
    "took": 3,
    "hits": {
        "total": {"value": 2},
        "hits": [
            {"_index": "p", "_id": "1", "_score": 2.0, "_source": {
                "id": 9, "title": "A", "price": 3.5, "images": [{"src": "https://x/a.png"}], "url": "/p/1",
                "brand": {"id": 7}}},
            {"_index": "p", "_id": "2", "_score": 1.0, "_source": {"id": 8, "title": "B", "price": 4}},
        ],
    },
    "aggregations": {"brand": {"buckets": [{"key": "b", "doc_count": 2}, {"key": "c", "doc_count": 1}]}},
}  # fmt: skip
SOLR = {
    "responseHeader": {"status": 0},
    "response": {"docs": [{"id": "1", "name": "A", "features": ["x y", "z"]}, {"id": "2", "name": "B"}]},
}
GRAPHQL = {
    "data": {"search": {"edges": [
        {"cursor": "abc", "node": {"id": "gid://1", "title": "A", "image": {"url": "https://x/a"},
                                   "price": {"amount": "3.00", "currencyCode": "EUR"}}},
        {"cursor": "abd", "node": {"id": "gid://2", "title": "B"}},
    ]}}
}  # fmt: skip
SECTIONS = {
    "sections": [
        {"id": "top", "title": "Top hits", "items": [{"id": 1, "name": "A x"}]},
        {"id": "more", "title": "More", "items": [{"id": 2, "name": "B"}, {"id": 3, "name": "C"}]},
    ]
}
RAW = {"results": [{"id": {"raw": i}, "title": {"raw": f"T {i}"}, "_meta": {"score": 1, "engine": "e"}} for i in "ab"]}


@pytest.mark.parametrize(
    ("answer", "hits", "id_path", "fields"),
    [
        (OWN, "results.items", "product.sku", {"title": "product.title"}),
        (ELASTIC, "hits.hits", "_id",
         {"title": "_source.title", "price": "_source.price", "image": "_source.images[0].src", "url": "_source.url"}),
        (SOLR, "response.docs", "id", {"title": "name", "text": "features"}),
        (GRAPHQL, "data.search.edges", "node.id",
         {"title": "node.title", "price": "node.price.amount", "image": "node.image.url"}),
        (SECTIONS, "sections[].items[]", "id", {"title": "name"}),
        (RAW, "results", "id.raw", {"title": "title.raw"}),
        ({"responses": [ELASTIC]}, "responses[0].hits.hits", "_id", None),
        ([{"@id": "a", "name": "x y"}, {"@id": "b", "name": "y"}], "@", '"@id"', {"title": "name"}),
        ({"my-results": [{"doc id": 1, "head line": "x y"}]}, '"my-results"', '"doc id"', {"title": '"head line"'}),
        # No name says id: what is in every hit another text in one piece is taken, and no place or score.
        ({"hits": [{"rank": 1, "ref": "x1", "t": "a b"}, {"rank": 2, "ref": "x2", "t": "c"}]}, "hits", "ref", {}),
        # The id of the seller is no id of the hit, though it is called so.
        ({"hits": [{"seller": {"id": 1}, "sku": "a"}, {"seller": {"id": 2}, "sku": "b"}]}, "hits", "sku", {}),
        # A title that is an address is none, and a price needs a number.
        ({"hits": [{"id": 1, "title": "https://x/1", "price": "ask us"}]}, "hits", "id", {}),
    ],
)  # fmt: skip
def test_the_shapes_of_apis_are_read(answer: Any, hits: str, id_path: str, fields: dict[str, str] | None) -> None:
    layout = guess_layout(answer)
    assert (layout.hits, layout.id) == (hits, id_path)
    assert fields is None or dict(layout.fields) == fields
    read = layout.read(answer, 100)
    assert read
    assert len({doc for doc, _ in read}) == len(read)


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"hits": [], "total": 0}, ("No hits came", "hits", "--query")),
        ({"response": {"docs": []}, "facets": []}, ("response.docs is an empty list",)),
        ([], ("empty list",)),
        ({"status": "ok", "n": 3}, ("no list of objects", "status, n")),
        ("text", ("no list of objects", "str")),
        (None, ("no list of objects",)),
        ({"hits": ["a", "b"]}, ("no list of objects",)),
        ({"hits": [{"id": 1, "name": "a"}, {"id": 1, "name": "b"}]}, ("id is no id", "2 of 2 hits", "'1'", "--id")),
        ({"hits": [{"sku": "two words"}, {"sku": "b"}]}, ("sku is no id", "hit 1", "'two words'")),
        ({"hits": [{"name": "two words"}, {"name": "b c"}]}, ("nothing that could be an id", "name", "--id")),
    ],
)
def test_what_is_none_is_told_with_what_to_do(answer: object, told: tuple[str, ...]) -> None:
    with raises(InputError, *told):
        guess_layout(answer)


def test_what_is_named_is_taken_and_checked() -> None:
    layout = guess_layout(OWN, hits="facets[0].values", fields={"title": "name", "own": "id"})
    assert (layout.hits, layout.id) == ("facets[0].values", "id")
    assert dict(layout.fields)["own"] == "id"
    assert guess_layout(OWN, id_path="product.title").id == "product.title"
    with raises(InputError, "gives no list of objects"):
        guess_layout(OWN, hits="results")
    with raises(InputError, "empty list"):
        guess_layout({"a": [], "hits": [{"id": 1}]}, hits="a")
    with raises(InputError, "product.brand is no id", "hit 1", "None"):
        guess_layout(OWN, id_path="product.brand")


def test_an_answer_of_great_depth_ends() -> None:
    deep: Any = [{"id": 1}]
    for _ in range(500):
        deep = {"a": deep}
    with raises(InputError, "no list of objects"):
        guess_layout(deep)
