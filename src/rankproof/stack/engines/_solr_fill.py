"""Filling of the solr engine: a core or collection with one text field for each field of the documents.

What is made is known again by its name: the folder of a core, or the config set of a collection, is called after a
number drawn by lot, and a field type called after the same number holds the marker. Searches see neither.
"""

from __future__ import annotations

import re
import secrets as lots
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final
from urllib.parse import quote, urlencode

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.kinds import Param, Text, Whole
from rankproof.stack.engines._answer import unreadable
from rankproof.stack.engines._solr_schema import (
    KEY,
    PREFIX,
    as_marker,
    marker_in,
    named,
    schema_of,
    unlike,
    usable,
    vector_fields,
)
from rankproof.stack.engines._template import fill
from rankproof.stack.engines._wire import Wire, redacting
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

# Of a term of Lucene, which the id of a document is.
MOST_ID_BYTES = 32_766
SECONDS = 60.0
RELOADS = 5
SECONDS_TO_FINISH = 600.0
PLACE = ("url", "collection")
PARAMS = (
    Param("config", Text(), "_default", "config set of the server that the core or collection is made with"),
    Param("analyzer", Text(), "english", "english, as Lucene has it, or a field type of the config set: text_de"),
    Param("shards", Whole(1), 1, "shards of a collection; one gives scores that do not depend on where documents lie"),
    Param("replicas", Whole(1), 1, "copies of each shard, of a collection"),
    Param("vector_field", Text(), None, "field for vectors where {vector} stands in no {!knn f=...} of q or params"),
)
_MADE: Final = re.compile(r"rankproof-([0-9a-f]{16})-")
_NAME: Final = re.compile(r"(?!-)[\w.-]+", re.ASCII)


class SolrFiller:
    """A core or a collection, to be filled."""

    def __init__(self, request: FillRequest) -> None:
        values, self._settings = request.first, request.settings
        agreed = request.agreed((*PLACE, "id", "headers", "auth", "verify"))
        refuse_written("solr", agreed["auth"], agreed["headers"])
        self._secrets = Secrets("solr", *(values[name] for name in (*PLACE, "headers", "auth")))
        self._core = fill(values["collection"], {}, self._secrets)
        if not _NAME.fullmatch(self._core):
            raise UsageError(f"solr: {values['collection']!r} names no single collection to be filled. Name one.")
        self.name = f"solr: the collection {values['collection']!r}"
        self._id: str = agreed["id"]
        request.fields_named()
        own = self._settings["vector_field"]
        fields = {mode: field for mode, one in request.modes.items() if (field := vector_fields(mode, one, own))}
        corpus = request.corpus
        refuse_names("solr", corpus.fields, [*fields.values(), self._id, KEY, "score"], usable, "a field of Solr has "
                     "a name of letters, digits and _, which does not begin with a digit or _")  # fmt: skip
        if wrong := [name for name in (*fields.values(), self._id) if not usable(name)]:
            raise UsageError(f"solr: {wrong[0]!r} is no name of a field: letters, digits and _, a letter first.")
        refuse_ids("solr", corpus.doc_ids, MOST_ID_BYTES)
        self.content = IndexContent(corpus.doc_ids, corpus.fields, request.vectors(fields))
        self._base = require_url("solr", values["url"]).rstrip("/")
        self._wire = Wire("solr", self._secrets, values["headers"], values["auth"], values["verify"])

    # ---- what is made ----------------------------------------------------------------------------

    @cached_property
    def plan(self) -> Mapping[str, object]:
        """The config set, and the types and fields that are added to its schema."""
        vectors = {name: self.content.dimensions(name) for name in self.content.vectors}
        settings = {name: self._settings[name] for name in ("config", "shards", "replicas")}
        return {
            **settings,
            "schema": schema_of(list(self.content.texts), vectors, self._settings["analyzer"], self._id),
        }

    @property
    def _planned(self) -> dict[str, list[dict[str, object]]]:
        found = self.plan["schema"]
        assert isinstance(found, dict)
        return found

    def found(self) -> IndexFound | None:
        """What is there under the name; None too where making it was interrupted and nothing is in it."""
        home = self._home()
        if home is None:
            return None
        made = _MADE.match(home)
        if made is None:
            return IndexFound(None, home, self._what(None))
        schema = self._schema()
        marker = marker_in(schema, made[1])
        if marker is None:
            if not self._counted():
                return None
            return IndexFound({"plan": "its marker was removed"}, made[1], self._what(schema))
        if unlike(schema, self._planned):
            marker = {**marker, "plan": "the schema was changed"}
        return IndexFound(marker, made[1], self._what(schema))

    def _what(self, schema: Mapping[str, object] | None) -> str:
        try:
            schema = self._schema() if schema is None else schema
            fields = [name for name in named(schema, "fields") if not name.startswith("_")]
            return f"{counted(self._counted(), 'document')}; fields: {', '.join(fields[:8]) or 'none'}"
        except AskFailed:  # it does not start, or whoever fills it may not look at it
            return ""

    def create(self, marker: Mapping[str, object]) -> None:
        """Makes it, with fields and marker in one change of its schema: without these it is as if it were not there."""
        if self._home() is None:
            self._make(lots.token_hex(8))
        made = _MADE.match(self._home() or "")
        if made is None:
            raise AskFailed("refused", "Somebody else made one of that name.", again=False)
        schema = self._schema()
        if schema.get("uniqueKey") != KEY:
            self.remove()
            why = f"The config set has the key {schema.get('uniqueKey')!r} and not {KEY!r}. Name another: config"
            raise AskFailed("refused", f"{why}.", again=False)
        there = {kind: named(schema, kind) for kind in ("fieldTypes", "fields")}
        if clash := [name for kind in there for name in unlike(schema, self._planned, kind) if name in there[kind]]:
            self.remove()
            raise AskFailed(
                "refused",
                f"The config set {self._settings['config']!r} has {', '.join(map(repr, clash))} already, made in "
                f'another way. Name another config set, such as one of its own: [index.solr] config = "...".',
                again=False,
            )
        new = {kind: [one for one in self._planned[kind] if one["name"] not in there[kind]] for kind in there}
        types = [*new["fieldTypes"], as_marker(marker, made[1])]
        try:
            self._change({"add-field-type": types, "add-field": new["fields"]})
        except AskFailed as failed:
            if not failed.again and marker_in(self._schema(), made[1]) is None:
                self.remove()  # an analyzer that is not there, for one
            raise

    def _make(self, number: str) -> None:
        own, config = f"{PREFIX}-{number}-{self._core}", self._settings["config"]
        if not self._cloud:
            try:
                self._admin("cores", "CREATE", name=self._core, instanceDir=own, configSet=config)
            except AskFailed as failed:
                if "already" not in str(failed).lower() or not self._comes():
                    raise
            return
        self._admin("configs", "CREATE", name=own, baseConfigSet=config)
        shape = {"numShards": self._settings["shards"], "replicationFactor": self._settings["replicas"]}
        more = {"collection.configName": own, "waitForFinalState": "true", **shape}
        try:
            self._admin("collections", "CREATE", name=self._core, **more)
        except AskFailed:
            if self._home() != own:
                self._admin("configs", "DELETE", name=own)
            raise

    def _comes(self) -> bool:
        """Waits for the core that another process is making."""
        until = time.monotonic() + SECONDS
        while self._home() is None:
            if time.monotonic() > until:
                return False
            time.sleep(0.1)
        return True

    def mark(self, marker: Mapping[str, object]) -> None:
        """Writes the marker into the schema."""
        made = _MADE.match(self._home() or "")
        if made is None:
            raise AskFailed("refused", "It was made anew by somebody else.", again=False)
        if marker_in(self._schema(), made[1]) != marker:
            self._change({"replace-field-type": [as_marker(marker, made[1])]})

    def _change(self, commands: Mapping[str, object]) -> None:
        if not self._cloud:
            self._reload()
        self._json("POST", f"{self._path}/schema", to_json(commands).encode())

    def _reload(self) -> None:
        """Cores of one config set share the file with the schema: what another one changed is read first."""
        for left in reversed(range(RELOADS)):
            try:
                self._admin("cores", "RELOAD", core=self._core)
                return
            except AskFailed:  # another process may be writing that file
                if not left:
                    raise
                time.sleep(0.3)

    def remove(self) -> None:
        """Removes it with its folder, or with its config set; both were made for it alone."""
        home = self._home()
        if home is None or not _MADE.match(home):
            return
        if self._cloud:
            self._admin("collections", "DELETE", name=self._core)
            self._admin("configs", "DELETE", name=home)
            return
        number = _MADE.match(home)
        assert number is not None
        if marker_in(self._schema(), number[1]) is not None:
            self._change({"delete-field-type": {"name": f"{PREFIX}_{number[1]}"}})
        every = dict.fromkeys(("deleteIndex", "deleteDataDir", "deleteInstanceDir"), "true")
        self._admin("cores", "UNLOAD", core=self._core, **every)

    # ---- documents -------------------------------------------------------------------------------

    def there(self, doc_ids: Sequence[str]) -> set[str]:
        """By the handler get, which sees documents before they can be searched."""
        return {str(doc[KEY]) for doc in self._get(doc_ids, KEY)}

    def read(self, doc_ids: Sequence[str]) -> dict[str, IndexDocument]:
        """Documents as they are stored; an empty text may be left out by the config set."""
        found = {}
        for doc in self._get(doc_ids, ",".join([KEY, *self.content.texts, *self.content.vectors])):
            texts = {name: text for name in self.content.texts if isinstance(text := doc.get(name, ""), str)}
            vectors = {name: numbers_of(doc.get(name)) for name in self.content.vectors}
            found[str(doc[KEY])] = IndexDocument(str(doc[KEY]), texts, vectors)
        return found

    def _get(self, doc_ids: Sequence[str], fields: str) -> list[dict[str, object]]:
        body = urlencode([("wt", "json"), ("fl", fields), ("omitHeader", "true"), *(("id", doc) for doc in doc_ids)])
        answer = self._json("POST", f"{self._path}/get", body.encode(), "application/x-www-form-urlencoded")
        if set(answer) == {"doc"}:  # of one id
            docs: object = [answer["doc"]] if answer["doc"] is not None else []
        else:
            response = answer.get("response")
            docs = response.get("docs") if isinstance(response, dict) else None
        if not isinstance(docs, list) or not all(isinstance(doc, dict) and KEY in doc for doc in docs):
            raise unreadable("The answer to get has no list of docs with ids.")
        return docs

    def put(self, documents: Sequence[IndexDocument]) -> None:
        """All of a batch, or an error for the first that is refused."""
        rows = []
        for document in documents:
            row: dict[str, object] = {KEY: document.doc_id, self._id: document.doc_id, **document.texts}
            row |= {name: short_numbers(vector) for name, vector in document.vectors.items() if vector is not None}
            rows.append(row)
        self._json("POST", f"{self._path}/update?overwrite=true", to_json(rows).encode())

    def finish(self) -> None:
        """Commits."""
        self._json("POST", f"{self._path}/update?commit=true&openSearcher=true", b"{}", seconds=SECONDS_TO_FINISH)

    def count(self) -> int:
        """After a commit: whoever was killed may not have made one."""
        self.finish()
        return self._counted()

    def size(self) -> int | None:
        """Bytes of the core; None of a collection, and where that may not be asked."""
        try:
            index = None if self._cloud else self._status().get("index")
        except AskFailed:
            return None
        size = index.get("sizeInBytes") if isinstance(index, dict) else None
        return size if isinstance(size, int) else None

    # ---- the wire --------------------------------------------------------------------------------

    @cached_property
    def _cloud(self) -> bool:
        return self._json("GET", "admin/info/system?wt=json").get("mode") == "solrcloud"

    def _home(self) -> str | None:
        """The folder of the core, or the config set of the collection; None where there is none of that name."""
        if not self._cloud:
            folder = self._status().get("instanceDir")
            return None if folder is None else str(folder).rstrip("/\\").replace("\\", "/").rpartition("/")[2]
        if self._core not in _list(self._admin("collections", "LIST").get("collections")):
            return None
        cluster = self._admin("collections", "CLUSTERSTATUS", collection=self._core).get("cluster")
        parts = cluster.get("collections") if isinstance(cluster, dict) else None
        one = parts.get(self._core) if isinstance(parts, dict) else None
        if not isinstance(one, dict):
            raise UsageError(f"{self.name} is an alias. Name the collection itself in the configuration.")
        return str(one.get("configName"))

    def _status(self) -> Mapping[str, object]:
        answer = self._admin("cores", "STATUS", core=self._core)
        failed, status = answer.get("initFailures"), answer.get("status")
        one = status.get(self._core) if isinstance(status, dict) else None
        if isinstance(failed, dict) and failed.get(self._core) and not one:
            raise AskFailed("refused", f"It is there and does not start: {failed[self._core]}"[:500], again=False)
        if not isinstance(one, dict):
            raise unreadable("The answer tells no status of cores: is this the address of Solr?")
        return one

    def _schema(self) -> Mapping[str, object]:
        schema = self._json("GET", f"{self._path}/schema?wt=json").get("schema")
        if not isinstance(schema, dict):
            raise unreadable("The answer has no schema: is this the address of Solr?")
        return schema

    def _counted(self) -> int:
        answer = self._json("GET", f"{self._path}/select?q=*:*&defType=lucene&rows=0&wt=json").get("response")
        count = answer.get("numFound") if isinstance(answer, dict) else None
        if not isinstance(count, int):
            raise unreadable("The answer to select has no number of documents.")
        return count

    def _admin(self, what: str, action: str, **more: object) -> Mapping[str, object]:
        asked = urlencode({"action": action, **more, "wt": "json"})
        return self._json("GET", f"admin/{what}?{asked}", seconds=SECONDS_TO_FINISH)

    def _json(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        kind: str = "application/json",
        seconds: float = SECONDS,
    ) -> Mapping[str, object]:
        headers = {} if body is None else {"content-type": kind}
        with redacting(self._secrets):
            url = f"{self._secrets.expand(self._base)}/{path}"
            answer = self._wire.json(method, url, seconds, body, headers)
        if not isinstance(answer, dict):
            raise unreadable("The answer is no JSON object: is this the address of Solr?")
        return answer

    @property
    def _path(self) -> str:
        return quote(self._core, safe="")

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
