"""What the demo says at a terminal: the stage table, a verdict in words, where the report is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankproof.cli._ladder import Climbed


def shown(climbed: Climbed) -> str:
    """The whole answer."""
    from rankproof.reports._benchmark_advice import VERDICT
    from rankproof.reports._benchmark_sections import benchmark_sections
    from rankproof.reports._section_text import part

    found = benchmark_sections(climbed.benchmark, per_query=False, every_measure=False)
    wanted = [
        section
        for i, section in enumerate(found)
        if i == 0 or section.title.startswith((VERDICT, "What each stage", "Failures"))
    ]
    parts = [part(section) for section in wanted]
    parts += left_out(climbed.left_out)
    parts.append(
        f"Report: {climbed.report}\n"
        f"The shop is made up. Change {climbed.config} and run it: rankproof benchmark run {climbed.config}\n"
        "With your own data: rankproof benchmark init"
    )
    return "\n\n".join(parts) + "\n"


def left_out(reasons: Mapping[str, str]) -> list[str]:
    """One paragraph for each thing that is missing, with all modes that miss it."""
    modes: dict[str, list[str]] = {}
    for mode, reason in reasons.items():
        modes.setdefault(reason, []).append(mode)
    return [f"Left out: {', '.join(named)}. {reason}" for reason, named in modes.items()]
