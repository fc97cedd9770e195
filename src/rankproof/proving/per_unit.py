"""Values by unit: the table that comparisons, families of tests, power, gates and reports start from.

For inference a system *is* its values by unit: a query, a repetition of a query, a task, a user. A table does not
depend on the source of its values; the functions that make one (`paired`) do.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.measuring.evaluate import some
from rankproof.measuring.names import parse
from rankproof.measuring.records import GEOMETRIC_FLOOR, Evaluation

# Values that differ by less are the same number, computed in another order.
ROUNDING = 1e-12
# The scale of values whose mean is geometric.
LOGARITHMS = "natural logarithms"

# One system, or several, by their columns.
Columns = int | NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PerUnit:
    """One measure: `values` has a row per unit and a column per system.

    measure    what the values are of, as a comparison names it
    better     "higher", "lower" or "neither"
    aggregate  what the measure names as its summary: "mean", "geometric" or "sum"
    unit_ids   the units, in the order of the rows
    scale      what the values are in when they are not the measure's own: "" or LOGARITHMS
    unit       the word for a unit
    notes      what a reader must know about the units or the values
    low, high  the range of one value, where it is known
    """

    measure: str
    better: str
    aggregate: str
    unit_ids: tuple[str, ...]
    values: NDArray[np.float64]
    scale: str = ""
    unit: str = "query"
    notes: tuple[str, ...] = ()
    low: float = -math.inf
    high: float = math.inf

    @property
    def widest(self) -> float:
        """How far two values can lie apart; infinite where the range is not known."""
        return self.high - self.low

    @property
    def note(self) -> str:
        """All notes as one line of fine print."""
        return "; ".join(self.notes)

    def select(self, units: Collection[str]) -> PerUnit:
        """Only these units."""
        places = [i for i, unit in enumerate(self.unit_ids) if unit in units]
        return replace(self, unit_ids=tuple(self.unit_ids[i] for i in places), values=self.values[places])

    def differences(self, baseline: Columns, candidate: Columns) -> NDArray[np.float64]:
        """Candidate minus baseline; what differs by rounding alone is 0. Several pairs at once: a column for each."""
        differences = self.values[:, candidate] - self.values[:, baseline]
        differences[np.abs(differences) < ROUNDING] = 0.0
        return differences

    def column(self, system: int) -> NDArray[np.float64]:
        """The values of one system."""
        return np.ascontiguousarray(self.values[:, system])

    def mean(self, system: int) -> float:
        """The value of all units together, on the measure's own scale."""
        values = self.values[:, system]
        if not len(values):
            return float("nan")
        mean = float(np.mean(values))
        return float(np.exp(mean)) if self.scale else mean


def logarithms(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values on the scale on which a geometric mean is a mean."""
    return np.log(np.maximum(values, GEOMETRIC_FLOOR))


def range_of(measure: str) -> tuple[float, float]:
    """The least and the greatest value of a measure by its text, on the scale on which its mean is a mean."""
    try:
        (variant,) = parse(measure)
    except UsageError:  # a saved report may hold a measure that is not installed here
        return -math.inf, math.inf
    low, high = variant.measure.low, variant.measure.high
    if variant.measure.aggregate == "geometric":
        return math.log(max(low, GEOMETRIC_FLOOR)), math.log(high)
    return low, high


def from_evaluations(evaluations: Sequence[Evaluation], measure: str) -> PerUnit:
    """The values of one measure, paired by query, on the queries where every system has one."""
    results = [evaluation[measure] for evaluation in evaluations]
    first = results[0]
    by_system = [result.by_query for result in results]
    ids = tuple(query for query in first.query_ids if all(query in values for values in by_system))
    rows = [[values[query] for values in by_system] for query in ids]
    low, high = range_of(first.text)
    values = np.array(rows, dtype=np.float64).reshape(-1, len(by_system))
    table = PerUnit(first.text, first.better, first.aggregate, ids, values, low=low, high=high)
    notes = []
    every = dict.fromkeys(query for values in by_system for query in values)
    if len(ids) < len(every):
        left = tuple(query for query in every if query not in set(ids))
        notes.append(f"{first.text}: left out where a system has no value: {len(left)} ({some(left)})")
    if first.aggregate == "geometric":
        notes.append(f"{first.text}: means are geometric, differences are in {LOGARITHMS}")
        table = replace(table, values=logarithms(table.values), scale=LOGARITHMS)
    elif first.aggregate == "sum":
        notes.append(f"{first.text}: compared as a mean over queries, not as a sum")
    return replace(table, notes=tuple(notes))


def refuse_other_ground(evaluations: Sequence[Evaluation]) -> None:
    """InputError for evaluations on different judgments, by different rules or over different queries."""
    first = evaluations[0]
    for other in evaluations[1:]:
        names = f"{first.run_name!r} and {other.run_name!r}"
        # On the same prepared judgments the hash is one object, and need not be made.
        alike = first.judgments_hash is other.judgments_hash
        if not alike and first.judgments_hash() != other.judgments_hash():
            raise InputError(
                f"{names} were scored on different judgments (content {first.judgments_hash()[:12]} and "
                f"{other.judgments_hash()[:12]}). Evaluate both on the same qrels."
            )
        if (first.dialect, first.settings) != (other.dialect, other.settings):
            raise InputError(
                f"{names} were scored by different rules: {first.settings} and {other.settings}. "
                "Evaluate both with the same choices."
            )
        _refuse_other_queries(first, other)


def _refuse_other_queries(first: Evaluation, other: Evaluation) -> None:
    """InputError for different populations. Queries for which one measure has no value are no such thing."""
    ours, theirs = _population(first), _population(other)
    if ours == theirs:
        return
    lacking = [
        f"{name!r} lacks {len(lost)} ({some(lost)})"
        for name, lost in (
            (other.run_name, tuple(q for q in ours if q not in theirs)),
            (first.run_name, tuple(q for q in theirs if q not in ours)),
        )
        if lost
    ]
    raise InputError(
        f"{first.run_name!r} and {other.run_name!r} were scored on different queries: {'; '.join(lacking)}. "
        "Score judged queries that a run lacks too (--complete), or give both runs the same queries."
    )


def _population(evaluation: Evaluation) -> dict[str, None]:
    """Every query that some measure has a value for, or is undefined for."""
    queries: set[str] = set()
    for result in evaluation.results.values():
        queries.update(result.query_ids, result.undefined)
    return dict.fromkeys(sorted(queries))
