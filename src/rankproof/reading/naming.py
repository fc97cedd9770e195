"""Several runs: whether a caller gave one run or several, decided by its shape; and names that tell them apart.

A run in Python is itself a dict or a list, and so are several runs. They differ in depth:

    one run                                     several runs
    {query: {document: score}}                  {name: {query: {document: score}}}
    {query: [document, ...]}                    {name: path, frame, Run or prepared run}
    {column: [value, ...]}                      {name: {column: [value, ...]}}
    [(query, document, score), ...]             [run, run, ...]
    [{"query_id": ..., "doc_id": ...}, ...]

An array and a series are lists. A set is neither: the reader of a run says why.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence, Set, Sized
from numbers import Number, Real
from typing import Any, TypeGuard

from rankproof.errors import Unreadable, UsageError
from rankproof.reading.hugging_face import is_dataset, only_split
from rankproof.reading.records import Run

# One run of several, and several runs, as far as types tell; frames and open files are taken too.
RunOfSeveral = str | os.PathLike[str] | Run | Mapping[str, Mapping[str, float]]
SeveralRuns = (
    Mapping[str, RunOfSeveral] | tuple[RunOfSeveral, ...] | list[str] | list[Run] | list[dict[str, dict[str, float]]]
)
# What a mapping or list of several runs looks like, for messages.
_SHAPES = 'a list of runs, or a mapping from names to runs such as {"bm25": "bm25.run", "dense": "dense.run"}'


def several_runs(given: object) -> list[tuple[str | None, Any]] | None:
    """The runs with their names, None where a run is to name itself; None where what was given is one run."""
    if isinstance(given, Run):
        return None
    if isinstance(given, Mapping):
        given = only_split(given)
        return _of_mapping(given) if isinstance(given, Mapping) else None
    if isinstance(given, list | tuple):
        return _of_list(given)
    return None


def distinct_names(*choices: Sequence[str]) -> tuple[str, ...]:
    """The first list of names without a repetition; the last list when all have one.

    Callers give the runs' own names first, then longer ones such as their paths.

    >>> distinct_names(["bm25", "bm25"], ["old/bm25.run", "new/bm25.run"])
    ('old/bm25.run', 'new/bm25.run')
    """
    for names in choices:
        if len(set(names)) == len(names):
            break
    return tuple(names)


def names_apart(
    several: Sequence[tuple[str | None, Any]], own: Sequence[str], last: Sequence[str] = ()
) -> tuple[str, ...]:
    """Names that tell the runs apart: as given, else their own, else their paths, else the last ones or numbers."""
    given = [name or called for (name, _), called in zip(several, own, strict=True)]
    paths = [
        os.fspath(source) if isinstance(source, str | os.PathLike) else name
        for (_, source), name in zip(several, given, strict=True)
    ]
    return distinct_names(given, paths, last or [f"run {number}" for number in range(1, len(given) + 1)])


def _of_mapping(given: Mapping[Any, Any]) -> list[tuple[str | None, Any]] | None:
    """A value that is a run makes the mapping one of runs; the first value that is not empty decides."""
    first = next((value for value in given.values() if not _is_empty(value)), None)
    if first is None or not _is_run(first):
        return None  # one run: what is wrong with a value is said by its reader
    for name, value in given.items():
        if not isinstance(name, str) or not name:
            raise UsageError(f"The name of a run is a text; got {name!r:.80}. Give {_SHAPES}.")
        if not _is_run(value) and not _is_empty(value):
            raise UsageError(
                f"{name!r:.80} has {_told(value)} where other names have runs: it cannot be seen whether this is one "
                f"run or several. Give {_SHAPES}; one run is {{query: {{document: score}}}}."
            )
    if all(isinstance(value, str) and not os.path.exists(value) and ":" not in value for value in given.values()):
        name, text = next(iter(given.items()))
        raise Unreadable(
            f"{text}: there is no such file. {{{name!r:.40}: {text!r:.40}}} maps the names of several runs to their "
            "paths; one run maps queries to documents, {query: {document: score}} or {query: [document, ...]}."
        )
    return list(given.items())


def _of_list(given: Sequence[Any]) -> list[tuple[str | None, Any]] | None:
    if not given:
        raise UsageError(f"No run was given: the list is empty. Give a run, {_SHAPES}.")
    runs = [_is_run(item, listed=True) for item in given]
    if not any(runs):
        return None  # rows of one run
    if not all(runs):
        at = runs.index(False)
        raise UsageError(
            f"Item {at + 1} of the list is {_told(given[at])} and others are runs: it cannot be seen whether this is "
            f"one run or several. Give {_SHAPES}; one run is a list of (query, document, score)."
        )
    return [(None, run) for run in given]


def _is_run(value: object, listed: bool = False) -> bool:
    """Whether a value inside a mapping or a list (`listed`) is a run of its own: no ranking of a query, and no row.

    In a mapping, a list is the ranking of a query, whatever it holds.
    """
    if isinstance(value, Run):
        return True
    if (isinstance(value, Mapping) or is_many(value)) and is_dataset(value):
        return True
    if isinstance(value, Mapping):
        # A row may carry a nested field beside its ids; a run has nothing but rankings.
        return bool(value) and all(isinstance(inner, Mapping) or is_many(inner) for inner in value.values())
    if is_many(value):
        many = as_list(value)
        return listed and is_list(many) and bool(many) and all(map(is_many, many))
    # A path, a frame, an open file, a prepared run; what else it may be is said by its reader.
    return value is not None and not isinstance(value, Number)


def _is_empty(value: object) -> bool:
    return isinstance(value, Sized) and not isinstance(value, str | bytes) and not len(value)


def _told(value: object) -> str:
    return f"{value!r:.60}" if isinstance(value, str | int | float) or value is None else f"a {type(value).__name__}"


# ---- shapes of Python values --------------------------------------------------------------------


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list or tuple, and not a text."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def as_list(value: object) -> object:
    """The array or series of a frame's field as a list; anything else as it is."""
    if isinstance(value, str | bytes | Real) or is_list(value):
        return value
    for method in ("tolist", "to_list"):
        if hasattr(value, method):
            return getattr(value, method)()
    return value


def is_many(value: object) -> bool:
    """Whether a value holds the documents of a query, and is not one of them."""
    if isinstance(value, str | int | float):  # nearly always: asked for each row
        return False
    return isinstance(value, Mapping | Set) or is_list(as_list(value))
