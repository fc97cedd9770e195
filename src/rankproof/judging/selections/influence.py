"""Pairs that would settle a comparison of runs most: those of `rankproof next`.

The weight of a pair is the step that its judgment is expected to make towards a certain sign of the difference between
`baseline` and each candidate, in the measure. What is judged enough weighs nothing and is left out; while nothing is
judged, what the runs rank differently at the top comes first.

assumes: the question is which of these runs is better, not how good each is; the pairs are no sample of anything, so
    values over them alone are biased
source: Carterette, Allan and Sitaraman, Minimal test collections for retrieval evaluation, SIGIR 2006; here with bounds
    for each measure, see `rankproof next`

>>> from rankproof.testing.judging import chosen
>>> runs = {"a": {"q1": "x y"}, "b": {"q1": "x z"}}
>>> chosen("influence(measure='P@2')", runs)
[('q1', 'y', 0.25), ('q1', 'z', 0.25)]
>>> chosen("influence(measure='P@2')", runs, {"q1 y": "ann=3"})
[('q1', 'z', 0.222737)]
"""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.selections.contract import PAIRS, Material, SelectedPair, Selection, Values, heaviest
from rankproof.kernel.specs.kinds import Param, Text, Texts


def select(material: Material, values: Values) -> Sequence[SelectedPair]:
    """The most deciding pair first."""
    names = tuple(material.runs)
    if len(names) < 2:
        raise UsageError(
            f"influence compares runs, and there {'is one' if names else 'is none'}. "
            "Add another run, or choose depth_pool."
        )
    baseline = values["baseline"] or names[0]
    candidates = values["candidates"] or tuple(name for name in names if name != baseline)
    for name in (baseline, *candidates):
        if name not in material.runs:
            raise UnknownName("run", name, names)
    if baseline in candidates:
        raise UsageError(f"{baseline!r} is the baseline and a candidate of influence. Name it once.")
    worths = material.worths((baseline, *candidates), values["measure"])
    return heaviest((SelectedPair(*pair, worth) for pair, worth in worths.items()), material.runs, values["pairs"])


OFFERS = (
    Selection(
        name="influence",
        page=__doc__,
        select=select,
        params=(
            Param("measure", Text(), "DCG@10", "what the runs are compared by"),
            Param("baseline", Text(), None, "a run; none is the one added first"),
            Param("candidates", Texts(), None, "runs compared with it; none is all others"),
            PAIRS,
        ),
        follows=True,
    ),
)
