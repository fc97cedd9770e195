"""Solr: what is asked, and which answers are believed. The server here only plays a part."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import parse_qs

import pytest
from tests.live.clients import opened
from tests.live.echo import Request, echo
from tests.raising import raises

from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline

GOOD: dict[str, Any] = {
    "responseHeader": {"status": 0},
    "response": {"numFound": 2, "docs": [{"id": "b", "score": 2.0}, {"id": "a", "score": 1.5}]},
}


def ask(answer: dict[str, Any] = GOOD, columns: dict[str, str] | None = None, **said: Any) -> tuple[Ranking, Request]:
    with echo(json.dumps(answer).encode()) as server:
        values = {"collection": "shop", "url": f"{server.url}/solr", **said}
        asker = opened(read_pipeline(f"solr({', '.join(f'{key}={value!r}' for key, value in values.items())})"))
        try:
            return asker.ask(Query("q1", "red & blue", columns or {}), 20, 5.0), server.requests[0]
        finally:
            asker.close()


def test_what_is_asked() -> None:
    ranking, asked = ask(fields="title^3 text", mm="2<75%", params={"fq": "locale:{locale}"}, columns={"locale": "us"})
    assert (asked.method, asked.path) == ("POST", "/solr/shop/select")
    assert {name: value for name, (value,) in parse_qs(asked.body.decode()).items()} == {
        "q": "red & blue", "defType": "edismax", "rows": "20", "fl": "id,score", "qf": "title^3 text", "mm": "2<75%",
        "fq": "locale:us", "wt": "json",
    }  # fmt: skip
    assert (ranking.doc_ids, ranking.scores.tolist()) == (("b", "a"), [2.0, 1.5])


def test_bytes_that_are_no_utf_8_are_sent_as_the_sign_for_them() -> None:
    _, asked = ask(params={"fq": "kind:{kind}"}, columns={"kind": "caf\udce9\ud800 ü"})
    sent = parse_qs(asked.body.decode(), errors="strict")["fq"][0]
    assert sent.startswith("kind:caf\ufffd")
    assert sent.endswith("\ufffd ü")


def test_a_search_by_vector() -> None:
    q = "{!knn f=place topK={depth}}{vector}"
    _, asked = ask(q=q, parser="lucene", columns={"vector": "[0.5, 1]"})
    assert parse_qs(asked.body.decode())["q"] == ["{!knn f=place topK=20}[0.5, 1.0]"]


def test_with_an_order_of_its_own_the_order_is_all_there_is() -> None:
    rising = {**GOOD, "response": {"docs": [{"id": "b", "score": 1.0}, {"id": "a", "score": 2.0}]}}
    assert ask(rising, params={"sort": "price asc"})[0].scores.tolist() == [2, 1]
    with raises(AskFailed, "score", "hit 1", "hit 2"):
        ask(rising)


@pytest.mark.parametrize(
    ("change", "kind", "again"),
    [
        ({"responseHeader": {"partialResults": True}}, "partial answer", True),
        ({"response": None}, "unreadable answer", False),
        ({"response": {"docs": {}}}, "unreadable answer", False),
        ({"response": {"docs": [{"score": 1.0}]}}, "missing ids", False),
    ],
)
def test_half_an_answer_is_none(change: dict[str, Any], kind: str, again: bool) -> None:
    with pytest.raises(AskFailed) as failed:
        ask({**GOOD, **change})
    assert (failed.value.kind, failed.value.again) == (kind, again)


def test_version_and_number_of_documents_are_its_identity() -> None:
    def reply(asked: Request) -> tuple[int, bytes]:
        if asked.path.startswith("/solr/admin"):
            return 200, b'{"lucene": {"solr-spec-version": "9.8.0"}}'
        return 200, json.dumps(GOOD).encode()

    with echo(reply) as server:
        asker = opened(read_pipeline(f"solr(collection='shop', url='{server.url}/solr')"))
        assert dict(asker.identity) == {"solr": "9.8.0", "documents": "2"}
        asker.close()
