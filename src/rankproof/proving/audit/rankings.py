"""Rankings that a query could have, known in part: pools, stretches of ranks, and boxes around their values.

Every measure that is audited rises when a better document moves up. So of all rankings of a shape, the one with the
documents at the head of each stretch, best first, has the greatest value of every measure, and the one with them at
its tail the least. That makes a box around the values of all of them, and splitting a stretch makes smaller boxes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.audit.claims import MeasureClaim, Placement, refuse_strange_gain

if TYPE_CHECKING:
    from rankproof.proving.audit.bounds import OpenBound

# Grades of a query's relevant documents, best first.
Grades = tuple[int, ...]
# Measures that do not change when a query has more relevant documents than the cutoff.
WITHOUT_TOTAL = ("DCG", "ERR", "P", "RBP", "RR", "Success")
MOST_RELEVANT = 10_000


@dataclass(frozen=True, slots=True)
class Pools:
    """The relevant documents a query may have, in one or several ways; `words` describes them for a reader."""

    ways: tuple[Grades, ...]
    words: str


def pools(claims: Sequence[MeasureClaim], relevant: str | None, grades: Sequence[str]) -> Pools:
    """From the options: a number or a range of relevant documents, or the grades of one or several pools.

    Without grades each way has as many documents of grade 1 as there are relevant ones: what they are worth is open.
    """
    if relevant is not None and grades:
        raise UsageError("--relevant and --grades say the same thing. Keep one of them.")
    pool_choices = _graded(grades) if grades else _counted(relevant) if relevant is not None else _any_number(claims)
    for claim in claims:
        refuse_strange_gain(claim.variant, [grade for way in pool_choices.ways for grade in way])
    return pool_choices


def _graded(texts: Sequence[str]) -> Pools:
    ways: dict[Grades, None] = {}
    for text in texts:
        try:
            numbers = [int(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise UsageError(f"Grades are whole numbers between commas, such as 3,2,1; got {text!r}.") from None
        if not numbers:
            raise UsageError("Grades are whole numbers between commas, such as 3,2,1; got none.")
        # Documents of grade 0 fill ranks as unjudged ones do: they make no difference to any measure here.
        ways[tuple(sorted((grade for grade in numbers if grade > 0), reverse=True))] = None
    written = " or ".join(f"{', '.join(map(str, way)) or 'none above 0'}" for way in ways)
    return Pools(tuple(ways), f"relevant documents, of grades {written}")


def _counted(text: str) -> Pools:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    if match is None:
        raise UsageError(f"--relevant takes a number or a range, such as 5 or 1-8; got {text!r}.")
    least, most = int(match[1]), int(match[2] or match[1])
    if most < least or most > MOST_RELEVANT:
        raise UsageError(f"--relevant takes a number up to {MOST_RELEVANT:,} or a rising range; got {text!r}.")
    ways = tuple((1,) * many for many in range(least, most + 1))
    amount = str(least) if least == most else f"{least} to {most}"
    return Pools(ways, f"{amount} relevant {'document' if amount == '1' else 'documents'}")


def _any_number(claims: Sequence[MeasureClaim]) -> Pools:
    """Any number: for what needs no total, as many as the greatest cutoff stand for all that are more."""
    needy = [claim.variant.text for claim in claims if _needs_total(claim.variant)]
    if needy:
        raise UsageError(
            f"{', '.join(needy)}: what {'it' if len(needy) == 1 else 'they'} can be depends on how many relevant "
            "documents a query has. Say it: --relevant 5, a range such as --relevant 1-8, or --grades 3,2,1."
        )
    # One more than the greatest cutoff: with so many, one at least is below it.
    most = max((a.variant.k or 1) for a in claims) + 1
    ways = tuple((1,) * many for many in range(most + 1))
    return Pools(ways, "any number of relevant documents")


def _needs_total(variant: Variant) -> bool:
    name = variant.measure.name
    if name == "RR":
        return False
    if variant.k is None:
        return True
    # The ideal of nDCG@k has no more than k documents.
    return name not in WITHOUT_TOTAL and not (name == "nDCG" and variant["ideal"] == "judged")


# (rank, grade) of the relevant documents that are ranked, by rank.
Ranking = tuple[tuple[int, int], ...]
Matrix = NDArray[np.float64]


def values(rankings: Sequence[Ranking], ways: Sequence[Grades], variants: Sequence[Variant], top: int) -> Matrix:
    """A row per ranking, a column per variant. `ways` has the relevant documents of each; `top` the greatest grade."""
    table = _table(rankings, ways, top)
    return np.stack([variant.measure.compute(table, variant) for variant in variants], axis=1)


def _table(rankings: Sequence[Ranking], ways: Sequence[Grades], top: int) -> JudgedTable:
    rank: list[int] = []
    doc: list[int] = []
    start, pool_start = [0], [0]
    grades: list[int] = []
    deepest: list[int] = []
    for ranking, way in zip(rankings, ways, strict=True):
        begin = pool_start[-1]
        next_of: dict[int, int] = {}
        for place, grade in enumerate(way):
            next_of.setdefault(grade, begin + place)
        for at, grade in ranking:
            rank.append(at)
            doc.append(next_of[grade])  # documents of one grade are alike: any of them will do
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
        return tuple(grade for grade, count in zip(self.grades, total, strict=True) for _ in range(count))

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
        return [grade for grade, count in zip(self.grades, counts, strict=True) for _ in range(count)]

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
        return 2 * sum(len(shape.way) + 1 for shape in self.shapes)

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
        if not any(_needs_total(claim.variant) for claim in claims):
            # More documents of one grade than the greatest cutoff are as good as one more.
            most = 1 + max(claim.variant.k or 1 for claim in claims)
            ways = tuple({way if len(set(way)) > 1 else way[:most]: None for way in ways})
        return cls(ways, variants, bounds, names)

    @cached_property
    def exact(self) -> bool:
        """Whether both ends of every box are values that a ranking has; else boxes may be wider."""
        return not any(self.bounds)

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
            lows = values(worst, ways, self.variants, self.top)
            highs = values(best, ways, self.variants, self.top)
            wide = (highs - lows) > POINT
            for column, bound in enumerate(self.bounds):
                if bound is not None:
                    lows[:, column], highs[:, column] = bound.ends(worst, best, ways, self.top)
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
