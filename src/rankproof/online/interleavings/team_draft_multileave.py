"""Three systems or more pick in turns: a click counts for the system whose pick it was.

In each round the order of the systems is drawn anew, and each takes its best document that is not yet in the list. With
two systems it is team_draft. With more systems than ranks, some have no document in a list, each as often as any other.

assumes: one click says as much as another; comparing many systems at once takes traffic for each, and a correction
source: Schuth, Sietsma, Whiteson, Lefortier and de Rijke, Multileaved comparisons for fast online evaluation, CIKM
    2014

>>> from rankproof.online.interleaving.show import interleave
>>> rankings = {"a": ["x", "y", "z"], "b": ["y", "z", "x"], "c": ["w", "x", "y"]}
>>> shown = interleave(rankings, key="session 1, query 1", method="team_draft_multileave", depth=3)
>>> shown.docs, shown.teams
(('x', 'y', 'w'), ('a', 'b', 'c'))
"""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.online.interleavings._key_rng import KeyRng
from rankproof.online.interleavings._rounds import drafted_in_rounds
from rankproof.online.interleavings.contract import Drafted, Interleaving, Rankings


def draft(rankings: Rankings, size: int, rng: KeyRng, values: Mapping[str, object]) -> Drafted:
    """One pick of each in every round."""
    return drafted_in_rounds(rankings, size, rng)


OFFERS = (Interleaving(name="team_draft_multileave", page=__doc__, draft=draft, most=None, even_wins=True),)
