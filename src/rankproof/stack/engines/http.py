"""Any search API, described by a request and by where its answer has the hits: no code.

The request is a template. `url`, `headers`, `params` (what stands after the ? of a URL) and `body` (JSON) may hold
{query}, {query_id}, {depth} and every column of a query, such as {locale}. What is filled in is escaped as its place
needs it. A text in the body that is nothing but a placeholder becomes the value itself: "{depth}" becomes a number.
{vector} is the query's vector, which a `model` makes or the column `vector` holds: a list of numbers in the body, JSON
elsewhere. In a request of GraphQL a text stands as {query:graphql}, which makes its own quotes, or as a variable.
Environment variables stand as ${API_KEY}: a configuration holds their names, and neither reports nor errors show their
values. Braces are written twice: {{ and }}.

The answer must be JSON. `hits` is a JMESPath expression that gives the list of hits, best first; `id` and `score` are
expressions inside of one hit. Documents with equal scores are ordered by id, as in every run; without `score` the order
is all there is. An answer without that list, with errors of GraphQL, or with a hit without an id, a document twice or
scores that rise, is a failure and no ranking.

`hit_fields` names what is kept of a hit for people who judge: its title, text, snippet, price, and the addresses of its
picture and its page, each an expression inside of one hit. `rankproof fetch` writes them beside the run.

shown on: a search API of this project (examples/search_api.py) and small servers of the tests
assumes: the answer's order is the ranking
source: JMESPath, https://jmespath.org/specification.html

http(url="https://api.shop.example/search", params={"q": "{query}", "limit": "{depth}"}, hits="results", id="sku")

In the file of a benchmark the same engine may be a table:

[modes.live]
engine = "http"
url = "https://api.shop.example/search"
hits = "results"
[modes.live.body]
query = "{query}"
size = "{depth}"
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import SECRET, Secrets, refuse_written
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Flag, Param, Text
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._answer import ranking_of, unreadable
from rankproof.stack.engines._expressions import expression, extracted
from rankproof.stack.engines._hit_fields import HitReader, hit_fields_param
from rankproof.stack.engines._kinds import Json, StringTable
from rankproof.stack.engines._template import fill, fill_json, fill_url, known_of, names_in, refuse_unquoted
from rankproof.stack.engines._vectors import VECTOR_PARAMS, QueryVectors, open_vectors
from rankproof.stack.engines._wire import Wire, redacting, said_against
from rankproof.stack.engines.contract import AskFailed, Engine
from rankproof.stack.records import Ground, Values

URL = Param("url", Text(), REQUIRED, "address to ask, such as https://api.shop.example/search")
HEADERS = Param("headers", StringTable(), {}, "headers of the request")
AUTH = Param(
    "auth", Text(), None, "user and password for basic authentication, such as ${SEARCH_USER}:${SEARCH_PASSWORD}"
)
VERIFY = Param("verify", Flag(), True, "whether the server's certificate is checked")

PARAMS = (
    URL,
    Param("hits", Text(), REQUIRED, "JMESPath of the list of hits in the answer, such as hits.hits"),
    Param("id", Text(), "id", "JMESPath of the document's id in one hit"),
    Param("score", Text(), None, "JMESPath of the score in one hit; none: the order is all there is"),
    hit_fields_param("JMESPath in one hit"),
    Param("method", Choice(("GET", "POST", "PUT")), None, "method of the request; none: POST with a body, GET without"),
    Param("params", StringTable(), {}, "parameters of the URL"),
    HEADERS,
    Param("body", Json(), None, "JSON body of the request"),
    AUTH,
    VERIFY,
    Param("vector", Text(), None, "column of the queries that holds their vectors as JSON, for {vector}"),
    *(param for param in VECTOR_PARAMS if param.name != "vector"),
)


class Http:
    """An API, opened."""

    def __init__(self, values: Values, ground: Ground) -> None:
        self._values = values
        url = require_url("http", values["url"])
        refuse_written("http", values["auth"], values["headers"], values["params"])
        refuse_unquoted("http", [values["url"], values["params"], values["body"]])
        self._secrets = Secrets("http", *(values[name] for name in ("url", "params", "headers", "body", "auth")))
        self._hits, self._id = expression("hits", values["hits"]), expression("id", values["id"])
        self._score = None if values["score"] is None else expression("score", values["score"])
        self._hit_fields = HitReader(values["hit_fields"])
        self._vectors = _vectors_of(values, ground)
        self._wire = Wire("http", self._secrets, {}, values["auth"], values["verify"])
        variables = self._secrets.identity(url, values["params"], values["body"])
        self._about = {"url": url, **variables}

    @property
    def identity(self) -> Mapping[str, str]:
        """The address, and the model that makes vectors. What the server searches is not seen."""
        return {**self._about, **({} if self._vectors is None else self._vectors.identity)}

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        """One request, one ranking."""
        with redacting(self._secrets):
            return self._ranking(query, depth, timeout)

    def answer(self, query: Query, depth: int, timeout: float) -> object:
        """The whole answer to one request, whatever is in it; AskFailed where none came."""
        values, known, secrets = self._values, known_of(query, depth), self._secrets
        if self._vectors is not None:
            known["vector"] = self._vectors(query)
        headers = {name: fill(text, known, secrets) for name, text in values["headers"].items()}
        body = None
        if values["body"] is not None:
            body = to_json(fill_json(values["body"], known, secrets)).encode()
            headers = {"content-type": "application/json", **{name.lower(): text for name, text in headers.items()}}
        method = values["method"] or ("GET" if body is None else "POST")
        url = fill_url(values["url"], values["params"], known, secrets)
        answer: object = self._wire.json(method, url, timeout, body, headers)
        return answer

    def _ranking(self, query: Query, depth: int, timeout: float) -> Ranking:
        values, secrets = self._values, self._secrets
        answer = self.answer(query, depth, timeout)
        hits = extracted(self._hits, answer)
        why = said_against(answer, secrets.redact) if _faulty(answer) else ""
        if not isinstance(hits, list):
            against = f" It says: {why}" if why else ""
            shape = f"hits = {values['hits']!r} gives no list but {shape_of(hits)}; the answer is {shape_of(answer)}."
            raise unreadable(f"{shape}{against}")
        # GraphQL gives what it has beside what went wrong.
        if isinstance(answer, dict) and "data" in answer and answer.get("errors"):
            raise AskFailed("partial answer", f"The answer has hits and errors: {why or 'it does not say which'}", True)
        scores = None if self._score is None else [extracted(self._score, hit) for hit in hits]
        ids = [extracted(self._id, hit) for hit in hits]
        return ranking_of(ids, scores, depth, self._hit_fields.read(hits[:depth]))

    def close(self) -> None:
        """Gives connections back."""
        self._wire.close()


def _vectors_of(values: Values, ground: Ground) -> QueryVectors | None:
    """What makes vectors; None where the request names none. UsageError where one is said without the other."""
    named = "vector" in names_in([values[name] for name in ("url", "params", "headers", "body")])
    source = [name for name in ("model", "vector") if values[name] is not None]
    if named and not source:
        raise UsageError(
            "http: the request names {vector}, and nothing makes it. Name the model that the documents were indexed "
            "with (model='minilm'), or the column of the queries that holds their vectors (vector='embedding')."
        )
    if len(source) == 2:
        raise UsageError("http: a model makes vectors, or a column holds them (vector); both are named. Leave one out.")
    if source and not named:
        raise UsageError(
            f"http: {source[0]} = {values[source[0]]!r} is named, and the request has no {{vector}}. Write it where "
            f"the vector belongs, such as body={{'vector': '{{vector}}'}}, or leave {source[0]} out."
        )
    return open_vectors(values, ground) if named else None


def _faulty(answer: object) -> bool:
    return isinstance(answer, dict) and any(answer.get(name) for name in ("error", "errors", "message"))


def require_url(who: str, url: str) -> str:
    """The address as the configuration has it; UsageError for what is none."""
    scheme, host, *_ = urlsplit(url)
    named = SECRET.match(url)
    if not named and (scheme not in ("http", "https") or not host):
        raise UsageError(f"{who}: {url!r} is no address. Write it with http:// or https:// and a host.")
    if "@" in host and not SECRET.search(host):
        raise UsageError(
            f"{who}: the address holds a password. Give it as auth='${{SEARCH_USER}}:${{SEARCH_PASSWORD}}'."
        )
    if "{" in SECRET.sub("", host):
        raise UsageError(f"{who}: the host of {url!r} cannot be a placeholder. Placeholders stand after it.")
    return url


def shape_of(value: object) -> str:
    """What a JSON value is, in a few words."""
    if value is None:
        return "nothing"
    if isinstance(value, dict):
        names = ", ".join(list(value)[:8])
        return f"an object with {names or 'no names'}{', ...' if len(value) > 8 else ''}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"the {'text' if isinstance(value, str) else 'value'} {value!r:.40}"


OFFERS = (Engine(name="http", page=__doc__, params=PARAMS, open=Http, live=True, extra="stack", opaque=True),)
