"""What a refusal says where there is no file to name, and what an allowed fault leaves to measure."""

from __future__ import annotations

from pathlib import Path

from tests.raising import raises

import rankproof


def test_a_refusal_of_something_in_memory_names_no_command_that_could_not_run() -> None:
    with raises(
        rankproof.Refused,
        "<dict>",
        "row 3",
        "'a'",
        "'q1'",
        "row 1",
        "--allow duplicate_document",
        "['duplicate_document']",
    ) as refused:
        rankproof.evaluate({"q1": {"a": 1}}, {"q1": ["a", "b", "a"]}, "RR")
    assert "validate" not in str(refused.value)


def test_an_empty_run_that_is_allowed_is_an_empty_ranking_everywhere(tmp_path: Path) -> None:
    empty = tmp_path / "empty.run"
    empty.touch()
    evaluation = rankproof.evaluate({"q1": {"a": 1}}, empty, "RR", allow=["empty"])
    assert evaluation["RR"].by_query == {"q1": 0.0}
    assert evaluation.population.missing == ("q1",)
