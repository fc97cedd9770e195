"""Beside: days that were just collected, held against those that are in their folder already."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.errors import InputError
from rankproof.kernel.sections import percent
from rankproof.online.trial.data_checks import MOST_RETURNING
from rankproof.online.trial.days import Day
from rankproof.online.trial.records import TrialDesign
from rankproof.online.trial.row_digests import LEAST, same_rows
from rankproof.online.trial.unit_presence import presence_of


def told_beside(design: TrialDesign, days: Sequence[Day], others: Sequence[Day]) -> list[str]:
    """What both show together; an error where days have the same rows, or units in two variants.

    Days of another A/B test, or of other rules, are none of these.
    """
    others = [day for day in others if day.trace is not None and day.trial == design.name]
    digests = {day.trace.digest: day for day in others if day.trace is not None and day.trace.rows >= LEAST}
    for day in days:
        if day.trace is not None and day.trace.digest in digests:
            raise same_rows(day.label, digests[day.trace.digest].label, day.trace.rows)
    if not others:
        return []
    presence = presence_of([*days, *others])
    if presence is None:
        return []
    if presence.crossing > max(1.0, design.exclude.crossing * presence.units):
        raise InputError(
            f"{presence.scaled(presence.crossing):,} of {presence.scaled(presence.units):,} {design.unit}s "
            f"({percent(round(presence.crossing / presence.units, 4))}) are in another variant in a day that is in the "
            f"folder already; the design allows {percent(design.exclude.crossing)}. Mend the assignment; or, if "
            f"those days "
            "are of another trial, collect into a folder of their own."
        )
    if design.enter == "first_day" and presence.returned > MOST_RETURNING * presence.seen:
        return [
            f"returning: {presence.scaled(presence.returned):,} {design.unit}s are in several days of the folder, "
            f"and a trial "
            "of these days fails as evidence: collect all rows together, or name the column of entry ([columns] "
            "entered)"
        ]
    return []
