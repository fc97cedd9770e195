"""A declared rerank as a rule of a gate: on files, with every way in which it can be broken."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankproof.errors import UsageError
from rankproof.kernel.verdict import Ruling
from rankproof.proving.gate import gate

DOCS = ["a", "b", "c", "d", "e"]


def run(*docs: str) -> dict[str, float]:
    return {doc: 10.0 - at for at, doc in enumerate(docs)}


def rule(candidate: dict[str, dict[str, float]], tmp_path: Path, qrels: Any = None, **values: Any) -> Ruling:
    path = tmp_path / "first.run"
    path.write_text("".join(f"{q} Q0 {doc} 0 {9 - at} f\n" for q in ("q1", "q2") for at, doc in enumerate(DOCS)))
    entry = {"rule": "rerank_held", "rerank_of": str(path), "depth": 3, **values}
    (ruling,) = gate({"rule": [entry]}, candidate=candidate, qrels=qrels).rulings
    return ruling


def test_a_permutation_of_the_first_documents_holds(tmp_path: Path) -> None:
    held = {"q1": run("c", "b", "a", "d", "e"), "q2": run(*DOCS)}
    assert rule(held, tmp_path).status == "PASS"
    assert rule(held, tmp_path, depth=50).status == "PASS"  # lists that are shorter than the depth


@pytest.mark.parametrize(
    ("docs", "query"),
    [
        (("d", "a", "b", "c", "e"), "document d (rank 4 -> 1): it came up across rank 3"),
        (("a", "b", "c", "e", "d"), "document e (rank 5 -> 4): below rank 3 nothing may move"),
        (("b", "a", "d", "e"), "document d (rank 4 -> 3)"),
        (("b", "a", "c"), "document d (rank 4 -> none)"),
        (("b", "x", "a", "d", "e"), "document x (rank none -> 2)"),
    ],
)
def test_what_breaks_it_is_named(docs: tuple[str, ...], query: str, tmp_path: Path) -> None:
    ruling = rule({"q1": run(*DOCS), "q2": run(*docs)}, tmp_path)
    assert (ruling.status, ruling.observed, ruling.queries) == ("FAIL", 1.0, ("q2",))
    assert ruling.reason.startswith("BROKEN in 1 of 2 queries: query q2, ")
    assert query in ruling.reason


def test_merged_scales_are_named(tmp_path: Path) -> None:
    merged = {q: {"a": -1.0, "b": 8.5, "c": -4.0, "d": 6.0, "e": 5.0} for q in ("q1", "q2")}
    assert "Two scales of scores were merged" in rule(merged, tmp_path).reason


def test_what_cannot_be_checked_is_undecided(tmp_path: Path) -> None:
    held = {"q1": run(*DOCS), "q2": run(*DOCS)}
    alone = gate({"rule": [{"rule": "rerank_held", "depth": 3}]}, candidate=held)
    assert (alone.status, alone.exit_status) == ("UNDECIDED", 3)
    more = rule({**held, "q3": run("a")}, tmp_path)
    assert (more.status, "q3" in more.reason) == ("UNDECIDED", True)
    assert rule({"q3": run("a")}, tmp_path, qrels={"q3": {"a": 1}}).status == "UNDECIDED"


def test_only_judged_queries_count(tmp_path: Path) -> None:
    """The candidate answers the judged query alone; without judgments it lacks one of the first stage's."""
    held = {"q1": run("b", "a", "c", "d", "e")}
    assert rule(held, tmp_path, qrels={"q1": {"a": 1}}).status == "PASS"
    lost = rule(held, tmp_path)
    assert (lost.status, lost.queries) == ("FAIL", ("q2",))


def test_values_without_rankings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        gate({"scores": {}, "rule": [{"rule": "rerank_held", "depth": 3}]}, candidate={"q1": {"s": 1.0}})
