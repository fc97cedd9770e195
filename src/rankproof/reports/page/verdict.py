"""The verdict and the summary: the headline, the numbers behind it, and what every rule decided."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rankproof.kernel.sections import counted, interval, p_text, percent, signed
from rankproof.kernel.verdict import Ruling
from rankproof.online.trial.results import trial_of
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.proving.sections import claim, item_title, margin_text, numbers, wider_interval
from rankproof.proving.summary import other_warnings, warnings_on_verdict
from rankproof.proving.verdict import Verdict
from rankproof.reports.page.elements import (
    Column,
    PageCell,
    PageSection,
    Piece,
    Safe,
    bullets,
    fold,
    join,
    listed,
    minus,
    minus_signs,
    stacked,
    table,
    tag,
)
from rankproof.reports.verdict_sections import fine_print, ledger_lines, paid_by, payers, ruling_row

# So many systems are called by their names, and so many passed rules stay open; more are counted.
FEW = 3


def difference(value: float | None) -> str:
    """A difference with its sign; a word where there is none."""
    return "none" if value is None else minus(signed(value))


def span(low: float, high: float) -> str:
    """An interval."""
    return minus(interval(low, high))


def p_value(p: float | None) -> str:
    """A p-value; a word where there is none."""
    return p_text(p).replace("<", "< ")


def against_baseline(comparison: Comparison, measure: str) -> list[Contrast]:
    """The contrasts of one measure with the baseline, over all queries."""
    return [
        c
        for c in comparison.contrasts
        if c.measure == measure and c.segment == ALL_QUERIES and c.baseline == comparison.systems[0]
    ]


def spaced(sentence: str) -> str:
    """True minus signs, and no line that ends between "p", its sign and its number."""
    return re.sub(r"p ([=<]) ", "p\u00a0\\1\u00a0", minus_signs(sentence))


def overall(contrasts: Sequence[Contrast]) -> str:
    """One sentence for several candidates in one measure."""
    first = contrasts[0]
    if len(contrasts) == 1:
        return claim(first)
    several = len(contrasts)
    if all(c.withheld for c in contrasts):
        return f"How {several} systems differ from {first.baseline} in {first.measure}: {first.withheld}"
    parts = []
    for direction in ("better", "worse"):
        names = [c.candidate for c in contrasts if c.direction == direction]
        if names:
            who = names[0] if len(names) == 1 else f"{len(names)} of {several} systems"
            verb = "is" if len(names) == 1 else "are"
            parts.append(f"{who} {verb} significantly {direction} than {first.baseline}")
    if not parts:
        return f"None of {several} systems differs significantly from {first.baseline} in {first.measure}"
    others = [c.candidate for c in contrasts if c.direction == "not shown"]
    rest = ""
    if others and several <= FEW:
        rest = f"; {' and '.join(others)} {'does' if len(others) == 1 else 'do'} not differ significantly"
    return f"{' and '.join(parts)} in {first.measure}{rest}"


# Reasons beyond these stand in the table of rules.
MOST_REASONS = 3
STATUS_MARK = {"PASS": "✓ PASS", "FAIL": "✕ FAIL", "UNDECIDED": "? UNDECIDED"}
WORST_FIRST = ("FAIL", "UNDECIDED", "PASS")
STATUS_TONE = {"PASS": "better", "FAIL": "worse", "UNDECIDED": "open"}
SENTENCE = {
    "PASS": "{candidate} may ship: it meets the {what} “{policy}”",
    "FAIL": "{candidate} may not ship: it misses the {what} “{policy}”",
    "UNDECIDED": "It is not decided whether {candidate} meets the {what} “{policy}”",
}
BROKEN = "The A/B test “{policy}” cannot be trusted: units did not come in the planned shares"


def verdict_head(verdict: Verdict) -> Safe:
    """The status, a sentence and the reasons."""
    trial = trial_of(verdict)
    form = BROKEN if trial is not None and not trial.sample_ratio.holds else SENTENCE[verdict.status]
    what = "policy" if trial is None else "goals of the A/B test"
    sentence = form.format(candidate=verdict.candidate, policy=verdict.policy, what=what)
    more = len(verdict.reasons) - MOST_REASONS
    return join(
        [
            tag("p", STATUS_MARK[verdict.status], class_=f"status {STATUS_TONE[verdict.status]}"),
            tag("h1", f"{sentence}.", class_="claim"),
            bullets([minus_signs(reason) for reason in verdict.reasons[:MOST_REASONS]], "also"),
            tag("p", tag("a", f"{more} more in the table of rules", href="#rules"), class_="also")
            if more > 0
            else None,
        ]
    )


def verdict_facts(verdict: Verdict) -> Safe:
    """Policy, candidate, baseline, the counts of rulings, and which attempt it is where a ledger counts."""
    pairs: list[tuple[Piece, Piece]] = [
        ("Policy" if verdict.trial is None else "A/B test", verdict.policy),
        ("Candidate", verdict.candidate),
    ]
    pairs += [("Baseline", verdict.baseline)] if verdict.baseline is not None else []
    counts = [f"{sum(r.status == s for r in verdict.rulings)} {s}" for s in STATUS_MARK]
    pairs.append(("Rules", ", ".join(counts)))
    if verdict.ledger is not None:
        pairs.append(("Attempt", f"{verdict.ledger.number} on these judgments"))
    return listed(pairs)


def section(verdict: Verdict) -> PageSection:
    """The table of rules, and the queries that pay."""
    chance = any(ruling.p_fail is not None for ruling in verdict.rulings)
    columns = [
        Column("Rule", "name"),
        Column("Verdict", "label", "text"),
        Column("Observed"),
        Column("Required"),
        *([Column("One-sided bounds"), Column("p of a miss, adjusted below")] if chance else []),
        Column("Reason", "words"),
    ]
    rulings = sorted(verdict.rulings, key=lambda ruling: WORST_FIRST.index(ruling.status))
    others = [ruling for ruling in rulings if ruling.status != "PASS"]
    passed = rulings[len(others) :]
    apart = bool(others) and len(passed) > FEW

    def rules(caption: str, chosen: Sequence[Ruling]) -> Safe:
        return table(caption, columns, [_row(ruling, chance) for ruling in chosen], class_="rulings")

    return PageSection(
        "rules",
        "Rules",
        "What does each rule require, and does it hold?",
        (
            rules("Rules that did not pass" if apart else "Rulings", others if apart else rulings),
            *(_payers(ruling) for ruling in others if ruling.payers and ruling.status == "FAIL"),
            fold(
                "Queries behind the undecided rules", *(_payers(r) for r in others if r.payers and r.status != "FAIL")
            ),
            fold(f"{len(passed)} rules passed", rules("Rules that passed", passed)) if apart else None,
            bullets([*ledger_lines(verdict), *fine_print(verdict)], "fine"),
        ),
    )


def _row(ruling: Ruling, chance: bool) -> list[PageCell]:
    status, title, observed, required, bounds, band = ruling_row(ruling)
    cells = [
        PageCell(title),
        PageCell(stacked(STATUS_MARK[status], band or None), tone=STATUS_TONE[status]),
        PageCell(minus(observed)),
        PageCell(minus(required).replace("<=", "≤").replace(">=", "≥")),
    ]
    if chance:
        adjusted = p_value(ruling.adjusted) if ruling.adjusted is not None else None
        plain = p_value(ruling.p_fail) if ruling.p_fail is not None else ""
        cells += [PageCell(minus(bounds)), PageCell(stacked(plain, adjusted))]
    beside = (risk for risk in ruling.risks if risk not in ruling.reason)
    more = " ".join(line for line in (ruling.decides, *beside, *ruling.notes) if line)
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
        inside.append(tag("p", f"{_capital(behind(contrasts[0]))}.", class_="numbers"))
    else:
        best = max(contrasts, key=_gain)
        inside.append(tag("p", f"Largest: {best.candidate}, {behind(best)}.", class_="numbers"))
    return join(inside)


def behind(contrast: Contrast) -> str:
    """The numbers behind a headline: difference, interval, p-value, effect size and queries.

    Where the interval reaches 0 beside a significant difference, the reason follows at once.
    """
    effect = "" if contrast.effect is None else f"; effect size {minus(f'{contrast.effect:+.2f}')}"
    text = f"{spaced(numbers(contrast))}{effect}; {counted(len(contrast.query_ids), 'query', 'queries')}"
    why = wider_interval(contrast).removesuffix(".")
    return f"{text}. {why}" if why else text


def also(comparison: Comparison) -> Safe:
    """What the other measures say, a sentence each."""
    sentences = []
    for measure in comparison.measures[1:]:
        contrasts = against_baseline(comparison, measure)
        if not contrasts:
            continue
        details = f" ({spaced(numbers(contrasts[0]))})" if len(contrasts) == 1 else ""
        sentences.append(f"{overall(contrasts)}{details}.")
    more = len(sentences) - MOST_SENTENCES
    lines = sentences[:MOST_SENTENCES] + ([f"{more} further measures stand in the table below."] if more > 0 else [])
    return bullets(lines, "also")


def comparison_facts(comparison: Comparison) -> Safe:
    """What it rests on."""
    method = item_title("significance", comparison.significance)
    corrected = item_title("corrections", comparison.correction) + (
        f" over {comparison.family.counts}" if comparison.family.tests > 1 else ""
    )
    return listed(
        [
            ("Baseline", comparison.systems[0]),
            ("Candidates", ", ".join(comparison.systems[1:])),
            ("Queries", f"{len(comparison.query_ids):,}"),
            ("Method", f"{method}, {percent(comparison.level)} confidence intervals"),
            *([("Correction", corrected)] if comparison.correction != "none" else []),
        ]
    )


def gravest(comparison: Comparison) -> list[str]:
    """What could give the measures that decide another verdict: the same as a terminal says."""
    return [minus_signs(_capital(line)) for line in warnings_on_verdict(comparison)]


def caveats(comparison: Comparison) -> list[str]:
    """What must be read with the headline, the gravest first."""
    lines = [*gravest(comparison), *(minus_signs(line) for line in other_warnings(comparison))]
    spots = [s for s in comparison.blind_spots if s.measure == comparison.measures[0] and s.unseen]
    lines += [
        f"{s.measure} is the same in {len(s.unseen)} of {s.changed} queries whose ranking {s.candidate} changed."
        for s in spots
        if s.share >= 0.25
    ]
    return list(dict.fromkeys(lines))


def lead_caveat(lines: Sequence[str], grave: Sequence[str]) -> Safe:
    """The gravest of them, where one could change the verdict, and a link to the others; nothing without any."""
    if not lines:
        return Safe()
    more = len(lines) - bool(grave)
    words = f"{more} more to know" if grave else f"{counted(more, 'note')} to read"
    link = tag("a", f"{words} before you quote it", href="#caveats") if more else None
    told: tuple[Piece, ...] = (tag("strong", "Warning: "), grave[0], " ", link) if grave else (link,)
    return tag("aside", tag("p", *told), class_="caveats", aria_label="Warning" if grave else "Notes")


def caveats_section(lines: Sequence[str], grave: Sequence[str]) -> PageSection | None:
    """All of them, where there is more than the head says."""
    if len(lines) <= bool(grave):
        return None
    question = "What could make the headline untrue?"
    return PageSection("caveats", "Before you quote it", question, (bullets(lines, "warnings"),))


def margins(comparison: Comparison) -> Safe:
    """Results for the margins of equivalence or non-inferiority."""
    return bullets([spaced(margin_text(c)) for c in comparison.contrasts if c.equivalence is not None], "also")


def title(comparison: Comparison) -> str:
    """For the window's bar."""
    return f"{claim(against_baseline(comparison, comparison.measures[0])[0])} · rankproof"


def _gain(contrast: Contrast) -> float:
    value = contrast.difference.value
    if value is None:
        return float("-inf")
    return -value if contrast.better == "lower" else value


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
