"""Values of logs that come in several spellings: times, ids in lists, names of robots."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import SupportsFloat, SupportsInt, TypeVar

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.kernel.epoch import epoch_seconds, epoch_unit
from rankproof.reading.row_batches import RowBatch

T = TypeVar("T")
# How programs name themselves in a user agent; browsers have none of these words.
ROBOT = re.compile(
    r"bot\b|crawl|spider|slurp|curl/|wget/|python|java/|okhttp|go-http|headless|phantomjs|scrapy|httpclient"
    r"|monitor|uptime|preview|feedfetcher|lighthouse",
    re.IGNORECASE,
)
_CUT = re.compile(r"[|\s]+")


def seconds(value: object, batch: RowBatch, row: int, name: str, units: set[str] | None = None) -> float:
    """A time in seconds of the epoch; NaN where nothing stands. A text without a zone is read as UTC.

    units   takes the unit of a number of the epoch
    """
    if value is None or value == "":
        return math.nan
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    if isinstance(value, str):
        try:
            moment = datetime.fromisoformat(value.strip())
        except ValueError:
            pass
        else:
            return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    number = math.nan if isinstance(value, bool) else float_of(value)
    if not math.isfinite(number):
        raise InputError(
            f"{batch.where(row)}: {name} is {value!r:.60}, which is not a time. Write 2026-05-04T10:00:00Z, or "
            f"seconds, "
            "milliseconds, microseconds or nanoseconds since the epoch."
        )
    if units is not None:
        units.add(epoch_unit(number))
    return epoch_seconds(number)


def float_of(value: object) -> float:
    """The number that a value or its text stands for; NaN where it is none."""
    try:
        return float(value) if isinstance(value, str | bytes | SupportsFloat) else math.nan
    except (ValueError, TypeError, OverflowError):
        return math.nan


def int_of(value: object) -> int | None:
    """The whole number that a value or its text stands for; None where it is none."""
    try:
        return int(value) if isinstance(value, str | bytes | SupportsInt) else None
    except (ValueError, TypeError, OverflowError):
        return None


def is_robot(agent: object) -> bool:
    """Whether a user agent says that it is a program."""
    return isinstance(agent, str) and ROBOT.search(agent) is not None


def listed(value: object, batch: RowBatch, row: int, name: str) -> Sequence[object]:
    """The items of a list; a text is cut at blanks and bars; nothing is no item."""
    if value is None or value == "":
        return ()
    if isinstance(value, str):
        return [item for item in _CUT.split(value) if item]
    if isinstance(value, list | tuple):
        return value
    if isinstance(value, np.ndarray):
        plain: list[object] = value.tolist()
        return plain
    raise InputError(
        f"{batch.where(row)}: {name} must be a list, or a text of ids separated by blanks; got {value!r:.60}."
    )


def id_of(value: object, batch: RowBatch, row: int, name: str) -> str:
    """An id: a text, or a whole number."""
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool | np.bool_):
        return str(value)
    if value is None or value == "":
        raise InputError(f"{batch.where(row)}: {name} is missing. Every row needs one.")
    raise InputError(
        f"{batch.where(row)}: {name} has {value!r:.60}, which is not an id. Ids are texts or whole numbers."
    )


def by_value(batch: RowBatch, name: str, read: Callable[[RowBatch], Sequence[T]]) -> list[T]:
    """A column that has few different values: each is read once, with the place where it stands first."""
    column = batch.values(name)
    if isinstance(column, np.ndarray):
        return list(read(batch))
    try:
        first = dict(zip(reversed(column), range(len(column) - 1, -1, -1), strict=True))
    except TypeError:  # a list or an object, which reading refuses
        return list(read(batch))
    rows = [batch.numbers_of_rows[row] for row in first.values()]
    parsed = dict(zip(first, read(RowBatch(batch.source, batch.unit, rows, {name: list(first)})), strict=True))
    return list(map(parsed.__getitem__, column))


def rank_numbers(numbers: NDArray[np.float64], where: Callable[[int], str], name: str) -> NDArray[np.int32]:
    """Ranks as whole numbers; one that is none, or negative, is an error with its place."""
    wrong = np.flatnonzero(~(numbers >= 0) | (numbers != np.floor(numbers)))
    if len(wrong):
        at = int(wrong[0])
        got = "nothing" if math.isnan(numbers[at]) else f"{numbers[at]:g}"
        raise InputError(f"{where(at)}: {name} must be a whole number from 1; got {got}. Correct the row.")
    # A rank beyond what fits is a gap like any other.
    return np.minimum(numbers, np.iinfo(np.int32).max).astype(np.int32)
