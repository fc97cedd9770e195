"""Signals: the event that a click model learns: a click, a click that satisfied, or a conversion.

A click satisfied when the user stayed on the document for at least the seconds that the log was read with. Where the
time of a click is not known, the signal `dwell` leaves out the whole page and counts it. The last click of a visit
often has no time; where only such clicks lack it, the remaining clicks are a biased sample.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from rankproof.errors import InputError, UnknownName
from rankproof.online.impressions import CLICKED, CONVERTED, STAYED, TIMED, ClickLog, Dropped, Impressions

UNKNOWN_DWELL = "pages with a click whose time on the document is not known"


@dataclass(frozen=True, slots=True, eq=False)
class Event:
    """The pages of a log, with the signal in place of clicks; `dropped` is what was left out for it, or None."""

    signal: str
    pages: Impressions
    dropped: Dropped | None = None


@dataclass(frozen=True, slots=True)
class ClickSignals:
    """How many documents were clicked and converted, and how many clicks satisfied, did not, or are not known to."""

    clicked: int
    satisfied: int
    unsatisfied: int
    unknown: int
    converted: int

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {name: getattr(self, name) for name in self.__slots__}


def count_signals(log: ClickLog) -> ClickSignals:
    """How often each signal occurs in a log."""
    counts = np.zeros(5, dtype=np.int64)
    for _, deeds in log.deeds_of_pieces():
        clicked, timed, stayed, converted = ((deeds & bit) > 0 for bit in (CLICKED, TIMED, STAYED, CONVERTED))
        kinds = clicked, clicked & stayed, clicked & timed & ~stayed, clicked & ~timed, converted
        counts += [kind.sum() for kind in kinds]
    return ClickSignals(*counts.tolist())


def event_pages(log: ClickLog, signal: str) -> Event:
    """The pages for a signal, by its name."""
    if signal not in SIGNALS:
        raise UnknownName("signal", signal, SIGNALS)
    return SIGNALS[signal](log)


def _clicks(log: ClickLog) -> Event:
    return Event("click", log.pages)


def _dwells(log: ClickLog) -> Event:
    unknown, any_timed, lost = np.zeros(len(log), dtype=np.bool_), False, 0
    for at, deeds in log.deeds_of_pieces():
        clicked, timed = (deeds & CLICKED) > 0, (deeds & TIMED) > 0
        unknown[at] = (clicked & ~timed).any(axis=1)
        lost += int(clicked[unknown[at]].sum())
        any_timed |= bool(timed.any())
    if not any_timed:
        raise InputError("The log has no time on documents, which the signal dwell needs. Use the signal click.")
    if unknown.all():
        raise InputError(
            "No page is left for the signal dwell: every page has a click whose time on the document is not known. "
            "Use the signal click."
        )
    known = np.asarray(~unknown)
    dropped = Dropped("dwell_unknown", UNKNOWN_DWELL, int(unknown.sum()), lost)
    return Event("dwell", log.having(STAYED).take(known), dropped)


def _conversions(log: ClickLog) -> Event:
    if not any(bool((deeds & CONVERTED).any()) for _, deeds in log.deeds_of_pieces()):
        raise InputError("The log has no conversion, so nothing can be learned from that signal. Use the signal click.")
    return Event("conversion", log.having(CONVERTED))


SIGNALS: dict[str, Callable[[ClickLog], Event]] = {"click": _clicks, "dwell": _dwells, "conversion": _conversions}
