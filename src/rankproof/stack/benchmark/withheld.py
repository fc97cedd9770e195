"""Withheld: what a benchmark may not tell of a difference, whatever its test shows.

Nothing is told where queries failed and nobody chose what they count, nor where modes of the configuration were left
out: with fewer modes the correction is over fewer tests, what a mode failed on is another set of queries, and a better
mode may be missing. So a part of the modes is measured, and decides nothing: what is displayed must not change what is
decided. Of a mode whose declared rerank is broken no pair is told: its numbers are not those of the reranker.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from rankproof.kernel.sections import some
from rankproof.proving.direction import Withheld
from rankproof.proving.records import Comparison, Contrast


def left_out_sentence(run: int, left_out: Sequence[str]) -> str:
    """What a verdict says where only some modes of the configuration were run; "" where all were."""
    if not left_out:
        return ""
    return (
        f"Not the benchmark's verdict: {run} of {run + len(left_out)} modes {'was' if run == 1 else 'were'} run, "
        f"without {some(left_out)}. Run it without --mode to decide."
    )


def withhold(comparison: Comparison, everything: bool, broken: Collection[str]) -> Comparison:
    """The comparison with the same numbers, and no direction where none may be told."""
    if not everything and not broken:
        return comparison

    def told(contrast: Contrast) -> Contrast:
        why: Withheld | None = "undecided" if everything else None
        if contrast.candidate in broken or contrast.baseline in broken:
            why = why or "broken"
        return contrast if why is None else contrast.without_direction(why)

    return replace(comparison, contrasts=tuple(map(told, comparison.contrasts)))
