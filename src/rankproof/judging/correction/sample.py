"""The graded sample: which pairs people graded, how they were drawn, and with which probabilities.

An interval holds for the draw that was made, so the draw must be known. Three are: a plan with its probabilities, a
plain draw of pairs, and a plain draw of whole queries. Without a plan the grades themselves tell the last two apart:
whole queries have a grade for each of their pairs and the others have none. What is neither (a few queries, graded in
part) gets no interval: taken for a plain draw of pairs it would look much surer than it is.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.judging.correction.frame import Frame, Numbers, Whole
from rankproof.judging.correction.records import JudgingPlan
from rankproof.proving.agreement import Grades, flat

PLAIN = "a plain random draw without replacement, as nothing else was said"
ALL = "taking all of them"
# A plain draw that misses as many queries is rarer than this.
HARDLY = 1e-6


class GradedSample:
    """The pairs that people graded.

    rows       their rows in the frame, from the first on; `grade` is each one's
    p          for every pair of the frame, the probability to be among them
    by_query   whether whole queries were drawn
    design     how they were drawn, in words
    doubt      why no interval can be given, whatever the measure; "" where one can
    notes      what a reader must know
    """

    def __init__(self, frame: Frame, human: Grades, plan: JudgingPlan | None) -> None:
        places = frame.places()
        human_grades = flat(human)
        inside = sorted((places[pair], grade) for pair, grade in human_grades.items() if pair in places)
        planned = _planned(frame, plan)
        if planned is not None:
            inside = [(row, grade) for row, grade in inside if planned[row]]
        if not inside:
            raise InputError(
                f"People graded none of the {len(frame.pairs):,} pairs that the values are about. "
                "Send some of them to people: `rankproof judge plan` says which."
            )
        self.frame = frame
        self.notes = _notes(frame, len(human_grades) - len(inside))
        self.rows = np.array([row for row, _ in inside], dtype=np.int64)
        self.grade = np.array([grade for _, grade in inside], dtype=np.int64)
        self.p = np.ones(len(frame.pairs))
        self.doubt = ""
        self.by_query = False
        if self.complete_frame:
            self.design = ALL
        elif plan is not None and planned is not None:
            self._by_plan(plan, planned)
        else:
            self._by_what_is_graded()

    @property
    def complete_frame(self) -> bool:
        """Whether people graded every pair: there is nothing to estimate, given these queries."""
        return len(self.rows) == len(self.frame.pairs)

    @cached_property
    def complete(self) -> Whole:
        """The queries whose pairs people graded one and all."""
        pairs, graded = self._counts
        return np.flatnonzero((pairs > 0) & (graded == pairs))

    @property
    def _counts(self) -> tuple[Whole, Whole]:
        """By query, how many pairs there are and how many people graded."""
        count = len(self.frame.queries)
        return (
            np.bincount(self.frame.query, minlength=count),
            np.bincount(self.frame.query[self.rows], minlength=count),
        )

    def _by_plan(self, plan: JudgingPlan, planned: NDArray[np.bool_]) -> None:
        chances = {(pair.query_id, pair.doc_id): pair.probability for pair in plan.pairs}
        p = np.array([chances[pair] for pair in self.frame.pairs])
        asked = int(planned.sum())
        if plan.whole_queries:
            self._whole_queries(self.complete)
            drawn = len(np.unique(self.frame.query[planned]))
            self.design = f"the plan's draw of {drawn:,} whole queries ({asked:,} pairs)"
            if len(self.complete) < drawn:
                self.notes.append(
                    f"{drawn - len(self.complete):,} of the {drawn:,} planned queries lack human grades of some pairs "
                    "and are left out; they are taken to be missing by chance"
                )
            return
        # Where some drawn pairs have no grade, the others stand for them: missing at random, with a note.
        self.p = p * len(self.rows) / asked
        self.design = f"the plan's draw of {asked:,} pairs with known probabilities"
        if len(self.rows) < asked:
            self.notes.append(
                f"{asked - len(self.rows):,} of the {asked:,} planned pairs have no human grade; they "
                "are taken to be missing by chance"
            )

    def _by_what_is_graded(self) -> None:
        pairs, graded = self._counts
        reached = np.flatnonzero(graded > 0)
        if len(self.complete) == len(reached) and len(self.rows) > len(reached):
            self._whole_queries(self.complete)
            self.design = f"a plain random draw of {len(reached):,} whole queries, as every pair of them is graded"
            return
        self.p = np.full(len(self.frame.pairs), len(self.rows) / len(self.frame.pairs))
        self.design = PLAIN
        missed = int(((pairs > 0) & (graded == 0)).sum())
        if _unlikely(pairs[pairs > 0], len(self.rows), missed):
            self.doubt = (
                f"the {len(self.rows):,} human grades lie in {len(reached):,} of {int((pairs > 0).sum()):,} queries, "
                f"where a plain draw would have left out far fewer, and {len(reached) - len(self.complete):,} of those "
                "are graded in part only: grade the rest of them, or draw anew with `rankproof judge plan`"
            )

    def _whole_queries(self, complete: Whole) -> None:
        """Keeps the grades of these queries, which stand for all."""
        self.by_query = True
        kept = np.isin(self.frame.query[self.rows], complete)
        self.rows, self.grade = self.rows[kept], self.grade[kept]
        filled = int((np.bincount(self.frame.query, minlength=1) > 0).sum())
        self.p = np.full(len(self.frame.pairs), max(len(complete), 1) / filled)


def _planned(frame: Frame, plan: JudgingPlan | None) -> NDArray[np.bool_] | None:
    if plan is None:
        return None
    chosen = {(pair.query_id, pair.doc_id) for pair in plan.chosen}
    return np.array([pair in chosen for pair in frame.pairs], dtype=bool)


def _unlikely(pairs: Whole, drawn: int, missed: int) -> bool:
    """Whether a plain draw of so many pairs would hardly leave out as many queries.

    The number left out is nearly Poisson's, and its tail is lighter: one query left out makes others less likely.
    """
    from scipy.special import gammaincc, gammaln

    every = int(pairs.sum())

    def ways(size: NDArray[np.float64]) -> Numbers:
        return np.asarray(gammaln(size + 1) - gammaln(size - drawn + 1))

    rest = (every - pairs).astype(np.float64)
    able = rest >= drawn
    expected = float(np.exp(ways(rest[able]) - ways(np.array([float(every)]))).sum())
    # P(X >= missed) of a Poisson variable
    return missed > expected and 1 - float(gammaincc(missed, expected)) < HARDLY


def _notes(frame: Frame, elsewhere: int) -> list[str]:
    notes = []
    if frame.outside:
        notes.append(
            f"{frame.outside:,} of the runs' first {frame.depth} documents are outside of the {len(frame.pairs):,} "
            "pairs and count as not relevant"
        )
    if elsewhere:
        notes.append(f"{elsewhere:,} human grades are of other pairs and were not used")
    missing = int((~frame.graded).sum())
    if missing:
        notes.append(f"{missing:,} pairs have no grade of the model, which then predicts a gain of 0 for them")
    return notes
