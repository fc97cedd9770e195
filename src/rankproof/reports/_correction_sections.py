"""The parts of a correction, for text and Markdown: one table for each measure, and what all rest on."""

from __future__ import annotations

from rankproof.records.agreement import Figure, Found
from rankproof.records.correction import Corrected, Correction
from rankproof.records.show import number
from rankproof.records.words import percent, signed
from rankproof.reports._sections import Section

HEAD = ("run", "naive", "people alone", "corrected", "weight of the model")


def correction_sections(found: Correction) -> list[Section]:
    """Measure by measure, then what to know."""
    sections = []
    for measure in dict.fromkeys(one.measure for one in found.estimates):
        mine = [one for one in found.estimates if one.measure == measure]
        rows = [HEAD]
        for one in mine:
            name = one.run if one.baseline is None else f"{one.run} - {one.baseline}"
            text = number if one.baseline is None else signed
            weight = "" if one.weight is None else f"{one.weight:.2f}"
            rows.append((name, text(one.naive), _cell(one, one.human), _cell(one, one.corrected), weight))
        notes = [f"assumes: {text}" for text in dict.fromkeys(one.assumption for one in mine) if text]
        answers = [answer for one in mine for answer in (one.human, one.corrected)]
        reasons = dict.fromkeys(answer.reason for answer in answers if not isinstance(answer, Figure))
        notes += [f"no interval: {reason}" for reason in reasons]
        sections.append(Section(measure, tuple(notes), tuple(rows)))
    lines = (
        f"{found.frame:,} pairs of {found.queries:,} queries, of which people graded {found.human:,}; drawn by: "
        f"{found.design}",
        f"{percent(found.level)} intervals: what all people's grades of these pairs and queries would give; other "
        "queries are another question",
        "naive: the model's grades taken as they stand; corrected: right although the model errs",
        *found.notes,
    )
    return [*sections, Section("What this rests on", lines)]


def _cell(one: Corrected, found: Found) -> str:
    text = number if one.baseline is None else signed
    if isinstance(found, Figure):
        return f"{text(found.value)} ({text(found.low)} to {text(found.high)})"
    return "none" if found.value is None else text(found.value)
