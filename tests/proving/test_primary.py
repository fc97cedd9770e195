"""The first measure decides: more measures and segments change nothing of it, and wait for it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples

import rankproof
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.contrasts import contrasts
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.records import Contrast, Design
from rankproof.proving.sections import comparison_sections, held_back, wider_interval

SAMPLE = Path(__file__).resolve().parents[2] / "src" / "rankproof" / "stack" / "samples" / "rankings"
FILES = [str(SAMPLE / name) for name in ("qrels.trec", "bm25.run", "dense.run")]
DESIGN = Design(resamples=1_000)


def table(name: str, *columns: np.ndarray) -> PerUnit:
    ids = tuple(f"q{i}" for i in range(len(columns[0])))
    return PerUnit(name, "higher", "mean", ids, np.column_stack(columns), low=0.0, high=1.0)


def made(
    tables: list[PerUnit], design: Design = DESIGN, **segments: tuple[str, ...]
) -> dict[tuple[str, ...], Contrast]:
    systems = [f"s{i}" for i in range(tables[0].values.shape[1])]
    found, _ = contrasts(systems, tables, segments, design)
    return {(c.measure, c.candidate, c.segment): c for c in found}


def values(rng: np.random.Generator, n: int, *gains: float) -> list[np.ndarray]:
    base = rng.uniform(0.2, 0.6, n)
    return [base, *(np.clip(base + gain + rng.normal(0, 0.1, n), 0, 1) for gain in gains)]


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 3), st.sampled_from([None, "holm"]))
def test_what_is_shown_beside_it_does_not_change_what_the_first_measure_decides(seed, candidates, correction):
    rng = np.random.default_rng(seed)
    design = replace(DESIGN, correction=correction)
    first = table("AP", *values(rng, 25, *rng.normal(0.03, 0.05, candidates)))
    others = [table(name, *values(rng, 25, *rng.normal(0, 0.1, candidates))) for name in ("P@10", "RR")]
    half = tuple(first.unit_ids[:12])
    alone, beside = made([first], design), made([first, *others], design, half=half)
    for key, contrast in alone.items():
        assert beside[key].direction == contrast.direction
        assert beside[key].p_value == pytest.approx(contrast.p_value)


def test_two_systems_and_two_measures_need_no_correction_of_the_first():
    rng = np.random.default_rng(1)
    found = made([table("AP", *values(rng, 30, 0.05)), table("RR", *values(rng, 30, 0.05))])
    first, second = found["AP", "s1", ""], found["RR", "s1", ""]
    assert first.p_value == first.difference.p_value
    assert (first.adjusted.low, first.adjusted.high) == (first.difference.low, first.difference.high)
    assert second.p_value == max(first.p_value, second.difference.p_value)


def test_a_secondary_difference_waits_for_the_primary_one_and_is_told():
    rng = np.random.default_rng(2)
    found = made([table("AP", *values(rng, 30, 0.0)), table("RR", *values(rng, 30, 0.3))])
    first, second = found["AP", "s1", ""], found["RR", "s1", ""]
    assert first.direction == second.direction == "not shown"
    assert second.difference.p_value < 1e-6
    assert second.adjusted.held_by == "AP"
    assert "AP is not significant" in held_back(second)
    turned = made([table("RR", *values(rng, 30, 0.3)), table("AP", *values(rng, 30, 0.0))])
    assert turned["RR", "s1", ""].direction == "better"


def test_a_primary_test_that_cannot_be_made_opens_no_way():
    rng = np.random.default_rng(3)
    same = rng.uniform(size=30)
    found = made([table("AP", same, same), table("RR", *values(rng, 30, 0.3))], replace(DESIGN, significance="t"))
    assert isinstance(found["AP", "s1", ""].difference, NotEstimable)
    assert found["RR", "s1", ""].adjusted.held_by == "AP"


def test_segments_of_the_first_measure_are_secondary():
    rng = np.random.default_rng(4)
    first = table("AP", *values(rng, 40, 0.0))
    first.values[:12, 1] = np.clip(first.values[:12, 0] + 0.3 + rng.normal(0, 0.01, 12), 0, 1)
    first.values[12:, 1] = np.clip(first.values[12:, 0] - 0.13 + rng.normal(0, 0.01, 28), 0, 1)
    found = made([first], DESIGN, few=tuple(first.unit_ids[:12]))
    assert found["AP", "s1", ""].direction == "not shown"
    assert found["AP", "s1", "few"].adjusted.held_by == "AP"


def test_one_family_by_request_and_none_held_back_by_a_false_discovery_rate():
    rng = np.random.default_rng(2)
    tables = [table("AP", *values(rng, 30, 0.0)), table("RR", *values(rng, 30, 0.3))]
    for choice in ({"primary": "all"}, {"correction": "bh"}, {"correction": "none"}):
        assert made(tables, replace(DESIGN, **choice))["RR", "s1", ""].direction == "better"
    one = made(tables, replace(DESIGN, primary="all"))["RR", "s1", ""]
    assert one.p_value == pytest.approx(2 * one.difference.p_value)


def test_an_interval_that_reaches_0_beside_a_significant_difference_is_explained():
    rng = np.random.default_rng(0)
    for seed in range(400):
        rng = np.random.default_rng(seed)
        found = made([table("AP", *values(rng, 25, 0.05, 0.2, 0.3))], replace(DESIGN, correction="holm"))
        reaching = [c for c in found.values() if c.direction != "not shown" and c.adjusted.low <= 0 <= c.adjusted.high]
        assert [bool(wider_interval(c)) for c in found.values()] == [c in reaching for c in found.values()]
        if reaching:
            return
    raise AssertionError("no such case was drawn")


def test_sentences_have_the_interval_that_goes_with_their_p_value():
    comparison = rankproof.compare(*FILES[:2], [FILES[2], str(SAMPLE / "hybrid.run")], "nDCG@10 AP", beyond=False)
    text = "\n".join(line for line in comparison_sections(comparison, False)[0].lines if isinstance(line, str))
    assert "adjusted 95% confidence interval" in text
    assert "adjusted p" in text
