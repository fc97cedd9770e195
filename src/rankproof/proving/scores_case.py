"""ScoresCase: the case of a gate on tables of scores, those of candidate and baseline or of the candidate alone.

Directions, ranges, repetitions and missing values are those of `compare_scores`: one function treats them
(`score_by_unit`), so that a gate and a comparison rest on the same values.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import asdict, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted, number, some
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.records import Evaluation
from rankproof.proving.policy import Policy, bind_clause
from rankproof.proving.records import Comparison, Design
from rankproof.proving.repeats import asked_again, known_means
from rankproof.proving.rule_params import ValueName
from rankproof.proving.rules.contract import Rule, RuleSample, RuleValues, measure_named
from rankproof.proving.score_by_unit import ScoreByUnit, score_by_unit
from rankproof.proving.score_choices import ScoreChoices
from rankproof.proving.score_tables import (
    compare_scores,
    evaluation_of_scores,
    systems_of,
)
from rankproof.proving.supposed import WOULD, Risk
from rankproof.proving.values_case import HeldValues, ValuesCase, digest
from rankproof.reading.score_tables import ScoreTable, refuse_no_common_unit

if TYPE_CHECKING:
    from rankproof.proving.manifest import Given

# Which side a table is, in the order of a comparison.
SIDES = ("baseline", "candidate")


class ScoresCase(ValuesCase):
    """Tables of scores: those of candidate and baseline, or of the candidate alone."""

    _left_out: frozenset[str] = frozenset()

    def __init__(self, policy: Policy, names: tuple[str, ...] | None = None) -> None:
        super().__init__(policy)
        assert policy.scores is not None
        self.choices = policy.scores
        if not self.measures:  # rules on files of their own, such as latencies, need no table
            self._names = _sides_named(policy)
            return
        self._needed("candidate", policy.candidate)
        self.tables = self._read(policy.scores, names)
        self._names = tuple(table.name for table in reversed(self.tables))
        if len(self.tables) > 1:
            refuse_no_common_unit(self.tables)
        self._refuse_unknown(policy)
        self.scores = {score: self._by_unit(score) for score in self.measures}
        self.repeated = any(asked_again(self.tables, score) for score in self.measures)
        self.policy = replace(policy, clauses=tuple(bind_clause(clause, self._named) for clause in policy.clauses))

    def _read(self, choices: ScoreChoices, names: tuple[str, ...] | None) -> list[ScoreTable]:
        """The tables, the baseline's first; of a system that a column names, those of the policy."""
        sources = [source for source in (self._baseline, self._candidate) if source is not None]
        how: dict[str, Any] = {"unit": choices.unit, "repeats": choices.repeats, "format": choices.format}
        if choices.system is None:
            return systems_of(sources, names=None if names is None else names[::-1], **how)
        same = len(sources) == 2 and isinstance(sources[0], str | os.PathLike) and sources[0] == sources[1]
        tables = {
            table.name: table for table in systems_of(sources[:1] if same else sources, system=choices.system, **how)
        }
        return [tables[name] for name in _systems(choices, list(tables))]

    def _refuse_unknown(self, policy: Policy) -> None:
        """Refuses names of scores that no table has: of rules with their place, and of directions and ranges."""
        choices = self.choices
        for clause in policy.clauses:
            for score in measure_named(clause.values):
                for table in self.tables:
                    if score not in table.values:
                        self._refuse_score(score, table, clause.place)
        for key, named in (("lower", choices.lower), ("range", choices.range)):
            for score in named:
                if score not in self.tables[-1].values:
                    raise UnknownName(f"score ([scores], {key})", score, list(self.tables[-1].values))

    def _refuse_score(self, score: str, table: ScoreTable, place: str) -> None:
        """Says why a table lacks a score: there is no such column, or it holds something else than numbers."""
        choices = self.choices
        sources = [source for source in (self._baseline, self._candidate) if source is not None]
        # Reading this column by name finds the row that is no number, where the column is there at all.
        with suppress(UnknownName):
            systems_of(
                sources, [score], unit=choices.unit, system=choices.system, repeats=choices.repeats,
                format=choices.format,
            )  # fmt: skip
        raise UnknownName(f"score of {table.name} ({place})", score, list(table.values))

    def _named(self, score: str, place: str) -> ValueName:
        table = self.scores[score].table
        return ValueName(score, table.better, table.low, table.high)

    def _by_unit(self, score: str) -> ScoreByUnit:
        how = (score in self.choices.lower, self.choices.range.get(score), self.choices.missing)
        if len(self.tables) > 1:
            return score_by_unit(self.tables, score, *how)
        return _alone(self.tables[0], score, *how)

    # ---- what rules ask ----

    def values(self, measure: str, segment: str = "") -> RuleSample:
        """The candidate's values; `lost` has units without one that nothing can stand for."""
        table, inside = self.scores[measure].table, self.queries_in(segment)
        values = dict(zip(table.unit_ids, table.column(-1).tolist(), strict=True))
        lost: Mapping[str, float] = {}
        if any(table.lacking):
            sources = self.scores[measure].sources
            own = known_means(sources[-1], measure)
            values |= {unit: own[unit] for unit in table.lacking[0] if unit in own}
            others = known_means(sources[0], measure)
            lost = {unit: others.get(unit, np.nan) for unit in table.lacking[-1] if unit in inside}
        kept = {unit: value for unit, value in values.items() if unit in inside}
        return RuleSample(
            measure, table.better, "mean", tuple(kept), np.array([*kept.values()], dtype=np.float64), lost=lost,
            low=table.low, high=table.high,
        )  # fmt: skip

    def changes(self, measure: str, segment: str = "") -> RuleSample:
        """The values of both sides, and those of the units that one side lacks where nothing can stand for it."""
        if len(self.tables) < 2:
            self._needed("baseline", None)
        inside = self.queries_in(segment)
        whole = self.scores[measure].table
        table = whole.select(inside)
        before, after = (known_means(side, measure) for side in self.scores[measure].sources)
        theirs, ours = table.lacking or ((), ())
        every = (unit for side in self.tables for unit in side.unit_ids)
        return RuleSample(
            measure, table.better, "mean", table.unit_ids, table.column(-1), table.column(0),
            lost={unit: before[unit] for unit in ours}, gained={unit: after[unit] for unit in theirs},
            without=tuple(unit for unit in dict.fromkeys(every) if unit not in whole.every_unit),
            low=table.low, high=table.high,
        )  # fmt: skip

    def answer_scores(
        self, score: str, answerable: str, relevant: int, segment: str = ""
    ) -> tuple[Mapping[str, float | None], Mapping[str, bool]]:
        """The candidate's columns; whether a unit has an answer must be said of every unit that some table has."""
        if not score:
            raise UsageError("on tables of scores say score_column and answerable_column")
        table, inside = self.tables[-1], self.queries_in(segment)
        if answerable not in table.values:
            raise UnknownName(f"column of {table.name} with 0 or 1", answerable, list(table.values))
        says = known_means(table, answerable)
        for unit in self.query_ids:
            if unit in inside and says.get(unit) not in (0.0, 1.0):
                raise InputError(
                    f"{table.name}, unit {unit!r:.80}: {answerable} must be 0 or 1; got {says.get(unit)}. Say of every "
                    "unit whether it has an answer."
                )
        scores = known_means(table, score)
        return (
            {unit: scores.get(unit) for unit in says if unit in inside},
            {unit: bool(says[unit]) for unit in self.query_ids if unit in inside},
        )

    @cached_property
    def query_ids(self) -> tuple[str, ...]:
        """The units of all tables."""
        return tuple(dict.fromkeys(unit for table in self.tables for unit in table.unit_ids))

    @cached_property
    def evaluations(self) -> tuple[Evaluation, ...]:
        """The values as rules saw them: the candidate's, then the baseline's."""
        made = [score.table for score in self.scores.values()]
        columns = range(len(self.names))
        return tuple(evaluation_of_scores(self.names[i], len(columns) - 1 - i, made) for i in columns)

    # ---- what is told beside the rulings ----

    def queries_in(self, segment: str) -> frozenset[str]:
        """The units of a segment, without those that are left out to see what a rule would say then."""
        return super().queries_in(segment) - self._left_out

    def risks(self, rule: Rule, values: RuleValues, ruling: Ruling) -> Iterator[Risk]:
        """A PASS that rests on units where the baseline has no value and the worst one stands for it.

        A candidate that was asked more would gain by that alone. Where it is the candidate that has no value, the worst
        one counts against it, and no PASS rests on that.
        """
        if not rule.needs_baseline or "basis" not in values or ruling.status != "PASS":
            return
        baseline = self.scores[ruling.measure].sources[0]
        known, inside = known_means(baseline, ruling.measure), self.queries_in(values["segment"])
        filled = tuple(u for u in self.scores[ruling.measure].table.unit_ids if u in inside and u not in known)
        if not filled:
            return
        without = copy(self)
        without._left_out = frozenset(filled)
        status = rule.decide(without, values).status
        if status != "PASS":
            yield Risk(
                f"{self.baseline} has no {ruling.measure} for {counted(len(filled), 'unit')} ({some(filled)}), which "
                f"count as its worst value; without them the rule would {WOULD[status]}.",
                f"Values of {self.baseline} for these units would decide it, or tables of the same units.",
            )

    def warnings(self) -> tuple[list[str], list[str]]:
        """Missing units, units left out, and notes of the tables and scores."""
        warnings, _ = super().warnings()
        warnings += list(self._missing_units())
        warnings += [warning for score in self.scores.values() for warning in score.warnings]
        notes = (note for table in self.tables for note in table.notes)
        return warnings, list(dict.fromkeys((*notes, *(n for score in self.scores.values() for n in score.notes))))

    def _missing_units(self) -> Iterator[str]:
        for table in self.tables:
            have = set(table.unit_ids)
            lacks = tuple(unit for unit in self.query_ids if unit not in have)
            if lacks:
                yield f"{table.name} lacks {len(lacks)} of {len(self.query_ids)} units ({some(lacks)})."

    @cached_property
    def given(self) -> tuple[Given, ...]:
        """Each table with the hash of its units and of the scores that rules name."""
        from rankproof.proving.manifest import Given

        sources = {"baseline": self.policy.baseline, "candidate": self.policy.candidate}
        sides = SIDES[-len(self.tables) :]
        held = [
            Given(_file_of(sources, side), HeldValues(_held(table, self._columns_read(table))))
            for side, table in zip(sides, self.tables, strict=True)
        ]
        return tuple(reversed(held))

    def _columns_read(self, table: ScoreTable) -> list[str]:
        """The columns that rules look at."""
        further = (clause.values.get("answerable_column") for clause in self.policy.clauses)
        return list(dict.fromkeys([*self.measures, *(str(name) for name in further if name in table.values)]))

    @property
    def ground_hash(self) -> str:
        """Of the units, which is what several attempts share: those of the baseline, where there is one."""
        return digest(sorted(self.tables[0].unit_ids))

    def compared(self, design: Design, by: tuple[str, ...]) -> Comparison:
        """By `compare_scores`."""
        choices, measures = self.choices, self.measures
        return compare_scores(
            self.tables[0], self.tables[1:], measures, lower_is_better=[s for s in choices.lower if s in measures],
            ranges={s: ends for s, ends in choices.range.items() if s in measures}, missing=choices.missing,
            queries=self.policy.queries, by=by, **asdict(design),
        )  # fmt: skip


def _systems(choices: ScoreChoices, names: Sequence[str]) -> list[str]:
    """The systems to look at, the baseline first: those of the policy, or all where one or two are there."""
    for side, name in (("baseline", choices.baseline), ("candidate", choices.candidate)):
        if name is not None and name not in names:
            raise UnknownName(f"system to be the {side} (column {choices.system})", name, list(names))
    if choices.candidate is not None and choices.candidate == choices.baseline:
        raise UsageError(f"Baseline and candidate are both {choices.candidate!r}. Name two systems.")
    left = [name for name in names if name not in (choices.baseline, choices.candidate)]
    candidate = choices.candidate or (
        left[-1] if len(left) == (1 if choices.baseline else 2) or len(names) == 1 else ""
    )
    if not candidate:
        raise UsageError(
            f"The column {choices.system!r} has {len(names)} systems ({some(tuple(names))}), and a gate is about one "
            'candidate. Say baseline = "..." and candidate = "..." in [scores], or --baseline and --candidate.'
        )
    others = [name for name in names if name != candidate]
    baseline = choices.baseline or (others[0] if len(others) == 1 else None)
    return [candidate] if baseline is None else [baseline, candidate]


def _alone(table: ScoreTable, score: str, lower: bool, given: tuple[float, float] | None, missing: str) -> ScoreByUnit:
    """One system's score; a unit without a value is missing, since no other system tells that none can be had."""
    made = score_by_unit([table], score, lower, given, "drop" if missing == "drop" else "worst")
    known = known_means(made.sources[0], score)
    lacks = tuple(unit for unit in table.unit_ids if unit not in known)
    if not lacks:
        return made
    notes = tuple(note for note in made.notes if not note.startswith(f"{score}: no system has a value"))
    who = f"{table.name} lacks {len(lacks)} ({some(lacks)})"
    worst = made.table.high if lower else made.table.low
    if missing == "drop":
        warning = f"{score}: units without a value are left out, which can favor a system that fails there: {who}"
        return replace(made, notes=notes, warnings=(*made.warnings, warning))
    if np.isfinite(worst):
        ids, values = (
            (*made.table.unit_ids, *lacks),
            np.concatenate([made.table.values, np.full((len(lacks), 1), worst)]),
        )
        note = f"{score}: a missing value counts as the worst, {number(worst)}: {who}"
        return replace(made, table=replace(made.table, unit_ids=ids, values=values), notes=(*notes, note))
    return replace(made, table=replace(made.table, lacking=(lacks,)), notes=notes)


def _held(table: ScoreTable, scores: Sequence[str]) -> dict[str, object]:
    """By score and unit its values, None where one is missing."""
    held: dict[str, object] = {}
    for score in scores:
        by_unit: dict[str, list[float | None]] = {unit: [] for unit in table.unit_ids}
        for at, value in zip(table.unit.tolist(), table.values[score].tolist(), strict=True):
            by_unit[table.unit_ids[at]].append(None if value != value else value)
        held[score] = by_unit
    return held


def _file_of(sources: Mapping[str, Any], side: str) -> object:
    """The file of a side; where a column names the systems, one file may have both."""
    return sources[side] if sources[side] is not None else sources["candidate"]


def _sides_named(policy: Policy) -> tuple[str, ...]:
    sides = ("candidate",) if policy.baseline is None else ("candidate", "baseline")
    sources = (getattr(policy, side) for side in sides)
    return tuple(
        os.path.basename(source).partition(".")[0] if isinstance(source, str) else side
        for side, source in zip(sides, sources, strict=True)
    )
