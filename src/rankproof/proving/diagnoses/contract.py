"""What an item on the diagnoses shelf is: Symptom, a rule that looks at the values of one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.names import parse
from rankproof.measuring.report import Diagnosis

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
        shown = ", ".join(ids[:NAMED])
        return shown if len(ids) <= NAMED else f"{shown} and {len(ids) - NAMED} more"


@dataclass(frozen=True, slots=True, eq=False)
class Symptom:
    """One item of the shelf. `page` is the module's docstring: what it sees, why, what to try, and its limits.

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
