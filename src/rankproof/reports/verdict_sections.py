"""A verdict as sections, and the cells and lines that its other forms take from it."""

from __future__ import annotations

import math
from collections import Counter

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import (
    UNDEFINED,
    Section,
    counted,
    first_that_fits,
    number,
    percent,
    sections_text,
    signed,
)
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.online.trial.records import effect_text
from rankproof.online.trial.results import trial_of
from rankproof.online.trial.sections import trial_sections
from rankproof.proving.sections import short
from rankproof.proving.summary import unusual_settings
from rankproof.proving.verdict import Verdict

HEADER = ("verdict", "rule", "observed", "required", "one-sided bounds", "label")
# Rules whose numbers are changes against the baseline, shown with their sign.
CHANGES = ("no_regression", "least_gain", "better", "not_worse")
# How many of the queries that pay are shown under a rule.
MOST_PAYERS = 5


def verdict_sections(verdict: Verdict) -> list[Section]:
    """The table of rules, what did not pass, what an A/B test measured, warnings, ledger, fine print."""
    reading = trial_of(verdict)
    parts = [
        Section(headline(verdict), table=(HEADER, *(ruling_row(ruling) for ruling in verdict.rulings)), names=2),
        *(Section(f"{ruling.status}: {ruling.title}", _reasons(ruling)) for ruling in _not_passed(verdict)),
        *(trial_sections(reading) if reading is not None else []),
        Section("Warnings", verdict.warnings),
        Section("Ledger", tuple(ledger_lines(verdict))),
        Section("Fine print", tuple(fine_print(verdict)), folded=True),
    ]
    return [section for section in parts if section.lines or section.table]


# How many undecided rules have a sentence in the short form; those that failed all have one.
MOST_UNDECIDED = 3
# What begins lines of the fine print that make it another verdict.
_ALWAYS = ("queries: ", "point: ", "measured with ", "not counted in ")
TRIAL_DETAILS = ("Data", "Day by day", "Fine print")
MORE_OF_TRIAL = "More: --full (day by day, fine print), --html FILE"
MORE = "More: --full (what would decide, queries that lost, fine print), --html FILE"


def verdict_summary(verdict: Verdict, columns: int) -> list[Section]:
    """The short form: rules that failed first, undecided ones next; why each did not pass; warnings and ledger."""
    if trial_of(verdict) is not None:
        return _trial_summary(verdict)
    ordered = [*_not_passed(verdict), *(r for r in verdict.rulings if r.status == "PASS")]
    rows = [HEADER, *map(ruling_row, ordered)]
    without_label, without_bounds = range(5), range(4)
    layouts = [range(6)] if any(row[5] for row in rows[1:]) else []
    tables = (tuple(tuple(row[i] for i in kept) for row in rows) for kept in (*layouts, without_label, without_bounds))
    lines = [_why(ruling) for ruling in verdict.rulings if ruling.status == "FAIL"]
    undecided = [_why(ruling) for ruling in verdict.rulings if ruling.status == "UNDECIDED"]
    lines += undecided[:MOST_UNDECIDED]
    if len(undecided) > MOST_UNDECIDED:
        lines.append(f"{counted(len(undecided) - MOST_UNDECIDED, 'more undecided rule')}: see --full")
    lines += [f"Warning: {warning}" for warning in verdict.warnings]
    lines += ledger_lines(verdict)
    lines += [line for line in fine_print(verdict) if line.startswith(_ALWAYS)]
    return [Section(headline(verdict), (*lines, MORE), first_that_fits(tables, 2, columns), 2)]


def _trial_summary(verdict: Verdict) -> list[Section]:
    """An A/B test without its days, which decide nothing; of its fine print what was found in the data."""
    kept = [section for section in verdict_sections(verdict) if section.title not in TRIAL_DETAILS]
    return [*kept, Section("Notes", (*verdict.notes, MORE_OF_TRIAL)) if verdict.notes else Section(MORE_OF_TRIAL)]


def _why(ruling: Ruling) -> str:
    """Why a rule did not pass, with its title where the reason does not name what the rule is about."""
    named = ruling.measure and ruling.measure in ruling.reason
    return f"{ruling.status}: {ruling.reason if named else f'{ruling.title}: {ruling.reason}'}"


def ledger_lines(verdict: Verdict) -> list[str]:
    """Which attempt on these judgments it is, and what that means for the error; nothing without a ledger."""
    return [] if verdict.ledger is None else verdict.ledger.lines()


def warning_lines(verdict: Verdict) -> list[str]:
    """What could make the verdict untrue, for forms without sections."""
    return [f"warning: {warning}" for warning in verdict.warnings]


def verdict_text(verdict: Verdict) -> str:
    """The verdict as plain text; it ends in a line end."""
    return sections_text(verdict_sections(verdict))


def _not_passed(verdict: Verdict) -> list[Ruling]:
    """The rulings that need words: those that did not pass, gravest first."""
    return [r for status in ("FAIL", "UNDECIDED") for r in verdict.rulings if r.status == status]


def _reasons(ruling: Ruling) -> tuple[str | tuple[str, ...], ...]:
    lines: list[str | tuple[str, ...]] = [ruling.reason]
    if ruling.decides:
        lines.append(f"What would decide it: {ruling.decides}")
    if ruling.payers:
        lines.append((f"{paid_by(ruling).capitalize()}:", *payers(ruling)))
    if ruling.answer is None:
        lines += ruling.notes
    return tuple(lines)


def headline(verdict: Verdict) -> str:
    """The verdict and the number of rules by status, in a line."""
    counts: Counter[str] = Counter(ruling.status for ruling in verdict.rulings)
    words = {"FAIL": "failed", "UNDECIDED": "undecided", "PASS": "passed"}
    outcome = ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts[status])
    return f"{verdict.status}: {verdict.policy}, {_subject(verdict)} ({outcome})"


def _subject(verdict: Verdict) -> str:
    """The candidate and its baseline."""
    return verdict.candidate if verdict.baseline is None else f"{verdict.candidate} against {verdict.baseline}"


def ruling_row(ruling: Ruling) -> tuple[str, ...]:
    """The cells of one rule, in the columns of HEADER."""
    sign = "<=" if ruling.better == "lower" else ">="
    required = "" if ruling.threshold is None else f"{sign} {value(ruling, ruling.threshold)}"
    observed = "" if ruling.observed is None else value(ruling, ruling.observed)
    return ruling.status, ruling.title, observed, required, bounds(ruling), ruling.band


def value(ruling: Ruling, at: float) -> str:
    """A number of a ruling as text, in its unit."""
    if ruling.unit == "ms":
        return f"{at:,.6g} ms"
    if ruling.unit == "errors":
        return f"{at:.0f}"
    if ruling.unit == "share":
        return effect_text(at, "relative")
    return signed(at) if ruling.rule in CHANGES else number(at)


def bounds(ruling: Ruling) -> str:
    """Both one-sided bounds, or why there are none."""
    if ruling.basis == "point":
        return "point"
    answer = ruling.answer
    if not isinstance(answer, Estimate):
        return ""
    low, high = ("none" if math.isinf(at) else value(ruling, at) for at in (answer.low, answer.high))
    return f"{low}, {high}"


def _payer(paid: Payer) -> str:
    """A query that pays, with its text and what happened to it."""
    text = short(paid.text)
    quoted = f" {text!r}" if text else ""
    now = UNDEFINED if paid.value is None else number(paid.value)
    if paid.before is None:
        return f"{paid.query_id}{quoted}: {now}"
    change = "" if paid.difference is None else f" ({signed(paid.difference)})"
    return f"{paid.query_id}{quoted}: {number(paid.before)} -> {now}{change}"


def payers(ruling: Ruling) -> list[str]:
    """The queries that pay most."""
    lines = [_payer(paid) for paid in ruling.payers[:MOST_PAYERS]]
    return [*lines, "and more"] if len(ruling.payers) > MOST_PAYERS else lines


def paid_by(ruling: Ruling) -> str:
    """What the list of queries is."""
    return "queries that lost most" if ruling.payers[0].before is not None else "queries that miss it most"


def fine_print(verdict: Verdict) -> list[str]:
    """The fine print: what the verdict is based on."""
    tested = sum(ruling.p_fail is not None for ruling in verdict.rulings)
    lines = []
    if tested:
        lines.append(
            f"bounds: one-sided, {percent(verdict.confidence)} unless a rule says otherwise, by {verdict.significance};"
            " PASS when the worse bound meets what is required, FAIL when the better one misses it"
        )
        several = f"over the {tested} rules that rest on chance" if tested > 1 else "not needed for one rule"
        lines.append(f"correction: all rules must hold, so passing needs none; failing is corrected by Holm, {several}")
    if any(ruling.basis == "point" for ruling in verdict.rulings):
        lines.append('point: the plain value was compared (basis = "point"); chance is not ruled out')
    if any(ruling.band for ruling in verdict.rulings):
        lines.append("labels decide nothing")
    # Rules are named as the policy names their measures, without its relevance level.
    measured = [] if verdict.evaluation is None else unusual_settings(verdict.evaluation.settings)
    return [*lines, *measured, *verdict.notes]
