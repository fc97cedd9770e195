"""The verdict and the summary: the headline, the numbers behind it, and what every rule decided."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.verdict import Ruling
from rankproof.kernel.wording import interval, p_phrase, p_text, percent, signed
from rankproof.online.trial.reading_records import trial_of
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.proving.verdict import Verdict
from rankproof.reports.page.elements import (
    Column,
    PageCell,
    PageSection,
    Piece,
    Safe,
    bullets,
    join,
    listed,
    stacked,
    table,
    tag,
)
from rankproof.reports.verdict_text import bounds, fine_print, paid_by, payers, value

MARK = {"better": "▲ better", "worse": "▼ worse", "not shown": "not shown"}
TONE = {"better": "better", "worse": "worse", "not shown": "open"}


# So many systems are called by their names; more are counted.
FEW = 3


def minus(text: str) -> str:
    """The text with a true minus sign, which is as wide as the plus."""
    return text.replace("-", "−")


def minus_signs(sentence: str) -> str:
    """Hyphens before a number as minus signs; others belong to names."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", sentence)


def difference(value: float | None) -> str:
    """A difference with its sign; a word where there is none."""
    return "none" if value is None else minus(signed(value))


def span(low: float, high: float) -> str:
    """An interval."""
    return minus(interval(low, high))


def p_value(p: float | None) -> str:
    """A p-value; a word where there is none."""
    return p_text(p).replace("<", "< ")


def called(shelf_name: str, item: str) -> str:
    """What an item of a shelf is called on its own page: "Paired t-test" for "t"."""
    return str(shelf.find(shelf_name, item).summary).partition(":")[0]


def against_baseline(comparison: Comparison, measure: str) -> list[Contrast]:
    """The contrasts of one measure with the baseline, over all queries."""
    return [
        c
        for c in comparison.contrasts
        if c.measure == measure and c.segment == ALL_QUERIES and c.baseline == comparison.systems[0]
    ]


def claim(contrast: Contrast) -> str:
    """Who is better, without numbers."""
    pair = f"{contrast.candidate} and {contrast.baseline}"
    if not isinstance(contrast.difference, Estimate):
        return f"{pair} cannot be told apart by a test in {contrast.measure}"
    if contrast.direction != "not shown":
        return f"{contrast.candidate} is {contrast.direction} than {contrast.baseline} in {contrast.measure}"
    if contrast.better == "neither":
        return f"{contrast.measure} has no better side; {pair} differ by {difference(contrast.difference.value)}"
    return f"No difference between {pair} is shown in {contrast.measure}"


def numbers(contrast: Contrast) -> str:
    """The difference, its interval and the p-values; or the reason why there is none."""
    answer = contrast.difference
    if not isinstance(answer, Estimate):
        return answer.reason
    said = f"{difference(answer.value)}, {percent(answer.level)} interval {span(answer.low, answer.high)}, "
    said += p_phrase(answer.p_value)
    if contrast.adjusted is not None:
        said += f", adjusted {p_phrase(contrast.adjusted.p_value)}"
    # A line does not end between "p", its sign and its number.
    return re.sub(r"p ([=<]) ", "p\u00a0\\1\u00a0", said)


def overall(contrasts: Sequence[Contrast]) -> str:
    """One sentence for several candidates in one measure."""
    first = contrasts[0]
    if len(contrasts) == 1:
        return claim(first)
    counts = {shown: [c for c in contrasts if c.direction == shown] for shown in MARK}
    several = len(contrasts)
    if not counts["better"] and not counts["worse"]:
        return f"None of {several} systems is shown to differ from {first.baseline} in {first.measure}"
    parts = []
    for shown in ("better", "worse"):
        found = counts[shown]
        if found:
            who = found[0].candidate if len(found) == 1 else f"{len(found)} of {several} systems"
            parts.append(f"{who} {'is' if len(found) == 1 else 'are'} {shown} than {first.baseline}")
    unshown = counts["not shown"]
    others = ""
    if unshown and several <= FEW:
        named = " and ".join(c.candidate for c in unshown)
        others = f"; {named} {'is' if len(unshown) == 1 else 'are'} not shown to differ"
    return f"{' and '.join(parts)} in {first.measure}{others}"


STATUS_MARK = {"PASS": "✓ PASS", "FAIL": "✕ FAIL", "UNDECIDED": "? UNDECIDED"}
STATUS_TONE = {"PASS": "better", "FAIL": "worse", "UNDECIDED": "open"}
SENTENCE = {
    "PASS": "{candidate} may ship: it meets the {what} “{policy}”",
    "FAIL": "{candidate} may not ship: it misses the {what} “{policy}”",
    "UNDECIDED": "It is not decided whether {candidate} meets the {what} “{policy}”",
}
BROKEN = "The trial “{policy}” cannot be trusted: units did not come in the planned shares"


def verdict_head(verdict: Verdict) -> Safe:
    """The status, a sentence and the reasons."""
    trial = trial_of(verdict)
    form = BROKEN if trial is not None and not trial.sample_ratio.holds else SENTENCE[verdict.status]
    what = "policy" if trial is None else "goals of the trial"
    sentence = form.format(candidate=verdict.candidate, policy=verdict.policy, what=what)
    return join(
        [
            tag("p", STATUS_MARK[verdict.status], class_=f"status {STATUS_TONE[verdict.status]}"),
            tag("h1", f"{sentence}.", class_="claim"),
            bullets([minus_signs(reason) for reason in verdict.reasons], "also"),
        ]
    )


def verdict_facts(verdict: Verdict) -> Safe:
    """What was asked of whom."""
    pairs: list[tuple[Piece, Piece]] = [
        ("Policy" if verdict.trial is None else "Trial", verdict.policy),
        ("Candidate", verdict.candidate),
    ]
    pairs += [("Baseline", verdict.baseline)] if verdict.baseline is not None else []
    counts = [f"{sum(r.status == s for r in verdict.rulings)} {s}" for s in STATUS_MARK]
    return listed([*pairs, ("Rules", ", ".join(counts))])


def section(verdict: Verdict) -> PageSection:
    """The table of rules, and the queries that pay."""
    chance = any(ruling.p_fail is not None for ruling in verdict.rulings)
    columns = [
        Column("Rule", "name"),
        Column("Verdict", "label", "text"),
        Column("Seen"),
        Column("Asked"),
        *([Column("One-sided bounds"), Column("p of a miss, adjusted below")] if chance else []),
        Column("Reason", "words"),
    ]
    paying = [ruling for ruling in verdict.rulings if ruling.payers and ruling.status != "PASS"]
    return PageSection(
        "rules",
        "Rules",
        "What does each rule ask, and does it hold?",
        (
            table("Rulings", columns, [_row(ruling, chance) for ruling in verdict.rulings], class_="rulings"),
            *(_payers(ruling) for ruling in paying),
            bullets(fine_print(verdict), "fine"),
        ),
    )


def _row(ruling: Ruling, chance: bool) -> list[PageCell]:
    side = "≤" if ruling.better == "lower" else "≥"
    asked = "" if ruling.threshold is None else minus(f"{side} {value(ruling, ruling.threshold)}")
    cells = [
        PageCell(ruling.title),
        PageCell(stacked(STATUS_MARK[ruling.status], ruling.band or None), tone=STATUS_TONE[ruling.status]),
        PageCell("" if ruling.observed is None else minus(value(ruling, ruling.observed))),
        PageCell(asked),
    ]
    if chance:
        adjusted = p_value(ruling.adjusted) if ruling.adjusted is not None else None
        plain = p_value(ruling.p_fail) if ruling.p_fail is not None else ""
        cells += [PageCell(minus(bounds(ruling))), PageCell(stacked(plain, adjusted))]
    more = " ".join(line for line in (ruling.decides, *ruling.notes) if line)
    return [*cells, PageCell(stacked(minus_signs(ruling.reason), minus_signs(more)))]


def _payers(ruling: Ruling) -> Safe:
    """The queries behind a rule that did not pass."""
    lines = [minus_signs(line) for line in payers(ruling)]
    return tag("div", tag("h3", f"{ruling.title}: {paid_by(ruling)}"), bullets(lines, "fine"), class_="payers")


# More sentences than this are no summary: the table says the same.
MOST_SENTENCES = 6


def comparison_head(comparison: Comparison, level: str = "h1") -> Safe:
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


def comparison_facts(comparison: Comparison) -> Safe:
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
