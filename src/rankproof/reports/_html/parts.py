"""Parts: the sections of a comparison, in the order a reader asks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.records.comparison import Comparison
from rankproof.reports._html import contrasts, diagnoses, fine, grades, holes, power, queries, segments, unseen
from rankproof.reports._html.section import Section


def sections(comparison: Comparison, manifest: Mapping[str, Any]) -> list[Section]:
    """How large, who pays, for whom; then what the numbers cannot see; then what they stand on."""
    found = [
        contrasts.section(comparison),
        queries.section(comparison),
        segments.section(comparison),
        grades.section(comparison),
        unseen.blind_spots(comparison),
        holes.section(comparison),
        unseen.ties(comparison),
        power.section(comparison),
        diagnoses.section(comparison),
        fine.fine_print(comparison),
        fine.manifest(manifest),
    ]
    return [section for section in found if section is not None]
