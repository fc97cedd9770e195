"""Targets: read in one place, met by the plain value in the measure's own direction."""

from __future__ import annotations

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import UnknownName, UsageError
from rankproof.measuring.report import meets, parse_targets


def test_targets_are_read_by_canonical_text() -> None:
    assert parse_targets(["nDCG@10=0.35", "mrr@10=.55 P(rel=2)@5=1e-1"]) == {
        "nDCG@10": 0.35,
        "RR@10": 0.55,
        "P(rel=2)@5": 0.1,
    }
    assert parse_targets([]) == {}


@pytest.mark.parametrize("text", ["nDCG@10", "=0.3", "nDCG@10=", "nDCG@10=high", "nDCG@10=nan", "nDCG@10=inf"])
def test_what_is_no_target_is_refused(text: str) -> None:
    with raises(UsageError, repr(text), "nDCG@10=0.35"):
        parse_targets([text])


def test_a_wrong_measure_and_two_targets_are_refused() -> None:
    with raises(UnknownName) as unknown:
        parse_targets(["nDGC@10=0.3"])
    assert (unknown.value.name, unknown.value.near) == ("nDGC", ["nDCG"])
    with raises(UsageError, "RR@10", "0.5", "0.6"):
        parse_targets(["RR@10=0.5", "mrr@10=0.6"])


def test_a_value_meets_its_target_in_its_own_direction() -> None:
    # RR 1/2; the first relevant document is at rank 2, where lower is better; the number retrieved has no better.
    found = rankproof.evaluate({"q": {"a": 1}}, {"q": {"b": 2.0, "a": 1.0}}, "RR MinPos NumRet")
    assert meets(found["RR"], 0.5)
    assert not meets(found["RR"], 0.500001)
    assert found["MinPos"].better == "lower"
    assert meets(found["MinPos"], 2)
    assert not meets(found["MinPos"], 1.9)
    with raises(UsageError, "NumRet", "target"):
        meets(found["NumRet"], 2)
