"""Filling collections of Qdrant: its engine behind a small server that reads requests with qdrant-client's models."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.live.echo import Echo, Request, echo
from tests.raising import raises
from tests.stack.indexing.filling import filled, made_corpus

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.engines._qdrant_fill import point_id
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground

pytest.importorskip("wordllama", reason="the package wordllama is not installed")
edge = pytest.importorskip("qdrant_edge", reason="qdrant-edge-py is not installed")
models = pytest.importorskip("qdrant_client.http.models", reason="qdrant-client is not installed")

N = 60


class Qdrant:
    """Collections, each a shard of Qdrant's engine; what is put into `fails` is told first, by the end of a path."""

    def __init__(self, folder: Path, keeps: bool = True) -> None:
        self.folder, self.keeps = folder, keeps
        self.shards: dict[str, Any] = {}
        self.about: dict[str, dict[str, Any]] = {}
        self.fails: dict[str, list[tuple[int, str]]] = {}
        self.made = 0

    def __call__(self, request: Request) -> tuple[int, bytes]:
        path = request.path.partition("?")[0]
        for end, left in self.fails.items():
            if path.endswith(end) and request.method != "GET" and left:
                status, why = left.pop(0)
                return status, json.dumps({"status": {"error": why}}).encode()
        status, result = self.answer(request.method, path.strip("/").split("/"), request.body)
        if status != 200:
            return status, json.dumps({"status": {"error": result}, "time": 0.0}).encode()
        return 200, json.dumps({"result": result, "status": "ok", "time": 0.0}).encode()

    def answer(self, method: str, path: list[str], body: bytes) -> tuple[int, Any]:
        if path == ["aliases"]:
            return 200, {"aliases": [{"alias_name": "front", "collection_name": "shop"}]}
        if path == [""]:
            return 200, {}
        name, rest = path[1], "/".join(path[2:])
        if rest == "exists":
            return 200, {"exists": name in self.shards or name == "front"}
        if (method, rest) == ("PUT", ""):
            return self.make(name, models.CreateCollection.model_validate_json(body))
        if name not in self.shards:
            return 404, f"Not found: Collection `{name}` doesn't exist!"
        if (method, rest) == ("DELETE", ""):
            del self.shards[name], self.about[name]
            return 200, True
        if (method, rest) == ("PATCH", ""):
            told = models.UpdateCollection.model_validate_json(body)
            self.about[name]["metadata"] |= told.metadata
            return 200, True
        try:
            return 200, self.asked(method, rest, name, body)
        except edge_errors as error:
            return 400, f"Wrong input: {error}"

    def make(self, name: str, wanted: Any) -> tuple[int, Any]:
        if name in self.shards:
            return 409, f"Wrong input: Collection `{name}` already exists!"
        named = wanted.vectors if isinstance(wanted.vectors, dict) else {"": wanted.vectors}
        spaces = {
            key: edge.EdgeVectorParams(size=one.size, distance=getattr(edge.Distance, one.distance.value))
            for key, one in named.items()
        }
        self.made += 1
        folder = self.folder / str(self.made)
        folder.mkdir()
        self.shards[name] = edge.EdgeShard.create(str(folder), edge.EdgeConfig(vectors=spaces))
        metadata = dict(wanted.metadata or {}) if self.keeps else {}
        vectors = json.loads(wanted.model_dump_json(exclude_none=True))["vectors"]
        self.about[name] = {"params": {"vectors": vectors}, "metadata": metadata}
        return 200, True

    def asked(self, method: str, rest: str, name: str, body: bytes) -> Any:
        shard = self.shards[name]
        if (method, rest) == ("GET", ""):
            return {"status": "green", "config": self.about[name]}
        if (method, rest) == ("PUT", "points"):
            points = models.PointsList.model_validate_json(body).points
            made = [edge.Point(id=one.id, vector=one.vector, payload=one.payload) for one in points]
            shard.update(edge.UpdateOperation.upsert_points(made))
            return {"operation_id": 1, "status": "completed"}
        if (method, rest) == ("POST", "points"):
            wanted = models.PointRequest.model_validate_json(body)
            found = shard.retrieve(wanted.ids, with_payload=wanted.with_payload, with_vector=wanted.with_vector)
            return [{"id": str(one.id), "payload": one.payload, "vector": one.vector} for one in found]
        if rest == "points/count":
            models.CountRequest.model_validate_json(body)
            return {"count": shard.count(edge.CountRequest(exact=True))}
        assert rest == "points/query"
        search = models.QueryRequest.model_validate_json(body)
        vector = getattr(search.query, "nearest", search.query)
        exact = edge.SearchParams(exact=True)
        asked = edge.Query.Nearest(vector, using=search.using) if search.using else edge.Query.Nearest(vector)
        found = shard.query(
            edge.QueryRequest(limit=search.limit, query=asked, params=exact, with_payload=search.with_payload)
        )
        return {"points": [{"id": str(p.id), "version": 1, "score": p.score, "payload": p.payload} for p in found]}


edge_errors = (Exception,)


@pytest.fixture
def qdrant(tmp_path: Path) -> Qdrant:
    return Qdrant(tmp_path)


@pytest.fixture
def server(qdrant: Qdrant) -> Iterator[Echo]:
    with echo(qdrant) as running:
        yield running


def mode(url: str, name: str = "shop", more: str = "using='place', exact=True") -> dict[str, str]:
    return {"near": f"qdrant(collection='{name}', url='{url}', model='wordllama', {more})"}


def everything(qdrant: Qdrant, name: str) -> dict[str, Any]:
    ids = [point_id(f"d{i}") for i in range(N)]
    found = qdrant.shards[name].retrieve(ids, with_payload=True, with_vector=True)
    return {str(one.id): (one.payload, one.vector) for one in found}


@pytest.mark.parametrize("more", ["using='place', exact=True", "exact=True"])
def test_a_collection_is_filled_verified_and_there_the_second_time(qdrant: Qdrant, server: Echo, more: str) -> None:
    (done,) = filled(mode(server.url, more=more), made_corpus(N), batch=25, sample=None)
    assert (done.outcome, done.put, done.compared, done.faults) == ("made", N, N, ())
    assert done.searches["near"].found == done.searches["near"].tried > 0
    (again,) = filled(mode(server.url, more=more), made_corpus(N), sample=None)
    assert (again.outcome, again.put, again.faults) == ("there", 0, ())
    assert qdrant.about["shop"]["metadata"]["rankproof"]["state"] == "whole"
    assert len(everything(qdrant, "shop")) == N


def test_vectors_are_ranked_as_dense_ranks_them(server: Echo) -> None:
    corpus = made_corpus(N)
    filled(mode(server.url), corpus)
    step, dense = read_pipeline(mode(server.url)["near"]), read_pipeline("dense(model='wordllama')")
    asker: Any = shelf.find("engines", "qdrant").open(step.values, Ground(corpus))
    exact: Any = shelf.find("engines", "dense").open(dense.values, Ground(corpus))
    queries = [Query(f"q{i}", text) for i, text in enumerate(("red tent", "number 17", "boat"))]
    for query, ours in zip(queries, exact.search(queries, N), strict=True):
        theirs = asker.ask(query, N, 20.0)
        own = dict(zip(ours.doc_ids, ours.scores.tolist(), strict=True))
        assert set(theirs.doc_ids) == set(own)
        assert [own[doc] for doc in theirs.doc_ids] == pytest.approx(ours.scores.tolist(), abs=3e-6)
    asker.close()


def test_one_that_was_cut_off_goes_on_and_is_as_one_filled_in_one_go(qdrant: Qdrant, server: Echo) -> None:
    wanted = mode(server.url, "cut")
    qdrant.fails = {"cut/points": [(400, "disk full")]}
    with raises(InputError, "'cut'", "disk full"):
        filled(wanted, made_corpus(N), batch=25)
    filled(mode(server.url, "half"), made_corpus(N), batch=25)
    (done,) = filled(wanted, made_corpus(N), batch=25, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", N, ())
    qdrant.shards["half"].update(edge.UpdateOperation.delete_points([point_id(f"d{i}") for i in range(20, 50)]))
    (done,) = filled(mode(server.url, "half"), made_corpus(N), batch=7, sample=None)
    assert (done.outcome, done.put, done.faults) == ("resumed", 30, ())
    assert everything(qdrant, "half") == everything(qdrant, "cut")


def test_what_is_busy_is_asked_again(qdrant: Qdrant, server: Echo) -> None:
    qdrant.fails = {"shop/points": [(429, "rate limit"), (503, "loading")]}
    (done,) = filled(mode(server.url), made_corpus(10))
    assert (done.faults, done.put, done.retries) == ((), 10, 2)


def test_what_somebody_changed_is_found(qdrant: Qdrant, server: Echo) -> None:
    corpus, wanted = made_corpus(N), mode(server.url)
    filled(wanted, corpus)
    update = edge.UpdateOperation
    qdrant.shards["shop"].update(update.set_payload([point_id("d7")], {"title": "something else"}))
    (fault,) = filled(wanted, corpus, sample=None)[0].faults
    assert "'d7' in title" in fault
    other = edge.Point(id=point_id("d8"), vector={"place": [0.5] * 256}, payload={"id": "d8", "title": "", "text": ""})
    qdrant.shards["shop"].update(update.upsert_points([other]))
    (fault,) = filled(wanted, corpus, sample=None)[0].faults
    assert "'d8' in title, text, place" in fault
    (done,) = filled(wanted, corpus, replace=True)
    assert (done.outcome, done.faults) == ("made anew", ())


def test_what_is_not_of_this_dataset_is_refused(qdrant: Qdrant, server: Echo) -> None:
    corpus, wanted = made_corpus(20), mode(server.url)
    filled(wanted, corpus)
    with raises(UsageError, "'shop'", "another dataset", "20 documents", "--replace"):
        filled(wanted, made_corpus(20, "x"))
    with raises(UsageError, "'shop'", "another model"):
        filled(mode(server.url, more="using='place', exact=True, length=8"), corpus)
    qdrant.about["shop"]["params"]["vectors"]["place"]["size"] = 8
    with raises(UsageError, "'shop'", "another mapping"):
        filled(wanted, corpus)
    qdrant.about["shop"]["metadata"].clear()
    for replace in (False, True):
        with raises(UsageError, "'shop'", "not made by"):
            filled(wanted, corpus, replace=replace)
    with raises(UsageError, "'front'", "shop"):
        filled(mode(server.url, "front"), corpus)


def test_one_that_keeps_no_metadata_is_refused_and_nothing_is_left(qdrant: Qdrant, server: Echo) -> None:
    qdrant.keeps = False
    with raises(InputError, "'shop'", "1.16"):
        filled(mode(server.url), made_corpus(5))
    assert qdrant.shards == {}


def test_odd_ids_and_no_documents(qdrant: Qdrant, server: Echo) -> None:
    ids = ("a b", "7", "é" * 600, "x" * 40_000, '"; {}', "🎈")
    corpus = Corpus(ids, {"title": ("", "\0 nul", "x" * 40_000, "\udc80", "%s", "7"), "text": ("",) * len(ids)})
    (done,) = filled(mode(server.url), corpus, batch=2, sample=None)
    assert (done.faults, done.compared) == ((), len(ids))
    for wrong, why in (("\udc80", "UTF-8"), ("", "empty"), ("a\0", "character 0")):
        with raises(InputError, why):
            filled(mode(server.url, "refused"), Corpus(("fine", wrong), {"title": ("a", "b")}))
    with raises(InputError, "'id'"):
        filled(mode(server.url, "refused"), Corpus(("1",), {"id": ("a",)}))
    for more, why in (("id='id'", "payload"), ("id='payload.a.b'", "payload")):
        with raises(UsageError, why):
            filled(mode(server.url, "refused", more), made_corpus(3))
    (done,) = filled(mode(server.url, "empty"), Corpus((), {"title": ()}))
    assert (done.outcome, done.put, done.faults) == ("made", 0, ())
    assert set(qdrant.shards) == {"shop", "empty"}
