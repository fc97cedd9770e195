"""What OpenSearch and Elasticsearch share of filling: an index with one text field for each field of the documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol
from urllib.parse import quote

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Param, Text, Whole
from rankproof.stack.engines._answer import unreadable
from rankproof.stack.engines._elastic import Cluster
from rankproof.stack.engines._template import fill, names_in
from rankproof.stack.engines.contract import TOO_MANY, AskFailed
from rankproof.stack.filling import (
    FillRequest,
    IndexContent,
    IndexDocument,
    IndexFound,
    numbers_of,
    refuse_ids,
    refuse_names,
    short_numbers,
)

MOST_ID_BYTES = 512
SECONDS = 60.0
SECONDS_TO_FINISH = 600.0
PLACE = ("url", "index")
PARAMS = (
    Param("analyzer", Text(), "english", "analyzer of every text field, one that the cluster knows"),
    Param("shards", Whole(1), 1, "primary shards; one gives scores that do not depend on where documents lie"),
    Param("replicas", Whole(), 0, "copies of each shard"),
    Param(
        "vector_field", Text(), None, "field for vectors where modes search by a body of their own that holds {vector}"
    ),
)
# Kinds of an error of one document after which sending it again may help.
_AGAIN = ("es_rejected_execution_exception", "rejected_execution_exception", "unavailable_shards_exception")


class VectorMapping(Protocol):
    """What differs between the two: how a field for vectors is mapped."""

    def __call__(self, dimensions: int) -> Mapping[str, object]:
        """The properties of the field."""


class ElasticFiller:
    """An index, to be filled."""

    def __init__(
        self, request: FillRequest, vector_mapping: VectorMapping, index_settings: Mapping[str, object]
    ) -> None:
        values, who = request.first, request.engine
        agreed = request.agreed(("url", "index", "id", "headers", "auth", "verify"))
        refuse_written(who, agreed["auth"], agreed["headers"])
        self._who, self._settings = who, request.settings
        self._vector_mapping, self._index_settings = vector_mapping, index_settings
        self._secrets = Secrets(who, *(values[name] for name in PLACE), values["headers"], values["auth"])
        self._index = fill(values["index"], {}, self._secrets)
        if self._index.startswith(("-", "_", "+")) or set(self._index) & set('*,?"<>| \\/#:') or not self._index:
            raise UsageError(f"{who}: {values['index']!r} names no single index to be filled. Name one index.")
        if self._index != self._index.lower():
            raise UsageError(f"{who}: the index {values['index']!r} has capital letters, which no index may have.")
        self.name = f"{who}: the index {values['index']!r}"
        self._id_field = _id_field(who, values["id"])
        request.fields_named()
        fields = {mode: field for mode, one in request.modes.items() if (field := self._vector_field(mode, one))}
        corpus = request.corpus
        taken = [*fields.values(), *([self._id_field] if self._id_field else [])]
        refuse_names(who, corpus.fields, taken, _plain, "an index takes no names with a dot, or that begin with _")
        refuse_ids(who, corpus.doc_ids, MOST_ID_BYTES)
        self.content = IndexContent(corpus.doc_ids, corpus.fields, request.vectors(fields))
        self._cluster = Cluster(who, values, self._secrets)

    def _vector_field(self, mode: str, values: Mapping[str, object]) -> str | None:
        if isinstance(values["vector_field"], str):
            return values["vector_field"]
        if "vector" not in names_in(values["body"]):
            return None
        field = self._settings["vector_field"]
        if not isinstance(field, str):
            raise UsageError(
                f"{self._who}, mode {mode}: its body holds {{vector}}, and in which field the documents' vectors are "
                f'is not known. Say it in the configuration: [index.{self._who}] vector_field = "..."'
            )
        return field

    # ---- what is made ----------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Mapping[str, object]:
        """Settings and mapping of the index, as the request that makes it has them."""
        return {
            "settings": {
                "index": {
                    "number_of_shards": self._settings["shards"],
                    "number_of_replicas": self._settings["replicas"],
                    **(self._index_settings if self.content.vectors else {}),
                }
            },
            "mappings": {"dynamic": "strict", "properties": self._properties},
        }

    @cached_property
    def _properties(self) -> dict[str, Mapping[str, object]]:
        text = {"type": "text", "analyzer": self._settings["analyzer"]}
        properties: dict[str, Mapping[str, object]] = dict.fromkeys(self.content.texts, text)
        for name in self.content.vectors:
            properties[name] = self._vector_mapping(self.content.dimensions(name))
        if self._id_field:
            properties[self._id_field] = {"type": "keyword"}
        return properties

    def found(self) -> IndexFound | None:
        """What is there under the name: an index, or another one that the name is an alias of."""
        answer = self._send("GET", f"{self._path}?ignore_unavailable=true&allow_no_indices=true")
        if not answer:
            return None
        if self._index not in answer:
            raise UsageError(
                f"{self.name} is an alias of {', '.join(sorted(answer))}. Name the index itself in the configuration."
            )
        try:
            one = self._as_described(answer[self._index])
        except (KeyError, TypeError, AttributeError):
            raise unreadable("The answer describes no index: is this the address of a search cluster?") from None
        return one

    def _as_described(self, index: Any) -> IndexFound:
        mapping, birth = index["mappings"], index["settings"]["index"]["uuid"]
        properties, marker = mapping.get("properties", {}), mapping.get("_meta", {}).get("rankproof")
        fits = all(_same_kind(properties.get(name), planned) for name, planned in self._properties.items())
        if isinstance(marker, dict) and not fits:
            marker = {**marker, "plan": "the mapping was changed"}
        return IndexFound(marker if isinstance(marker, dict) else None, birth, self._what(properties))

    def _what(self, properties: Mapping[str, object]) -> str:
        fields = ", ".join(list(properties)[:8]) or "none"
        try:
            return f"{counted(self._counted(), 'document')}; fields: {fields}"
        except AskFailed:  # its shards are not there yet, or whoever fills it may not search
            return f"fields: {fields}"

    def create(self, marker: Mapping[str, object]) -> None:
        """Makes it, with the marker in its mapping. It is not refreshed while it is filled."""
        settings = {"index": {**self._planned("settings")["index"], "refresh_interval": "-1"}}
        mappings = {**self._planned("mappings"), "_meta": {"rankproof": dict(marker)}}
        self._send("PUT", self._path, {"settings": settings, "mappings": mappings})

    def _planned(self, part: str) -> dict[str, dict[str, object]]:
        found = self.plan[part]
        assert isinstance(found, dict)
        return found

    def mark(self, marker: Mapping[str, object]) -> None:
        """Writes the marker into the mapping."""
        self._send("PUT", f"{self._path}/_mapping", {"_meta": {"rankproof": dict(marker)}})

    def remove(self) -> None:
        """Deletes the index."""
        self._send("DELETE", f"{self._path}?ignore_unavailable=true")

    # ---- documents -------------------------------------------------------------------------------

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """By _mget, which sees documents before they can be searched."""
        return {doc for doc, _ in self._many(doc_ids, source=False)}

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """Documents as they were sent."""
        found = {}
        for doc, source in self._many(doc_ids, source=True):
            texts = {name: text for name in self.content.texts if isinstance(text := source.get(name), str)}
            vectors = {name: numbers_of(source.get(name)) for name in self.content.vectors}
            found[doc] = IndexDocument(doc, texts, vectors)
        return found

    def _many(self, doc_ids: Sequence[str], source: bool) -> list[tuple[str, Mapping[str, object]]]:
        """Those of the documents that are there, with what they hold."""
        _ = self._awake
        path = f"{self._path}/_mget?_source={'true' if source else 'false'}"
        if source and self._hides_vectors:
            path += "&_source_exclude_vectors=false"
        docs = self._send("POST", path, {"ids": list(doc_ids)}).get("docs")
        if not isinstance(docs, list) or not all(isinstance(doc, dict) for doc in docs):
            raise unreadable("The answer to _mget has no list of docs.")
        for doc in docs:
            if doc.get("error"):
                raise AskFailed("server error", f"A document cannot be read: {to_json(doc['error'])[:200]}", again=True)
        return [(doc["_id"], doc.get("_source") or {}) for doc in docs if doc.get("found")]

    @cached_property
    def _awake(self) -> bool:
        """Waits until the shards of an index that was just made can be asked, where the cluster tells it."""
        try:
            health = self._send("GET", f"_cluster/health/{self._path}?wait_for_status=yellow&timeout=30s")
        except AskFailed:  # whoever may fill the index may not be allowed to look at the cluster
            return False
        return health.get("timed_out") is not True

    @cached_property
    def _hides_vectors(self) -> bool:
        """Whether the server leaves vectors out of what it gives back, as Elasticsearch does from 9.2 on."""
        try:
            version = self._send("GET", "").get("version")
        except AskFailed as failed:
            if failed.again:
                raise
            return False  # a server in front of it, or one without that module, does not tell it
        if not isinstance(version, dict) or version.get("distribution") == "opensearch":
            return False
        numbers = [int(part) for part in str(version.get("number", "0")).split(".")[:2] if part.isdigit()]
        return numbers >= [9, 2]

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """By _bulk; AskFailed for the first document that is refused."""
        lines = []
        for document in documents:
            source: dict[str, object] = dict(document.texts)
            source |= {name: short_numbers(vector) for name, vector in document.vectors.items() if vector is not None}
            if self._id_field:
                source[self._id_field] = document.doc_id
            lines += [to_json({"index": {"_id": document.doc_id}}), to_json(source)]
        body = ("\n".join(lines) + "\n").encode()
        answer = self._send("POST", f"{self._path}/_bulk?require_alias=false", body)
        items = answer.get("items") if isinstance(answer, dict) else None
        if not isinstance(items, list) or len(items) != len(documents):
            raise unreadable("The answer to _bulk does not have as many items as documents were sent.")
        failed = [item["index"] for item in items if item.get("index", {}).get("error")]
        if failed:
            raise _refused(failed)

    def finish(self) -> None:
        """Makes everything searchable, and has the index refresh as often as the cluster usually does."""
        self._send("PUT", f"{self._path}/_settings", {"index": {"refresh_interval": None}})
        self._send("POST", f"{self._path}/_refresh", timeout=SECONDS_TO_FINISH)

    def count(self) -> int:
        """By _count, after a refresh."""
        self._send("POST", f"{self._path}/_refresh", timeout=SECONDS_TO_FINISH)
        return self._counted()

    def size(self) -> int | None:
        """Bytes of its primary shards; None where that may not be asked."""
        try:
            stats = self._cluster.call("GET", f"{self._path}/_stats/store", SECONDS)
            return int(stats["_all"]["primaries"]["store"]["size_in_bytes"])
        except (AskFailed, KeyError, TypeError):
            return None

    # ---- the wire --------------------------------------------------------------------------------

    def _send(self, method: str, path: str, body: object = None, timeout: float = SECONDS) -> Mapping[str, object]:
        data = body if body is None or isinstance(body, bytes) else to_json(body).encode()
        answer = self._cluster.call(method, path, timeout, data)
        if not isinstance(answer, dict):
            raise unreadable("The answer is no JSON object: is this the address of a search cluster?")
        return answer

    def _counted(self) -> int:
        count = self._send("GET", f"{self._path}/_count").get("count")
        if not isinstance(count, int):
            raise unreadable("The answer to _count has no number.")
        return count

    @property
    def _path(self) -> str:
        return quote(self._index, safe="")

    def close(self) -> None:
        """Gives connections back."""
        self._cluster.close()


def _id_field(who: str, expression: str) -> str | None:
    """The field besides _id that holds the id of a document, where the modes read it from one."""
    if expression == "_id":
        return None
    name = expression.removeprefix("_source.")
    if name == expression or not _plain(name):
        raise UsageError(
            f"{who}: id={expression!r} is no field that can be filled. Leave it out, or say id='_source.sku'."
        )
    return name


def _plain(name: str) -> bool:
    return bool(name) and "." not in name and not name.startswith("_") and name.strip() == name


def _same_kind(actual: object, planned: Mapping[str, object]) -> bool:
    """Whether a field is mapped as planned, as far as the plan says it; the server adds defaults of its own."""
    if not isinstance(actual, dict):
        return False
    names = ("type", "analyzer", "dimension", "dims")
    return all(name not in planned or actual.get(name) == planned[name] for name in names)


def _refused(failed: Sequence[Mapping[str, object]]) -> AskFailed:
    """Of the first document that was refused for good, else of the first that was put off."""
    final = [one for one in failed if not _later(one)]
    first = (final or list(failed))[0]
    error = first.get("error")
    reason = error.get("reason") if isinstance(error, dict) else error
    cause = error.get("caused_by") if isinstance(error, dict) else None
    because = f" ({cause['reason']})" if isinstance(cause, dict) and cause.get("reason") else ""
    message = f"document {first.get('_id')!r}: {first.get('status')}: {reason}{because}"
    if len(failed) > 1:
        message += f", and {counted(len(failed) - 1, 'more document')} of the batch"
    return AskFailed(TOO_MANY if not final else "refused", f"{message[:500]}.", again=not final)


def _later(item: Mapping[str, object]) -> bool:
    error, status = item.get("error"), item.get("status")
    kind = error.get("type") if isinstance(error, dict) else None
    return kind in _AGAIN or status in (408, 429) or (isinstance(status, int) and status >= 500)
