"""What a reuse check answers, as plain tuples that tests compare."""

from __future__ import annotations

from rankproof.proving.records import Comparison, Contrast
from rankproof.proving.reuse_records import ReuseCheck, ReuseResult


def answer(comparison: Comparison) -> ReuseCheck:
    assert comparison.reuse is not None
    return comparison.reuse


def of_contrast(contrast: Contrast) -> tuple[object, ...]:
    return (contrast.difference.value, contrast.p_value, contrast.direction, contrast.difference.method)


def of_result(result: ReuseResult | None) -> tuple[object, ...]:
    assert result is not None
    return (result.difference, result.p_value, result.direction, result.method)
