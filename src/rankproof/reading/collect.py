"""Collect: read any source into rows, and make a checked Run, Qrels or topics of them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.errors import InputError, UsageError
from rankproof.reading import detect
from rankproof.reading.arrow import has_pyarrow, pandas_frame, pyarrow, read_table, topics_from_arrow, topics_from_frame
from rankproof.reading.detect import SourceDescription
from rankproof.reading.formats._gather import add_topic, id_text
from rankproof.reading.formats._names import NO_CHOICE, ColumnChoice, chosen
from rankproof.reading.formats._nested import has_objects, is_table, read_list, read_mapping
from rankproof.reading.formats.contract import Collapse, Columns, Format, Noun, Read, Sure, Topics, Unmapped
from rankproof.reading.formats.jsonl import topic_of
from rankproof.reading.formats.trec import TREC
from rankproof.reading.hugging_face import is_dataset, unwrapped
from rankproof.reading.naming import is_list
from rankproof.reading.records import By, Order, Qrels, Run, order_of, requested_order
from rankproof.reading.source import STDIN, FileLike, Source, is_file_like, open_source, require_text

if TYPE_CHECKING:
    from rankproof.core import Rows


__all__ = [
    "Planned",
    "SourceDescription",
    "locate",
    "named_columns",
    "plan",
    "read_qrels",
    "read_rows",
    "read_run",
    "read_topics",
    "refuse_unknown",
    "run_of",
]  # fmt: skip

# Options that reading takes whatever the format; every other option must be one of the format's own.
GENERAL = ("order", "lower_is_better", "columns")
# The formats whose columns have names.
NAMED_COLUMNS = ("csv", "tsv", "json", "jsonl", "parquet")
NO_GRADES = "no grades: every named document counts as relevant (grade 1)"


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """A text that the core can read by itself: `description` has its layout and order."""

    source: Source
    description: SourceDescription


def plan(what: object, noun: Noun, format: str | None = None, **options: object) -> Planned | None:
    """How a text will be read; None for what must become rows first (JSON, Parquet, objects, nothing at all).

    The fast path: hand `source.whole` to the core with the layout and the order found here.
    """
    if not is_file_like(what):
        return None
    source, form = locate(what, noun, format, options.get("columns"))
    if form.plan is None or source.is_empty:
        return None
    return Planned(source, _plan(source, form, noun, options))


def locate(what: FileLike, noun: Noun, format: str | None = None, columns: object = None) -> tuple[Source, Format]:
    """The source and its format: by prefix, forced, or by content; `columns` as the caller named them."""
    if isinstance(what, str) and ":" in what and (named := detect.by_prefix(what)) is not None:
        return Source(what, b""), detect.by_name(named.name, noun)
    source = open_source(what)
    choice = NO_CHOICE if columns is None else chosen(columns, noun)
    tabular = detect.by_columns(source, noun, choice) if choice.named and format is None else None
    if format is not None:
        form = detect.by_name(format, noun)
    elif tabular is not None:
        form = tabular
    elif not source.is_empty:
        # Nearly every file is TREC text. Trying it first saves a small command from loading the whole shelf; no
        # other format is certain of what it is certain of (the shelf's contract test holds this).
        certain = noun in TREC.holds and TREC.detect(source, noun) == Sure.CERTAIN
        form = TREC if certain else detect.by_content(source, noun)
    elif noun == "topics":
        raise InputError(f"{source.name} is empty: it has no topics.")
    else:
        form = detect.by_name("trec", noun)  # an empty source is empty in any format; the checks report it
    if not form.binary:
        require_text(source)
    if choice.required and form.name not in NAMED_COLUMNS:
        raise UsageError(
            f"{source.name}: the format {form.name} has no named columns: none for it in --columns (Python: columns=)."
        )
    return source, form


def read_rows(what: object, noun: Noun, format: str | None = None, **options: object) -> tuple[Rows, SourceDescription]:
    """The rows of a run or qrels before any check, and a description of how they were read.

    Options: `order` (score, rank, given) and `lower_is_better` for runs, `columns` ({role: name}), and those of the
    format.
    """
    if not is_file_like(what):
        name = f"<{type(what).__name__}>"
        read, form_name = rows_of(what, noun, name, chosen(options.get("columns"), noun)), "python"
    else:
        source, form = locate(what, noun, format, options.get("columns"))
        if source.is_empty and not form.prefix:
            return _nothing(source, noun, options)
        if form.plan is not None:
            description = _plan(source, form, noun, options)
            assert description.layout is not None
            return _graded(description.layout.read(source), description)
        refuse_unknown(options, form)
        assert form.rows is not None  # the contract: a format that holds runs or qrels has a plan or rows
        read, name, form_name = form.rows(source, noun, options), source.name, form.name
        read = replace(read, notes=(*source.notes, *read.notes))
    rows = read.rows
    scored = not len(rows) or bool((rows.state != rows.ABSENT).any())
    ranked = bool((rows.rank != -1).any())
    order = order_of(name, scored, ranked, read.lower_is_better, options)
    empty = read.without_documents
    return _graded(
        rows, SourceDescription(name, noun, form_name, order, read.notes, unit=read.unit, without_documents=empty)
    )


def _graded(rows: Rows, description: SourceDescription) -> tuple[Rows, SourceDescription]:
    """Judgments that only name relevant documents: each has grade 1, and a note says so. Everything else as it is."""
    if description.noun != "qrels" or not len(rows) or bool((rows.state != rows.ABSENT).any()):
        return rows, description
    from rankproof.core import Rows as CoreRows

    graded = CoreRows.from_buffers(
        rows.query_ids, rows.query, rows.doc_data, rows.doc_start, np.ones(len(rows)),
        np.full(len(rows), rows.OK, dtype=np.uint8), rows.rank, rows.line, rows.labels, rows.label,
    )  # fmt: skip
    return graded, replace(description, notes=(*description.notes, NO_GRADES))


def _nothing(source: Source, noun: Noun, options: Mapping[str, object]) -> tuple[Rows, SourceDescription]:
    from rankproof.core import Rows

    by = requested_order(options.get("order") or "score")
    order = Order(by=by, lower_is_better=bool(options.get("lower_is_better")))
    return Rows.from_columns([], []), SourceDescription(source.name, noun, "none", order, ("nothing in it",))


def _plan(source: Source, form: Format, noun: Noun, options: Mapping[str, object]) -> SourceDescription:
    refuse_unknown(options, form)
    assert form.plan is not None
    text_plan = form.plan(source, noun, options)
    layout = text_plan.layout
    order = order_of(source.name, layout.number >= 0, layout.rank >= 0, text_plan.lower_is_better, options)
    narrow = replace(layout, most=layout.least) if layout.most == 0 and layout.least else None
    return SourceDescription(
        source.name, noun, form.name, order, (*source.notes, *text_plan.notes), text_plan.shape, "line", layout,
        None if narrow is None else lambda: narrow.read(source),
    )  # fmt: skip


def refuse_unknown(options: Mapping[str, object], form: Format) -> None:
    """Raises an error for an option that neither reading in general nor the format takes."""
    for name, value in options.items():
        if name not in GENERAL and name not in form.options and value is not None:
            detect.refuse_options([name], form)


def read_run(
    what: object,
    format: str | None = None,
    *,
    name: str | None = None,
    order: By | None = None,
    lower_is_better: bool | None = None,
    collapse: Collapse | None = None,
    unmapped: Unmapped | None = None,
    drop_self: bool = False,
    allow: Iterable[str] = (),
    **options: object,
) -> Run:
    """A run from a path, `-`, bytes, an open file, a dict, rows or a table; refused when checks find errors.

    order            score, rank or given; by default scores where there are any, else ranks, else as given
    lower_is_better  scores are distances
    collapse         chunks to documents: a separator such as '#', a mapping file, ... (reading/chunk_map.py)
    unmapped         chunks without a document: refuse, keep or drop
    drop_self        without the document whose id is the query's own
    allow            codes of checks whose errors are allowed
    """
    if isinstance(what, Run):
        request = {"order": order or what.order.by, "lower_is_better": lower_is_better}
        rule = order_of(what.name, what.scored, False, what.order.lower_is_better, request)
        rows, description = what.rows, SourceDescription(what.name, "run", "python", rule, what.notes)
        name = name or what.name
    else:
        from rankproof.reading.check import refuse

        rows, description = read_rows(what, "run", format, order=order, lower_is_better=lower_is_better, **options)
        refuse(
            rows, "run", description.source, allow,
            order=description.order, shape=description.shape, unit=description.unit,
        )  # fmt: skip
    from rankproof.reading.chunk_map import chunk_map

    by = None if collapse is None else chunk_map(collapse, unmapped)
    return run_of(rows, description, name=name, collapse=by, drop_self=drop_self)


def run_of(
    rows: Rows,
    description: SourceDescription,
    *,
    name: str | None = None,
    collapse: Collapse | None = None,
    drop_self: bool = False,
) -> Run:
    """The run in rows that checks have passed, in order."""
    from rankproof.reading import collapse as passages

    name = name or _name(rows, description.source)
    notes = list(description.notes)
    if drop_self:
        rows, note = passages.drop_self(rows)
        notes.append(note)
    if collapse is not None:
        rows, note = passages.collapse(rows, collapse, description.order, description.source)
        notes.append(note)
    run = Run.of(rows, description.order, name, tuple(notes))
    rows, note = passages.without_repeats(run.rows)
    return replace(run, rows=rows, notes=(*run.notes, note)) if note else run


def _name(rows: Rows, source: str) -> str:
    """The tag of the run when it has one, else the file's name without its endings."""
    labels = [label for label in rows.labels if label]
    if len(labels) == 1:
        return labels[0]
    return "run" if source.startswith("<") else os.path.basename(source).partition(".")[0] or "run"


def read_qrels(
    what: object,
    format: str | None = None,
    *,
    name: str | None = None,
    collapse: Collapse | None = None,
    unmapped: Unmapped | None = None,
    allow: Iterable[str] = (),
    **options: object,
) -> Qrels:
    """Qrels from anything that `read_run` takes; of collapsed chunks the best grade counts."""
    from rankproof.reading import collapse as passages

    if isinstance(what, Qrels):
        description = SourceDescription(
            what.name, "qrels", "python", Order(), what.notes, without_documents=what.without_documents
        )
        rows = what.rows
    else:
        from rankproof.reading.check import refuse

        rows, description = read_rows(what, "qrels", format, **options)
        refuse(rows, "qrels", description.source, allow, shape=description.shape, unit=description.unit)
    notes = list(description.notes)
    if collapse is not None:
        from rankproof.reading.chunk_map import chunk_map

        rows, note = passages.collapse(rows, chunk_map(collapse, unmapped), Order(), description.source, True)
        notes.append(note)
    rows, note = passages.without_repeats(rows, by_label=True)
    empty = description.without_documents
    return Qrels.of(rows, name or description.source, (*notes, note) if note else tuple(notes), empty)


def read_topics(what: object, format: str | None = None, **options: object) -> Topics:
    """Topics, query_id -> text, from a path, `-`, bytes, an open file, a dict, a list or a table."""
    if not is_file_like(what):
        name = f"<{type(what).__name__}>"
        topics = topics_of(what, name)
    else:
        source, form = locate(what, "topics", format)
        refuse_unknown(options, form)
        assert form.topics is not None  # the contract: a format that holds topics reads them
        topics, name = form.topics(source, options), source.name
    if not topics:
        raise InputError(f"{name} has no topics. Check that it is the right file.")
    return topics


def rows_of(what: object, noun: Noun, name: str, choice: ColumnChoice = NO_CHOICE) -> Read:
    """The rows of a Python value."""
    what = unwrapped(what)
    if isinstance(what, Mapping):
        return read_mapping(what, noun, name, choice)
    if is_list(what):
        return read_list(what, noun, name, choice)
    frame = pandas_frame(what)
    table, names = as_table(what if frame is None else frame)
    return read_table(table, names, noun, name, choice)


def named_columns(columns: Columns, qrels: object, runs: Iterable[object]) -> dict[str, Any]:
    """`columns` as an option of reading, if it was given; UsageError where no input has named columns."""
    if not columns:
        return {}
    if _has_columns(qrels, "qrels", columns) or any(_has_columns(run, "run", columns) for run in runs):
        return {"columns": columns}
    raise UsageError("--columns (in Python columns=): neither the judgments nor a run has named columns. Leave it out.")


def _has_columns(what: object, noun: Noun, columns: object) -> bool:
    if is_dataset(what):
        return True
    if is_file_like(what):
        return not isinstance(what, str | os.PathLike) or what == STDIN or _file_names_columns(what, noun, columns)
    if isinstance(what, Mapping):
        return is_table(what, noun, chosen(columns, noun)) or has_objects(what)
    if is_list(what):
        return any(isinstance(item, Mapping) for item in what)
    return hasattr(what, "columns") or hasattr(what, "schema")


def _file_names_columns(path: FileLike, noun: Noun, columns: object) -> bool:
    with suppress(InputError):  # it will be told when the file is read
        source, form = locate(path, noun, None, columns)
        return source.is_empty or form.name in NAMED_COLUMNS
    return True


def topics_of(what: object, name: str) -> Topics:
    """The topics of a Python value."""
    topics: Topics = {}
    what = unwrapped(what)
    if isinstance(what, Mapping):
        for query, text in what.items():
            if not isinstance(text, str):
                raise InputError(f"{name}: query {query!r:.80} has {text!r:.80} where its text should be.")
            add_topic(topics, id_text(query, name), text, name)
    elif is_list(what):
        for i, item in enumerate(what, start=1):
            where = f"{name}, row {i}"
            if isinstance(item, Mapping):
                add_topic(topics, *topic_of(item, where), where)
            elif is_list(item) and len(item) == 2 and isinstance(item[1], str):
                add_topic(topics, id_text(item[0], where), item[1], where)
            else:
                raise InputError(f"{where}: {item!r:.80} is not a topic. A topic is a query id and its text.")
    else:
        frame = pandas_frame(what)
        if frame is not None and not has_pyarrow():
            return topics_from_frame(frame, name)
        whole = pyarrow("A table of topics").table(as_table(what if frame is None else frame)[0])
        return topics_from_arrow(whole, whole.column_names, name)
    return topics


def as_table(what: object) -> tuple[object, list[str]]:
    """An object that gives an Arrow stream, and its column names; a pandas frame as it is where pyarrow is missing."""
    if hasattr(what, "read_all") and hasattr(what, "schema"):
        try:
            what = what.read_all()  # a stream of batches can be read once, and may be looked at twice
        except (ValueError, TypeError, RuntimeError, OSError) as error:
            raise InputError(f"<{type(what).__name__}>: {error}.") from None
    if not hasattr(what, "__arrow_c_stream__"):
        # Older pandas and DuckDB: no stream, but their own ways to Arrow.
        frame = pandas_frame(what)
        if frame is not None and not has_pyarrow():
            return frame, [str(name) for name in frame.columns]
        if frame is not None:
            what = pyarrow("A pandas frame").Table.from_pandas(frame, preserve_index=False)
        elif hasattr(what, "fetch_arrow_table"):
            what = what.fetch_arrow_table()
        else:
            raise UsageError(
                f"Cannot read a value of type {type(what).__name__}. Give a path, a dict, a list of rows, a table of "
                "pandas, polars, pyarrow or DuckDB, or a dataset of Hugging Face."
            )
    for attribute in ("column_names", "columns"):
        names = getattr(what, attribute, None)
        if names is not None and not callable(names) and all(isinstance(name, str) for name in names):
            return what, list(names)
    schema = getattr(what, "schema", None)
    if schema is not None and hasattr(schema, "names"):
        return what, list(schema.names)
    try:
        whole = pyarrow(f"A {type(what).__name__}").table(what)
    except (ValueError, TypeError, RuntimeError):  # a series or an array: one column without the other
        raise UsageError(
            f"A {type(what).__name__} is one column, and no table. Give a table with a column for the query and one "
            "for the document, or a dict by query: of pandas series.to_dict(), where the index is the query."
        ) from None
    return whole, whole.column_names
