"""Bounding: least and greatest value and difference of a measure, by the way that its dependence on grades opens."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.dependence import (
    Best,
    Cut,
    Dependence,
    Fixed,
    Linear,
    Ordered,
    OverIdeal,
    PrecisionSum,
    Rising,
    Share,
)
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.holes.closed_forms import (
    Most,
    most_of_best,
    most_of_cut,
    most_of_precisions,
    most_of_share,
    most_of_sum,
    paired_precisions,
)
from rankproof.proving.holes.ideals import most_of_ideal
from rankproof.proving.holes.profiles import most_of_few, most_of_order, most_of_rising
from rankproof.proving.holes.world import World


def dependence(variant: Variant) -> Dependence | None:
    """How the variant says that it depends on grades."""
    return None if variant.measure.depends is None else variant.measure.depends(variant)


class Bounder:
    """The greatest values and differences of one measure in one world; each is found once."""

    def __init__(self, world: World, variant: Variant) -> None:
        self.world = world
        self.variant = variant
        self.form = dependence(variant)
        self._found: dict[tuple[int | None, int | None], Most] = {}

    def most(self, plus: int | None, minus: int | None) -> Most:
        """The greatest value of the run `plus` less that of `minus`, by query; None is no run, and worth 0."""
        key = plus, minus
        if key not in self._found:
            self._found[key] = self._most(plus, minus)
        return self._found[key]

    def _most(self, plus: int | None, minus: int | None) -> Most:
        if isinstance(self.form, Fixed):
            return Most.reached(self.world.now(plus, self.variant) - self.world.now(minus, self.variant))
        known = self._known(plus, minus)
        if known is None:
            known = self._outer(plus, minus)
        # Without end, or where a grade is one for each subtopic, there is no trying everything.
        if known.exact.all() or self.variant.measure.needs_subtopics or self.world.endless:
            return known
        wanted = np.flatnonzero(~known.exact).tolist()
        found = most_of_few(self.world, self.variant, self._grades(), plus, minus, wanted)
        queries, values = list(found), list(found.values())
        value, exact = known.value.copy(), known.exact.copy()
        value[queries], exact[queries] = values, True
        return Most(value, exact)

    def _known(self, plus: int | None, minus: int | None) -> Most | None:
        world, variant = self.world, self.variant
        match self.form:
            case Linear() as form:
                return most_of_sum(world, variant, form, plus, minus)
            case Best() as form:
                return most_of_best(world, variant, form, plus, minus)
            case Share() as form:
                return most_of_share(world, variant, form, plus, minus)
            case OverIdeal() as form:
                return most_of_ideal(world, variant, form, plus, minus)
            case PrecisionSum() as form:
                return most_of_precisions(world, variant, form, plus, minus)
            case Ordered() as form:
                return most_of_order(world, variant, form, plus, minus)
            case Cut() as form:
                return most_of_cut(world, variant, form, plus, minus)
            case Rising() as form:
                return most_of_rising(world, variant, form, plus, minus)
            case _:
                return None

    def _outer(self, plus: int | None, minus: int | None) -> Most:
        """What can be said without knowing the form: two runs one by one, and one run by the measure's range."""
        world, measure = self.world, self.variant.measure
        settled = (world.open_by_query == 0) & (not world.endless)
        if plus is not None and minus is not None:
            value = self.most(plus, None).value + self.most(None, minus).value
            if isinstance(self.form, PrecisionSum) and self.form.ratio and self.form.rel <= world.top:
                value = paired_precisions(world, self.form, plus, minus, Most(value, settled)).value
        else:
            value = np.full(len(world), measure.high if plus is not None else -measure.low)
        if settled.any():
            value[settled] = (world.now(plus, self.variant) - world.now(minus, self.variant))[settled]
        return Most(value, settled)

    def _grades(self) -> NDArray[np.int64]:
        """Grades that make a difference: where relevance is all that counts, two of them."""
        binary = isinstance(self.form, Best | Share | PrecisionSum | Ordered | Cut)
        return np.array([0, self.world.top]) if binary else np.arange(self.world.top + 1)
