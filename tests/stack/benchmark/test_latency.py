"""Latency is measured and not queued; throughput stands apart; what failed, was replayed or kept has no time."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from tests.cli.json_case import faults
from tests.raising import raises
from tests.stack.benchmark.slow_server import slow_server
from tests.stack.pipeline.items import Turn, on_shelves

from rankproof.cli.shared import benchmarking
from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.llm.answer import Usage
from rankproof.reading.collect import read_qrels
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.benchmark.config import config_of, read_config
from rankproof.stack.benchmark.latency import rounds
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.benchmark.times import Bounds, Timing, bounds_of, latency_of
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground

MILLISECONDS = 50


def written(here: Path, queries: int, modes: Mapping[str, str], limits: str = "", **keys: int) -> Path:
    """A dataset of so many queries, and a configuration of these modes."""
    data = here / "data"
    data.mkdir()
    docs = [{"_id": f"d{i}", "title": "", "text": f"shoe number {i}"} for i in range(1, 5)]
    (data / "corpus.jsonl").write_text("".join(json.dumps(doc) + "\n" for doc in docs))
    (data / "queries.tsv").write_text("".join(f"q{i}\tshoe {i}\n" for i in range(queries)))
    (data / "qrels.trec").write_text("".join(f"q{i} 0 d{1 + i % 3} 1\n" for i in range(queries)))
    lines = [
        "[benchmark]",
        'dataset = "data"',
        'measures = ["RR"]',
        *(f"{key} = {value}" for key, value in keys.items()),
    ]
    lines += ["[limits]", limits, "[modes]", *(f'{name} = "{text}"' for name, text in modes.items())]
    (here / "b.toml").write_text("\n".join(lines) + "\n")
    return here / "b.toml"


def run(path: Path) -> Benchmark:
    config = read_config(str(path))
    result, _ = benchmarking.run_modes(config, benchmarking.dataset_of(config), str(path.parent / "cache"))
    return result


@pytest.mark.alone
@pytest.mark.parametrize("concurrency", [1, 4, 16])
def test_a_server_that_answers_one_at_a_time_in_50_ms_reads_50_ms(tmp_path: Path, concurrency: int) -> None:
    """The fetch sends as many at once as it may, and there each waits behind the others: 200 ms at 4, 800 ms at 16."""
    with slow_server(MILLISECONDS / 1000) as server:
        modes = {"live": server.mode(), "local": "bm25()"}
        found = run(written(tmp_path, 9, modes, f"concurrency = {concurrency}"))
    live, local = (row.latency for row in found.rows)
    assert server.median >= MILLISECONDS
    assert live.p50 == pytest.approx(server.median, rel=0.15)
    assert live.queries == local.queries == 9
    assert local.p50 is not None
    assert local.p50 < MILLISECONDS


@pytest.mark.alone
def test_throughput_is_measured_apart_and_named_so(tmp_path: Path) -> None:
    """One worker of 50 ms answers 20 requests a second; with 4 under way each waits for 3 others."""
    with slow_server(MILLISECONDS / 1000) as server:
        modes = {"live": server.mode(), "local": "bm25()"}
        path = written(tmp_path, 20, modes, throughput_concurrency=4, latency_queries=8, latency_warmup=2)
        found = run(path)
    live, throughput = found.rows[0].latency, found.rows[0].throughput
    assert throughput is not None
    assert (throughput.concurrency, throughput.queries) == (4, 20)
    assert throughput.per_second == pytest.approx(1000 / server.median, rel=0.15)
    assert throughput.p95 is not None
    assert live.p50 is not None
    assert live.p50 == pytest.approx(server.median, rel=0.15)
    assert throughput.p95 > 3 * live.p50
    # After the fetch of 20: 10 requests one at a time, then 4 to make connections and 20 at once.
    assert max(server.under_way[20:30]) == 1
    assert max(server.under_way[30:]) == 4
    assert len(server.under_way) == 20 + 10 + 4 + 20
    for form in ("table", "markdown", "html"):
        text = shelf.find("reports", form).benchmark(found, per_query=False, observed={})
        assert "Latency, one request at a time" in text
        assert "Throughput at 4 requests at once" in text
        assert "p95 ms under load" in text
    document = json.loads(shelf.find("reports", "json").benchmark(found, per_query=False, observed={"seconds": 1.0}))
    assert faults(document, "benchmark/1") == []
    assert document["timing"] == {"latency_queries": 8, "latency_warmup": 2, "throughput_concurrency": 4}
    assert document["observed"]["milliseconds"]["live"]["p50"] == live.p50
    assert document["observed"]["throughput"]["live"]["p95_under_load"] == throughput.p95


def test_the_gate_reads_the_times_of_single_requests(tmp_path: Path) -> None:
    with slow_server(0.0) as server:
        path = written(tmp_path, 6, {"live": server.mode(), "local": "bm25()"}, latency_queries=4)
        config = read_config(str(path))
        dataset = benchmarking.dataset_of(config)
        result, outcomes = benchmarking.run_modes(config, dataset, str(tmp_path / "cache"))
        benchmarking.write_runs(
            str(tmp_path / "out"), config, dataset, outcomes, {}, {r.mode: r.latency.by_query for r in result.rows}
        )
    lines = (tmp_path / "out/latency/live.tsv").read_text().splitlines()
    times = result.rows[0].latency.by_query
    assert lines == [f"{query}\t{milliseconds:.6f}" for query, milliseconds in times.items()]
    assert len(lines) == 4
    manifest = json.loads((tmp_path / "out/fetch.json").read_text())
    assert [mode["requests_at_once"] for mode in manifest["modes"]] == [1, 1]
    fetched = benchmarking.write_runs(str(tmp_path / "fetched"), config, dataset, outcomes, {})
    assert [mode["requests_at_once"] for mode in fetched["modes"]] == [4, 1]
    assert faults(fetched, "fetch/1") == []


def test_a_request_that_fails_is_counted_and_has_no_time(tmp_path: Path) -> None:
    """`shoe 3` is answered when the rankings are fetched, and not when it is timed."""
    with slow_server(0.0, lambda words, count: words == "shoe 3" and count == 2) as server:
        modes = {"live": server.mode(), "local": "bm25()"}
        found = run(written(tmp_path, 6, modes, latency_warmup=0))
    live = found.rows[0].latency
    assert (live.queries, dict(live.failures)) == (5, {"server error": 1})
    assert "q3" not in live.by_query
    assert found.rows[0].failures == {}  # the ranking is there
    text = shelf.find("reports", "table").benchmark(found, per_query=False, observed={})
    assert "live: requests that failed have no time: 1 x server error." in text


def test_a_server_that_is_gone_is_spared(tmp_path: Path) -> None:
    with slow_server(0.0, lambda words, count: len(server.asked) > 6) as server:
        modes = {"live": server.mode(), "local": "bm25()"}
        found = run(written(tmp_path, 6, modes, "dead_after = 2", latency_warmup=0, throughput_concurrency=1))
    live = found.rows[0].latency
    assert dict(live.failures) == {"server error": 2, "not asked": 4}
    assert (live.queries, live.p50) == (0, None)
    assert len(server.asked) == 6 + 2
    throughput = found.rows[0].throughput
    assert throughput is not None
    assert (throughput.per_second, throughput.queries) == (None, 0)
    assert found.rows[1].latency.queries == 6
    text = shelf.find("reports", "table").benchmark(found, per_query=False, observed={})
    assert "No latency of live: no request was answered (server error, not asked)." in text


def test_a_replayed_mode_has_no_latency_and_nothing_built_on_it(tmp_path: Path) -> None:
    path = written(tmp_path, 3, {"old": "replay(path='old.run')", "local": "bm25()", "both": "fuse_rrf(old, local)"})
    (tmp_path / "old.run").write_text("".join(f"q{i} Q0 d1 1 1 old\n" for i in range(3)))
    found = run(path)
    assert [row.latency.queries for row in found.rows] == [0, 3, 0]
    assert "replayed" in found.rows[2].latency.why
    assert found.unbeaten.get("time") is None  # one time alone is compared with nothing
    table = shelf.find("reports", "table").benchmark(found, per_query=False, observed={})
    assert "No latency of old and both: its answers are replayed from a file." in table


def made(modes: Mapping[str, str], queries: int = 6, **keys: int) -> Benchmark:
    """A benchmark of tiny engines and stages in this process."""
    with on_shelves():
        config = config_of({"benchmark": {"dataset": "x", "measures": ["RR"], "depth": 5, **keys}, "modes": modes}, "b")
        asked = [Query(f"q{i}", f"query {i}") for i in range(queries)]
        qrels = read_qrels({query.query_id: {"a": 1} for query in asked})
        return benchmark(config, asked, qrels, Runner(asked, config.depth, Ground()), "0" * 64, 26)[0]


def test_what_a_language_model_was_asked_is_not_asked_again() -> None:
    asked = []

    def apply(self: Turn, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        asked.extend(query.query_id for query in queries)
        return [Passed(ranking, usage=Usage(1, 10)) for (ranking,) in rankings]

    with patch.object(Turn, "apply", apply):
        found = made({"plain": "letters()", "turned": "plain >> turn(depth=2)"}, 20)
    assert asked == [f"q{i}" for i in range(20)]
    assert found.rows[1].latency.queries == 20  # its time is the one of the only time it was asked
    assert found.rows[1].throughput is not None
    assert "cache" in found.rows[1].throughput.why
    assert found.rows[0].throughput is not None
    assert found.rows[0].throughput.queries == 20


def test_an_answer_from_a_cache_has_no_time() -> None:
    def apply(self: Turn, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        return [Passed(ranking, kept=True, usage=Usage(1, 10)) for (ranking,) in rankings]

    with patch.object(Turn, "apply", apply):
        row = made({"plain": "letters()", "turned": "plain >> turn(depth=2)"}).rows[1]
    assert (row.latency.queries, row.latency.kept, row.latency.p50) == (0, 6, None)


@pytest.mark.parametrize(("fails", "calls", "timed"), [(1, 0, 6), (2, 0, 5), (1, 1, 5)])
def test_a_stage_that_fails_as_it_did_before_has_a_time(fails: int, calls: int, timed: int) -> None:
    """q2 fails at its first request or its second; where a model was asked there is no second one."""
    times: dict[str, int] = {}

    def apply(self: Turn, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        (query,), ((ranking,),) = queries, rankings
        times[query.query_id] = times.get(query.query_id, 0) + 1
        failed = query.query_id == "q2" and times["q2"] >= fails
        failures = (Failure("q2", "turn", "odd", "it failed"),) if failed else ()
        return [Passed(ranking, failures, usage=Usage(calls, None))]

    with patch.object(Turn, "apply", apply):
        latency = made({"plain": "letters()", "turned": "plain >> turn(depth=2)"}, latency_warmup=0).rows[1].latency
    assert latency.queries == timed
    assert dict(latency.failures) == ({} if timed == 6 else {"odd": 1})


def test_no_times_are_taken_where_none_are_wanted() -> None:
    found = made({"plain": "letters()", "wide": "letters(step=3)"}, latency_queries=0)
    assert [row.latency.queries for row in found.rows] == [0, 0]
    assert [row.throughput for row in found.rows] == [None, None]
    assert found.config.timing.concurrency == 0


def test_too_few_queries_give_no_throughput() -> None:
    """Of 6 queries 4 would be on their way when the first is asked, and 3 when the last is answered."""
    for row in made({"plain": "letters()", "wide": "letters(step=3)"}, 6).rows:
        assert row.throughput is not None
        assert re.search(r"\b6 queries\b.*\b4 at once\b.*\b20\b", row.throughput.why)
        assert row.throughput.per_second is None


@pytest.mark.parametrize(("queries", "modes"), [(40, 3), (7, 7), (2, 5), (1, 2)])
def test_modes_take_turns_and_no_mode_is_asked_a_query_twice(queries: int, modes: int) -> None:
    timing = Timing(queries=10, warmup=3)
    warm, timed = rounds(queries, timing, modes, np.random.default_rng(5))
    assert (warm, timed) == rounds(queries, timing, modes, np.random.default_rng(5))
    assert len(warm) == 3
    assert len(timed) == min(queries, 10)
    for one in [*warm, *timed]:
        assert sorted(mode for mode, _ in one) == list(range(modes))
    asked = [[at for one in timed for mode, at in one if mode == own] for own in range(modes)]
    assert all(sorted(places) == sorted(asked[0]) for places in asked)
    assert len(set(asked[0])) == len(asked[0])
    if len(timed) >= modes:
        assert all(len({at for _, at in one}) == modes for one in timed)
    if queries >= 2 * 10:
        assert not {at for one in warm for _, at in one} & set(asked[0])


def test_the_order_of_modes_changes_from_round_to_round() -> None:
    _, timed = rounds(30, Timing(queries=30), 3, np.random.default_rng(0))
    assert len({tuple(mode for mode, _ in one) for one in timed}) == 6  # all orders of three


def test_percentiles_are_times_that_were_seen() -> None:
    times = latency_of({"a": 5.0, "b": 1.0, "c": 2.0, "d": math.nan, "e": 100.0})
    assert (times.queries, times.p50, times.p95, times.most, times.kept) == (4, 2.0, 100.0, 100.0, 1)
    assert "d" not in times.by_query
    assert latency_of({"a": math.nan}, why="kept").p50 is None
    hundred = latency_of({str(i): float(i) for i in range(100, 0, -1)})  # of 1 ... 100 ms by nearest rank
    assert (hundred.p50, hundred.p95, hundred.p99, hundred.most) == (50.0, 95.0, 99.0, 100.0)


def test_intervals_are_those_of_order_statistics() -> None:
    """The greatest of n is over the 95th percentile but for 0.95^n: 0.0262 for 71 and 0.0249 for 72."""
    assert bounds_of(np.arange(1.0, 72.0), 0.95, 0.95).high is None
    assert bounds_of(np.arange(1.0, 73.0), 0.95, 0.95).high == 72.0
    # P(B <= 39) = 0.0176 and P(B <= 60) = 0.9824 for B ~ Binomial(100, 0.5)
    assert bounds_of(np.arange(1.0, 101.0), 0.5, 0.95) == Bounds(40.0, 61.0)
    assert bounds_of(np.array([3.0]), 0.5, 0.95) == Bounds(None, None)


@pytest.mark.parametrize(
    ("keys", "limits", "values"),
    [
        ({"latency_queries": -1}, {}, ["latency_queries", "-1"]),
        ({"latency_warmup": 1.5}, {}, ["latency_warmup", "1.5"]),
        ({"throughput_concurrency": "4"}, {}, ["throughput_concurrency", "'4'"]),
        ({"latency_queries": 0, "throughput_concurrency": 4}, {}, ["latency_queries = 0", "throughput_concurrency"]),
        ({"throughput_concurrency": 8}, {}, ["throughput_concurrency = 8", "concurrency = 4", "[limits]"]),
        ({"throughput_concurrency": 2}, {"concurrency": 1}, ["throughput_concurrency = 2", "concurrency = 1"]),
    ],
)
def test_what_cannot_be_timed_is_refused(keys: dict[str, Any], limits: dict[str, Any], values: list[str]) -> None:
    live = "http(url='http://127.0.0.1:9/', hits='hits')"
    document = {"benchmark": {"dataset": "x", **keys}, "limits": limits, "modes": {"a": live, "b": "bm25()"}}
    with raises(UsageError, "b.toml", *values):
        config_of(document, "b.toml")


def test_times_are_taken_within_the_limits_by_default() -> None:
    modes = {"a": "bm25()", "b": "bm25(k1=2)"}
    plain = config_of({"benchmark": {"dataset": "x"}, "modes": modes}, "b.toml").timing
    assert (plain.queries, plain.warmup, plain.concurrency) == (100, 5, 4)
    gentle = {"benchmark": {"dataset": "x"}, "limits": {"concurrency": 1}, "modes": modes}
    assert config_of(gentle, "b.toml").timing.concurrency == 0


def test_progress_is_reported_to_the_last_request() -> None:
    """Two modes: 3 requests to warm up and 20 that count for each, then 20 of each under load."""
    told: dict[str, list[tuple[int, int]]] = {}

    def report(what: str, done: int, total: int) -> None:
        told.setdefault(what, []).append((done, total))

    with on_shelves():
        document = {"benchmark": {"dataset": "x", "measures": ["RR"], "latency_warmup": 3},
                    "modes": {"plain": "letters()", "wide": "letters(step=3)"}}  # fmt: skip
        config = config_of(document, "b.toml")
        asked = [Query(f"q{i}", f"query {i}") for i in range(20)]
        runner = Runner(asked, 5, Ground(progress=report))
        benchmark(config, asked, read_qrels({"q1": {"a": 1}}), runner, "0" * 64, 26)
    assert told["latency: request"] == [(i, 46) for i in range(1, 47)]
    assert told["throughput of wide: request"] == [(i, 20) for i in range(1, 21)]
