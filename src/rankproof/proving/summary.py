"""A comparison in a few lines: the table of contrasts or the leaderboard, the verdict, and what could change it.

The one place that says what is a headline and what is detail. Markdown, HTML, JSON and `--full` have everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from rankproof.kernel.estimate import Estimate
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
from rankproof.proving.sections import (
    comparison_sections,
    detectable_text,
    headline,
    held_back,
    margin_text,
    title,
    wider_interval,
)

if TYPE_CHECKING:
    from rankproof.measuring.records import Settings
    from rankproof.proving.records import Comparison, Contrast

# How many lines the short form has at most, as far as nothing that could change the verdict must stand in it.
MOST_LINES, MOST_LINES_OF_SEVERAL = 15, 25
# How many systems or measures a warning names before it only counts.
NAMED = 3
# Below this width a sentence leaves out what the table or the whole answer has.
NARROW = 100
# Sections that somebody asked for by an option, and that the short form therefore has too.
ASKED_FOR = ("Each query",)


def comparison_summary(comparison: Comparison, per_query: bool, columns: int, wraps: bool = True) -> list[Section]:
    """The short form, for a window of so many columns.

    wraps   whether lines are broken at that width: then a sentence may take several of the lines there are
    """
    two = len(comparison.systems) == 2
    section = _two_systems(comparison, columns) if two else _several(comparison, columns)
    grave = warnings_on_verdict(comparison)
    noted = [*section.lines, *measured_with(comparison)]
    others = other_warnings(comparison)
    most = MOST_LINES if two else MOST_LINES_OF_SEVERAL
    width = columns if wraps else None
    lines = [*noted, *(f"Warning: {text}" for text in grave)]
    used = len(part(Section(section.title, tuple(lines), section.table, section.names), width).splitlines())
    shown = some_that_fit(others, most - used - 1, width)
    lines += [*shown, more_line(len(others) - len(shown))]
    asked = [s for s in comparison_sections(comparison, per_query) if s.title in ASKED_FOR] if per_query else []
    asked += [] if comparison.overlaps is None else [comparison.overlaps.section()]
    return [Section(section.title, tuple(lines), section.table, section.names), *asked, *_reuse(comparison)]


def more_line(warnings: int) -> str:
    """What else there is, and how many warnings had no room."""
    if not warnings:
        return "More: --full (queries, unjudged documents, ties, fine print), --html FILE"
    return f"More: --full ({counted(warnings, 'more warning')}, queries, ties, fine print), --html FILE"


def _reuse(comparison: Comparison) -> list[Section]:
    if comparison.reuse is None:
        return []
    from rankproof.proving.reuse_records import reuse_sections

    return reuse_sections(comparison.reuse)


# ---- two systems ---------------------------------------------------------------------------------


def _two_systems(comparison: Comparison, columns: int) -> Section:
    """The table in the richest layout that fits, and the verdict in the first measure."""
    shown = [c for c in comparison.contrasts if not c.segment]
    if comparison.segments:  # asked for: the first measure on each of them
        shown += [c for c in comparison.contrasts if c.segment and c.measure == comparison.measures[0]]
    names = 1 + bool(comparison.segments)
    layouts = (_laid_out(comparison, shown, layout) for layout in _layouts(comparison))
    table = first_that_fits(layouts, names, columns)
    sentence = verdict_sentence(shown[0], with_effect="effect size" not in table[0])
    lines = [sentence, *_margins(comparison), *_reaching_zero(shown)]
    return Section(title(comparison), tuple(lines), table, names)


Layout = Sequence[tuple[str, "Callable[[Contrast], str]"]]


def _layouts(comparison: Comparison) -> list[Layout]:
    """From the richest to the narrowest. The interval and the p-value are those that decide."""
    adjusted = "adjusted " if any(c.adjusted is not None for c in comparison.contrasts) else ""
    names: Layout = [("measure", lambda c: c.measure)]
    if comparison.segments:
        names = [*names, ("queries", lambda c: c.segment or "all")]
    baseline, candidate = comparison.systems

    def means(before: str, after: str) -> Layout:
        return [(before, lambda c: number(c.baseline_mean)), (after, lambda c: number(c.candidate_mean))]

    def test(difference: str) -> Layout:
        return [
            (difference, lambda c: "none" if c.difference.value is None else signed(c.difference.value)),
            (f"{adjusted}{confidence_interval(comparison.level, short=True)}", _ends),
            ("p", lambda c: p_text(c.p_value)),
        ]

    effect: Layout = [("effect size", lambda c: "none" if c.effect is None else f"{c.effect:+.2f}")]
    won: Layout = [("won/same/lost", lambda c: f"{c.wins}/{c.ties}/{c.losses}")]
    result: Layout = [("result", lambda c: verdict_word(c.direction))]
    significant: Layout = [("significant", lambda c: "no" if c.direction == "not shown" else c.direction)]
    words = means("baseline", "candidate")
    return [
        [*names, *words, *test("difference"), *effect, *won, *result],
        [*names, *words, *test("difference"), *won, *result],
        [*names, *words, *test("difference"), *result],
        [*names, *means(baseline, candidate), *test("difference"), *significant],
        # In a narrow window the means stand in the order in which the title names the systems' roles.
        [*names, *means("base", "cand."), *test("change"), *significant],
    ]


def _laid_out(comparison: Comparison, contrasts: Sequence[Contrast], layout: Layout) -> Table:
    return (
        tuple(name for name, _ in layout),
        *(tuple(cell(contrast) for _, cell in layout) for contrast in contrasts),
    )


def _ends(contrast: Contrast) -> str:
    """The confidence interval that decides."""
    if not isinstance(contrast.difference, Estimate):
        return "none"
    ends = contrast.adjusted or contrast.difference
    return interval(ends.low, ends.high)


def verdict_sentence(contrast: Contrast, with_effect: bool = True) -> str:
    """The verdict in one measure: significantly better or worse, or what would have been detected."""
    answer = contrast.difference
    if not isinstance(answer, Estimate) or contrast.better == "neither" or contrast.withheld:
        return headline(contrast)
    beside = contrast.adjusted
    # A test that is alone in its family is as it was.
    kind = "adjusted " if beside is not None and (beside.low, beside.high) != (answer.low, answer.high) else ""
    effect = "" if contrast.effect is None or not with_effect else f", effect size {contrast.effect:+.2f}"
    ends = f"{kind}{confidence_interval(answer.level)} {_ends(contrast)}{effect}"
    if contrast.significant:
        return (
            f"Statistically significant: {contrast.candidate} is {contrast.direction} than {contrast.baseline} in "
            f"{contrast.measure}, {signed(answer.value)} ({ends})."
        )
    text = f"Not statistically significant in {contrast.measure} ({ends})"
    if held := held_back(contrast):
        return f"{text}{held}."
    return f"{text}; {detectable_text(contrast)}." if contrast.detectable is not None else f"{text}."


def _margins(comparison: Comparison) -> list[str]:
    """Whether the candidate is as good up to the margin, where that was asked."""
    whole = [c for c in comparison.contrasts if not c.segment and c.measure == comparison.measures[0]]
    return [margin_text(c) for c in whole if c.equivalence is not None]


def _reaching_zero(contrasts: Sequence[Contrast]) -> list[str]:
    """One line for all significant differences whose interval reaches 0."""
    wide = [c for c in contrasts if wider_interval(c)]
    if not wide:
        return []
    if len(wide) == 1:
        return [wider_interval(wide[0])]
    named = _few([c.measure for c in wide])
    return [
        f"{named}: adjusted intervals reach 0 although the differences are significant: intervals that hold all "
        "together are wider than tests that are made one after the other."
    ]


# ---- several systems -----------------------------------------------------------------------------


def _several(comparison: Comparison, columns: int) -> Section:
    """The leaderboard, with the best against the second."""
    from rankproof.proving.leaderboard_records import best_against_second, board_title, legend, table
    from rankproof.proving.ranks import leaderboard_of

    board = leaderboard_of(comparison)
    shown = [c for c in comparison.contrasts if not c.segment and c.measure == comparison.measures[0]]
    best = best_against_second(board, brief=columns < NARROW)
    lines = (*legend(board), *best, *_margins(comparison), *_reaching_zero(shown))
    if comparison.segments:
        lines = (*lines, on_segments(comparison.contrasts))
    return Section(board_title(board), lines, table(board), 2)


def on_segments(contrasts: Sequence[Contrast]) -> str:
    """How many differences on segments are significant, and the first of them."""
    tests = [c for c in contrasts if c.segment]
    shown = [c for c in tests if c.significant]
    named = _few([f"{c.candidate} {c.direction} in {c.measure} on {c.segment}" for c in shown])
    return f"{len(shown)} of {len(tests)} differences on segments are significant{f': {named}' if shown else ''}."


def measured_with(comparison: Comparison) -> list[str]:
    """What makes the numbers other numbers: how queries were drawn, and settings that are not the usual ones."""
    lines = [] if comparison.sampling is None else [f"queries: {comparison.sampling}"]
    if comparison.evaluations:
        # A relevance level is part of the measures' names.
        lines += unusual_settings(replace(comparison.evaluations[0].settings, level=None))
    return lines


def unusual_settings(settings: Settings) -> list[str]:
    """A line on the settings that are not the usual ones; none where all are."""
    usual = type(settings)()
    names = [each.name for each in fields(settings)]
    others = [f"{n}={getattr(settings, n)}" for n in names if getattr(settings, n) != getattr(usual, n)]
    return [f"measured with {', '.join(others)}"] if others else []


# ---- what could change the verdict ---------------------------------------------------------------


def warnings_on_verdict(comparison: Comparison) -> list[str]:
    """What could give the measures that decide another verdict, gravest first: ties, judgments, missing queries."""
    deciding = comparison.measures[:1] if comparison.family.primary else comparison.measures
    return [*_ties(comparison, deciding), *_signs(comparison, deciding), *_missing(comparison)]


def _ties(comparison: Comparison, deciding: Sequence[str]) -> list[str]:
    risks = [risk for risk in comparison.tie_risks if risk.changes and risk.measure in deciding]
    if not risks:
        return []
    named = _few([f"{r.candidate} in {r.measure} ({signed(r.least)} to {signed(r.greatest)})" for r in risks])
    return [f"another order of tied scores could change the result of {named}."]


def _signs(comparison: Comparison, deciding: Sequence[str]) -> list[str]:
    """Where unjudged documents could turn the sign of a difference."""
    if comparison.holes is None:
        return []
    turning = {
        (bounds.measure, candidate): bound
        for bounds in comparison.holes.bounds
        if bounds.measure in deciding
        for candidate, bound in zip(comparison.systems[1:], bounds.differences, strict=True)
        if bound.least < 0 < bound.greatest
        and comparison.contrast(bounds.measure, candidate).difference.value is not None
    }
    if not turning:
        return []
    if len(turning) == 1:
        (((measure, candidate), bound),) = turning.items()
        ends = f"{signed(bound.least)} to {signed(bound.greatest)}"
        return [f"unjudged documents could turn the sign of the difference in {measure} of {candidate} ({ends})."]
    measures = ", ".join(dict.fromkeys(measure for measure, _ in turning))
    candidates = _few(list(dict.fromkeys(candidate for _, candidate in turning)))
    return [f"unjudged documents could turn the sign of the difference in {measures} of {candidates}."]


def _missing(comparison: Comparison) -> list[str]:
    """Which systems lack judged queries, and what becomes of these."""
    lacking = {e.run_name: e.population for e in comparison.evaluations if e.population.missing}
    if not lacking:
        return []
    first = next(iter(lacking.values()))
    fate = {"zero": "count as empty rankings", "drop": "are left out", "blank": "count as 0"}[first.missing_policy]
    judged = counted(first.judged, "judged query", "judged queries")
    if len(lacking) == 1:
        return [f"{next(iter(lacking))} lacks {len(first.missing)} of {judged}, which {fate}."]
    named = _few([f"{name} {len(population.missing)}" for name, population in lacking.items()])
    return [f"missing queries {fate} ({named})."]


def other_warnings(comparison: Comparison) -> list[str]:
    """The comparison's warnings, but those on ties of the deciding measures, which are said already."""
    deciding = comparison.measures[:1] if comparison.family.primary else comparison.measures
    said = {risk.note for risk in comparison.tie_risks if risk.changes and risk.measure in deciding}
    first = comparison.measures[0]
    return sorted((text for text in comparison.warnings if text not in said), key=lambda text: first not in text)


def _few(names: Sequence[str]) -> str:
    return some(names, NAMED)


def some_that_fit(warnings: Sequence[str], room: int, width: int | None) -> list[str]:
    """The first warnings that have room."""
    shown: list[str] = []
    for text in warnings:
        line = f"Warning: {text}"
        room -= len(wrapped(line, width, GAP))
        if room < 0:
            break
        shown.append(line)
    return shown
