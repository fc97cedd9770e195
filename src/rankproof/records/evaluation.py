"""Evaluation: the values of measures on one run, by query and together, with what they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TieRange:
    """Least, expected and greatest value over all orders of the tied documents, for the mean and by query."""

    least: float
    expected: float
    greatest: float
    by_query: NDArray[np.float64]  # columns: least, expected, greatest
    exact: bool  # False where the expectation is estimated from random orders
    note: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """One measure's values. `mean` is the aggregate the measure names: a mean, a geometric mean or a sum."""

    text: str
    mean: float
    query_ids: Sequence[str]
    values: NDArray[np.float64]
    undefined: tuple[str, ...] = ()
    aggregate: str = "mean"
    better: str = "higher"
    whole: bool = False
    fine_print: str = ""
    ties: TieRange | None = None
    labels: Mapping[str, str] | None = None  # values that are text (trec_eval's relstring)

    @property
    def by_query(self) -> dict[str, float]:
        """The value of each query that counts in the mean."""
        return dict(zip(self.query_ids, self.values.tolist(), strict=True))

    def __float__(self) -> float:
        return self.mean


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Which queries the numbers speak of."""

    scored: int
    judged: int
    missing: tuple[str, ...] = ()  # judged, not in the run
    missing_policy: str = "zero"
    without_relevant: tuple[str, ...] = ()  # judged, but nothing relevant
    unjudged: tuple[str, ...] = ()  # in the run, not judged: not scored
    skipped: tuple[str, ...] = ()  # left out of every measure by `undefined="skip"`


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation(Mapping[str, Result]):
    """Values of several measures on one run: `ev["nDCG@10"].mean`, `ev["nDCG@10"].by_query`."""

    results: dict[str, Result]
    population: Population
    fine_print: tuple[str, ...] = ()
    run_name: str = "run"
    dialect: str = "rankproof"
    spelled: Mapping[str, str] = field(default_factory=dict)  # what was typed -> canonical text
    findings: tuple[Any, ...] = ()

    def __getitem__(self, measure: str) -> Result:
        if measure in self.results:
            return self.results[measure]
        from rankproof.measures._text import parse

        text = str(parse(measure)[0])
        if text in self.results:
            return self.results[text]
        raise KeyError(f"{text} was not evaluated; evaluated: {', '.join(self.results)}")

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)
