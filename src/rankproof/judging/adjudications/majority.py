"""The grade that most judges gave.

The most common grade wins, also where it has less than half of the judges. Where two grades or more are given equally
often, `ties` decides: the pair stays unresolved (the default), or gets the lower or the higher of them.

assumes: judges are equally good; grades need no order
source: Snow, O'Connor, Jurafsky and Ng, Cheap and fast, but is it good?, EMNLP 2008

>>> from rankproof.testing.judging import settled
>>> settled("majority", 2, 2, 0)
(2, '2 of 3')
>>> settled("majority", 2, 0)
(None, 'tie')
>>> settled("majority", 2, 0, ties="lower")
(0, 'tie, the lower')
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rankproof.judging.adjudications._ties import settle_tie, ties
from rankproof.judging.adjudications.contract import Adjudication, Settled, Values
from rankproof.judging.records import Judgment, Scale


def settle(votes: Sequence[Judgment], scale: Scale, values: Values) -> Settled:
    """The most common grade."""
    counts = Counter(vote.grade for vote in votes if vote.grade is not None)
    most = max(counts.values())
    first = [grade for grade, count in counts.items() if count == most]
    if len(first) > 1:
        return settle_tie(first, values["ties"])
    return Settled(first[0], f"{most} of {len(votes)}")


OFFERS = (Adjudication(name="majority", page=__doc__, settle=settle, params=(ties("unresolved"),)),)
