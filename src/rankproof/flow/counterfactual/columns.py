"""Columns: which column of a log is what, as somebody said or as it is often called."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.rowstream import Batch

# What a column may be, and what it is often called; the first name that is there wins.
NAMES: Mapping[str, tuple[str, ...]] = {
    "query": ("query_id", "query"),
    "session": ("session", "session_id", "user_id", "user"),
    "propensity": ("propensity",),
    "action": ("action", "action_id", "variant", "list_id", "doc_id"),
    "reward": ("reward", "clicked", "click", "clicks"),
    "page": ("page", "page_id", "impression_id", "search_id", "request_id"),
    "doc": ("doc_id", "document_id", "item_id", "product_id"),
    "rank": ("rank", "position"),
    "clicked": ("clicked", "click"),
}


def read_columns(said: tuple[str, ...]) -> dict[str, str]:
    """Columns as typed: `doc=item`, one for each text."""
    found: dict[str, str] = {}
    for text in said:
        what, equals, name = text.partition("=")
        if not equals or not name:
            raise UsageError(f"A column is given as WHAT=NAME, such as doc=item; {text!r} came.")
        if what not in NAMES:
            raise UnknownName("column of a log", what, NAMES)
        if what in found:
            raise UsageError(f"The column of {what} is given twice: {found[what]} and {name}. Name it once.")
        found[what] = name
    return found


def all_names(said: Mapping[str, str]) -> tuple[str, ...]:
    """Every name that some column may have."""
    return tuple(dict.fromkeys([*said.values(), *(name for names in NAMES.values() for name in names)]))


def located(what: str, batch: Batch, said: Mapping[str, str]) -> str | None:
    """The name of a column, by a batch that has it; None where there is none. One that was named must be there."""
    if what in said:
        batch.values(said[what])  # the error where it is not there
        return said[what]
    return next((name for name in NAMES[what] if batch.has(name)), None)


def needed(what: str, batch: Batch, said: Mapping[str, str]) -> str:
    """The same, where there must be one."""
    found = located(what, batch, said)
    if found is None:
        raise InputError(
            f"{batch.source} has no column for {what}: it may be called {', '.join(NAMES[what])}, or say which it is "
            f"with --column {what}=NAME."
        )
    return found
