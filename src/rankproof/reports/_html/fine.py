"""Fine print and manifest: what the numbers mean here, and what it takes to get them again."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof import __version__
from rankproof.records.comparison import Comparison
from rankproof.records.estimate import Estimate
from rankproof.records.words import percent
from rankproof.reports._html.claims import called
from rankproof.reports._html.markup import Safe, join, tag, text
from rankproof.reports._html.section import Section
from rankproof.reports._html.table import bullets, listed


def fine_print(comparison: Comparison) -> Section:
    """Method, family, and the lines of the comparison."""
    method = called("significance", comparison.significance)
    corrected = called("corrections", comparison.correction)
    answers = [c.difference for c in comparison.contrasts if isinstance(c.difference, Estimate)]
    resamples = [a.resamples for a in answers if a.resamples is not None]
    drawn = [f"resamples: {max(resamples):,}"] if resamples else []
    lines = [
        f"method: {method}, {percent(comparison.level)} intervals by the same method",
        f"family: {comparison.family}, {corrected}",
        *drawn,
        f"seed: {comparison.seed}",
        *comparison.fine_print,
    ]
    return lines_section(lines)


def lines_section(lines: Sequence[str]) -> Section:
    """Fine print as a list."""
    return Section("fine-print", "Fine print", None, (bullets(list(lines), "fine"),))


def manifest(fields: Mapping[str, Any]) -> Section:
    """Hashes, versions and seed; the version of rankproof where no manifest was made."""
    apart = ("observed", "results")  # the page itself has the results
    shown = {key: value for key, value in fields.items() if key not in apart} or {"rankproof": __version__}
    return Section("manifest", "Manifest", "What it takes to get the same numbers again.", (_nested(shown),))


def _nested(value: Any) -> Safe:
    if isinstance(value, Mapping | list | tuple) and not value:
        return text("none")
    if isinstance(value, Mapping):
        return listed([(str(key), _nested(inner)) for key, inner in value.items()], "manifest")
    if isinstance(value, str | bool | int | float) or value is None:
        return _plain(value)
    if all(isinstance(inner, str | int | float) for inner in value):
        return join(map(_plain, value), ", ")
    return tag("ul", *(tag("li", _nested(inner)) for inner in value), class_="plain")


def _plain(value: Any) -> Safe:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return text("none")
    if isinstance(value, bool):
        return text("yes" if value else "no")
    said = str(value)
    looks_like_hash = len(said) >= 32 and said.isalnum()
    return tag("code", said) if looks_like_hash else text(said)
