"""Beyond: what the numbers of a comparison cannot see, added to it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Literal

from rankproof.flow.blindspots import blind_spots
from rankproof.flow.diagnose import diagnose
from rankproof.flow.gradeshares import grade_shares
from rankproof.flow.holes import holes
from rankproof.flow.prepared import PreparedRun
from rankproof.flow.tierisk import tie_risks
from rankproof.measures._contract import Variant
from rankproof.records.comparison import Comparison
from rankproof.records.settings import Settings


def look_beyond(
    comparison: Comparison,
    runs: Mapping[str, PreparedRun],
    variants: tuple[Variant, ...],
    settings: Settings,
    *,
    universe: Literal["union", "open"] = "union",
    pool: Mapping[str, Collection[str]] | None = None,
) -> Comparison:
    """The comparison with blind spots, bounds over unjudged documents, tie risks, diagnoses and grade shares."""
    prepared = list(runs.values())
    seen = replace(
        comparison,
        blind_spots=blind_spots(prepared, comparison.evaluations),
        holes=holes(prepared, variants, universe=universe, pool=pool, settings=settings, names=list(runs)),
        diagnoses=tuple(found for name, run in runs.items() for found in diagnose(run, name)),
        grade_shares=grade_shares(runs, variants, settings),
        tie_risks=tie_risks(prepared, comparison),
    )
    unequal = [seen.holes.warning] if seen.holes is not None and seen.holes.warning else []
    ties = [risk.note for risk in seen.tie_risks if risk.changes and risk.note]
    return replace(seen, warnings=(*seen.warnings, *unequal, *ties))
