"""Solr: a collection, searched through its select handler.

The query is parsed by `edismax` over `fields` with their weights. `params` adds any parameter of Solr (bf, boost, fq,
sort), and may hold {query}, {depth}, {vector} and columns of the queries. `q` is the query itself, so that a search by
vector is parser="lucene" with q="{!knn f=embedding topK={depth}}{vector}"; the vectors come from a `model`, or from a
column of the queries (`vector`). Documents with equal scores are ordered by id; with a `sort` of its own the order is
all there is. An answer of only some shards is a failure, and is asked again.

The address, with its path (http://solr.example:8983/solr), is taken from the environment variable SOLR_URL unless `url`
says it. Secrets stand as ${NAME}, the name of an environment variable. What Solr says of itself is its version and the
number of documents: where documents were replaced by as many others, take another folder for what is kept.

shown on: a real Solr 9.8.1 (tests/live)
assumes: the documents are indexed under the ids that the judgments use; else `id` names the field that has them
source: https://solr.apache.org/guide/solr/latest/query-guide/edismax-query-parser.html

solr(collection="products", fields="title^3 brand text", mm="2<75%")
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from urllib.parse import quote, urlencode

from rankproof.errors import UsageError
from rankproof.kernel.secrets import Secrets, refuse_written
from rankproof.kernel.specs.kinds import REQUIRED, Param, Text
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of, unreadable
from rankproof.stack.engines._fields import NO_SUCH_FIELD, names_of, told_of_fields, unknown_field
from rankproof.stack.engines._hit_fields import hit_fields_param, named_fields, plain_names
from rankproof.stack.engines._kinds import Fields, StringTable
from rankproof.stack.engines._solr_fill import PARAMS as FILL_PARAMS
from rankproof.stack.engines._solr_fill import PLACE, SolrFiller
from rankproof.stack.engines._solr_schema import NEAREST
from rankproof.stack.engines._template import fill, known_of, names_in
from rankproof.stack.engines._vectors import VECTOR_PARAMS, open_vectors
from rankproof.stack.engines._wire import NOT_ALLOWED, Wire, redacting, sendable
from rankproof.stack.engines.contract import AskFailed, Engine
from rankproof.stack.engines.http import AUTH, HEADERS, VERIFY, require_url
from rankproof.stack.filling import Fills
from rankproof.stack.records import Ground, Values

SECONDS_FOR_IDENTITY = 10.0

PARAMS = (
    Param("collection", Text(), REQUIRED, "collection or core to search"),
    Param("url", Text(), "${SOLR_URL}", "address of Solr, with its path"),
    Param("fields", Fields(), None, "fields with weights (qf), such as 'title^3 text'; none: those of the handler"),
    Param("parser", Text(), "edismax", "query parser (defType)"),
    Param("mm", Text(), None, "how many words of the query must match, such as '2<75%'"),
    Param("q", Text(), "{query}", "the query"),
    Param("params", StringTable(), {}, "further parameters"),
    Param("id", Text(), "id", "field with the document's id"),
    hit_fields_param("a stored field"),
    *VECTOR_PARAMS,
    HEADERS,
    AUTH,
    VERIFY,
)


class Solr:
    """A collection, opened."""

    def __init__(self, values: Values, ground: Ground) -> None:
        refuse_written("solr", values["auth"], values["headers"], values["params"])
        self._values, self._hit_fields = values, plain_names("solr", values["hit_fields"])
        named = (values[name] for name in ("url", "collection", "q", "params", "headers", "auth"))
        self._secrets = Secrets("solr", *named)
        self._base = require_url("solr", values["url"]).rstrip("/")
        by_vector = "vector" in names_in([values["q"], values["params"]])
        self._vectors = open_vectors(values, ground) if by_vector else None
        self._wire = Wire("solr", self._secrets, values["headers"], values["auth"], values["verify"])

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One search, one ranking; an answer that only some of the shards gave is none."""
        with redacting(self._secrets):
            try:
                ranking = self._ranking(query, depth, timeout)
            except AskFailed as failed:
                raise told_of_fields(failed, self._wrong_field) from None
            # Solr finds nothing in a field that is not there, and does not always say so.
            if not len(ranking) and (why := self._wrong_field()):
                raise AskFailed(NO_SUCH_FIELD, why, again=False)
            return ranking

    def _ranking(self, query: Query, depth: int, timeout: float) -> Ranking:
        values, known = self._values, known_of(query, depth)
        if self._vectors is not None:
            known["vector"] = self._vectors(query)
        parameters = {"q": fill(values["q"], known, self._secrets), "defType": values["parser"], "rows": str(depth)}
        parameters |= {"fl": ",".join(dict.fromkeys([values["id"], *self._hit_fields.values(), "score"]))}
        parameters |= {name: values[key] for name, key in (("qf", "fields"), ("mm", "mm")) if values[key]}
        parameters |= {name: fill(text, known, self._secrets) for name, text in values["params"].items()}
        docs = self._select(parameters, timeout).get("docs")
        if not isinstance(docs, list) or not all(isinstance(doc, dict) for doc in docs):
            raise unreadable("The answer has no list of documents in response.docs.")
        scores = None if "sort" in parameters else [doc.get("score") for doc in docs]
        kept = named_fields(self._hit_fields, docs[:depth])
        return ranking_of([doc.get(values["id"]) for doc in docs], scores, depth, kept)

    def _select(self, parameters: Mapping[str, str], timeout: float) -> Mapping[str, object]:
        """The response part of an answer that is whole."""
        # In the body of the request and not in its URL, which has a limit that long queries go over.
        body = urlencode({name: sendable(text) for name, text in parameters.items()} | {"wt": "json"}).encode()
        answer = self._wire.json(
            "POST", f"{self._address}/select", timeout, body, {"content-type": "application/x-www-form-urlencoded"}
        )
        if not isinstance(answer, dict) or not isinstance(answer.get("response"), dict):
            raise unreadable("The answer has no response: is this the address of Solr?")
        if (answer.get("responseHeader") or {}).get("partialResults"):
            raise AskFailed("partial answer", "Solr searched only a part of the collection.", again=True)
        response: Mapping[str, object] = answer["response"]
        return response

    @cached_property
    def identity(self) -> Mapping[str, str]:
        """Version of the server and number of documents. UsageError for a field that the collection does not have."""
        if why := self._wrong_field():
            raise UsageError(f"solr: {why}")
        count = self._select({"q": "*:*", "defType": "lucene", "rows": "0"}, SECONDS_FOR_IDENTITY).get("numFound")
        model = {} if self._vectors is None else self._vectors.identity
        variables = self._secrets.identity(*(self._values[name] for name in ("url", "collection", "q", "params")))
        return {"solr": self._version(), "documents": str(count), **self._analyzer(), **variables, **model}

    def _analyzer(self) -> dict[str, str]:
        """What finds the words of queries in the searched fields; nothing where the schema does not say it."""
        where, found = f"{self._address}/schema", []
        try:
            asked = names_of(self._values["fields"])
            fields = self._wire.json("GET", f"{where}/fields?wt=json", SECONDS_FOR_IDENTITY)["fields"] if asked else []
            for kind in dict.fromkeys(str(field["type"]) for field in fields if field["name"] in asked):
                path = f"{where}/fieldtypes/{quote(kind, safe='')}?wt=json"
                told = self._wire.json("GET", path, SECONDS_FOR_IDENTITY)["fieldType"]
                chain = told.get("queryAnalyzer") or told["analyzer"]
                found.append(", ".join(map(_named, [chain["tokenizer"], *chain.get("filters", ())])))
        except AskFailed as failed:
            if failed.again:
                raise
            return {}
        except (KeyError, TypeError, AttributeError):
            return {}
        return {"analyzer": "; ".join(found)} if found else {}

    def _wrong_field(self) -> str:
        """What to say of a field that the schema does not have; "" where all are there, or nobody says which are."""
        params: Mapping[str, str] = self._values["params"]
        own = {name for name in names_of(self._values["fields"]) if f"f.{name}.qf" in params}  # an alias
        nearest = [mark[1] for text in (self._values["q"], *params.values()) for mark in NEAREST.finditer(text)]
        asked = [name for name in names_of(self._values["fields"]) if name not in own] + nearest
        known, patterns = self._schema
        if not known:
            return ""
        where = f"field of the collection {self._values['collection']!r}"
        return unknown_field(where, [*asked, self._values["id"]], known, patterns)

    @cached_property
    def _schema(self) -> tuple[list[str], list[str]]:
        """The fields, and the patterns that others may have; none where Solr may not say which there are."""
        parts = []
        for part in ("fields", "dynamicFields"):
            try:
                answer = self._wire.json("GET", f"{self._address}/schema/{part.lower()}?wt=json", SECONDS_FOR_IDENTITY)
                parts.append([str(field["name"]) for field in answer[part]])
            except AskFailed as failed:
                if failed.again:
                    raise
                return [], []
            except (KeyError, TypeError):
                return [], []
        return parts[0], parts[1]

    @property
    def _address(self) -> str:
        collection = quote(fill(self._values["collection"], {}, self._secrets), safe="")
        return f"{self._secrets.expand(self._base)}/{collection}"

    def _version(self) -> str:
        try:
            url = f"{self._secrets.expand(self._base)}/admin/info/system?wt=json"
            system = self._wire.json("GET", url, SECONDS_FOR_IDENTITY)
            return str(system["lucene"]["solr-spec-version"])
        except AskFailed as failed:
            if failed.kind in (NOT_ALLOWED, "refused"):  # whoever may search may not be allowed to look at the server
                return "not told"
            raise
        except (KeyError, TypeError):
            return "not told"

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _named(part: Mapping[str, object]) -> str:
    """A tokenizer or filter of a schema, which is known by name or by class."""
    return str(part.get("name") or part["class"]).removeprefix("solr.").removesuffix("Factory")


OFFERS = (
    Engine(
        name="solr",
        page=__doc__,
        params=PARAMS,
        open=Solr,
        live=True,
        extra="stack",
        fills=Fills(PLACE, SolrFiller, FILL_PARAMS),
    ),
)
