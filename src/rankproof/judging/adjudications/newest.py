"""The grade that was given last, whoever gave it.

For a single body of judges who correct each other. Last is what the store took in last: an act that was imported with a
time in the future comes no later than its place. A word that settles a pair is a grade like the others.

assumes: whoever judges later knows better
source: as a wiki keeps its pages

The second judge came later:

>>> from rankproof.testing.judging import settled
>>> settled("newest", 3, 1)
(1, 'newest of 2')
"""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.judging.adjudications.contract import Adjudication, Settled, Values
from rankproof.judging.records import Judgment, Scale


def settle(votes: Sequence[Judgment], scale: Scale, values: Values) -> Settled:
    """The last grade."""
    last = votes[-1]
    return Settled(last.grade, f"newest of {len(votes)}")


OFFERS = (Adjudication(name="newest", page=__doc__, settle=settle, settlings=True, by_order=True),)
