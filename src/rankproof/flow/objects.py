"""Objects: Python values as rows. Dicts, lists, and tables of pandas, polars, pyarrow or DuckDB."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.formats._arrow import pyarrow, read_table, read_topics
from rankproof.formats._contract import Noun, Read, Topics
from rankproof.formats._gather import add_topic, id_text
from rankproof.formats._nested import is_list, read_list, read_mapping
from rankproof.formats.jsonl import topic_of


def rows_of(what: Any, noun: Noun, name: str) -> Read:
    """The rows of a Python value."""
    if isinstance(what, Mapping):
        return read_mapping(what, noun, name)
    if is_list(what):
        return read_list(what, noun, name)
    table, names = as_table(what)
    return read_table(table, names, noun, name)


def topics_of(what: Any, name: str) -> Topics:
    """The topics of a Python value."""
    found: Topics = {}
    if isinstance(what, Mapping):
        for query, text in what.items():
            if not isinstance(text, str):
                raise InputError(f"{name}: query {query!r:.80} has {text!r:.80} where its text should be.")
            add_topic(found, id_text(query, name), text, name)
        return found
    if is_list(what):
        for i, item in enumerate(what, start=1):
            where = f"{name}, row {i}"
            if isinstance(item, Mapping):
                add_topic(found, *topic_of(item, where), where)
            elif is_list(item) and len(item) == 2 and isinstance(item[1], str):
                add_topic(found, id_text(item[0], where), item[1], where)
            else:
                raise InputError(f"{where}: {item!r:.80} is not a topic. A topic is a query id and its text.")
        return found
    table, _ = as_table(what)
    whole = pyarrow("A table of topics").table(table)
    return read_topics(whole, whole.column_names, name)


def as_table(what: Any) -> tuple[Any, list[str]]:
    """An object that gives an Arrow stream, and its column names."""
    if not hasattr(what, "__arrow_c_stream__"):
        # Older pandas and DuckDB: no stream, but their own ways to Arrow.
        if type(what).__module__.partition(".")[0] == "pandas" and hasattr(what, "columns"):
            what = pyarrow("A pandas frame").Table.from_pandas(what, preserve_index=False)
        elif hasattr(what, "fetch_arrow_table"):
            what = what.fetch_arrow_table()
        else:
            raise UsageError(
                f"Cannot read a value of type {type(what).__name__}. Give a path, a dict, a list of rows, or a "
                "table of pandas, polars, pyarrow or DuckDB."
            )
    for attribute in ("column_names", "columns"):
        names = getattr(what, attribute, None)
        if names is not None and not callable(names) and all(isinstance(name, str) for name in names):
            return what, list(names)
    schema = getattr(what, "schema", None)
    if schema is not None and hasattr(schema, "names"):
        return what, list(schema.names)
    whole = pyarrow(f"A {type(what).__name__}").table(what)
    return whole, whole.column_names
