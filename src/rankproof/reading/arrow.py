"""Arrow tables: the meaning of their columns; the core reads them without a copy in Python."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING

from rankproof.core import Rows
from rankproof.errors import InputError
from rankproof.kernel.libraries import library
from rankproof.reading.formats._gather import add_topic, id_text, named
from rankproof.reading.formats._table import by_name, column_notes, expected, topic_columns
from rankproof.reading.formats.contract import Noun, Read, Topics

if TYPE_CHECKING:
    from pyarrow import Table


def pyarrow(what: str, extra: str | None = None) -> ModuleType:
    """The library, or an error that says how to install it; `extra` as `install_line` takes it."""
    return library("pyarrow", what, extra)


def columns_of(names: Sequence[str], noun: Noun, source: str) -> tuple[dict[str, str], tuple[str, ...], bool]:
    """Which column of a table means what, notes about it, and whether lower scores are better."""
    columns = by_name(names, noun)
    if columns is None:
        needs = "qrels need" if noun == "qrels" else "a run needs"
        raise InputError(f"{source} has {_columns_in_words(names)}; {needs} {expected(noun)}. Rename the columns.")
    return named(names, columns), column_notes(names, columns, noun), columns.lower_is_better


def _columns_in_words(names: Sequence[str]) -> str:
    if not names:
        return "no columns"
    shown = ", ".join(f"{name!s:.40}" for name in names[:12])
    return f"the column {shown}" if len(names) == 1 else f"the columns {shown}"


def read_table(table: object, names: Sequence[str], noun: Noun, source: str) -> Read:
    """Rows of any object with `__arrow_c_stream__`, its columns found by name."""
    chosen, notes, lower_is_better = columns_of(names, noun, source)
    try:
        rows = Rows.from_arrow(table, **chosen)
    except (ValueError, TypeError, RuntimeError) as error:
        raise InputError(f"{source}: {error}.") from None
    return Read(rows, notes, lower_is_better)


def topics_from_arrow(table: Table, names: Sequence[str], source: str) -> Topics:
    """Topics of a pyarrow table, its columns found by name. The same text may stand in many rows."""
    at = topic_columns(names)
    if at is None:
        raise InputError(f"{source} has {_columns_in_words(names)}; topics need {expected('topics')}.")
    topics: Topics = {}
    queries, texts = (table.column(i).to_pylist() for i in at)
    for row, (query, text) in enumerate(zip(queries, texts, strict=True), start=1):
        where = f"{source}, row {row}"
        name = id_text(query, where)
        if not isinstance(text, str):
            raise InputError(f"{where}: found {text!r:.80} where the text of query {name!r:.80} should be.")
        if topics.get(name) != text:
            add_topic(topics, name, text, where)
    return topics
