"""Datasets of Hugging Face's `datasets` as tables: a Dataset, one that is streamed, and a mapping of splits with one.

The library is never imported here: its classes are known by their names. A Dataset is a table of Arrow already, which
the core reads where it lies; where rows were chosen (`select`, `shuffle`, `filter`) these are copied, in their order.
A streamed one is read to its end, in batches, and its columns are then in memory. A format (`with_format("torch")`) is
how the library hands values out, and changes none of them; a transform makes new ones, so that such a dataset is
refused. A ClassLabel is stored as the place of a class in a list, which says nothing about its grade: the classes
"exact", "partial", "none" have the places 0, 1 and 2. Its value is the name of the class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from pyarrow import Table

# How many rows are copied, or taken from a stream, at a time.
BATCH = 50_000
_DATASETS, _STREAMS = frozenset({"Dataset"}), frozenset({"IterableDataset"})
_SPLITS = frozenset({"DatasetDict", "IterableDatasetDict"})
_LABELS, _LISTS = frozenset({"ClassLabel"}), frozenset({"List", "LargeList", "Sequence"})
# How many splits an error names.
FEW_SPLITS = 8


def is_dataset(what: object) -> bool:
    """Whether a value is a dataset of that library, or its mapping of splits."""
    return _is(what, _DATASETS | _STREAMS | _SPLITS)


def only_split(what: object) -> Any:
    """The dataset in a mapping with one split, and any other value as it is; UsageError where there are several."""
    if type(what) is dict or not isinstance(what, Mapping) or not _is(what, _SPLITS):
        return what
    if len(what) == 1:
        return next(iter(what.values()))
    kind = type(what).__name__
    if not what:
        raise UsageError(f"The {kind} has no split. Give one that has a dataset.")
    names = list(map(str, what))
    more = f" and {len(names) - FEW_SPLITS} more" if len(names) > FEW_SPLITS else ""
    raise UsageError(
        f"The {kind} has {len(names)} splits: {', '.join(names[:FEW_SPLITS])}{more}. Which of them is meant cannot be "
        f"seen. Give one, such as data[{names[-1]!r}], or all in one: "
        "datasets.concatenate_datasets(list(data.values()))."
    )


def unwrapped(what: object) -> Any:
    """A dataset as a table of pyarrow; any other value as it is."""
    what = only_split(what)
    if _is(what, _DATASETS):
        return _table(what)
    return _streamed(what) if _is(what, _STREAMS) else what


def _is(what: object, names: frozenset[str]) -> bool:
    return any(
        kind.__name__ in names and kind.__module__.partition(".")[0] == "datasets" for kind in type(what).__mro__
    )


def _table(dataset: Any) -> Table:
    """The rows of a Dataset: its own table, or a copy of the chosen ones."""
    if dataset.format["type"] == "custom":
        raise UsageError(
            "The Dataset has a transform, which makes other values than it holds. Write them with "
            "data.map(..., batched=True) instead, or take the transform away with data.reset_format()."
        )
    if getattr(dataset, "_indices", None) is None:
        return _with_class_names(dataset.data.table, dataset)
    rows = dataset.with_format("arrow")
    batches = (rows[at : at + BATCH] for at in range(0, len(rows), BATCH))
    return _joined(batches, dataset) if len(rows) else rows[:]


def _streamed(dataset: Any) -> Table:
    """All rows of a stream."""
    return _joined(dataset.with_format("arrow").iter(batch_size=BATCH), dataset)


def _joined(batches: Iterator[Table], dataset: object) -> Table:
    """Batches as one table. A column that is empty in the first batch, or whole numbers there, may be more later."""
    import pyarrow

    name = f"<{type(dataset).__name__}>"
    try:
        tables = list(batches)
        if tables:
            return _with_class_names(pyarrow.concat_tables(tables, promote_options="permissive"), dataset)
    except (ValueError, TypeError, RuntimeError, OSError, LookupError, ArithmeticError) as error:
        raise InputError(
            f"{name} could not be read: {type(error).__name__}: {str(error) or 'no reason'!s:.300}"
        ) from None
    raise InputError(f"{name} has no rows.")


def _with_class_names(table: Table, dataset: Any) -> Table:
    """The table with the name of the class in every column of class labels, alone or in lists."""
    import pyarrow

    for column, feature in (dataset.features or {}).items():
        listed = _is(feature, _LISTS)
        labels = feature.feature if listed else feature
        if column not in table.column_names or not _is(labels, _LABELS):
            continue
        names, where = dict(enumerate(labels.names)), f"<{type(dataset).__name__}>, column {column!r}"
        cells = table.column(column).to_pylist()
        named = [_class_names(cell, names, where) if listed else _class_name(cell, names, where) for cell in cells]
        kind = pyarrow.list_(pyarrow.string()) if listed else pyarrow.string()
        table = table.set_column(table.column_names.index(column), column, pyarrow.array(named, kind))
    return table


def _class_names(cell: list[int | None] | None, names: Mapping[int, str], where: str) -> list[str | None] | None:
    return None if cell is None else [_class_name(place, names, where) for place in cell]


def _class_name(place: int | None, names: Mapping[int, str], where: str) -> str | None:
    """The name of a class; None where there is none, which the library writes as -1 too."""
    if place is None or place == -1:
        return None
    if place not in names:
        raise InputError(f"{where}: there is no class {place}; there are {len(names)}. Write the dataset anew.")
    return names[place]
