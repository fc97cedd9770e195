"""Weaviate: a collection, searched by words, by vectors, or by both, through its GraphQL interface.

`mode="text"` is a `bm25` search over `fields` with their weights; without `fields` over all text properties.
`mode="vector"` is a `nearVector` search; its score is the distance with its sign turned. `mode="hybrid"` is both, fused
as `fusion` says, with `alpha` from 0 (only words) to 1 (only vectors). Vectors of queries come from a `model`, or from
a column of the queries (`vector`); `target` names one of several vectors of an object. Documents with equal scores are
ordered by id. Words travel as a text of GraphQL, with every sign escaped; names of collections and properties are held
to the letters that such names have.

The address is taken from the environment variable WEAVIATE_URL unless `url` says it. A key stands as ${NAME}, the name
of an environment variable. What Weaviate says of itself is its version, the schema of the collection and the number of
objects: where objects were replaced by as many others, take another folder for what is kept. Weaviate Cloud turns
GraphQL off in 2027, and new clusters there have none; servers of your own keep it.

shown on: recorded answers of the published documentation (version 1), not on a server
assumes: `id` names the property with the ids that the judgments use; else the object's UUID is the id
source: https://docs.weaviate.io/weaviate/api/graphql/search-operators

weaviate(collection="Product", fields="title^3 text", id="sku", headers={"Authorization": "Bearer ${WEAVIATE_KEY}"})
weaviate(collection="Product", mode="hybrid", alpha=0.5, id="sku", model="minilm")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Number, Param, Text
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of, unreadable
from rankproof.stack.engines._fields import NO_SUCH_FIELD, names_of, told_of_fields, unknown_field
from rankproof.stack.engines._hit_fields import hit_fields_param, named_fields, plain_names
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines._wire import Wire, redacting, said_against, sendable
from rankproof.stack.engines.contract import AskFailed, Engine
from rankproof.stack.engines.http import HEADERS, VERIFY, require_url
from rankproof.stack.records import Ground, Values

SECONDS_FOR_IDENTITY = 10.0
_NAME = re.compile(r"[_A-Za-z][_0-9A-Za-z]*")
# Of a request that was understood and could not be answered just now.
_LATER = re.compile(r"deadline|time(d )?-?out|unavailable|connection|replica|too many|overload", re.IGNORECASE)

PARAMS = (
    Param("collection", Text(), REQUIRED, "collection (class) to search"),
    Param("url", Text(), "${WEAVIATE_URL}", "address of Weaviate"),
    Param("mode", Choice(("text", "vector", "hybrid")), "text", "what is compared"),
    Param("fields", Fields(), None, "properties with weights, such as 'title^3 text'; none: all that hold text"),
    Param("id", Text(), None, "property with the document's id; none: the object's UUID"),
    Param("tenant", Text(), None, "tenant of a collection that has tenants"),
    Param("alpha", Number(0, 1), 0.75, "hybrid: weight of the search by vector"),
    Param("fusion", Choice(("relativeScoreFusion", "rankedFusion")), "relativeScoreFusion", "hybrid: how both join"),
    Param("target", Text(), None, "name of the vector that is searched, where objects have several"),
    hit_fields_param("a property"),
    *VECTOR_PARAMS,
    HEADERS,
    VERIFY,
)


class Weaviate:
    """A collection, opened."""

    def __init__(self, values: Values, ground: Ground) -> None:
        refuse_written("weaviate", None, values["headers"])
        for what, name in (("collection", values["collection"]), ("id", values["id"])):
            if name is not None and not _NAME.fullmatch(name):
                raise UsageError(f"weaviate: {what} = {name!r} is no name of GraphQL: letters, digits and _ are.")
        if values["mode"] == "vector" and values["fields"]:
            raise UsageError("weaviate: fields are searched by words, and mode='vector' searches by vector alone.")
        self._values, self._hit_fields = values, plain_names("weaviate", values["hit_fields"], _NAME)
        self._secrets = Secrets("weaviate", values["url"], values["headers"])
        self._base = require_url("weaviate", values["url"]).rstrip("/")
        self._vectors = None if values["mode"] == "text" else open_vectors(values, ground)
        self._wire = Wire("weaviate", self._secrets, values["headers"], None, values["verify"])

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One search, one ranking; an answer with errors beside its hits is none."""
        with redacting(self._secrets):
            try:
                ranking = self._ranking(query, depth, timeout)
            except AskFailed as failed:
                raise told_of_fields(failed, self._wrong_name) from None
            if not len(ranking) and (why := self._wrong_name()):
                raise AskFailed(NO_SUCH_FIELD, why, again=False)
            return ranking

    def _ranking(self, query: Query, depth: int, timeout: float) -> Ranking:
        values = self._values
        by_distance = values["mode"] == "vector"
        named = " ".join(dict.fromkeys([*filter(None, [values["id"]]), *self._hit_fields.values()]))
        wanted = f"{named} _additional {{ id {'distance' if by_distance else 'score'} }}"
        arguments = f"limit: {depth}{self._tenant}, {self._search(query)}"
        request = f"{{ Get {{ {values['collection']}({arguments}) {{ {wanted} }} }} }}"
        hits = self._graphql(request, timeout, "Get")
        if not isinstance(hits, list) or not all(isinstance(hit, dict) for hit in hits):
            raise unreadable(f"The answer has no list of objects in data.Get.{values['collection']}.")
        told = [hit.get("_additional") or {} for hit in hits]
        ids = [
            facts.get("id") if values["id"] is None else hit.get(values["id"])
            for hit, facts in zip(hits, told, strict=True)
        ]
        kept = named_fields(self._hit_fields, hits[:depth])
        if by_distance:
            distances = [facts.get("distance") for facts in told]
            return ranking_of(ids, [-d if isinstance(d, int | float) else d for d in distances], depth, kept)
        return ranking_of(ids, [_score(facts.get("score")) for facts in told], depth, kept)

    def _search(self, query: Query) -> str:
        """The operator of the search. Everything in it is a value of GraphQL, made by JSON."""
        values = self._values
        words = f"query: {to_json(sendable(query.text))}"
        if values["fields"]:
            words += f", properties: {to_json(values['fields'].split())}"
        if self._vectors is None:
            return f"bm25: {{ {words} }}"
        vector = f"vector: {to_json(self._vectors(query))}"
        if values["target"] is not None:
            vector += f", targetVectors: {to_json([values['target']])}"
        if values["mode"] == "vector":
            return f"nearVector: {{ {vector} }}"
        return f"hybrid: {{ {words}, {vector}, alpha: {to_json(values['alpha'])}, fusionType: {values['fusion']} }}"

    @property
    def _tenant(self) -> str:
        return "" if self._values["tenant"] is None else f", tenant: {to_json(self._values['tenant'])}"

    def _graphql(self, request: str, timeout: float, part: str) -> object:
        """What a request gives for the collection; AskFailed for an answer with errors, also one with hits beside."""
        body = to_json({"query": request}).encode()
        answer = self._call("POST", "graphql", timeout, body)
        if not isinstance(answer, dict) or ("data" not in answer and "errors" not in answer):
            raise unreadable("The answer has no data: is this the address of Weaviate?")
        if answer.get("errors"):
            why = said_against(answer, self._secrets.redact) or "it does not say what is wrong"
            if _LATER.search(why):
                raise AskFailed("server error", f"Weaviate: {why}", again=True)
            raise AskFailed("refused", f"Weaviate: {why}", again=False)
        found = (answer.get("data") or {}).get(part)
        return found.get(self._values["collection"]) if isinstance(found, dict) else None

    def _call(self, method: str, path: str, timeout: float, body: bytes | None = None) -> object:
        headers = {} if body is None else {"content-type": "application/json"}
        answer: object = self._wire.json(
            method, f"{self._secrets.expand(self._base)}/v1/{path}", timeout, body, headers
        )
        return answer

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Version of the server, schema and number of objects. UsageError for a name that the schema does not have."""
        if why := self._wrong_name():
            raise UsageError(f"weaviate: {why}")
        told = self._told("meta")
        version = told.get("version") if isinstance(told, dict) else None
        collection = self._values["collection"]
        tenant = f"({self._tenant.removeprefix(', ')})" if self._tenant else ""
        counted = self._graphql(
            f"{{ Aggregate {{ {collection}{tenant} {{ meta {{ count }} }} }} }}", SECONDS_FOR_IDENTITY, "Aggregate"
        )
        first = counted[0] if isinstance(counted, list) and counted else None
        meta = first.get("meta") if isinstance(first, dict) else None
        if not isinstance(meta, dict) or "count" not in meta:
            raise unreadable(f"The answer has no count in data.Aggregate.{collection}.")
        schema = next((one for one in self._classes if one.get("class") == collection), None)
        return {
            "weaviate": str(version or "not told"),
            "schema": "not told" if schema is None else sha256(to_json(schema).encode()).hexdigest()[:32],
            "documents": str(meta["count"]),
            **self._secrets.identity(self._values["url"]),
            **({} if self._vectors is None else self._vectors.identity),
        }

    def _wrong_name(self) -> str:
        """What to say of a collection or property that is not there; "" where all are, or nobody says which are."""
        values = self._values
        names = [str(one.get("class")) for one in self._classes]
        if not names:
            return ""
        if why := unknown_field("collection of Weaviate", [values["collection"]], names):
            return why
        schema = self._classes[names.index(values["collection"])]
        properties = schema.get("properties")
        known = (
            [str(p.get("name")) for p in properties or () if isinstance(p, dict)]
            if isinstance(properties, list)
            else []
        )
        asked = [*names_of(values["fields"]), *([values["id"]] if values["id"] else []), *self._hit_fields.values()]
        return unknown_field(f"property of the collection {values['collection']!r}", asked, known)

    @cached_property
    def _classes(self) -> list[Mapping[str, object]]:
        """The schema; empty where Weaviate may not say it."""
        told = self._told("schema")
        classes = told.get("classes") if isinstance(told, dict) else None
        return [one for one in classes if isinstance(one, dict)] if isinstance(classes, list) else []

    def _told(self, path: str) -> object:
        try:
            return self._call("GET", path, SECONDS_FOR_IDENTITY)
        except AskFailed as failed:
            if failed.again:
                raise
            return None  # whoever may search may not be allowed to look at this

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _score(value: object) -> object:
    """A score, which Weaviate writes as a text: "3.0140665"."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    return value


OFFERS = (Engine(name="weaviate", page=__doc__, params=PARAMS, open=Weaviate, live=True, extra="stack", opaque=True),)
