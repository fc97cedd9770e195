"""Filling a cluster that misbehaves: what is asked again, what is told, and what is never sent."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from tests.live.echo import Request, echo
from tests.raising import raises
from tests.stack.indexing.filling import filled, made_corpus

from rankproof.errors import InputError, UsageError
from rankproof.reading.collection import Corpus

pytest.importorskip("httpx", reason="the extra stack is not installed")


class Cluster:
    """A cluster that holds one index, and fails as it is told: by path, statuses that it gives first."""

    def __init__(self, fails: dict[str, list[tuple[int, Any]]] | None = None) -> None:
        self.fails = fails or {}
        self.index: dict[str, Any] | None = None
        self.docs: dict[str, Any] = {}

    def __call__(self, request: Request) -> tuple[int, bytes]:
        path = request.path.partition("?")[0]
        for end, left in self.fails.items():
            if path.endswith(end) and left:
                status, body = left.pop(0)
                return status, json.dumps(body).encode()
        status, body = self.answer(request.method, path.strip("/").split("/"), request.body)
        return status, json.dumps(body).encode()

    def answer(self, method: str, path: list[str], body: bytes) -> tuple[int, Any]:
        last = path[-1]
        if method == "PUT" and len(path) == 1:
            self.index = {**json.loads(body), "settings": {"index": {"uuid": "u1"}}}
        elif last == "_mapping":
            assert self.index is not None
            self.index["mappings"] |= json.loads(body)
        elif last == "_bulk":
            lines = [json.loads(line) for line in body.decode().splitlines()]
            self.docs |= {a["index"]["_id"]: b for a, b in zip(lines[::2], lines[1::2], strict=True)}
            return 200, {"errors": False, "items": [{"index": {"status": 201}} for _ in lines[::2]]}
        elif last == "_mget":
            return 200, {
                "docs": [
                    {"_id": doc, "found": doc in self.docs, "_source": self.docs.get(doc)}
                    for doc in json.loads(body)["ids"]
                ]
            }
        elif last == "_count":
            return 200, {"count": len(self.docs)}
        elif last == "_search":
            hits = [{"_id": doc, "_score": 1.0} for doc in sorted(self.docs, reverse=True)]
            return 200, {"_shards": {"failed": 0}, "hits": {"hits": hits}}
        elif path == [""]:
            return 200, {"version": {"number": "2.19.1", "distribution": "opensearch"}}
        elif len(path) == 1:
            return 200, {} if self.index is None else {path[0]: self.index}
        return 200, {"acknowledged": True}


BUSY = {"error": {"reason": "queue is full"}}


def item(status: int, kind: str, reason: str) -> dict[str, Any]:
    return {"index": {"_id": "d2", "status": status, "error": {"type": kind, "reason": reason}}}


def fill(cluster: Cluster, engine: str = "opensearch", corpus: Corpus | None = None, **said: Any) -> Any:
    with echo(cluster) as server:
        text = f"{engine}(index='shop', url='{server.url}')"
        return filled({"m": text}, corpus or made_corpus(6), **said)[0], server.requests


@pytest.mark.parametrize("engine", ["opensearch", "elasticsearch"])
def test_what_is_busy_is_asked_again(engine: str) -> None:
    whole = {"errors": True, "items": [item(429, "es_rejected_execution_exception", "full")] * 6}
    fails = {"_bulk": [(503, BUSY), (200, whole)], "_refresh": [(429, BUSY)], "_mget": [(502, "bad gateway")]}
    cluster = Cluster(fails)
    done, requests = fill(cluster, engine)
    assert (done.faults, done.retries, done.put) == ((), 4, 6)
    assert sum(request.path.startswith("/shop/_bulk") for request in requests) == 3


@pytest.mark.parametrize(
    ("fails", "words"),
    [
        ({"_bulk": [(503, BUSY)] * 3}, ["503", "3 times", "goes on"]),
        ({"_bulk": [(200, {"items": [item(400, "mapper_parsing_exception", "bad")] * 6})]}, ["'d2'", "bad", "400"]),
        ({"_bulk": [(200, {"items": []})]}, ["_bulk"]),
        ({"_bulk": [(413, {"error": "too large"})]}, ["413"]),
        (
            {"_bulk": [(200, {"items": [item(429, "cluster_block_exception", "disk usage exceeded")] * 6})] * 3},
            ["disk"],
        ),
        ({"/shop": [(401, {"error": "no"})]}, ["401"]),
        ({"/shop": [(200, [])]}, ["JSON"]),
        ({"/shop": [(200, {"shop": {}})]}, ["index"]),
        ({"_mget": [(200, {"docs": 7})]}, ["_mget"]),
        ({"_mapping": [(500, BUSY)] * 3}, ["500"]),
    ],
)
def test_what_fails_for_good_is_one_message(fails: dict[str, Any], words: list[str]) -> None:
    with raises(InputError, "'shop'", *words):
        fill(Cluster(fails))


@pytest.mark.parametrize(("after", "goes_on"), [("1", True), ("3600", False)])
def test_a_server_that_says_for_how_long_it_is_busy_is_waited_for_or_told(after: str, goes_on: bool) -> None:
    cluster = Cluster()
    with echo(cluster) as server:
        server.headers = {429: {"Retry-After": after}}
        wanted = {"m": f"opensearch(index='shop', url='{server.url}')"}
        cluster.fails = {"_bulk": [(429, BUSY)]}
        began = time.monotonic()
        if goes_on:
            (done,) = filled(wanted, made_corpus(6))
            assert (done.put, done.retries, time.monotonic() - began >= 1) == (6, 1, True)
            return
        with raises(InputError, "429", "queue is full", "goes on"):
            filled(wanted, made_corpus(6))
        assert time.monotonic() - began < 5
        (done,) = filled(wanted, made_corpus(6))
        assert (done.outcome, done.put, done.faults) == ("resumed", 6, ())


def test_of_a_batch_that_is_refused_in_part_the_final_word_is_told() -> None:
    """One document is put off and one refused for good: asking again would not help."""
    mixed = [item(201, "", ""), item(429, "es_rejected_execution_exception", "full"), item(400, "parsing", "too large")]
    mixed[0]["index"].pop("error")
    cluster = Cluster({"_bulk": [(200, {"errors": True, "items": [*mixed, *mixed]})]})
    with raises(InputError, "'shop'", "too large", "3 more documents"):
        fill(cluster)
    assert cluster.docs == {}
    # Where all of them were only put off, the batch is sent again, and what was taken the first time is taken twice.
    later = [mixed[0], *[mixed[1]] * 5]
    done, _ = fill(Cluster({"_bulk": [(200, {"errors": True, "items": later})]}))
    assert (done.faults, done.put, done.retries) == ((), 6, 1)


def test_a_mapping_that_was_changed_between_two_runs_is_not_filled() -> None:
    cluster = Cluster({"_bulk": [(413, {"error": "too large"})]})
    with raises(InputError, "413"):
        fill(cluster)
    assert cluster.index is not None
    cluster.index["mappings"]["properties"]["text"] = {"type": "keyword"}
    with raises(UsageError, "'shop'", "another mapping", "--replace"):
        fill(cluster)
    assert cluster.docs == {}


def test_a_version_that_may_not_be_asked_is_found_out() -> None:
    """As of a user who may do everything with an index, and nothing with the cluster."""
    cluster = Cluster()
    real, asked = cluster.answer, []

    def answer(method: str, path: list[str], body: bytes) -> tuple[int, Any]:
        if path == [""]:
            asked.append(path)
            return 403, {"error": {"reason": "not for you"}}
        return real(method, path, body)

    cluster.answer = answer  # type: ignore[method-assign]
    done, requests = fill(cluster, "elasticsearch")
    assert (done.faults, len(asked)) == ((), 1)
    assert [r for r in requests if r.path.startswith("/shop/_mget") and b'["rankproof"]' in r.body]


def test_a_refresh_has_no_body() -> None:
    """Elasticsearch refuses one that has."""
    _, requests = fill(Cluster(), "elasticsearch")
    assert {r.body for r in requests if r.path.endswith("_refresh")} == {b""}


def test_a_request_that_was_lost_after_it_was_done_does_no_harm() -> None:
    """The index is made, the answer is lost: the second request is refused, and what is there fits."""
    cluster = Cluster()
    real = cluster.answer
    lost: list[str] = []

    def answer(method: str, path: list[str], body: bytes) -> tuple[int, Any]:
        if method == "PUT" and len(path) == 1:
            if lost:
                return 400, {"error": {"type": "resource_already_exists_exception", "reason": "already exists"}}
            real(method, path, body)
            lost.append("answer")
            return 504, BUSY
        return real(method, path, body)

    cluster.answer = answer  # type: ignore[method-assign]
    done, _ = fill(cluster)
    assert (done.outcome, done.faults, done.put) == ("resumed", (), 6)


def test_batches_are_bounded_in_documents_and_bytes() -> None:
    corpus = Corpus(tuple("abcde"), {"text": ("x" * 5_000_000, "y" * 5_000_000, "z", "z", "z")})
    _, requests = fill(Cluster(), corpus=corpus, batch=2)
    sent = [r.body.decode().count('{"index"') for r in requests if r.path.startswith("/shop/_bulk")]
    assert sent == [1, 2, 2]


def test_a_server_that_finds_nothing_is_a_fault() -> None:
    nothing = {"_shards": {"failed": 0}, "hits": {"hits": []}}
    done, _ = fill(Cluster({"_search": [(200, nothing)] * 20}))
    assert done.searches["m"].found == 0
    assert "m" in done.faults[0]


def test_a_dry_run_asks_nothing() -> None:
    done, requests = fill(Cluster(), dry_run=True)
    assert (done.outcome, requests) == ("planned", [])


def test_secrets_are_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with echo(Cluster({"_bulk": [(400, {"error": {"reason": "bad hunter2hunter2"}})]})) as server:
        monkeypatch.setenv("CLUSTER", server.url.replace("//", "//agnes:hunter2hunter2@"))
        with pytest.raises(InputError) as wrong:
            filled({"m": "opensearch(index='shop', url='${CLUSTER}')"}, made_corpus(6))
        assert "hunter2hunter2" not in str(wrong.value)
        (done,) = filled({"m": "opensearch(index='shop', url='${CLUSTER}')"}, made_corpus(6))
        assert "hunter2hunter2" not in json.dumps(done.to_dict())
        assert done.target.place["url"] == "${CLUSTER}"
