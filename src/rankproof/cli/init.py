"""Begin with a search API: ask it once, write its configuration."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.groups import refuse_there
from rankproof.cli.shared.output import document
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted, printable

if TYPE_CHECKING:
    from rankproof.cli.shared.first_config import FirstConfig, SearchRequest
    from rankproof.reading.collection import Query
    from rankproof.stack.answer_layout import AnswerLayout

TIMEOUT = 30.0
SHOWN = 3  # hits that are shown
WIDEST = 80  # characters of a field that are shown
ENGINES = ("elasticsearch", "opensearch", "solr")


@click.command("init")
@click.argument("search", required=False)
@click.argument("queries", required=False, type=click.Path())
@click.option("--query", metavar="WORDS", help="Ask these words; the first of QUERIES otherwise.")
@click.option("--index", help="The index or collection, where SEARCH is an engine.")
@click.option("--url", help="The address of the engine, where SEARCH is one.")
@click.option("--candidate", metavar="URL", help="Where the new version answers, asked in the same way.")
@click.option("--header", "headers", metavar="NAME:VALUE", multiple=True, help="A header; secrets as ${NAME}.")
@click.option("--auth", metavar="USER:${NAME}", help="Basic authentication.")
@click.option("--body", metavar="JSON", help="The body of the request, with {query} and {depth}; it is sent by POST.")
@click.option("--answer", type=click.Path(), help="An answer that you saved; nothing is asked then.")
@click.option("--hits", metavar="PATH", help="Where the answer has its list of hits (JMESPath); guessed otherwise.")
@click.option("--id", "id_path", metavar="PATH", help="Where a hit has its id; guessed otherwise.")
@click.option(
    "--field", "fields", metavar="NAME=PATH", multiple=True, help="What judges see of a hit; may be repeated."
)
@click.option("--depth", type=click.IntRange(1), default=20, show_default=True, help="Hits asked for each query.")
@click.option(
    "--name", default="search", show_default=True, help="What to call it; the judging project gets this name."
)
@click.option("-o", "--output", default="search.toml", show_default=True, type=click.Path(), help="The configuration.")
@click.option("--policy", default="policy.toml", show_default=True, type=click.Path(), help="The policy of the gate.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(
    search: str | None,
    queries: str | None,
    query: str | None,
    index: str | None,
    url: str | None,
    candidate: str | None,
    headers: Sequence[str],
    auth: str | None,
    body: str | None,
    answer: str | None,
    hits: str | None,
    id_path: str | None,
    fields: Sequence[str],
    depth: int,
    name: str,
    output: str,
    policy: str,
    as_json: bool,
) -> None:
    """Ask SEARCH one of QUERIES, guess where its answer has what, and write a configuration and a policy.

    SEARCH is the address of an API, with {query} and {depth} where they belong, or elasticsearch, opensearch or solr.
    On a terminal, what is missing is asked for, and the guess may be corrected. Files that are there stay as they are.

    \b
    rankproof init 'https://shop.example/search?q={query}&size={depth}' queries.jsonl
    rankproof init opensearch --url http://127.0.0.1:9200 --index products queries.csv
    rankproof init https://shop.example/graphql queries.csv --header 'Authorization: Bearer ${KEY}' --body '{...}'
    """
    from rankproof.cli.shared.first_config import FirstConfig

    asking = not as_json and sys.stdin is not None and sys.stdin.isatty()
    for path in (output, policy):
        refuse_there(path)
        _refuse_folder(path)
    if os.path.abspath(output) == os.path.abspath(policy):
        raise UsageError(f"The configuration and the policy are both called {output}. Name two files.")
    search = search or _wanted("The address of your search, or elasticsearch, opensearch or solr", "SEARCH", asking)
    queries = queries or _wanted("Your file of queries", "QUERIES", asking)
    if search in ENGINES and url is None:
        url = _wanted(f"The address of {search}", "--url", asking)
    if search in ENGINES and index is None:
        index = _wanted("The index", "--index", asking)
    request = _request(search, url, index, _headers(headers), auth, body)
    named = _fields(fields)
    first = _first_query(queries, query)
    came = _answered(request, first, depth) if answer is None else _saved(answer)
    layout = _layout(request, came, hits, id_path, named)
    if asking:
        layout = _confirmed(request, came, layout)
    config = FirstConfig(name, output, policy, queries, request, layout, depth, (candidate or "").partition("?")[0])
    _refuse_wrong(config)
    _write(config)
    _output.give(_json(config, first, came) if as_json else _text(config, first, came), None)


def _wanted(question: str, name: str, asking: bool) -> str:
    """What somebody at a terminal types; UsageError where nobody is."""
    if not asking:
        raise UsageError(f"{name} is missing: {question[0].lower()}{question[1:]}. See: rankproof init --help")
    typed: str = click.prompt(question, err=True)
    return typed.strip()


def _refuse_folder(path: str) -> None:
    from rankproof.kernel.atomic import refuse

    refuse(path)


def _request(
    search: str, url: str | None, index: str | None, headers: Mapping[str, str], auth: str | None, body: str | None
) -> SearchRequest:
    from rankproof.cli.shared.first_config import request_of, server_request
    from rankproof.kernel.jsontext import from_json

    if search in ENGINES:
        if body is not None:
            raise UsageError(
                f"--body is for the address of an API. {search} gets its own; change it in the file later."
            )
        return server_request(search, url or "", index or "", headers, auth)
    if "://" not in search and not search.startswith("${"):
        from rankproof.kernel import shelf

        if search in shelf.everything("engines"):
            raise UsageError(
                f"init knows {', '.join(ENGINES)} and APIs that answer with JSON; {search} is none of them. "
                f"Its page has a configuration to begin with: rankproof explain {search}"
            )
        if "/" not in search and "." not in search:
            raise UnknownName("search engine", search, ENGINES)
        raise UsageError(f"{search!r} is no address. Write it with http:// or https://")
    if url is not None or index is not None:
        raise UsageError("--url and --index belong to an engine that is named. SEARCH is an address already.")
    return request_of(search, headers, None if body is None else from_json(body, "--body"), auth)


def _headers(texts: Sequence[str]) -> dict[str, str]:
    headers = {}
    for text in texts:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise UsageError(f"--header {text!r} is no header. Write it as 'Name: value'.")
        headers[name.strip()] = value.strip()
    return headers


def _fields(texts: Sequence[str]) -> dict[str, str]:
    fields = {}
    for text in texts:
        name, equals, path = text.partition("=")
        if not equals or not name.strip() or not path.strip():
            raise UsageError(f"--field {text!r} names no place. Write it as NAME=PATH, such as title=product.name")
        fields[name.strip()] = path.strip()
    return fields


def _first_query(path: str, words: str | None) -> Query:
    """The query that is asked; refused where the file has none, so that it is known to be readable."""
    from rankproof.reading.datasets.read import read_dataset

    every = read_dataset(path).asked_queries
    if not every:
        raise InputError(f"{path} has no query with text. A line of it may be: q1, a tab, and the words.")
    return every[0] if words is None else replace(every[0], text=words)


def _answered(request: SearchRequest, query: Query, depth: int) -> object:
    """The answer to one query; InputError that says what came instead, and what to do."""
    from rankproof.kernel.specs.tables import read_params
    from rankproof.stack.engines.contract import AskFailed
    from rankproof.stack.engines.http import PARAMS, Http
    from rankproof.stack.records import Ground

    values = read_params({**request.values, "hits": "@"}, PARAMS, "rankproof init", noun="option of http")
    engine = Http(values, Ground())
    try:
        return engine.answer(query, depth, TIMEOUT)
    except AskFailed as failed:
        raise InputError(f"{failed} {_remedy(failed.kind, str(failed))}") from None
    finally:
        engine.close()


def _saved(path: str) -> object:
    """The answer in a file."""
    from rankproof.kernel.jsontext import from_json
    from rankproof.reading.source import open_source

    answer: object = from_json(open_source(path).text(), path)
    return answer


def _remedy(kind: str, message: str) -> str:
    if kind == "not allowed":
        return (
            "It wants to know who asks: give --header 'Authorization: Bearer ${API_KEY}' or --auth 'user:${PASSWORD}', "
            "with the secret in that environment variable."
        )
    if kind in ("no connection", "timeout", "connection lost"):
        return "Is it running, and is this the address at which this machine reaches it?"
    if "with a page" in message:
        return "Name the address of the API itself, which answers with JSON, and not that of a page for people."
    if kind == "unreadable answer":
        return "rankproof reads answers that are JSON. Name an address that gives it."
    return "Check the address, its parameters and its method: a --body is sent by POST."


def _layout(
    request: SearchRequest, answer: object, hits: str | None, id_path: str | None, fields: Mapping[str, str]
) -> AnswerLayout:
    from rankproof.stack.answer_layout import complaint_of, guess_layout
    from rankproof.stack.engines.contract import AskFailed
    from rankproof.stack.engines.http import shape_of

    own = {"elasticsearch": "hits.hits", "opensearch": "hits.hits", "solr": "response.docs"}.get(request.server, "")
    ids = {"elasticsearch": "_id", "opensearch": "_id"}.get(request.server, "")
    try:
        layout = guess_layout(answer, hits or own, id_path or ids, fields)
        if request.server != "solr":
            return layout
        # Solr is asked for fields by their names.
        return replace(layout, fields={name: place.partition("[")[0] for name, place in layout.fields.items()})
    except InputError as error:
        why = complaint_of(answer)
        raise InputError(f"{error}" + (f" It says: {why}" if why else "")) from None
    except AskFailed as failed:
        raise InputError(f"{failed} The answer is {shape_of(answer)}.") from None


def _confirmed(request: SearchRequest, answer: object, layout: AnswerLayout) -> AnswerLayout:
    """The layout as somebody at the terminal has it: each place may be typed anew until it is right."""
    from rankproof.stack.answer_layout import FIELD_NAMES

    while True:
        click.echo("\n".join(_shown(layout, answer)), err=True)
        if click.confirm("Is this right?", default=True, err=True):
            return layout
        hits = click.prompt("List of hits in the answer", default=layout.hits, err=True)
        id_path = click.prompt("Id in a hit", default=layout.id, err=True)
        fields = {}
        for name in dict.fromkeys([*FIELD_NAMES, *layout.fields]):
            place = click.prompt(f"{name} in a hit (- for none)", default=layout.fields.get(name, "-"), err=True)
            if place.strip() not in ("", "-"):
                fields[name] = place.strip()
        try:
            again = _layout(request, answer, hits, id_path, fields)
            layout = replace(again, fields=fields)
            layout.read(answer, 1)
        except (InputError, UsageError) as error:
            click.echo(str(error), err=True)


def _refuse_wrong(config: FirstConfig) -> None:
    """Reads the configuration as every command will, before anything is written."""
    import tomllib

    from rankproof.stack.benchmark.config import config_of

    config_of(tomllib.loads(config.text()), config.path, os.path.dirname(config.path) or ".", config.name)


def _write(config: FirstConfig) -> None:
    """Both files, each whole."""
    from rankproof.kernel.atomic import replace_file

    replace_file(config.path, [config.text().encode()])
    replace_file(config.policy, [config.policy_text().encode()])


def _shown(layout: AnswerLayout, answer: object) -> list[str]:
    """The layout, and the first hits as it reads them."""
    places = {"hits": layout.hits, "id": layout.id, **layout.fields}
    lines = [f"  {name:<8} {place}" for name, place in places.items()]
    hits = layout.read(answer, SHOWN)
    lines += ["", "The first hits as they are read:"]
    for doc, fields in hits:
        lines.append(f"  {_short(doc)}")
        lines += [f"    {name:<8} {_short(text)}" for name, text in fields.items() if text]
    return [printable(line) for line in lines]


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= WIDEST else f"{line[: WIDEST - 3]}..."


def _text(config: FirstConfig, query: Query, answer: object) -> str:
    total = len(config.layout.read(answer, config.depth))
    lines = [printable(f"{query.text!r}: {counted(total, 'hit')}")]
    lines += _shown(config.layout, answer)
    lines += ["", *(f"Assumed: {one}." for one in config.request.assumed)]
    lines += [f"{config.path} and {config.policy} written. Look at them, then:"]
    lines += [f"  {one}" for one in config.next_commands()]
    return "\n".join(lines) + "\n"


def _json(config: FirstConfig, query: Query, answer: object) -> str:
    layout = config.layout
    body: dict[str, object] = {
        "config": config.path,
        "policy": config.policy,
        "query": query.text,
        "hits": layout.hits,
        "id": layout.id,
        "fields": dict(layout.fields),
        "first": [{"doc_id": doc, "fields": fields} for doc, fields in layout.read(answer, SHOWN)],
        "assumed": list(config.request.assumed),
        "next": list(config.next_commands()),
    }
    return document("first-config/1", body)
