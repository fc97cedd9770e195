"""Space: every ranking that a query could have, as boxes around values, from coarse to fine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from rankproof.flow.audit.pools import Grades
from rankproof.flow.audit.rankings import Matrix, Ranking, values
from rankproof.flow.audit.shapes import Shape, roots
from rankproof.measures._contract import Variant
from rankproof.records.audit import Placement

# A box narrower than this is a point.
POINT = 1e-12
# How many shapes are looked at in one pass: NumPy likes company.
AT_ONCE = 1024


@dataclass(frozen=True, slots=True)
class Boxes:
    """Shapes, and for each (rows) the least and the greatest value of each variant (columns). Both are reached."""

    shapes: list[Shape]
    lows: Matrix
    highs: Matrix

    @property
    def documents(self) -> int:
        """How many documents were placed to find both ends: what it cost."""
        return 2 * sum(len(shape.way) + 1 for shape in self.shapes)

    def select(self, keep: NDArray[np.intp]) -> Boxes:
        """Those at the given indices, in that order."""
        return Boxes([self.shapes[i] for i in keep.tolist()], self.lows[keep], self.highs[keep])


@dataclass(frozen=True)
class Space:
    """The rankings of queries whose relevant documents are one of `ways`, as some measures see them."""

    ways: tuple[Grades, ...]
    variants: tuple[Variant, ...]

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """Where the measures cut, ascending."""
        found = {v.k for v in self.variants if v.k is not None}
        if any(v.measure.name == "Rprec" for v in self.variants):
            found |= {len(way) for way in self.ways if way}
        return tuple(sorted(found))

    @cached_property
    def deeper(self) -> bool:
        """Whether some measure looks below every cutoff."""
        return any(v.k is None for v in self.variants)

    @cached_property
    def top(self) -> int:
        """The greatest grade of any pool: the top of the scale, for measures that need one."""
        return max((way[0] for way in self.ways if way), default=0)

    def roots(self) -> Iterator[Shape]:
        """The coarsest shapes: together they hold every ranking."""
        depth = self.cuts[-1] if self.cuts else 1
        for way in self.ways:
            yield from roots(way, depth)

    def parts(self, shapes: Sequence[Shape]) -> Iterator[Shape]:
        """The same rankings in smaller shapes; none of a shape that cannot be divided to any effect."""
        for shape in shapes:
            yield from shape.parts(self.cuts, self.deeper)

    def boxes(self, shapes: Iterator[Shape]) -> Iterator[Boxes]:
        """The boxes of shapes, some at a time."""
        while some := list(islice(shapes, AT_ONCE)):
            ways = [shape.way for shape in some]
            lows = values([shape.worst() for shape in some], ways, self.variants, self.top)
            highs = values([shape.best() for shape in some], ways, self.variants, self.top)
            # A whole and its parts add up their sums in different orders: rounding must not turn a box around.
            yield Boxes(some, np.minimum(lows, highs), highs)

    def placement(self, ranking: Ranking, way: Grades, queries: int = 1) -> Placement:
        """A ranking for a reader, with the values of the measures."""
        told = values([ranking], [way], self.variants, self.top)[0]
        missed = list(way)
        for _, grade in ranking:
            missed.remove(grade)
        return Placement(
            tuple(rank for rank, _ in ranking),
            tuple(grade for _, grade in ranking),
            tuple(missed),
            {variant.text: float(value) for variant, value in zip(self.variants, told, strict=True)},
            queries,
        )
