"""tau AP: the rank correlation of two rankings, in which a swap near the top costs more than one below.

For each document of the first ranking but its top one: the share of the documents above it that the second
ranking, the reference, also has above it. The mean of these shares, stretched from -1 (reversed) to 1 (the
same order). Only documents that both rankings have are looked at. The rankings may not change places.

range: -1 to 1
undefined: the rankings have fewer than two documents in common
source: Yilmaz, Aslam and Robertson, A new rank correlation coefficient for information retrieval, SIGIR 2008

First b, a, c against a, b, c: above a only b, which is wrong; above c both are right: 2 (0 + 1) / 2 - 1 = 0:

>>> from rankproof.testing import alike
>>> alike("TauAP", ["b", "a", "c"], ["a", "b", "c"])
0.0
>>> alike("TauAP", ["a", "c", "b"], ["a", "b", "c"])
0.5
"""

from __future__ import annotations

from bisect import bisect_left, insort

from rankproof.measuring.similarities.contract import Pairing, Ranking, Similarity


def tau_ap(a: Ranking, b: Ranking, pairing: Pairing) -> float | None:
    """Mean share of documents rightly above, from -1 to 1."""
    place = {doc: i for i, doc in enumerate(b)}
    common = [place[doc] for doc in a if doc in place]
    if len(common) < 2:
        return None
    above: list[int] = []
    total = 0.0
    for i, reference in enumerate(common):
        if i:
            total += bisect_left(above, reference) / i
        insort(above, reference)
    return 2.0 * total / (len(common) - 1) - 1.0


OFFERS = (
    Similarity(
        name="TauAP",
        page=__doc__,
        compare=tau_ap,
        symmetric=False,
        low=-1.0,
        spellings=("tauap", "tau_ap"),
    ),
)
