"""What to ship: only steps that are shown to be better are taken, and every stage is told as it is."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.stack.pipeline.items import on_shelves

from rankproof.errors import UsageError
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import config_of, lacking, without
from rankproof.stack.benchmark.records import Advice, BenchmarkConfig
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.benchmark.sections import verdict
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground, Step

# `letters` answers a, b, c, d, e. In 18 queries c is relevant and in 2 it is a.
QUERIES = [Query(f"q{i:02}", f"query {i}") for i in range(20)]
GRADES = {query.query_id: {"c" if i >= 2 else "a": 1} for i, query in enumerate(QUERIES)}
# `half` gives b, a, c: RR is lower by 1/2 in the two queries with a, and that may be chance.
# `turned` gives c, b, a: RR is higher by 2/3 in 18 queries and lower by 2/3 in two. `back` undoes it.
MODES = {
    "plain": "letters()",
    "half": "plain >> turn(depth=2)",
    "turned": "plain >> turn(depth=3)",
    "back": "turned >> turn(depth=3, also='fails')",
}


def config(*modes: str) -> BenchmarkConfig:
    return config_of(
        {
            "benchmark": {"dataset": "here", "measures": ["RR"], "depth": 5},
            "modes": {name: MODES[name] for name in modes},
        },
        "b.toml",
    )


def advice(*modes: str) -> Advice:
    with on_shelves():
        read = config(*modes)
        found, _ = benchmark(read, QUERIES, read_qrels(GRADES), Runner(QUERIES, 5, Ground()), "0" * 64, 26)
    assert found.advice is not None
    return found.advice


def test_one_goes_from_the_baseline_by_steps_that_are_shown() -> None:
    found = advice("plain", "half", "turned", "back")
    assert (found.measure, found.ship, found.path) == ("RR", "turned", ("plain", "turned"))
    assert [[(other.other, other.shown) for other in mode.against] for mode in found.modes] == [
        [],
        [("plain", "not shown")],
        [("plain", "better")],
        [("turned", "worse")],
    ]
    half, turned, back = (mode.against[0] for mode in found.modes[1:])
    assert half.difference == pytest.approx(-2 * 0.5 / 20)
    # plain: 18/3 and 2 of 20; turned: 18 and 2/3 of 20.
    assert turned.difference == pytest.approx((18 + 2 / 3) / 20 - (6 + 2) / 20)
    assert back.difference == pytest.approx(-turned.difference)
    assert (back.low, back.high) == pytest.approx((-turned.high, -turned.low))


def test_the_baseline_stays_where_nothing_is_shown() -> None:
    found = advice("plain", "half")
    assert (found.ship, found.path) == ("plain", ("plain",))
    assert "Ship plain: no mode is significantly better." in verdict(found).lines


def test_the_verdict_says_what_was_found_and_nothing_else() -> None:
    said = verdict(advice("plain", "half", "turned", "back"))
    assert said.title == "Verdict by RR"
    first, half, turned, back = said.lines
    assert first == "Ship turned. It is significantly better than plain. No mode is significantly better than it."
    assert half.startswith("half: Not significantly different from plain: -0.0500, p = ")
    assert turned.startswith("turned: Significantly better than plain: +0.5333, p ")
    assert back.startswith("back: Significantly worse than turned: -0.5333, p ")
    assert "20 answers failed" in back
    assert " ms a query instead of " in back


def test_a_mode_that_cannot_be_opened_says_why_and_the_rest_has_a_baseline() -> None:
    class Lacking(Runner):
        def open(self, pipelines: Sequence[Step]) -> None:
            if any(step.values.get("depth") == 3 for pipeline in pipelines for step in pipeline.steps()):
                raise UsageError("turn is not installed")

    with on_shelves():
        read = config("plain", "half", "turned", "back")
        left_out = lacking(read, Lacking(QUERIES, 5, Ground()))
        assert left_out == {"turned": "turn is not installed", "back": "turn is not installed"}
        rest = without(read, left_out)
        assert (list(rest.modes), rest.baseline, rest.before) == (["plain", "half"], "plain", {"half": "plain"})
        assert without(read, {"plain"}).baseline == "half"
        assert without(read, {"plain"}).before == {"back": "turned"}
