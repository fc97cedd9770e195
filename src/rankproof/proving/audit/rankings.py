"""Rankings that a query could have, known in part: stretches of ranks, and boxes around their values.

Every measure that is audited rises when a better document moves up. So of all rankings of a shape, the one with the
documents at the head of each stretch, best first, has the greatest value of every measure, and the one with them at
its tail the least. That makes a box around the values of all of them, and splitting a stretch makes smaller boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, product, repeat
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.audit.claims import MeasureClaim, Placement
from rankproof.proving.audit.pools import Grades, needs_total

if TYPE_CHECKING:
    from rankproof.proving.audit.bounds import OpenBound

# (rank, grade) of the relevant documents that are ranked, by rank.
Ranking = tuple[tuple[int, int], ...]
Matrix = NDArray[np.float64]


def values(rankings: Sequence[Ranking], ways: Sequence[Grades], variants: Sequence[Variant], top: int) -> Matrix:
    """A row per ranking, a column per variant. `ways` has the relevant documents of each; `top` the greatest grade."""
    return computed(table_of(rankings, ways, top), variants)


def computed(table: JudgedTable, variants: Sequence[Variant]) -> Matrix:
    """A row per query of the table, a column per variant."""
    return np.stack([variant.measure.compute(table, variant) for variant in variants], axis=1)


def table_of(rankings: Sequence[Ranking], ways: Sequence[Grades], top: int) -> JudgedTable:
    """The rankings as queries of a table."""
    rank: list[int] = []
    doc: list[int] = []
    start, pool_start = [0], [0]
    grades: list[int] = []
    deepest: list[int] = []
    for ranking, way in zip(rankings, ways, strict=True):
        begin = pool_start[-1]
        rank += [at for at, _ in ranking]
        if way and way[0] == way[-1]:
            doc += range(begin, begin + len(ranking))  # documents of one grade are alike: any of them will do
        else:
            next_of = {grade: begin + way.index(grade) for grade in {grade for _, grade in ranking}}
            for _, grade in ranking:
                doc.append(next_of[grade])
                next_of[grade] += 1
        grades += way
        start.append(len(rank))
        pool_start.append(len(grades))
        deepest.append(ranking[-1][0] if ranking else 0)
    ranks = np.array(rank, dtype=np.int32)
    pool = Pool(
        [str(i) for i in range(len(ways))],
        np.array(pool_start, dtype=np.int64),
        np.array(grades, dtype=np.int32),
        top_grade=top,
    )
    return JudgedTable(
        pool,
        np.ones(len(ways), dtype=bool),
        np.array(deepest, dtype=np.int64),
        np.array(start, dtype=np.int64),
        ranks,
        ranks,
        ranks,
        np.array(doc, dtype=np.int64),
    )


# No ranking is followed beyond this rank; what may come later stays open.
DEEPEST = 1 << 20
# How many documents of each grade, in the order of the grades.
Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class RankStretch:
    """Ranks after `start` up to `end`, and the documents that stand somewhere among them."""

    start: int
    end: int
    holds: Counts

    @property
    def size(self) -> int:
        """How many ranks."""
        return self.end - self.start

    @property
    def settled(self) -> bool:
        """Whether there is only one way: nothing, or all ranks filled with one grade."""
        held = [count for count in self.holds if count]
        return not held or held == [self.size]


@dataclass(frozen=True, slots=True)
class PartialRanking:
    """A query's ranking in part: `stretches` without gaps from rank 1 on, and documents that come after, or never."""

    grades: Counts  # the different grades of the pool, best first
    stretches: tuple[RankStretch, ...]
    after: Counts

    @property
    def end(self) -> int:
        """The last rank that is looked at."""
        return self.stretches[-1].end if self.stretches else 0

    @property
    def way(self) -> Grades:
        """The grades of all relevant documents, best first."""
        total = [sum(counts) for counts in zip(self.after, *(s.holds for s in self.stretches), strict=True)]
        return tuple(chain.from_iterable(map(repeat, self.grades, total)))

    @property
    def documents(self) -> int:
        """How many relevant documents there are."""
        return sum(self.after) + sum(sum(stretch.holds) for stretch in self.stretches)

    def best(self) -> Ranking:
        """Every document as early as the shape allows."""
        placed: list[tuple[int, int]] = []
        for stretch in self.stretches:
            placed += zip(range(stretch.start + 1, stretch.end + 1), self._listed(stretch.holds), strict=False)
        after = self._listed(self.after)
        return tuple(placed) + tuple(zip(range(self.end + 1, self.end + 1 + len(after)), after, strict=True))

    def worst(self) -> Ranking:
        """Every document as late as the shape allows; what may never come does not."""
        placed: list[tuple[int, int]] = []
        for stretch in self.stretches:
            held = self._listed(stretch.holds)[::-1]
            placed += zip(range(stretch.end - len(held) + 1, stretch.end + 1), held, strict=True)
        return tuple(placed)

    def _listed(self, counts: Counts) -> list[int]:
        return list(chain.from_iterable(map(repeat, self.grades, counts)))

    # ---- smaller shapes ------------------------------------------------------------------------

    def parts(self, cuts: Sequence[int], deeper: bool) -> Iterator[PartialRanking]:
        """Shapes that together hold the same rankings: a stretch cut in two, or one more stretch below.

        A stretch is cut at a cutoff of some measure where one lies inside, else in the middle; the highest first.
        `deeper` says that what stands below the last stretch matters too.
        """
        at, cut = self._where(cuts)
        if at is not None:
            stretch = self.stretches[at]
            for upper in _shares(stretch.holds, cut - stretch.start, stretch.end - cut):
                lower = tuple(held - up for held, up in zip(stretch.holds, upper, strict=True))
                halves = RankStretch(stretch.start, cut, upper), RankStretch(cut, stretch.end, lower)
                yield PartialRanking(
                    self.grades, (*self.stretches[:at], *halves, *self.stretches[at + 1 :]), self.after
                )
        elif self._goes_on(deeper):
            end = max(2 * self.end, 1)
            for here in _shares(self.after, end - self.end, sum(self.after)):
                after = tuple(count - taken for count, taken in zip(self.after, here, strict=True))
                yield PartialRanking(self.grades, (*self.stretches, RankStretch(self.end, end, here)), after)

    def divisible(self, deeper: bool) -> bool:
        """Whether `parts` has any."""
        return self._where(())[0] is not None or self._goes_on(deeper)

    def _goes_on(self, deeper: bool) -> bool:
        return deeper and any(self.after) and self.end < DEEPEST

    def _where(self, cuts: Sequence[int]) -> tuple[int | None, int]:
        open_ = [(i, stretch) for i, stretch in enumerate(self.stretches) if not stretch.settled]
        for i, stretch in open_:
            inside = [cut for cut in cuts if stretch.start < cut < stretch.end]
            if inside:
                return i, inside[len(inside) // 2]
        for i, stretch in open_:
            if stretch.size > 1:
                return i, stretch.start + stretch.size // 2
        return None, 0


def roots(way: Grades, depth: int) -> Iterator[PartialRanking]:
    """The shapes that hold every ranking of a pool: each possible number of documents in the first `depth` ranks."""
    grades = tuple(sorted(set(way), reverse=True))
    counts = tuple(way.count(grade) for grade in grades)
    for held in _shares(counts, depth, len(way)):
        after = tuple(count - here for count, here in zip(counts, held, strict=True))
        yield PartialRanking(grades, (RankStretch(0, depth, held),), after)


def _shares(counts: Counts, first: int, second: int) -> Iterator[Counts]:
    """All ways to divide documents between `first` and `second` places: what goes to the first."""
    total = sum(counts)
    for taken in product(*(range(count + 1) for count in counts)):
        if sum(taken) <= first and total - sum(taken) <= second:
            yield taken


# A box narrower than this is a point.
POINT = 1e-12
# How many shapes are computed in one pass, as one NumPy array.
AT_ONCE = 1024
# How many numbers of relevant documents, or pools, a first look takes.
SAMPLED_WAYS = 8


@dataclass(frozen=True, slots=True)
class Boxes:
    """Shapes, and for each (rows) the least and the greatest value of each variant (columns).

    Both are reached, except where a definition is open. `loose` says of each shape whether its parts may have smaller
    boxes.
    """

    shapes: list[PartialRanking]
    lows: Matrix
    highs: Matrix
    loose: NDArray[np.bool_]

    @property
    def documents(self) -> int:
        """How many documents were placed to compute both ends: the cost."""
        return 2 * sum(shape.documents + 1 for shape in self.shapes)

    def select(self, keep: NDArray[np.intp]) -> Boxes:
        """Those at the given indices, in that order."""
        return Boxes([self.shapes[i] for i in keep.tolist()], self.lows[keep], self.highs[keep], self.loose[keep])


@dataclass(frozen=True)
class Space:
    """The rankings of queries whose relevant documents are one of `ways`, as some measures see them."""

    ways: tuple[Grades, ...]
    variants: tuple[Variant, ...]
    bounds: tuple[OpenBound | None, ...] = ()
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, ways: tuple[Grades, ...], claims: Sequence[MeasureClaim]) -> Space:
        """The rankings as the measures of the claims see them, in the order of the claims."""
        variants, bounds, names = zip(*((claim.variant, claim.bound, claim.text) for claim in claims), strict=True)
        if not any(needs_total(claim.variant) for claim in claims):
            # More documents of one grade than the greatest cutoff are as good as one more.
            most = 1 + max(claim.variant.k or 1 for claim in claims)
            ways = tuple({way if len(set(way)) > 1 else way[:most]: None for way in ways})
        return cls(ways, variants, bounds, names)

    @cached_property
    def exact(self) -> bool:
        """Whether both ends of every box are values that a ranking has; else boxes may be wider."""
        return not any(self.bounds)

    @property
    def sample(self) -> Space:
        """Some of these rankings, by the definition of each variant alone: enough for a first look."""
        chosen = np.unique(np.linspace(0, len(self.ways) - 1, SAMPLED_WAYS).astype(np.intp)).tolist()
        return Space(tuple(self.ways[i] for i in chosen), self.variants)

    @cached_property
    def cuts(self) -> tuple[int, ...]:
        """Where the measures cut, ascending."""
        cutoffs = {v.k for v in self.variants if v.k is not None}
        if any(v.measure.name == "Rprec" for v in self.variants):
            cutoffs |= {len(way) for way in self.ways if way}
        return tuple(sorted(cutoffs))

    @cached_property
    def deeper(self) -> bool:
        """Whether some measure looks below every cutoff."""
        return any(v.k is None for v in self.variants)

    @cached_property
    def top(self) -> int:
        """The greatest grade of any pool: the top of the scale, for measures that need one."""
        return max((way[0] for way in self.ways if way), default=0)

    def roots(self) -> Iterator[PartialRanking]:
        """The coarsest shapes: together they hold every ranking."""
        depth = self.cuts[-1] if self.cuts else 1
        for way in self.ways:
            yield from roots(way, depth)

    def parts(self, shapes: Sequence[PartialRanking]) -> Iterator[PartialRanking]:
        """The same rankings in smaller shapes; none of a shape that cannot be divided to any effect."""
        for shape in shapes:
            yield from shape.parts(self.cuts, self.deeper)

    def boxes(self, shapes: Iterator[PartialRanking]) -> Iterator[Boxes]:
        """The boxes of shapes, some at a time."""
        while some := list(islice(shapes, AT_ONCE)):
            ways = [shape.way for shape in some]
            worst, best = [shape.worst() for shape in some], [shape.best() for shape in some]
            tables = table_of(worst, ways, self.top), table_of(best, ways, self.top)
            lows, highs = (computed(table, self.variants) for table in tables)
            wide = (highs - lows) > POINT
            for column, bound in enumerate(self.bounds):
                if bound is not None:
                    lows[:, column], highs[:, column] = bound.ends(worst, best, ways, tables)
                    wide[:, column] = [bound.differs(*ends) for ends in zip(worst, best, strict=True)]
            divisible = np.array([shape.divisible(self.deeper) for shape in some])
            loose = np.asarray(wide.any(axis=1)) & divisible
            # A whole and its parts add up their sums in different orders: rounding must not turn a box around.
            yield Boxes(some, np.minimum(lows, highs), highs, loose)

    def placement(self, ranking: Ranking, way: Grades, queries: int = 1) -> Placement:
        """A ranking for a reader, with the values of the measures."""
        row = values([ranking], [way], self.variants, self.top)[0]
        missed = list(way)
        for _, grade in ranking:
            missed.remove(grade)
        return Placement(
            tuple(rank for rank, _ in ranking),
            tuple(grade for _, grade in ranking),
            tuple(missed),
            dict(zip(self.names or [variant.text for variant in self.variants], map(float, row), strict=True)),
            queries,
        )
