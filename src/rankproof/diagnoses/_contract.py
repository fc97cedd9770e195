"""What an item on the diagnoses shelf is: Symptom, a rule that looks at the values of one run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from rankproof.records.diagnosis import Diagnosis
from rankproof.records.judged import JudgedTable


@dataclass(frozen=True, slots=True, eq=False)
class Chart:
    """What a rule may look at: the run's table, and the value of any measure on it.

    value   canonical text of a measure -> its mean, computed when asked for
    """

    run: str
    table: JudgedTable
    value: Callable[[str], float]


@dataclass(frozen=True, slots=True, eq=False)
class Symptom:
    """One item of the shelf. `page` is the module's docstring: what it sees, why, what to try, and its limits.

    looks    gives the diagnosis, or None where the pattern is not there
    """

    name: str
    page: str
    looks: Callable[[Chart], Diagnosis | None]
    severity: Literal["note", "warning"] = "note"

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
