"""Template: a request with placeholders, filled for one query; escaping is done where it belongs, not by hand.

{query} {query_id} {depth}   the words, the id, how many documents are wanted
{locale}                     a column of the query
{query:graphql}              a value of GraphQL: a text in quotes, escaped
${API_KEY}                   an environment variable
{{ and }}                    braces
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import quote, urlencode

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.secrets import Secrets
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import AskFailed

# One pass over the template: neither a query nor a secret that looks like a placeholder is filled in turn.
_MARK = re.compile(r"\$\{(?P<secret>[A-Za-z_]\w*)\}|\{\{|\}\}|\{(?P<name>[A-Za-z_][\w-]*)(?P<graphql>:graphql)?\}")
_GRAPHQL = re.compile(r"\s*(query\b|\{\s*[A-Za-z_])")
_FORM = re.compile(r"\{(query|query_id|depth|vector):(\w+)\}")


def known_of(query: Query, depth: int) -> dict[str, object]:
    """What placeholders may stand for."""
    return {**query.columns, "query": query.text, "query_id": query.query_id, "depth": depth}


def names_in(template: object) -> set[str]:
    """The placeholders of a template, wherever in it they stand."""
    if isinstance(template, str):
        return {mark["name"] for mark in _MARK.finditer(template) if mark["name"]}
    if isinstance(template, Mapping):
        return {name for pair in template.items() for part in pair for name in names_in(part)}
    return {name for part in template for name in names_in(part)} if isinstance(template, list | tuple) else set()


def fill(template: str, known: Mapping[str, object], secrets: Secrets, escape: Callable[[str], str] = str) -> str:
    """The text with every placeholder replaced; `escape` is for what comes from the query."""

    def replaced(mark: re.Match[str]) -> str:
        if mark["secret"]:
            return secrets[mark["secret"]]
        if mark["name"]:
            return escape(_text(_value(mark["name"], known), mark["graphql"] is not None))
        return mark[0][0]

    return _MARK.sub(replaced, template)


def fill_url(url: str, params: Mapping[str, str], known: Mapping[str, object], secrets: Secrets) -> str:
    """The URL with its parameters, percent-encoded."""
    full = fill(url, known, secrets, lambda text: quote(text, safe="", errors="surrogateescape"))
    pairs = [(fill(name, known, secrets), fill(text, known, secrets)) for name, text in params.items()]
    if not pairs:
        return full
    return f"{full}{'&' if '?' in full else '?'}{urlencode(pairs, errors='surrogateescape')}"


def fill_json(template: object, known: Mapping[str, object], secrets: Secrets) -> object:
    """The JSON value. A text that is one placeholder becomes its value, so that "{depth}" is a number."""
    if isinstance(template, str):
        whole = _MARK.fullmatch(template)
        if whole and whole["name"] and not whole["graphql"]:
            return _value(whole["name"], known)
        return fill(template, known, secrets)
    if isinstance(template, Mapping):
        return {fill(name, known, secrets): fill_json(inner, known, secrets) for name, inner in template.items()}
    return [fill_json(inner, known, secrets) for inner in template] if isinstance(template, list | tuple) else template


def refuse_unquoted(who: str, template: object) -> None:
    """UsageError where the words of a query could end a text of GraphQL, and say something else to the server.

    In a request of GraphQL a placeholder is {query:graphql}, which makes its own quotes; numbers need none. A variable
    of the request ("variables": {"q": "{query}"}) is JSON, and needs nothing.
    """
    if isinstance(template, Mapping):
        for part in template.values():
            refuse_unquoted(who, part)
    elif isinstance(template, list | tuple):
        for part in template:
            refuse_unquoted(who, part)
    elif isinstance(template, str):
        _refuse_unquoted_text(who, template)


def _refuse_unquoted_text(who: str, text: str) -> None:
    for mark in _FORM.finditer(text):
        if mark[2] != "graphql":
            raise UnknownName(f"form of a placeholder, as in {mark[0]} ({who}),", mark[2], ["graphql"])
    marks = [mark for mark in _MARK.finditer(text) if mark["name"]]
    for mark in marks:
        if not mark["graphql"]:
            continue
        quotes = re.findall(r'\\.|"', text[: mark.start()], re.DOTALL).count('"')
        after = text[mark.end() :]
        if quotes % 2 or after.startswith('"') or any(other.start() == mark.end() for other in marks):
            raise UsageError(
                f"{who}: {mark[0]} makes its own quotes and stands within or beside others. Write it without quotes, "
                f"with a blank or a comma around it: (query: {mark[0]})."
            )
    bare = _MARK.sub(lambda mark: mark[0][0] if mark[0] in ("{{", "}}") else "", text)
    if "{" not in bare or not _GRAPHQL.match(bare):
        return
    for mark in marks:
        if not mark["graphql"] and mark["name"] not in ("depth", "vector"):
            name = mark["name"]
            raise UsageError(
                f"{who}: {mark[0]} stands in a request of GraphQL, where a quote in it would end the text that it is "
                f"in. Write {{{name}:graphql}}, without quotes around it, or send it as a variable: "
                f'"variables": {{"{name}": "{{{name}}}"}}. Braces that are no placeholder have a blank, or are doubled.'
            )


def _text(value: object, graphql: bool) -> str:
    """The value within a text: numbers and vectors as JSON has them; a text as it is, or as GraphQL has it."""
    return value if isinstance(value, str) and not graphql else to_json(value)


def _value(name: str, known: Mapping[str, object]) -> object:
    if name not in known:
        raise AskFailed(
            "missing column",
            f"The request names {{{name}}}, and this query has no such column. It has: {', '.join(sorted(known))}.",
            again=False,
        )
    return known[name]
