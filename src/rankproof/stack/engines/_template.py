"""Template: a request with placeholders, filled for one query; escaping is done where it belongs, not by hand.

{query} {query_id} {depth}   the words, the id, how many documents are wanted
{locale}                     a column of the query
${API_KEY}                   an environment variable
{{ and }}                    braces
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from urllib.parse import quote, urlencode

from rankproof.kernel.secrets import Secrets
from rankproof.reading.collection import Query
from rankproof.stack.engines.contract import AskFailed

# One pass over the template: neither a query nor a secret that looks like a placeholder is filled in turn.
_MARK = re.compile(r"\$\{(?P<secret>[A-Za-z_]\w*)\}|\{\{|\}\}|\{(?P<name>[A-Za-z_][\w-]*)\}")


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
            return escape(str(_value(mark["name"], known)))
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
        if whole and whole["name"]:
            return _value(whole["name"], known)
        return fill(template, known, secrets)
    if isinstance(template, Mapping):
        return {fill(name, known, secrets): fill_json(inner, known, secrets) for name, inner in template.items()}
    return [fill_json(inner, known, secrets) for inner in template] if isinstance(template, list | tuple) else template


def _value(name: str, known: Mapping[str, object]) -> object:
    if name not in known:
        raise AskFailed(
            "missing column",
            f"The request names {{{name}}}, and this query has no such column. It has: {', '.join(sorted(known))}.",
            again=False,
        )
    return known[name]
