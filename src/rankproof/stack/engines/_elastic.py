"""What OpenSearch and Elasticsearch share: one search request, read with care.

Queries are asked one by one with _search and not in bundles with _msearch: each has a time, a failure and a retry of
its own, and asking several at once is done by threads for every engine alike.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Param, Text, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of, unreadable
from rankproof.stack.engines._expressions import expression, extracted
from rankproof.stack.engines._fields import (
    NO_SUCH_FIELD,
    analyzers_of,
    mapped_fields,
    names_of,
    told_of_fields,
    unknown_field,
)
from rankproof.stack.engines._hit_fields import HitReader, hit_fields_param
from rankproof.stack.engines._kinds import Fields, Json
from rankproof.stack.engines._template import fill, fill_json, known_of, names_in
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines._wire import NOT_ALLOWED, Wire, redacting
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.engines.http import AUTH, HEADERS, VERIFY, require_url
from rankproof.stack.filling import seconds_of
from rankproof.stack.records import Ground, Values

TYPES = ("best_fields", "most_fields", "cross_fields", "phrase", "phrase_prefix", "bool_prefix")
SECONDS_FOR_IDENTITY = 10.0
NOT_TOLD = "not told"
# The parts of a hit; a field that names none of them is one of the first.
_PARTS = ("_source.", "fields.", "highlight.", "inner_hits.", "_id", "_index", "_score")
_CHANGES = "_stats/docs?level=shards&filter_path=indices.*.shards.*.seq_no"

_PARAMS = (
    Param("index", Text(), REQUIRED, "index or alias to search"),
    Param("fields", Fields(), None, "fields with weights, such as 'title^3 text'; none: those the index searches"),
    Param("type", Choice(TYPES), "best_fields", "how multi_match joins the fields"),
    Param("operator", Choice(("or", "and")), "or", "whether one word of the query must match, or all"),
    Param("vector_field", Text(), None, "field with vectors: search by vector and not by words"),
    Param("candidates", Whole(), 100, "candidates for nearest neighbors, at least as many as documents wanted"),
    Param("body", Json(), None, "a search request of your own, with {query}, {depth}, {vector} and columns"),
    Param("id", Text(), "_id", "where a hit has the document's id: _id, or a field such as _source.sku"),
    hit_fields_param("a field, or a path such as highlight.text[0],"),
    *VECTOR_PARAMS,
    HEADERS,
    AUTH,
    VERIFY,
)


def params(variable: str) -> tuple[Param, ...]:
    """The parameters; the address stands in an environment variable of this name when nothing is said."""
    return (Param("url", Text(), f"${{{variable}}}", "address of the cluster"), *_PARAMS)


# (field, vector, depth, candidates) to the part of a request that searches by vector.
Nearest = Callable[[str, list[float], int, int], dict[str, object]]


class Cluster:
    """A cluster, asked and answering in JSON."""

    def __init__(self, who: str, values: Values, secrets: Secrets) -> None:
        self._secrets, self._base = secrets, require_url(who, values["url"]).rstrip("/")
        self._wire = Wire(who, secrets, values["headers"], values["auth"], values["verify"])

    def call(self, method: str, path: str, timeout: float, body: bytes | None = None) -> Any:
        """What the cluster answers; AskFailed where it does not do what it is asked."""
        headers = {} if body is None else {"content-type": "application/json"}
        return self._wire.json(method, f"{self._secrets.expand(self._base)}/{path}", timeout, body, headers)

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


class Elastic:
    """An index, opened."""

    def __init__(self, who: str, nearest: Nearest, values: Values, ground: Ground) -> None:
        if values["body"] is not None and (values["fields"] or values["vector_field"]):
            raise UsageError(f"{who}: body is a whole request; leave fields and vector_field out, or body.")
        if values["fields"] and values["vector_field"]:
            raise UsageError(
                f"{who}: fields search by words and vector_field by vector. For both, join two: "
                f"fuse_rrf({who}(...), {who}(vector_field='{values['vector_field']}', ...))."
            )
        if values["body"] is not None and not isinstance(values["body"], dict):
            raise UsageError(f"{who}: body is a search request, so it must be an object and not a list.")
        refuse_written(who, values["auth"], values["headers"])
        self._who, self._values, self._nearest = who, values, nearest
        self._secrets = Secrets(who, *(values[name] for name in ("url", "headers", "body", "auth", "index")))
        self._id = expression("id", values["id"])
        self._hit_fields = HitReader(values["hit_fields"], _PARTS)
        by_vector = values["vector_field"] or "vector" in names_in(values["body"])
        self._vectors = open_vectors(values, ground) if by_vector else None
        self._cluster = Cluster(who, values, self._secrets)

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One search, one ranking; an answer that only some of the shards gave is none."""
        with redacting(self._secrets):
            try:
                ranking = self._ranking(query, depth, timeout)
            except AskFailed as failed:
                raise told_of_fields(failed, self._wrong_field) from None
            # The server finds nothing in a field that is not there, and says nothing of it.
            if not len(ranking) and (why := self._wrong_field()):
                raise AskFailed(NO_SUCH_FIELD, why, again=False)
            return ranking

    def _ranking(self, query: Query, depth: int, timeout: float) -> Ranking:
        # The same copies of the shards each time: their scores differ by a hair, and so would the rankings.
        where = f"{self._index}/_search?preference=rankproof&allow_partial_search_results=false"
        request = self._request(query, depth)
        answer = self._cluster.call("POST", where, timeout, to_json(request).encode())
        if not isinstance(answer, dict) or not isinstance(answer.get("hits"), dict):
            raise unreadable("The answer has no hits: is this the address of a search cluster?")
        broken = (answer.get("_shards") or {}).get("failed")
        if answer.get("timed_out") or broken:
            why = "it ran out of time" if answer.get("timed_out") else f"{broken} shards failed"
            raise AskFailed("partial answer", f"The cluster searched only a part of the index: {why}.", again=True)
        hits = answer["hits"].get("hits")
        if not isinstance(hits, list) or not all(isinstance(hit, dict) for hit in hits):
            raise unreadable("The answer has no list of hits in hits.hits.")
        # With a sort of its own the order is all there is, also where scores come with it.
        scores = None if "sort" in request else [hit.get("_score") for hit in hits]
        ids = [extracted(self._id, hit) for hit in hits]
        return ranking_of(ids, scores, depth, self._hit_fields.read(hits[:depth]))

    def _request(self, query: Query, depth: int) -> dict[str, object]:
        values = self._values
        request: dict[str, object] = {"size": depth, "_source": self._source, "track_total_hits": False}
        if values["body"] is not None:
            known = known_of(query, depth)
            if self._vectors is not None:
                known["vector"] = self._vectors(query)
            filled = fill_json(values["body"], known, self._secrets)
            assert isinstance(filled, dict), "the template is an object"
            return request | filled
        if self._vectors is not None:
            candidates = max(values["candidates"], depth)
            return request | self._nearest(values["vector_field"], self._vectors(query), depth, candidates)
        match = {"query": query.text, "type": values["type"], "operator": values["operator"]}
        if values["fields"]:
            match["fields"] = values["fields"].split()
        return request | {"query": {"multi_match": match}}

    @cached_property
    def _source(self) -> list[str] | bool:
        """What is asked of each document: the field of its id and those that are kept; all where that is not known."""
        where, fields = self._values["id"], self._hit_fields.sources()
        if fields is None or not (where == "_id" or where.startswith("_source.")):
            return True
        named = [] if where == "_id" else [where.removeprefix("_source.")]
        return list(dict.fromkeys([*named, *fields])) or False

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Version of the server; ids, mapping, documents and changes of the index. A changed index is another one.

        UsageError for a field that the index does not have.
        """
        if why := self._wrong_field():
            raise UsageError(f"{self._who}: {why}")
        facts = {
            "server": self._fact(
                "",
                lambda root: f"{root['version'].get('distribution', '')} {root['version']['number']}",
                optional=True,  # a server in front of it may let only searches through
            )
        }
        facts["index"] = NOT_TOLD if self._indexes is None else _read(self._indexes, _index_hash, self._values["url"])
        facts["documents"] = self._fact(f"{self._index}/_count", lambda count: str(count["count"]))
        facts["changes"] = self._fact(f"{self._index}/{_CHANGES}", _changes, optional=True)
        variables = self._secrets.identity(*(self._values[name] for name in ("url", "index", "body")))
        model = self._analyzer() if self._vectors is None else self._vectors.identity
        return {**{name: text.strip() for name, text in facts.items()}, **variables, **model}

    def _analyzer(self) -> dict[str, str]:
        """What finds the words of the searched fields; nothing for a request of one's own, or where nobody says it."""
        asked = names_of(self._values["fields"]) or ["*"]
        if self._values["body"] is not None or not isinstance(self._indexes, dict):
            return {}
        indexes = [index for index in self._indexes.values() if isinstance(index, dict)]
        found = {analyzer for index in indexes for analyzer in analyzers_of(index, asked)}
        return {"analyzer": ", ".join(sorted(found))} if found else {}

    @cached_property
    def _indexes(self) -> object:
        """What the cluster says of each index that is searched; None where it may not say it."""
        try:
            return self._cluster.call("GET", self._index, SECONDS_FOR_IDENTITY)
        except AskFailed as failed:
            if failed.kind == NOT_ALLOWED:
                return None
            raise

    def _wrong_field(self) -> str:
        """What to say of a field that none of the indexes has; "" where all are there, or nobody says which are."""
        asked = [*names_of(self._values["fields"]), *filter(None, [self._values["vector_field"]])]
        asked = [name for name in asked if not name.startswith("_")]  # of the server itself, such as _id
        if not asked or not isinstance(self._indexes, dict):
            return ""
        indexes = [index for index in self._indexes.values() if isinstance(index, dict)]
        known = {name for index in indexes for name in mapped_fields(index.get("mappings") or {})}
        patterns = [name for name in known if name.endswith(".*")]
        index = self._values["index"]
        return unknown_field(f"field of the index {index!r}", asked, known - set(patterns), patterns)

    @property
    def observed(self) -> Mapping[str, float]:
        """Of an index that `rankproof index` made: documents, bytes, and the seconds that it took. Else nothing."""
        try:
            (index,) = self._cluster.call("GET", f"{self._index}/_mapping", SECONDS_FOR_IDENTITY).values()
            seconds = seconds_of(index["mappings"]["_meta"]["rankproof"])
            where = f"{self._index}/_stats/docs,store"
            stats = self._cluster.call("GET", where, SECONDS_FOR_IDENTITY)["_all"]["primaries"]
            documents, size = float(stats["docs"]["count"]), float(stats["store"]["size_in_bytes"])
        except (AskFailed, KeyError, TypeError, ValueError, AttributeError):
            return {}
        counts = {"index_documents": documents, "index_bytes": size}
        return counts if seconds is None else {**counts, "index_seconds": seconds}

    def _fact(self, path: str, read: Callable[[Any], str], optional: bool = False) -> str:
        try:
            return _read(self._cluster.call("GET", path, SECONDS_FOR_IDENTITY), read, self._values["url"])
        except AskFailed as failed:
            # Whoever may search may not be allowed to look at the cluster, and a hosted one may not offer this.
            if failed.kind == NOT_ALLOWED or (optional and not failed.again):
                return NOT_TOLD
            raise

    @property
    def _index(self) -> str:
        return quote(fill(self._values["index"], {}, self._secrets), safe=",*")

    def close(self) -> None:
        """Gives connections back."""
        self._cluster.close()


def _read(answer: Any, read: Callable[[Any], str], url: str) -> str:
    try:
        return read(answer)
    except (KeyError, TypeError, AttributeError):
        raise unreadable(f"GET {url} answers as no search cluster does.") from None


def _changes(stats: Mapping[str, Any]) -> str:
    """How many changes the shards of an index have seen: a document that was replaced counts, a merge does not."""
    indexes = stats.get("indices", {}).values()
    shards = [copies for index in indexes for copies in index["shards"].values()]
    return str(sum(1 + max(copy["seq_no"]["max_seq_no"] for copy in copies) for copies in shards))


def _index_hash(indexes: Mapping[str, Any]) -> str:
    """Of the indexes that a name stands for: their ids and mappings."""
    parts = {
        name: [index["settings"]["index"]["uuid"], index["mappings"], index["settings"]["index"].get("analysis")]
        for name, index in sorted(indexes.items())
    }
    return sha256(to_json(parts).encode()).hexdigest()[:32]
