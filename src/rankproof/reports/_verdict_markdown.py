"""A verdict as Markdown, for a pull request or a job summary."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rankproof.records.verdict import Ruling, Verdict
from rankproof.reports._sections import Section
from rankproof.reports._trial_sections import trial_sections
from rankproof.reports._verdict import explained, fine_print, headline, paid_by, payers, rows

MARKS = {"PASS": "✅", "FAIL": "❌", "UNDECIDED": "❔"}
NAMES = 2

Escape = Callable[[str], str]


def verdict_markdown(verdict: Verdict, escaped: Escape, part: Callable[[Section], str]) -> str:
    """The headline, the table of rules, words for every rule that did not pass, the fine print folded away.

    `part` writes what a trial showed beside its rulings.
    """
    header, *rulings = rows(verdict)
    rule = ["---" if i < NAMES else "---:" for i in range(len(header))]
    table = [_row(header), _row(rule)]
    table += [_row([f"{MARKS[row[0]]} {row[0]}", *map(escaped, row[1:])]) for row in rulings]
    parts = [f"## {MARKS[verdict.status]} {escaped(headline(verdict))}", "\n".join(table)]
    parts += [_words(ruling, escaped) for ruling in explained(verdict)]
    if verdict.trial is not None:
        parts += [part(section) for section in trial_sections(verdict.trial)]
    below = [f"- {escaped(line)}" for line in fine_print(verdict)]
    if below:
        parts.append("\n".join(["<details><summary>Fine print</summary>", "", *below, "", "</details>"]))
    return "\n\n".join(parts) + "\n"


def _row(texts: Sequence[str]) -> str:
    return f"| {' | '.join(texts)} |"


def _words(ruling: Ruling, escaped: Escape) -> str:
    lines = [f"**{ruling.status}: {escaped(ruling.title)}**", "", escaped(ruling.reason)]
    if ruling.decides:
        lines += ["", f"What would decide it: {escaped(ruling.decides)}"]
    if ruling.payers:
        lines += ["", f"{paid_by(ruling).capitalize()}:", "", *(f"- {escaped(line)}" for line in payers(ruling))]
    if ruling.answer is None and ruling.notes:
        lines += ["", *(f"- {escaped(note)}" for note in ruling.notes)]
    return "\n".join(lines)
