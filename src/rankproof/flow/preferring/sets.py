"""Query sets: all queries of a project, or those with one value in a column; queries that were typed are apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from rankproof.errors import UnknownName
from rankproof.flow.segments import MOST_SEGMENTS
from rankproof.records.collection import Query

TYPED = "typed"
_PREFIX = "typed:"


@dataclass(frozen=True, slots=True)
class QuerySet:
    """Some queries of a project. `key` names the set in an address; `words` name it to people."""

    key: str
    words: str
    queries: tuple[Query, ...]


def typed_query(text: str, known: Sequence[Query]) -> Query:
    """What somebody typed: a query of the project with these very words, or a new one whose id is made of them."""
    words = " ".join(text.split())
    for query in known:
        if query.text == words:
            return query
    return Query(f"{_PREFIX}{sha256(words.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}", words)


def query_sets(queries: Sequence[Query]) -> tuple[QuerySet, ...]:
    """All queries first, then one set for each value of each column with few values, then what was typed."""
    own = tuple(query for query in queries if not query.query_id.startswith(_PREFIX))
    typed = tuple(query for query in queries if query.query_id.startswith(_PREFIX))
    found = [QuerySet("", "All queries", own)]
    for column in dict.fromkeys(name for query in own for name in query.columns):
        values = sorted({query.columns[column] for query in own if query.columns.get(column)})
        if len(values) > MOST_SEGMENTS:
            continue
        found += [
            QuerySet(
                f"{quote(column)}={quote(value)}",
                f"{column}: {value}",
                tuple(query for query in own if query.columns.get(column) == value),
            )
            for value in values
        ]
    return (*found, QuerySet(TYPED, "Typed queries", typed)) if typed else tuple(found)


def find_set(sets: Sequence[QuerySet], key: str) -> QuerySet:
    """The set with this key."""
    for one in sets:
        if one.key == key:
            return one
    raise UnknownName("query set", key, [one.key for one in sets if one.key] or ["all queries"])
