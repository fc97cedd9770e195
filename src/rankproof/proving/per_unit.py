"""Values by unit: the table that comparisons, families of tests, power, gates and reports start from.

For inference a system *is* its values by unit: a query, a repetition of a query, a task, a user. A table does not
depend on the source of its values; the functions that make one (`paired`) do.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import some
from rankproof.kernel.version import __version__
from rankproof.measuring.names import parse
from rankproof.measuring.records import GEOMETRIC_FLOOR, Evaluation, FunctionOrigin, Result

if TYPE_CHECKING:
    from rankproof.measuring.measures.contract import Measure
    from rankproof.measuring.spans.measures.contract import SpanMeasure
    from rankproof.proving.sampling import Sampling

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
    lacking    by system, the units where it has no value, another system has one, and no worst value can stand for it
    sampling   how the units were drawn, in their order; None for a simple random sample
    repeated   whether a value is a mean over repetitions of its unit
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
    lacking: tuple[tuple[str, ...], ...] = ()
    sampling: Sampling | None = None
    repeated: bool = False

    @property
    def every_unit(self) -> tuple[str, ...]:
        """The units, and those that some system lacks."""
        return (*self.unit_ids, *dict.fromkeys(unit for side in self.lacking for unit in side))

    @property
    def widest(self) -> float:
        """How far two values can lie apart; infinite where the range is not known."""
        return self.high - self.low

    @property
    def binary(self) -> bool:
        """Whether every value is 0 or 1, and the score lies between them: success, exact match, pass or fail."""
        return are_binary(self.low, self.high, self.values)

    @property
    def note(self) -> str:
        """All notes as one line of fine print."""
        return "; ".join(self.notes)

    def select(self, units: Collection[str]) -> PerUnit:
        """Only these units."""
        places = [i for i, unit in enumerate(self.unit_ids) if unit in units]
        lacking = tuple(tuple(unit for unit in side if unit in units) for side in self.lacking)
        inside = tuple(self.unit_ids[i] for i in places)
        sampling = None if self.sampling is None else self.sampling.of(inside)
        return replace(self, unit_ids=inside, values=self.values[places], lacking=lacking, sampling=sampling)

    def unpaired(self, baseline: int, candidate: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Units that only the candidate lacks a value for, and those that only the baseline lacks one for."""
        if not any(self.lacking):
            return (), ()
        theirs, ours = self.lacking[baseline], self.lacking[candidate]
        return tuple(unit for unit in ours if unit not in theirs), tuple(unit for unit in theirs if unit not in ours)

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
        mean = mean_of(values, self.sampling)
        return float(np.exp(mean)) if self.scale else mean


def are_binary(low: float, high: float, *values: NDArray[np.float64]) -> bool:
    """Whether values of a score with this range are all 0 or 1.

    >>> are_binary(0.0, 1.0, np.array([1.0, 0.0])), are_binary(0.0, 2.0, np.array([1.0, 0.0]))
    (True, False)
    """
    return (low, high) == (0.0, 1.0) and all(bool(np.isin(some, (0.0, 1.0)).all()) for some in values)


def mean_of(values: NDArray[np.float64], sampling: Sampling | None) -> float:
    """The mean of one set of values: weighted, where their units are."""
    return float(np.mean(values)) if sampling is None else sampling.mean(values)


def logarithms(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values on the scale on which a geometric mean is a mean."""
    return np.log(np.maximum(values, GEOMETRIC_FLOOR))


def measure_named(text: str) -> Measure | SpanMeasure | None:
    """What a text names, on documents or on spans; None for what is not installed here, as a saved report may hold."""
    try:
        (variant,) = parse(text)
    except UsageError:
        from rankproof.measuring.spans.measures.contract import by_name

        return by_name(re.split(r"[(@]", text)[0])
    return variant.measure


def kind_of(result: Result) -> Measure | SpanMeasure | FunctionOrigin | None:
    """What says direction and range of a result: its function, or the measure that its text names."""
    return result.origin or measure_named(result.text)


def range_of(measure: str | Result) -> tuple[float, float]:
    """The least and the greatest value of a measure, on the scale on which its mean is a mean."""
    kind = measure_named(measure) if isinstance(measure, str) else kind_of(measure)
    if kind is None:
        return -math.inf, math.inf
    low, high = kind.low, kind.high
    if kind.aggregate == "geometric":
        return math.log(max(low, GEOMETRIC_FLOOR)), math.log(high)
    return low, high


def worst_value(measure: str | Result) -> float | None:
    """The value that stands for a query where a system has none: the bad end of the measure's range.

    None where the range has no such end, as that of an average position, or where neither end is bad. Then nothing can
    stand for what is missing: a system that loses all it found for a query would be compared on its other queries only,
    and look better for it.
    """
    kind = measure_named(measure) if isinstance(measure, str) else kind_of(measure)
    if kind is None:
        return None
    end = {"higher": kind.low, "lower": kind.high}.get(kind.better, math.inf)
    return end if math.isfinite(end) else None


def no_value_on_one_side(measure: str, one: str, other: str, queries: Sequence[str]) -> str:
    """The reason why two systems cannot be compared, as the end of a sentence without a period."""
    noun = "query" if len(queries) == 1 else "queries"
    return (
        f"{one} has no {measure} for {len(queries)} {noun} where {other} has one ({some(tuple(queries))}), and "
        f"{measure} has no worst value that could stand for it; the other queries alone would not tell what was lost"
    )


def from_evaluations(evaluations: Sequence[Evaluation], measure: str) -> PerUnit:
    """The values of one measure, paired by query, on the queries where some system has one.

    Where a system has none, the measure's worst value stands for it; where there is no worst value the query is left
    out, and `lacking` names it.
    """
    results = [evaluation[measure] for evaluation in evaluations]
    first = results[0]
    for evaluation, result in zip(evaluations, results, strict=True):
        if result.origin != first.origin:
            raise InputError(
                f"{measure} of {evaluations[0].run_name!r} and of {evaluation.run_name!r} are not one measure: "
                f"{first.origin or 'by name'}, and {result.origin or 'by name'}. Evaluate both with one function."
            )
    by_system = [result.by_query for result in results]
    every = _in_order([result.query_ids for result in results])
    missing = [tuple(query for query in every if query not in values) for values in by_system]
    gaps = dict.fromkeys(query for side in missing for query in side)
    worst = worst_value(first) if gaps else None
    ids = tuple(query for query in every if query not in gaps) if worst is None else tuple(every)
    rows = [[values.get(query, worst) for values in by_system] for query in ids]
    low, high = range_of(first)
    values = np.array(rows, dtype=np.float64).reshape(-1, len(by_system))
    table = PerUnit(first.text, first.better, first.aggregate, ids, values, low=low, high=high)
    notes = []
    if gaps and worst is None:
        left = tuple(gaps)
        notes.append(f"{first.text}: left out where a system has no value: {len(left)} ({some(left)})")
        table = replace(table, lacking=tuple(missing))
    elif gaps:
        notes.append(
            f"{first.text}: {len(gaps)} {'query' if len(gaps) == 1 else 'queries'} where a system has no value count "
            f"as the worst value, {worst:g}, for it ({some(tuple(gaps))})"
        )
    if first.aggregate == "geometric":
        notes.append(f"{first.text}: means are geometric, differences are in {LOGARITHMS}")
        table = replace(table, values=logarithms(table.values), scale=LOGARITHMS)
    elif first.aggregate == "sum":
        notes.append(f"{first.text}: compared as a mean over queries, not as a sum")
    return replace(table, notes=tuple(notes))


def _in_order(ids: Sequence[Sequence[str]]) -> dict[str, None]:
    """Every query that some system has, those of the first in their order."""
    return dict.fromkeys(query for queries in ids for query in queries)


def one_sided(systems: Sequence[str], tables: Sequence[PerUnit]) -> list[str]:
    """Measures without a test, since some queries have a value of one system only; those of the same queries once."""
    measures: dict[tuple[tuple[str, ...], ...], list[str]] = {}
    for table in tables:
        if len(set(map(frozenset, table.lacking))) > 1:
            measures.setdefault(table.lacking, []).append(table.measure)
    if not measures:
        return []
    from rankproof.measuring.tasks import TO_ALL

    told = []
    for lacking, texts in measures.items():
        sides = [f"{name} has none on {len(lost)} ({some(lost)})" for name, lost in zip(systems, lacking, strict=True)]
        sides = [side for side, lost in zip(sides, lacking, strict=True) if lost]
        first = " Compare AllRecall first: it has a value on each." if any(t.startswith(TO_ALL) for t in texts) else ""
        told.append(
            f"{some(texts)}: queries on which a system has no value are left out: {', '.join(sides)}. A pair of which "
            f"only one has none there is not tested.{first}"
        )
    return told


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


def warnings_of_evaluations(evaluations: Sequence[Evaluation]) -> list[str]:
    """What a reader of a comparison should know of the evaluations: findings, what kept reports warned of, versions."""
    warnings = [text for e in evaluations for text in (*(str(finding) for finding in e.findings), *e.kept_warnings)]
    versions = {e.run_name: e.made_by or __version__ for e in evaluations}
    if len(set(versions.values())) > 1:
        each = ", ".join(f"{name} by {version}" for name, version in versions.items())
        warnings.append(
            f"measured by different versions of rankproof ({each}): a difference may come from the versions; measure "
            "all of them with one"
        )
    return list(dict.fromkeys(warnings))


def measures_left_out(evaluations: Sequence[Evaluation]) -> list[str]:
    """A warning of measures that not every evaluation has, and that are therefore not compared."""
    every = dict.fromkeys(text for e in evaluations for text in e.results)
    lacking = {e.run_name: [text for text in every if text not in e.results] for e in evaluations}
    told = [f"{name} has no {some(texts)}" for name, texts in lacking.items() if texts]
    return [f"not compared, since not every system has it: {'; '.join(told)}"] if told else []


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
