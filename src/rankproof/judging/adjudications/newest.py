"""The grade that was given last, whoever gave it.

For a single body of judges who correct each other. Of two grades given at the same moment, the one whose key sorts
last counts, so that the same acts always give the same grade.

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
    last = max(votes, key=lambda vote: (vote.time, vote.key))
    return Settled(last.grade, f"newest of {len(votes)}")


OFFERS = (Adjudication(name="newest", page=__doc__, settle=settle),)
