"""Qdrant: a collection, searched by vectors.

Vectors of queries come from a `model`, the one that made those of the documents, or from a column of the queries
(`vector`). In a collection with named vectors `using` says which one is searched. Qdrant walks over a graph, which may
miss some documents: `hnsw_ef` says how many candidates it looks at, and exact=True compares with every document.
`filter` is one of Qdrant's, as JSON, and may hold {query} and columns of the queries such as {locale}. Sparse vectors
and the fusion of several searches are not asked for; fuse two engines with fuse_rrf(...).

Points of Qdrant have numbers or UUIDs for ids, so the document's id stands in the payload: `id` says where a point has
it, "payload.id" when nothing is said, and "id" is the number or UUID itself. Documents with equal scores are ordered by
id; of a collection with the distance Euclid or Manhattan the score is the distance with its sign turned.

The address is taken from the environment variable QDRANT_URL unless `url` says it. The key stands in one too:
api_key="${QDRANT_API_KEY}". Qdrant counts no changes: where points were replaced by as many others, take another folder
for what is kept.

shown on: recorded answers in the shapes of qdrant-client 1.20.0, and Qdrant's engine (qdrant-edge-py 0.9.0) behind a
    small server; not on a whole Qdrant
assumes: Qdrant 1.10 or newer, for its endpoint points/query; one point for each document
source: https://api.qdrant.tech/api-reference/search/query-points

qdrant(collection="products", model="minilm", id="payload.sku", filter={"must": [{"has_id": [1, 2]}]})
qdrant(collection="products", using="title", model="minilm", exact=True, api_key="${QDRANT_API_KEY}")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from urllib.parse import quote

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.specs.kinds import REQUIRED, Flag, Param, Text, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of, unreadable
from rankproof.stack.engines._expressions import expression, extracted
from rankproof.stack.engines._hit_fields import HitReader, hit_fields_param
from rankproof.stack.engines._kinds import Json
from rankproof.stack.engines._qdrant_fill import PARAMS as FILL_PARAMS
from rankproof.stack.engines._qdrant_fill import PLACE, QdrantFiller
from rankproof.stack.engines._template import fill, fill_json, known_of
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines._wire import NOT_ALLOWED, Wire
from rankproof.stack.engines.contract import AskFailed, Engine
from rankproof.stack.engines.http import HEADERS, VERIFY, require_url
from rankproof.stack.filling import Fills
from rankproof.stack.records import Ground, Values

SECONDS_FOR_IDENTITY = 10.0
# Distances that Qdrant gives as scores: the smaller, the nearer.
SMALLER_IS_NEARER = ("Euclid", "Manhattan")
_PAYLOAD = re.compile(r"payload\.([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")

PARAMS = (
    Param("collection", Text(), REQUIRED, "collection or alias to search"),
    Param("url", Text(), "${QDRANT_URL}", "address of Qdrant, such as https://qdrant.example:6333"),
    Param("api_key", Text(), None, "key, from an environment variable: ${QDRANT_API_KEY}"),
    Param("using", Text(), None, "name of the vector, in a collection with named vectors"),
    Param("exact", Flag(), False, "whether every document is compared, in place of the walk over the graph"),
    Param("hnsw_ef", Whole(1), None, "candidates looked at in the graph; those of the collection when nothing is said"),
    Param("filter", Json(), None, "a filter of Qdrant's as JSON, with {query} and columns"),
    Param("id", Text(), "payload.id", "where a point has the document's id: a field of the payload, or id"),
    hit_fields_param("a field of the payload"),
    *VECTOR_PARAMS,
    HEADERS,
    VERIFY,
)


@dataclass(frozen=True, slots=True)
class _VectorSpace:
    """What the collection says of the vectors that are searched."""

    size: int
    distance: str


class Qdrant:
    """A collection, opened."""

    def __init__(self, values: Values, ground: Ground) -> None:
        if values["filter"] is not None and not isinstance(values["filter"], dict):
            raise UsageError("qdrant: filter is an object, such as {'must': [...]}, and not a list.")
        headers: dict[str, str] = dict(values["headers"])
        if values["api_key"] is not None:
            headers["api-key"] = values["api_key"]
        refuse_written("qdrant", None, headers)
        self._values = values
        self._secrets = Secrets("qdrant", values["url"], values["collection"], values["filter"], headers)
        self._base = require_url("qdrant", values["url"]).rstrip("/")
        self._id = expression("id", values["id"])
        self._hit_fields = HitReader(values["hit_fields"], ("payload.",))
        self._vectors = open_vectors(values, ground)
        self._wire = Wire("qdrant", self._secrets, headers, None, values["verify"])

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One search, one ranking."""
        answer = self._result("POST", f"{self._collection}/points/query", timeout, self._request(query, depth))
        points = answer.get("points")
        if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
            raise unreadable("The answer has no list of points in result.points. Qdrant has it since version 1.10.")
        ids = [extracted(self._id, point) for point in points]
        for place, (doc, point) in enumerate(zip(ids, points, strict=True), start=1):
            if doc is None:
                raise self._without_id(place, point)
        scores = [point.get("score") for point in points]
        space = self._space
        if space is not None and space.distance in SMALLER_IS_NEARER:
            scores = [-score if isinstance(score, int | float) else score for score in scores]
        return ranking_of(ids, scores, depth, self._hit_fields.read(points[:depth]))

    def _request(self, query: Query, depth: int) -> dict[str, object]:
        values = self._values
        parameters = {"exact": True} if values["exact"] else {}
        if values["hnsw_ef"] is not None:
            parameters["hnsw_ef"] = values["hnsw_ef"]
        request: dict[str, object] = {
            "query": self._vectors(query),
            "limit": depth,
            "params": parameters,
            "with_payload": self._payload,
            "with_vector": False,
        }
        if values["using"] is not None:
            request["using"] = values["using"]
        if values["filter"] is not None:
            request["filter"] = fill_json(values["filter"], known_of(query, depth), self._secrets)
        return request

    @property
    def _payload(self) -> list[str] | bool:
        """What is asked of the payload: the field of the id and those that are kept; all where that is not known."""
        field, fields = _PAYLOAD.fullmatch(self._values["id"]), self._hit_fields.sources()
        if fields is None or (field is None and self._values["id"] != "id"):
            return True
        return list(dict.fromkeys([*([field[1]] if field else []), *fields])) or False

    def _without_id(self, place: int, point: Mapping[str, object]) -> AskFailed:
        payload = point.get("payload")
        has = ", ".join(list(payload)[:8]) if isinstance(payload, dict) and payload else "nothing"
        return unreadable(
            f"Hit {place}, the point {point.get('id')!r:.60}, has no id of a document: id={self._values['id']!r} finds "
            f"nothing, and the payload that came has {has}. Name the field that has it, such as id='payload.sku', or "
            "say id='id' for the id of the point.",
            "missing ids",
        )

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Version of the server; settings of the collection, its points and those in its graph; the model."""
        values, space = self._values, self._space
        model = dict(self._vectors.identity)
        if space is not None and values["model"] is not None:
            self._refuse_size(space)
        variables = self._secrets.identity(*(values[name] for name in ("url", "collection", "filter")))
        return {"server": self._version(), **self._state(), **variables, **model}

    def _refuse_size(self, space: _VectorSpace) -> None:
        size = len(self._vectors(Query("size", "size")))
        if size != space.size:
            raise AskFailed(
                "wrong dimension",
                f"The collection {self._values['collection']!r} has vectors of {space.size} numbers"
                f"{self._named()}, and the model {self._values['model']!r} makes vectors of {size}. "
                "Name the model that the documents were indexed with.",
                again=False,
            )

    def _named(self) -> str:
        return "" if self._values["using"] is None else f" under the name {self._values['using']!r}"

    def _state(self) -> dict[str, str]:
        about = self._about
        if about is None:
            return {"collection": "not told"}
        lasting = {name: about.get(name) for name in ("config", "created_at")}
        count = self._result("POST", f"{self._collection}/points/count", SECONDS_FOR_IDENTITY, {"exact": True})
        state = {
            "collection": sha256(to_json(lasting).encode()).hexdigest()[:32],
            "documents": str(count.get("count", "not told")),
        }
        if not self._values["exact"]:
            # What the walk finds depends on how many stand in the graph already.
            state["in_graph"] = str(about.get("indexed_vectors_count", "not told"))
        return state

    @cached_property
    def _about(self) -> Mapping[str, object] | None:
        """What Qdrant says of the collection; None where whoever may search may not ask."""
        try:
            return self._result("GET", self._collection, SECONDS_FOR_IDENTITY)
        except AskFailed as failed:
            if failed.kind == NOT_ALLOWED:
                return None
            raise

    @cached_property
    def _space(self) -> _VectorSpace | None:
        """The vectors that are searched; AskFailed where the collection has none of that name."""
        spaces = None if self._about is None else _spaces(self._about)
        if spaces is None:
            return None
        name = self._values["using"] or ""
        if name in spaces:
            return spaces[name]
        names = ", ".join(repr(one) for one in spaces if one)
        whole = f"The collection {self._values['collection']!r}"
        raise AskFailed(
            "no such vector",
            f"{whole} has no vector called {name!r}. It has: {names or 'one without a name'}."
            if name
            else f"{whole} has vectors with names. Say which with using=...: {names or 'it has none'}.",
            again=False,
        )

    def _version(self) -> str:
        try:
            root = self._wire.json("GET", self._secrets.expand(self._base) + "/", SECONDS_FOR_IDENTITY)
        except AskFailed as failed:
            if failed.kind in (NOT_ALLOWED, "refused"):
                return "not told"
            raise
        version = root.get("version") if isinstance(root, dict) else None
        return f"qdrant {version}" if isinstance(version, str) else "not told"

    @property
    def _collection(self) -> str:
        return f"collections/{quote(fill(self._values['collection'], {}, self._secrets), safe='')}"

    def _result(
        self, method: str, path: str, timeout: float, body: Mapping[str, object] | None = None
    ) -> Mapping[str, object]:
        headers = {} if body is None else {"content-type": "application/json"}
        data = None if body is None else to_json(body).encode()
        answer = self._wire.json(method, f"{self._secrets.expand(self._base)}/{path}", timeout, data, headers)
        result = answer.get("result") if isinstance(answer, dict) else None
        if not isinstance(result, dict):
            raise unreadable(f"{method} {self._values['url']} answers as no Qdrant does: there is no result.")
        return result

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _spaces(about: Mapping[str, object]) -> dict[str, _VectorSpace] | None:
    """The vectors of a collection by name, "" for the one without; None where it does not say."""
    vectors = _inner(_inner(_inner(about, "config"), "params"), "vectors")
    named = {"": vectors} if "size" in vectors else vectors
    spaces = {}
    for name in named:
        size, distance = _inner(named, name).get("size"), _inner(named, name).get("distance")
        if not isinstance(size, int) or not isinstance(distance, str):
            return None
        spaces[name] = _VectorSpace(size, distance)
    return spaces


def _inner(value: Mapping[str, object], name: str) -> Mapping[str, object]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


OFFERS = (
    Engine(
        name="qdrant",
        page=__doc__,
        params=PARAMS,
        open=Qdrant,
        live=True,
        extra="stack",
        fills=Fills(PLACE, QdrantFiller, FILL_PARAMS),
    ),
)
