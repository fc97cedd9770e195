"""Tie risk: how far tied documents could move a difference. Two or three documents a query, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.measuring.evaluate import measure_run, prepare
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS, Settings
from rankproof.proving.movement_records import TieRisk
from rankproof.proving.per_unit import from_evaluations
from rankproof.proving.records import Adjusted, Comparison, Contrast, Family
from rankproof.proving.significance import t
from rankproof.proving.significance.contract import SignificanceRequest
from rankproof.proving.tie_risk import tie_risks


def risks(
    runs: list[PreparedRun],
    measures: str,
    settings: Settings = DEFAULT_SETTINGS,
    correction: str = "none",
    times: float | None = None,
) -> dict[str, TieRisk]:
    """`times`: how many times as large the correction makes a p-value."""
    evaluations = [measure_run(run, parse(measures), settings) for run in runs]
    contrasts = []
    for text in evaluations[0].results:
        values = from_evaluations(evaluations, text)
        by_query = values.differences(0, 1)
        answer = t.infer(by_query, SignificanceRequest(), np.random.default_rng(0))
        contrasts.append(
            Contrast(
                text,
                "old",
                "new",
                "",
                values.better,
                values.unit_ids,
                values.mean(0),
                values.mean(1),
                by_query,
                answer,
                None,
                0,
                0,
                0,
                adjusted=None if times is None else Adjusted(min(1.0, times * answer.p_value), -1.0, 1.0, "made up"),
                scale=values.scale,
            )
        )
    comparison = Comparison(
        ("old", "new"), tuple(evaluations[0].results), tuple(contrasts), tuple(evaluations),
        Family(2, 1, len(contrasts), 1, len(contrasts)), "t", correction, 0.95, 0, contrasts[0].query_ids,
    )  # fmt: skip
    return {risk.measure: risk for risk in tie_risks(runs, comparison)}


JUDGED = {query: {"a": 1, "b": 0} for query in ("q1", "q2", "q3")}


def test_a_tie_of_both_sides_by_hand() -> None:
    """q1 is tied in the new run: RR 0.5 by the rule (b before a), 1 otherwise. q2 is tied in the old run.
    q1: old 1, new 0.5 to 1: -0.5 to 0. q2: old 0.5 to 1, new 1: 0 to 0.5. q3: 0. Means -1/6 to 1/6, now 0.
    """
    judged = prepare(JUDGED)
    untied = {"a": 2.0, "b": 1.0}
    old = judged.prepare({"q1": untied, "q2": {"a": 1.0, "b": 1.0}, "q3": untied})
    new = judged.prepare({"q1": {"a": 1.0, "b": 1.0}, "q2": untied, "q3": untied})
    found = risks([old, new], "RR P@2")
    assert list(found) == ["RR"]  # both documents are in the first two, in any order
    risk = found["RR"]
    assert (risk.least, risk.greatest) == (pytest.approx(-1 / 6), pytest.approx(1 / 6))
    assert risk.observed == pytest.approx(0)
    assert (risk.exact, risk.changes, risk.baseline) == (True, True, "old")
    assert risk.note == (
        "RR, new against old: documents with equal scores could be in another order; the difference of 0.0000 could "
        "then be anything from -0.1667 to +0.1667. That can change the verdict: now it is no difference and not "
        "significant; at the least it would be lower and at the greatest it would be higher (t at the two ends)."
    )


def test_a_range_that_changes_nothing() -> None:
    """20 queries are lost outright (1 to 1/3), one more is tied between 1/2 and 1: at both ends clearly lower."""
    queries = [f"q{i:02}" for i in range(21)]
    judged = prepare({query: {"a": 1, "b": 0, "c": 0} for query in queries})
    first, last = {"a": 3.0, "b": 2.0, "c": 1.0}, {"a": 1.0, "b": 2.0, "c": 3.0}
    old = judged.prepare(dict.fromkeys(queries, first))
    new = judged.prepare({**dict.fromkeys(queries[1:], last), "q00": {"a": 2.0, "b": 2.0, "c": 1.0}})
    (risk,) = risks([old, new], "RR", correction="holm").values()
    assert (risk.least, risk.greatest) == (
        pytest.approx((20 * -2 / 3 - 0.5) / 21),
        pytest.approx(20 * -2 / 3 / 21),
    )
    assert not risk.changes
    assert risk.note.endswith("At both ends the verdict is the same (t at the two ends).")


def test_shown_or_not_can_hang_on_ties() -> None:
    """Ten queries where old finds nothing in the first two and new has RR 1/2 by the rule in each, tied with rank 1.
    In two queries new loses 1. Now: (10 x 0.5 - 2) / 12 = 0.25, p = 0.17; at the greatest: 8/12, p = 0.013.
    """
    queries = [f"q{i:02}" for i in range(12)]
    judged = prepare({query: {"a": 1} for query in queries})
    nothing, found, tied = {"x": 1.0}, {"a": 1.0}, {"a": 1.0, "b": 1.0}
    old = judged.prepare({**dict.fromkeys(queries[:10], nothing), **dict.fromkeys(queries[10:], found)})
    new = judged.prepare({**dict.fromkeys(queries[:10], tied), **dict.fromkeys(queries[10:], nothing)})
    (risk,) = risks([old, new], "RR").values()
    assert risk.observed == pytest.approx(0.25)
    assert risk.changes
    assert risk.note.endswith(
        "now it is higher and not significant; at the greatest it would be significant (t at the two ends)."
    )


def test_ties_are_judged_with_the_correction_of_the_contrast() -> None:
    """The same among five tests: at the greatest p = 0.013 shows it alone, and five times that does not."""
    queries = [f"q{i:02}" for i in range(12)]
    judged = prepare({query: {"a": 1} for query in queries})
    nothing, found, tied = {"x": 1.0}, {"a": 1.0}, {"a": 1.0, "b": 1.0}
    old = judged.prepare({**dict.fromkeys(queries[:10], nothing), **dict.fromkeys(queries[10:], found)})
    new = judged.prepare({**dict.fromkeys(queries[:10], tied), **dict.fromkeys(queries[10:], nothing)})
    assert risks([old, new], "RR", correction="holm", times=2)["RR"].changes
    corrected = risks([old, new], "RR", correction="holm", times=5)["RR"]
    assert not corrected.changes
    assert corrected.note.endswith("(t at the two ends, corrected as the observed one is).")


def test_no_ties_no_risks() -> None:
    judged = prepare(JUDGED)
    run = judged.prepare({query: {"a": 2.0, "b": 1.0} for query in JUDGED})
    assert risks([run, run], "RR nDCG@10") == {}


def test_values_over_all_orders_hold_no_risk() -> None:
    judged = prepare(JUDGED)
    run = judged.prepare({query: {"a": 1.0, "b": 1.0} for query in JUDGED})
    other = judged.prepare({query: {"a": 1.0, "b": 1.0, "c": 1.0} for query in JUDGED})
    assert risks([run, other], "RR", Settings(ties="expected")) == {}
    assert risks([run, other], "RR") != {}


def test_the_same_ranking_with_the_same_ties_holds_no_risk() -> None:
    """Whatever orders tied documents orders them alike in both; the sides were taken for independent."""
    judged = prepare(JUDGED)
    run = judged.prepare({query: {"a": 1.0, "b": 1.0} for query in JUDGED})
    assert risks([run, run], "RR") == {}
    # The same documents in the same order by the rule for ties, but without a tie: another run.
    rule = judged.prepare({query: {"b": 2.0, "a": 1.0} for query in JUDGED})
    assert risks([run, rule], "RR") != {}


def test_a_depth_that_cuts_a_tie() -> None:
    """RR@1 looks no deeper than the depth; RR is cut in the tie, and tied documents are ordered before the cut."""
    judged = prepare(JUDGED)
    run = judged.prepare({query: {"a": 1.0, "b": 1.0} for query in JUDGED})
    other = judged.prepare({query: {"a": 1.0, "b": 1.0, "c": 1.0} for query in JUDGED})
    found = risks([run, other], "RR@1 RR AvgPos", Settings(depth=1))
    assert (found["RR@1"].least, found["RR@1"].greatest) == (-1.0, 1.0)
    assert (found["RR"].least, found["RR"].greatest, found["RR"].exact) == (-1.0, 1.0, True)
    assert not found["AvgPos"].exact  # a relevant document that is cut off makes it smaller
    assert "was not looked at, since the depth of 1 cuts through" in found["AvgPos"].note


def test_geometric_means_are_compared_in_logarithms() -> None:
    """GMAP: AP 1 against 1/2 to 1 in each of three queries: log 1/2 to 0."""
    judged = prepare(JUDGED)
    old = judged.prepare({query: {"a": 2.0, "b": 1.0} for query in JUDGED})
    new = judged.prepare({query: {"a": 1.0, "b": 1.0} for query in JUDGED})
    (risk,) = risks([old, new], "GMAP").values()
    assert (risk.least, risk.greatest) == (pytest.approx(np.log(0.5)), pytest.approx(0.0))
