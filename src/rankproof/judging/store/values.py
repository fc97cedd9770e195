"""Values in the store: UTC times of one width, and text that both databases hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import String, Table

from rankproof.errors import InputError, UsageError

Row = dict[str, Any]

# PostgreSQL keeps no NUL in a text; halves of surrogate pairs have no UTF-8.
_NEVER = re.compile("[\x00\ud800-\udfff]")
# PostgreSQL's indexes hold 2,704 bytes in an entry, and ids of a query and a document share one.
LONGEST_ID = 1000
_IDS = ("query_id", "doc_id")


@cache
def fitting(table: Table) -> Callable[[Row], Row]:
    """A function that returns a row that the table can store, and refuses any other."""
    limits = [(c.name, c.type.length) for c in table.columns if isinstance(c.type, String)]

    def checked(row: Row) -> Row:
        for name, limit in limits:
            value = row.get(name)
            if value is None:
                continue
            if _NEVER.search(value):
                raise InputError(
                    f"The {_readable_name(name)} {value[:60]!r} has a character that no database keeps. Remove it."
                )
            if limit is not None and len(value) > limit:
                raise InputError(
                    f"The {_readable_name(name)} {value[:40]!r}... has {len(value):,} characters; {limit} is the most. "
                    "Shorten it."
                )
            if name in _IDS and len(value.encode()) > LONGEST_ID:
                raise InputError(
                    f"The {_readable_name(name)} {value[:40]!r}... has {len(value.encode()):,} bytes; "
                    f"{LONGEST_ID:,} is the most. Shorten it."
                )
        return row

    return checked


def shown(text: str) -> str:
    """A text that people only look at: characters that no database keeps become the replacement character."""
    return _NEVER.sub("\ufffd", text)


def shown_fields(fields: Mapping[str, str]) -> dict[str, str]:
    """The fields of a document or the columns of a query, likewise."""
    return {shown(name): shown(text) for name, text in fields.items()}


def _readable_name(name: str) -> str:
    return {"query_id": "query id", "doc_id": "document id"}.get(name, name)


def now() -> str:
    """This moment, such as 2031-05-04T03:02:01.000000Z."""
    return _text(datetime.now(UTC))


def moment(text: str) -> str:
    """A moment that came from outside, as the store writes it; now where it is empty."""
    if not text:
        return now()
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time. Give one by ISO 8601 in UTC, such as 2031-05-04T03:02:01Z.") from None
    return _text(read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC))


def _text(at: datetime) -> str:
    return f"{at.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
