"""Summary: the headline, the numbers behind it, and what to know before quoting it."""

from __future__ import annotations

from rankproof.records.comparison import ALL_QUERIES, Comparison, Contrast
from rankproof.records.words import percent
from rankproof.reports._html.claims import against_baseline, called, claim, minus_signs, numbers, overall, span
from rankproof.reports._html.markup import Piece, Safe, join, tag
from rankproof.reports._html.table import bullets, listed

# More sentences than this are no summary: the table says the same.
MOST_SENTENCES = 6


def head(comparison: Comparison, level: str = "h1") -> Safe:
    """What the first measure says, with its numbers."""
    contrasts = against_baseline(comparison, comparison.measures[0])
    inside: list[Piece] = [tag(level, f"{overall(contrasts)}.", class_="claim")]
    if len(contrasts) == 1:
        inside.append(tag("p", f"{_capital(numbers(contrasts[0]))}.", class_="numbers"))
    else:
        best = max(contrasts, key=_gain)
        inside.append(tag("p", f"Largest: {best.candidate}, {numbers(best)}.", class_="numbers"))
    return join(inside)


def also(comparison: Comparison) -> Safe:
    """What the other measures say, a sentence each."""
    sentences = []
    for measure in comparison.measures[1:]:
        contrasts = against_baseline(comparison, measure)
        if not contrasts:
            continue
        said = f" ({numbers(contrasts[0])})" if len(contrasts) == 1 else ""
        sentences.append(f"{overall(contrasts)}{said}.")
    more = len(sentences) - MOST_SENTENCES
    shown = sentences[:MOST_SENTENCES] + ([f"{more} further measures stand in the table below."] if more > 0 else [])
    return bullets(shown, "also")


def facts(comparison: Comparison) -> Safe:
    """What it rests on."""
    tests = comparison.family.tests
    corrected = called("corrections", comparison.correction) + (f" over {tests} tests" if tests > 1 else "")
    return listed(
        [
            ("Baseline", comparison.systems[0]),
            ("Candidates", ", ".join(comparison.systems[1:])),
            ("Queries", f"{len(comparison.query_ids):,}"),
            ("Method", f"{called('significance', comparison.significance)}, {percent(comparison.level)} intervals"),
            *([("Correction", corrected)] if comparison.correction != "none" else []),
        ]
    )


def caveats(comparison: Comparison) -> Safe:
    """What could make the headline untrue."""
    lines = [minus_signs(warning) for warning in comparison.warnings]
    for contrast in against_baseline(comparison, comparison.measures[0]):
        lines += _unjudged(comparison, contrast)
    spots = [s for s in comparison.blind_spots if s.measure == comparison.measures[0] and s.unseen]
    lines += [
        f"{s.measure} is the same in {len(s.unseen)} of {s.changed} queries whose ranking {s.candidate} changed."
        for s in spots
        if s.share >= 0.25
    ]
    if not lines:
        return Safe()
    return tag("aside", tag("h2", "Before you quote it"), bullets(lines), class_="caveats")


def margins(comparison: Comparison) -> Safe:
    """What was asked about equivalence or non-inferiority."""
    lines = []
    for contrast in comparison.contrasts:
        asked = contrast.equivalence
        if asked is None:
            continue
        holds = "is" if asked.holds else "is not"
        kind = "equivalent to" if asked.kind == "equivalence" else "not worse than"
        where = f" on {contrast.segment}" if contrast.segment != ALL_QUERIES else ""
        within = "within" if asked.kind == "equivalence" else "by more than"
        lines.append(
            f"{contrast.candidate} {holds} shown to be {kind} {contrast.baseline} {within} {asked.margin:g} in "
            f"{contrast.measure}{where} (p = {asked.p_value:.4f}, interval {span(asked.low, asked.high)})."
        )
    return bullets(lines, "also")


def title(comparison: Comparison) -> str:
    """For the window's bar."""
    return f"{claim(against_baseline(comparison, comparison.measures[0])[0])} · rankproof"


def _unjudged(comparison: Comparison, contrast: Contrast) -> list[str]:
    """Whether unjudged documents could turn what is shown."""
    if comparison.holes is None or contrast.direction == "not shown":
        return []
    place = comparison.systems.index(contrast.candidate) - 1
    bounds = next((b for b in comparison.holes.bounds if b.measure == contrast.measure), None)
    if bounds is None:
        return []
    bound = bounds.differences[place]
    if bound.least > 0 or bound.greatest < 0:
        return []
    return [
        f"Unjudged documents alone could move the difference of {contrast.candidate} in {contrast.measure} to "
        f"anything from {span(bound.least, bound.greatest)}: its sign is not certain."
    ]


def _gain(contrast: Contrast) -> float:
    value = contrast.difference.value
    if value is None:
        return float("-inf")
    return -value if contrast.better == "lower" else value


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
