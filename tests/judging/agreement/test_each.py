"""Each judge by themselves, by hand."""

from __future__ import annotations

import pytest

from rankproof.judging.agreement import on_gold, with_others
from rankproof.judging.records import GoldAnswer, Judgment
from rankproof.kernel.estimate import NotEstimable
from rankproof.proving.agreement import ratings_of
from rankproof.proving.agreement_records import AgreementFigure


def test_with_others() -> None:
    found = with_others(
        ratings_of(
            {
                "ann": {"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2}},
                "bob": {"q1": {"d1": 1, "d2": 1}, "q2": {"d1": 2}},
                "cyd": {"q1": {"d1": 0}},
                "eve": {"q3": {"d1": 0}},
            }
        )
    )
    # ann: bob agrees on 2 of 3, cyd on 0 of 1. cyd: neither ann nor bob agrees.
    assert found["ann"].value == pytest.approx(2 / 4)
    assert found["bob"].value == pytest.approx(2 / 4)
    assert found["cyd"].value == 0
    eve = found["eve"]
    assert isinstance(eve, NotEstimable)
    assert (eve.value, eve.reason) == (None, "nobody else graded the same pairs")


def test_on_gold() -> None:
    gold = [GoldAnswer("q1", f"d{i}", i % 2) for i in range(10)]
    acts = [Judgment(f"a{i}", "ann", "q1", f"d{i}", 1) for i in range(10)]
    acts += [Judgment("b0", "bob", "q1", "d0", 0), Judgment("b1", "bob", "q1", "d1", None, "cannot_tell")]
    acts += [Judgment("c0", "cyd", "q9", "d0", 0)]
    found = on_gold(acts, gold)
    assert list(found) == ["ann", "bob"]
    ann, bob = found["ann"], found["bob"]
    assert isinstance(ann, AgreementFigure)
    assert isinstance(bob, AgreementFigure)
    # Clopper and Pearson for 5 of 10, as their tables have it; for 1 of 1 the lower end is 0.025.
    assert (ann.value, ann.pairs) == (0.5, 10)
    assert (ann.low, ann.high) == (pytest.approx(0.1871, abs=1e-4), pytest.approx(0.8129, abs=1e-4))
    assert (bob.value, bob.low, bob.high, bob.pairs) == (1.0, pytest.approx(0.025), 1.0, 1)
