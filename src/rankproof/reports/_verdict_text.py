"""A verdict as plain text: the headline, a table of rules, and words for every rule that did not pass."""

from __future__ import annotations

from rankproof.records.verdict import Ruling, Verdict
from rankproof.reports._align import aligned, printable
from rankproof.reports._section_text import part
from rankproof.reports._trial_sections import trial_sections
from rankproof.reports._verdict import explained, fine_print, headline, paid_by, payers, rows

# Columns of the table that are text: verdict and rule.
NAMES = 2


def verdict_text(verdict: Verdict) -> str:
    """The text; it ends in a line end."""
    table = aligned(rows(verdict), NAMES)
    parts = [printable(headline(verdict)), "\n".join(f"  {line}" for line in table)]
    parts += ["\n".join(_words(ruling)) for ruling in explained(verdict)]
    if verdict.trial is not None:
        parts += [part(section) for section in trial_sections(verdict.trial)]
    below = [printable(line) for line in fine_print(verdict)]
    return "\n\n".join([*parts, *(["\n".join(below)] if below else [])]) + "\n"


def _words(ruling: Ruling) -> list[str]:
    lines = [f"{ruling.status}: {printable(ruling.title)}", f"  {printable(ruling.reason)}"]
    if ruling.decides:
        lines.append(f"  what would decide it: {printable(ruling.decides)}")
    if ruling.payers:
        lines.append(f"  {paid_by(ruling)}:")
        lines += [f"    {printable(line)}" for line in payers(ruling)]
    if ruling.answer is None:
        lines += [f"  {printable(note)}" for note in ruling.notes]
    return lines
