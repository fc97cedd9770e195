"""Rulings: may it ship? The verdict, and what every rule says."""

from __future__ import annotations

from rankproof.records.verdict import Ruling, Verdict
from rankproof.reports._html.claims import minus, minus_signs, p_value
from rankproof.reports._html.markup import Piece, Safe, join, tag
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Cell, Column, bullets, listed, stacked, table
from rankproof.reports._verdict import bounds, fine_print, paid_by, payers, value

MARK = {"PASS": "✓ PASS", "FAIL": "✕ FAIL", "UNDECIDED": "? UNDECIDED"}
TONE = {"PASS": "better", "FAIL": "worse", "UNDECIDED": "open"}
SENTENCE = {
    "PASS": "{candidate} may ship: it meets the {what} “{policy}”",
    "FAIL": "{candidate} may not ship: it misses the {what} “{policy}”",
    "UNDECIDED": "It is not decided whether {candidate} meets the {what} “{policy}”",
}
BROKEN = "The trial “{policy}” cannot be trusted: units did not come in the planned shares"


def head(verdict: Verdict) -> Safe:
    """The status, a sentence and the reasons."""
    trial = verdict.trial
    form = BROKEN if trial is not None and not trial.sample_ratio.holds else SENTENCE[verdict.status]
    what = "policy" if trial is None else "goals of the trial"
    sentence = form.format(candidate=verdict.candidate, policy=verdict.policy, what=what)
    return join(
        [
            tag("p", MARK[verdict.status], class_=f"status {TONE[verdict.status]}"),
            tag("h1", f"{sentence}.", class_="claim"),
            bullets([minus_signs(reason) for reason in verdict.reasons], "also"),
        ]
    )


def facts(verdict: Verdict) -> Safe:
    """What was asked of whom."""
    pairs: list[tuple[Piece, Piece]] = [
        ("Policy" if verdict.trial is None else "Trial", verdict.policy),
        ("Candidate", verdict.candidate),
    ]
    pairs += [("Baseline", verdict.baseline)] if verdict.baseline is not None else []
    counts = [f"{sum(r.status == s for r in verdict.rulings)} {s}" for s in MARK]
    return listed([*pairs, ("Rules", ", ".join(counts))])


def section(verdict: Verdict) -> Section:
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
    return Section(
        "rules",
        "Rules",
        "What does each rule ask, and does it hold?",
        (
            table("Rulings", columns, [_row(ruling, chance) for ruling in verdict.rulings], class_="rulings"),
            *(_payers(ruling) for ruling in paying),
            bullets(fine_print(verdict), "fine"),
        ),
    )


def _row(ruling: Ruling, chance: bool) -> list[Cell]:
    side = "≤" if ruling.better == "lower" else "≥"
    asked = "" if ruling.threshold is None else minus(f"{side} {value(ruling, ruling.threshold)}")
    cells = [
        Cell(ruling.title),
        Cell(stacked(MARK[ruling.status], ruling.band or None), tone=TONE[ruling.status]),
        Cell("" if ruling.observed is None else minus(value(ruling, ruling.observed))),
        Cell(asked),
    ]
    if chance:
        adjusted = p_value(ruling.adjusted) if ruling.adjusted is not None else None
        plain = p_value(ruling.p_fail) if ruling.p_fail is not None else ""
        cells += [Cell(minus(bounds(ruling))), Cell(stacked(plain, adjusted))]
    more = " ".join(line for line in (ruling.decides, *ruling.notes) if line)
    return [*cells, Cell(stacked(minus_signs(ruling.reason), minus_signs(more)))]


def _payers(ruling: Ruling) -> Safe:
    """The queries behind a rule that did not pass."""
    lines = [minus_signs(line) for line in payers(ruling)]
    return tag("div", tag("h3", f"{ruling.title}: {paid_by(ruling)}"), bullets(lines, "fine"), class_="payers")
