"""Days of rows: dates as they are written, or times put on the calendar of a stated time zone.

Without a zone the date counts that a time begins with, whatever zone it was written in. With a zone each moment is
put on that zone's calendar, whose days have 23 or 25 hours where clocks change. A time that says no zone is refused
unless the design says in which it was written: an hour more or less moves users from one day to another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rankproof.errors import InputError
from rankproof.kernel.epoch import epoch_seconds

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_date(text: str) -> bool:
    """Whether a text is a day of the calendar, written as 2026-11-01."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def zone_named(name: str) -> tzinfo | None:
    """The time zone of that name; None where the system knows none."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


class DayClock:
    """Reads the day of each row, and what stands beside the date: the time of day, by which rows can be told apart."""

    def __init__(self, zone: str = "", written: str = "") -> None:
        self.zone = zone_named(zone) if zone else None
        self.written = zone_named(written) if written else None

    def dates(self, values: Sequence[object], where: Callable[[int], str], column: str) -> list[tuple[str, str]]:
        """The date of each row and its time of day, "" where it has none."""
        known: dict[object, tuple[str, str]] = {}
        read = []
        for row, value in enumerate(values):
            day = known.get(value)
            if day is None:
                day = known[value] = self._day(value, where, row, column)
            read.append(day)
        return read

    def _day(self, value: object, where: Callable[[int], str], row: int, column: str) -> tuple[str, str]:
        text = str(value)
        begins = _DATE.match(text)
        if begins is not None and not is_date(begins[0]):
            begins = None
        if begins is not None and len(text) == len(begins[0]):
            return text, ""
        if self.zone is None:
            if begins is None:
                raise self._no_day(value, where(row), column)
            return begins[0], text[len(begins[0]) :].lstrip("T ")
        moment = self._moment(text) if begins is not None else _of_epoch(text)
        if moment is None:
            raise self._no_day(value, where(row), column)
        if moment.tzinfo is None:
            if self.written is None:
                raise InputError(
                    f"{where(row)}: {column} is {value!r:.40}, which does not say its time zone, and days are those of "
                    f'{self.zone}. Say in [columns] in which zone times are written, such as written = "UTC".'
                )
            moment = moment.replace(tzinfo=self.written)
        here = moment.astimezone(self.zone)
        return here.date().isoformat(), moment.astimezone(UTC).isoformat()

    def _moment(self, text: str) -> datetime | None:
        try:
            return datetime.fromisoformat(text)
        except ValueError:
            return None

    def _no_day(self, value: object, place: str, column: str) -> InputError:
        also = ", or seconds of the epoch" if self.zone is not None else ""
        return InputError(
            f"{place}: {column} must be a day such as 2026-11-01, or a time that begins with one{also}; "
            f"got {value!r:.40}."
        )


def _of_epoch(text: str) -> datetime | None:
    try:
        number = float(text)
        return _EPOCH + timedelta(seconds=epoch_seconds(number)) if math.isfinite(number) else None
    except (ValueError, OverflowError):
        return None
