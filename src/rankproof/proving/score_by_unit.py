"""One score of several systems by unit: repetitions averaged, missing values treated as the caller chose."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted, number, some
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.repeats import asked_again, failed_repetitions, repeat_notes, unit_means
from rankproof.proving.score_choices import Missing
from rankproof.proving.significance.contract import SAME
from rankproof.reading.score_cells import LARGEST
from rankproof.reading.score_tables import ScoreTable


@dataclass(frozen=True, slots=True, eq=False)
class ScoreByUnit:
    """The table of one score, what to say about it, what to warn of, and the systems' repetitions that it rests on."""

    table: PerUnit
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    sources: tuple[ScoreTable, ...]


def score_by_unit(
    tables: Sequence[ScoreTable], score: str, lower: bool, given: tuple[float, float] | None, missing: Missing
) -> ScoreByUnit:
    """One score by unit, averaged over repetitions, with what is missing treated as the caller chose."""
    systems = [table.name for table in tables]
    low, high, note = _range(tables, score, given)
    worst = high if lower else low
    failed = failed_repetitions(tables, score, worst, drop=missing == "drop")
    tables, warnings = failed.tables, list(failed.warnings)
    means = [unit_means(table, score) for table in tables]
    every = list(dict.fromkeys(unit for table in tables for unit in table.unit_ids))
    by_system = [
        dict(zip(table.unit_ids, mean.tolist(), strict=True)) for table, mean in zip(tables, means, strict=True)
    ]
    values = np.array([[have.get(unit, math.nan) for have in by_system] for unit in every], dtype=np.float64)
    known = ~np.isnan(values)
    notes = [*repeat_notes(tables, score), *([note] if note else []), *failed.notes]
    nowhere = tuple(unit for unit, have in zip(every, known, strict=True) if not have.any())
    if nowhere:
        notes.append(f"{score}: no system has a value: {counted(len(nowhere), 'unit')} left out ({some(nowhere)})")
    gaps = known.any(axis=1) & ~known.all(axis=1)
    better = "lower" if lower else "higher"
    repeated = asked_again(tables, score)
    table = PerUnit(score, better, "mean", (), np.empty((0, 0)), low=low, high=high, repeated=repeated)
    lacking: tuple[tuple[str, ...], ...] = ()
    kept = known.all(axis=1)
    if gaps.any():
        who = "; ".join(
            _gap(system, every, known[:, s] | ~gaps) for s, system in enumerate(systems) if (gaps & ~known[:, s]).any()
        )
        if missing == "drop":
            warnings.append(f"{score}: units without a value are left out for all systems, which can favor one: {who}")
        elif math.isfinite(worst):
            values = np.where(known, values, worst)
            kept = known.any(axis=1)
            notes.append(f"{score}: a missing value counts as the worst, {number(worst)}: {who}")
        else:
            lacking = tuple(tuple(every[i] for i in np.flatnonzero(gaps & ~known[:, s])) for s in range(len(systems)))
    ids = tuple(every[i] for i in np.flatnonzero(kept))
    apart = np.ptp(values[kept], axis=1) if len(ids) else np.zeros(0)
    if 0 < apart.max(initial=0.0) <= SAME:
        warnings.append(
            f"{score}: systems differ by {apart.max():.1g} at most, and differences up to {SAME:g} count as none: "
            "rounding makes such; give the score in another unit"
        )
    return ScoreByUnit(
        replace(table, unit_ids=ids, values=values[kept], lacking=lacking, unit="unit"), tuple(notes), tuple(warnings),
        tuple(tables),
    )  # fmt: skip


def _gap(system: str, units: Sequence[str], have: NDArray[np.bool_]) -> str:
    lost = tuple(units[i] for i in np.flatnonzero(~have).tolist())
    return f"{system} lacks {len(lost)} ({some(lost)})"


def _range(tables: Sequence[ScoreTable], score: str, given: tuple[float, float] | None) -> tuple[float, float, str]:
    """The range of one value by the score's definition, as the caller says or as 0 and 1 alone tell."""
    seen = np.concatenate([table.values[score] for table in tables])
    seen = seen[~np.isnan(seen)]
    if given is None:
        if len(seen) and np.isin(seen, (0.0, 1.0)).all():
            return 0.0, 1.0, f"{score}: 0 or 1 everywhere, taken for a score between 0 and 1"
        return -math.inf, math.inf, ""
    low, high = map(float, given)
    if not low < high or max(abs(low), abs(high)) > LARGEST:
        raise UsageError(
            f"The range of {score} runs from the least to the greatest value, up to {LARGEST:g}; got {low:g} to "
            f"{high:g}."
        )
    outside = seen[(seen < low) | (seen > high)]
    if len(outside):
        raise InputError(
            f"{score} has the value {outside[0]:g}, outside of its range {low:g} to {high:g}. Mend one of them."
        )
    return low, high, ""
