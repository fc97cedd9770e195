"""A benchmark by hand: what each stage bought, what a rerank could have won, what a fusion brought."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stack.pipeline.items import on_shelves

from rankproof.kernel import shelf
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark, leader
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground

# `letters` answers a, b, c, d, e; `turn` makes c, b, a, d, e of it; `letters(step=3)` answers a, d, g, j, m.
QUERIES = [Query(f"q{i}", f"query {i}", {"kind": "even" if i % 2 == 0 else "odd"}) for i in range(1, 7)]
GRADES = {query.query_id: {"c": 1, "g": 1, "a": 0, "b": 0} for query in QUERIES} | {"q6": {"a": 1, "b": 0}}


@pytest.fixture
def found() -> Iterator[Benchmark]:
    with on_shelves():
        config = config_of(
            {
                "benchmark": {"dataset": "here", "measures": ["RR", "R@5"], "segments": ["kind"], "depth": 5},
                "modes": {
                    "plain": "letters()",
                    "turned": "plain >> turn(depth=3)",
                    "wide": "letters(step=3)",
                    "both": "join(plain, wide)",
                },
            },
            "b.toml",
        )
        runner = Runner(QUERIES, config.depth, Ground())
        yield benchmark(config, QUERIES, read_qrels(GRADES), runner, "0" * 64, 26)[0]


def test_every_mode_is_measured_against_the_one_before_and_the_baseline(found: Benchmark) -> None:
    """RR of plain: c is third, so 1/3 in five queries and 1 in q6: 4/9. Turned: 1 and 1/3: 16/18."""
    turned = found.comparison.contrast("RR", "turned")
    assert turned.baseline_mean == pytest.approx((5 / 3 + 1) / 6)
    assert turned.candidate_mean == pytest.approx((5 + 1 / 3) / 6)
    assert [row.before for row in found.rows] == [None, "plain", None, "plain"]
    assert [row.inputs for row in found.rows] == [(), ("plain",), (), ("plain", "wide")]
    assert found.comparison.family.tests == 12  # all pairs of four, two measures: segments do not blunt them
    assert found.by_segment is not None
    assert found.by_segment.family.tests == 36  # on all queries, the odd and the even ones


def test_what_a_rerank_could_have_won(found: Benchmark) -> None:
    """At best the relevant one of the first 3 comes first in every query: RR 1. Won: (16/18 - 8/18) of (1 - 8/18)."""
    ceiling = found.rows[1].ceiling
    assert ceiling is not None
    assert (ceiling.measure, ceiling.depth) == ("RR", 3)
    assert ceiling.best == pytest.approx(1.0)
    assert ceiling.won == pytest.approx((16 / 18 - 8 / 18) / (1 - 8 / 18))
    assert ceiling.recall == pytest.approx((5 * 0.5 + 1) / 6)  # c of c and g; a of a
    assert (ceiling.wins, ceiling.same, ceiling.losses) == (5, 0, 1)  # c comes first in five; a goes down in q6
    assert (ceiling.k, ceiling.entered, ceiling.left) == (10, 0, 0)  # five documents are all in the first ten
    assert found.rows[0].ceiling is None


def test_what_a_mode_hands_on(found: Benchmark) -> None:
    """Plain gives five documents with c of c and g, or a of a; in the best order the relevant one is first."""
    reach = found.rows[0].reach
    assert reach is not None
    assert reach.documents == 5
    assert reach.recall == pytest.approx((5 * 0.5 + 1) / 6)
    assert reach.best == pytest.approx(1.0)


def test_what_a_fusion_brought(found: Benchmark) -> None:
    """Fused a b c d e g j m: g is new to plain in five queries, c to wide; nothing is dropped."""
    rescue = found.rows[3].rescue
    assert rescue is not None
    assert dict(rescue.rescued) == {"plain": 5, "wide": 5}
    assert dict(rescue.lost) == {"plain": 0, "wide": 0}
    assert (rescue.relevant, rescue.dropped, rescue.new) == (11, 0, 0)  # c and g in five queries, a in q6


def test_a_leader_must_be_shown_to_beat_every_other(found: Benchmark) -> None:
    assert leader(found.comparison, "R@5") is None
    assert set(found.best) == {"RR", "R@5"}


@pytest.mark.parametrize("form", ["table", "markdown", "json", "html"])
def test_every_form_tells_of_every_mode(found: Benchmark, form: str) -> None:
    report = shelf.find("reports", form)
    text = report.benchmark(found, per_query=False, observed={})
    for row in found.rows:
        assert row.mode in text
    assert text == report.benchmark(found, per_query=False, observed={})
    if form in ("table", "markdown"):
        assert "What each stage buys in RR" in text
        assert "58.3%" in text
        assert "input, baseline" in text
