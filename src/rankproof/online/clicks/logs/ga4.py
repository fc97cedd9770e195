"""Events of Google Analytics 4, as its export to BigQuery has them, by a mapping that a description states.

An event has `event_name`, `event_timestamp` in microseconds, `user_pseudo_id`, `event_params` (a list of key and value)
and `items`. By default `view_search_results` is a search, `view_item_list` shows items, by their `index`, `select_item`
clicks them, and `add_to_cart` and `purchase` are conversions. The query is the parameter `search_term`.

Events of one page have the same value of the parameter `page`. Without such a parameter a page is all events of one
user, one `ga_session_id` and one query: who searches for the same twice in a session has one page, with the ranks of
both. An event that has neither the page nor the query is passed over and counted: of which search it is nothing says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.errors import InputError
from rankproof.online.clicks.logs.builder import ClickLogBuilder
from rankproof.online.clicks.logs.layout import Ga4
from rankproof.online.clicks.logs.page_parts import SHOWN, UNKNOWN, Ints, PageParts, digests
from rankproof.online.clicks.logs.values import id_of, int_of, is_robot, seconds
from rankproof.online.impressions import CLICKED, CONVERTED
from rankproof.reading.row_batches import RowBatch, stream

ROWS = 20_000
_FIELDS = ("event_timestamp", "user_pseudo_id", "user_id", "event_params", "items", "device.web_info.browser")
SESSION = "ga_session_id"
Event = tuple[str, str | None, str | None, float, bool]


def read(path: str, mapping: Ga4, into: ClickLogBuilder) -> Counter[str]:
    """All events of a file, and how many were passed over, by the reason."""
    passed: Counter[str] = Counter()
    for batch in stream(path, ("event_name",), _FIELDS, rows=ROWS):
        into.add(_part(batch, mapping, into, passed))
    return passed


def _part(batch: RowBatch, mapping: Ga4, into: ClickLogBuilder, passed: Counter[str]) -> PageParts:
    columns = {name: batch.values(name) if batch.has(name) else [None] * len(batch) for name in _FIELDS}
    pieces: list[Event] = []
    rows: list[tuple[int, str, int, int]] = []
    timed: list[tuple[int, float]] = []
    for at, name in enumerate(batch.values("event_name")):
        if name not in mapping.names:
            passed[f"events {name}"] += 1
            continue
        params = _params(columns["event_params"][at], batch, at)
        items = _items(columns["items"][at], batch, at)
        query = _text(params.get(mapping.query)) or None
        user = columns["user_pseudo_id"][at] or columns["user_id"][at]
        session = None if user is None else f"{user}\0{params.get(SESSION)}"
        page = _page(mapping, params, items, session, query)
        if page is None:
            passed[f"events {name} without a page and without a query"] += 1
            continue
        when = seconds(columns["event_timestamp"][at], batch, at, "event_timestamp", into.time_units)
        new = _rows(name, items, mapping, batch, at)
        is_click = name in mapping.clicks
        if is_click and not np.isnan(when):
            timed += [(len(rows) + i, when) for i in range(len(new))]
        rows += [(len(pieces), doc, rank, deeds) for doc, rank, deeds in new]
        is_page = name in mapping.searches or name in mapping.impressions
        robot = is_robot(columns["device.web_info.browser"][at])
        pieces.append((page, query, session, when if is_page else float("nan"), robot))
    return PageParts(
        _queries(pieces, into),
        np.array([row[0] for row in rows], dtype=np.int32),
        into.docs.numbers(row[1] for row in rows),
        np.array([row[2] for row in rows], dtype=np.int32),
        np.array([row[3] for row in rows], dtype=np.uint8),
        digests(page for page, *_ in pieces),
        digests(session for _, _, session, _, _ in pieces),
        np.array([when for *_, when, _ in pieces]),
        np.array([robot for *_, robot in pieces], dtype=np.bool_),
        np.array([row for row, _ in timed], dtype=np.int64),
        np.array([when for _, when in timed]),
    )


def _page(
    mapping: Ga4,
    params: Mapping[str, object],
    items: Sequence[Mapping[str, object]],
    session: str | None,
    query: str | None,
) -> str | None:
    """What the events of a page share: the parameter of the event, or of its first item, that the mapping names."""
    if mapping.page:
        value = params.get(mapping.page)
        if value is None and items:
            value = items[0].get(mapping.page)
        return None if value is None else f"{session}\0{value}"
    return None if query is None or session is None else f"{session}\0{query}"


def _rows(
    name: str, items: Sequence[Mapping[str, object]], mapping: Ga4, batch: RowBatch, row: int
) -> list[tuple[str, int, int]]:
    """Document, rank and deeds of each item."""
    if name in mapping.searches:
        return []
    docs = [id_of(item.get(mapping.item), batch, row, f"items.{mapping.item}") for item in items]
    if name in mapping.clicks:
        return [(doc, UNKNOWN, CLICKED) for doc in docs]
    if name in mapping.conversions:
        return [(doc, UNKNOWN, CONVERTED) for doc in docs]
    ranks = [item.get("index") for item in items]
    if all(rank is None for rank in ranks):  # the order of the list
        return [(doc, at, SHOWN) for at, doc in enumerate(docs, start=1)]
    return [(doc, _rank(rank, batch, row), SHOWN) for doc, rank in zip(docs, ranks, strict=True)]


def _rank(value: object, batch: RowBatch, row: int) -> int:
    rank = int_of(value)
    if rank is None or rank < 0:
        raise InputError(f"{batch.where(row)}: items.index must be a whole number, 0 or more; got {value!r:.60}.")
    return min(rank, np.iinfo(np.int32).max)


def _params(value: object, batch: RowBatch, row: int) -> dict[str, object]:
    """The parameters of an event by their key, whatever the type of each."""
    if value is None:
        return {}
    if isinstance(value, dict):  # exports that were flattened
        return value
    if not isinstance(value, list):
        raise InputError(f"{batch.where(row)}: event_params must be a list of key and value; got {value!r:.60}.")
    params: dict[str, object] = {}
    for entry in value:
        typed = entry.get("value") if isinstance(entry, dict) else None
        if isinstance(entry, dict) and isinstance(typed, dict):
            params[str(entry.get("key"))] = next((one for one in typed.values() if one is not None), None)
    return params


def _items(value: object, batch: RowBatch, row: int) -> list[dict[str, object]]:
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise InputError(f"{batch.where(row)}: items must be a list of objects; got {value!r:.60}.")
    return value


def _queries(pieces: Sequence[Event], into: ClickLogBuilder) -> Ints:
    numbers = np.full(len(pieces), UNKNOWN, dtype=np.int32)
    known = [at for at, piece in enumerate(pieces) if piece[1] is not None]
    numbers[known] = into.queries.numbers(pieces[at][1] or "" for at in known)
    return numbers


def _text(value: object) -> str:
    return " ".join(str(value).split()) if value is not None else ""
