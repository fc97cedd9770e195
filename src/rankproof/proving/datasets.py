"""Several datasets in one verdict, as BEIR and MTEB have them: the mean over datasets, with an error that fits it.

Two questions hide in "better over these datasets":

    on these      would it still be so with other queries of the same datasets? Each dataset counts the same, however
                  many queries it has; only its queries are left to chance (a stratified mean).
    like these    would it still be so on other datasets of this kind? The datasets themselves are the sample, so there
                  are only as many values as datasets, and a handful of them shows little.

Both are answered, and what happens without each dataset in turn. A mean over all queries answers neither: the largest
dataset would decide.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.sections import Section, counted, interval, number, p_text, signed, some, verdict_word
from rankproof.proving.compare import compare_values
from rankproof.proving.conversions import answer_dict
from rankproof.proving.leaderboard_records import BoardWithout, Leaderboard
from rankproof.proving.per_unit import PerUnit, from_evaluations
from rankproof.proving.ranks import leaderboard_of
from rankproof.proving.records import DEFAULT_DESIGN, Comparison, Design, Direction, direction_shown
from rankproof.proving.significance._student import DESIGN_EFFECT
from rankproof.proving.significance.contract import SignificanceRequest

# The columns of the design that is made here; a dataset's name is the name of a stratum.
DATASET, WEIGHT = "dataset", "weight"
# Between the name of a dataset and the id of a query, which another dataset may have as well.
SEPARATOR = "/"
# With fewer datasets than this nothing can be told about others like them.
FEWEST = 3
# With fewer queries in one of the datasets the error of a single test is told too small: on datasets of 21, 14 and 7
# skewed values a one-sided bound at 95% erred in 8 of 100 simulated sets (docs/statistics.md).
FEWEST_QUERIES = 20


@dataclass(frozen=True, slots=True)
class OneOut:
    """What the comparison on these datasets says without one of them, in one measure and for one candidate.

    Attributes:
        dataset: the dataset that was left out
        measure: the measure
        candidate: the system that was compared with the baseline
        difference: its mean difference over the other datasets
        direction: "better", "worse" or "not shown", after the correction
    """

    dataset: str
    measure: str
    candidate: str
    difference: Answer
    direction: Direction


@dataclass(frozen=True, slots=True)
class LikeThese:
    """A candidate's mean difference over datasets, taken for a sample of datasets; not adjusted for other tests.

    Attributes:
        measure: the measure
        candidate: the system that was compared with the baseline
        difference: its mean difference; NotEstimable with fewer than three datasets
        direction: "better", "worse" or "not shown"
    """

    measure: str
    candidate: str
    difference: Answer
    direction: Direction


@dataclass(frozen=True, slots=True, eq=False)
class DatasetComparison:
    """What `compare_datasets` answers.

    Attributes:
        datasets: their names
        overall: the comparison on these datasets: its contrasts are means over datasets, its units are queries
        by_dataset: the comparison within each dataset, as it was given
        like_these: the same differences for datasets of this kind
        left_out: what the overall comparison says without each dataset, in every measure
        without: the overall comparison without each dataset, by its name; none of two datasets
    """

    datasets: tuple[str, ...]
    overall: Comparison
    by_dataset: Mapping[str, Comparison]
    like_these: tuple[LikeThese, ...]
    left_out: tuple[OneOut, ...]
    without: Mapping[str, Comparison] = field(default_factory=dict)

    @property
    def warnings(self) -> list[str]:
        """Those of the overall comparison, less how unequal weights widen intervals: it is in them, for each pair."""
        return [text for text in self.overall.warnings if DESIGN_EFFECT not in text]

    def leaderboard(self, has_baseline: bool = False) -> Leaderboard:
        """The systems by their mean over datasets in the first measure, with rank intervals, and without each dataset.

        `has_baseline` takes differences from the first system, and else from the best.
        """
        boards = {name: leaderboard_of(rest, has_baseline) for name, rest in self.without.items()}
        without = tuple(
            BoardWithout(
                name,
                {row.system: row.rank for row in board.rows},
                {row.system: row.rank_interval for row in board.rows},
            )
            for name, board in boards.items()
        )
        board = leaderboard_of(self.overall, has_baseline, self.warnings, (dataset_note(self.datasets),))
        small = _few_queries({name: len(part.query_ids) for name, part in self.by_dataset.items()})
        return replace(board, without=without, hold_together=board.hold_together and not small)

    def changes(self, measure: str, candidate: str) -> tuple[str, ...]:
        """The datasets without which the verdict is another one."""
        whole = self.overall.contrast(measure, candidate).direction
        return tuple(
            out.dataset
            for out in self.left_out
            if (out.measure, out.candidate) == (measure, candidate) and out.direction != whole
        )

    def to_dict(self, by_query: bool = True) -> Document:
        """Plain dicts, lists, numbers and texts."""
        return {
            "datasets": list(self.datasets),
            "overall": self.overall.to_dict(by_query),
            "by_dataset": {name: comparison.to_dict(by_query) for name, comparison in self.by_dataset.items()},
            "like_these": [
                {
                    "measure": like.measure,
                    "candidate": like.candidate,
                    "difference": answer_dict(like.difference),
                    "direction": like.direction,
                }
                for like in self.like_these
            ],
            "left_out": [
                {
                    "dataset": out.dataset,
                    "measure": out.measure,
                    "candidate": out.candidate,
                    "difference": answer_dict(out.difference),
                    "direction": out.direction,
                }
                for out in self.left_out
            ],
        }


def compare_datasets(comparisons: Mapping[str, Comparison], design: Design = DEFAULT_DESIGN) -> DatasetComparison:
    """Comparisons of the same systems on several datasets, by name, brought together: each dataset counts the same.

    Only measures that every comparison has are taken. Segments, weights and clusters within a dataset are not carried
    over; a design that names such columns is refused.
    """
    names = tuple(comparisons)
    if len(names) < 2:
        raise UsageError(f"Several datasets are two or more; got {counted(len(names), 'dataset')}.")
    if design.sampled:
        raise UsageError("Across datasets the design is made of the datasets: leave weights, strata and clusters out.")
    first = comparisons[names[0]]
    for name in names:
        if comparisons[name].systems != first.systems:
            raise InputError(
                f"{names[0]!r} compares {', '.join(first.systems)}, and {name!r} compares "
                f"{', '.join(comparisons[name].systems)}. Compare the same systems, in the same order, on each dataset."
            )
        if comparisons[name].sampling is not None:
            raise InputError(f"{name!r} was compared with weights, strata or clusters, which cannot be carried over.")
    measures = [m for m in first.measures if all(m in comparisons[name].measures for name in names)]
    if not measures:
        raise InputError(f"The datasets have no measure in common; {names[0]!r} has {', '.join(first.measures)}.")
    parts = {name: [_values(comparisons[name], name, measure) for measure in measures] for name in names}
    overall = _over(first.systems, parts, design)
    like = [
        LikeThese(
            measure, candidate, answer, direction_shown(answer, None, overall.contrast(measure, candidate).better)
        )
        for at, measure in enumerate(measures)
        for column, candidate in enumerate(first.systems[1:], 1)
        for answer in [_like_these([parts[name][at] for name in names], column, design)]
    ]
    few = _few_queries({name: len(comparison.query_ids) for name, comparison in comparisons.items()})
    overall = replace(overall, warnings=(*few, *_not_everywhere(comparisons, measures), *overall.warnings))
    without: dict[str, Comparison] = {}
    if len(names) > 2:
        for gone in names:
            without[gone] = _over(first.systems, {name: part for name, part in parts.items() if name != gone}, design)
    left_out = tuple(
        OneOut(gone, measure, candidate, contrast.difference, contrast.direction)
        for gone, rest in without.items()
        for measure in measures
        for candidate in first.systems[1:]
        for contrast in [rest.contrast(measure, candidate)]
    )
    return DatasetComparison(names, overall, dict(comparisons), tuple(like), left_out, without)


def _values(comparison: Comparison, dataset: str, measure: str) -> PerUnit:
    """One measure on one dataset, its units under names that no other dataset has."""
    table = from_evaluations(comparison.evaluations, measure)
    if not table.unit_ids and not any(table.lacking):
        raise InputError(f"{dataset!r} has no query with a value of {measure}. Leave the dataset or the measure out.")

    def named(units: Sequence[str]) -> tuple[str, ...]:
        return tuple(f"{dataset}{SEPARATOR}{unit}" for unit in units)

    notes = tuple(f"{dataset}: {note}" for note in table.notes)
    return replace(table, unit_ids=named(table.unit_ids), lacking=tuple(map(named, table.lacking)), notes=notes)


def _over(systems: Sequence[str], parts: Mapping[str, Sequence[PerUnit]], design: Design) -> Comparison:
    """The comparison by means over datasets: strata that each have the same weight."""
    tables, rows = [], {}
    for of_measure in zip(*parts.values(), strict=True):
        lacking = tuple(
            tuple(unit for part in of_measure for unit in (part.lacking[s] if part.lacking else ()))
            for s in range(len(systems))
        )
        whole = replace(
            of_measure[0],
            unit_ids=tuple(unit for part in of_measure for unit in part.unit_ids),
            values=np.concatenate([part.values for part in of_measure]),
            notes=tuple(note for part in of_measure for note in part.notes),
            lacking=lacking if any(lacking) else (),
        )
        tables.append(replace(whole, notes=(*whole.notes, *_lighter(whole.measure, of_measure, parts))))
    for dataset, of_dataset in parts.items():
        units = dict.fromkeys(unit for table in of_dataset for unit in table.every_unit)
        for unit in units:
            rows[unit] = {DATASET: dataset, WEIGHT: repr(1.0 / len(units))}
    sampled = replace(design, weights=WEIGHT, strata=DATASET)
    comparison = compare_values(systems, tables, sampled, queries=rows)
    return replace(comparison, fine_print=(dataset_note(list(parts)), *comparison.fine_print))


def _not_everywhere(comparisons: Mapping[str, Comparison], measures: Sequence[str]) -> Iterator[str]:
    """Warnings of measures that some datasets lack: what ranks the systems may be another measure for it."""
    for measure in dict.fromkeys(m for one in comparisons.values() for m in one.measures if m not in measures):
        lacking = [name for name, one in comparisons.items() if measure not in one.measures]
        why = [text for name in lacking for text in comparisons[name].warnings if text.startswith(f"{measure} ")]
        yield "; ".join((f"{measure} is left out: not every dataset has it ({some(lacking)})", *why[:1]))


def _few_queries(queries: Mapping[str, int]) -> list[str]:
    """The warning for datasets that are too small for what is promised."""
    small = [f"{name} ({n})" for name, n in queries.items() if n < FEWEST_QUERIES]
    if not small:
        return []
    return [
        f"fewer than {FEWEST_QUERIES} queries: {', '.join(small)}; over datasets that small, differences are called "
        "significant more often by chance than the level says"
    ]


def dataset_note(names: Sequence[str]) -> str:
    """What a mean over datasets is, and what its error is the error of."""
    return f"datasets: {len(names)} ({', '.join(names)}), each of the same weight; the error is that of their queries"


def _lighter(measure: str, of_measure: Sequence[PerUnit], parts: Mapping[str, Sequence[PerUnit]]) -> list[str]:
    """Datasets in which some queries have no value of the measure: queries carry the weights, so they count less."""
    notes = []
    for part, (dataset, of_dataset) in zip(of_measure, parts.items(), strict=True):
        units = {unit for table in of_dataset for unit in table.every_unit}
        if len(part.every_unit) < len(units):
            without = len(units) - len(part.every_unit)
            noun = counted(without, "query", "queries")
            notes.append(f"{measure}: {noun} of {dataset} without a value; the dataset counts that much less")
    return notes


def _like_these(parts: Sequence[PerUnit], candidate: int, design: Design) -> Answer:
    """The mean over datasets, each one value of a sample."""
    means = np.array([_mean_difference(part, candidate) for part in parts])
    value = float(means.mean())
    if any(any(part.unpaired(0, candidate)) for part in parts) or math.isnan(value):
        return NotEstimable("a dataset has no difference that can be told", "t", len(parts))
    if len(parts) < FEWEST:
        reason = f"{counted(len(parts), 'dataset')} tell too little about others: {FEWEST} or more are needed"
        return NotEstimable(reason, "t", len(parts), value)
    request = SignificanceRequest(level=design.confidence)
    answer: Answer = shelf.find("significance", "t").infer(means, request, np.random.default_rng(design.seed))
    return answer


def _mean_difference(part: PerUnit, candidate: int) -> float:
    differences: NDArray[np.float64] = part.differences(0, candidate)
    return float(differences.mean()) if len(differences) else math.nan


# ---- for people -----------------------------------------------------------------------------------


def dataset_sections(comparison: DatasetComparison) -> list[Section]:
    """Each candidate over all datasets in the primary measure, then dataset by dataset, then without each one."""
    measure = comparison.overall.measures[0]
    parts = []
    for candidate in comparison.overall.systems[1:]:
        whole = comparison.overall.contrast(measure, candidate)
        like = next(k for k in comparison.like_these if (k.measure, k.candidate) == (measure, candidate))
        rows = [
            ("dataset", "queries", "difference", "95% CI" if comparison.overall.level == 0.95 else "CI", "p", "result")
        ]
        for name in comparison.datasets:
            own = comparison.by_dataset[name].contrast(measure, candidate)
            rows.append((name, str(len(own.query_ids)), *_cells(own.difference), verdict_word(own.direction)))
        rows.append(
            ("mean, on these", str(len(whole.query_ids)), *_cells(whole.difference), verdict_word(whole.direction))
        )
        rows.append(
            ("mean, like these", str(len(comparison.datasets)), *_cells(like.difference), verdict_word(like.direction))
        )
        changes = comparison.changes(measure, candidate)
        told = f"Without {' or '.join(changes)} the verdict on these datasets is another." if changes else ""
        if not told and comparison.left_out:
            told = "No single dataset decides: without any one of them the verdict on the others is the same."
        title = f"{candidate} against {whole.baseline} in {measure}, {counted(len(comparison.datasets), 'dataset')}"
        parts.append(Section(title, (told,) if told else (), tuple(rows)))
    return parts


def _cells(answer: Answer) -> tuple[str, str, str]:
    if isinstance(answer, Estimate):
        return signed(answer.value), interval(answer.low, answer.high), p_text(answer.p_value)
    return ("none" if answer.value is None else number(answer.value)), "none", "none"
