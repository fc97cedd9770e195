"""The first configuration of a search that somebody has: how it is asked, where its answers have what, and a policy."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import parse_qsl, urlsplit, urlunsplit

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.stack.answer_layout import AnswerLayout

MODE: Final = "live"
CANDIDATE: Final = "candidate"
FETCHED: Final = "fetched"
STORE: Final = "judging.db"
# Parameters of a URL that hold the words, and how many hits are wanted, as APIs call them.
_WORDS = ("q", "query", "search", "searchterm", "term", "keywords", "keyword", "text", "s", "k")
_SIZES = ("size", "limit", "rows", "n", "num", "count", "hitsperpage", "perpage", "pagesize", "top", "first", "take")
# Servers that say themselves where hits are: the rest of the address, and what names the index.
SERVERS: Final[Mapping[str, tuple[str, str]]] = {
    "elasticsearch": ("index", "{index}/_search"),
    "opensearch": ("index", "{index}/_search"),
    "solr": ("collection", "{index}/select"),
}


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """How a search is asked: the parameters of the engine http, but for those that read the answer.

    server, index   the server and its index, where it is one that we know by name
    assumed         what was assumed about the address, in sentences
    """

    url: str
    params: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    body: object = None
    auth: str | None = None
    server: str = ""
    base: str = ""
    index: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def values(self) -> dict[str, object]:
        """What was said, for the engine http."""
        said = {"url": self.url, "params": self.params, "headers": self.headers, "body": self.body, "auth": self.auth}
        return {name: value for name, value in said.items() if value}


def request_of(url: str, headers: Mapping[str, str], body: object, auth: str | None) -> SearchRequest:
    """How an address is asked. Without {query} in it, the parameter that holds words is taken for it."""
    parts = urlsplit(url)
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    if len(dict(pairs)) < len(pairs):
        params, base = {}, url  # a parameter stands twice: the address stays as it is
    else:
        params, base = dict(pairs), urlunsplit((parts.scheme, parts.netloc, parts.path, "", ""))
    assumed = []
    if "{query" not in url and "{query" not in to_json(body):
        if body is not None:
            raise UsageError('The body names no {query}. Write it where the words belong: \'{"query": "{query}"}\'')
        name = next((name for name in params if _plain(name) in _WORDS), "q")
        params[name] = "{query}"
        assumed.append(f"the words are the parameter {name}")
    if "{depth" not in url and "{depth" not in to_json(body):
        size = next((name for name in params if _plain(name) in _SIZES), None)
        if size is None:
            assumed.append("how many hits come is left to the API: name a parameter with {depth} to say it")
        else:
            params[size] = "{depth}"
            assumed.append(f"how many hits are wanted is the parameter {size}")
    return SearchRequest(base, params, headers, body, auth, assumed=tuple(assumed))


def server_request(server: str, base: str, index: str, headers: Mapping[str, str], auth: str | None) -> SearchRequest:
    """How one of the servers that we know is asked for everything that its hits have."""
    url = f"{base.rstrip('/')}/{SERVERS[server][1].format(index=index)}"
    if server == "solr":
        params = {"q": "{query}", "rows": "{depth}", "wt": "json", "defType": "edismax"}
        return SearchRequest(url, params, headers, None, auth, server, base, index)
    body = {"size": "{depth}", "query": {"multi_match": {"query": "{query}", "type": "best_fields", "operator": "or"}}}
    return SearchRequest(url, {}, headers, body, auth, server, base, index)


def _plain(name: str) -> str:
    return "".join(c for c in name.lower() if c.isalnum())


# What holds for any search before anybody knows its numbers: not worse, for no query much worse, and enough judged.
_POLICY: Final = """\
# What must hold before a change may ship: rankproof gate THIS-FILE
# Exit status: 0 PASS, 1 FAIL, 3 UNDECIDED. Every rule has a page: rankproof explain no_regression

[policy]
name = {name}
qrels = "qrels.trec"              # what judges said: rankproof judgments export judging.db qrels.trec
baseline = "{live}"
candidate = "{new}"
topics = {queries}

[[rule]]
rule = "no_regression"            # on the whole not worse than by a margin that nobody would notice
measure = "nDCG@10"
margin = 0.02

[[rule]]
rule = "no_query_loses_more"      # and no single query thrown away
measure = "nDCG@10"
than = 0.3

[[rule]]
rule = "judged_rate"              # of the first ten documents so many are judged that the numbers mean something
k = 10
at_least = 0.8

[[rule]]
rule = "checks"                   # the files are in order
"""


# ---- the files ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FirstConfig:
    """What is written: a name, the queries, the request, the layout, how many hits, and where a candidate answers."""

    name: str
    path: str
    policy: str
    queries: str
    request: SearchRequest
    layout: AnswerLayout
    depth: int
    candidate: str = ""

    @property
    def dataset(self) -> str:
        """The file of queries, named from the folder of the configuration."""
        folder = os.path.dirname(self.path) or "."
        return os.path.relpath(self.queries, folder).replace(os.sep, "/")

    def text(self) -> str:
        """The configuration in TOML."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterator[str]:
        yield "# How this search is asked, and where its answers have what. Yours to change: rankproof explain http"
        yield ""
        yield "[benchmark]"
        yield f"name = {_toml(self.name)}"
        yield _said(
            f"dataset = {_toml(self.dataset)}", "the queries; a folder with qrels beside them lets benchmark run"
        )
        yield _said(f"depth = {self.depth}", "hits asked for each query")
        yield ""
        yield "# What is live. ${NAME} is taken from the environment, so that no secret stands here."
        yield from self._mode(MODE, self.request.base or self.request.url)
        yield ""
        if self.candidate:
            yield "# What would ship, compared with what is live."
            yield from self._mode(CANDIDATE, self.candidate)
        else:
            yield "# What would ship: take the # away, and say where it answers."
            other = (f"# {line}".rstrip() for line in self._mode(CANDIDATE, "https://the-new-version.example/search"))
            yield from other
        yield ""
        yield "[limits]"
        yield _said("concurrency = 4", "requests under way at once")
        yield _said("rate = 20", "requests in a second, at most")
        yield _said("timeout = 10", "seconds for one request")

    def _mode(self, mode: str, url: str) -> Iterator[str]:
        request, layout = self.request, self.layout
        yield f"[modes.{mode}]"
        yield f"engine = {_toml(request.server or 'http')}"
        yield f"url = {_toml(url)}"
        if request.server:
            yield f"{SERVERS[request.server][0]} = {_toml(request.index)}"
            yield _said('# fields = "title^3 text"', "what is searched, with weights; without it, what the index says")
        else:
            yield _said(f"hits = {_toml(layout.hits)}", "the list of hits in an answer, best first (JMESPath)")
        usual = {"elasticsearch": "_id", "opensearch": "_id", "solr": "id"}.get(request.server)
        if layout.id != usual:
            yield _said(f"id = {_toml(layout.id)}", "and in a hit the id of its document")
        if request.auth:
            yield f"auth = {_toml(request.auth)}"
        tables: dict[str, Mapping[str, str]] = {"headers": request.headers, "hit_fields": layout.fields}
        if not request.server:
            tables = {"params": request.params, **tables}
            if request.body is not None:
                # As text: JSON has values that TOML has not.
                yield f"body = {_toml(to_json(request.body))}"
        for name, table in tables.items():
            if table:
                yield ""
                yield _said(f"[modes.{mode}.{name}]", "what judges see of a hit" if name == "hit_fields" else "")
                yield from (f"{_toml_key(key)} = {_toml(value)}" for key, value in table.items())

    def policy_text(self) -> str:
        """The policy in TOML."""
        runs = {mode: f"{FETCHED}/runs/{mode}.run" for mode in (MODE, CANDIDATE)}
        return _POLICY.format(name=_toml(self.name), queries=_toml(self.dataset), live=runs[MODE], new=runs[CANDIDATE])

    def next_commands(self) -> tuple[str, str, str]:
        """What to type next."""
        folder = os.path.dirname(self.path)
        fetched, store = os.path.join(folder, FETCHED), os.path.join(folder, STORE)
        modes = (MODE, CANDIDATE) if self.candidate else (MODE,)
        runs = [word for m in modes for word in ("--run", f"{m}={os.path.join(fetched, 'runs', m)}.run")]
        slug = (
            "".join(c if c.isascii() and (c.isalnum() or c in "-_") else "-" for c in self.name).strip("-") or "search"
        )
        fetch = ["rankproof", "fetch", self.path, "-o", fetched]
        init = ["rankproof", "judgments", "init", store, "--project", slug, "--dataset", self.queries]
        return (
            shlex.join(fetch),
            shlex.join([*init, *runs, "--pipelines", self.path]),
            shlex.join(["rankproof", "serve", store]),
        )


def _toml(text: str) -> str:
    """A text of TOML: its basic strings are written as JSON's are, but for one character that JSON leaves as it is."""
    return to_json(text).replace("\x7f", "\\u007f")


def _toml_key(name: str) -> str:
    return name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else _toml(name)


def _said(line: str, meaning: str) -> str:
    return f"{line:<34}# {meaning}" if meaning else line
