"""Money for tokens, by mode; and a run that stops at its ceiling: counted, undecided, and going on from there."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from tests import forking
from tests.raising import raises
from tests.stack.benchmark.test_prices import CORPUS, QRELS, QUERIES, RUN
from tests.stack.stages.llm_cases import CORPUS as COLORS
from tests.stack.stages.llm_cases import INCOMING, QUERY, MemoryCache, kinds, opened
from tests.stack.stages.model_server import http, question, serving

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.llm.spending import CallLimits, Spending, TokenPrices
from rankproof.kernel.schema_files import bundled
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.collection import Query
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.benchmark.sections import benchmark_sections
from rankproof.stack.benchmark.worth import worth
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground

Behave = Callable[[dict[str, Any], int], bytes]
PRICES = {"input": 2.0, "output": 10.0}


def labelled(tokens: tuple[int, int] | None, text: str = "B") -> bytes:
    """An answer of one label, and what the server counted."""
    usage = {} if tokens is None else {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}}
    return http(json.dumps({"choices": [{"message": {"content": text}, "finish_reason": "stop"}], **usage}))


def made(modes: dict[str, str], cost: dict[str, Any], ground: Ground | None = None, **keys: Any) -> Benchmark:
    document = {"benchmark": {"dataset": "here", "measures": ["RR"], "depth": 5, **keys}, "modes": modes, "cost": cost}
    config = config_of(document, "b.toml")
    spending = None if config.ceiling is None else Spending(config.ceiling)
    cache = MemoryCache() if ground is None else ground.cache
    runner = Runner(
        QUERIES, config.depth, Ground(CORPUS, cache, read_run=lambda path: read_run(RUN, name=path), spending=spending)
    )
    try:
        return benchmark(config, QUERIES, read_qrels(QRELS), runner, "0" * 64, 4)[0]
    finally:
        runner.close()


def pairs_of(url: str, model: str = "m", **more: Any) -> str:
    said = "".join(f", {name}={value!r}" for name, value in more.items())
    return f"plain >> rerank_llm(depth=2, method='pairwise', endpoint='{url}', model='{model}'{said})"


def test_tokens_cost_what_their_model_costs_kept_ones_too() -> None:
    ground = Ground(cache=MemoryCache())
    with serving(labelled((100, 4))) as server:
        modes = {"plain": "replay(path='a.run')", "pairs": pairs_of(server.url), "free": pairs_of(server.url, "f")}
        cost = {"currency": "EUR", "steps": {"replay": 0.5},
                "tokens": {"m": PRICES, "f": {"input": 0, "output": 0}}}  # fmt: skip
        first = made(modes, cost, ground)
        asked = len(server.asked)
        again = made(modes, cost, ground)
        assert len(server.asked) == asked == 8  # two queries, two models, both orders
    # 1,000 queries: 2,000 answers of 100 tokens at 2.0 and 4 at 10.0 a million: 0.4 + 0.08; and replay's 0.5
    for found in (first, again):
        assert {row.mode: row.cost for row in found.rows} == {
            "plain": 0.5, "pairs": pytest.approx(0.98), "free": 0.5,
        }  # fmt: skip
    assert first.to_dict() == again.to_dict()
    document = first.to_dict()
    document["observed"] = {}
    fine = " ".join(str(line) for section in benchmark_sections(first, True) for line in section.lines)
    assert "also where its answer was kept since" in fine


@pytest.mark.parametrize("tokens", ["never", "once not"])
def test_money_is_unknown_and_never_zero_where_a_server_does_not_count(tokens: str) -> None:
    def behave(body: dict[str, Any], before: int) -> bytes:
        return labelled(None if tokens == "never" or before == 2 else (100, 4))

    with serving(behave) as server:
        modes = {"plain": "replay(path='a.run')", "pairs": pairs_of(server.url)}
        found = made(modes, {"tokens": {"m": PRICES}})
    costs = {row.mode: row.cost for row in found.rows}
    assert costs == {"plain": 0.0, "pairs": None}
    counted = "2 queries" if tokens == "never" else "1 query"
    why = f"for {counted} m gave an answer without a count of tokens, or none"
    assert f"Cost of 1,000 queries: unknown for pairs: {why}." in worth(found)
    rows: Any = found.to_dict()["modes"]
    assert [(row["cost"], row["cost_unknown"]) for row in rows] == [(0.0, None), (None, why)]
    (head, *lines) = benchmark_sections(found, False)[0].table
    at = [str(cell) for cell in head].index("cost per 1,000")
    assert [line[at] for line in lines] == ["0.00", "unknown"]
    assert "cost" not in found.unbeaten


def test_a_price_of_its_own_stands_for_the_mode() -> None:
    with serving(labelled(None)) as server:
        modes = {"plain": "replay(path='a.run')", "pairs": pairs_of(server.url)}
        found = made(modes, {"modes": {"pairs": 7}, "tokens": {"m": PRICES}})
    assert [row.cost for row in found.rows] == [0.0, 7.0]


@pytest.mark.parametrize(
    ("cost", "error", "says"),
    [
        ({"tokens": {"n": PRICES}}, UnknownName, ("'n'", "Known: m")),
        ({"tokens": {"m": {"input": 1}}}, UsageError, ("[cost.tokens]", "m: output")),
        ({"tokens": {"m": {"input": -1, "output": 1}}}, UsageError, ("[cost.tokens]", "m: input", "-1")),
        ({"tokens": {"m": 3}}, UsageError, ("[cost.tokens]", "m", "3")),
        ({"tokens": 3}, UsageError, ("[cost.tokens]", "3")),
        ({"max_cost": 1}, UsageError, ("[cost.tokens]", "m", "0.15")),
        ({"max_calls": 0}, UsageError, ("[cost]", "max_calls", "0")),
        ({"max_cost": float("nan")}, UsageError, ("[cost]", "max_cost", "nan")),
        ({"max_calls": True}, UsageError, ("[cost]", "max_calls")),
        ({"currency": "EUR"}, UsageError, ("[cost]", "[cost.tokens]")),
    ],
)
def test_prices_that_mean_nothing_are_refused(cost: dict[str, Any], error: type[Exception], says: Any) -> None:
    modes = {"plain": "bm25()", "pairs": pairs_of("http://127.0.0.1:9/v1")}
    with raises(error, "b.toml", *says):
        config_of({"benchmark": {"dataset": "x"}, "modes": modes, "cost": cost}, "b.toml")


def test_a_ceiling_alone_is_no_price() -> None:
    config = config_of(
        {"benchmark": {"dataset": "x"}, "modes": {"a": "bm25()", "b": "bm25(b=0)"}, "cost": {"max_calls": 3}}, "b.toml"
    )
    assert config.prices is None
    assert config.ceiling == CallLimits(calls=3, prices={})


def test_a_run_stops_at_its_ceiling_of_calls_and_the_next_goes_on() -> None:
    ground = Ground(cache=MemoryCache())
    with serving(labelled((100, 4))) as server:
        modes = {"plain": "replay(path='a.run')", "pairs": pairs_of(server.url, concurrency=1)}
        first = made(modes, {"max_calls": 3}, ground)
        assert len(server.asked) == 3  # both orders of the first query, and one of the second
        assert first.undecided
        assert first.failed is not None
        assert first.failed.by_mode == {"pairs": ("q2",)}
        (row,) = (row for row in first.rows if row.mode == "pairs")
        assert row.failures == {"rerank_llm: not asked": 1}
        assert "max_calls = 3 is reached" in row.examples["rerank_llm: not asked"]
        assert first.advice is not None
        assert first.advice.ship is None
        second = made(modes, {"max_calls": 3}, ground)
        assert len(server.asked) == 4
    assert not second.undecided
    assert second.rows[1].failures == {}


def test_a_ceiling_of_cost_is_never_passed_however_many_are_under_way() -> None:
    """Each answer takes all that it may, and the server says so late: what is under way is reserved."""
    served: list[float] = []

    def dear(body: dict[str, Any], before: int) -> bytes:
        tokens = (len(json.dumps(body)), int(body["max_tokens"]))
        served.append(2.0 * tokens[0] / 1e6 + 10.0 * tokens[1] / 1e6)
        return labelled(tokens)

    with serving(dear) as server:
        modes = {"plain": "replay(path='a.run')", "pairs": pairs_of(server.url, concurrency=8)}
        found = made(modes, {"max_cost": 0.0025, "currency": "USD", "tokens": {"m": PRICES}})
    assert 0 < sum(served) <= 0.0025
    assert len(server.asked) == len(served) < 4
    (row,) = (row for row in found.rows if row.mode == "pairs")
    example = row.examples["rerank_llm: not asked"]
    assert re.search(r"max_cost = 0\.0025 USD leaves no room for one more: \d requests? cost 0\.00", example)
    assert found.undecided


def test_what_a_server_counts_makes_room_for_more() -> None:
    with serving(labelled((10, 1))) as server:
        modes = {"plain": "replay(path='a.run')", "pairs": pairs_of(server.url)}
        found = made(modes, {"max_cost": 0.0025, "tokens": {"m": PRICES}})
        assert len(server.asked) == 4
    assert found.failed is None


@pytest.mark.parametrize(("reply", "sent"), [("500 Internal Server Error", 4), ("200 OK", 1)])
def test_requests_that_nobody_is_billed_for_cost_nothing_and_uncounted_ones_the_most(reply: str, sent: int) -> None:
    """A request here costs 0.0008 at most; a broken answer may have been billed, a refused request was not."""
    spending = Spending(CallLimits(cost=0.0012, prices={"m": TokenPrices(2.0, 10.0)}))
    with serving(http("no", reply)) as server:
        stage = opened("rerank_llm", Ground(COLORS, spending=spending), endpoint=server.url, retries=0, depth=2,
                       method="pairwise", concurrency=1)  # fmt: skip
        passed = stage.apply([QUERY, Query("q2", "what else?")], [[INCOMING]] * 2)
        assert len(server.asked) == sent
    assert (spending.cost > 0) == (sent == 1)
    assert spending.calls == sent
    found = kinds(passed[0]) + kinds(passed[1])
    assert found == ({"server error": 4} if sent == 4 else {"unreadable answer": 1, "not asked": 2})


def test_all_stages_share_one_ceiling_and_retries_count() -> None:
    def busy(body: dict[str, Any], before: int) -> bytes:
        return http("", "429 Too Many Requests", "Retry-After: 0\r\n") if before == 0 else labelled((10, 1), "tent")

    ground = Ground(COLORS, spending=Spending(CallLimits(calls=4)))
    with serving(busy) as server:
        words = opened("rewrite", ground, endpoint=server.url)
        rewritten = words.rewrite([QUERY, Query("q2", "what else?")])
        assert len(server.asked) == 3  # one was refused and asked again
        stage = opened("rerank_llm", ground, endpoint=server.url, method="listwise", window=4, step=2)
        (passed,) = stage.apply([QUERY], [[INCOMING]])
        assert len(server.asked) == 4
    assert [query.failures for query in rewritten] == [(), ()]
    assert kinds(passed) == {"unreadable answer": 1, "not asked": 3}


def test_the_command_is_undecided_at_its_ceiling_and_its_json_holds(tmp_path: Path) -> None:
    grades = np.random.default_rng(1)

    def behave(body: dict[str, Any], before: int) -> bytes:
        assert "Passage A" in question(body)
        return labelled((200, 2), str(grades.choice(["A", "B"])))

    with serving(behave) as server:
        text = f"""
[benchmark]
dataset = "sample:shop"
measures = ["nDCG@10"]
price = ["tokens", "calls"]
[modes]
lexical = "bm25()"
sets = "lexical >> rerank_llm(depth=3, method='setwise', endpoint='{server.url}', model='m')"
[cost]
max_calls = 40
[cost.tokens]
m = {{input = 0.15, output = 0.6}}
"""
        (tmp_path / "b.toml").write_text(text)
        argv = ["benchmark", "run", str(tmp_path / "b.toml"), "-o", str(tmp_path / "report"), "--json"]
        told = subprocess.run(
            [*forking.command(), *argv], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )
        assert told.returncode == 3, told.stderr
        assert len(server.asked) == 40
    document = json.loads(told.stdout)
    jsonschema.validate(document, bundled("benchmark/1"))
    assert document["failed"]["status"] == "UNDECIDED"
    assert document["modes"][1]["cost"] > 0
    assert "at most 2 for one query and 163 for 84 queries" in document["modes"][1]["notes"]["rerank_llm"]["calls"]
    assert "answers A " in document["modes"][1]["notes"]["rerank_llm"]["position"]


def test_a_kill_in_the_middle_loses_no_answer_that_came(tmp_path: Path) -> None:
    """Killed while the 31st question is under way: 30 answers are there, and only the others are asked."""
    started: list[subprocess.Popen[str]] = []

    def behave(body: dict[str, Any], before: int) -> bytes:
        if before == 30:
            started[0].kill()
        return labelled((200, 2), "B")

    with serving(behave) as server:
        (tmp_path / "b.toml").write_text(f"""
[benchmark]
dataset = "sample:shop"
measures = ["nDCG@10"]
latency_queries = 0
[modes]
lexical = "bm25()"
pairs = "lexical >> rerank_llm(depth=2, method='pairwise', endpoint='{server.url}', model='m', concurrency=1)"
""")
        command = [sys.executable, "-m", "rankproof", "benchmark", "run", "b.toml", "-o", "report", "--json"]
        with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, text=True) as process:
            started.append(process)
        assert process.returncode == -signal.SIGKILL
        assert len(server.asked) == 31
        told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120)
        assert told.returncode == 0, told.stderr
        bodies = [json.dumps(body) for body in server.asked]
    note = json.loads(told.stdout)["modes"][1]["notes"]["rerank_llm"]["calls"]
    asked = int(note.rpartition("; ")[2].split()[0])
    assert len(bodies) == asked + 1
    assert len(set(bodies)) == asked  # the one that was under way was asked again, and no other


def test_a_request_that_might_pass_the_ceiling_waits_for_those_under_way() -> None:
    """There is room for one at the most that it can cost, and for all at what they take."""
    spending = Spending(CallLimits(cost=0.0014, prices={"m": TokenPrices(2.0, 10.0)}))
    with serving(labelled((10, 1), "A")) as server:
        stage = opened("rerank_llm", Ground(COLORS, spending=spending), endpoint=server.url, depth=4,
                       method="pairwise", sort="allpair", concurrency=8)  # fmt: skip
        (passed,) = stage.apply([QUERY], [[INCOMING]])
        assert len(server.asked) == 12
    assert passed.failures == ()
    assert spending.cost == pytest.approx(12 * (10 * 2.0 + 10.0) / 1e6)


@pytest.mark.parametrize("sort", ["allpair", "heapsort", "sliding"])
def test_a_query_that_was_not_asked_to_its_end_keeps_its_whole_order(sort: str) -> None:
    def always_the_later(body: dict[str, Any], before: int) -> bytes:
        places = [question(body).index(f"about {doc}.") for doc in COLORS.doc_ids if f"about {doc}." in question(body)]
        return labelled((10, 1), "B" if places == sorted(places) else "A")

    ground = Ground(COLORS, spending=Spending(CallLimits(calls=9)))
    with serving(always_the_later) as server:
        stage = opened("rerank_llm", ground, endpoint=server.url, depth=6, method="pairwise", sort=sort)
        (passed,) = stage.apply([QUERY], [[INCOMING]])
        assert len(server.asked) == 9
    assert passed.ranking is INCOMING
    assert kinds(passed) == {"not asked": 1}
