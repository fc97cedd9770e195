"""Pairs whose judges disagree, the widest apart first: one more judge for each, up to a number.

The weight of a pair is the distance between the lowest and the highest grade it has. By `between`, all judges count,
models too; or only people; or only how far a model is from a person. Each pair is asked about until `judges` people
have graded it: what is still split then is for somebody to settle.

assumes: a wide split is a misunderstanding or a hard case, and another pair of eyes helps with both
source: Aroyo and Welty, Truth is a lie: crowd truth and the seven myths of human annotation, AI Magazine 36(1), 2015;
    Sheng, Provost and Ipeirotis, Get another label?, KDD 2008

>>> from rankproof.testing.judging import chosen
>>> said = {"q1 x": "ann=0 bob=3", "q1 y": "ann=2 bob=2", "q1 z": "ann=1 gpt:model=3"}
>>> chosen("disagreement", {"a": {"q1": "x y z"}}, said)
[('q1', 'x', 3.0), ('q1', 'z', 2.0)]
>>> chosen("disagreement(between='people')", {"a": {"q1": "x y z"}}, said)
[('q1', 'x', 3.0)]
>>> chosen("disagreement(between='model_and_person')", {"a": {"q1": "x y z"}}, said)
[('q1', 'z', 2.0)]
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from rankproof.judging.selections.contract import PAIRS, Material, SelectedPair, Selection, Values, heaviest
from rankproof.kernel.specs.kinds import Choice, Param, Whole


def select(material: Material, values: Values) -> Sequence[SelectedPair]:
    """The widest split first."""
    people: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    models: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for judgment in material.judgments:
        if judgment.grade is not None and judgment.source.kind in ("person", "model"):
            (people if judgment.source.kind == "person" else models)[judgment.query_id, judgment.doc_id].append(
                judgment.grade
            )
    spread = _SPREADS[values["between"]]
    selected = []
    for pair in dict.fromkeys((*people, *models)):
        apart = spread(people.get(pair, []), models.get(pair, []))
        if apart > 0:
            selected.append(SelectedPair(*pair, float(apart), wanted=values["judges"]))
    return heaviest(selected, material.runs, values["pairs"])


def _anybody(people: Sequence[int], models: Sequence[int]) -> int:
    every = (*people, *models)
    return max(every) - min(every)


def _people(people: Sequence[int], models: Sequence[int]) -> int:
    return max(people) - min(people) if people else 0


def _across(people: Sequence[int], models: Sequence[int]) -> int:
    return max((abs(person - model) for person in people for model in models), default=0)


_SPREADS = {"anybody": _anybody, "people": _people, "model_and_person": _across}

OFFERS = (
    Selection(
        name="disagreement",
        page=__doc__,
        select=select,
        params=(
            Param("between", Choice(tuple(_SPREADS)), "anybody", "whose grades are held against each other"),
            Param("judges", Whole(least=2), 3, "people after whom a pair is no longer asked about"),
            PAIRS,
        ),
        follows=True,
    ),
)
