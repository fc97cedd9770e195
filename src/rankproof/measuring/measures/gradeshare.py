"""Share of one grade: how much of the first k has exactly this grade, or has no judgment.

Documents of that grade in the first k, over k, even when fewer were returned. `grade=unjudged` counts the
documents in the first k that nobody judged. Grades are those of the qrels, so all shares and what is
missing to k ranks add up to 1. Whether more is better depends on the grade: no direction is stated.

range: 0 to 1
undefined: never
source: rankproof

>>> from rankproof.testing import value
>>> value("GradeShare(grade=3)@5", ranking=[3, None, 0, 3])
0.4
>>> value("GradeShare(grade=unjudged)@5", ranking=[3, None, 0, 3])
0.2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.specs.kinds import REQUIRED, Kind, Param
from rankproof.measuring.dependence import Fixed, Linear
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures._expected import probability_within
from rankproof.measuring.measures.contract import Mask, Measure, Values, Variant, never


@dataclass(frozen=True, slots=True)
class GradeKind(Kind):
    """A grade, or the word `unjudged`, held as None."""

    def read(self, value: object) -> int | None:
        """The grade, or None for unjudged."""
        return None if value is None else self.parse(str(value))

    def parse(self, text: str) -> int | None:
        """The grade, or None for unjudged."""
        try:
            return None if text == "unjudged" else int(text)
        except ValueError:
            raise ValueError(f"must be a whole number or unjudged; got {text!r}") from None

    def show(self, value: int | None) -> str:
        """The grade's digits, or the word."""
        return "unjudged" if value is None else str(value)


GRADE = Param("grade", GradeKind(), REQUIRED, "the grade to count: a whole number, or unjudged")


def counted(table: JudgedTable, variant: Variant) -> Mask:
    """For each row, whether it has the grade; for unjudged, whether it is judged (and so does not count)."""
    if variant["grade"] is None:
        return table.judged
    here: Mask = table.judged & (table.grade == variant["grade"])
    return here


def share(counts: Values, table: JudgedTable, variant: Variant) -> Values:
    """The count over k; the judged ones are first subtracted from what was returned when the grade is "unjudged"."""
    assert variant.k is not None
    if variant["grade"] is None:
        counts = np.minimum(table.retrieved, variant.k) - counts
    return counts / variant.k


def grade_share(table: JudgedTable, variant: Variant) -> Values:
    """Documents of the grade in the first k, over k."""
    here = counted(table, variant) & table.within(variant.k)
    return share(table.count(here).astype(float), table, variant)


def expected(table: JudgedTable, variant: Variant) -> Values:
    """Each row counts with its probability of being in the first k."""
    assert variant.k is not None
    probability = probability_within(table, variant.k)
    return share(table.sum(counted(table, variant) * probability), table, variant)


def worth(table: JudgedTable, variant: Variant) -> Values:
    """A document of the grade moved up adds; with unjudged, a judged one takes away."""
    sign = -1.0 if variant["grade"] is None else 1.0
    return sign * counted(table, variant).astype(np.float64)


def fine_print(table: JudgedTable, variant: Variant) -> str:
    """The divisor in words."""
    return "over k"


def depends(variant: Variant) -> Fixed | Linear:
    """Each document of the grade in the first k adds the same."""
    k, grade = variant.k, variant["grade"]
    assert k is not None
    if grade is None:
        return Fixed("says what is judged now")

    def weight(rank: NDArray[Any], retrieved: NDArray[Any]) -> Values:
        share: Values = (rank <= k) / float(k)
        return share

    return Linear(weight, lambda given: (given == grade).astype(np.float64))


OFFERS = (
    Measure(
        name="GradeShare",
        page=__doc__,
        formula=r"\mathrm{GradeShare}(\mathrm{grade}=g)\mathrm{@}k = \frac{1}{k} \sum_{i=1}^{k} [g_i = g]",
        compute=grade_share,
        params=(GRADE,),
        cutoff="required",
        undefined=never,
        better="neither",
        fine_print=fine_print,
        expected=expected,
        worth=worth,
        depends=depends,
        spellings=("gradeshare", "grade_share"),
    ),
)
