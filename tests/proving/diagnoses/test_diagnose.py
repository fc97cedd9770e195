"""Diagnose: all rules on one run, warnings first, on the queries that have something to find."""

from __future__ import annotations

from rankproof.measuring.evaluate import prepare
from rankproof.measuring.records import Settings
from rankproof.proving.diagnoses.contract import diagnose


def test_warnings_come_first_and_carry_the_name() -> None:
    """q: its only relevant document is not found; RR 0, nothing found. r has nothing relevant and is not looked at."""
    run = prepare({"q": {"d1": 1, "d2": 0}, "r": {"d1": 0}}).prepare({"q": {"d2": 1.0}, "r": {"d9": 1.0}}, name="mine")
    found = diagnose(run)
    assert [(d.code, d.severity) for d in found] == [("nothing_found", "warning"), ("low_rr", "note")]
    assert {d.run for d in found} == {"mine"}
    assert {d.run for d in diagnose(run, "other")} == {"other"}
    assert found[0].message == (
        "1 of 1 queries have no relevant document in the first 100 (q). "
        "(Over the 1 of 2 queries that have a relevant document.)"
    )


def test_nothing_to_find_is_nothing_to_say() -> None:
    run = prepare({"q": {"d1": 0}}).prepare({"q": {"d1": 1.0}})
    assert diagnose(run) == ()


def test_the_level_and_the_depth_count() -> None:
    """The document of grade 2 is second: with level 2, the first relevant one is at rank 2 in one query of two."""
    judged = prepare({"q": {"d1": 1, "d2": 2}, "r": {"d1": 2}})
    run = judged.prepare({"q": {"d1": 2.0, "d2": 1.0}, "r": {"d9": 3.0, "d8": 2.0, "d1": 1.0}})
    (low,) = [d for d in diagnose(run, settings=Settings(level=2)) if d.code == "low_rr"]
    assert (
        low.message == "RR@10 is 0.417: the first relevant document is at rank 1 in 0 of 2 queries."
    )  # (1/2 + 1/3) / 2
    cut = {d.code for d in diagnose(run, settings=Settings(depth=1))}
    assert "nothing_found" in cut
    assert "nothing_found" not in {d.code for d in diagnose(run)}
