"""A benchmark on several datasets as sections: the verdict, each mode on each dataset, and where datasets disagree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from rankproof.kernel.sections import (
    GAP,
    Section,
    Table,
    confidence_interval,
    counted,
    first_that_fits,
    interval,
    number,
    p_text,
    part,
    signed,
    some,
    verdict_word,
    wrapped,
)
from rankproof.proving.datasets import dataset_sections
from rankproof.proving.sections import comparison_sections
from rankproof.proving.summary import some_that_fit, warnings_on_verdict
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.records import ModeComparison
from rankproof.stack.benchmark.sections import SIGNS, WIDER, against, ship

# How many lines the short form has at most; the names of the pages come after them.
MOST_LINES = 24
# How many bounds of failed queries the short form names.
MOST_BOUNDS = 2
BY_DATASET = "by dataset"
# Where the page of a dataset lies, from the page over all of them.
PAGE = "datasets/{dataset}/BenchmarkReport.html"


def title(whole: MultiBenchmark) -> str:
    """Name and size."""
    modes, datasets = counted(len(whole.modes), "mode"), counted(len(whole.parts), "dataset")
    return f"{whole.config.name}: {modes} on {datasets}, {counted(whole.queries, 'query', 'queries')}"


def verdict_over(whole: MultiBenchmark) -> str:
    """The sentence that answers the question, and of what it speaks."""
    return answer_over(whole) if whole.undecided else f"{answer_over(whole)} {scope(whole)}"


def answer_over(whole: MultiBenchmark) -> str:
    """The sentence that answers the question."""
    if not whole.undecided:
        return ship(whole.advice)
    what = "; ".join(f"{name}: {f.what}" for name in whole.undecided if (f := whole.parts[name].failed) is not None)
    return (
        f"UNDECIDED: queries failed on {some(whole.undecided)} ({what}). The comparison is over the queries that every "
        "mode answered, and decides nothing. Run it again: only what is missing is asked; or choose what a failed "
        "query counts: --failed zero or --failed drop."
    )


def scope(whole: MultiBenchmark) -> str:
    """What the verdict speaks of: these datasets, and no others."""
    these = f"these {len(whole.parts)} datasets"
    return f"That is for the mean over {these}, each of the same weight; of others it says nothing."


def bought(whole: MultiBenchmark, measure: str, folded: bool = False) -> Section:
    """A line for each difference somebody asks about; what decides is the corrected p."""
    comparison = whole.comparison
    corrected = comparison.correction != "none"
    p = f"p ({comparison.correction})" if corrected else "p"
    level = "adjusted CI" if corrected else confidence_interval(comparison.level, short=True)
    rows = [("mode", "against", "difference", level, p, "datasets won/same/lost", "result")]
    wider: tuple[str, ...] = ()
    for row in whole.first.rows:
        for other, what in against(whole.first, row).items():
            held = whole.held(measure, row.mode, other)
            rows.append((row.mode, f"{other} ({what})", *_cells(held), _won(whole, measure, row.mode, other),
                         verdict_word(held.shown)))  # fmt: skip
            wider = (WIDER,) if held.reaches_zero else wider
    lines = (
        f"Confidence intervals (CI) and p are adjusted over {comparison.family.counts}; a difference is significant "
        f"where p is at most {1 - comparison.level:.4g}.",
        *wider,
    )
    scale = comparison.contrast(measure).scale
    lines += (f"Differences in {measure} are of {scale}.",) if scale else ()
    heading = f"What each stage buys in {measure}, mean over datasets"
    return Section(heading, lines if corrected else (), tuple(rows), 2, folded=folded)


def _cells(held: ModeComparison) -> tuple[str, str, str]:
    value = "none" if held.difference is None else signed(held.difference)
    if held.low is None or held.high is None:
        return value, "none", "none"
    return value, interval(held.low, held.high), p_text(held.p)


def _won(whole: MultiBenchmark, measure: str, mode: str, other: str) -> str:
    """On how many datasets its mean is better, the same and worse, significant or not."""
    better = whole.comparison.contrast(measure).better
    sign = -1.0 if better == "lower" else 1.0
    gains = [sign * (whole.value(measure, mode, name) - whole.value(measure, other, name)) for name in whole.parts]
    counts = (sum(gain > 0 for gain in gains), sum(gain == 0 for gain in gains), sum(gain < 0 for gain in gains))
    return "/".join(map(str, counts))


def by_dataset(whole: MultiBenchmark, measure: str, folded: bool = False) -> Section:
    """Each mode's mean on each dataset, and the mean over datasets, with what differs from the baseline."""
    base = whole.config.first.baseline
    marks: set[str] = set()
    rows: list[tuple[str, ...]] = [("dataset", "queries", *whole.modes)]
    for name, own in whole.parts.items():
        shown = {} if whole.undecided else {m: own.held(measure, m, base).shown for m in whole.modes if m != base}
        rows.append((name, str(own.queries), *_marked(whole, measure, name, shown)))
        marks |= {*shown.values()}
    shown = {} if whole.undecided else {m: whole.held(measure, m, base).shown for m in whole.modes if m != base}
    rows.append(("mean", "", *_marked(whole, measure, "", shown)))
    marks |= {*shown.values()}
    if marks <= {"not shown"}:
        rows = [tuple(cell.rstrip() for cell in row) for row in rows]
    return Section(f"{measure} {BY_DATASET}", (_legend(whole, marks),), tuple(rows), folded=folded)


def _legend(whole: MultiBenchmark, marks: set[str]) -> str:
    base = whole.config.first.baseline
    if whole.undecided:
        return "Nothing is marked: queries failed. Means are over those that every mode answered."
    if marks <= {"not shown"}:
        return f"Nothing differs significantly from {base}, on no dataset and not over them."
    return f"+ significantly better, - significantly worse than {base}; each dataset by its own tests."


def _marked(whole: MultiBenchmark, measure: str, dataset: str, shown: Mapping[str, str]) -> Iterator[str]:
    for mode in whole.modes:
        yield number(whole.value(measure, mode, dataset)) + SIGNS.get(shown.get(mode, "not shown"), " ")


def _failed(whole: MultiBenchmark) -> Section:
    """What failed on each dataset, and differences beside what failed queries could make of them."""
    failed = {name: own.failed for name, own in whole.parts.items() if own.failed is not None}
    if not failed:
        return Section("")
    rows: list[tuple[str, ...]] = [("measure", "mode", "against", "difference", "with any answers")]
    for measure in whole.config.first.measures:
        for row in whole.first.rows:
            for other in against(whole.first, row):
                ends, held = whole.bound(measure, row.mode, other), whole.held(measure, row.mode, other)
                told = "unbounded" if ends is None else interval(*ends)
                rows.append((measure, row.mode, other, _cells(held)[0], told))
    lines = (
        *(f"{name}: {each.what}; {each.treatment}." for name, each in failed.items()),
        "With any answers: the difference over the datasets if the failed queries had gone as badly or as well as the "
        "measure can; values of the modes that answered are kept.",
    )
    return Section("Failed queries", lines, tuple(rows), 3)


def _times(whole: MultiBenchmark) -> Section:
    """The median latency of each mode on each dataset; there is no mean of times over datasets."""
    rows: list[tuple[str, ...]] = [("dataset", *whole.modes)]
    for name, own in whole.parts.items():
        times = {row.mode: row.latency.p50 for row in own.rows}
        cells = ("not measured" if (t := times[mode]) is None else f"{t:.1f}" for mode in whole.modes)
        rows.append((name, *cells))
    if all(cell == "not measured" for row in rows[1:] for cell in row[1:]):
        return Section("")
    line = (
        "Milliseconds of one request at a time, median; each dataset's page has the others, and throughput and prices."
    )
    return Section("Latency by dataset", (line,), tuple(rows), folded=True)


def without_each(whole: MultiBenchmark) -> list[str]:
    """Without which dataset the mode to ship would stand otherwise against the baseline."""
    mode, base = whole.advice.ship, whole.comparison.systems[0]
    if mode is None or mode == base:
        return []
    changes = whole.over.changes(whole.measure, mode)
    if not changes or whole.comparison.contrast(whole.measure, mode).direction != "better":
        return []
    return [f"Without {' or '.join(changes)} {mode} would not be significantly better than {base} over the others."]


def warnings_over(whole: MultiBenchmark) -> tuple[list[str], list[str]]:
    """What could make the verdict untrue, gravest first; and what else must be read with it."""
    grave = [disagreement.sentence for disagreement in whole.disagreements]
    grave += [
        f"{name}: {sentence}"
        for name, own in whole.parts.items()
        for row in own.rows
        if row.rerank is not None and (sentence := row.rerank.sentence(row.mode))
    ]
    others = [
        f"{name}: {own.failed.sentence}"
        for name, own in whole.parts.items()
        if own.failed is not None and not own.failed.undecided
    ]
    others += whole.warnings
    others += [f"{name}: {text}" for name, own in whole.parts.items() for text in warnings_on_verdict(own.comparison)]
    return grave, others


def datasets_sections(whole: MultiBenchmark, per_query: bool = False) -> list[Section]:
    """Everything over the datasets; what is of one of them alone stands on its page."""
    measure, *more = whole.config.first.measures
    first, (grave, others) = bought(whole, measure), warnings_over(whole)
    parts = [
        Section(title(whole), (verdict_over(whole), *without_each(whole), *(f"Warning: {text}" for text in grave))),
        first,
        by_dataset(whole, measure),
        _failed(whole),
        *(section for other in more for section in (bought(whole, other, True), by_dataset(whole, other, True))),
        *([] if whole.undecided else dataset_sections(whole.over)),
        _times(whole),
        Section("Pipelines", tuple(_pipelines(whole)), folded=True, code=True),
        *(each_query(whole) if per_query else ()),
        Section("Warnings", tuple(others)),
        Section("Fine print", tuple(fine_print(whole)), folded=True),
    ]
    return [section for section in parts if section.lines or section.table]


def each_query(whole: MultiBenchmark) -> list[Section]:
    """Every query's values, dataset by dataset."""
    return [
        replace(section, title=f"{section.title} of {name}", folded=True)
        for name, own in whole.parts.items()
        for section in comparison_sections(own.comparison, True)
        if section.title == "Each query"
    ]


def _pipelines(whole: MultiBenchmark) -> Iterator[str]:
    """Once where it is the same on every dataset."""
    for at, row in enumerate(whole.first.rows):
        texts = {name: own.rows[at].pipeline for name, own in whole.parts.items()}
        if len({*texts.values()}) == 1:
            yield f"{row.mode} = {row.pipeline}"
        else:
            yield from (f"{row.mode} on {name} = {text}" for name, text in texts.items())


def fine_print(whole: MultiBenchmark) -> list[str]:
    """What the numbers over datasets rest on."""
    found = [s for s in comparison_sections(whole.comparison, False) if s.title == "Fine print"]
    lines = [line for section in found for line in section.lines if isinstance(line, str)]
    sources = (
        f"{name}: {config.dataset}{f', split {config.split}' if config.split else ''}, "
        f"{counted(whole.parts[name].documents, 'document')}, content {whole.parts[name].dataset_hash[:12]}"
        for name, config in whole.config.configs.items()
    )
    return [
        "mean over datasets: the mean of the means over the queries of each, as in BEIR",
        "like these: the datasets taken for a sample of others, a value each; the verdict is not of them",
        *lines,
        *sources,
    ]


# ---- the short form ------------------------------------------------------------------------------


def datasets_summary(whole: MultiBenchmark, per_query: bool, columns: int, wraps: bool = True) -> list[Section]:
    """The short form, for a window of so many columns; `wraps`: whether lines are broken at that width."""
    measure = whole.measure
    first, each = bought(whole, measure), by_dataset(whole, measure)
    width = columns if wraps else None
    grave, others = warnings_over(whole)
    adjusted = first.lines if len(first.lines) > 1 else ()
    lines: list[str | tuple[str, ...]] = [verdict_over(whole), *without_each(whole), *adjusted, *_bounds(whole)]
    lines += [f"Warning: {text}" for text in grave]
    heading = f"{title(whole)}; what each stage buys in {measure}"
    head = Section(heading, (), first_that_fits(_layouts(first.table), 2, columns), 2)
    more = "More: --full (every measure, each difference by dataset, pipelines, fine print)"
    below = Section("", (*lines, more))
    room = MOST_LINES - sum(len(part(section, width).splitlines()) + 1 for section in (head, below))
    body = _rows_that_fit(each, room, width)
    used = MOST_LINES - room + len(part(body, width).splitlines())
    shown = some_that_fit(others, MOST_LINES - used, width)
    left = len(others) - len(shown)
    if left:
        more = more.replace("(", f"({counted(left, 'more warning')}, ", 1)
        longer = len(wrapped(more, width, GAP)) - 1
        shown = some_that_fit(others, MOST_LINES - used - longer, width)
    return [head, body, Section("", (*lines, *shown, more)), *(each_query(whole) if per_query else ())]


def _rows_that_fit(each: Section, room: int, width: int | None) -> Section:
    """The table by dataset with as many datasets as there is room for, and the mean over all of them."""
    header, *datasets, mean = each.table
    kept = datasets
    while len(kept) > 1:
        left = len(datasets) - len(kept)
        lines = (f"{counted(left, 'more dataset')}: --full. {each.lines[0]}",) if left else each.lines
        section = Section(each.title, lines, (header, *kept, mean))
        if len(part(section, width).splitlines()) <= room:
            return section
        kept = kept[:-1]
    lines = (f"{counted(len(datasets) - 1, 'more dataset')}: --full. {each.lines[0]}",)
    return Section(each.title, lines, (header, *kept, mean))


def _layouts(rows: Table) -> list[Table]:
    """As it is; without the counts of datasets; with its result in a word; without what the modes are to it."""
    header, *body = rows
    without = tuple((*row[:5], row[6]) for row in rows)
    no = verdict_word("not shown")
    narrow = ((*header[:4], "p", "significant"), *((*row[:5], "no" if row[6] == no else row[6]) for row in body))
    return [rows, without, narrow, tuple((row[0], row[1].partition(" (")[0], *row[2:]) for row in narrow)]


def _bounds(whole: MultiBenchmark) -> Sequence[str]:
    """What failed queries could make of each difference from the baseline in the first measure."""
    base = whole.config.first.baseline
    bounds = {mode: whole.bound(whole.measure, mode, base) for mode in whole.modes if mode != base}
    shown = [f"{mode} {interval(*ends)}" for mode, ends in bounds.items() if ends is not None]
    if not shown:
        return []
    return [f"With any answers to what failed, {whole.measure} less that of {base}: {some(shown, MOST_BOUNDS)}."]
