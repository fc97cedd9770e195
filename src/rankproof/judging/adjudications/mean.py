"""The grade of the scale that is nearest to the mean of all grades.

The mean is taken exactly, as a fraction. Where it lies halfway between two grades, `ties` decides: the lower (the
default: a document should not look better than its judges found it), the higher, or the pair stays unresolved.

assumes: judges are equally good, and the steps of the scale are equally wide
source: the mean opinion score, ITU-T Recommendation P.800, 1996

5/3 is nearest to 2; 1/2 is halfway between 0 and 1:

>>> from rankproof.testing.judging import settled
>>> settled("mean", 0, 2, 3)
(2, 'mean')
>>> settled("mean", 0, 1)
(0, 'tie, the lower')
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rankproof.judging.adjudications._ties import settle_tie, ties
from rankproof.judging.adjudications.contract import Adjudication, Settled, Values
from rankproof.judging.records import Judgment, Scale


def settle(votes: Sequence[Judgment], scale: Scale, values: Values) -> Settled:
    """The nearest grade of the scale."""
    grades = [vote.grade for vote in votes if vote.grade is not None]
    mean = Fraction(sum(grades), len(grades))
    least = min(abs(grade - mean) for grade in scale.grades)
    nearest = [grade for grade in scale.grades if abs(grade - mean) == least]
    return settle_tie(nearest, values["ties"]) if len(nearest) > 1 else Settled(nearest[0], "mean")


OFFERS = (Adjudication(name="mean", page=__doc__, settle=settle, params=(ties("lower"),)),)
