"""Vespa: documents of a schema, searched by words, by vectors, or by both, ranked by one of its rank profiles.

`mode="text"` is userInput over `fieldset`, read by `grammar`: weakAnd is content with some of the words, `all` wants
every one. `mode="vector"` is nearestNeighbor in `vector_field`, with the query's vector as the tensor `tensor` of the
rank profile. `mode="hybrid"` finds documents by either; the rank profile says what each is worth. Vectors come from a
`model`, or from a column of the queries (`vector`). `filter` is a condition of YQL that every document must meet,
`params` any parameter of the query API, perhaps with columns of the queries in it ({locale}). Words and vectors are
parameters of their own, and no part of YQL; an operator that `grammar` knows (-word, field:word) works as in a search
box.

Each search takes as long as a query may take here (timeout), and an answer of only a part of the documents is a failure
and is asked again, but for those that the profile's match-phase left out. Vespa gives 400 hits at most unless a query
profile allows more (maxHits). Documents with equal scores are ordered by id. The address of the query API is taken from
the environment variable VESPA_URL unless `url` says it. Secrets stand as ${NAME}, the name of an environment variable.
What Vespa says of itself is its version and the number of documents: after a change of ranks or documents, take another
folder for what is kept.

shown on: recorded answers of the published documentation (version 8), not on a server
assumes: the part of a document id behind :: is the id that the judgments use; else `id` names a field that has it
source: https://docs.vespa.ai/en/reference/query-api-reference.html, .../default-result-format.html

vespa(schema="product", profile="bm25", fieldset="default")
vespa(schema="product", mode="vector", vector_field="embedding", profile="closeness", model="minilm")
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Param, Text, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of, unreadable
from rankproof.stack.engines._hit_fields import hit_fields_param, named_fields, plain_names
from rankproof.stack.engines._kinds import StringTable
from rankproof.stack.engines._template import fill, known_of, names_in
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines._wire import Wire, redacting, said_against, sendable
from rankproof.stack.engines.contract import AskFailed, Engine
from rankproof.stack.engines.http import HEADERS, VERIFY, require_url
from rankproof.stack.records import Ground, Values

SECONDS_FOR_IDENTITY = 10.0
TIMEOUT_CODE = 12  # of an error in an answer: the search ran out of time
_NAME = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_OWN = {"yql", "where", "hits", "timeout", "model.restrict", "words", "ranking.profile"}
# id:namespace:type:key-values:the part that its owner chose
_DOCUMENT_ID = re.compile(r"id:[^:]*:[^:]*:[^:]*:(.+)", re.DOTALL)

PARAMS = (
    Param("schema", Text(), REQUIRED, "schema (document type) to search"),
    Param("url", Text(), "${VESPA_URL}", "address of the query API, such as http://vespa.example:8080"),
    Param("mode", Choice(("text", "vector", "hybrid")), "text", "what is compared"),
    Param("profile", Text(), None, "rank profile; none: the one that the schema calls default"),
    Param("fieldset", Text(), "default", "field or fieldset that words are searched in"),
    Param(
        "grammar", Choice(("weakAnd", "all", "any", "phrase", "web")), "weakAnd", "how the words of a query are read"
    ),
    Param("vector_field", Text(), "embedding", "field with vectors"),
    Param("tensor", Text(), "q", "name that the rank profile has for the query's vector: query(q)"),
    Param("candidates", Whole(), 100, "candidates of each search (targetHits), at least as many as documents wanted"),
    Param("filter", Text(), None, "condition of YQL that every document must meet, such as 'price < 20'"),
    Param("params", StringTable(), {}, "further parameters of the query API"),
    Param("id", Text(), None, "field with the document's id; none: the last part of its document id"),
    hit_fields_param("a field of the summary"),
    *VECTOR_PARAMS,
    HEADERS,
    VERIFY,
)


class Vespa:
    """A schema, opened."""

    def __init__(self, values: Values, ground: Ground) -> None:
        refuse_written("vespa", None, values["headers"], values["params"])
        for what in ("schema", "fieldset", "vector_field", "tensor", "id"):
            if values[what] is not None and not _NAME.fullmatch(values[what]):
                raise UsageError(f"vespa: {what} = {values[what]!r} is no name of Vespa: letters, digits and _ are.")
        own = sorted(_OWN & set(values["params"]))
        if own:
            raise UsageError(f"vespa: params names {own[0]!r}, which the engine says itself. Leave it out.")
        self._values, self._hit_fields = values, plain_names("vespa", values["hit_fields"], _NAME)
        self._secrets = Secrets("vespa", *(values[name] for name in ("url", "params", "headers")))
        self._base = require_url("vespa", values["url"]).rstrip("/")
        self._vectors = None if values["mode"] == "text" else open_vectors(values, ground)
        self._wire = Wire("vespa", self._secrets, values["headers"], None, values["verify"])

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One search, one ranking; an answer of only a part of the documents is none."""
        with redacting(self._secrets):
            known = known_of(query, depth)
            params = {name: fill(text, known, self._secrets) for name, text in self._values["params"].items()}
            hits = self._search({**params, **self._request(query, depth)}, depth, timeout).get("children") or []
            if not isinstance(hits, list) or not all(isinstance(hit, dict) for hit in hits):
                raise unreadable("The answer has no list of hits in root.children.")
            told = [fields if isinstance(fields := hit.get("fields"), dict) else {} for hit in hits[:depth]]
            kept = named_fields(self._hit_fields, told)
            return ranking_of([self._id(hit) for hit in hits], [hit.get("relevance") for hit in hits], depth, kept)

    def _request(self, query: Query, depth: int) -> dict[str, object]:
        values = self._values
        found = max(values["candidates"], depth)
        reading = f'{{targetHits: {found}, defaultIndex: "{values["fieldset"]}", grammar: "{values["grammar"]}"}}'
        by_words = f"({reading}userInput(@words))"
        by_vector = f"({{targetHits: {found}}}nearestNeighbor({values['vector_field']}, {values['tensor']}))"
        where = {"text": by_words, "vector": by_vector, "hybrid": f"({by_words} or {by_vector})"}[values["mode"]]
        request: dict[str, object] = {"where": where}
        if values["mode"] != "vector":
            request["words"] = sendable(query.text)
        if self._vectors is not None:
            request[f"input.query({values['tensor']})"] = to_json(self._vectors(query))
        if values["profile"] is not None:
            request["ranking.profile"] = values["profile"]
        return request

    def _search(self, request: dict[str, object], depth: int, timeout: float) -> Mapping[str, object]:
        """The root of an answer that is whole."""
        values = self._values
        where = request.pop("where")
        selected = ", ".join(dict.fromkeys([values["id"] or "documentid", *self._hit_fields.values()]))
        condition = f" and ({values['filter']})" if values["filter"] is not None else ""
        body = {
            **request,
            "yql": f"select {selected} from sources * where {where}{condition}",
            "hits": depth,
            "timeout": f"{timeout:g}s",
            "model.restrict": values["schema"],
        }
        url = f"{self._secrets.expand(self._base)}/search/"
        headers = {"content-type": "application/json"}
        answer = self._wire.json("POST", url, timeout, to_json(body).encode(), headers)
        root = answer.get("root") if isinstance(answer, dict) else None
        if not isinstance(root, dict) or not {"fields", "children", "errors", "coverage"} & set(root):
            raise unreadable("The answer has no root: is this the address of Vespa's query API?")
        if errors := root.get("errors"):
            why = said_against(answer, self._secrets.redact) or "it does not say what is wrong"
            late = isinstance(errors, list) and any(
                isinstance(e, dict) and e.get("code") == TIMEOUT_CODE for e in errors
            )
            raise AskFailed("server error" if late else "refused", f"Vespa: {why}", again=late)
        if part := _part_of(root.get("coverage")):
            raise AskFailed("partial answer", f"Vespa searched only a part of the documents: {part}.", again=True)
        return root

    def _id(self, hit: Mapping[str, object]) -> object:
        fields = hit.get("fields")
        fields = fields if isinstance(fields, dict) else {}
        if self._values["id"] is not None:
            return fields.get(self._values["id"])
        whole = fields.get("documentid", hit.get("id"))
        named = _DOCUMENT_ID.fullmatch(whole) if isinstance(whole, str) else None
        return named[1] if named else None  # "index:..." is a number of the server's own

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Version of the server and number of documents."""
        same = {name: text for name, text in self._values["params"].items() if not names_in(text)}
        params = {name: self._secrets.expand(text) for name, text in same.items()}
        root = self._search({**params, "where": "true"}, 0, SECONDS_FOR_IDENTITY)
        fields = root.get("fields")
        count = fields.get("totalCount") if isinstance(fields, dict) else None
        return {
            "vespa": self._version(),
            "documents": "not told" if count is None else str(count),
            **self._secrets.identity(self._values["url"], self._values["params"]),
            **({} if self._vectors is None else self._vectors.identity),
        }

    def _version(self) -> str:
        try:
            url = f"{self._secrets.expand(self._base)}/state/v1/version"
            return str(self._wire.json("GET", url, SECONDS_FOR_IDENTITY)["version"])
        except AskFailed as failed:
            if failed.again:
                raise
            return "not told"  # whoever may search may not be allowed to look at this
        except (KeyError, TypeError):
            return "not told"

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _part_of(coverage: object) -> str:
    """Why only a part was searched; "" where all was, or the rank profile itself left the rest out (match-phase)."""
    if not isinstance(coverage, dict) or coverage.get("full", True):
        return ""
    degraded = coverage.get("degraded")
    reasons = [name for name, so in degraded.items() if so] if isinstance(degraded, dict) else []
    if reasons == ["match-phase"]:
        return ""
    share = coverage.get("coverage")
    return f"{share} percent, for {', '.join(reasons)}" if reasons else f"{share} percent"


OFFERS = (Engine(name="vespa", page=__doc__, params=PARAMS, open=Vespa, live=True, extra="stack", opaque=True),)
