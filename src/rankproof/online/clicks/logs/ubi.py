"""User Behavior Insights of OpenSearch: documents of ubi_queries and ubi_events, as JSON lines or flat tables.

A search with its `query_id` is a page, and its `user_query` is the query. The documents of a page are those with an
event of the action `impression`, by `event_attributes.position.ordinal`, or by `position.xy`, pixels down the screen;
where a page has no such event, they are what the engine answered, `query_response_hit_ids`, by which lost impressions
are mended too (see mend.py). Clicks are events of the actions `click` and `click_through` on
`event_attributes.object.object_id`, conversions those of `add_to_cart` and `purchase`. The schema has no field for
the time on a document: `event_attributes.dwell_time` or `dwell_seconds` of a click is read where an application adds
it, in seconds. Who saw a page is its `client_id`, else its `session_id`: queries have no session.

Exports with each document under `_source` are read too, and queries and events may stand in one file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.errors import InputError
from rankproof.online.clicks.logs.builder import ClickLogBuilder
from rankproof.online.clicks.logs.layout import Actions
from rankproof.online.clicks.logs.page_parts import ANSWERED, PLACED, SHOWN, UNKNOWN, Ints, PageParts, digests
from rankproof.online.clicks.logs.values import float_of, id_of, int_of, is_robot, listed, seconds
from rankproof.online.impressions import CLICKED, CONVERTED, STAYED, TIMED
from rankproof.reading.row_batches import RowBatch, stream

ROWS = 20_000
_OF_EVENT = "event_attributes."
# Pixels; both together are below 2 to the power of 31.
_MOST_ACROSS, _MOST_DOWN = 8_192, 262_143
# Each thing, and where it may stand; the first that is there counts. The short names are those of flat tables.
_FIELDS = {
    "query_id": ("query_id",),
    "user_query": ("user_query",),
    "hits": ("query_response_hit_ids",),
    "action": ("action_name",),
    "client": ("client_id", "session_id"),
    "time": ("timestamp",),
    "doc": (f"{_OF_EVENT}object.object_id", "object_id"),
    "rank": (f"{_OF_EVENT}position.ordinal", "position.ordinal", "ordinal", f"{_OF_EVENT}rank", "rank"),
    "x": (f"{_OF_EVENT}position.xy.x", f"{_OF_EVENT}position.x", "position.xy.x", "position.x"),
    "y": (f"{_OF_EVENT}position.xy.y", f"{_OF_EVENT}position.y", "position.xy.y", "position.y"),
    "dwell": (f"{_OF_EVENT}dwell_time", f"{_OF_EVENT}dwell_seconds", "dwell_time", "dwell_seconds"),
    "agent": ("user_agent", f"{_OF_EVENT}user_agent", "query_attributes.user_agent"),
}


@dataclass(slots=True)
class _Piece:
    """What one document says of a page: the query, or one event."""

    page: str
    query: str | None
    client: str | None
    time: float
    robot: bool


def read(path: str, header: Sequence[str], actions: Actions, into: ClickLogBuilder) -> Counter[str]:
    """All documents of a file, and how many events were passed over, by the reason."""
    under = "_source." if "_source" in header else ""
    fields = [f"{under}{name}" for names in _FIELDS.values() for name in names]
    passed: Counter[str] = Counter()
    for batch in stream(path, (), fields, rows=ROWS):
        into.add(_part(batch, under, actions, into, passed))
    return passed


def _part(batch: RowBatch, under: str, actions: Actions, into: ClickLogBuilder, passed: Counter[str]) -> PageParts:
    pieces: list[_Piece] = []
    rows: list[tuple[int, str, int, int]] = []
    timed: list[tuple[int, float]] = []
    for at, event in enumerate(_rows(batch, under)):
        if not _is_ours(event):
            continue
        if event["query_id"] is None:
            passed["documents without a query_id"] += 1
            continue
        when = seconds(event["time"], batch, at, "timestamp", into.time_units)
        is_event = event["action"] is not None
        new = _of_event(event, actions, into.stay, batch, at) if is_event else _of_query(event, batch, at)
        if is_event and not new:
            passed[f"events of the action {event['action']}"] += 1
            continue
        is_click = is_event and bool(new[0][2] & CLICKED)
        rows += [(len(pieces), doc, rank, deeds) for doc, rank, deeds in new]
        if is_click and not math.isnan(when):
            timed.append((len(rows) - 1, when))
        is_shown = not is_event or bool(new[0][2] & SHOWN)
        query = " ".join(str(event["user_query"] or "").split()) or None
        client = None if event["client"] is None else str(event["client"])
        page = id_of(event["query_id"], batch, at, "query_id")
        pieces.append(_Piece(page, query, client, when if is_shown else math.nan, is_robot(event["agent"])))
    return PageParts(
        _queries(pieces, into),
        np.array([row[0] for row in rows], dtype=np.int32),
        into.docs.numbers(row[1] for row in rows),
        np.array([row[2] for row in rows], dtype=np.int32),
        np.array([row[3] for row in rows], dtype=np.uint8),
        digests(piece.page for piece in pieces),
        digests(piece.client for piece in pieces),
        np.array([piece.time for piece in pieces]),
        np.array([piece.robot for piece in pieces], dtype=np.bool_),
        np.array([row for row, _ in timed], dtype=np.int64),
        np.array([when for _, when in timed]),
    )


def _queries(pieces: list[_Piece], into: ClickLogBuilder) -> Ints:
    query_numbers = np.full(len(pieces), UNKNOWN, dtype=np.int32)
    known = [at for at, piece in enumerate(pieces) if piece.query is not None]
    query_numbers[known] = into.queries.numbers(pieces[at].query or "" for at in known)
    return query_numbers


def _rows(batch: RowBatch, under: str) -> Iterator[dict[str, object]]:
    columns = [
        (name, [batch.columns[f"{under}{p}"] for p in places if batch.has(f"{under}{p}")])
        for name, places in _FIELDS.items()
    ]
    for at in range(len(batch)):
        yield {name: next((c[at] for c in candidates if c[at] is not None), None) for name, candidates in columns}


def _is_ours(event: dict[str, object]) -> bool:
    """Not the line of a bulk file that says where the next one goes."""
    return any(event[name] is not None for name in ("query_id", "action", "user_query"))


def _of_query(event: dict[str, object], batch: RowBatch, row: int) -> list[tuple[str, int, int]]:
    hits = listed(event["hits"], batch, row, "query_response_hit_ids")
    return [(id_of(doc, batch, row, "query_response_hit_ids"), at, ANSWERED) for at, doc in enumerate(hits, start=1)]


def _of_event(
    event: dict[str, object], actions: Actions, stay: float, batch: RowBatch, row: int
) -> list[tuple[str, int, int]]:
    """The one row of an event; none where its action means nothing here, or it is about no document."""
    action = event["action"]
    if event["doc"] is None:
        return []
    doc = id_of(event["doc"], batch, row, "object_id")
    if action in actions.impressions:
        if event["rank"] is None and event["y"] is not None:
            return [(doc, _place(event["x"], event["y"], batch, row), SHOWN | PLACED)]
        return [(doc, _ordinal(event["rank"], batch, row), SHOWN)]
    if action in actions.clicks:
        return [(doc, UNKNOWN, CLICKED | _stayed(event["dwell"], stay, batch, row))]
    return [(doc, UNKNOWN, CONVERTED)] if action in actions.conversions else []


def _ordinal(value: object, batch: RowBatch, row: int) -> int:
    rank = int_of(value)
    if rank is None or rank < 0:
        got = "nothing" if value is None else f"{value!r:.60}"
        raise InputError(
            f"{batch.where(row)}: the position.ordinal of an impression must be a whole number from 1; got {got}."
        )
    return min(rank, np.iinfo(np.int32).max)


def _place(x: object, y: object, batch: RowBatch, row: int) -> int:
    """A place on the screen as a number that rises down the screen, and from left to right at one height."""
    across, down = float_of(0 if x is None else x), float_of(y)
    if not (0 <= across < math.inf and 0 <= down < math.inf):
        raise InputError(f"{batch.where(row)}: position.xy must be pixels, 0 or more; got x {x!r:.30} and y {y!r:.30}.")
    return min(round(down), _MOST_DOWN) * _MOST_ACROSS + min(round(across), _MOST_ACROSS - 1)


def _stayed(value: object, stay: float, batch: RowBatch, row: int) -> int:
    if value is None:
        return 0
    dwell = float_of(value)
    if not 0 <= dwell < math.inf:
        raise InputError(f"{batch.where(row)}: the time on a document must be 0 seconds or more; got {value!r:.60}.")
    return TIMED | (STAYED if dwell >= stay else 0)
