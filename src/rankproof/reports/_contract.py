"""What an item on the reports shelf is: Report, which turns evaluations into one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from rankproof.records.evaluation import Evaluation


class Render(Protocol):
    """The text of one or more evaluations, all of the same measures, in the order given.

    per_query   show each query's values, and not only the values of all queries together
    observed    what was seen while working and differs from time to time, such as seconds; a form that
                cannot set it apart leaves it out, so that the same input always gives the same text
    """

    def __call__(self, evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, Any]) -> str:
        """The text; it ends in a line end."""


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """One item of the shelf. `page` is the module's docstring. A report formats; it never calculates.

    render   makes the text
    ending   the usual ending of a file that holds it
    mime     its media type
    """

    name: str
    page: str
    render: Render
    ending: str
    mime: str

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]
