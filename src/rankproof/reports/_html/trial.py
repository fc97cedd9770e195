"""A trial on the page: the same parts as in text, each a section with its table."""

from __future__ import annotations

from rankproof.records.trialreading import TrialReading
from rankproof.reports._html.claims import minus_signs
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import Column, bullets, table
from rankproof.reports._trial_sections import trial_sections

LEDES = {
    "Units": "Who came, on which days, and in the planned shares?",
    "Variants": "What does each variant come to?",
    "Effects": "What changed, by how much, and how sure is it?",
    "Day by day": "Does the effect wear off, or take time to come?",
    "Segments": "For whom did it change?",
}


def sections(reading: TrialReading) -> list[Section]:
    """The sections that have something to say."""
    found = []
    for part in trial_sections(reading):
        inside = []
        if part.table:
            head, *rows = part.table
            columns = [Column(name, "name" if i < part.names else "number") for i, name in enumerate(head)]
            inside.append(table(part.title, columns, [[minus_signs(text) for text in row] for row in rows]))
        inside.append(bullets([minus_signs(line) for line in part.lines if isinstance(line, str)], "fine"))
        found.append(Section(part.title.lower().replace(" ", "-"), part.title, LEDES[part.title], tuple(inside)))
    return found
