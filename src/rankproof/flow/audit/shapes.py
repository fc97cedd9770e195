"""Shapes: rankings known only in part. How many documents of each grade stand in each stretch of ranks.

Every measure that is audited rises when a better document moves up. So of all rankings of a shape, the one with the
documents at the head of each stretch, best first, has the greatest value of every measure, and the one with them at
its tail the least. That makes a box around the values of all of them, and splitting a stretch makes smaller boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from rankproof.flow.audit.pools import Grades
from rankproof.flow.audit.rankings import Ranking

# No ranking is followed beyond this rank; what may come later stays open.
DEEPEST = 1 << 20
# How many documents of each grade, in the order of the grades.
Counts = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Stretch:
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
class Shape:
    """A query's ranking in part: `stretches` without gaps from rank 1 on, and documents that come after, or never."""

    grades: Counts  # the different grades of the pool, best first
    stretches: tuple[Stretch, ...]
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

    def parts(self, cuts: Sequence[int], deeper: bool) -> Iterator[Shape]:
        """Shapes that together hold the same rankings: a stretch cut in two, or one more stretch below.

        A stretch is cut at a cutoff of some measure where one lies inside, else in the middle; the highest first.
        `deeper` says that what stands below the last stretch matters too.
        """
        at, cut = self._where(cuts)
        if at is not None:
            stretch = self.stretches[at]
            for upper in _shares(stretch.holds, cut - stretch.start, stretch.end - cut):
                lower = tuple(held - up for held, up in zip(stretch.holds, upper, strict=True))
                halves = Stretch(stretch.start, cut, upper), Stretch(cut, stretch.end, lower)
                yield Shape(self.grades, (*self.stretches[:at], *halves, *self.stretches[at + 1 :]), self.after)
        elif self._goes_on(deeper):
            end = max(2 * self.end, 1)
            for here in _shares(self.after, end - self.end, sum(self.after)):
                after = tuple(count - taken for count, taken in zip(self.after, here, strict=True))
                yield Shape(self.grades, (*self.stretches, Stretch(self.end, end, here)), after)

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


def roots(way: Grades, depth: int) -> Iterator[Shape]:
    """The shapes that hold every ranking of a pool: each possible number of documents in the first `depth` ranks."""
    grades = tuple(sorted(set(way), reverse=True))
    counts = tuple(way.count(grade) for grade in grades)
    for held in _shares(counts, depth, len(way)):
        after = tuple(count - here for count, here in zip(counts, held, strict=True))
        yield Shape(grades, (Stretch(0, depth, held),), after)


def _shares(counts: Counts, first: int, second: int) -> Iterator[Counts]:
    """All ways to divide documents between `first` and `second` places: what goes to the first."""
    total = sum(counts)
    for taken in product(*(range(count + 1) for count in counts)):
        if sum(taken) <= first and total - sum(taken) <= second:
            yield taken
