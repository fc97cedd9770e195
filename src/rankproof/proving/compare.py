"""Compare systems with a baseline query by query, and report what the measures cannot see."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from typing import Any, Literal

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.later import Later
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.evaluations import Evaluations
from rankproof.measuring.functions import PlacedFunctions
from rankproof.measuring.grade_shares import grade_shares
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import NamesAndFunctions, at_level, requested
from rankproof.measuring.prepare import PreparedQrels, PreparedRun, join_run, prepare_qrels
from rankproof.measuring.records import Evaluation, Result, Settings
from rankproof.measuring.report import EvaluationReport, evaluation_of
from rankproof.measuring.run_sources import settle_reading
from rankproof.proving.contrasts import contrasts
from rankproof.proving.diagnoses.contract import diagnose
from rankproof.proving.holes.summary import holes
from rankproof.proving.movement import blind_spots, moves, rankings_later
from rankproof.proving.per_unit import (
    PerUnit,
    from_evaluations,
    measures_left_out,
    one_sided,
    refuse_other_ground,
    warnings_of_evaluations,
    worst_value,
)
from rankproof.proving.records import ALL_QUERIES, DEFAULT_DESIGN, Comparison, Contrast, Design
from rankproof.proving.reuse import Contributions, contributions, reuse_check
from rankproof.proving.sampling import read_sampling
from rankproof.proving.significance.contract import BY_GAFFKE, BY_MCNEMAR
from rankproof.proving.tie_risk import tie_risks
from rankproof.reading.collect import named_columns
from rankproof.reading.formats.contract import Columns
from rankproof.reading.naming import names_apart, several_runs
from rankproof.reading.pool_groups import read_pool_groups
from rankproof.reading.segments import read_columns, segments

# How many reasons a line gives before it only counts.
FEW_REASONS = 2
_OF_SETTINGS = {field.name for field in fields(Settings)}
_OF_DESIGN = {field.name for field in fields(Design)}
# How many of the queries that lost and won most are shown on each side.
MOST_MOVED = 5


def compare(
    qrels: object,
    baseline: object,
    candidates: object,
    measures: NamesAndFunctions,
    *,
    topics: object = None,
    queries: object = None,
    by: Iterable[str] = (),
    universe: Literal["union", "open"] = "union",
    pool: Mapping[str, Collection[str]] | None = None,
    beyond: bool = True,
    most_moved: int = MOST_MOVED,
    rankings: bool = False,
    reuse_groups: object = None,
    contributors: Mapping[str, object] | None = None,
    pool_depth: int | None = None,
    names: Sequence[str] | None = None,
    qrels_format: str | None = None,
    run_format: str | None = None,
    allow: Iterable[str] = (),
    columns: Columns = None,
    **choices: Any,
) -> Comparison:
    """Candidates against a baseline: `compare(qrels, "bm25.run", "dense.run", "nDCG@10").contrast("nDCG@10")`.

    `qrels`, `baseline` and `candidates` (one run, or several in a list or by name) are what `evaluate` takes; the name
    of a baseline is given as `{"bm25": run}`. `queries` is a file or mapping with columns, `by` the columns that make
    segments. `beyond=False` leaves out what the numbers cannot see: blind spots, bounds over unjudged documents, ties,
    diagnoses. `reuse_groups`, a file or a mapping from runs to groups, asks whether the verdicts stand without the
    judgments that one group alone contributed to a pool of `pool_depth`; `contributors` are further runs of the pool
    by name. With `rankings` the comparison holds the runs, and the HTML report shows the first documents of every
    query side by side. The other choices are those of `Settings`, `Design` and, for reading, of `evaluate`.
    """
    settings, design, reading = sorted_choices(choices)
    first = several_runs(baseline) or [(None, baseline)]
    if len(first) > 1:
        raise UsageError(f"There is one baseline; got {len(first)} runs. Give the others as candidates.")
    given = [*first, *(several_runs(candidates) or [(None, candidates)])]
    sources = [source for _, source in given]
    gold = settle_reading(reading)
    reading |= named_columns(columns, qrels, sources)
    join: Callable[..., PreparedRun] = partial(join_run, format=run_format, allow=tuple(allow), **reading)
    if names is not None and len(names) != len(given):
        raise UsageError(f"There are {len(given)} runs and {len(names)} names. Give each run one name.")
    several = given if names is None else list(zip(names, sources, strict=True))
    sides = ["baseline", *(f"candidate {i}" if len(given) > 2 else "candidate" for i in range(1, len(given)))]
    judged = prepare_qrels(qrels, qrels_format, tuple(allow), columns=columns, **gold)
    compared = joined_runs(judged, several, join, sides)
    variants, functions = requested(measures, settings.dialect)
    variants = at_level(variants, settings.level)
    whose: Contributions | None = None
    if reuse_groups is not None:
        groups = read_pool_groups(reuse_groups, dict(zip(compared, sources, strict=True)), contributors or ())
        compared_with = next(iter(compared.values())).qrels
        further = {
            name: source if isinstance(source, PreparedRun) else join(compared_with, source, name=name)
            for name, source in {**groups.files, **(contributors or {})}.items()
        }
        whose = contributions({**compared, **further}, groups, pool_depth, variants, settings)
    elif pool_depth is not None or contributors:
        raise UsageError("A pool depth and contributors are for a reuse check: give the groups of the runs too.")
    comparison = compare_runs(
        compared, variants, settings, design, topics=_topics(topics), queries=queries, by=tuple(by), universe=universe,
        pool=pool, beyond=beyond, most_moved=most_moved, rankings=rankings, functions=functions,
    )  # fmt: skip
    return comparison if whose is None else reuse_check(comparison, compared, whose, variants, settings, design)


def sorted_choices(choices: Mapping[str, Any]) -> tuple[Settings, Design, dict[str, Any]]:
    """The choices that belong to measuring and to the design of a comparison, and those that are left for reading."""
    settings = Settings(**{name: value for name, value in choices.items() if name in _OF_SETTINGS})
    design = Design(**{name: value for name, value in choices.items() if name in _OF_DESIGN})
    return settings, design, {n: v for n, v in choices.items() if n not in _OF_SETTINGS and n not in _OF_DESIGN}


def joined_runs(
    judged: PreparedQrels,
    several: Sequence[tuple[str | None, Any]],
    join: Callable[..., PreparedRun],
    last: Sequence[str] = (),
) -> dict[str, PreparedRun]:
    """The runs joined with the judgments, by names that tell them apart; prepared ones stay as they are.

    several   each run with its name, None for its own
    last      the names where no others tell them apart
    """
    runs = [source if isinstance(source, PreparedRun) else join(judged, source, name=name) for name, source in several]
    return dict(zip(names_apart(several, [run.name for run in runs], last), runs, strict=True))


def compare_runs(
    runs: Mapping[str, PreparedRun],
    variants: tuple[Variant, ...],
    settings: Settings,
    design: Design,
    *,
    topics: Mapping[str, str],
    queries: object = None,
    by: Sequence[str] = (),
    universe: Literal["union", "open"] = "union",
    pool: Mapping[str, Collection[str]] | None = None,
    beyond: bool = True,
    most_moved: int = MOST_MOVED,
    rankings: bool = False,
    functions: PlacedFunctions = (),
) -> Comparison:
    """The comparison of prepared runs, by name; the first is the baseline."""
    variants = at_level(variants, settings.level)
    evaluations = [
        replace(measure_run(run, variants, settings, functions), run_name=name) for name, run in runs.items()
    ]
    comparison = compare_evaluations(evaluations, design, queries=queries, by=by)
    values = {(text, e.run_name): _compared(e[text]) for e in evaluations for text in comparison.measures}
    baseline = comparison.systems[0]
    against = [c for c in comparison.contrasts if c.segment == ALL_QUERIES and c.baseline == baseline]
    comparison = replace(
        comparison,
        topics={query: topics[query] for query in comparison.query_ids if query in topics},
        moves=moves(against, variants, runs, topics, most_moved, values),
    )
    if rankings:
        comparison = replace(comparison, rankings=rankings_later(runs, variants, settings, comparison.query_ids))
    if not beyond:
        return comparison
    return look_beyond(comparison, runs, variants, settings, universe=universe, pool=pool)


def _compared(result: Result) -> dict[str, float]:
    """Each query's value as it was compared: the worst where there is none, as far as there is a worst value."""
    worst = worst_value(result) if result.undefined else None
    return result.by_query if worst is None else {**dict.fromkeys(result.undefined, worst), **result.by_query}


def compare_evaluations(
    made: Evaluations | Sequence[Evaluation | EvaluationReport],
    design: Design = DEFAULT_DESIGN,
    *,
    queries: object = None,
    by: Sequence[str] = (),
) -> Comparison:
    """The comparison of evaluations made before, or of saved reports, the baseline's first: values, no rankings."""
    made = tuple(made.values()) if isinstance(made, Evaluations) else made
    evaluations = tuple(evaluation_of(e) if isinstance(e, EvaluationReport) else e for e in made)
    if len(evaluations) < 2:
        raise UsageError("A comparison needs a baseline and at least one candidate.")
    refuse_other_ground(evaluations)
    texts = [text for text in evaluations[0].results if all(text in e.results for e in evaluations)]
    tables = [from_evaluations(evaluations, text) for text in texts if evaluations[0].results[text].labels is None]
    if not tables:
        raise UsageError("The evaluations have no measure in common. Evaluate all of them with the same measures.")
    systems = tuple(evaluation.run_name for evaluation in evaluations)
    comparison = compare_values(systems, tables, design, queries=queries, by=by)
    found = [
        *measures_left_out(evaluations), *one_sided(systems, tables), *warnings_of_evaluations(evaluations),
    ]  # fmt: skip
    return replace(
        comparison,
        evaluations=evaluations,
        warnings=tuple(dict.fromkeys((*comparison.warnings, *found))),
        fine_print=(*_fine_print(evaluations), *comparison.fine_print),
    )


def compare_values(
    systems: Sequence[str],
    tables: Sequence[PerUnit],
    design: Design = DEFAULT_DESIGN,
    *,
    queries: object = None,
    by: Sequence[str] = (),
) -> Comparison:
    """The comparison of systems by their values by unit: a table for each measure, a column for each system.

    The first system is the baseline. `queries` and `by` make segments of units, as in `compare`; the columns that the
    design names say how units were drawn.
    """
    ids = tuple(dict.fromkeys(unit for table in tables for unit in table.every_unit))
    sampling = None
    if design.sampled:
        sampling = read_sampling(queries, design.sampling, ids)
        tables = [replace(table, sampling=sampling.of(table.unit_ids)) for table in tables]
    units_by_segment: dict[str, tuple[str, ...]] = {}
    if by:
        if queries is None:
            raise UsageError("Segments need a file of queries with columns (--queries FILE).")
        rows, columns = read_columns(queries)
        units_by_segment = segments(rows, columns, by, ids)
    contrasted, family = contrasts(systems, tables, units_by_segment, design)
    return Comparison(
        systems=tuple(systems),
        measures=tuple(table.measure for table in tables),
        contrasts=contrasted,
        evaluations=(),
        family=family,
        significance=design.significance,
        correction=design.correction_over(len(systems)) if family.tests > 1 else "none",
        level=design.confidence,
        seed=design.seed,
        query_ids=ids,
        segments=units_by_segment,
        warnings=_warnings(contrasted, design),
        fine_print=(
            *([f"queries: {sampling}"] if sampling is not None else []),
            *(table.note for table in tables if table.notes),
            *_by_mcnemar(contrasted),
            *_without_segment(units_by_segment, ids),
        ),
        sampling=sampling,
        every_pair=Later(partial(_every_pair, tuple(systems), tables[0], design)),
    )


def _every_pair(systems: Sequence[str], table: PerUnit, design: Design) -> tuple[Contrast, ...]:
    """All pairs in one measure over all queries, corrected together; made where somebody looks for the best."""
    plain = replace(design, all_pairs=True, primary="all", equivalence=None, non_inferiority=None)
    pairs, _ = contrasts(systems, [table], {}, plain)
    return pairs


def _topics(topics: object) -> Mapping[str, str]:
    if topics is None:
        return {}
    from rankproof.reading.collect import read_topics

    return read_topics(topics)


def _warnings(contrasted: Sequence[Contrast], design: Design) -> tuple[str, ...]:
    """What must be read with the numbers of the method, each sentence once."""
    warning = shelf.find("significance", design.significance).warning
    notes = _notes([c for c in contrasted if isinstance(c.difference, Estimate)])
    return tuple(dict.fromkeys([warning, *notes] if warning else notes))


def _notes(contrasted: Sequence[Contrast]) -> list[str]:
    """The method's notes on its estimates: once where a note holds for all of them, else with what it is about."""
    about: dict[str, list[str]] = {}
    for contrast in contrasted:
        place = ", ".join(filter(None, (contrast.measure, contrast.candidate, contrast.segment)))
        for note in contrast.difference.notes if isinstance(contrast.difference, Estimate) else ():
            if note == BY_MCNEMAR:  # nothing to warn of: it is fine print
                continue
            about.setdefault(note, []).append(place)
    bounded = {note: places for note, places in about.items() if note.endswith(BY_GAFFKE)}
    if len(bounded) < 2:
        return [_of_places(note, places, len(contrasted)) for note, places in about.items()]
    others = [_of_places(n, places, len(contrasted)) for n, places in about.items() if n not in bounded]
    return [_by_gaffke(bounded, len(contrasted)), *others]


def _of_places(note: str, places: Sequence[str], tests: int) -> str:
    return note if len(places) == tests else f"{'; '.join(places)}: {note}"


def _by_mcnemar(contrasted: Sequence[Contrast]) -> list[str]:
    """A line for each measure that was tested by counts, since its values are all 0 or 1."""
    notes = [c for c in contrasted if isinstance(c.difference, Estimate) and BY_MCNEMAR in c.difference.notes]
    return [f"{measure}: {BY_MCNEMAR}" for measure in dict.fromkeys(c.measure for c in notes)]


def _by_gaffke(bounded: Mapping[str, Sequence[str]], tests: int) -> str:
    """One line for all tests whose bounds are Gaffke's, with the first few reasons."""
    count = sum(map(len, bounded.values()))
    few = [f"{places[0]}: {note.removesuffix(BY_GAFFKE)}" for note, places in list(bounded.items())[:FEW_REASONS]]
    more = [f"{count - len(few)} more"] if count > len(few) else []
    reasons = "; ".join([*few, *more])
    return f"in {count} of {tests} tests too few queries changed for t, and the bounds are Gaffke's ({reasons})"


def _fine_print(evaluations: Sequence[Evaluation]) -> tuple[str, ...]:
    """Lines that hold for every run once; the others with the run's name before them."""
    common = [line for line in evaluations[0].fine_print if all(line in e.fine_print for e in evaluations[1:])]
    own = [f"{e.run_name}: {line}" for e in evaluations for line in e.fine_print if line not in common]
    return (*common, *own)


def _without_segment(units_by_segment: Mapping[str, Sequence[str]], ids: Sequence[str]) -> list[str]:
    """How many queries are in no segment, by column."""
    notes = []
    for column in dict.fromkeys(name.partition("=")[0] for name in units_by_segment):
        inside = sum(len(units) for name, units in units_by_segment.items() if name.startswith(f"{column}="))
        if len(ids) > inside:
            notes.append(
                f"segments by {column}: {len(ids) - inside} of {len(ids)} queries have no value and are in none"
            )
    return notes


def _of_the_shelf(comparison: Comparison) -> Comparison:
    """The comparison without measures that are functions: what they depend on is not known."""
    evaluations = tuple(
        replace(e, results={text: result for text, result in e.results.items() if result.origin is None})
        for e in comparison.evaluations
    )
    contrasts = tuple(c for c in comparison.contrasts if c.measure in evaluations[0].results)
    return replace(comparison, evaluations=evaluations, contrasts=contrasts)


def _not_looked_into(comparison: Comparison) -> list[str]:
    functions = [text for text, result in comparison.evaluations[0].results.items() if result.origin is not None]
    if not functions:
        return []
    unseen = "blind spots, ties and bounds over unjudged documents were not looked for"
    return [f"{', '.join(functions)}: {unseen}, since what a function depends on is not known"]


def look_beyond(
    comparison: Comparison,
    runs: Mapping[str, PreparedRun],
    variants: tuple[Variant, ...],
    settings: Settings,
    *,
    universe: Literal["union", "open"] = "union",
    pool: Mapping[str, Collection[str]] | None = None,
) -> Comparison:
    """The comparison with blind spots, bounds over unjudged documents, tie risks, diagnoses and grade shares."""
    prepared = list(runs.values())
    named = _of_the_shelf(comparison)
    extended = replace(
        comparison,
        blind_spots=blind_spots(prepared, named.evaluations) if variants else (),
        holes=holes(
            prepared,
            variants,
            universe=universe,
            pool=pool,
            settings=settings,
            names=list(runs),
            sampling=comparison.sampling,
        ),
        fine_print=(*comparison.fine_print, *_not_looked_into(comparison)),
        diagnoses=tuple(diagnosis for name, run in runs.items() for diagnosis in diagnose(run, name)),
        grade_shares=grade_shares(runs, variants, settings),
        tie_risks=tie_risks(prepared, named),
    )
    unequal = [extended.holes.warning] if extended.holes is not None and extended.holes.warning else []
    ties = [risk.note for risk in extended.tie_risks if risk.changes and risk.note]
    return replace(extended, warnings=(*extended.warnings, *unequal, *ties))
