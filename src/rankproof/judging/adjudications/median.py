"""The grade in the middle: half of the judges gave no more, half gave no less.

With an even number of judges there may be two middle grades. Where they differ, `ties` decides: the lower (the
default), the higher, or the pair stays unresolved. One judge far off moves it less than the mean.

assumes: judges are equally good; grades have an order, however wide their steps
source: Galton, One vote, one value, Nature 75, 1907

>>> from rankproof.testing.judging import settled
>>> settled("median", 0, 2, 3)
(2, 'median')
>>> settled("median", 0, 1, 3, 3, ties="higher")
(3, 'tie, the higher')
"""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.judging.adjudications._ties import settle_tie, ties
from rankproof.judging.adjudications.contract import Adjudication, Settled, Values
from rankproof.judging.records import Judgment, Scale


def settle(votes: Sequence[Judgment], scale: Scale, values: Values) -> Settled:
    """The middle grade."""
    grades = sorted(vote.grade for vote in votes if vote.grade is not None)
    low, high = grades[(len(grades) - 1) // 2], grades[len(grades) // 2]
    return Settled(low, "median") if low == high else settle_tie([low, high], values["ties"])


OFFERS = (Adjudication(name="median", page=__doc__, settle=settle, params=(ties("lower"),)),)
