"""A verdict as lines and cells, for every form that a person reads."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import Section, aligned, part, printable
from rankproof.kernel.verdict import Payer, Ruling
from rankproof.kernel.wording import UNDEFINED, number, percent, signed
from rankproof.online.trial.reading_records import trial_of
from rankproof.online.trial.records import shown
from rankproof.online.trial.sections import trial_sections
from rankproof.proving.verdict import Verdict

HEADER = ("verdict", "rule", "seen", "asked", "one-sided bounds", "label")
# Rules whose numbers are changes against the baseline, shown with their sign.
CHANGES = ("no_regression", "least_gain", "better", "not_worse")
# How many of the queries that pay are shown under a rule.
SHOWN = 5
# Query texts are cut here: a line is to stay a line.
LONGEST_TEXT = 60


def headline(verdict: Verdict) -> str:
    """The verdict and how the rules fell out, in a line."""
    counts: Counter[str] = Counter(ruling.status for ruling in verdict.rulings)
    words = {"FAIL": "failed", "UNDECIDED": "undecided", "PASS": "passed"}
    told = ", ".join(f"{counts[status]} {word}" for status, word in words.items() if counts[status])
    return f"{verdict.status}: {verdict.policy}, {subject(verdict)} ({told})"


def subject(verdict: Verdict) -> str:
    """Who is judged, against whom."""
    return verdict.candidate if verdict.baseline is None else f"{verdict.candidate} against {verdict.baseline}"


def rows(verdict: Verdict) -> list[tuple[str, ...]]:
    """Header and one row per rule."""
    return [HEADER, *(_row(ruling) for ruling in verdict.rulings)]


def _row(ruling: Ruling) -> tuple[str, ...]:
    sign = "<=" if ruling.better == "lower" else ">="
    asked = "" if ruling.threshold is None else f"{sign} {value(ruling, ruling.threshold)}"
    seen = "" if ruling.observed is None else value(ruling, ruling.observed)
    return ruling.status, ruling.title, seen, asked, bounds(ruling), ruling.band


def value(ruling: Ruling, at: float) -> str:
    """A number of a ruling as text, in its unit."""
    if ruling.unit == "ms":
        return f"{at:,.6g} ms"
    if ruling.unit == "errors":
        return f"{at:.0f}"
    if ruling.unit == "share":
        return shown(at, "relative")
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


def explained(verdict: Verdict) -> list[Ruling]:
    """The rulings that need words: those that did not pass, gravest first."""
    return [r for status in ("FAIL", "UNDECIDED") for r in verdict.rulings if r.status == status]


def payer(paid: Payer) -> str:
    """A query that pays, with its text and what happened to it."""
    flat = " ".join(paid.text.split())
    said = f" {_cut(flat)!r}" if flat else ""
    now = UNDEFINED if paid.value is None else number(paid.value)
    if paid.before is None:
        return f"{paid.query_id}{said}: {now}"
    change = "" if paid.difference is None else f" ({signed(paid.difference)})"
    return f"{paid.query_id}{said}: {number(paid.before)} -> {now}{change}"


def payers(ruling: Ruling) -> list[str]:
    """The queries that pay most."""
    lines = [payer(paid) for paid in ruling.payers[:SHOWN]]
    return [*lines, "and more"] if len(ruling.payers) > SHOWN else lines


def paid_by(ruling: Ruling) -> str:
    """What the list of queries is."""
    return "queries that lost most" if ruling.payers[0].before is not None else "queries that miss it most"


def fine_print(verdict: Verdict) -> list[str]:
    """What the verdict rests on."""
    chance = sum(ruling.p_fail is not None for ruling in verdict.rulings)
    lines = []
    if chance:
        lines.append(
            f"bounds: one-sided, {percent(verdict.confidence)} unless a rule says otherwise, by "
            f"{verdict.significance}; PASS when the worse bound meets what is asked, FAIL when the better one misses it"
        )
        several = f"over the {chance} rules that rest on chance" if chance > 1 else "not needed for one rule"
        lines.append(f"correction: all rules must hold, so passing needs none; failing is corrected by Holm, {several}")
    if any(ruling.basis == "point" for ruling in verdict.rulings):
        lines.append('point: the plain value was compared (basis = "point"); chance is not ruled out')
    if any(ruling.band for ruling in verdict.rulings):
        lines.append("labels decide nothing")
    return [*lines, *verdict.notes]


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 3] + "..."


# Columns of the table that are text: verdict and rule.
NAMES = 2


def verdict_text(verdict: Verdict) -> str:
    """The text; it ends in a line end."""
    table = aligned(rows(verdict), NAMES)
    parts = [printable(headline(verdict)), "\n".join(f"  {line}" for line in table)]
    parts += ["\n".join(_text_reasons(ruling)) for ruling in explained(verdict)]
    if (reading := trial_of(verdict)) is not None:
        parts += [part(section) for section in trial_sections(reading)]
    below = [printable(line) for line in fine_print(verdict)]
    return "\n\n".join([*parts, *(["\n".join(below)] if below else [])]) + "\n"


def _text_reasons(ruling: Ruling) -> list[str]:
    lines = [f"{ruling.status}: {printable(ruling.title)}", f"  {printable(ruling.reason)}"]
    if ruling.decides:
        lines.append(f"  what would decide it: {printable(ruling.decides)}")
    if ruling.payers:
        lines.append(f"  {paid_by(ruling)}:")
        lines += [f"    {printable(line)}" for line in payers(ruling)]
    if ruling.answer is None:
        lines += [f"  {printable(note)}" for note in ruling.notes]
    return lines


MARKS = {"PASS": "✅", "FAIL": "❌", "UNDECIDED": "❔"}

Escape = Callable[[str], str]


def verdict_markdown(verdict: Verdict, escaped: Escape, part: Callable[[Section], str]) -> str:
    """The headline, the table of rules, words for every rule that did not pass, the fine print folded away.

    `part` writes what a trial showed beside its rulings.
    """
    header, *rulings = rows(verdict)
    rule = ["---" if i < NAMES else "---:" for i in range(len(header))]
    table = [_markdown_row(header), _markdown_row(rule)]
    table += [_markdown_row([f"{MARKS[row[0]]} {row[0]}", *map(escaped, row[1:])]) for row in rulings]
    parts = [f"## {MARKS[verdict.status]} {escaped(headline(verdict))}", "\n".join(table)]
    parts += [_markdown_reasons(ruling, escaped) for ruling in explained(verdict)]
    if (reading := trial_of(verdict)) is not None:
        parts += [part(section) for section in trial_sections(reading)]
    below = [f"- {escaped(line)}" for line in fine_print(verdict)]
    if below:
        parts.append("\n".join(["<details><summary>Fine print</summary>", "", *below, "", "</details>"]))
    return "\n\n".join(parts) + "\n"


def _markdown_row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _markdown_reasons(ruling: Ruling, escaped: Escape) -> str:
    lines = [f"**{ruling.status}: {escaped(ruling.title)}**", "", escaped(ruling.reason)]
    if ruling.decides:
        lines += ["", f"What would decide it: {escaped(ruling.decides)}"]
    if ruling.payers:
        lines += ["", f"{paid_by(ruling).capitalize()}:", "", *(f"- {escaped(line)}" for line in payers(ruling))]
    if ruling.answer is None and ruling.notes:
        lines += ["", *(f"- {escaped(note)}" for note in ruling.notes)]
    return "\n".join(lines)
