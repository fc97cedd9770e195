"""Rank-biased overlap: how alike two rankings are, with the top counting most.

At each depth d the agreement is the number of documents both have in their first d, over d; the value is
the mean agreement with weights (1 - p) p^(d - 1). This is RBO_ext: the agreement seen at the end of the
lists is extrapolated to endless depth, and lists of different lengths are extended as in equation 32 of the
paper. Rankings are taken as they stand, so ties must have been broken.

range: 0 to 1
undefined: both rankings are empty
source: Webber, Moffat and Zobel, A similarity measure for indefinite rankings, TOIS 28(4), 2010, equation 32

Agreement 0 at depth 1 and 1 at depth 2 and ever after: with p = 0.5 the weight from depth 2 on is 0.5:

>>> from rankproof.testing import alike
>>> alike("RBO(p=0.5)", ["a", "b"], ["b", "a"])
0.5
>>> alike("RBO", ["a", "b", "c"], ["a", "b", "c"])
1.0
"""

from __future__ import annotations

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.measuring.similarities.contract import Pairing, Ranking, Similarity

PATIENCE = Param(
    "p",
    Number(0, 1, open_low=True, open_high=True),
    0.9,
    "how much weight a depth has, against the one above",
)


def rank_biased_overlap(a: Ranking, b: Ranking, pairing: Pairing) -> float | None:
    """RBO_ext of two rankings without ties."""
    if not a and not b:
        return None
    if not a or not b:
        return 0.0
    p = float(pairing["p"])
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    ends, whole = len(short), len(long)
    seen_short: set[str] = set()
    seen_long: set[str] = set()
    overlap, at_short, total, weight = 0, 0, 0.0, 1.0
    for d in range(1, whole + 1):
        new = long[d - 1]
        seen_long.add(new)
        if d <= ends:
            other = short[d - 1]
            seen_short.add(other)
            # A document both add at this depth is one of the overlap, not two.
            overlap += (new in seen_short) + (other in seen_long and other != new)
            at_short = overlap
        else:
            overlap += new in seen_short
        weight *= p
        total += overlap / d * weight
        if d > ends:
            # Below its end, the short list is assumed to agree as much as at its end.
            total += at_short * (d - ends) / (ends * d) * weight
    return (1 - p) / p * total + ((overlap - at_short) / whole + at_short / ends) * weight


OFFERS = (
    Similarity(
        name="RBO",
        page=__doc__,
        compare=rank_biased_overlap,
        params=(PATIENCE,),
        spellings=("rbo", "rank_biased_overlap"),
    ),
)
