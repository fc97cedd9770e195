"""Ratings, Figure, Agreement: what several judges said of the same pairs, and how far they agree, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import NotEstimable


@dataclass(frozen=True, slots=True, eq=False)
class Ratings:
    """Grades of pairs by judges: one row per pair, one column per judge; a pair need not have a grade of each.

    pairs    query and document of each row
    judges   who gave the grades of each column
    grades   whole numbers; what stands where none was given means nothing
    given    whether there is a grade
    """

    pairs: Sequence[tuple[str, str]]
    judges: tuple[str, ...]
    grades: NDArray[np.int64]
    given: NDArray[np.bool_]

    def __post_init__(self) -> None:
        shape = (len(self.pairs), len(self.judges))
        if self.grades.shape != shape or self.given.shape != shape:
            raise UsageError(f"Ratings of {shape[0]} pairs by {shape[1]} judges need a table of that shape.")

    @property
    def queries(self) -> NDArray[np.int64]:
        """The number of each row's query, in order of first appearance."""
        seen: dict[str, int] = {}
        return np.array([seen.setdefault(query, len(seen)) for query, _ in self.pairs], dtype=np.int64)

    @property
    def levels(self) -> tuple[int, ...]:
        """The grades that somebody gave, from the least to the greatest."""
        return tuple(np.unique(self.grades[self.given]).tolist())

    def of(self, *judges: str) -> Ratings:
        """Only these judges, and only the pairs to which one of them gave a grade."""
        columns = [self.judges.index(judge) for judge in judges]
        rows = np.flatnonzero(self.given[:, columns].any(axis=1))
        pairs = [self.pairs[row] for row in rows.tolist()]
        return Ratings(pairs, judges, self.grades[rows][:, columns], self.given[rows][:, columns])


@dataclass(frozen=True, slots=True)
class AgreementFigure:
    """A number with what chance leaves open.

    low, high   its interval at `level`
    method      how the interval was made
    pairs       how many pairs of query and document it rests on
    queries     how many queries they belong to
    """

    value: float
    low: float
    high: float
    level: float
    method: str
    pairs: int
    queries: int

    def to_dict(self) -> Document:
        """For JSON."""
        return {
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "level": self.level,
            "method": self.method,
            "pairs": self.pairs,
            "queries": self.queries,
        }


AgreementAnswer = AgreementFigure | NotEstimable


def answer_dict(figure: AgreementAnswer) -> Document:
    """A figure for JSON, or why there is none."""
    if isinstance(figure, AgreementFigure):
        return figure.to_dict()
    return {"value": figure.value, "not_estimable": figure.reason, "method": figure.method, "pairs": figure.n}


@dataclass(frozen=True, slots=True)
class Confusion:
    """How often each grade of one judge met each grade of another.

    counts   one row per grade of the first, one column per grade of the second
    """

    first: str
    second: str
    levels: tuple[int, ...]
    counts: tuple[tuple[int, ...], ...]

    def to_dict(self) -> Document:
        """For JSON."""
        return {"rows": self.first, "columns": self.second, "grades": list(self.levels), "counts": list(self.counts)}


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """How far two judges agree on the pairs that both graded.

    kappa    Cohen's, by weights: none, linear, quadratic
    alpha    Krippendorff's, by what grades are taken for: nominal, ordinal, interval
    share    of pairs with the same grade
    bias     by grade of the first judge: the mean of the second's grade minus it
    """

    confusion: Confusion
    pairs: int
    queries: int
    share: AgreementAnswer
    kappa: dict[str, AgreementAnswer]
    alpha: dict[str, AgreementAnswer]
    bias: dict[int, AgreementAnswer]

    def to_dict(self) -> Document:
        """For JSON."""
        return {
            "pairs": self.pairs,
            "queries": self.queries,
            "agreement": answer_dict(self.share),
            "kappa": {name: answer_dict(answer) for name, answer in self.kappa.items()},
            "alpha": {name: answer_dict(answer) for name, answer in self.alpha.items()},
            "confusion": self.confusion.to_dict(),
            "bias": [{"grade": grade, **answer_dict(answer)} for grade, answer in self.bias.items()],
        }


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far any number of judges agree: all together, and two by two.

    fleiss   over pairs that have the same number of grades; `fleiss_grades` is that number, 0 where there is none
    """

    judges: tuple[str, ...]
    pairs: int
    fleiss: AgreementAnswer
    fleiss_grades: int
    alpha: dict[str, AgreementAnswer]
    two: dict[tuple[str, str], PairAgreement]

    def to_dict(self) -> Document:
        """For JSON."""
        return {
            "judges": list(self.judges),
            "pairs": self.pairs,
            "fleiss": {"grades_per_pair": self.fleiss_grades, **answer_dict(self.fleiss)},
            "alpha": {name: answer_dict(answer) for name, answer in self.alpha.items()},
            "two": [{"judges": list(names), **found.to_dict()} for names, found in self.two.items()],
        }
