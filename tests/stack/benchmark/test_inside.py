"""Inside modes: what reranks and fusions moved, by hand; own steps of pipelines that no other mode names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.pipeline.items import Letters, Turn, on_shelves

from rankproof.errors import InputError, UsageError
from rankproof.measuring.prepare import prepare_qrels
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.failed import failed_queries, without_stand_ins
from rankproof.stack.benchmark.run import benchmark, ceiling_of, refuse_silence, rescue_of, unbeaten
from rankproof.stack.pipeline import Runner, read_pipeline
from rankproof.stack.records import Ground, ModeOutcome

# `letters` answers a, b, c, d, e; `turn` makes c, b, a, d, e of it; `letters(step=3)` answers a, d, g, j, m.
QUERIES = [Query(f"q{i}", f"query {i}") for i in range(1, 7)]
GRADES = {query.query_id: {"c": 1, "g": 1, "a": 0, "b": 0} for query in QUERIES} | {"q6": {"a": 1, "b": 0}}
QRELS = read_qrels(GRADES)


@pytest.fixture(autouse=True)
def items() -> Iterator[None]:
    with on_shelves():
        yield


def ran(pipeline: str) -> ModeOutcome:
    return Runner(QUERIES, 5, Ground()).run("mode", read_pipeline(pipeline))


def test_a_rerank_moves_relevant_documents_into_the_head_and_out_of_it() -> None:
    """The first one: c for a. c is relevant in five queries and comes in, a is relevant in q6 and goes out."""
    found = ceiling_of(ran("letters() >> turn(depth=3)"), prepare_qrels(QRELS), QRELS, "RR", 1)
    assert found is not None
    assert (found.entered, found.left) == (5, 1)


def test_a_fusion_brings_and_drops() -> None:
    """The first five: a b c d e of the fusion, a d g j m of wide: c is brought and g dropped, in five queries."""
    found = rescue_of(ran("join(letters(), letters(step=3))"), QRELS, 5)
    assert found is not None
    assert dict(found.rescued) == {"letters()": 0, "letters(step=3)": 5}
    assert dict(found.lost) == {"letters()": 0, "letters(step=3)": 5}
    assert (found.relevant, found.dropped, found.new) == (6, 5, 0)


def test_a_rerank_and_a_fusion_are_found_below_a_cutoff() -> None:
    deep = ran("join(letters(), letters(step=3)) >> turn(depth=3) >> cutoff(depth=4)")
    ceiling = ceiling_of(deep, prepare_qrels(QRELS), QRELS, "RR", 10)
    assert ceiling is not None
    assert ceiling.depth == 3
    assert rescue_of(deep, QRELS, 10) is not None
    named = [read_pipeline("join(letters(), letters(step=3)) >> turn(depth=3)").key]
    assert ceiling_of(deep, prepare_qrels(QRELS), QRELS, "RR", 10, named) is None  # that is the other mode's
    assert rescue_of(deep, QRELS, 10, others=named) is None


@pytest.mark.parametrize(
    ("prices", "left"),
    [
        ({"a": 1.0, "b": 2.0, "c": 3.0}, ("a", "b")),  # c is dearer than b and worse
        ({"a": 1.0, "b": 1.0, "c": 0.5}, ("c", "b")),  # a costs as much as b and is worse
        ({"a": 0.0, "c": 0.0}, ("c",)),
        ({"b": 1.0, "d": 1.0}, ("b", "d")),  # equal in both: neither is beaten
    ],
)
def test_what_no_other_mode_beats(prices: dict[str, float], left: tuple[str, ...]) -> None:
    assert unbeaten({"a": 0.5, "b": 0.6, "c": 0.55, "d": 0.6}, prices) == left


def test_prices_add_up_over_steps_and_a_mode_may_have_its_own() -> None:
    found = config_of(
        {
            "benchmark": {"dataset": "x"},
            "modes": {
                "plain": "letters()",
                "both": "join(plain, letters(step=2), weight=2) >> turn()",
                "twice": "join(plain, plain)",
                "own": "plain >> turn()",
            },
            "cost": {"currency": "EUR", "steps": {"letters": 0.25, "turn": 1.5}, "modes": {"own": 9}},
        },
        "b.toml",
    )
    assert found.prices is not None
    costs = {name: found.prices.of(ModeOutcome(name, step, (), (), 5)).mean for name, step in found.modes.items()}
    assert costs == {"plain": 0.25, "both": 2.0, "twice": 0.25, "own": 9.0}  # a step that flows twice runs once


def test_notes_of_steps_are_told_and_stages_are_prepared_before_the_clock_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    came = []
    monkeypatch.setattr(Letters, "notes", {"recall@5": "0.9"}, raising=False)
    monkeypatch.setattr(Turn, "prepare", lambda self, queries, rankings: came.append(rankings), raising=False)
    config = config_of(
        {"benchmark": {"dataset": "x", "measures": ["RR"]}, "modes": {"a": "letters()", "b": "a >> turn()"}}, "b.toml"
    )
    found, _ = benchmark(config, QUERIES, QRELS, Runner(QUERIES, 5, Ground()), "0" * 64, 26)
    assert found.rows[1].notes == {"letters": {"recall@5": "0.9"}}
    assert [[ranking.doc_ids for ranking in query] for query in came[0]] == [[tuple("abcde")]] * 6


def test_one_mode_alone_is_no_benchmark() -> None:
    config = config_of({"benchmark": {"dataset": "x"}, "modes": {"a": "letters()"}}, "b.toml")
    with raises(UsageError, "'a'", "[modes]", "rankproof evaluate"):
        benchmark(config, QUERIES, QRELS, Runner(QUERIES, 5, Ground()), "0" * 64, 26)


def test_queries_without_an_answer_are_warned_of_and_silence_is_refused() -> None:
    def with_failures(count: int) -> ModeOutcome:
        failed = tuple(Failure(q.query_id, "http", "timeout", "answer", "no answer") for q in QUERIES[:count])
        whole = ran("letters()")
        return replace(whole, steps=(replace(whole.steps[0], failures=failed),))

    assert failed_queries(with_failures(0)) == ()
    assert failed_queries(with_failures(2)) == ("q1", "q2")
    assert [len(r) for r in without_stand_ins(with_failures(2)).rankings] == [0, 0, 5, 5, 5, 5]
    refuse_silence(with_failures(5))
    with raises(InputError, "mode", "q1", "timeout", "answer"):
        refuse_silence(with_failures(6))


def test_a_rewrite_is_a_step_with_a_time_of_its_own() -> None:
    found = ran("join(shout(how='very') >> letters(), shout(how='very') >> letters(step=2))")
    assert [outcome.step.name for outcome in found.steps] == ["shout", "letters", "letters", "join"]
    assert np.isfinite(found.steps[0].milliseconds).all()
    assert found.milliseconds == pytest.approx(sum(outcome.milliseconds for outcome in found.steps))
    named = found.by_step("identity")
    assert list(named) == [
        "shout", "shout(how='very') >> letters()", "shout(how='very') >> letters(step=2)", "join",
    ]  # fmt: skip
