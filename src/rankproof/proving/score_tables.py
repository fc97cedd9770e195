"""Compare systems by any scores: tables of values by unit that another tool, a judge or a program made.

Everything below the values is what `compare` does: intervals, families of tests, power, margins, segments, reports.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Alternative, NotEstimable
from rankproof.kernel.sections import counted
from rankproof.measuring.records import Evaluation, Population, Result
from rankproof.proving.compare import compare_values
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.plan_power import PowerPlan, plan_values
from rankproof.proving.records import Comparison, Design
from rankproof.proving.repeats import (
    RepeatPlan,
    repeat_plan,
)
from rankproof.proving.score_by_unit import ScoreByUnit, score_by_unit
from rankproof.proving.score_choices import Missing
from rankproof.proving.significance._bounded import NO_RANGE
from rankproof.reading.naming import distinct_names
from rankproof.reading.score_tables import (
    ScoreTable,
    about_units,
    are_rows,
    gathered,
    named_scores,
    read_score_table,
    refuse_no_common_unit,
    split_by_column,
)

MISSING: tuple[Missing, ...] = ("worst", "drop")
_OF_DESIGN = {field.name for field in fields(Design)}


def compare_scores(
    baseline: object,
    candidates: object = (),
    scores: str | Iterable[str] | None = None,
    *,
    names: Sequence[str] | None = None,
    unit: str | None = None,
    system: str | None = None,
    repeats: bool = False,
    lower_is_better: str | Iterable[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    missing: Missing = "worst",
    queries: object = None,
    by: Iterable[str] = (),
    format: str | None = None,
    **choices: Any,
) -> Comparison:
    """Systems compared by tables of scores: `compare_scores("old.csv", "new.csv", "faithfulness")`.

    baseline, candidates   tables by unit: files (CSV, TSV, JSON lines), data frames, lists of dicts, or
                           {unit: {score: value}}; several candidates as a list
    scores                 the scores to compare, the first is the primary one; by default all that every table has
    unit                   the column that names the unit (a query, a task, a user)
    system                 the column that names the system, where one table has several: the first is the baseline
    repeats                units were asked several times: their values are averaged, and the fine print says how much
                           repetitions vary
    lower_is_better        scores of which less is better: costs, latencies, error rates
    ranges                 {score: (least, greatest)} where a score is bounded by its definition; 0 to 1 for scores that
                           are 0 or 1 everywhere
    missing                a unit that one system has no value for counts as the worst value of the score's range, where
                           there is a range; "drop" leaves such units out for all systems, with a warning
    queries, by            as in `compare`; without `queries` the columns of `by`, `weights`, `strata` and `clusters`
                           are those of the tables themselves
    format                 the format of another tool's records, with its options (`mteb(split=test)`), where content
                           does not tell it

    The other choices are those of `Design`: `clusters="document"` where units of one document are alike.
    """
    if missing not in MISSING:
        raise UsageError(f"What becomes of a missing value is 'worst' or 'drop'; got {missing!r}.")
    unknown = choices.keys() - _OF_DESIGN
    if unknown:
        raise UnknownName("choice of a comparison", sorted(unknown)[0], sorted(_OF_DESIGN))
    several = isinstance(candidates, list | tuple) and not are_rows(candidates, unit)
    sources = [baseline, *(cast("Sequence[object]", candidates) if several else [candidates])]
    design, by = Design(**choices), tuple(by)
    about = () if queries is not None else (*design.sampling.named, *by)
    tables = systems_of(
        sources, scores, names=names, unit=unit, system=system, repeats=repeats, about=about, format=format
    )
    if len(tables) < 2:
        raise UsageError(
            f"A comparison needs a baseline and at least one candidate; got {tables[0].name} alone. Give a table for "
            "each system, or one table and the column that names the system (--system COLUMN, system= in Python)."
        )
    systems = tuple(table.name for table in tables)
    refuse_no_common_unit(tables)
    if about:
        queries = about_units(tables, about)
    made = _scores(tables, lower_is_better, ranges, missing)
    comparison = compare_values(systems, [m.table for m in made], design, queries=queries, by=by)
    plans = tuple(
        plan
        for m in made
        for candidate in m.sources[1:]
        if not design.sampled
        and (plan := repeat_plan(m.sources[0], candidate, m.table.measure, level=design.confidence, power=design.power))
        is not None
    )
    notes = tuple(
        dict.fromkeys(
            (*(note for table in tables for note in table.notes), *(n for m in made for n in m.notes), *map(str, plans))
        )
    )
    return replace(
        comparison,
        evaluations=tuple(evaluation_of_scores(name, s, [m.table for m in made]) for s, name in enumerate(systems)),
        warnings=(
            *comparison.warnings,
            *_without_range(comparison),
            *_left_out(tables),
            *(w for m in made for w in m.warnings),
        ),
        fine_print=(*comparison.fine_print, *notes),
        repeats=plans,
    )


def _without_range(comparison: Comparison) -> Iterator[str]:
    """What to do where bounds need the range of a score and nobody said it: identical values among these."""
    reasons = {c.measure: c.difference.reason for c in comparison.contrasts if isinstance(c.difference, NotEstimable)}
    for score, reason in reasons.items():
        if NO_RANGE in reason:
            yield (
                f"{score}: too few units changed for t, and bounds that hold then need the range of the score: say it, "
                f"such as --range {score}=0:1 (ranges= in Python)"
            )


def _left_out(tables: Sequence[ScoreTable]) -> Iterator[str]:
    """Columns that are numbers elsewhere, in another table or in most rows: a failed row must not hide a score."""
    for column in dict.fromkeys(column for table in tables for column in table.texts):
        places = [(table.name, *table.texts[column]) for table in tables if column in table.texts]
        if any(column in table.values for table in tables) or max(share for _, _, share in places) >= 0.5:
            where = "; ".join(f"{name}: {cell}" for name, cell, _ in places)
            yield f"{column} is not compared: it is not all numbers ({where}). Mend such cells, or name the scores"


def scores_by_unit(
    tables: Sequence[ScoreTable],
    lower_is_better: str | Iterable[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    missing: Missing = "worst",
) -> list[PerUnit]:
    """The values by unit of every score that all tables have: a column for each table, averaged over repetitions."""
    return [made.table for made in _scores(tables, lower_is_better, ranges, missing)]


def _scores(
    tables: Sequence[ScoreTable],
    lower_is_better: str | Iterable[str],
    ranges: Mapping[str, tuple[float, float]] | None,
    missing: Missing,
) -> list[ScoreByUnit]:
    lower = {lower_is_better} if isinstance(lower_is_better, str) else set(lower_is_better)
    systems = tuple(table.name for table in tables)
    common = _common(tables, systems)
    for names_given in (lower, set(ranges or ())):
        for name in sorted(names_given - set(common)):
            raise UnknownName("score", name, common)
    return [score_by_unit(tables, score, score in lower, (ranges or {}).get(score), missing) for score in common]


def systems_of(
    sources: Sequence[object],
    scores: str | Iterable[str] | None = None,
    *,
    names: Sequence[str] | None = None,
    unit: str | None = None,
    system: str | None = None,
    repeats: bool = False,
    about: Sequence[str] = (),
    format: str | None = None,
) -> list[ScoreTable]:
    """The tables of scores that sources hold, a system each, by names that tell them apart.

    With `system`, the column that names a row's system, a source may hold several. `about` are columns that say
    something about units, and no scores.
    """
    wanted = [scores] if isinstance(scores, str) else None if scores is None else list(scores)
    if wanted is not None and not wanted:
        raise UsageError("No score was named. Name one or more, or none to take all that every table has.")
    if system is not None:
        if names is not None:
            raise UsageError(f"Names of systems stand in the column {system!r}: leave out names=.")
        parts = gathered(split_by_column(source, system, format=format) for source in sources)
        sources, names = list(parts.values()), list(parts)
    called: Sequence[str | None] = names if names is not None else [None] * len(sources)
    if len(called) != len(sources):
        raise UsageError(f"There are {counted(len(sources), 'table')} and {counted(len(called), 'name')}.")
    tables = [
        _restricted(what, wanted)
        if isinstance(what, ScoreTable)
        else read_score_table(
            what,
            name=name,
            unit=unit,
            scores=wanted,
            repeats=repeats,
            about=about,
            format=format,
            called=f"the table of {name}" if system else "",
        )
        for what, name in zip(sources, called, strict=True)
    ]
    if names is not None and len(set(names)) < len(names):
        raise UsageError(f"Two systems have one name among {', '.join(names)}. Give each its own.")
    sides = ["baseline", *(f"candidate {i}" if len(tables) > 2 else "candidate" for i in range(1, len(tables)))]
    apart = distinct_names([table.name for table in tables], [_path(source) for source in sources], sides)
    return [replace(table, name=name) for table, name in zip(tables, apart, strict=True)]


def baseline_first(
    tables: Sequence[ScoreTable], baseline: str | None, sources: Sequence[object] = ()
) -> list[ScoreTable]:
    """The tables with the one of that name, or of that path among the sources, first; as they are without a name."""
    if baseline is None:
        return list(tables)
    paths = sources if len(sources) == len(tables) else [""] * len(tables)
    at = [i for i, (table, path) in enumerate(zip(tables, paths, strict=True)) if baseline in (table.name, path)]
    if not at:
        raise UnknownName("system to be the baseline", baseline, [table.name for table in tables])
    return [tables[at[0]], *(table for i, table in enumerate(tables) if i != at[0])]


def _path(source: object) -> str:
    return os.fspath(source) if isinstance(source, str | os.PathLike) else ""


def _restricted(table: ScoreTable, wanted: Sequence[str] | None) -> ScoreTable:
    if wanted is None:
        return table
    names = named_scores(wanted, list(table.values), f"score of {table.name}")
    return replace(table, values={name: table.values[name] for name in names})


def evaluation_of_scores(system: str, column: int, tables: Sequence[PerUnit]) -> Evaluation:
    """One system's values as they were compared, in the record from which reports take the values of a query."""
    results = {
        table.measure: Result(
            table.measure,
            table.mean(column) if len(table.unit_ids) else math.nan,
            table.unit_ids,
            table.column(column),
            better=table.better,
        )
        for table in tables
    }
    units = {unit for table in tables for unit in table.unit_ids}
    return Evaluation(results, Population(len(units), len(units)), run_name=system)


def _common(tables: Sequence[ScoreTable], systems: Sequence[str]) -> list[str]:
    """The scores that every table has, in the order of the first; where scores were named, each table has these."""
    common = [score for score in tables[0].values if all(score in table.values for table in tables)]
    if not common:
        each = "; ".join(f"{system}: {', '.join(table.values)}" for system, table in zip(systems, tables, strict=True))
        raise InputError(f"The tables have no score in common ({each}). Give the same score the same name.")
    return common


# ---- planning -------------------------------------------------------------------------------------


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
    format: str | None = None,
) -> ScorePowerPlan:
    """What these units can show between two systems, for each score.

    `tables` are the baseline and the candidate, as `compare_scores` reads them, or one table with a `system` column.
    """
    read = systems_of(list(tables), scores, unit=unit, system=system, repeats=repeats, format=format)
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
