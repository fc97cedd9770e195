"""Pipelines run: shared steps once, failures told, broken promises an error."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.pipeline.items import ASKED, on_shelves

from rankproof.errors import InputError
from rankproof.reading.collection import Query
from rankproof.stack.pipeline import Runner, read_pipeline
from rankproof.stack.records import Ground

QUERIES = (Query("q1", "one"), Query("q2", "two"))


@pytest.fixture(autouse=True)
def items() -> Iterator[None]:
    with on_shelves():
        yield


def runner(depth: int = 5) -> Runner:
    return Runner(QUERIES, depth, Ground())


def test_a_pipeline_answers_every_query_in_order() -> None:
    found = runner().run("mode", read_pipeline("letters() >> turn(depth=2)"))
    assert found.query_ids == ("q1", "q2")
    assert [ranking.doc_ids for ranking in found.rankings] == [("b", "a", "c", "d", "e")] * 2
    assert found.as_run()["q1"] == {"b": 5.0, "a": 4.0, "c": 3.0, "d": 2.0, "e": 1.0}
    assert np.isfinite(found.milliseconds).all()
    assert found.steps[0].identity == {"alphabet": "latin"}


def test_what_pipelines_share_runs_once() -> None:
    shared = runner()
    shared.run("plain", read_pipeline("letters()"))
    shared.run("turned", read_pipeline("letters() >> turn()"))
    shared.run("joined", read_pipeline("join(letters(), letters() >> turn())"))
    assert ASKED == ["one", "one", "two"]  # the first once more, before the clock runs
    shared.run("other", read_pipeline("letters(step=2)"))
    assert len(ASKED) == 6


def test_a_rewrite_changes_what_the_engine_is_asked_and_not_what_stages_see() -> None:
    runner().run("loud", read_pipeline("shout(how='very') >> letters() >> turn()"))
    assert ASKED == ["ONE", "ONE", "TWO"]


def test_failures_are_told() -> None:
    found = runner().run("mode", read_pipeline("letters() >> turn(also='fails')"))
    assert [(failure.query_id, failure.kind) for failure in found.failures] == [("q1", "odd"), ("q2", "odd")]


@pytest.mark.parametrize(
    ("also", "values"),
    [
        ("loses", ["'e'", "lost"]),
        ("moves", ["3", "'d'", "moved"]),
    ],
)
def test_a_broken_promise_is_an_error(also: str, values: list[str]) -> None:
    with raises(InputError, "turn", "'q1'", *values):
        runner().run("mode", read_pipeline(f"letters() >> turn(also={also!r})"))
