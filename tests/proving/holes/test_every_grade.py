"""Bounds against the truth: every measure of the shelf, all grades of tiny collections tried by plain loops."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.effort import examples
from tests.measuring.measures.asked import ASKED
from tests.proving.holes.small import TOP, Small, smalls

from rankproof.kernel import shelf
from rankproof.measuring.dependence import Best, Cut, Fixed, Linear, Ordered, OverIdeal, PrecisionSum, Rising, Share
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import parse
from rankproof.proving.holes import profiles as few
from rankproof.proving.holes.bounds import Bound
from rankproof.proving.holes.summary import holes

MORE = ("R@100", "SetR", "F(weight=0)@3", "AP(denominator=relevant_retrieved)", "nDCG(ideal=retrieved)@2", "RR(rel=3)")
VARIANTS = [parse(text)[0] for text in (*(text for texts in ASKED.values() for text in texts), *MORE)]
BOUNDED = [variant for variant in VARIANTS if not variant.measure.needs_subtopics]
every_variant = pytest.mark.parametrize("variant", BOUNDED, ids=str)
both_ways = pytest.mark.parametrize("trying", [True, False], ids=["few tried", "form only"])


def tried(many: int) -> settings:
    checks = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(max_examples=examples(many), deadline=None, suppress_health_check=checks)


def form_of(variant: Variant) -> object:
    return variant.measure.depends(variant) if variant.measure.depends is not None else None


def promised(variant: Variant) -> tuple[bool, bool]:
    """Whether the bounds of a value, and of a difference, are exact without trying everything."""
    match form_of(variant):
        case Linear() | Best() | Share() | Fixed():
            return True, True
        case OverIdeal(retrieved=retrieved, gain=gain):
            covered = bool(gain(np.arange(TOP + 1)).min() == 0)
            return covered, covered and not retrieved
        case PrecisionSum() | Ordered() | Cut() | Rising(ideal=None):
            return True, False
        case _:
            return False, False


def test_every_measure_is_bounded() -> None:
    assert {variant.measure.name for variant in VARIANTS} == set(shelf.offered("measures"))


@every_variant
@both_ways
@given(small=smalls())
@tried(5)
def test_bounds_hold_the_truth(variant: Variant, trying: bool, small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    hold_the_truth(variant, trying, small, monkeypatch)


@every_variant
@given(small=smalls())
@tried(5)
def test_without_a_finite_universe_bounds_hold_the_truth_of_every_pool(variant: Variant, small: Small) -> None:
    """The pool is in the truth, and the bounds do not know it."""
    found = holes(small.prepared(), [variant], universe="open", top_grade=TOP).bounds[0]
    if isinstance(form_of(variant), Fixed):
        return
    for bound, at, truth, joint in sides(variant, small, found.values, found.differences):
        if not (joint and variant.measure.aggregate == "geometric"):
            compare(bound, at, truth, reached=False)


@pytest.mark.full
@every_variant
@both_ways
@given(small=smalls(most_open=5))
@tried(150)
def test_bounds_hold_the_truth_at_length(
    variant: Variant, trying: bool, small: Small, monkeypatch: pytest.MonkeyPatch
) -> None:
    hold_the_truth(variant, trying, small, monkeypatch)


def hold_the_truth(variant: Variant, trying: bool, small: Small, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without trying, what the form of the measure says has to stand on its own."""
    monkeypatch.setattr(few, "FEW", 4096 if trying else 0)
    found = holes(small.prepared(), [variant], pool=small.pool, top_grade=TOP).bounds[0]
    geometric = variant.measure.aggregate == "geometric"
    for value, joint in zip((*found.values, *found.differences), (False, False, True), strict=True):
        must = promised(variant)[joint] or trying
        # Geometric means are compared by logarithms, from the bounds of each side.
        assert value.exact or not must or (joint and geometric)
    for bound, at, truth, joint in sides(variant, small, found.values, found.differences):
        if isinstance(form_of(variant), Fixed):
            assert bound.by_query[at, 0] == bound.by_query[at, 1]
        elif not (joint and geometric):
            compare(bound, at, truth)


def sides(
    variant: Variant, small: Small, values: tuple[Bound, ...], differences: tuple[Bound, ...]
) -> Iterator[tuple[Bound, int, np.ndarray, bool]]:
    """Each bound, the query's place, the true values over all grades, and whether it is a difference."""
    for at, query in enumerate(small.qrels):
        truth = small.values(variant, query)
        yield values[0], at, truth[:, 0], False
        yield values[1], at, truth[:, 1], False
        yield differences[0], at, truth[:, 1] - truth[:, 0], True


def compare(bound: Bound, at: int, truth: np.ndarray, reached: bool = True) -> None:
    least, greatest = bound.by_query[at]
    truth = truth[~np.isnan(truth)]
    if not len(truth):
        assert np.isnan(least)
        return
    assert least <= truth.min() + 1e-9
    assert truth.max() <= greatest + 1e-9
    if bound.exact and reached:
        assert least == pytest.approx(truth.min(), abs=1e-9)
        assert greatest == pytest.approx(truth.max(), abs=1e-9)
