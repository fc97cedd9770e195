"""Qdrant: what is asked, which answers are believed, and Qdrant's own engine behind a small server.

What that server is asked and answers is held against the models of qdrant-client, and qdrant-client asks it too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from tests.live.clients import opened
from tests.live.echo import Echo, Request, echo
from tests.raising import raises

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.pipeline import read_pipeline
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

Answer = dict[str, Any]


def collection(vectors: Answer, created: str = "2026-01-02T03:04:05Z", indexed: int = 2) -> Answer:
    """What GET /collections/{name} gives, as Qdrant 1.17 has it."""
    hnsw = {"m": 16, "ef_construct": 100, "full_scan_threshold": 10000, "max_indexing_threads": 0, "on_disk": False}
    optimizer = {"deleted_threshold": 0.2, "vacuum_min_vector_number": 1000, "default_segment_number": 0,
                 "max_segment_size": None, "memmap_threshold": None, "indexing_threshold": 10000,
                 "flush_interval_sec": 5, "max_optimization_threads": None}  # fmt: skip
    return {
        "status": "green",
        "optimizer_status": "ok",
        "indexed_vectors_count": indexed,
        "points_count": 2,
        "segments_count": 2,
        "config": {
            "params": {"vectors": vectors, "shard_number": 1, "replication_factor": 1, "on_disk_payload": True},
            "hnsw_config": hnsw,
            "optimizer_config": optimizer,
            "wal_config": {"wal_capacity_mb": 32, "wal_segments_ahead": 0},
        },
        "payload_schema": {},
        "created_at": created,
    }


def point(number: int | str, score: float, **payload: Any) -> Answer:
    return {"id": number, "version": 3, "score": score, "payload": payload or None}


PLAIN = {"size": 2, "distance": "Cosine"}
POINTS = [point(7, 0.9, id="B 1"), point(5, 0.5, id="a"), point(6, 0.5, id="é")]


class Server:
    """Answers as Qdrant does, from its parts; what is put into `broken` by its path is answered in its place."""

    def __init__(self, vectors: Answer = PLAIN, points: list[Answer] = POINTS) -> None:
        self.about, self.points = collection(vectors), points
        self.broken: dict[str, tuple[int, bytes]] = {}
        self.count = 2

    def __call__(self, request: Request) -> tuple[int, bytes]:
        results = {
            "/collections/shop": self.about,
            "/collections/shop/points/query": {"points": self.points},
            "/collections/shop/points/count": {"count": self.count},
        }
        if request.path in self.broken:
            return self.broken[request.path]
        if request.path == "/":
            return 200, json.dumps({"title": "qdrant - vector search engine", "version": "1.17.0"}).encode()
        if request.path not in results:
            return refusal(404, "Not found: Collection `shoop` doesn't exist!")
        return 200, json.dumps({"result": results[request.path], "status": "ok", "time": 0.0001}).encode()


def refusal(status: int, why: str) -> tuple[int, bytes]:
    return status, json.dumps({"status": {"error": why}, "time": 0.00001}).encode()


@contextmanager
def engine(server: Callable[[Request], tuple[int, bytes]], **said: Any) -> Iterator[tuple[Any, Echo]]:
    with echo(server) as running:
        said = {"collection": "shop", "url": running.url, **said}
        asker = opened(read_pipeline(f"qdrant({', '.join(f'{key}={value!r}' for key, value in said.items())})"))
        try:
            yield asker, running
        finally:
            asker.close()


QUERY = Query("q1", "red", {"vector": "[0.5, 1]", "locale": "us"})
SEARCH = "/collections/shop/points/query"


def asked(vectors: Answer = PLAIN, **said: Any) -> tuple[Answer, dict[str, str]]:
    """The body and headers of one search."""
    with engine(Server(vectors), **said) as (asker, running):
        asker.ask(QUERY, 20, 5.0)
    (request,) = [request for request in running.requests if request.path == SEARCH]
    return json.loads(request.body), request.headers


# ---- what is asked --------------------------------------------------------------------------------


def test_a_vector_is_searched() -> None:
    body, headers = asked()
    plain = {"limit": 20, "params": {}, "with_payload": ["id"], "with_vector": False}
    assert body == {"query": [0.5, 1.0], **plain}
    assert "api-key" not in headers


def test_everything_that_may_be_said_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("QDRANT_API_KEY", "key-of-the-shop")
    wanted = {"must": [{"key": "locale", "match": {"value": "{locale}"}}], "min_should": {"conditions": []}}
    said = {"using": "title", "exact": True, "hnsw_ef": 64, "filter": wanted, "id": "payload.meta.sku"}
    points = [point(1, 0.5, meta={"sku": 12})]
    with engine(Server({"title": PLAIN}, points), **said, api_key="${QDRANT_API_KEY}") as (asker, running):
        assert asker.ask(QUERY, 20, 5.0).doc_ids == ("12",)
        assert "key-of-the-shop" not in str(dict(asker.identity))
    assert {request.headers["api-key"] for request in running.requests} == {"key-of-the-shop"}
    body = next(json.loads(request.body) for request in running.requests if request.path == SEARCH)
    assert (body["using"], body["params"]) == ("title", {"exact": True, "hnsw_ef": 64})
    assert body["filter"] == {"must": [{"key": "locale", "match": {"value": "us"}}], "min_should": {"conditions": []}}
    assert body["with_payload"] == ["meta.sku"]


def test_requests_and_answers_have_the_shapes_of_qdrants_own_models() -> None:
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    from qdrant_client.http import models

    wanted = {"must": [{"has_id": [1]}]}
    body, _ = asked({"title": PLAIN}, using="title", exact=True, hnsw_ef=64, filter=wanted)
    request = models.QueryRequest.model_validate(body)  # refuses what it does not know
    assert (request.using, request.limit, request.with_payload) == ("title", 20, ["id"])
    assert models.SearchParams(exact=True, hnsw_ef=64) == request.params
    models.CountRequest.model_validate({"exact": True})
    models.InlineResponse20022.model_validate({"result": {"points": POINTS}, "status": "ok", "time": 0.1})
    for vectors in (PLAIN, {"title": PLAIN}):
        models.CollectionInfo.model_validate(collection(vectors))
    models.ErrorResponse.model_validate_json(refusal(404, "Not found")[1])


# ---- what is believed -----------------------------------------------------------------------------


def test_ids_are_read_where_they_stand_and_ties_go_by_id() -> None:
    with engine(Server()) as (asker, _):
        ranking = asker.ask(QUERY, 20, 5.0)
    assert (ranking.doc_ids, ranking.scores.tolist()) == (("B 1", "é", "a"), [0.9, 0.5, 0.5])
    with engine(Server(), id="id") as (asker, running):
        assert asker.ask(QUERY, 20, 5.0).doc_ids == ("7", "6", "5")
    assert json.loads(running.requests[0].body)["with_payload"] is False


@pytest.mark.parametrize("distance", ["Euclid", "Manhattan"])
def test_of_a_distance_the_smallest_is_the_best(distance: str) -> None:
    points = [point(1, 0.0, id="a"), point(2, 1.5, id="b")]
    with engine(Server({"size": 2, "distance": distance}, points)) as (asker, _):
        ranking = asker.ask(QUERY, 20, 5.0)
    assert (ranking.doc_ids, ranking.scores.tolist()) == (("a", "b"), [0.0, -1.5])


@pytest.mark.parametrize(
    ("points", "kind", "said"),
    [
        (None, "unreadable answer", "result.points"),
        (["a"], "unreadable answer", "result.points"),
        ([POINTS[0], POINTS[0]], "repeated ids", "twice"),
        ([point(7, 0.5, sku="a", name="b")], "missing ids", "the payload that came has sku, name"),
        ([point(7, 0.5)], "missing ids", "id='payload.id' finds nothing"),
        ([point(7, 0.5, id=["a"])], "missing ids", "['a']"),
        ([{**point(7, 0.5, id="a"), "score": None}, POINTS[0]], "unreadable answer", "no score"),
        ([POINTS[1], POINTS[0]], "scores out of order", "rises"),
    ],
)
def test_half_an_answer_is_none(points: Any, kind: str, said: str) -> None:
    with engine(Server(points=points)) as (asker, _), raises(AskFailed, said) as failed:
        asker.ask(QUERY, 20, 5.0)
    assert (failed.value.kind, failed.value.again) == (kind, False)


def test_no_points_are_no_documents() -> None:
    with engine(Server(points=[])) as (asker, _):
        assert len(asker.ask(QUERY, 20, 5.0)) == 0


@pytest.mark.parametrize(
    ("status", "why", "again"),
    [
        (400, "Wrong input: Vector dimension error: expected dim: 4, got 2", False),
        (400, "Wrong input: Not existing vector name error: titel", False),
        (403, "Forbidden: Write access to collection shop is required", False),
        (500, "Service internal error: 1 of 2 read operations failed", True),
    ],
)
def test_what_qdrant_says_against_it_is_told(status: int, why: str, again: bool) -> None:
    server = Server()
    server.broken[SEARCH] = refusal(status, why)
    with engine(server) as (asker, _), raises(AskFailed, status, why) as failed:
        asker.ask(QUERY, 20, 5.0)
    assert failed.value.again is again
    assert "{" not in str(failed.value)


def test_a_collection_that_is_not_there_is_told_before_anything_is_asked() -> None:
    with engine(Server(), collection="shoop") as (asker, _), raises(AskFailed, "shoop", "doesn't exist"):
        _ = asker.identity


def test_a_vector_that_is_not_there_is_told_with_those_that_are() -> None:
    two = Server({"title": PLAIN, "text": PLAIN})
    with engine(two, using="titel") as (asker, _), raises(AskFailed, "'titel'", "'title', 'text'"):
        _ = asker.identity
    with engine(Server({"title": PLAIN})) as (asker, _), raises(AskFailed, "using", "'title'"):
        _ = asker.identity
    with engine(Server(), using="title") as (asker, _), raises(AskFailed, "'title'", "without a name"):
        _ = asker.identity


def test_a_model_of_another_dimension_is_told() -> None:
    pytest.importorskip("wordllama", reason="wordllama is not installed")
    said = ("vectors of 2 numbers", "'wordllama' makes vectors of 256")
    with engine(Server(), model="wordllama") as (asker, _), raises(AskFailed, *said) as failed:
        _ = asker.identity
    assert failed.value.kind == "wrong dimension"


# ---- what it says of itself -----------------------------------------------------------------------


def identity(server: Server, **said: Any) -> dict[str, str]:
    with engine(server, **said) as (asker, _):
        return dict(asker.identity)


def test_a_collection_that_changed_is_another_one() -> None:
    told = identity(Server())
    assert (told["server"], told["documents"], told["in_graph"]) == ("qdrant 1.17.0", "2", "2")
    assert identity(Server()) == told
    for change in ("count", "created", "distance", "indexed"):
        server = Server({**PLAIN, "distance": "Dot"}) if change == "distance" else Server()
        if change == "count":
            server.count = 3
        elif change != "distance":
            server.about = collection(PLAIN, **{change: "2026-02-02T03:04:05Z" if change == "created" else 1})
        assert identity(server) != told, change
    server = Server()
    server.about = collection(PLAIN, indexed=1)
    assert identity(server, exact=True) == identity(Server(), exact=True)  # no graph, no matter


def test_whoever_may_only_search_is_told_nothing_and_finds() -> None:
    server = Server()
    server.broken = {path: refusal(403, "Forbidden") for path in ("/", "/collections/shop")}
    with engine(server) as (asker, _):
        assert dict(asker.identity)["collection"] == "not told"
        assert len(asker.ask(QUERY, 20, 5.0)) == 3


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("url='http://q.example'", ("collection",)),
        ("url='q.example', collection='a'", ("q.example", "http://")),
        ("url='http://q.example', collection='a', filter=[1]", ("filter", "object")),
        ("url='http://q.example', collection='a', api_key='hunter2'", ("api-key", "${SEARCH_KEY}")),
        ("url='http://q.example', collection='a', id='payload.'", ("id", "JMESPath")),
        ("url='http://q.example', collection='a', hnsw_ef=0", ("hnsw_ef",)),
    ],
)
def test_what_cannot_be_is_said_before_anything_is_asked(said: str, values: tuple[str, ...]) -> None:
    with raises(UsageError, *values):
        opened(read_pipeline(f"qdrant({said})"))


# ---- Qdrant's own engine --------------------------------------------------------------------------

TEXTS = {
    f"doc {i}": f"{('red', 'green', 'blue')[i % 3]} tent {i % 11}, {'lake' if i % 2 else 'lamp'}" for i in range(60)
}


@pytest.fixture
def shop(tmp_path: Any) -> Iterator[Echo]:
    """A server that reads requests with Qdrant's models, and answers them with Qdrant's engine."""
    edge = pytest.importorskip("qdrant_edge", reason="qdrant-edge-py is not installed")
    pytest.importorskip("qdrant_client", reason="qdrant-client is not installed")
    pytest.importorskip("wordllama", reason="wordllama is not installed")
    from qdrant_client.http import models

    from rankproof.stack.models.find import open_model

    item = shelf.find("engines", "dense")
    vectors = open_model(parameters_of(item, model="wordllama"), Ground()).vectors(list(TEXTS.values()))
    space = edge.EdgeVectorParams(size=vectors.shape[1], distance=edge.Distance.Cosine)
    shard = edge.EdgeShard.create(str(tmp_path), edge.EdgeConfig(vectors={"text": space}))
    points = [
        edge.Point(id=i, vector={"text": vector.tolist()}, payload={"sku": doc, "n": i})
        for i, (doc, vector) in enumerate(zip(TEXTS, vectors, strict=True))
    ]
    shard.update(edge.UpdateOperation.upsert_points(points))
    plain = Server({"text": {"size": vectors.shape[1], "distance": "Cosine"}})

    def reply(request: Request) -> tuple[int, bytes]:
        if request.path != SEARCH:
            return plain(request)
        wanted = models.QueryRequest.model_validate_json(request.body)
        vector = getattr(wanted.query, "nearest", wanted.query)
        try:
            found = shard.query(
                edge.QueryRequest(
                    limit=wanted.limit,
                    query=edge.Query.Nearest(vector, using=wanted.using),
                    params=edge.SearchParams(exact=wanted.params is None or wanted.params.exact),
                    with_payload=wanted.with_payload,
                )
            )
        except Exception as error:
            return refusal(400, f"Wrong input: {error}")
        hits = [models.ScoredPoint(id=p.id, version=p.version, score=p.score, payload=p.payload) for p in found]
        whole = models.InlineResponse20022(result=models.QueryResponse(points=hits), status="ok", time=0.001)
        return 200, whole.model_dump_json().encode()

    with echo(reply) as running:
        yield running
    shard.close()


def test_its_rankings_are_those_of_exact_search(shop: Echo) -> None:
    said = f"collection='shop', url={shop.url!r}, using='text', id='payload.sku', exact=True, model='wordllama'"
    asker = opened(read_pipeline(f"qdrant({said})"))
    dense: Any = shelf.find("engines", "dense")
    ours = dense.open(parameters_of(dense, model="wordllama"), Ground(corpus_of(TEXTS)))
    queries = queries_of("red tent 7", "a lamp at the lake", "blue \udcff")
    for query, expected in zip(queries, ours.search(queries, 60), strict=True):
        ranking = asker.ask(query, 60, 5.0)
        exact = dict(zip(expected.doc_ids, expected.scores.tolist(), strict=True))
        assert set(ranking.doc_ids) == set(TEXTS)
        assert [exact[doc] for doc in ranking.doc_ids] == pytest.approx(expected.scores.tolist(), abs=3e-6)
        assert ranking.scores.tolist() == pytest.approx(expected.scores.tolist(), abs=3e-6)
    asker.close()


def test_qdrants_own_words_against_a_vector_of_another_size(shop: Echo) -> None:
    asker = opened(read_pipeline(f"qdrant(collection='shop', url={shop.url!r}, using='text', id='payload.sku')"))
    with raises(AskFailed, "400", "expected dim: 256, got 2"):
        asker.ask(QUERY, 5, 5.0)
    asker.close()


def test_the_server_here_is_one_that_qdrants_client_understands(shop: Echo) -> None:
    from qdrant_client import QdrantClient

    client = QdrantClient(url=shop.url, check_compatibility=False)
    found = client.query_points("shop", query=[1.0] * 256, using="text", limit=3, with_payload=["sku"])
    assert [hit.payload is not None and hit.payload["sku"] in TEXTS for hit in found.points] == [True] * 3
    assert client.get_collection("shop").points_count == 2
    client.close()
    assert re.fullmatch(
        r"/collections/shop/points/query\??.*", next(r.path for r in shop.requests if "query" in r.path)
    )
