"""Rank systems by any scores, on one dataset or over several, with rank intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted
from rankproof.proving.datasets import compare_datasets
from rankproof.proving.leaderboard_records import Leaderboard
from rankproof.proving.ranks import leaderboard_of
from rankproof.proving.records import Design
from rankproof.proving.score_choices import Missing
from rankproof.proving.score_tables import baseline_first, compare_scores, systems_of
from rankproof.reading.hugging_face import only_split
from rankproof.reading.naming import distinct_names
from rankproof.reading.score_tables import ScoreTable, TableRows, are_rows, gathered, score_rows, split_by_column, stem

_OF_DESIGN = {field.name for field in fields(Design)}


def leaderboard_scores(
    tables: object,
    scores: str | Iterable[str] | None = None,
    *,
    baseline: str | None = None,
    unit: str | None = None,
    system: str | None = None,
    dataset: str | None = None,
    repeats: bool = False,
    lower_is_better: str | Iterable[str] = (),
    ranges: Mapping[str, tuple[float, float]] | None = None,
    missing: Missing = "worst",
    queries: object = None,
    format: str | None = None,
    **choices: Any,
) -> Leaderboard:
    """Systems ranked by any scores: `leaderboard_scores(["a.csv", "b.csv", "c.csv"], "faithfulness")`.

    tables     a list of tables, a mapping from names to tables, or one table with a column for the system; each as
               `compare_scores` reads it
    scores     the first one ranks; by default all that every table has
    baseline   the name of the system that differences are taken from; the best otherwise, and all pairs are one family
    system     the column that names the system, where a table has several
    dataset    the column that names the dataset, where a table has several: each dataset counts the same, and the
               ranking without each of them is given too (`compare_datasets`)

    `unit`, `repeats`, `lower_is_better`, `ranges`, `missing`, `queries` and `format` are those of `compare_scores`; the
    other choices those of `Design`: with `clusters="document"` whole documents are drawn anew, and the rank intervals
    hold for units that came together. Over datasets there are no weights, strata and clusters.
    """
    for name in sorted(choices.keys() - _OF_DESIGN):
        raise UnknownName("choice of a leaderboard", name, sorted(_OF_DESIGN))
    design = replace(Design(**choices), all_pairs=baseline is None)
    sources, names = _sources(tables, unit, system)
    wanted = [scores] if isinstance(scores, str) else None if scores is None else list(scores)
    lower = {lower_is_better} if isinstance(lower_is_better, str) else set(lower_is_better)

    def compared(read: Sequence[ScoreTable], own: Design) -> Any:
        ordered = baseline_first(read, baseline, sources)
        options = {each.name: getattr(own, each.name) for each in fields(Design)}
        return compare_scores(
            ordered[0], ordered[1:], lower_is_better=lower, ranges=ranges, missing=missing, queries=queries, **options
        )

    if dataset is None:
        about = design.sampling.named if queries is None else ()
        read = systems_of(
            sources, wanted, names=names, unit=unit, system=system, repeats=repeats, about=about, format=format
        )
        _require_two(read)
        comparison = compared(read, design)
        columns = {note for table in read for note in table.notes if note not in table.told}
        notes = [note for note in comparison.fine_print if note not in columns]
        return leaderboard_of(comparison, baseline is not None, comparison.warnings, notes)
    if design.sampled or queries is not None:
        raise UsageError(
            "Over several datasets each counts the same, and its units are drawn one by one: weights, strata and "
            "clusters within a dataset are not carried over. Leave them out, or rank on one dataset alone."
        )
    parts = _by_dataset(sources, names, system, dataset, format)
    told = list(dict.fromkeys(f"{name}: {note}" for of in parts.values() for name, t in of.items() for note in t.notes))
    comparisons = {
        part: compared(
            systems_of(list(rows.values()), wanted, names=list(rows), unit=unit, repeats=repeats),
            # Only its values are needed: claims are made over all datasets.
            replace(design, all_pairs=False, correction="none"),
        )
        for part, rows in parts.items()
    }
    board = compare_datasets(comparisons, design).leaderboard(baseline is not None)
    return replace(board, notes=(*board.notes, *told))


def _sources(tables: object, unit: str | None, system: str | None) -> tuple[list[object], list[str] | None]:
    """The tables, and their names where the caller gave them."""
    tables = only_split(tables)
    if isinstance(tables, Mapping) and tables and system is None:
        if not all(_is_table(value) for value in tables.values()):
            raise UsageError(
                f"A leaderboard ranks several systems; got one mapping of {counted(len(tables), 'name')} "
                f"({next(iter(tables))!r:.40}, ...), which reads as one table of units. Give a list of tables, or "
                "{system: {unit: {score: value}}}."
            )
        return list(tables.values()), [str(name) for name in tables]
    if isinstance(tables, list | tuple) and not are_rows(tables, unit):
        if not tables:
            raise UsageError("No table was given: the list is empty. Give one for each system.")
        return list(tables), None
    return [tables], None


def _is_table(value: object) -> bool:
    """Whether a value of a mapping is a table of its own, and not the scores of one unit."""
    if isinstance(value, Mapping):
        return bool(value) and all(isinstance(inner, Mapping) for inner in value.values())
    return value is not None and not isinstance(value, int | float)


def _require_two(systems: Sequence[object]) -> None:
    if len(systems) < 2:
        raise UsageError(
            f"A leaderboard ranks two or more systems; got {len(systems)}. Give a table for each, or one table and the "
            "column that names the system (--system COLUMN, system= in Python)."
        )


def _by_dataset(
    sources: Sequence[object], names: Sequence[str] | None, system: str | None, dataset: str, format: str | None
) -> dict[str, dict[str, TableRows]]:
    """The rows by dataset and system. Every system has rows of every dataset."""
    tables = [score_rows(source, format) for source in sources]
    numbers = [f"table {number}" for number in range(1, len(tables) + 1)]
    apart = names or distinct_names(
        [stem(table.source) for table in tables], [table.source for table in tables], numbers
    )
    by_system = gathered(
        {name: table} if system is None else split_by_column(table, system, table.source)
        for table, name in zip(tables, apart, strict=True)
    )
    _require_two(list(by_system))
    parts: dict[str, dict[str, TableRows]] = {}
    for name, rows in by_system.items():
        for part, of_part in split_by_column(rows, dataset, f"the table of {name}").items():
            parts.setdefault(part, {})[name] = of_part
    for part, of_systems in parts.items():
        lacking = [name for name in by_system if name not in of_systems]
        if lacking:
            raise InputError(
                f"{', '.join(lacking[:3])} {'has' if len(lacking) == 1 else 'have'} no row of the dataset {part!r}. "
                f"Give every system all {counted(len(parts), 'dataset')}, or leave the dataset out."
            )
    return {part: {name: of_systems[name] for name in by_system} for part, of_systems in parts.items()}
