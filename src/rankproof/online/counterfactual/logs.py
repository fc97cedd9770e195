"""Read logs with propensities: the roles of columns, and the table as logged choices or as pages."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import isnan
from typing import Generic, TypeVar

import numpy as np

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.online.counterfactual.records import Choices, PlacedPages
from rankproof.online.impressions import Flags, Impressions, Numbers
from rankproof.online.wording import counted_reason
from rankproof.reading.row_batches import RowBatch, stream

Id = TypeVar("Id", bound=Hashable)
# The roles of columns and their usual names; the first name that is present is used.
NAMES: Mapping[str, tuple[str, ...]] = {
    "query": ("query_id", "query"),
    "session": ("session", "session_id", "user_id", "user"),
    "propensity": ("propensity",),
    "action": ("action", "action_id", "variant", "list_id", "doc_id"),
    "reward": ("reward", "clicked", "click", "clicks"),
    "page": ("page", "page_id", "impression_id", "search_id", "request_id"),
    "doc": ("doc_id", "document_id", "item_id", "product_id"),
    "rank": ("rank", "position"),
    "clicked": ("clicked", "click"),
}


def read_columns(texts: tuple[str, ...]) -> dict[str, str]:
    """Columns as typed: `doc=item`, one for each text."""
    columns: dict[str, str] = {}
    for text in texts:
        what, equals, name = text.partition("=")
        if not equals or not name:
            raise UsageError(f"A column is written WHAT=NAME, such as doc=item; got {text!r}.")
        if what not in NAMES:
            raise UnknownName("column of a log", what, NAMES)
        if what in columns:
            raise UsageError(f"The column of {what} is given twice: {columns[what]} and {name}. Name it once.")
        columns[what] = name
    return columns


def all_names(columns: Mapping[str, str]) -> tuple[str, ...]:
    """Every name that some column may have."""
    return tuple(dict.fromkeys([*columns.values(), *(name for names in NAMES.values() for name in names)]))


def located(what: str, batch: RowBatch, columns: Mapping[str, str]) -> str | None:
    """The name of a column, by a batch that has it; None where there is none. One that was named must be there."""
    if what in columns:
        batch.values(columns[what])  # the error where it is not there
        return columns[what]
    return next((name for name in NAMES[what] if batch.has(name)), None)


def needed(what: str, batch: RowBatch, columns: Mapping[str, str]) -> str:
    """The same, where there must be one."""
    name = located(what, batch, columns)
    if name is None:
        raise InputError(
            f"{batch.source} has no column for {what}. Its usual names are {', '.join(NAMES[what])}; name another one "
            f"with --column {what}=NAME."
        )
    return name


GAP = "pages whose ranks do not run from 1 without a gap"
TWICE = "pages with a document twice"


def read_choices(path: str, columns: Mapping[str, str]) -> Choices:
    """One row for each page: query, action, propensity, reward, and the session where there is one."""
    queries, actions, sessions = _Ids[str](), _Ids[str](), _Ids[str]()
    propensities: list[float] = []
    rewards: list[float] = []
    for batch in stream(path, (), all_names(columns)):
        queries.add(batch.texts(needed("query", batch, columns)))
        actions.add(batch.texts(needed("action", batch, columns)))
        propensities += _propensities(batch, needed("propensity", batch, columns))
        rewards += _rewards(batch, needed("reward", batch, columns))
        _sessions(batch, columns, sessions)
    if not rewards:
        raise InputError(f"{path} has no rows. Give one for each page: query_id, action, propensity, reward.")
    return Choices(
        queries.ids,
        actions.ids,
        queries.numbers,
        actions.numbers,
        np.array(propensities),
        np.array(rewards),
        sessions.numbers if len(sessions) else None,
    )


def read_placed(path: str, columns: Mapping[str, str], propensities: bool) -> tuple[PlacedPages, dict[str, int]]:
    """One row for each document shown: page, query, document, rank, clicked; and its propensity, where that counts.

    Rows of one page may stand anywhere: they have the same session, query and page.
    """
    queries, docs, sessions, keys = _Ids[str](), _Ids[str](), _Ids[str](), _Ids[tuple[str, str, str]]()
    ranks: list[int] = []
    clicks: list[bool] = []
    probabilities: list[float] = []
    for batch in stream(path, (), all_names(columns)):
        query_ids = batch.texts(needed("query", batch, columns))
        queries.add(query_ids)
        docs.add(batch.texts(needed("doc", batch, columns)))
        ranks += _ranks(batch, needed("rank", batch, columns))
        clicks += _clicks(batch, needed("clicked", batch, columns))
        if propensities:
            probabilities += _propensities(batch, needed("propensity", batch, columns))
        seen = _sessions(batch, columns, sessions)
        page_ids = batch.texts(needed("page", batch, columns))
        keys.add(list(zip(seen or [""] * len(page_ids), query_ids, page_ids, strict=True)))
    if not ranks:
        raise InputError(
            f"{path} has no rows. Give one for each document shown: page, query_id, doc_id, rank, clicked."
        )
    pages, rank = keys.numbers, np.array(ranks, dtype=np.int64)
    bad, left_out = _faults(pages, rank, docs.numbers, len(keys.ids))
    if bad.all():
        reasons = "; ".join(counted_reason(count, why) for why, count in left_out.items())
        raise InputError(f"{path}: no page is left. Left out: {reasons}.")
    rows = ~bad[pages]
    renumbered = np.cumsum(~bad) - 1
    page, at = renumbered[pages[rows]], rank[rows] - 1
    shape = (int((~bad).sum()), int(at.max()) + 1)
    shown, clicked = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.bool_)
    shown[page, at], clicked[page, at] = docs.numbers[rows], np.array(clicks)[rows]
    of_pages, who = np.zeros(shape[0], dtype=np.int64), np.zeros(shape[0], dtype=np.int64)
    of_pages[page] = queries.numbers[rows]
    if len(sessions):
        who[page] = sessions.numbers[rows]
    lengths = np.bincount(page, minlength=shape[0])
    impressions = Impressions.of(
        queries.ids, docs.ids, of_pages, shown, lengths, clicked, sessions=who if len(sessions) else None
    )
    placed = None
    if propensities:
        placed = np.ones(shape)
        placed[page, at] = np.array(probabilities)[rows]
    return PlacedPages(impressions, placed), left_out


class _Ids(Generic[Id]):
    """Ids and their numbers, in the order they came."""

    def __init__(self) -> None:
        self._places: dict[Id, int] = {}
        self._numbers: list[int] = []

    def add(self, ids: Sequence[Id]) -> None:
        places = self._places
        self._numbers += [places.setdefault(one, len(places)) for one in ids]

    def __len__(self) -> int:
        return len(self._numbers)

    @property
    def ids(self) -> tuple[Id, ...]:
        return tuple(self._places)

    @property
    def numbers(self) -> Numbers:
        return np.array(self._numbers, dtype=np.int64)


def _faults(pages: Numbers, ranks: Numbers, docs: Numbers, count: int) -> tuple[Flags, dict[str, int]]:
    """Whether each page has a fault, and how many pages have which fault."""
    twice, gap = np.zeros(count, dtype=np.bool_), np.zeros(count, dtype=np.bool_)
    for column, flags in ((docs, twice), (ranks, gap)):
        order = np.lexsort((column, pages))
        same = (column[order][1:] == column[order][:-1]) & (pages[order][1:] == pages[order][:-1])
        flags[pages[order][1:][same]] = True
    most = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, pages, ranks)
    gap |= most != np.bincount(pages, minlength=count)
    counts = {GAP: int((gap & ~twice).sum()), TWICE: int(twice.sum())}
    return twice | gap, {why: number for why, number in counts.items() if number}


def _sessions(batch: RowBatch, columns: Mapping[str, str], into: _Ids[str]) -> list[str] | None:
    name = located("session", batch, columns)
    if name is None:
        return None
    session_ids = batch.texts(name)
    into.add(session_ids)
    return session_ids


def _propensities(batch: RowBatch, name: str) -> list[float]:
    values: list[float] = batch.numbers(name).tolist()
    for row, value in enumerate(values):
        if not 0 < value <= 1:
            got = "nothing" if isnan(value) else f"{value:g}"
            raise InputError(
                f"{batch.where(row)}: {name} must be above 0 and at most 1; got {got}. It is the probability with "
                "which the system chose what it showed: log it when the choice is made."
            )
    return values


def _rewards(batch: RowBatch, name: str) -> list[float]:
    values = batch.values(name)
    if any(isinstance(value, bool | np.bool_) or str(value).casefold() in ("true", "false") for value in values):
        return [float(flag) for flag in _clicks(batch, name)]
    rewards: list[float] = batch.numbers(name).tolist()
    for row, value in enumerate(rewards):
        if isnan(value):
            raise InputError(
                f"{batch.where(row)}: {name} is missing. Every page needs one, 0 where nothing came of it."
            )
    return rewards


def _clicks(batch: RowBatch, name: str) -> list[bool]:
    clicked = batch.flags(name)
    for row, value in enumerate(clicked):
        if value is None:
            raise InputError(f"{batch.where(row)}: {name} is missing. Every row needs true or false (or 1 or 0).")
    return [bool(value) for value in clicked]


def _ranks(batch: RowBatch, name: str) -> list[int]:
    ranks: list[float] = batch.numbers(name).tolist()
    for row, value in enumerate(ranks):
        if not (value >= 1 and value == int(value)):
            got = "nothing" if isnan(value) else f"{value:g}"
            raise InputError(f"{batch.where(row)}: {name} must be a whole number from 1; got {got}.")
    return [int(value) for value in ranks]
