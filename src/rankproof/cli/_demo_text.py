"""What the demo says at a terminal: the stage table, a verdict in words, where the report is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from rankproof.records.advice import Advice, Held, Rung
from rankproof.records.words import p_phrase, signed
from rankproof.reports._align import aligned

if TYPE_CHECKING:
    from rankproof.cli._ladder import Climbed


def shown(climbed: Climbed) -> str:
    """The whole answer."""
    from rankproof.reports._benchmark_sections import benchmark_sections
    from rankproof.reports.table import part

    found = benchmark_sections(climbed.benchmark, per_query=False, every_measure=False)
    wanted = [
        section
        for i, section in enumerate(found)
        if i == 0 or section.title.startswith(("What each stage", "Failures"))
    ]
    parts = [part(section) for section in wanted]
    parts.append(verdict(climbed.advice))
    parts += left_out(climbed.left_out)
    parts.append(
        f"Report: {climbed.report}\n"
        f"The shop is made up. Change {climbed.config} and run it: rankproof benchmark run {climbed.config}\n"
        "With your own data: rankproof benchmark init"
    )
    return "\n\n".join(parts) + "\n"


def verdict(advice: Advice) -> str:
    """What to ship, then a line for each stage."""
    rows = [(rung.mode, " ".join(_said(advice, rung))) for rung in advice.rungs if rung.against]
    return "\n".join([f"Verdict by {advice.measure}", f"  {_ship(advice)}", *(f"  {row}" for row in aligned(rows, 2))])


def left_out(reasons: Mapping[str, str]) -> list[str]:
    """One paragraph for each thing that is missing, with all modes that miss it."""
    modes: dict[str, list[str]] = {}
    for mode, reason in reasons.items():
        modes.setdefault(reason, []).append(mode)
    return [f"Left out: {', '.join(named)}. {reason}" for reason, named in modes.items()]


def _ship(advice: Advice) -> str:
    if len(advice.path) == 1:
        return f"Ship {advice.ship}: no mode is shown to be better than it."
    way = ", which is shown to be better than ".join(reversed(advice.path[:-1]))
    return f"Ship {advice.ship}. It is shown to be better than {way}. No mode is shown to be better than {advice.ship}."


def _said(advice: Advice, rung: Rung) -> Iterator[str]:
    for held in rung.against:
        yield _held(held)
    if rung.failures:
        yield f"{rung.failures:,} answers failed, and the order before stood in for them."
    own = advice.times.get(rung.mode)
    before = [advice.times.get(held.other) for held in rung.against]
    if own is not None:
        instead = f" instead of {before[0]:,.1f}" if len(before) == 1 and before[0] is not None else ""
        yield f"{own:,.1f} ms a query{instead}."


def _held(held: Held) -> str:
    if held.difference is None or held.p is None:
        return f"No test against {held.other} could be made."
    numbers = f"{signed(held.difference)}, {p_phrase(held.p)}"
    if held.shown != "not shown":
        return f"{held.shown.capitalize()} than {held.other}: {numbers}."
    return f"Not shown to differ from {held.other}: {numbers}."
