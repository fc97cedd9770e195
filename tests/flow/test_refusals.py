"""What a refusal says where there is no file to name, and what an allowed fault leaves to measure."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankproof


def test_a_refusal_of_something_in_memory_names_no_command_that_could_not_run() -> None:
    with pytest.raises(rankproof.Refused) as refused:
        rankproof.evaluate({"q1": {"a": 1}}, {"q1": ["a", "b", "a"]}, "RR")
    told = str(refused.value)
    assert told.startswith("<dict>, row 3: document 'a' is already ranked for query 'q1' in row 1.")
    assert "validate" not in told
    assert told.endswith("--allow duplicate_document (in Python: allow=['duplicate_document']).")


def test_an_empty_run_that_is_allowed_is_an_empty_ranking_everywhere(tmp_path: Path) -> None:
    empty = tmp_path / "empty.run"
    empty.touch()
    evaluation = rankproof.evaluate({"q1": {"a": 1}}, empty, "RR", allow=["empty"])
    assert evaluation["RR"].by_query == {"q1": 0.0}
    assert evaluation.population.missing == ("q1",)
