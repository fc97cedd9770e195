"""Entering: one unit is one unit, on however many days its rows are: it counts from the day on which it enters.

With `enter = "first_day"` the rows of a unit in the window from its day of entry on are added up, and count on the
day of entry; later ones do not count. With "every_day" it counts anew on each day. A unit that was seen in two
variants, on one day or on several, belongs to neither, on all of its days.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.sections import counted, percent
from rankproof.online.trial.day_trace import days_between
from rankproof.online.trial.records import ROWS, TrialDesign
from rankproof.online.trial.unit_columns import UnitColumn, UnitColumns
from rankproof.online.trial.unit_ids import folded
from rankproof.online.trial.unit_sums import UnitSums, UnitTable

# Rows of units that count on another day.
ENTERED_BEFORE = "rows of units that entered on another day"
# What is told of units, as the keys of doubts and of messages.
LOOK_ALIKE = "units whose ids differ only by case, blanks or Unicode form; they count as different"
RETURNED = "units that came back on another day and count again"


@dataclass(slots=True)
class Crowd:
    """Counts over all units that were collected together.

    units      distinct ones
    unit_days  on how many days they were seen, together
    crossing   of them seen in two variants
    alike      of them with an id that differs from another's only by case, blanks or Unicode form
    returned   by date, units that counted before and count again
    late       by date, rows that do not count since their unit entered on another day
    """

    units: int = 0
    unit_days: int = 0
    crossing: int = 0
    alike: int = 0
    returned: Counter[str] = field(default_factory=Counter)
    late: Counter[str] = field(default_factory=Counter)

    def refuse_crossing(self, design: TrialDesign) -> None:
        """An error where more units were seen in two variants than the design allows; one is no pattern."""
        if self.crossing > max(1.0, design.exclude.crossing * self.units):
            raise InputError(
                f"{counted(self.crossing, design.unit)} of {self.units:,} "
                f"({percent(round(self.crossing / self.units, 4))}) were seen in two variants; the design allows "
                f"{percent(design.exclude.crossing)}. Who sees both shows the effect of neither, and leaving out many "
                "leaves out those who come often. Mend the assignment; or state another share before the trial: "
                "[exclude] crossing."
            )


def enter_units(tables: dict[str, UnitTable], design: TrialDesign, summing: UnitSums, crowd: Crowd) -> None:
    """Puts the rows of each unit on its day of entry, and marks what does not count."""
    first: dict[str, tuple[str, int]] = {}
    crossing: set[str] = set()
    rows_at = summing.slots.index(UnitColumn(ROWS, "count"))
    for date in sorted(tables):
        table = tables[date]
        crossing.update(name for name, place in table.names.items() if place in table.mixed)
        again: list[tuple[int, str, int]] = []
        for name, place in table.names.items():
            entry = first.setdefault(name, (date, place))
            if entry[0] != date:
                again.append((place, *entry))
                if tables[entry[0]].marks[entry[1]][0] != table.marks[place][0]:
                    crossing.add(name)
        if again and design.enter == "every_day":
            crowd.returned[date] += len(again)
        elif again:
            _fold(tables, date, again, design, summing, crowd, rows_at)
    for name in crossing:
        for table in tables.values():
            at = table.names.get(name)
            if at is not None:
                table.mixed.add(at)
    crowd.units += len(first)
    crowd.unit_days += sum(len(table.names) for table in tables.values())
    crowd.crossing += len(crossing)
    crowd.alike += _look_alike(first)


def _fold(
    tables: dict[str, UnitTable],
    date: str,
    again: list[tuple[int, str, int]],
    design: TrialDesign,
    summing: UnitSums,
    crowd: Crowd,
    rows_at: int,
) -> None:
    """Adds the rows of returning units to their day of entry, where that is within the window."""
    table = tables[date]
    for entry in sorted({entered for _, entered, _ in again}):
        pairs = [(place, before) for place, entered, before in again if entered == entry]
        places = np.array([place for place, _ in pairs])
        if not design.columns.entered and days_between(entry, date) < design.window:
            summing.merge(tables[entry], np.array([before for _, before in pairs]), table.sums[places])
        else:
            crowd.late[date] += int(table.sums[places, rows_at].sum())
    table.gone.update(place for place, _, _ in again)


def _look_alike(names: dict[str, tuple[str, int]]) -> int:
    """How many units have an id that differs from another's only by case, blanks or Unicode form."""
    forms = Counter(map(folded, names))
    if len(forms) == len(names):
        return 0
    return sum(n for n in forms.values() if n > 1)


def counting(table: UnitTable, slots: UnitColumns, design: TrialDesign) -> tuple[np.ndarray, np.ndarray, int]:
    """The places of units that count, of those left out as programs, and how many are left out for two variants."""
    places = np.arange(len(table.marks))
    here = np.ones(len(places), dtype=np.bool_)
    here[list(table.gone)] = False
    mixed = [place for place in table.mixed if place not in table.gone]
    here[mixed] = False
    busy = np.zeros(len(places), dtype=np.bool_)
    if design.exclude.rows is not None:
        busy = here & (slots.at(table.sums[: len(places)], ROWS, "count") > design.exclude.rows)
    return places[here & ~busy], places[busy], len(mixed)
