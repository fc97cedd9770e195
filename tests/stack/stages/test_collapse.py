"""The stage `collapse`: documents of chunks, how many chunks engines are asked for, and whose text a rerank reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.pipeline import Runner, read_pipeline
from rankproof.stack.records import Ground
from rankproof.testing.rankings import parameters_of, passed

# Two documents: long has eleven chunks about tents, short has one about ropes.
CHUNKS = {f"long#{i}": f"tents tents tents number {i}" for i in range(11)} | {"short#0": "tents and ropes"}
CORPUS = Corpus(tuple(CHUNKS), {"text": tuple(CHUNKS.values())}, "camping")
QUERIES = (Query("q1", "tents"), Query("q2", "ropes"))


def opened(ground: Ground | None = None, **options: Any) -> Any:
    item = shelf.find("stages", "collapse")
    return item.open(parameters_of(item, **options), ground or Ground())


def ran(pipeline: str, depth: int, ground: Ground | None = None) -> Any:
    return Runner(QUERIES, depth, ground or Ground(CORPUS)).run("mode", read_pipeline(pipeline))


def test_sums_and_means_are_of_the_first_chunks_of_a_document() -> None:
    chunks = {"a#1": 5.0, "b#1": 4.0, "b#2": 3.0, "b#3": 2.0, "b#4": 1.0, "a#2": 0.5}
    assert passed("collapse", chunks, pattern="#") == {"a": 5.0, "b": 4.0}
    # b: 4 + 3 + 2, the fourth does not count; a: 5 + 0.5
    assert passed("collapse", chunks, pattern="#", score="sum") == {"b": 9.0, "a": 5.5}
    assert passed("collapse", chunks, pattern="#", score="sum", of=1) == {"a": 5.0, "b": 4.0}
    assert passed("collapse", chunks, pattern="#", score="mean") == {"b": 3.0, "a": 2.75}
    below = {"a#1": -1.0, "b#1": -2.0, "a#2": -3.0}
    assert list(passed("collapse", below, pattern="#", score="sum")) == ["b", "a"]
    assert list(passed("collapse", below, pattern="#", score="mean")) == ["b", "a"]  # a tie of -2, by id descending


def test_with_max_documents_keep_the_order_of_their_best_chunks_also_in_ties() -> None:
    ranking = Ranking(("b#1", "a#1", "b#2"), np.array([1.0, 1.0, 1.0]))
    (one,) = opened(pattern="#").apply(QUERIES[:1], [[ranking]])
    assert one.ranking.doc_ids == ("b", "a")


def test_engines_are_asked_for_as_many_chunks_as_the_stage_says() -> None:
    # Of the first three chunks for tents all are of the long document: the short one is beyond the depth.
    shallow = ran("bm25() >> collapse(pattern='#')", depth=3)
    assert [len(ranking) for ranking in shallow.steps[0].rankings] == [3, 1]
    assert set(shallow.rankings[0].doc_ids) == {"long"}
    deep = ran("bm25() >> collapse(pattern='#', chunks=12)", depth=3)
    assert [len(ranking) for ranking in deep.steps[0].rankings] == [12, 1]
    assert set(deep.rankings[0].doc_ids) == {"long", "short"}
    assert deep.steps[1].notes == {
        "documents": "1.5 of 6.5 chunks a query, 1 at least; 100.0% of the queries have fewer than 10"
    }


def test_a_pipeline_with_a_collapse_reads_back_and_leaves_other_modes_alone() -> None:
    text = "fuse_rrf(bm25(), bm25(k1=0.5) >> collapse(pattern='#', chunks=12)) >> cutoff(depth=2)"
    step = read_pipeline(text)
    assert read_pipeline(step.text) == step
    named = {"chunks": read_pipeline("bm25()")}
    docs = read_pipeline("chunks >> collapse(pattern='#', chunks=12)", named)
    assert [each.depth for each in docs.steps()] == [12, None]
    assert named["chunks"].depth is None
    assert docs.inputs[0].key != named["chunks"].key
    same = read_pipeline("chunks >> collapse(pattern='#')", named)
    assert same.inputs[0].key == named["chunks"].key
    runner = Runner(QUERIES, 3, Ground(CORPUS))
    runner.run("docs", docs)
    assert [len(ranking) for ranking in runner.run("chunks", named["chunks"]).rankings] == [3, 1]
    inner = read_pipeline("bm25() >> collapse(pattern='#', chunks=12) >> collapse(pattern='g', chunks=50)")
    assert next(inner.steps()).depth == 12  # the stage nearer to the engine has said it


def test_a_rerank_after_it_reads_the_text_of_the_best_chunk() -> None:
    ranking = Ranking(("long#3", "short#0", "long#1"), np.array([3.0, 2.0, 1.0]))
    (one,) = opened(Ground(CORPUS), pattern="#").apply(QUERIES[:1], [[ranking]])
    assert one.ranking.text_ids == {"long": "long#3", "short": "short#0"}
    mode = ran("bm25() >> collapse(pattern='#', chunks=12) >> cutoff(depth=2) >> rerank_maxsim(depth=2)", depth=5)
    assert mode.failures == ()
    assert dict(mode.rankings[1].text_ids) == {"short": "short#0"}
    # Without a corpus of chunks a document's text is its own.
    documents = Corpus(("long", "short"), {"text": ("tents", "ropes")})
    (one,) = opened(Ground(documents), pattern="#").apply(QUERIES[:1], [[ranking]])
    assert one.ranking.text_ids == {}


def test_a_mapping_is_known_by_what_it_holds(tmp_path: Path) -> None:
    (tmp_path / "m.csv").write_text("chunk_id,doc_id\n" + "".join(f"{c},{c.partition('#')[0]}\n" for c in CHUNKS))
    (tmp_path / "other.csv").write_text("chunk_id,doc_id\n" + "".join(f"{chunk},one\n" for chunk in CHUNKS))
    ground = Ground(CORPUS, folder=str(tmp_path))
    mapped = ran("bm25() >> collapse(mapping='m.csv', chunks=12)", 5, ground)
    split = ran("bm25() >> collapse(pattern='#', chunks=12)", 5)
    assert [r.doc_ids for r in mapped.rankings] == [r.doc_ids for r in split.rankings]
    identities = [opened(ground, mapping=name).identity["mapping"] for name in ("m.csv", "other.csv", "m.csv")]
    assert identities[0] == identities[2] != identities[1]
    assert ran("bm25() >> collapse(mapping='other.csv')", 5, ground).rankings[0].doc_ids == ("one",)


def test_holes_are_refused_before_anything_runs_or_counted(tmp_path: Path) -> None:
    (tmp_path / "holes.csv").write_text("chunk_id,doc_id\nlong#0,long\nshort#0,short\n")
    ground = Ground(CORPUS, folder=str(tmp_path))
    with raises(InputError, "camping", "10 of 12", "'long#1'", "holes.csv"):
        opened(ground, mapping="holes.csv")
    # A live engine's chunks are known when they come: before the first query goes on.
    stage = opened(Ground(folder=str(tmp_path)), mapping="holes.csv")
    ranking = Ranking.in_order(["long#0", "unknown"])
    with raises(InputError, "'unknown'"):
        stage.prepare(QUERIES[:1], [[ranking]])
    with raises(InputError, "'unknown'", "'q1'"):
        stage.apply(QUERIES[:1], [[ranking]])
    dropped = ran("bm25() >> collapse(mapping='holes.csv', unmapped='drop')", 20, ground)
    assert set(dropped.rankings[0].doc_ids) == {"long", "short"}
    assert dropped.steps[1].notes["chunks without a document"] == "10, left out"
    kept = ran("bm25() >> collapse(mapping='holes.csv', unmapped='keep')", 20, ground)
    assert len(kept.rankings[0]) == 12
    assert kept.steps[1].notes["chunks without a document"] == "10, kept under their own ids"


def test_a_pattern_that_fits_nothing_that_flows_in_is_refused() -> None:
    with raises(InputError, "no id has a document", "'@'"):
        ran("bm25() >> collapse(pattern='@')", 5)


@pytest.mark.parametrize("options", [{}, {"pattern": "#", "mapping": "m.csv"}])
def test_it_takes_a_pattern_or_a_mapping(options: dict[str, str]) -> None:
    with raises(UsageError, "pattern", "mapping", "both" if options else "neither"):
        opened(**options)


def test_a_benchmark_measures_documents_and_no_ceiling_reaches_behind_the_chunks() -> None:
    config = config_of(
        {
            "benchmark": {"dataset": "here", "measures": ["RR"], "depth": 5},
            "modes": {
                "best": "bm25() >> rerank_maxsim(depth=4) >> collapse(pattern='#', chunks=12)",
                "whole": "bm25() >> collapse(pattern='#', chunks=12) >> rerank_maxsim(depth=2)",
            },
        },
        "b.toml",
    )
    qrels = read_qrels({"q1": {"long": 1}, "q2": {"short": 1}})
    made, _ = benchmark(config, QUERIES, qrels, Runner(QUERIES, 5, Ground(CORPUS)), "0" * 64, 12)
    assert made.rows[0].ceiling is None  # the rerank of chunks: nobody judged what it was given
    ceiling = made.rows[1].ceiling
    assert ceiling is not None
    assert ceiling.recall == 1.0
    assert {e.run_name: e["RR"].mean for e in made.comparison.evaluations}["best"] == 1.0
    assert "1.5 of 6.5 chunks a query" in made.rows[1].notes["collapse"]["documents"]
