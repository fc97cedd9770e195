"""The exact test of paired proportions: against textbooks, against all outcomes of few units, and at its ends."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from benchmarks.simulation.binary import all_outcomes, least_coverage, most_false_alarms

from rankproof import compare_scores, gate
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Alternative, Estimate, NotEstimable
from rankproof.proving.paired_proportions import GIVEN_AWAY, lower_bound, p_greater, tango_score, units_for_score
from rankproof.proving.significance.contract import SignificanceRequest

RANGE = {"low": -1.0, "high": 1.0}
RNG = np.random.default_rng(0)


def asked(gained: int, lost: int, n: int, method: str = "mcnemar", **request: Any) -> Estimate:
    d = np.array([1.0] * gained + [-1.0] * lost + [0.0] * (n - gained - lost))
    found = shelf.find("significance", method).infer(d, SignificanceRequest(**{**RANGE, **request}), RNG)
    assert isinstance(found, Estimate), found
    return found


def score(gained: int, lost: int, n: int, difference: float) -> float:
    return float(tango_score(np.array([gained + 0.0]), np.array([lost + 0.0]), n, difference)[0])


def test_the_score_is_that_of_published_intervals() -> None:
    """Complete response before and after consolidation (Cavo et al., 2012): 6 and 16 of 161 changed; the score interval
    of Fagerland, Lydersen and Laake's contingencytables is -0.1240 to -0.0054: there the score is 1.96."""
    assert score(6, 16, 161, -0.1240) == pytest.approx(1.96, abs=0.005)
    assert score(6, 16, 161, -0.0054) == pytest.approx(-1.96, abs=0.005)
    assert score(16, 6, 161, 0.0) == pytest.approx(2.132, abs=0.001)  # McNemar's, as they print it


def test_the_p_value_is_that_of_a_published_exact_unconditional_test() -> None:
    """They print P = 0.034053 for the same table, with 0.0001 given away for the nuisance parameter."""
    assert asked(6, 16, 161).p_value == pytest.approx(0.034053 - 0.0001, abs=5e-6)


def brute_p(gained: int, lost: int, n: int, null: float) -> float:
    """P-value "greater" with every outcome written out, over a fine grid of all rates of change."""
    outcomes = [(b, c) for b in range(n + 1) for c in range(n + 1 - b)]
    far = [(b, c) for b, c in outcomes if score(b, c, n, null) >= score(gained, lost, n, null) - 1e-9]

    def at(rate: float) -> float:
        up, down = (rate + null) / 2, (rate - null) / 2
        return sum(
            math.comb(n, b) * math.comb(n - b, c) * up**b * down**c * max(0.0, 1 - up - down) ** (n - b - c)
            for b, c in far
        )

    return max(at(rate) for rate in np.linspace(abs(null), 1.0, 1500).tolist())


@pytest.mark.parametrize(
    ("gained", "lost", "n", "null"),
    [(3, 0, 9, 0.0), (2, 1, 5, -0.1), (0, 0, 8, -0.3), (5, 2, 11, 0.2), (1, 3, 6, -0.7), (7, 0, 7, 0.6)],
)
def test_the_p_value_is_that_of_all_outcomes_written_out(gained: int, lost: int, n: int, null: float) -> None:
    found = asked(gained, lost, n, alternative="greater", null=null).p_value
    brute = brute_p(gained, lost, n, null)
    assert found == pytest.approx(brute, rel=2e-3)


@pytest.mark.parametrize("n", [2, 3, 6, 12])
def test_intervals_cover_and_false_alarms_are_rare_at_every_pair_of_rates(n: int) -> None:
    of = all_outcomes("mcnemar", n)
    assert least_coverage(of) >= 0.95 - 1e-4
    for alpha in (0.01, 0.05, 0.2):
        assert most_false_alarms(of, alpha) <= alpha * 1.001


def test_what_the_default_said_before_covers_too_seldom_and_finds_less() -> None:
    """All units but few change the same way: t is far too short. Three gains and no loss in 20: bounds too long."""
    before, now = all_outcomes("t_or_gaffke", 20), all_outcomes("mcnemar", 20)
    assert least_coverage(before) < 0.90 < 0.9499 < least_coverage(now)
    assert now.rejects(0.15, 0.03) > 2 * before.rejects(0.15, 0.03)
    assert asked(3, 0, 20, "t_or_gaffke").p_value == pytest.approx(0.25)
    assert asked(3, 0, 20, "t_or_gaffke", binary=True).p_value == pytest.approx(0.102, abs=0.001)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_interval_and_p_value_agree_at_every_null(alternative: Alternative) -> None:
    for (gained, lost), null, level in itertools.product(
        [(3, 0), (5, 1), (4, 4), (0, 0), (12, 0), (9, 2)], [-0.5, -0.02, 0.0, 0.03, 0.4, -1.0, 1.0], [0.8, 0.95, 0.999]
    ):
        found = asked(gained, lost, 12, alternative=alternative, null=null, level=level)
        inside = found.low <= null <= found.high
        assert inside == (found.p_value > 1 - level), found


def test_two_units_and_all_that_change_the_same_way() -> None:
    both = asked(2, 0, 2)
    assert both.p_value == pytest.approx(0.5, abs=1e-3)  # 2 * 0.5^2 where every unit changes
    assert both.high == 1.0
    # All of 20 gained: every rate of change below 1 makes it less probable, so p = 2 * 0.5^20.
    assert asked(20, 0, 20).p_value == pytest.approx(2 * 0.5**20 + 2 * GIVEN_AWAY, rel=1e-3)
    assert asked(0, 20, 20).low == -1.0


def test_no_unit_changed() -> None:
    found = asked(0, 0, 149, alternative="greater")
    assert found.p_value == 1.0
    assert -0.0201 < found.low < -0.0195  # (1 - 0.0199)^149 is 0.05
    two = asked(0, 0, 149)
    assert two.low == -two.high


def test_three_of_a_hundred_thousand() -> None:
    found = asked(3, 0, 100_000)
    # As rare as this, counts are Poisson's; the test of 3 against 0 is the same whatever the number of units.
    assert found.p_value == pytest.approx(asked(3, 0, 20_000).p_value, rel=0.01)
    assert -2e-5 < found.low < 0 < found.high < 1e-4


def test_nulls_at_the_ends_of_the_range() -> None:
    assert asked(3, 1, 10, alternative="greater", null=-1.0).p_value == GIVEN_AWAY
    assert asked(3, 1, 10, alternative="greater", null=1.0).p_value == 1.0
    assert asked(0, 10, 10, alternative="greater", null=-1.0).p_value == 1.0
    assert asked(10, 0, 10, alternative="less", null=1.0).p_value == 1.0
    assert lower_bound(10, 0, 10, 0.0, 0.05) == -1.0


def test_better_outcomes_never_have_a_lower_bound() -> None:
    bounds = {(b, c): lower_bound(15, b, c, 0.0, 0.05) for b in range(16) for c in range(16 - b)}
    for (gained, lost), bound in bounds.items():
        for better in ((gained + 1, lost), (gained, lost - 1), (gained + 1, lost - 1)):
            assert bounds.get(better, math.inf) >= bound - 0.05, (gained, lost, better)


def test_more_gains_never_have_a_greater_p_value() -> None:
    for gained, lost in itertools.product(range(9), range(5)):
        more = p_greater(16, gained + 1, lost, 0.0)
        assert more <= p_greater(16, gained, lost, 0.0) + 1e-6, (gained, lost)


@pytest.mark.parametrize(
    ("differences", "low", "reason"),
    [
        ([0.5, 1.0, 0.0], -1.0, "0.5"),
        ([2.0, 1.0, 0.0], -1.0, "2"),
        ([1.0, 1.0, 0.0], -3.0, "-3"),
        ([1.0, 1.0, 0.0], -math.inf, "range"),
        ([1.0], -1.0, "one query only"),
        ([], -1.0, "no query"),
    ],
)
def test_what_is_no_score_of_0_and_1(differences: list[float], low: float, reason: str) -> None:
    request = SignificanceRequest(low=low, high=-low)
    found = shelf.find("significance", "mcnemar").infer(np.array(differences), request, RNG)
    assert isinstance(found, NotEstimable)
    assert reason in found.reason


# ---- when the default uses it -----------------------------------------------------------------------


def units(*values: object) -> list[dict[str, object]]:
    return [{"unit": f"u{i}", "kind": "ab"[i % 2], "ok": value} for i, value in enumerate(values)]


OLD = [0, 1, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 1, 0, 1, 0]
NEW = [1, 1, 1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 0]


def methods(old: object, new: object, **choices: Any) -> list[str]:
    return [contrast.difference.method for contrast in compare_scores(old, new, "ok", unit="unit", **choices).contrasts]


def test_the_default_uses_it_for_columns_of_0_and_1_and_their_segments() -> None:
    old, new = units(*OLD), units(*NEW)
    assert methods(old, new, by=["kind"]) == ["mcnemar"] * 3
    truths = (units(*(bool(v) for v in side)) for side in (OLD, NEW))
    texts = (units(*(str(v) for v in side)) for side in (OLD, NEW))
    assert methods(*truths) == methods(*texts) == ["mcnemar"]
    plain, other = compare_scores(old, new, "ok", unit="unit"), compare_scores(*texts_of(OLD, NEW), "ok", unit="unit")
    assert plain.contrasts[0].difference == other.contrasts[0].difference
    assert [line for line in plain.fine_print if "every value is 0 or 1" in line] == [
        "ok: every value is 0 or 1: exact test of paired proportions (mcnemar), not t"
    ]
    assert not plain.warnings


def texts_of(*sides: list[int]) -> list[list[dict[str, object]]]:
    return [units(*(str(v) for v in side)) for side in sides]


def test_a_wider_range_a_fraction_anywhere_clusters_or_weights_keep_the_other_methods() -> None:
    old, new = units(*OLD), units(*NEW)
    assert methods(old, new, ranges={"ok": (0, 2)}) == ["gaffke"]
    # The fraction is the same on both sides and in one segment only: no difference shows it.
    old[0]["ok"] = new[0]["ok"] = 0.5
    assert methods(old, new, ranges={"ok": (0, 1)}, by=["kind"]) == ["gaffke"] * 3
    old, new = units(*OLD), units(*NEW)
    assert methods(old, new, clusters="kind") == ["gaffke"]
    for row in (*old, *new):
        row["w"] = 1 + (row["kind"] == "a")
    assert methods(old, new, weights="w") == ["gaffke"]


def test_means_of_repetitions_that_are_fractions_keep_the_other_methods() -> None:
    old, new = [*units(*OLD), {"unit": "u0", "kind": "a", "ok": 1}], units(*NEW)
    assert methods(old, new, repeats=True) == ["gaffke"]


@pytest.mark.parametrize("correction", ["holm", "max_t", "tukey", "none"])
def test_adjusted_intervals_and_p_values_of_binary_scores_agree(correction: str) -> None:
    rng = np.random.default_rng(3)
    sides = [units(*(rng.random(40) < share).astype(int).tolist()) for share in (0.2, 0.5, 0.9)]
    names = {"names": ["a", "b", "c"], "correction": correction, "all_pairs": True}
    compared = compare_scores(sides[0], sides[1:], "ok", unit="unit", **names)
    significant = 0
    for contrast in compared.contrasts:
        answer, adjusted = contrast.difference, contrast.adjusted
        assert isinstance(answer, Estimate)
        assert answer.method == "mcnemar"
        if adjusted is not None:
            assert adjusted.p_value >= answer.p_value or correction == "tukey"
            outside = not adjusted.low <= 0 <= adjusted.high
            significant += outside
            assert not outside or adjusted.p_value <= 0.05
    assert correction == "none" or significant


def test_margins_of_equivalence_are_tested_by_it() -> None:
    rng = np.random.default_rng(1)
    old = (rng.random(200) < 0.5).astype(int)
    new = np.where(rng.random(200) < 0.02, 1 - old, old)
    compared = compare_scores(units(*old.tolist()), units(*new.tolist()), "ok", unit="unit", non_inferiority=0.05)
    within = compared.contrasts[0].equivalence
    assert within is not None
    lost, gained = int((new < old).sum()), int((new > old).sum())
    assert within.p_value == asked(gained, lost, 200, alternative="greater", null=-0.05).p_value


@pytest.mark.parametrize(("lost", "status"), [(0, "PASS"), (3, "UNDECIDED"), (30, "FAIL")])
def test_a_gate_decides_changes_of_0_and_1_by_its_bounds(lost: int, status: str) -> None:
    old = {f"u{i}": {"ok": 1} for i in range(100)}
    new = {f"u{i}": {"ok": 0 if i < lost else 1} for i in range(100)}
    rule = {"rule": "no_regression", "measure": "ok", "margin": 0.05}
    (ruling,) = gate({"scores": {}, "rule": [rule]}, candidate=new, baseline=old).rulings
    assert ruling.status == status, ruling.reason
    assert isinstance(ruling.answer, Estimate)
    assert ruling.answer.method == "mcnemar"
    assert ruling.answer.low == asked(0, lost, 100, alternative="greater", null=-0.05).low
    if status == "UNDECIDED":
        needed = units_for_score(100, 0, lost, -0.05, 0.95, 0.8)
        assert f"about {needed:,} queries like these" in ruling.decides


def test_a_policy_that_names_it_has_exact_bounds_of_values_too() -> None:
    """The values of one system are no differences: 50 hits of 50 say at least 0.05^(1/50)."""
    rule = {"rule": "least_value", "measure": "ok", "at_least": 0.9}
    policy = {"policy": {"significance": "mcnemar"}, "scores": {}, "rule": [rule]}
    (ruling,) = gate(policy, candidate={f"u{i}": {"ok": 1} for i in range(50)}).rulings
    assert isinstance(ruling.answer, Estimate)
    assert ruling.answer.low == pytest.approx(0.05 ** (1 / 50), abs=1e-6)
