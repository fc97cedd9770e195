"""Earning: which clicks on a list count, and what they earn the systems.

A document counts once, however often it was clicked. What counts is said by a rule:

    clicked()        every click
    dwelt(30)        at least 30 seconds on the document; without a time it is unknown, which is not the same as no
    converted()      the click led to a conversion
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from rankproof.errors import UsageError
from rankproof.records.interleaving import Outcome, Shown, Touch

# Whether a click counts; None where that is not known.
Counts = Callable[[Touch], bool | None]


def clicked() -> Counts:
    """Every click counts."""
    return lambda touch: True


def dwelt(seconds: float) -> Counts:
    """A click counts after that many seconds on the document."""
    if not 0 <= seconds < float("inf"):
        raise UsageError(f"A dwell time is 0 seconds or more; got {seconds}.")
    return lambda touch: None if touch.dwell is None else touch.dwell >= seconds


def converted() -> Counts:
    """A click counts if it led to a conversion."""
    return lambda touch: touch.converted


def earned(unit: str, shown: Shown, touches: Iterable[Touch], counts: Counts | None = None) -> Outcome:
    """What the clicks on one list earned each system."""
    rule = counts or clicked()
    places = {doc: i for i, doc in enumerate(shown.docs)}
    said: dict[int, bool | None] = {}
    dropped = 0
    for touch in touches:
        place = places.get(touch.doc_id)
        if place is None:
            dropped += 1
            continue
        answer = rule(touch)
        if answer or said.get(place, False) is False:  # one that counts is enough; one that is unknown leaves it open
            said[place] = answer
    counted = sorted(place for place, answer in said.items() if answer)
    totals = {name: sum(shown.credits[place][i] for place in counted) for i, name in enumerate(shown.systems)}
    return Outcome(unit, totals, len(counted), sum(answer is None for answer in said.values()), dropped)
