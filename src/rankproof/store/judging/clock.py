"""Clock: moments as the store keeps them, in UTC and of one width, so that their texts sort as they do."""

from __future__ import annotations

from datetime import UTC, datetime

from rankproof.errors import UsageError


def now() -> str:
    """This moment, such as 2031-05-04T03:02:01.000000Z."""
    return _text(datetime.now(UTC))


def moment(text: str) -> str:
    """A moment that came from outside, as the store keeps it; now where nothing was said."""
    if not text:
        return now()
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is no time. Give one by ISO 8601 in UTC, such as 2031-05-04T03:02:01Z.") from None
    return _text(read.replace(tzinfo=UTC) if read.tzinfo is None else read.astimezone(UTC))


def _text(at: datetime) -> str:
    return f"{at.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
