"""Values by unit: the table that comparisons, families of tests, power and gates start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError
from rankproof.measuring.evaluate import some
from rankproof.measuring.records import GEOMETRIC_FLOOR, Evaluation

# Values that differ by less are the same number, computed in another order.
ROUNDING = 1e-12

# One system, or several, by their columns.
Columns = int | NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class PerUnit:
    """One measure: `values` has a row per query and a column per system.

    scale   what the values are in when they are not the measure's own: "" or "natural logarithms"
    note    "" or what a reader must know about the queries
    """

    measure: str
    better: str
    aggregate: str
    query_ids: tuple[str, ...]
    values: NDArray[np.float64]
    scale: str = ""
    note: str = ""

    def select(self, queries: frozenset[str]) -> PerUnit:
        """Only these queries."""
        kept = [i for i, query in enumerate(self.query_ids) if query in queries]
        ids = tuple(self.query_ids[i] for i in kept)
        return PerUnit(self.measure, self.better, self.aggregate, ids, self.values[kept], self.scale, self.note)

    def differences(self, baseline: Columns, candidate: Columns) -> NDArray[np.float64]:
        """Candidate minus baseline; what differs by rounding alone is 0. Several pairs at once: a column for each."""
        found = self.values[:, candidate] - self.values[:, baseline]
        found[np.abs(found) < ROUNDING] = 0.0
        return found

    def mean(self, system: int) -> float:
        """The value of all queries together, on the measure's own scale."""
        values = self.values[:, system]
        if not len(values):
            return float("nan")
        mean = float(np.mean(values))
        return float(np.exp(mean)) if self.scale else mean


def paired(evaluations: Sequence[Evaluation], measure: str) -> PerUnit:
    """The values of one measure, paired by query, on the queries where every system has one."""
    results = [evaluation[measure] for evaluation in evaluations]
    first = results[0]
    maps = [result.by_query for result in results]
    ids = tuple(query for query in first.query_ids if all(query in values for values in maps))
    values = np.array([[found[query] for found in maps] for query in ids], dtype=np.float64).reshape(-1, len(maps))
    note = ""
    every = dict.fromkeys(query for found in maps for query in found)
    if len(ids) < len(every):
        left = tuple(query for query in every if query not in set(ids))
        note = f"{first.text}: left out where a system has no value: {len(left)} ({some(left)})"
    scale = ""
    if first.aggregate == "geometric":
        values, scale = np.log(np.maximum(values, GEOMETRIC_FLOOR)), "natural logarithms"
        note = f"{note}; " if note else ""
        note += f"{first.text}: means are geometric, differences are in natural logarithms"
    elif first.aggregate == "sum":
        note = f"{note}; " if note else ""
        note += f"{first.text}: compared as a mean over queries, not as a sum"
    return PerUnit(first.text, first.better, first.aggregate, ids, values, scale, note)


def refuse_other_ground(evaluations: Sequence[Evaluation]) -> None:
    """Refuses evaluations on different judgments, by different rules or over different queries, and says which."""
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
    """A table whose rows are other queries speaks of something else. Values that a measure lacks are no such thing."""
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
    found: dict[str, None] = {}
    for result in evaluation.results.values():
        found.update(dict.fromkeys(result.query_ids))
        found.update(dict.fromkeys(result.undefined))
    return dict.fromkeys(sorted(found))
