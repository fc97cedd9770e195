"""Pools: the documents in one, and which team or system each of its runs belongs to (the columns run, group, file)."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_rows
from rankproof.reading.segments import delimited
from rankproof.reading.source import FileLike, once, open_source, require_text

# What a file of groups looks like, for those whose file does not.
EXAMPLE = "Give a header `run,group` and one line for each run, such as `bm25,team A`"
# How many names an error lists before it only counts.
NAMED = 5


@dataclass(frozen=True, slots=True)
class PoolGroups:
    """The runs that contributed to a pool, and whose they are.

    group_of  by name of a run its group: every compared run, and further runs that contributed to the pool
    files     by name of a further run the path of its file; without those that the caller has in memory
    source    the file, for messages
    """

    group_of: Mapping[str, str]
    files: Mapping[str, str]
    source: str

    @property
    def names(self) -> tuple[str, ...]:
        """The groups, in order of first use."""
        return tuple(dict.fromkeys(self.group_of.values()))


@dataclass(frozen=True, slots=True)
class _Line:
    place: str
    run: str
    group: str
    file: str


def read_pool_groups(what: object, systems: Mapping[str, object], further: Collection[str] = ()) -> PoolGroups:
    """The groups in a file (CSV, or TSV with a header), or in a mapping from runs to groups.

    `systems` are the compared runs: by name what each was read from. `further` names runs that the caller has in
    memory. Any other run is a file: the one in the column `file`, or else the one that `run` itself is the path of.
    Paths are relative to the folder of the file of groups.
    """
    if isinstance(what, PoolGroups):
        return what
    if isinstance(what, Mapping):
        source, folder = "the groups", ""
        lines = [_Line(source, str(run), str(group), "") for run, group in what.items()]
    else:
        opened = open_source(cast("FileLike", what))  # refused there where it is no file
        require_text(opened)
        source, folder = opened.name, os.path.dirname(what) if isinstance(what, str | os.PathLike) else ""
        lines = _lines(opened.text().removeprefix("\ufeff"), source)
    group_of: dict[str, str] = {}
    files: dict[str, str] = {}
    for line in lines:
        if not line.run or not line.group:
            raise InputError(f"{line.place}: {'the group' if line.run else 'the run'} is empty. {EXAMPLE}.")
        if line.run in group_of:
            raise InputError(f"{line.place}: the run {line.run!r} appears twice. A run belongs to one group.")
        group_of[line.run] = line.group
        path = _path(line, folder, systems, further)
        if path is not None:
            files[line.run] = path
    groups = PoolGroups(group_of, files, source)
    _refuse_incomplete(groups, systems, further)
    return groups


def _lines(text: str, name: str) -> list[_Line]:
    rows = [{column.strip(): cell.strip() for column, cell in row.items()} for row in delimited(text, name, "run")]
    lacking = [column for column in ("run", "group") if not rows or column not in rows[0]]
    if lacking:
        header = ", ".join(rows[0]) if rows else "no line below a header"
        raise InputError(f"{name} has no column {' and no column '.join(lacking)}; it has: {header}. {EXAMPLE}.")
    return [
        _Line(f"{name}, run {number}", row["run"], row["group"], row.get("file", ""))
        for number, row in enumerate(rows, 1)
    ]


def _path(line: _Line, folder: str, systems: Mapping[str, object], further: Collection[str]) -> str | None:
    """The file of a further run; None for a run that the caller has."""
    path = os.path.join(folder, line.file or line.run)
    if line.run in systems:
        compared = systems[line.run]
        if line.file and isinstance(compared, str) and os.path.realpath(path) != os.path.realpath(compared):
            raise UsageError(
                f"{line.place}: {line.run!r} is the compared run from {compared}, and {path} is another file. Give the "
                "further run another name in the column `run`."
            )
        return None
    if line.run in further:
        return None
    if not line.file and not os.path.isfile(path):
        raise UsageError(
            f"{line.place}: no compared run is called {line.run!r}, and there is no file {path}. Compared: "
            f"{_some(list(systems))}. Correct the name, or give the file of a further run in a column `file`."
        )
    return path


def _refuse_incomplete(groups: PoolGroups, systems: Mapping[str, object], further: Collection[str]) -> None:
    without = [run for run in (*systems, *further) if run not in groups.group_of]
    if without:
        raise UsageError(
            f"{groups.source}: no group for {_some(without)}. Every compared run and every further run needs one; add "
            f"the line `{without[0]},GROUP`."
        )
    if len(groups.names) < 2:
        only = groups.names[0] if groups.names else "none"
        raise UsageError(
            f"{groups.source}: all {len(groups.group_of)} runs are of one group, {only!r}. One group is left out "
            "at a time, and the others stay: give the runs two groups or more, such as their teams or systems."
        )


def _some(names: Sequence[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")


def documents_of(what: object) -> dict[str, list[str]]:
    """{query_id: [doc_id, ...]} of a run, of qrels, or of two columns with query and document."""
    what = once(what)  # a pipe can be read once, and may be looked at twice
    try:
        rows, _ = read_rows(what, "run")
    except InputError:
        rows, _ = read_rows(what, "qrels")
    names = rows.query_ids
    documents: dict[str, list[str]] = {query: [] for query in names}
    for query, doc in zip(rows.query.tolist(), rows.doc_ids(), strict=True):
        documents[names[query]].append(doc)
    return documents
