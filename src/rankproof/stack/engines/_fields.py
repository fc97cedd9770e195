"""Fields that a configuration names, held against those that a server's index has: a wrong name finds nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from typing import Final

from rankproof.errors import UnknownName
from rankproof.stack.engines.contract import AskFailed

NO_SUCH_FIELD: Final = "no such field"
# A message names so many fields at most.
MOST_FIELDS = 20


def names_of(fields: str | None) -> list[str]:
    """The names in a text of fields with weights.

    >>> names_of("title^3 text")
    ['title', 'text']
    """
    return [part.partition("^")[0] for part in (fields or "").split()]


def unknown_field(what: str, asked: Iterable[str], known: Collection[str], patterns: Iterable[str] = ()) -> str:
    """What to say of the first name that is none of the known ones; "" where all are.

    what       "field of the index 'shop'"
    patterns   names with * that the index takes besides; * in an asked name stands for any letters too

    >>> unknown_field("field of the index 'shop'", ["titel"], ["text", "title"])
    "No field of the index 'shop' is called 'titel'. Did you mean 'title'? There are: text, title."
    >>> unknown_field("field of the index 'shop'", ["name_t", "t*"], ["text"], ["*_t"])
    ''
    """
    patterns = tuple(patterns)
    for name in asked:
        if name in known or any(fnmatchcase(name, pattern) for pattern in patterns):
            continue
        if "*" in name and any(fnmatchcase(field, name) for field in known):
            continue
        if not known:
            return f"No {what} is called {name!r}: it has none."
        unknown = UnknownName(what, name, known)
        there = sorted({*known, *patterns})
        more = f" and {len(there) - MOST_FIELDS:,} more" if len(there) > MOST_FIELDS else ""
        listed = (
            "" if "Known: " in str(unknown) and not patterns else f" There are: {', '.join(there[:MOST_FIELDS])}{more}."
        )
        return f"{unknown}{listed}"
    return ""


def told_of_fields(failed: AskFailed, wrong: Callable[[], str]) -> AskFailed:
    """A failure; where a field is what is wrong, one that names the field. What cannot be looked up changes nothing."""
    if failed.kind not in ("refused", "missing ids"):
        return failed
    try:
        why = wrong()
    except AskFailed:
        return failed
    return AskFailed(NO_SUCH_FIELD, why, again=False) if why else failed


def mapped_fields(mapping: Mapping[str, object], before: str = "") -> Iterator[str]:
    """The fields of a mapping of OpenSearch or Elasticsearch, those inside of others with a dot; patterns end in .*"""
    for part in ("properties", "fields", "runtime", "derived"):
        inner = mapping.get(part)
        for name, field in inner.items() if isinstance(inner, Mapping) else ():
            path = f"{before}{name}"
            if not isinstance(field, Mapping):
                continue
            kind = field.get("type", "object")
            if kind not in ("object", "nested"):
                yield path
            if kind in ("flattened", "flat_object", "join", "search_as_you_type"):
                yield f"{path}.*"
            yield from mapped_fields(field, f"{path}.")
            if kind == "passthrough":  # its fields may be named without it
                yield from mapped_fields(field)


def analyzers_of(index: Mapping[str, object], asked: Collection[str]) -> Iterator[str]:
    """The analyzers of the text fields of an index of OpenSearch or Elasticsearch that are asked, * for any letters.

    >>> fields = {"title": {"type": "text", "analyzer": "english"}, "sku": {"type": "keyword"}, "a": {"type": "text"}}
    >>> list(analyzers_of({"mappings": {"properties": fields}}, ["*"]))
    ['english', 'standard']
    """
    settings = index.get("settings")
    for part in ("index", "analysis", "analyzer"):
        settings = settings.get(part) if isinstance(settings, Mapping) else None
    usual = "default" if isinstance(settings, Mapping) and "default" in settings else "standard"
    yield from _analyzers(index.get("mappings"), asked, usual, "")


def _analyzers(mapping: object, asked: Collection[str], usual: str, before: str) -> Iterator[str]:
    for part in ("properties", "fields"):
        inner = mapping.get(part) if isinstance(mapping, Mapping) else None
        for name, field in inner.items() if isinstance(inner, Mapping) else ():
            path = f"{before}{name}"
            if not isinstance(field, Mapping):
                continue
            if field.get("type") == "text" and any(fnmatchcase(path, one) for one in asked):
                yield str(field.get("search_analyzer") or field.get("analyzer") or usual)
            yield from _analyzers(field, asked, usual, f"{path}.")
