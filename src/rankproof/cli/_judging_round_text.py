"""How a round of judging looks to a person: who was handed what, gold questions, and how far judges agree."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.cli._judgments_text import many, standing
from rankproof.reports._align import aligned, printable

if TYPE_CHECKING:
    from rankproof.records.agreement import Agreement, Found


def assigned(told: Mapping[str, Any], accounts: Collection[str]) -> str:
    """What was handed out, with the arithmetic, and how the judges stand."""
    one = told["handed"]
    names, pairs, overlap, each = one["judges"], one["pairs"], one["overlap"], one["each"]
    done = "would be handed out" if one["dry_run"] else "handed out"
    lines = [f"{many(pairs, 'pairs')} by {one['selection']} {done} to {many(len(names), 'judges')}: "
             f"{many(one['judgments'], 'judgments')}"]  # fmt: skip
    if overlap:
        lines.append(f"  {many(overlap, 'pairs')} to all {len(names)}: {many(overlap * len(names), 'judgments')}")
    if pairs > overlap:
        rest = pairs - overlap
        lines.append(f"  {many(rest, 'pairs')} to {many(each, 'judges')} each: {many(rest * each, 'judgments')}")
    parts = [lines, standing(told["judges"])]
    without = [name for name in names if name not in accounts]
    if without:
        parts.append([f"without an account yet, to be opened under this very name: {', '.join(without)}"])
    return _joined(parts)


def unassigned(told: Mapping[str, Any], judge: str) -> str:
    """What was taken back."""
    return _joined([[f"{many(told['taken_back'], 'pairs')} taken back from {judge}"], standing(told["judges"])])


def golden(told: Mapping[str, Any]) -> str:
    """What became a gold question, and how often they are asked."""
    if told["withdrawn"]:
        lines = [f"{many(told['withdrawn'], 'gold questions')} taken back"]
    else:
        there = f", {told['there']:,} there already" if told["there"] else ""
        lines = [f"{many(told['added'], 'gold questions')} added{there}"]
    often = (
        f"{told['share']:.1%} of the questions are gold" if told["share"] else "none is asked: --share says how many"
    )
    lines.append(f"  now {many(told['questions'], 'gold questions')}; {often}")
    return _joined([lines])


def agreed(
    slug: str,
    found: Agreement,
    graded: Mapping[str, int],
    others: Mapping[str, Found],
    gold: Mapping[str, Found],
    level: float,
) -> str:
    """How far judges agree: all, two by two, each."""
    head = [f"{slug}: {many(found.pairs, 'pairs')} with grades of two judges or more"]
    together = [["", "agreement", "pairs"]]
    together += [
        [f"Krippendorff's alpha, {name}", _cell(found.alpha[name]), f"{found.pairs:,}"]
        for name in ("ordinal", "nominal")
    ]
    if found.fleiss_grades > 2:
        n = getattr(found.fleiss, "pairs", 0)
        together.append([f"Fleiss' kappa, {found.fleiss_grades} grades", _cell(found.fleiss), f"{n:,}"])
    two = [["judges", "same grade", "kappa", "kappa, quadratic", "pairs"]]
    for (a, b), pair in found.two.items():
        cells = [pair.share, pair.kappa["none"], pair.kappa["quadratic"]]
        two.append([f"{a}, {b}", *map(_cell, cells), f"{pair.pairs:,}"])
    each = [["judge", "graded", "same as others", *(["right on gold", "gold"] if gold else [])]]
    for judge, count in graded.items():
        right = gold.get(judge)
        known = [] if not gold else [_cell(right), f"{getattr(right, 'pairs', 0):,}"]
        each.append([judge, f"{count:,}", _cell(others[judge]), *known])
    how = f"{level:.0%} intervals by leaving out one query at a time" + ("; on gold: Clopper-Pearson" if gold else "")
    parts = [head, aligned(together, 1), aligned(two, 1) if len(two) > 1 else [], aligned(each, 1), [how]]
    return _joined(parts)


def _cell(found: Found | None) -> str:
    from rankproof.records.agreement import Figure

    if isinstance(found, Figure):
        return f"{found.value:.3f} ({found.low:.3f} to {found.high:.3f})"
    return "none" if found is None or found.value is None else f"{found.value:.3f}"


def _joined(parts: Sequence[Sequence[str]]) -> str:
    return "\n\n".join("\n".join(printable(line) for line in part) for part in parts if part) + "\n"
