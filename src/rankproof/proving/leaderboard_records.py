"""Leaderboard: systems ranked by the first measure, with what is significant; and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.data_table import DataColumn, DataTable
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import (
    Section,
    confidence_interval,
    counted,
    interval,
    number,
    p_phrase,
    sections_text,
    signed,
)
from rankproof.kernel.shown import Shown

if TYPE_CHECKING:
    from rankproof.proving.records import Adjusted, Comparison, Contrast, Direction

# What a value is marked with where its difference from the reference is significant.
MARKS: Mapping[str, str] = {"better": "+", "worse": "-", "not shown": " "}
# Beside the rank of a system that cannot be told from the best.
AS_GOOD = "~"
# A text of a prompt fits every window.
PROMPT_COLUMNS = 80


@dataclass(frozen=True, slots=True, eq=False)
class LeaderboardRow:
    """One system.

    Attributes:
        rank: 1 for the best mean of the first measure; equal means share a rank; None where there is no order
        system: its name
        means: the mean of each measure
        directions: by measure, whether it differs significantly from the reference; nothing for the reference itself
        difference: its mean difference from the reference in the first measure; None for the reference itself
        adjusted: that difference after the correction; None where nothing was corrected
        against_best: whether it is significantly worse than the best; None for the best itself, and without an order
    """

    rank: int | None
    system: str
    means: Mapping[str, float]
    directions: Mapping[str, Direction]
    difference: Answer | None
    adjusted: Adjusted | None
    against_best: Direction | None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The confidence interval that decides."""
        if self.adjusted is not None:
            return self.adjusted.low, self.adjusted.high
        return (self.difference.low, self.difference.high) if isinstance(self.difference, Estimate) else None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Leaderboard(Shown):
    """Systems by the mean of the first measure, the best first.

    The best and the second are chosen by the data, so that a test of these two alone would err more often than it
    says. Their contrast therefore comes from a family that was corrected as a whole before anybody looked: that of the
    comparison, where the pair is in it, and else all pairs of systems in the first measure, a family of its own. A
    correction that keeps the family-wise error holds for every member at once, whichever is picked out. The two
    families each keep the level, so that the whole board makes a false claim with at most twice 1 - level. Without
    such a correction the line says that it is exploratory.

    Attributes:
        measures: the measures, the one that ranks first
        better: the good side of the first measure: "higher", "lower" or "neither"
        reference: the system that differences are taken from: the baseline, or the best where there is no baseline
        has_baseline: whether a baseline was named
        queries: how many queries count
        level: the confidence level
        correction: what keeps the family of tests honest, an item of the corrections shelf
        family: how many tests the marks are corrected for, in words; "" where nothing was corrected
        rows: the systems, the best first
        best_second: the contrast of the best with the second, candidate first; None without an order
        selection: what that contrast was corrected for, as the end of a sentence
        warnings: what could change the order or a mark
        notes: settings that are not the usual ones, and how queries were drawn
    """

    _noun: ClassVar[str] = "leaderboard"

    measures: tuple[str, ...]
    better: str
    reference: str
    has_baseline: bool
    queries: int
    level: float
    correction: str
    family: str
    rows: tuple[LeaderboardRow, ...]
    best_second: Contrast | None
    selection: str
    warnings: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> str | None:
        """The system with the best mean; the first named where several share it."""
        return self.rows[0].system if self.rows[0].rank is not None else None

    def __getitem__(self, system: str) -> LeaderboardRow:
        for row in self.rows:
            if row.system == system:
                return row
        raise KeyError(f"no system {system!r}; there are: {', '.join(row.system for row in self.rows)}")

    def __len__(self) -> int:
        return len(self.rows)

    def to_dict(self) -> Document:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        from rankproof.proving.conversions import contrast_dict

        return {
            "measures": list(self.measures),
            "queries": self.queries,
            "reference": self.reference,
            "has_baseline": self.has_baseline,
            "level": self.level,
            "correction": self.correction,
            "family": self.family,
            "rows": [_row_dict(row) for row in self.rows],
            "best_against_second": None if self.best_second is None else contrast_dict(self.best_second, False),
            "selection": self.selection,
            "warnings": list(self.warnings),
            "notes": list(self.notes),
        }

    @property
    def section(self) -> Section:
        """As a section of a report."""
        lines = (
            *legend(self),
            *best_against_second(self),
            *self.notes,
            *(f"Warning: {text}" for text in self.warnings),
        )
        return Section(board_title(self), lines, table(self), 2)

    def _table(self, per_query: bool | None) -> DataTable:
        if per_query:
            raise UsageError("A leaderboard has no values by query; `rankproof.compare` has them.")
        return board_table(self)

    def __repr__(self) -> str:
        return sections_text([self.section], PROMPT_COLUMNS).rstrip("\n")


def board_table(board: Leaderboard) -> DataTable:
    """A row for each system; None where there is no value."""
    ends = [row.ends or (None, None) for row in board.rows]
    first = board.measures[0]
    return DataTable(
        (
            DataColumn("system", [row.system for row in board.rows], "text"),
            DataColumn("rank", [row.rank for row in board.rows]),
            *(DataColumn(text, [row.means[text] for row in board.rows]) for text in board.measures),
            DataColumn("difference", [None if r.difference is None else r.difference.value for r in board.rows]),
            DataColumn("low", [low for low, _ in ends]),
            DataColumn("high", [high for _, high in ends]),
            DataColumn("result", [row.directions.get(first) for row in board.rows], "text"),
            DataColumn("against_best", [row.against_best for row in board.rows], "text"),
        ),
        index=1,
    )


def _row_dict(row: LeaderboardRow) -> dict[str, object]:
    from rankproof.proving.conversions import answer_dict

    return {
        "rank": row.rank,
        "system": row.system,
        "means": {text: None if math.isnan(mean) else mean for text, mean in row.means.items()},
        "directions": dict(row.directions),
        "difference": None if row.difference is None else answer_dict(row.difference),
        "adjusted": None if row.adjusted is None else row.adjusted.to_dict(),
        "against_best": row.against_best,
    }


# ---- from a comparison ----------------------------------------------------------------------------


def leaderboard_of(
    comparison: Comparison, has_baseline: bool = True, warnings: Sequence[str] = (), notes: Sequence[str] = ()
) -> Leaderboard:
    """The systems of a comparison, ranked by its first measure over all queries."""
    measure = comparison.measures[0]
    whole = [c for c in comparison.contrasts if not c.segment]
    means = {text: _means(comparison, whole, text) for text in comparison.measures}
    better = next(c.better for c in whole if c.measure == measure)
    order, ranks = ranked(comparison.systems, means[measure], better)
    best = order[0] if ranks[order[0]] is not None else None
    reference = comparison.systems[0] if has_baseline or best is None else best
    rows = []
    for system in order:
        against = {text: _pair(whole, text, system, reference) for text in comparison.measures}
        first = against[measure]
        behind = None if best in (None, system) else chosen_pair(comparison, system, str(best))
        rows.append(
            LeaderboardRow(
                ranks[system],
                system,
                {text: means[text][system] for text in comparison.measures},
                {text: contrast.direction for text, contrast in against.items() if contrast is not None},
                None if first is None else first.difference,
                None if first is None else first.adjusted,
                None if behind is None else behind.direction,
            )
        )
    pair = None if best is None else chosen_pair(comparison, order[0], order[1])
    return Leaderboard(
        comparison.measures, better, reference, has_baseline, len(comparison.query_ids), comparison.level,
        comparison.correction, "" if comparison.correction == "none" else comparison.family.counts, tuple(rows), pair,
        "" if pair is None else selection_text(comparison, pair),
        tuple(warnings), tuple(notes),
    )  # fmt: skip


def _means(comparison: Comparison, whole: Sequence[Contrast], text: str) -> dict[str, float]:
    means: dict[str, float] = {}
    for c in whole:
        if c.measure == text:
            means[c.baseline], means[c.candidate] = c.baseline_mean, c.candidate_mean
    return {system: means[system] for system in comparison.systems}


def ranked(systems: Sequence[str], means: Mapping[str, float], better: str) -> tuple[list[str], dict[str, int | None]]:
    """The systems, best first, and their ranks; as given and without ranks where the measure has no better side."""
    if better == "neither":
        return list(systems), dict.fromkeys(systems)
    sign = 1 if better == "lower" else -1
    order = sorted(systems, key=lambda s: (math.isnan(means[s]), 0.0 if math.isnan(means[s]) else sign * means[s]))
    ranks: dict[str, int | None] = {}
    for at, system in enumerate(order):
        before = order[at - 1] if at else None
        if math.isnan(means[system]):
            ranks[system] = None
        else:
            ranks[system] = ranks[before] if before is not None and means[before] == means[system] else at + 1
    return order, ranks


def _pair(contrasts: Sequence[Contrast], measure: str, candidate: str, other: str) -> Contrast | None:
    """The contrast of these two with `candidate` as the candidate, turned round where it was made the other way."""
    for contrast in contrasts:
        if contrast.measure == measure and not contrast.segment:
            if (contrast.candidate, contrast.baseline) == (candidate, other):
                return contrast
            if (contrast.candidate, contrast.baseline) == (other, candidate):
                return turned(contrast)
    return None


def turned(contrast: Contrast) -> Contrast:
    """The same two systems with their sides changed: the baseline against the candidate."""
    answer, beside = contrast.difference, contrast.adjusted
    if isinstance(answer, Estimate):
        answer = replace(answer, value=-answer.value, low=-answer.high, high=-answer.low)
    elif answer.value is not None:
        answer = replace(answer, value=-answer.value)
    return replace(
        contrast,
        baseline=contrast.candidate,
        candidate=contrast.baseline,
        baseline_mean=contrast.candidate_mean,
        candidate_mean=contrast.baseline_mean,
        by_query=-contrast.by_query,
        difference=answer,
        effect=None if contrast.effect is None else -contrast.effect,
        wins=contrast.losses,
        losses=contrast.wins,
        adjusted=None if beside is None else replace(beside, low=-beside.high, high=-beside.low),
        equivalence=None,  # a margin of non-inferiority has a side
    )


def chosen_pair(comparison: Comparison, candidate: str, other: str) -> Contrast | None:
    """Two systems in the first measure, from a family that was corrected as a whole: see `Leaderboard`."""
    measure = comparison.measures[0]
    made = _pair(comparison.contrasts, measure, candidate, other)
    return made if made is not None else _pair(comparison.every_pair(), measure, candidate, other)


def selection_text(comparison: Comparison, pair: Contrast) -> str:
    """What a pair that was chosen after seeing the ranking was corrected for; "" where there is no other pair."""
    if len(comparison.systems) == 2:
        return ""
    if shelf.find("corrections", comparison.correction).controls != "family-wise error":
        return f"post hoc and exploratory: {comparison.correction} does not correct for having picked the best"
    own = _pair(comparison.contrasts, comparison.measures[0], pair.candidate, pair.baseline) is None
    pairs = math.comb(len(comparison.systems), 2) if own else comparison.family.contrasts
    every = "all " if pairs == math.comb(len(comparison.systems), 2) else ""
    return f"post hoc, so adjusted over {every}{counted(pairs, 'pair')}"


# ---- showing one ---------------------------------------------------------------------------------


def board_title(board: Leaderboard) -> str:
    """How many systems are ranked by what, on how many queries."""
    systems, queries = counted(len(board.rows), "system"), counted(board.queries, "query", "queries")
    by = "in the order given" if board.best is None else f"by {board.measures[0]}"
    against = f", baseline {board.reference}" if board.has_baseline else ""
    return f"{systems} {by}, {queries}{against}"


def table(board: Leaderboard) -> tuple[tuple[str, ...], ...]:
    """Rank and name, the first measure with the difference from the reference, then the other measures."""
    first, *others = board.measures
    adjusted = "adjusted " if board.family else ""
    from_ = "from baseline" if board.has_baseline else "from best"
    ends = f"{adjusted}{confidence_interval(board.level, short=True)}"
    header = ("#", "system", f"{first} ", from_, ends, *(f"{text} " for text in others))
    rows = (
        (
            f"{'-' if row.rank is None else row.rank}{f' {AS_GOOD}' if row.against_best == 'not shown' else ''}",
            row.system,
            _marked(row, first),
            "" if row.difference is None or row.difference.value is None else signed(row.difference.value),
            "" if row.difference is None else "none" if row.ends is None else interval(*row.ends),
            *(_marked(row, text) for text in others),
        )
        for row in board.rows
    )
    return (header, *rows)


def _marked(row: LeaderboardRow, text: str) -> str:
    return number(row.means[text]) + MARKS[row.directions.get(text, "not shown")]


def legend(board: Leaderboard) -> tuple[str, ...]:
    """What the marks mean; nothing for marks that are not there."""
    used = {direction for row in board.rows for direction in row.directions.values()}
    words = [word for word in ("better", "worse") if word in used]
    marks = "/".join(MARKS[word] for word in words)
    than = board.reference if board.has_baseline else "the best"
    parts = [f"{marks} significantly {'/'.join(words)} than {than}"] if words else []
    if board.has_baseline and not words:
        parts = [f"no system differs significantly from {than}"]
    if any(row.against_best == "not shown" for row in board.rows):
        parts.append(f"{AS_GOOD} not significantly below the best")
    return ("; ".join(parts) + ".",) if parts else ()


def best_against_second(board: Leaderboard, brief: bool = False) -> tuple[str, ...]:
    """The sentence everybody looks for; nothing where the measure puts no system first. `brief`: without interval."""
    pair = board.best_second
    if pair is None:
        return ()
    answer = pair.difference
    both = f"Best against second: {pair.candidate}"
    if not isinstance(answer, Estimate):
        return (f"{both} and {pair.baseline} cannot be tested: {answer.reason}",)
    ends, p = (pair.adjusted or answer), pair.p_value
    assert p is not None
    verb = "is significantly better than" if pair.direction == "better" else "is not significantly better than"
    kind = "adjusted " if pair.adjusted is not None else ""
    interval_text = f", {kind}{confidence_interval(board.level)} {interval(ends.low, ends.high)}"
    numbers = f"{signed(answer.value)}{'' if brief else interval_text}, {p_phrase(p)}"
    return (
        f"{both} {verb} {pair.baseline} in {pair.measure} ({numbers}{board.selection and f', {board.selection}'}).",
    )
