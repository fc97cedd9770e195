"""The grade of the judge who is trusted most among those who graded the pair.

`judges` names them, the most trusted first. What the others said counts only where none of them graded the pair:
`otherwise` leaves it unresolved (the default) or takes the majority, whose ties stay unresolved. Where one of them has
both judged and settled the pair, the settling word is theirs. So one who settles
disagreements has the last word on what they settled, and the majority on the rest:
`trusted(judges=["ann"], otherwise="majority")`.

assumes: the order of trust is known
source: the relevance assessor of TREC, whose word stands: Voorhees, Variations in relevance judgments and the
    measurement of retrieval effectiveness, Information Processing and Management 36(5), 2000

Judges are called a, b, c, in the order of their grades:

>>> from rankproof.testing.judging import settled
>>> settled("trusted", 3, 1, 0, judges=["z", "b", "a"])
(1, 'trusted: b')
>>> settled("trusted", 3, 1, 1, judges=["z"])
(None, 'no trusted judge')
>>> settled("trusted", 3, 1, 1, judges=["z"], otherwise="majority")
(1, '2 of 3')
"""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.judging.adjudications import majority
from rankproof.judging.adjudications.contract import Adjudication, Settled, Values, given_alone
from rankproof.judging.records import Judgment, Scale
from rankproof.kernel.specs.kinds import REQUIRED, Choice, Param, Texts


def settle(votes: Sequence[Judgment], scale: Scale, values: Values) -> Settled:
    """The grade of the first of the trusted judges who gave one."""
    alone = given_alone(votes)
    grades = {vote.judge: vote.grade for vote in (*alone, *(vote for vote in votes if vote.settles))}
    for judge in values["judges"]:
        if judge in grades:
            return Settled(grades[judge], f"trusted: {judge}")
    if alone and values["otherwise"] == "majority":
        return majority.settle(alone, scale, {"ties": "unresolved"})
    return Settled(None, "no trusted judge")


OFFERS = (
    Adjudication(
        name="trusted",
        page=__doc__,
        settle=settle,
        settlings=True,
        params=(
            Param("judges", Texts(), REQUIRED, "judges by name, the most trusted first"),
            Param(
                "otherwise",
                Choice(("unresolved", "majority")),
                "unresolved",
                "what becomes of pairs that none of them graded",
            ),
        ),
    ),
)
