"""Duels: two variants at a time, from preferences among two to four.

Whoever prefers one of several says that it beats each of the others, and nothing about the others among themselves.
"Equally good" is a tie of every pair. The query is what counts once: where several judges compared the same two, the
side that more of them prefer wins the query, and an even split is a tie.

Ties are left out of the share of wins, as in the sign test, whose p-value this is: as many fair coins as there are
queries that are no ties. The interval holds every share that the same test does not reject, so that the two never
contradict each other.

source: Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
Biometrika 26, 1934
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import combinations

import numpy as np

from rankproof import shelf
from rankproof.corrections._contract import Correction, Tests
from rankproof.records.estimate import Estimate, NotEstimable
from rankproof.records.judging import Preference
from rankproof.records.preferring import Duel

METHOD = "sign"
LEVEL = 0.95


def duels(preferences: Iterable[Preference], variants: Sequence[str], level: float = LEVEL) -> tuple[Duel, ...]:
    """Every pair of the variants that was compared, with Holm's correction over these pairs."""
    scores = _scores(preferences)
    pairs = [pair for pair in combinations(variants, 2) if pair in scores or pair[::-1] in scores]
    counts = [_counts(scores, *pair) for pair in pairs]

    def answers(at: float) -> list[Estimate | NotEstimable]:
        return [share_of_wins(wins, losses, at) for wins, _, losses in counts]

    plain = answers(level)
    holm: Correction = shelf.find("corrections", "holm")
    adjusted = holm.adjust(Tests(plain, answers, (), level, 0), np.random.default_rng(0))
    return tuple(
        Duel(*pair, *count, share, corrected)
        for pair, count, share, corrected in zip(pairs, counts, plain, adjusted, strict=True)
    )


def share_of_wins(wins: int, losses: int, level: float = LEVEL) -> Estimate | NotEstimable:
    """The share of wins with its interval, and the p-value of even chances; ties are not among them."""
    from scipy.special import bdtr, betaincinv  # here: loading scipy is for those who test

    n = wins + losses
    if n == 0:
        return NotEstimable("no query was won or lost", METHOD, 0)
    beyond = (1 - level) / 2
    low = float(betaincinv(wins, losses + 1, beyond)) if wins else 0.0
    high = float(betaincinv(wins + 1, losses, 1 - beyond)) if losses else 1.0
    p = min(1.0, 2 * float(bdtr(min(wins, losses), n, 0.5)))
    return Estimate(wins / n, low, high, p, level, METHOD, n, null=0.5)


def _scores(preferences: Iterable[Preference]) -> dict[tuple[str, str], Counter[str]]:
    """For each pair: by query, how many more judges prefer the first to the second."""
    found: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for said in preferences:
        for first, second in combinations(sorted(said.variants), 2):
            if said.preferred in (None, first, second):
                found[first, second][said.query_id] += (said.preferred == first) - (said.preferred == second)
    return dict(found)


def _counts(scores: dict[tuple[str, str], Counter[str]], first: str, second: str) -> tuple[int, int, int]:
    """Queries that the first wins, ties and loses."""
    turned = (first, second) not in scores
    net = list(scores[(second, first) if turned else (first, second)].values())
    above, below = sum(score > 0 for score in net), sum(score < 0 for score in net)
    wins, losses = (below, above) if turned else (above, below)
    return wins, len(net) - wins - losses, losses
