"""Mutants of the store that nobody may miss are noticed by its fast tests."""

from __future__ import annotations

import pytest
from tests.judging.store import mutants


def test_a_mutant_is_the_file_with_one_change() -> None:
    every = {file: list(mutants.mutants(file)) for file in mutants.FILES}
    assert all(len(made) > 50 for made in every.values())
    names = [mutant.name for made in every.values() for mutant in made]
    assert len(names) == len(set(names))
    (chosen,) = [one for one in every["database"] if one.name.endswith("if not write.done -> if False")]
    assert "if False:" in mutants.short_source(chosen)


@pytest.mark.full
def test_those_that_nobody_may_miss_are_noticed() -> None:
    """Interrupts that nobody handles, and success for a write that never committed."""
    every = {mutant.name: mutant for mutant in mutants.mutants("database")}
    for name in (
        "database.Turns._wait: except BaseException: only raised again",
        "database.Turns._write_for_all: if not write.done -> if False",
        "database.Turns._write_for_all: finally -> nothing",
        "database.Turns._write: write.error = error -> pass",
    ):
        assert not mutants.survives(every[name], ("test_turns.py",)), name
