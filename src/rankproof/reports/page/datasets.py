"""Datasets: the page of a benchmark on several of them: one verdict, each mode on each dataset, a link to each page."""

from __future__ import annotations

from rankproof.kernel.sections import Section
from rankproof.reports.page import verdict as summary
from rankproof.reports.page.contrasts import contrasts_section, lead_chart
from rankproof.reports.page.elements import (
    Column,
    PageCell,
    PageSection,
    Safe,
    fold,
    join,
    minus_signs,
    section_body,
    section_lines,
    table,
    tag,
)
from rankproof.reports.page.page import lines_section, page
from rankproof.reports.page.verdict import against_baseline, behind
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.datasets.sections import (
    BY_DATASET,
    PAGE,
    answer_over,
    datasets_sections,
    fine_print,
    scope,
    title,
    warnings_over,
    without_each,
)

# What the page says in a better way elsewhere.
ELSEWHERE = ("Warnings", "Fine print")
OPEN = ("datasets", "stages")


def datasets_page(whole: MultiBenchmark) -> str:
    """The whole document. Pages of the datasets are linked by paths from where it lies."""
    grave, others = ([minus_signs(text) for text in texts] for texts in warnings_over(whole))
    grave = [text[:1].upper() + text[1:] for text in grave]
    caveats = [*grave, *others]
    head = (
        _head(whole),
        summary.lead_caveat(caveats, grave),
        lead_chart(whole.comparison),
        summary.comparison_facts(whole.comparison),
    )
    first, *parts = datasets_sections(whole)
    measure = whole.measure
    kept = [part for part in parts if part.title not in ELSEWHERE]
    own = next(part for part in kept if part.title == f"{measure} {BY_DATASET}")
    bought = next(part for part in kept if part.title.startswith("What each stage buys"))
    more = [part for part in kept if part not in (own, bought)]
    differences = contrasts_section(whole.comparison)
    sections = [
        PageSection(
            "datasets", "Datasets", "Does every dataset say the same?", (_linked(whole, own), section_lines(own))
        ),
        PageSection("stages", bought.title, None, section_body(bought)),
        summary.caveats_section(caveats, grave),
        PageSection("more", "Behind the means", first.title, tuple(_folded(part) for part in more), folded=True),
        PageSection(differences.key, differences.title, differences.lede, differences.inside, folded=True),
        lines_section(fine_print(whole)),
    ]
    return page(f"{whole.config.name} · rankproof", "benchmark", head, sections)


def _head(whole: MultiBenchmark) -> Safe:
    """The headline with its numbers: what to ship over these datasets."""
    ahead = whole.advice.ship
    shown = [c for c in against_baseline(whole.comparison, whole.measure) if c.candidate == ahead]
    numbers = [
        tag("p", f"{c.candidate} against {c.baseline}, mean over {len(whole.parts)} datasets: {behind(c)}.",
            class_="numbers")
        for c in shown
    ]  # fmt: skip
    also = [tag("p", minus_signs(text), class_="numbers") for text in without_each(whole)]
    return join(
        [
            tag("h1", answer_over(whole), class_="claim"),
            tag("p", f"{title(whole)}. {scope(whole)}", class_="numbers"),
            *numbers,
            *also,
        ]
    )


def _linked(whole: MultiBenchmark, own: Section) -> Safe:
    """The table by dataset; the name of each leads to its page."""
    header, *rows = own.table
    columns = [Column(text, "name" if at == 0 else "number") for at, text in enumerate(header)]
    links = {name: tag("a", name, href=PAGE.format(dataset=name)) for name in whole.parts}
    # The last row is the mean over datasets, whatever datasets are called.
    names: list[PageCell | str | None] = [*(links[row[0]] for row in rows[:-1]), "mean over datasets"]
    body = [[name, *map(_cell, row[1:])] for name, row in zip(names, rows, strict=True)]
    return table(f"{whole.measure} of each mode on each dataset", columns, body)


TONES = {"+": "better", "-": "worse"}


def _cell(text: str) -> PageCell:
    """A value; what differs significantly from the baseline has its tone."""
    return PageCell(minus_signs(text[:-1]) + text[-1:].replace("-", "−") if text else "", tone=TONES.get(text[-1:], ""))


def _folded(part: Section) -> Safe | None:
    return fold(part.title, *section_body(part))
