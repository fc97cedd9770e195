"""Plan with any scores: what so many units can show, and what more repetitions of them would."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rankproof.errors import UsageError
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Alternative
from rankproof.kernel.sections import counted
from rankproof.proving.plan_power import PowerPlan, plan_values
from rankproof.proving.repeats import RepeatPlan, repeat_plan
from rankproof.proving.score_choices import Missing
from rankproof.proving.score_tables import scores_by_unit, systems_of


@dataclass(frozen=True, slots=True, eq=False)
class ScorePowerPlan(PowerPlan):
    """A power plan of two tables of scores, with what repetitions would do where units were asked several times."""

    repeats: tuple[RepeatPlan, ...] = ()

    def to_dict(self) -> Document:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        return {**PowerPlan.to_dict(self), "repeats": [plan.to_dict() for plan in self.repeats]}


def plan_scores(
    tables: Sequence[object],
    scores: str | Iterable[str] | None = None,
    *,
    unit: str | None = None,
    system: str | None = None,
    repeats: bool = False,
    lower_is_better: str | Iterable[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    missing: Missing = "worst",
    queries: int | None = None,
    difference: float | None = None,
    power: float = 0.8,
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
) -> ScorePowerPlan:
    """What these units can show between two systems, for each score.

    `tables` are the baseline and the candidate, as `compare_scores` reads them, or one table with a `system` column.
    """
    read = systems_of(list(tables), scores, unit=unit, system=system, repeats=repeats)
    if len(read) != 2:
        raise UsageError(
            f"A plan is for two systems, a baseline and a candidate; got {counted(len(read), 'system')}. Give two "
            "tables, or one and the column that names the system (--system COLUMN)."
        )
    by_unit = scores_by_unit(read, lower_is_better, ranges, missing)
    plan = plan_values(
        (read[0].name, read[1].name), by_unit, queries=queries, difference=difference, power=power,
        confidence=confidence, alternative=alternative,
    )  # fmt: skip
    plans = [repeat_plan(read[0], read[1], table.measure, level=confidence, power=power) for table in by_unit]
    return ScorePowerPlan(
        plan.sizings, plan.level, plan.power, plan.alternative, plan.asked, plan.runs,
        tuple(made for made in plans if made is not None),
    )  # fmt: skip
