"""Leaderboard: systems ranked by the first measure, with what is significant; and how it is shown."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rankproof.errors import UsageError
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
    from rankproof.proving.direction import Direction
    from rankproof.proving.records import Adjusted, Contrast

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
        rank_interval: the least and the greatest rank that it may have by what is significant; None without an order
    """

    rank: int | None
    system: str
    means: Mapping[str, float]
    directions: Mapping[str, Direction]
    difference: Answer | None
    adjusted: Adjusted | None
    against_best: Direction | None
    rank_interval: tuple[int, int] | None = None

    @property
    def ends(self) -> tuple[float, float] | None:
        """The confidence interval that decides."""
        if self.adjusted is not None:
            return self.adjusted.low, self.adjusted.high
        return (self.difference.low, self.difference.high) if isinstance(self.difference, Estimate) else None


@dataclass(frozen=True, slots=True, eq=False)
class BoardWithout:
    """The ranking over several datasets without one of them.

    Attributes:
        dataset: the dataset that was left out
        ranks: the rank of each system by the mean over the others
        rank_intervals: the least and the greatest rank that each may have; None without an order
    """

    dataset: str
    ranks: Mapping[str, int | None]
    rank_intervals: Mapping[str, tuple[int, int] | None]

    def to_dict(self) -> dict[str, object]:
        """Plain dicts, lists, numbers and texts."""
        intervals = {system: None if ends is None else list(ends) for system, ends in self.rank_intervals.items()}
        return {"dataset": self.dataset, "ranks": dict(self.ranks), "rank_intervals": intervals}


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
        groups: neighbors of which no two are significantly different, the best first; one system may be in several
        hold_together: whether all rank intervals hold at once at the level: the correction keeps the family-wise error,
            and no dataset has too few queries for that
        without: over several datasets, the ranking without each of them
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
    groups: tuple[tuple[str, ...], ...] = ()
    hold_together: bool = False
    without: tuple[BoardWithout, ...] = ()

    @property
    def may_be_best(self) -> tuple[str, ...]:
        """The systems whose rank interval begins with 1: none is significantly better."""
        return tuple(row.system for row in self.rows if row.rank_interval is not None and row.rank_interval[0] == 1)

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
            "groups": [list(group) for group in self.groups],
            "hold_together": self.hold_together,
            "without": [each.to_dict() for each in self.without],
        }

    @property
    def section(self) -> Section:
        """As a section of a report."""
        lines = (
            *legend(self),
            *best_against_second(self),
            *rank_lines(self),
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
            DataColumn("rank_low", [None if r.rank_interval is None else r.rank_interval[0] for r in board.rows]),
            DataColumn("rank_high", [None if r.rank_interval is None else r.rank_interval[1] for r in board.rows]),
            DataColumn("groups", [group_letters(board, row.system) for row in board.rows], "text"),
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
        "rank_interval": None if row.rank_interval is None else list(row.rank_interval),
    }


# ---- showing one ---------------------------------------------------------------------------------


def board_title(board: Leaderboard) -> str:
    """How many systems are ranked by what, on how many queries."""
    systems, queries = counted(len(board.rows), "system"), counted(board.queries, "query", "queries")
    by = "in the order given" if board.best is None else f"by {board.measures[0]}"
    against = f", baseline {board.reference}" if board.has_baseline else ""
    return f"{systems} {by}, {queries}{against}"


def table(board: Leaderboard) -> tuple[tuple[str, ...], ...]:
    """Rank and name, the first measure with the difference from the reference, then the other measures.

    Rank intervals and groups stand beside them where no baseline was named: with one, the question is another.
    """
    first, *others = board.measures
    adjusted = "adjusted " if board.family else ""
    from_ = "from baseline" if board.has_baseline else "from best"
    ends = f"{adjusted}{confidence_interval(board.level, short=True)}"
    ranking = () if _without_ranks(board) else (f"rank {confidence_interval(board.level, short=True)}", "group")
    header = ("#", "system", f"{first} ", from_, ends, *ranking, *(f"{text} " for text in others))
    rows = (
        (
            f"{'-' if row.rank is None else row.rank}{f' {AS_GOOD}' if row.against_best == 'not shown' else ''}",
            row.system,
            _marked(row, first),
            "" if row.difference is None or row.difference.value is None else signed(row.difference.value),
            "" if row.difference is None else "none" if row.ends is None else interval(*row.ends),
            *((_ranks_text(row.rank_interval), group_letters(board, row.system)) if ranking else ()),
            *(_marked(row, text) for text in others),
        )
        for row in board.rows
    )
    return (header, *rows)


def _without_ranks(board: Leaderboard) -> bool:
    return board.has_baseline or board.best is None


def _ranks_text(ends: tuple[int, int] | None) -> str:
    if ends is None:
        return "none"
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


def group_letters(board: Leaderboard, system: str) -> str:
    """The groups that a system is in, as letters: a, b, ..., z, a1, b1, ...; systems with a common letter are alike."""
    letters = [f"{chr(ord('a') + at % 26)}{at // 26 or ''}" for at, group in enumerate(board.groups) if system in group]
    return ("" if len(board.groups) <= 26 else " ").join(letters)


def rank_lines(board: Leaderboard) -> tuple[str, ...]:
    """What rank intervals and letters mean; and, over datasets, whether one of them decides."""
    lines: list[str] = []
    if not _without_ranks(board):
        sure = f"with {board.level:.0%} confidence all of them hold at once"
        if not board.hold_together:
            sure = "exploratory: what was done does not keep the family-wise error, so that more of them may be wrong"
        lines.append(f"Rank intervals: {sure}. Systems with a common letter are not significantly different.")
    other = [each for each in board.without if _leader(each.ranks) != board.best]
    if other:
        told = "; ".join(f"without {each.dataset}: {_leader(each.ranks)}" for each in other)
        lines.append(f"The best changes with the datasets: {told}.")
    elif board.without and board.best is not None:
        lines.append(f"Without any one of the datasets, {board.best} still has the best mean.")
    return tuple(lines)


def _leader(ranks: Mapping[str, int | None]) -> str | None:
    return next((system for system, rank in ranks.items() if rank == 1), None)


def _marked(row: LeaderboardRow, text: str) -> str:
    return number(row.means[text]) + MARKS.get(row.directions.get(text, "not shown"), " ")


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
