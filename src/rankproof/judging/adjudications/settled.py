"""The grade of whoever settled the disagreement; the other judges' where nobody did.

A judgment that was given to settle a disagreement, on the page Settle, counts before all others on its pair, and on
its pair alone: other than `trusted`, it leaves what the same person judged elsewhere equal to what others did. Where
several words settle a pair, the last one in the order of the store counts, whatever their times say. On the other pairs
`otherwise` decides: the majority (the default), whose ties stay unresolved; the median, whose ties get the lower grade;
or they stay unresolved.

assumes: whoever settles has read what the judges said
source: adjudication by a further assessor: Artstein and Poesio, Inter-coder agreement for computational linguistics,
    Computational Linguistics 34(4), 2008

Two judges disagree; then `c` settles the pair:

>>> from rankproof.testing.judging import settled
>>> settled("settled", 3, 1)
(None, 'tie')
>>> settled("settled", 3, 1, 0, settles=["c"])
(0, 'settled: c')
"""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.judging.adjudications import majority, median
from rankproof.judging.adjudications.contract import Adjudication, Settled, Values, last_settling
from rankproof.judging.records import Judgment, Scale
from rankproof.kernel.specs.kinds import Choice, Param


def settle(votes: Sequence[Judgment], scale: Scale, values: Values) -> Settled:
    """The last grade that settles, or what the judges come to."""
    last = last_settling(votes)
    if last is not None:
        return Settled(last.grade, f"settled: {last.judge}")
    if values["otherwise"] == "majority":
        return majority.settle(votes, scale, {"ties": "unresolved"})
    if values["otherwise"] == "median":
        return median.settle(votes, scale, {"ties": "lower"})
    return Settled(None, "not settled")


OFFERS = (
    Adjudication(
        name="settled",
        page=__doc__,
        settle=settle,
        settlings=True,
        params=(
            Param(
                "otherwise",
                Choice(("majority", "median", "unresolved")),
                "majority",
                "what becomes of pairs that nobody settled",
            ),
        ),
    ),
)
