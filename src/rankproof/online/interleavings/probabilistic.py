"""Each rank is drawn from one system's ranking made soft: a click counts for each system as far as it would show that.

At each rank a fair draw says whose turn it is, and that system draws one of its documents that are left, the one at
rank r of its ranking with a chance in proportion to 1 / r^decay. Any document may come at any rank, which team_draft
does not allow. A click on a document is credited not to the system that happened to draw it but to each by the
probability that it would have: P(system | document, list above). That takes the noise of the draw out, and gives
nothing to anybody for a document that all rank alike.

assumes: users bear with a list that is now and then worse than either ranking
source: Hofmann, Whiteson and de Rijke, A probabilistic method for inferring preferences from clicks, CIKM 2011,
    with the margin of clicks as outcome; three systems or more: Schuth and others, Probabilistic
    multileave for online retrieval evaluation, SIGIR 2015

With weights 1 and 1/8, "b" is drawn first with a chance of (1/9 + 8/9) / 2, and 8/9 of that is because of new:

>>> from rankproof.online.interleaving.show import interleave
>>> shown = interleave({"old": ["a", "b"], "new": ["b", "a"]}, key="session 1", method="probabilistic", depth=2)
>>> shown.docs, shown.systems, [[round(credit, 4) for credit in each] for each in shown.credits]
(('b', 'a'), ('new', 'old'), [[0.8889, 0.1111], [0.5, 0.5]])
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.online.interleavings._key_rng import KeyRng
from rankproof.online.interleavings.contract import Drafted, Interleaving, Rankings


@lru_cache(maxsize=256)
def _weights(length: int, decay: float) -> tuple[float, ...]:
    return tuple(rank**-decay for rank in range(1, length + 1))


def draft(rankings: Rankings, size: int, rng: KeyRng, values: Mapping[str, float]) -> Drafted:
    """A turn and a document for each rank; credit by the probability of each system to draw it."""
    systems = list(rankings)
    places = [{doc: i for i, doc in enumerate(ranking)} for ranking in rankings.values()]
    # The weight of what has been shown is set to 0.
    left = [list(_weights(len(ranking), values["decay"])) for ranking in rankings.values()]
    drafted = Drafted([], [], [])
    for _ in range(size):
        totals = [sum(weights) for weights in left]
        turn = rng.below(len(systems))
        doc = rankings[systems[turn]][_drawn(left[turn], rng.draw() * totals[turn])]
        at = [place.get(doc) for place in places]
        odds = [0.0 if i is None else w[i] / total for i, w, total in zip(at, left, totals, strict=True)]
        whole = sum(odds)
        for i, weights in zip(at, left, strict=True):
            if i is not None:
                weights[i] = 0.0
        drafted.docs.append(doc)
        drafted.credits.append(tuple(chances / whole for chances in odds))
        drafted.teams.append(systems[turn])
    return drafted


def _drawn(weights: list[float], mark: float) -> int:
    """The place whose weight reaches over the mark; the last one that is left where rounding goes past the end."""
    last = -1
    for i, weight in enumerate(weights):
        if weight > 0:
            last = i
            mark -= weight
            if mark < 0:
                break
    return last


OFFERS = (
    Interleaving(
        name="probabilistic",
        page=__doc__,
        draft=draft,
        params=(Param("decay", Number(0, 10), 3.0, "how fast the chance of a document falls with its rank"),),
        most=None,
    ),
)
