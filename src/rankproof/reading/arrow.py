"""Tables in memory: the meaning of their columns. The core reads Arrow without a copy in Python.

A pandas frame goes through Arrow too where pyarrow is installed, and row by row where it is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

from rankproof.core import Rows
from rankproof.errors import InputError
from rankproof.kernel.libraries import library
from rankproof.reading.formats._gather import add_topic, gather_records, id_text, named
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
    queries, texts = (table.column(i).to_pylist() for i in _topic_places(names, source))
    return _topics(queries, texts, source)


def _topic_places(names: Sequence[str], source: str) -> tuple[int, int]:
    at = topic_columns(names)
    if at is None:
        raise InputError(f"{source} has {_columns_in_words(names)}; topics need {expected('topics')}.")
    return at


def _topics(queries: Sequence[object], texts: Sequence[object], source: str) -> Topics:
    topics: Topics = {}
    for row, (query, text) in enumerate(zip(queries, texts, strict=True), start=1):
        where = f"{source}, row {row}"
        name = id_text(query, where)
        if not isinstance(text, str):
            raise InputError(f"{where}: found {text!r:.80} where the text of query {name!r:.80} should be.")
        if topics.get(name) != text:
            add_topic(topics, name, text, where)
    return topics


# ---- pandas -----------------------------------------------------------------------------------------


def pandas_frame(what: object) -> Any | None:
    """The value as a pandas frame whose named index levels are columns too; None where it is no frame of pandas."""
    kinds = [(kind.__module__.partition(".")[0], kind.__name__) for kind in type(what).__mro__]
    if ("pandas", "DataFrame") not in kinds:
        return None
    frame: Any = what
    levels = [name for name in frame.index.names if name is not None and name not in frame.columns]
    return frame.reset_index(level=levels) if levels else frame


def has_pyarrow() -> bool:
    """Whether pyarrow is installed."""
    from importlib.util import find_spec

    try:
        return find_spec("pyarrow") is not None
    except ModuleNotFoundError:
        return False


def read_frame(frame: Any, noun: Noun, source: str) -> Read:
    """Rows of a pandas frame without Arrow; the same rows, slower."""
    names = [str(name) for name in frame.columns]
    chosen, notes, lower_is_better = columns_of(names, noun, source)
    # A number that is no number is for the checks to name; an id that is missing has no name.
    columns = {
        name: _python_values(frame, names.index(name), keep_nan=role == "number") for role, name in chosen.items()
    }
    records = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    read = gather_records(((0, record) for record in records), noun, source)
    return Read(read.rows, notes, lower_is_better, read.unit)


def topics_from_frame(frame: Any, source: str) -> Topics:
    """Topics of a pandas frame without Arrow."""
    at = _topic_places([str(name) for name in frame.columns], source)
    queries, texts = (_python_values(frame, i) for i in at)
    return _topics(queries, texts, source)


def _python_values(frame: Any, at: int, keep_nan: bool = False) -> list[Any]:
    """A column as Python's own values, None where pandas has none; `keep_nan` where NaN is a value of a number."""
    column = frame.iloc[:, at]
    return [
        None if gone and not (keep_nan and isinstance(value, float)) else value
        for value, gone in zip(column.tolist(), column.isna().tolist(), strict=True)
    ]
