"""Diagnoses: patterns in the values that tell what is wrong with a system, and what to try."""

from __future__ import annotations

from rankproof.records.comparison import Comparison
from rankproof.records.diagnosis import Diagnosis
from rankproof.reports._html.markup import Safe, tag
from rankproof.reports._html.section import Section


def section(comparison: Comparison) -> Section | None:
    """What was seen, why it matters and what to try; what holds for several systems once."""
    if not comparison.diagnoses:
        return None
    found: dict[tuple[str, str, str], list[Diagnosis]] = {}
    for diagnosis in comparison.diagnoses:
        found.setdefault((diagnosis.message, diagnosis.reason, diagnosis.remedy), []).append(diagnosis)
    items = [_item([d.run for d in same], same[0], len(comparison.systems)) for same in found.values()]
    inside = tag("ul", *items, class_="diagnoses")
    return Section("diagnoses", "Diagnosis", "What is wrong with each system, and what to try?", (inside,))


def _item(runs: list[str], said: Diagnosis, systems: int) -> Safe:
    who = "Every system" if len(runs) == systems > 1 else ", ".join(runs)
    return tag("li", tag("strong", f"{who}:"), f" {said.message} {said.reason} ", tag("em", said.remedy))
