"""Tables in Arrow's memory: which columns mean what, handed to the core without a copy in Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.core import Rows
from rankproof.errors import InputError, MissingExtra
from rankproof.reading.formats import _columns
from rankproof.reading.formats._gather import add_topic, id_text, named
from rankproof.reading.formats.contract import Noun, Read, Topics


def pyarrow(what: str) -> Any:
    """The library, or an error that says how to install it."""
    try:
        import pyarrow as library
    except ModuleNotFoundError:
        raise MissingExtra(what, "pyarrow", "arrow") from None
    return library


def columns_of(names: Sequence[str], noun: Noun, source: str) -> tuple[dict[str, str], tuple[str, ...], bool]:
    """Which column of a table means what, what was decided, in words, and whether lower scores are better."""
    columns = _columns.by_name(names, noun)
    if columns is None:
        shown = ", ".join(f"{name!s:.40}" for name in names[:12]) or "none"
        raise InputError(
            f"{source}: the columns are {shown}; {noun} need {_columns.expected(noun)}. Rename the columns."
        )
    return named(names, columns), _columns.said(names, columns, noun), columns.lower_is_better


def read_table(table: Any, names: Sequence[str], noun: Noun, source: str) -> Read:
    """Rows of any object with `__arrow_c_stream__`, its columns found by name."""
    chosen, notes, lower_is_better = columns_of(names, noun, source)
    try:
        rows = Rows.from_arrow(table, **chosen)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"{source}: {error}.") from None
    return Read(rows, notes, lower_is_better)


def topics_from_arrow(table: Any, names: Sequence[str], source: str) -> Topics:
    """Topics of a pyarrow table, its columns found by name. The same text may stand in many rows."""
    at = _columns.topic_columns(names)
    if at is None:
        shown = ", ".join(f"{name!s:.40}" for name in names[:12]) or "none"
        raise InputError(f"{source}: the columns are {shown}; topics need {_columns.expected('topics')}.")
    found: Topics = {}
    queries, texts = (table.column(i).to_pylist() for i in at)
    for row, (query, text) in enumerate(zip(queries, texts, strict=True), start=1):
        where = f"{source}, row {row}"
        name = id_text(query, where)
        if not isinstance(text, str):
            raise InputError(f"{where}: found {text!r:.80} where the text of query {name!r:.80} should be.")
        if found.get(name) != text:
            add_topic(found, name, text, where)
    return found
