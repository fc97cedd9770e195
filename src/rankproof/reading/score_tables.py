"""Score tables: one system's values by unit (a query, a task, a user), from any tool that writes a table.

A table has a column that names the unit and a column for each score. Files are CSV, TSV or JSON lines (one object a
unit, or a JSON list of them); from Python also data frames, lists of dicts, {unit: {score: value}} and {unit: value}.

Doubt ends here: a cell is a number, true or false, or missing (empty, null, NaN), and what else stands in a score
column is refused with its place. A unit that occurs twice is refused too, unless repetitions were announced.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.hugging_face import unwrapped
from rankproof.reading.score_cells import (
    LARGEST,
    cell_shown,
    cell_text,
    column_numbers,
    is_too_large,
    share_of_numbers,
)  # fmt: skip
from rankproof.reading.segments import delimited, refuse_two_of_a_name
from rankproof.reading.source import FileLike, is_file_like, require_text

# What the column of the unit may be called, the likeliest first.
UNIT_COLUMNS = (
    "unit", "unit_id", "query_id", "query-id", "qid", "question_id", "task_id", "example_id", "sample_id", "user_id",
    "topic_id", "topic", "id", "_id", "query", "question", "user_input", "input",
)  # fmt: skip
# What pandas writes over the numbers of rows, in a file and back from it: no score.
ROW_NUMBERS = re.compile(r"|Unnamed: \d+")
# How many names a note or an error gives before it only counts.
FEW = 5


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """One system: `values[score]` has a value for each row, NaN where it is missing; `unit[row]` is its unit.

    name      the system's
    unit_ids  the units, in order of first appearance
    notes     what was taken for what
    about     columns that say something about units, by unit: {unit: {column: text}}
    texts     columns that were not taken for scores: the first cell that is no number, and the share of those that are
    told      those of the notes that the format of another tool's records gave: what its scores are, what was left out
    """

    name: str
    unit_ids: tuple[str, ...]
    unit: NDArray[np.int64]
    values: Mapping[str, NDArray[np.float64]]
    notes: tuple[str, ...] = ()
    about: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    texts: Mapping[str, tuple[str, float]] = field(default_factory=dict)
    told: tuple[str, ...] = ()

    @property
    def repeats(self) -> NDArray[np.int64]:
        """How many rows each unit has."""
        return np.bincount(self.unit, minlength=len(self.unit_ids))

    def __repr__(self) -> str:
        scores = ", ".join(self.values)
        return f"<scores of {self.name}: {counted(len(self.unit_ids), 'unit')}, {scores}>"


def read_score_table(
    what: object,
    *,
    name: str | None = None,
    unit: str | None = None,
    scores: Iterable[str] | None = None,
    repeats: bool = False,
    called: str = "",
    about: Sequence[str] = (),
    format: str | None = None,
) -> ScoreTable:
    """The table of one system.

    unit      the column of the unit; by default the first that has one of the usual names
    scores    the columns that count; by default every one that holds numbers
    repeats   whether a unit may occur several times: it was asked several times
    called    what messages call the table; its path by default
    about     columns that are no scores and say something about a unit: its weight, its cluster
    format    the format of another tool's records, with its options, as in `mteb(split=test)`; found by content
    """
    table = score_rows(what, format)
    rows, told, source = table.rows, table.notes, called or table.source
    if not rows:
        raise InputError(f"{source} has no rows. Give a header and one row for each unit.")
    columns = tuple(dict.fromkeys(column for row in rows for column in row))
    named = _unit_column(columns, unit, source)
    ids, places = _units(rows, named, source, repeats)
    wanted = None if scores is None else named_scores(scores, columns, f"column of {source}", named)
    values: dict[str, NDArray[np.float64]] = {}
    texts: dict[str, int | None] = {}
    free = [column for column in columns if column not in (named, *about) and not ROW_NUMBERS.fullmatch(column)]
    for column in wanted or free:
        read, wrong = column_numbers(rows, column)
        if wrong is None and not np.isnan(read).all():
            values[column] = read
        elif wanted is not None or (wrong is not None and is_too_large(rows[wrong].get(column))):
            raise _no_score(source, column, named, rows, wrong)
        else:
            texts[column] = wrong
    if not values:
        cells = [cell_shown(rows, column, wrong) for column, wrong in texts.items()] or ["it is the only column"]
        raise InputError(
            f"{source} has no column of numbers beside {named!r}: {_some(cells)}. A score is a finite number (0.5: a "
            "decimal point, no % and no separators of thousands), true or false, or nothing where it is missing."
        )
    own = tuple(f"{name or source}: {note}" for note in told)
    notes = list(own)
    notes += [f"{name or source}: units are the column {named!r}"] if unit is None and not told else []
    notes += [f"{name or source}: not taken for scores: {_some(list(texts))}"] if texts else []
    about_unit = _about(rows, ids, places, [column for column in about if column in columns], source)
    left = {
        column: (cell_shown(rows, column, wrong), share_of_numbers(rows, column)) for column, wrong in texts.items()
    }
    return ScoreTable(name or stem(source), ids, places, values, tuple(notes), about_unit, left, own)


def _about(
    rows: Sequence[Mapping[str, Any]],
    ids: Sequence[str],
    places: NDArray[np.int64],
    columns: Sequence[str],
    source: str,
) -> dict[str, dict[str, str]]:
    """What columns say about each unit: the same in all of its rows that say anything."""
    told: dict[str, dict[str, str]] = {unit: {} for unit in ids} if columns else {}
    for number, (row, place) in enumerate(zip(rows, places.tolist(), strict=True), 1):
        for column in columns:
            text = cell_text(row.get(column))
            before = told[ids[place]].setdefault(column, text) or text
            if text and before != text:
                raise InputError(
                    f"{source}, row {number}: {column!r} is {text!r} for the unit {ids[place]!r}, and was {before!r} "
                    "before. It is about the unit: give all of its rows the same."
                )
            told[ids[place]][column] = before
    return told


def named_scores(scores: Iterable[str], columns: Sequence[str], kind: str, unit: str = "") -> tuple[str, ...]:
    """The columns that texts name: each text one column, or several with blanks or commas between them."""
    names: list[str] = []
    for text in scores:
        words = [text] if text in columns else text.replace(",", " ").split()
        for word in words or [text]:
            if word not in columns:
                raise UnknownName(kind, word, [column for column in columns if column != unit])
        names += words
    return tuple(dict.fromkeys(names))


def split_by_column(what: object, column: str, called: str = "", format: str | None = None) -> dict[str, TableRows]:
    """The rows of a table by the column that names their system or dataset, in order of first appearance."""
    table = score_rows(what, format)
    source = called or table.source
    parts: dict[str, TableRows] = {}
    for number, row in enumerate(table.rows, 1):
        if column not in row:
            raise UnknownName(f"column of {source}", column, list(row))
        part = cell_text(row[column])
        if not part:
            raise InputError(f"{source}, row {number}: the column {column!r} is empty. Every row needs a value there.")
        others = {name: value for name, value in row.items() if name != column}
        parts.setdefault(part, TableRows([], source, table.notes)).rows.append(others)
    return parts


def gathered(tables: Iterable[Mapping[str, TableRows]]) -> dict[str, TableRows]:
    """The rows of several sources by system, with the notes of each source that has rows of it."""
    systems: dict[str, TableRows] = {}
    for parts in tables:
        for name, part in parts.items():
            before = systems.get(name, TableRows([], part.source))
            notes = tuple(dict.fromkeys((*before.notes, *part.notes)))
            systems[name] = TableRows([*before.rows, *part.rows], before.source, notes)
    return systems


def refuse_no_common_unit(tables: Sequence[ScoreTable]) -> None:
    """InputError for tables that are about different units: nothing in them can be compared unit by unit."""
    first = set(tables[0].unit_ids)
    for table in tables[1:]:
        if first.isdisjoint(table.unit_ids):
            raise InputError(
                f"{tables[0].name} and {table.name} have no unit in common ({tables[0].unit_ids[0]!r:.40}, ... and "
                f"{table.unit_ids[0]!r:.40}, ...). Give tables of the same units, or name the column that has them "
                "(--unit COLUMN, unit= in Python)."
            )


def about_units(tables: Sequence[ScoreTable], columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """What the tables' own columns say about each unit; tables that say something say the same."""
    rows: dict[str, dict[str, str]] = {}
    first: dict[tuple[str, str], str] = {}
    for table in tables:
        for unit, cells in table.about.items():
            own = rows.setdefault(unit, dict.fromkeys(columns, ""))
            for column, text in cells.items():
                if text and own[column] not in ("", text):
                    raise InputError(
                        f"{column!r} of the unit {unit!r} is {own[column]!r} in the table of {first[unit, column]}, "
                        f"and {text!r} in that of {table.name}. It is about the unit: give it the same in both."
                    )
                if text:
                    own[column] = text
                    first.setdefault((unit, column), table.name)
    for column in columns:
        if not any(row[column] for row in rows.values()):
            raise UsageError(
                f"No table has the column {column!r}. Name a column of the tables, or a file that has it by unit "
                "(--queries FILE, queries= in Python)."
            )
    return rows


def are_rows(what: object, unit: str | None) -> bool:
    """Whether a list is one table, row by row, and not several tables: its rows name their units.

    `unit` is the column that names them, where the caller knows it.
    """
    if not isinstance(what, list | tuple) or not all(isinstance(row, Mapping) for row in what):
        return False
    if unit is not None:
        return any(unit in row for row in what)
    return any(str(name).strip().casefold() in UNIT_COLUMNS for row in what for name in row)


# ---- rows from anything ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class TableRows:
    """Rows as dicts, what to call their source, and notes of the format of another tool's records."""

    rows: list[dict[str, Any]]
    source: str
    notes: tuple[str, ...] = ()


def score_rows(what: object, format: str | None = None) -> TableRows:
    """The rows of a file, a data frame, a list of dicts or {unit: {score: value}}."""
    if isinstance(what, TableRows):
        return what
    if is_file_like(what):
        return _file_rows(what, format)
    what = unwrapped(what)
    if isinstance(what, Mapping):
        return TableRows(_mapping_rows(what), "the table")
    if hasattr(what, "columns") and hasattr(what, "__getitem__"):
        return TableRows(_frame_rows(what), "the data frame")
    if isinstance(what, Sequence) and all(isinstance(row, Mapping) for row in what):
        return TableRows([{str(key): value for key, value in row.items()} for row in what], "the table")
    raise UsageError(
        "Scores come from a file, a data frame, a list of dicts or {unit: {score: value}}; "
        f"got {type(what).__name__}."
    )


def _file_rows(what: FileLike, format: str | None) -> TableRows:
    import json

    from rankproof.reading.detect import record_source
    from rankproof.reading.stream import objects

    source, form = record_source(what, "scores", format)
    if form is not None and form.scores is not None:
        read = form.scores(source, {})
        return TableRows(read.rows, source.name, (f"records of {form.name}", *read.notes))
    require_text(source)
    text = source.text().removeprefix("\ufeff")
    start = text.lstrip()[:1]
    if start == "{":
        return TableRows([dict(record) for _, record in objects(text, source.name)], source.name)
    if start == "[":
        try:
            listed = json.loads(text)
        except (ValueError, RecursionError) as error:
            why = error if isinstance(error, ValueError) else "it is nested too deeply"
            raise InputError(f"{source.name} is no JSON: {why}. Write it again, or give CSV or JSON lines.") from None
        if not all(isinstance(row, dict) for row in listed):
            raise InputError(f"{source.name} is a JSON list of something else than objects. Give one object a unit.")
        return TableRows(listed, source.name)
    return TableRows(cast("list[dict[str, Any]]", delimited(text, source.name, "unit")), source.name)


def _mapping_rows(what: Mapping[Any, Any]) -> list[dict[str, Any]]:
    rows = []
    for unit, value in what.items():
        scores = {str(key): score for key, score in value.items()} if isinstance(value, Mapping) else {"score": value}
        if "unit" in scores:
            raise UsageError("A score called 'unit' stands where the unit's name goes. Give it another name.")
        rows.append({"unit": unit, **scores})
    return rows


def _frame_rows(frame: Any) -> list[dict[str, Any]]:
    """The rows of a pandas, polars or pyarrow table, read by columns; an index that has a name is a column too."""
    if hasattr(frame, "column_names"):  # pyarrow, whose `columns` are the columns themselves
        columns = {name: frame[name].to_pylist() for name in frame.column_names}
    else:
        index = getattr(getattr(frame, "index", None), "name", None)
        if index is not None and index not in list(frame.columns):
            frame = frame.reset_index()
        refuse_two_of_a_name([str(name) for name in frame.columns], "the data frame")
        columns = {str(name): list(frame[name]) for name in frame.columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


# ---- units and numbers ----------------------------------------------------------------------------


def _unit_column(columns: Sequence[str], unit: str | None, source: str) -> str:
    if unit is not None:
        if unit not in columns:
            raise UnknownName(f"column of {source}", unit, columns)
        return unit
    folded = {column.strip().casefold(): column for column in reversed(columns)}
    found = next((folded[name] for name in UNIT_COLUMNS if name in folded), None)
    if found is None:
        raise InputError(
            f"{source} has no column that names its units: {', '.join(columns[:FEW])}. Say which one does (--unit "
            "COLUMN, unit= in Python): two systems are compared unit by unit."
        )
    return found


def _units(
    rows: Sequence[Mapping[str, Any]], column: str, source: str, repeats: bool
) -> tuple[tuple[str, ...], NDArray[np.int64]]:
    number_of: dict[str, int] = {}
    first: dict[str, int] = {}
    places = np.empty(len(rows), dtype=np.int64)
    for i, row in enumerate(rows):
        unit = cell_text(row.get(column))
        if not unit:
            raise InputError(f"{source}, row {i + 1}: the column {column!r} is empty. Every row needs its unit.")
        if unit in number_of and not repeats:
            raise InputError(
                f"{source}, row {i + 1}: the unit {unit!r} was in row {first[unit]} already. If it was asked several "
                "times, say so (--repeats, repeats=True in Python) and its values are averaged; else keep one row."
            )
        first.setdefault(unit, i + 1)
        places[i] = number_of.setdefault(unit, len(number_of))
    return tuple(number_of), places


def _no_score(
    source: str, column: str, unit: str, rows: Sequence[Mapping[str, Any]], wrong: int | None
) -> InputError | UsageError:
    if column == unit:
        return UsageError(f"{column!r} names the units of {source} and cannot be a score too.")
    if wrong is None:
        return InputError(f"{source}: the column {column!r} has no value at all.")
    if is_too_large(rows[wrong].get(column)):
        return InputError(
            f"{source}, row {wrong + 1}: {str(rows[wrong].get(column))[:40]!r} in the column {column!r} is too large: "
            f"scores go up to {LARGEST:g}, since squares of differences are summed. Give it in another unit or as a "
            "logarithm, leave the cell empty where the value is missing, or name other scores (-m; scores= in Python)."
        )
    return InputError(
        f"{source}, row {wrong + 1}: {str(rows[wrong].get(column))[:40]!r} in the column {column!r} is no number. "
        "Possible: a finite number, true or false, or nothing where the value is missing."
    )


def stem(source: str) -> str:
    """The name of a system by the file of its scores."""
    return os.path.basename(source).partition(".")[0] or source


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return ", ".join(names[:FEW]) + more
