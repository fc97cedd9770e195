"""What an item on the diagnoses shelf is: a Symptom looks at the values of one run; `diagnose` applies every one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.sections import some
from rankproof.measuring.dialects.contract import Reading
from rankproof.measuring.evaluate import apply_reading
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS, Settings
from rankproof.measuring.report import Diagnosis
from rankproof.measuring.views import select

# How many queries a message names before it only counts.
NAMED = 3


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """What a rule may look at: the run's table, and the values of any measure on it.

    run     what the run is called
    table   only queries with a relevant document: of the others no ranking could do better
    level   the least grade that counts as relevant
    """

    run: str
    table: JudgedTable
    level: int = 1

    def by_query(self, text: str) -> NDArray[np.float64]:
        """A measure's value for each query of the table."""
        (variant,) = parse(text)
        return variant.measure.compute(self.table, variant)

    def value(self, text: str) -> float:
        """A measure's mean."""
        return float(self.by_query(text).mean())

    @property
    def relevant(self) -> NDArray[np.int64]:
        """How many relevant documents each query has."""
        return self.table.pool.relevant(self.level)

    def names(self, mask: NDArray[np.bool_]) -> str:
        """The first few of the queries that a mask selects, and how many more there are."""
        ids = [self.table.pool.query_ids[i] for i in np.flatnonzero(mask).tolist()]
        return some(ids, NAMED)


@dataclass(frozen=True, slots=True, eq=False)
class Symptom:
    """One item of the shelf. `page` says what it sees, why that matters, what to try, and its limits.

    looks    what is seen, in a sentence with the numbers; None where the pattern is not there
    reason   why it means something: a sentence
    remedy   what to try: a sentence
    """

    name: str
    page: str
    looks: Callable[[Chart], str | None]
    reason: str
    remedy: str
    severity: Literal["note", "warning"] = "note"

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def diagnose(self, chart: Chart) -> Diagnosis | None:
        """The diagnosis, or None where the pattern is not there."""
        message = self.looks(chart)
        if message is None:
            return None
        return Diagnosis(self.name, chart.run, message, self.reason, self.remedy, self.severity)


def diagnose(run: PreparedRun, name: str | None = None, settings: Settings = DEFAULT_SETTINGS) -> tuple[Diagnosis, ...]:
    """What each rule sees in the run, warnings first. `name` is what to call it, where that is not its own name.

    Values are those of rankproof's own definitions, whatever the dialect: rules are made for one meaning of a name.
    """
    reading = Reading()
    table = apply_reading(run.table(reading.order), reading, replace(settings, ties="rule"))
    level = 1 if settings.level is None else settings.level
    chart = Chart(name or run.name, select(table, table.pool.relevant(level) > 0), level)
    if len(chart.table) == 0:
        return ()
    symptoms: list[Symptom] = list(shelf.everything("diagnoses").values())
    diagnoses = [diagnosis for symptom in symptoms if (diagnosis := symptom.diagnose(chart)) is not None]
    if len(chart.table) < len(table):
        # A mean of the same name over all queries is another number: say which one this is.
        over = f"(Over the {len(chart.table)} of {len(table)} queries that have a relevant document.)"
        diagnoses = [replace(diagnosis, message=f"{diagnosis.message} {over}") for diagnosis in diagnoses]
    return tuple(sorted(diagnoses, key=lambda diagnosis: diagnosis.severity != "warning"))
