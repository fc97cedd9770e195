"""Tables in memory: the meaning of their columns. The core reads Arrow without a copy in Python.

A pandas frame goes through Arrow too where pyarrow is installed, and row by row where it is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

from rankproof.core import Rows
from rankproof.errors import InputError
from rankproof.kernel.libraries import library
from rankproof.reading.formats._gather import add_topic, id_text, named, refuse_list_in_text
from rankproof.reading.formats._names import (
    NO_CHOICE,
    ColumnChoice,
    by_name,
    column_notes,
    expected,
    no_columns,
    topic_columns,
)
from rankproof.reading.formats._nested import read_columns
from rankproof.reading.formats.contract import TOLD, Noun, Read, Topics
from rankproof.reading.naming import is_many

if TYPE_CHECKING:
    from pyarrow import Table

# What the core says of a column that it has no reader for.
_OTHER_TYPE = "is of Arrow type"


def pyarrow(what: str, extra: str | None = None) -> ModuleType:
    """The library, or an error that says how to install it; `extra` as `install_line` takes it."""
    return library("pyarrow", what, extra)


def columns_of(
    names: Sequence[str], noun: Noun, source: str, choice: ColumnChoice = NO_CHOICE
) -> tuple[dict[str, str], tuple[str, ...], bool]:
    """Which column of a table means what, notes about it, and whether lower scores are better."""
    columns = by_name(names, noun, choice)
    if columns is None:
        raise no_columns(names, noun, choice, source)
    if columns.doubt:
        raise InputError(f"{source}: {columns.doubt}")
    return named(names, columns), column_notes(names, columns, noun), columns.lower_is_better


def _columns_in_words(names: Sequence[str]) -> str:
    if not names:
        return "no columns"
    shown = ", ".join(f"{name!s:.40}" for name in names[:12])
    return f"the column {shown}" if len(names) == 1 else f"the columns {shown}"


def read_table(table: object, names: Sequence[str], noun: Noun, source: str, choice: ColumnChoice = NO_CHOICE) -> Read:
    """Rows of any object with `__arrow_c_stream__`, its columns found by name.

    Lists of documents, yes and no as grades, ids that are floats (whole numbers in a column that had a gap), 16-bit
    floats, decimals, numbers beyond 64 bits, and frames of pandas without pyarrow are read as Python values.
    """
    columns, notes, lower_is_better = columns_of(names, noun, source, choice)
    try:
        if pandas_frame(table) is not None and not has_pyarrow():
            raise ImportError("pandas needs pyarrow to give an Arrow stream")
        rows = Rows.from_arrow(table, **columns)
    except (ValueError, TypeError, RuntimeError, ImportError, OverflowError) as error:
        number = columns.get("number")  # one that is no number is for the checks to name; an id has no such value
        wanted = [*columns.values(), *({"scores"} & {*names} - {*columns.values()})]
        try:
            values = {name: _values(table, names.index(name), name, keep_nan=name == number) for name in wanted}
        except (ValueError, TypeError, RuntimeError):  # nothing that can be read in any way
            raise InputError(f"{source}: {error}.") from None
        if not isinstance(error, ImportError | OverflowError) and not _only_python(values, columns, noun):
            odd = _odd_column(values, columns) if str(error).startswith(_OTHER_TYPE) else None
            if odd is not None or not str(error).startswith(_OTHER_TYPE):
                raise InputError(f"{source}: {odd or ''}{error}.") from None
        read = read_columns(values, noun, source, choice)
        told = tuple(note for note in read.notes if note.startswith(TOLD))
        return Read(read.rows, (*notes, *told), lower_is_better, read.unit, read.without_documents)
    if len(rows):
        refuse_list_in_text(rows.doc_id(0), f"{source}, {columns['doc']!r:.40}")
    return Read(rows, notes, lower_is_better)


def _values(table: object, at: int, name: str, keep_nan: bool) -> list[object]:
    """A column as a list of Python values."""
    frame = pandas_frame(table)
    if frame is not None:
        return _python_values(frame, at, keep_nan)
    own = type(table).__module__.partition(".")[0] in ("polars", "pyarrow") and hasattr(table, "__getitem__")
    column = cast("Mapping[str, Iterable[object]]", table if own else pyarrow("A table").table(table))[name]
    for method in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, method):
            values: list[object] = getattr(column, method)()
            return values
    return list(column)


def _only_python(values: Mapping[str, Sequence[object]], columns: Mapping[str, str], noun: Noun) -> bool:
    """Whether a table holds what the core does not read: documents in lists, or grades that are True and False."""
    documents = (value for value in values[columns["doc"]] if value is not None)
    if is_many(next(documents, None)):
        return True
    numbers = values[columns["number"]] if "number" in columns and noun == "qrels" else ()
    return bool(numbers) and all(isinstance(value, bool) for value in numbers)


def _odd_column(values: Mapping[str, Sequence[object]], columns: Mapping[str, str]) -> str | None:
    """The first column that holds no ids or numbers, with a value of it, as a message begins; None where all do.

    An id may be a float that is a whole number, as pandas keeps whole numbers beside a gap.
    """
    for role in ("query", "doc", "number"):
        for value in values[columns[role]] if role in columns else ():
            if not _fits(value, role):
                return f"the column {columns[role]!r:.40} (such as {value!r:.60}) "
    return None


def _fits(value: object, role: str) -> bool:
    if value is None or isinstance(value, str):
        return True
    if isinstance(value, bool | int):
        return not isinstance(value, bool)
    if role == "number":
        return isinstance(value, float) or type(value).__name__ == "Decimal"
    return isinstance(value, float) and value.is_integer()


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
