"""Filling of the qdrant engine: a collection of points, with the texts of documents in their payload.

A point is called by a UUID that is made from the id of its document, and has that id in its payload. The marker stands
in the metadata of the collection, which no search sees; Qdrant keeps them since version 1.16.
"""

from __future__ import annotations

import re
import secrets as lots
import time
import uuid
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import quote

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Param, Whole
from rankproof.stack.engines._answer import unreadable
from rankproof.stack.engines._template import fill
from rankproof.stack.engines._wire import NOT_ALLOWED, Wire, redacting
from rankproof.stack.engines.contract import AskFailed
from rankproof.stack.engines.http import require_url
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

SECONDS = 60.0
SECONDS_TO_FINISH = 600.0
MOST_ID_BYTES = 1 << 20
PLACE = ("url", "collection")
PARAMS = (
    Param("shards", Whole(1), 1, "shards of the collection"),
    Param("replicas", Whole(1), 1, "copies of each shard"),
)
# Of the points' UUIDs; another one would make other points of the same documents.
POINTS: Final = uuid.UUID("6f7b7b0e-6d0c-5b57-9f0e-7c1c6a0f6a52")
_PAYLOAD_FIELD: Final = re.compile(r"payload\.([A-Za-z_]\w*)")
MARKED, BIRTH = "rankproof", "rankproof_birth"


def point_id(doc_id: str) -> str:
    """The UUID of a document's point, the same everywhere.

    >>> point_id("d1") == point_id("d1") != point_id("d2")
    True
    """
    return str(uuid.uuid5(POINTS, doc_id))


class QdrantFiller:
    """A collection, to be filled."""

    def __init__(self, request: FillRequest) -> None:
        values, self._settings = request.first, request.settings
        agreed = request.agreed((*PLACE, "id", "api_key", "headers", "verify"))
        headers: dict[str, str] = dict(agreed["headers"])
        if agreed["api_key"] is not None:
            headers["api-key"] = agreed["api_key"]
        refuse_written("qdrant", None, headers)
        self._secrets = Secrets("qdrant", values["url"], values["collection"], headers)
        self._collection = fill(values["collection"], {}, self._secrets)
        self.name = f"qdrant: the collection {values['collection']!r}"
        stands = _PAYLOAD_FIELD.fullmatch(agreed["id"])
        if stands is None:
            raise UsageError(
                f"qdrant: id={agreed['id']!r} is no field of the payload that can be filled. Leave it out, or say "
                "id='payload.sku'."
            )
        self._id = stands[1]
        fields = {mode: one["using"] or "" for mode, one in request.modes.items()}
        if "" in fields.values() and set(fields.values()) != {""}:
            raise UsageError(
                "qdrant: one mode searches a vector with a name and one a vector without. Name both: using=..."
            )
        corpus = request.corpus
        refuse_names("qdrant", corpus.fields, [self._id], bool, "a field of the payload has a name")
        refuse_ids("qdrant", corpus.doc_ids, MOST_ID_BYTES)
        self.content = IndexContent(corpus.doc_ids, corpus.fields, request.vectors(fields))
        self._base = require_url("qdrant", values["url"]).rstrip("/")
        self._wire = Wire("qdrant", self._secrets, headers, None, values["verify"])

    # ---- what is made ----------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Mapping[str, object]:
        """The body of the request that makes the collection, and where its points have the id."""
        made = {"shard_number": self._settings["shards"], "replication_factor": self._settings["replicas"]}
        return {"collection": {"vectors": self._vectors, **made}, "id": f"payload.{self._id}"}

    @cached_property
    def _vectors(self) -> dict[str, object]:
        spaces: dict[str, dict[str, object]] = {
            name: {"size": self.content.dimensions(name), "distance": "Cosine"} for name in self.content.vectors
        }
        return dict(spaces.get("", spaces))

    def found(self) -> IndexFound | None:
        """What is there under the name."""
        if self._result("GET", f"{self._path}/exists").get("exists") is not True:
            return None
        if (meant := self._aliases.get(self._collection)) is not None:
            raise UsageError(f"{self.name} is an alias of {meant}. Name the collection itself in the configuration.")
        config = self._result("GET", self._path).get("config")
        params = config.get("params") if isinstance(config, dict) else None
        if not isinstance(config, dict) or not isinstance(params, dict):
            raise unreadable("The answer describes no collection: is this the address of Qdrant?")
        kept = config.get("metadata")
        metadata: Mapping[str, object] = kept if isinstance(kept, dict) else {}
        marker, vectors = metadata.get(MARKED), params.get("vectors")
        if isinstance(marker, dict) and not _as_planned(vectors, self._vectors):
            marker = {**marker, "plan": "the vectors were changed"}
        return IndexFound(marker if isinstance(marker, dict) else None, str(metadata.get(BIRTH)), self._what(vectors))

    def _what(self, vectors: object) -> str:
        named = "" if not isinstance(vectors, dict) or "size" in vectors else f"; vectors: {', '.join(vectors)}"
        try:
            return f"{counted(self._counted(), 'document')}{named}"
        except AskFailed:
            return ""

    @cached_property
    def _aliases(self) -> dict[str, str]:
        try:
            listed = self._result("GET", "aliases").get("aliases")
        except AskFailed as failed:
            if failed.kind == NOT_ALLOWED:  # whoever fills one collection may not be allowed to see the others
                return {}
            raise
        found = [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
        return {str(one.get("alias_name")): str(one.get("collection_name")) for one in found}

    def create(self, marker: Mapping[str, object]) -> None:
        """Makes it, with the marker in its metadata."""
        shape = self.plan["collection"]
        assert isinstance(shape, dict)
        metadata = {MARKED: dict(marker), BIRTH: lots.token_hex(8)}
        self._send("PUT", f"{self._path}?timeout={SECONDS:g}", {**shape, "metadata": metadata})
        found = self.found()
        if found is not None and found.marker is None:
            self._send("DELETE", self._path)
            raise AskFailed(
                "refused",
                "Qdrant keeps no metadata of collections, by which the index would be known again: it does since "
                "version 1.16. Take a newer one, or fill the collection yourself.",
                again=False,
            )

    def mark(self, marker: Mapping[str, object]) -> None:
        """Writes the marker into the metadata, which are merged with what is there."""
        self._send("PATCH", self._path, {"metadata": {MARKED: dict(marker)}})

    def remove(self) -> None:
        """Deletes the collection."""
        self._send("DELETE", f"{self._path}?timeout={SECONDS:g}")

    # ---- documents -------------------------------------------------------------------------------

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """By the ids of their points."""
        return {doc for doc, _ in self._points(doc_ids, [self._id], vectors=False)}

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """Documents as they are kept."""
        found = {}
        for doc, point in self._points(doc_ids, True, vectors=True):
            payload, vector = point.get("payload"), point.get("vector")
            kept: Mapping[str, object] = payload if isinstance(payload, dict) else {}
            texts = {name: text for name in self.content.texts if isinstance(text := kept.get(name), str)}
            named: Mapping[str, object] = vector if isinstance(vector, dict) else {"": vector}
            vectors = {name: numbers_of(named.get(name)) for name in self.content.vectors}
            found[doc] = IndexDocument(doc, texts, vectors)
        return found

    def _points(self, doc_ids: Sequence[str], payload: object, vectors: bool) -> list[tuple[str, Mapping[str, object]]]:
        """Those of the documents that are there, with their points; one that has another id is not there."""
        wanted = {point_id(doc): doc for doc in doc_ids}
        body = {"ids": list(wanted), "with_payload": payload, "with_vector": vectors}
        points = self._send("POST", f"{self._path}/points", body)
        if not isinstance(points, list) or not all(isinstance(point, dict) for point in points):
            raise unreadable("The answer to points has no list of points.")
        found = []
        for point in points:
            doc, kept = wanted.get(str(point.get("id"))), point.get("payload")
            if doc is not None and isinstance(kept, dict) and kept.get(self._id) == doc:
                found.append((doc, point))
        return found

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """Waits until they are written."""
        points = []
        for document in documents:
            vectors = {name: short_numbers(one) for name, one in document.vectors.items() if one is not None}
            payload = {self._id: document.doc_id, **document.texts}
            points.append({"id": point_id(document.doc_id), "vector": vectors.get("", vectors), "payload": payload})
        self._send("PUT", f"{self._path}/points?wait=true", {"points": points})

    def finish(self) -> None:
        """Waits for the graphs, which Qdrant builds by itself; without them searches are right, and slower."""
        until = time.monotonic() + SECONDS_TO_FINISH
        while self._result("GET", self._path).get("status") == "yellow" and time.monotonic() < until:
            time.sleep(0.2)

    def count(self) -> int:
        """Exactly."""
        return self._counted()

    def size(self) -> int | None:
        """Qdrant does not tell it."""
        return None

    # ---- the wire --------------------------------------------------------------------------------

    def _counted(self) -> int:
        count = self._result("POST", f"{self._path}/points/count", {"exact": True}).get("count")
        if not isinstance(count, int):
            raise unreadable("The answer to points/count has no number.")
        return count

    def _result(self, method: str, path: str, body: object = None) -> Mapping[str, object]:
        result = self._send(method, path, body)
        if not isinstance(result, dict):
            raise unreadable(f"{method} {path} answers as no Qdrant does: there is no result.")
        return result

    def _send(self, method: str, path: str, body: object = None) -> object:
        data = None if body is None else to_json(body).encode()
        headers = {} if body is None else {"content-type": "application/json"}
        with redacting(self._secrets):
            url = f"{self._secrets.expand(self._base)}/{path}"
            answer = self._wire.json(method, url, SECONDS, data, headers)
        if not isinstance(answer, dict) or "result" not in answer:
            raise unreadable("The answer has no result: is this the address of Qdrant?")
        result: object = answer["result"]
        return result

    @property
    def _path(self) -> str:
        return f"collections/{quote(self._collection, safe='')}"

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _as_planned(actual: object, planned: Mapping[str, object]) -> bool:
    """Whether the vectors are those, as far as the plan says it; the server adds defaults of its own."""
    if not isinstance(actual, dict):
        return False
    if "size" in planned:
        return all(actual.get(name) == value for name, value in planned.items())
    return all(isinstance(one, dict) and _as_planned(actual.get(name), one) for name, one in planned.items())
