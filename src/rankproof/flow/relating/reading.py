"""Reading: past changes from a table, one row each.

    change               its name; once in the file
    offline:NAME         the difference in the measure NAME; empty where it was not measured
    offline:NAME:se      its standard error, if it is known
    online:NAME          the effect on the metric NAME
    online:NAME:se       its standard error

A difference is candidate minus baseline, as measured; whether less is better is said beside the file.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from rankproof.errors import InputError, UnknownName
from rankproof.flow.rowstream import Batch, stream
from rankproof.records.relation import Change, Changes, Figure

NAME = "change"
SIDES = ("offline", "online")
ERROR = ":se"


def read_changes(path: str, lower: Iterable[str] = ()) -> Changes:
    """The changes of a file; `lower` names measures and metrics of which less is better."""
    found: dict[str, Change] = {}
    names: dict[str, dict[str, None]] = {side: {} for side in SIDES}
    for batch in stream(path):
        columns = _columns(batch)
        numbers = {name: batch.numbers(name).tolist() for side in columns.values() for name in side.values()}
        for side, named in columns.items():
            names[side].update((name, None) for name in named if not name.endswith(ERROR))
        for row, name in enumerate(batch.texts(NAME)):
            if name in found:
                raise InputError(f"{batch.where(row)}: the change {name!r} is there already. Give each change one row.")
            offline, online = (_figures(columns[side], numbers, batch, row) for side in SIDES)
            found[name] = Change(name, offline, online)
    if not found:
        raise InputError(f"{path}: there is no change in it. Check that it is the right file.")
    return Changes(
        tuple(found.values()), tuple(names["offline"]), tuple(names["online"]), known_names(lower, names.values())
    )


def known_names(lower: Iterable[str], names: Iterable[Mapping[str, None]]) -> frozenset[str]:
    """The names of which less is better; an error for one that nobody knows."""
    known = {name for some in names for name in some}
    for name in lower:
        if name not in known:
            raise UnknownName("measure or metric", name, known)
    return frozenset(lower)


def _columns(batch: Batch) -> dict[str, dict[str, str]]:
    """For each side, the column of each name, with standard errors under NAME:se."""
    batch.values(NAME)  # an error where the file has no names of changes
    found: dict[str, dict[str, str]] = {side: {} for side in SIDES}
    for column in batch.columns:
        side, colon, name = column.partition(":")
        if side in SIDES and colon and name:
            found[side][name] = column
    for side, named in found.items():
        if not any(not name.endswith(ERROR) for name in named):
            raise InputError(
                f"{batch.source} has no column {side}:NAME. Call columns such as offline:nDCG@10, offline:nDCG@10:se, "
                "online:success and online:success:se."
            )
        for name in named:
            if name.endswith(ERROR) and name.removesuffix(ERROR) not in named:
                raise InputError(
                    f"{batch.source}: the column {side}:{name} has the standard errors of {side}:"
                    f"{name.removesuffix(ERROR)}, which is not there. Add it, or leave this one out."
                )
    return found


def _figures(
    columns: Mapping[str, str], numbers: Mapping[str, list[float]], batch: Batch, row: int
) -> dict[str, Figure]:
    found = {}
    for name, column in columns.items():
        if name.endswith(ERROR) or math.isnan(value := numbers[column][row]):
            continue
        error = numbers[columns[name + ERROR]][row] if name + ERROR in columns else math.nan
        if error < 0:
            raise InputError(f"{batch.where(row)}: a standard error is 0 or more; {column}{ERROR} is {error:g}.")
        found[name] = Figure(value, None if math.isnan(error) else error)
    return found
