"""Progress: how far a judge and everybody together are, and how fast it goes."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise

# Of a judge's last words these count for the pace; a longer gap than this is a break, not work.
LAST = 40
BREAK = timedelta(minutes=3)
FEWEST = 5


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts of pairs.

    pairs    in the pool
    done     of them, how many have all the grades they should have
    mine     how many this judge is done with, also outside the pool
    left     how many this judge may still be asked about, with those set aside
    later    how many this judge set aside for later
    today    how many this judge is done with since a moment
    pace     grades an hour while at work; None where there are too few to tell
    """

    pairs: int
    done: int
    mine: int
    left: int
    later: int
    today: int
    pace: int | None

    @property
    def minutes(self) -> int | None:
        """How long what is left takes at this pace; None where there is none."""
        return max(1, round(60 * self.left / self.pace)) if self.pace and self.left else None


def pace_of(times: Sequence[str], now: str) -> int | None:
    """Words an hour, from the gaps between the last words that are no breaks; None after a break or for too few."""
    moments = [datetime.fromisoformat(text) for text in times[-LAST - 1 :]]
    if not moments or datetime.fromisoformat(now) - moments[-1] > 10 * BREAK:
        return None
    gaps = [after - before for before, after in pairwise(moments) if after - before <= BREAK]
    if len(gaps) < FEWEST:
        return None
    mean = sum(gaps, timedelta()) / len(gaps)
    return round(timedelta(hours=1) / max(mean, timedelta(milliseconds=100)))


def since(times: Sequence[str], moment: str) -> int:
    """How many of the times, which are in order, lie at a moment or after it."""
    return len(times) - bisect_left(times, moment)
