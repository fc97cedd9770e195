"""The lists that two systems could make by turns, each with the chance that makes the comparison most sensitive.

A list is possible where each next document is the best that is left of one of the two rankings, so that nobody sees an
order that neither stands for. A click earns a system how much higher it ranks the document than the other does, by the
inverse or by the number of the rank (one below the last for a document that it has not). A linear program gives each
list its chance: at every rank the expected credit is the same for both, and among the chances that do so, it takes
those with the greatest expected sensitivity: how undecided a list leaves it who will earn more, for users who look at
rank r with weight 1 / r. Where the rankings agree, nothing is earned and no noise comes in.

The program is solved exactly for the first `top` ranks, in milliseconds, and remembered for rankings that come again.
Should there be no such chances, the list is drafted in teams, and says so by having teams.

The inverse makes nearly all of the credit one for the first two or three ranks: it tells whose top is preferred. By the
number of the rank, all of the list tells alike, as a measure over ten ranks would have it.

assumes: a document that is ranked much higher tells more; the systems need not come first equally often
source: Radlinski and Craswell, Optimized interleaving for online retrieval evaluation, WSDM 2013

Rankings a b and b a: the lists are a b and b a. A click on a is worth 1 - 1/2 to old, one on b the same to new:

>>> from rankproof.online.interleaving.show import interleave
>>> shown = interleave({"old": ["a", "b"], "new": ["b", "a"]}, key="session 1", method="optimized", depth=2)
>>> shown.docs, shown.systems, shown.credits
(('b', 'a'), ('new', 'old'), ((0.5, 0.0), (0.0, 0.5)))
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rankproof.kernel.specs.kinds import Choice, Param, Whole
from rankproof.online.interleavings._key_rng import KeyRng
from rankproof.online.interleavings._rounds import drafted_in_rounds
from rankproof.online.interleavings.contract import Drafted, Interleaving, Rankings

if TYPE_CHECKING:
    from rankproof.online.interleavings._simplex import Floats

Ranked = tuple[str, ...]


def draft(rankings: Rankings, size: int, rng: KeyRng, values: Mapping[str, Any]) -> Drafted:
    """One of the possible lists, drawn with its probability."""
    size = min(size, values["top"])
    if size == 0:
        return Drafted([], [], [])
    first, second = (tuple(ranking[:size]) for ranking in rankings.values())
    solved = _solved(first, second, values["credit"])
    if solved is None:
        return drafted_in_rounds(rankings, size, rng)
    lists, ends = solved
    docs = lists[bisect_right(ends, rng.draw() * ends[-1], hi=len(ends) - 1)]
    leads = [_lead(doc, first, second, values["credit"]) for doc in docs]
    return Drafted(list(docs), [(max(lead, 0.0), max(-lead, 0.0)) for lead in leads], [None] * size)


@lru_cache(maxsize=4096)
def _solved(first: Ranked, second: Ranked, credit: str) -> tuple[tuple[Ranked, ...], tuple[float, ...]] | None:
    """The lists with a positive probability, and the cumulated probabilities; None where none are fair."""
    import numpy as np  # here: a server that interleaves otherwise does without

    from rankproof.online.interleavings._simplex import best_mixture

    lists = possible(first, second)
    lead = {doc: _lead(doc, first, second, credit) for doc in {*first, *second}}
    leads = np.array([[lead[doc] for doc in each] for each in lists])
    weights = 1 / np.arange(1, len(first) + 1)
    ours, theirs = (leads > 0) @ weights, (leads < 0) @ weights
    # Rounded, so that the last digit of a logarithm, which differs between machines, decides nothing.
    gain = np.round(_sensitivity(ours, theirs, float(weights.sum())), 9)
    shares = best_mixture(np.ascontiguousarray(leads.T), gain)
    if shares is None:
        return None
    possible_lists = [(each, float(share)) for each, share in zip(lists, shares, strict=True) if share > 0]
    return tuple(each for each, _ in possible_lists), tuple(accumulate(share for _, share in possible_lists))


def possible(first: Ranked, second: Ranked) -> list[Ranked]:
    """Every list of the length of `first` whose every prefix is made of a prefix of each ranking."""
    lists: list[Ranked] = [()]
    for _ in first:
        longer = []
        for each in lists:
            ours = next(doc for doc in first if doc not in each)
            theirs = next(doc for doc in second if doc not in each)
            longer.append((*each, ours))
            if theirs != ours:
                longer.append((*each, theirs))
        lists = longer
    return lists


def _lead(doc: str, first: Ranked, second: Ranked, credit: str) -> float:
    """How much higher the first ranking has the document; below 0 where the second has it higher."""
    ranks = [ranking.index(doc) + 1 if doc in ranking else len(ranking) + 1 for ranking in (first, second)]
    return float(ranks[1] - ranks[0]) if credit == "linear" else 1 / ranks[0] - 1 / ranks[1]


def _sensitivity(ours: Floats, theirs: Floats, whole: float) -> Floats:
    """The entropy of who earns, times the share of clicks by which anybody does."""
    import numpy as np

    either = ours + theirs
    share = np.divide(ours, either, out=np.zeros_like(either), where=either > 0)
    entropy = np.zeros_like(share)
    for part in (share, 1 - share):
        entropy -= part * np.log2(part, out=np.zeros_like(part), where=part > 0)
    return either / whole * entropy


OFFERS = (
    Interleaving(
        name="optimized",
        page=__doc__,
        draft=draft,
        params=(
            Param("credit", Choice(("inverse", "linear")), "inverse", "what a click is worth: by 1/rank or by rank"),
            Param("top", Whole(), 10, "ranks that are drafted and credited; each more doubles the lists to look at"),
        ),
    ),
)
