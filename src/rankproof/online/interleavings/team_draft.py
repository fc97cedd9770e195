"""Two systems pick in turns, as captains pick teams: a click counts for the system whose pick it was.

In each round a coin says who picks first; each then takes its best document that is not yet in the list. Both have one
document of every two, and each rank is as often one's as the other's. Where the two rankings agree, clicks are shared
out by chance and only add noise.

assumes: one click says as much as another; where that is too simple, see probabilistic and optimized
source: Radlinski, Kurup and Joachims, How does clickthrough data reflect retrieval quality?, CIKM 2008

>>> from rankproof.online.interleaving.show import interleave
>>> shown = interleave({"old": ["a", "b", "c"], "new": ["b", "d", "a"]}, key="session 1, query 1", depth=3)
>>> shown.docs, shown.teams
(('b', 'a', 'd'), ('new', 'old', 'new'))
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.online.interleavings._key_rng import KeyRng
from rankproof.online.interleavings._rounds import drafted_in_rounds
from rankproof.online.interleavings.contract import Drafted, Interleaving, Rankings


def draft(rankings: Rankings, size: int, rng: KeyRng, values: Mapping[str, object]) -> Drafted:
    """One pick of each in every round."""
    return drafted_in_rounds(rankings, size, rng)


OFFERS = (Interleaving(name="team_draft", page=__doc__, draft=draft, even_wins=True),)
