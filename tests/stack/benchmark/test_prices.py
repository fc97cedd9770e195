"""Prices besides time and money: tokens of a prompt, calls of a model; unknown where nobody can tell, never 0."""

from __future__ import annotations

import json
import math
from typing import Any

import jsonschema
import pytest
from tests.raising import raises
from tests.stack.stages.model_server import http, serving

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.llm.answer import Usage
from rankproof.kernel.schema_files import bundled
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.benchmark.config import config_of
from rankproof.stack.benchmark.records import Benchmark
from rankproof.stack.benchmark.run import benchmark, measured
from rankproof.stack.benchmark.sections import benchmark_sections
from rankproof.stack.benchmark.summary import benchmark_summary
from rankproof.stack.benchmark.worth import worth
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground, StepOutcome

# Tokens by words and single marks: d1 has 2, d2 has 6 (the comma and the period count), d3 has 1, d4 none at all.
TEXTS = {"d1": "red tent", "d2": "red tent, rope tent.", "d3": "rope", "d4": ""}
CORPUS = Corpus(tuple(TEXTS), {"text": tuple(TEXTS.values())}, "camping")
QUERIES = (Query("q1", "tent"), Query("q2", "rope"))
QRELS = {"q1": {"d1": 1}, "q2": {"d3": 1}}
RUN = {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d3": 2.0, "d4": 1.0}}


def thought(yes: float, tokens: tuple[int, int] | None) -> bytes:
    """An answer with log-probabilities of yes and no, and what the server counted."""
    tops = [{"token": token, "logprob": math.log(p)} for token, p in (("Yes", yes), ("No", 1 - yes))]
    first = {**tops[0], "top_logprobs": tops}
    choice = {"message": {"content": "Yes"}, "finish_reason": "length", "logprobs": {"content": [first]}}
    usage = {} if tokens is None else {"usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]}}
    return http(json.dumps({"choices": [choice], **usage}))


def made(modes: dict[str, str], corpus: Corpus | None = CORPUS, **keys: Any) -> Benchmark:
    document = {"benchmark": {"dataset": "here", "measures": ["RR"], "depth": 5, **keys}, "modes": modes}
    config = config_of(document, "b.toml")
    ground = Ground(corpus, read_run=lambda path: read_run(RUN, name=path))
    runner = Runner(QUERIES, config.depth, ground)
    try:
        return benchmark(config, QUERIES, read_qrels(QRELS), runner, "0" * 64, 4)[0]
    finally:
        runner.close()


def amounts(found: Benchmark) -> dict[str, tuple[float | None, float | None, float | None]]:
    rows = {row.mode: row.amounts for row in found.rows}
    return {m: (a.tokens.mean, a.calls.mean, a.model_tokens.mean) for m, a in rows.items() if a is not None}


def test_tokens_are_those_of_the_first_documents() -> None:
    modes = {"both": "bm25()", "replayed": "replay(path='a.run')"}
    found = made(modes, price=["tokens", "latency"], prompt_depth=1)
    # The first document of each query in the run: d1 (2 tokens) and d3 (1).
    assert amounts(found)["replayed"][0] == 1.5
    two = made(modes, price="tokens", prompt_depth=2)
    # d1 and d2, 2 + 6; d3 and d4, 1 + 0
    assert amounts(two)["replayed"][0] == 4.5
    # Words alone: d1 2, d2 4, d3 1, d4 0
    assert amounts(made(modes, price="tokens", prompt_depth=2, token_pattern=r"\w+"))["replayed"][0] == 3.5


def test_without_a_choice_nothing_is_counted_and_time_is_the_view() -> None:
    found = made({"a": "bm25()", "b": "bm25(k1=0.5)"})
    assert found.config.view.names == ("latency",)
    assert amounts(found) == {}
    assert set(found.unbeaten) == {"time"}
    document = found.to_dict()
    assert document["prices"] is None
    assert [row["prices"] for row in document["modes"]] == [None, None]  # type: ignore[attr-defined]


def test_a_replayed_mode_has_unknown_calls_and_never_none() -> None:
    found = made({"ours": "bm25()", "other": "bm25(b=0.1)", "replayed": "replay(path='a.run') >> cutoff(depth=2)"},
                 price=["calls"])  # fmt: skip
    assert amounts(found)["ours"][1:] == (0.0, 0.0)
    assert amounts(found)["replayed"][1:] == (None, None)
    assert "time" not in found.unbeaten
    assert "replayed" not in found.unbeaten["calls"]
    lines = worth(found)
    assert len(lines) == 2
    assert "ours (0.0 calls)" in lines[0]
    assert lines[1] == "Calls of a model: unknown for replayed: what replay asked a model is not known."
    (section,) = benchmark_summary(found, False, 200)
    assert lines[1] in section.lines


def test_stored_rankings_of_a_stage_have_unknown_calls() -> None:
    config = config_of({"benchmark": {"dataset": "x", "measures": ["RR"], "price": "calls"},
                        "modes": {"a": "bm25()", "b": "bm25() >> cutoff(depth=1)"}}, "b.toml")  # fmt: skip
    runner = Runner(QUERIES, 5, Ground(CORPUS))
    outcomes = {name: runner.run(name, step) for name, step in config.modes.items()}
    steps = outcomes["b"].steps
    stored = StepOutcome(steps[-1].step, steps[-1].rankings, steps[-1].milliseconds)
    object.__setattr__(outcomes["b"], "steps", (steps[0], stored))
    found = measured(config, QUERIES, read_qrels(QRELS), outcomes, "0" * 64, 4, CORPUS)
    assert [a[1] for a in amounts(found).values()] == [0.0, None]


def test_documents_without_texts_make_tokens_unknown() -> None:
    part = Corpus(("d1", "d2", "d3"), {"text": ("red tent", "rope", "rope")}, "part")
    found = made({"a": "bm25()", "replayed": "replay(path='a.run')"}, part, price="tokens")
    assert amounts(found)["a"][0] is not None
    assert amounts(found)["replayed"][0] is None
    assert any("unknown for replayed" in line and "'d4'" in line for line in worth(found))
    assert "tokens" not in found.unbeaten  # one mode alone has a price
    nothing = made({"a": "replay(path='a.run')", "b": "replay(path='a.run') >> cutoff(depth=1)"}, None, price="tokens")
    assert [a[0] for a in amounts(nothing).values()] == [None, None]


def test_calls_and_model_tokens_are_counted_also_from_the_cache() -> None:
    # Three documents hold tent or rope for q1 and q2: bm25 gives d1 and d2 for tent, d2 and d3 for rope.
    with serving(lambda body, before: thought(0.6, (10, 1))) as server:
        rerank = f"plain >> rerank_llm(depth=5, endpoint='{server.url}', model='m')"
        words = f"rewrite(endpoint='{server.url}', model='m') >> bm25()"
        found = made({"plain": "bm25()", "reranked": rerank, "rewritten": words}, price=["calls", "tokens"])
        sent = len(server.asked)
    counted = amounts(found)
    assert counted["plain"][1:] == (0.0, 0.0)
    assert counted["reranked"][1:] == (2.0, 22.0)  # two documents a query, 11 tokens each
    assert counted["rewritten"][1:] == (1.0, 11.0)
    assert sent == 6
    assert counted["plain"][0] == counted["reranked"][0]  # the same documents in another order


def test_model_tokens_that_a_server_does_not_count_are_unknown_and_failed_answers_too() -> None:
    def behave(body: dict[str, Any], before: int) -> bytes:
        return thought(0.6, None) if before else http("no", "400 Bad Request")

    with serving(behave) as server:
        rerank = f"plain >> rerank_llm(depth=5, endpoint='{server.url}', model='m', retries=0, concurrency=1)"
        found = made({"plain": "bm25()", "reranked": rerank}, price="calls")
    assert amounts(found)["reranked"][1:] == (2.0, None)
    assert "model tokens" in benchmark_sections(found, False)[0].table[0]


def test_a_document_made_of_chunks_costs_the_tokens_of_its_best_chunk() -> None:
    chunks = Corpus(("a#1", "a#2", "b#1"), {"text": ("tent tent", "tent with many other words", "tent")}, "chunks")
    found = made(
        {"chunks": "bm25()", "documents": "bm25() >> collapse(pattern='#')"}, chunks, price="tokens", prompt_depth=5
    )
    # All three chunks of q1, 2 + 5 + 1; as documents 2 + 1: the best chunk of a is the first. q2 finds nothing.
    assert amounts(found)["chunks"][0] == 4.0
    assert amounts(found)["documents"][0] == 1.5


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"price": "money"}, ("latency", "tokens", "calls", "'money'")),
        ({"price": ["tokens", "time"]}, ("'time'",)),
        ({"price": []}, ("latency",)),
        ({"prompt_depth": 5}, ("prompt_depth", "price")),
        ({"price": "calls", "token_pattern": "x"}, ("token_pattern", "price")),
        ({"price": "tokens", "prompt_depth": 0}, ("prompt_depth", "1")),
        ({"price": "tokens", "token_pattern": "("}, ("token_pattern",)),
        ({"price": "tokens", "token_pattern": r"\w*"}, ("token_pattern",)),
    ],
)
def test_choices_that_mean_nothing_are_refused(keys: dict[str, Any], says: tuple[str, ...]) -> None:
    with raises(UsageError, "b.toml", *says):
        made({"a": "bm25()", "b": "bm25(k1=0.5)"}, **keys)


@pytest.mark.parametrize("form", ["json", "markdown", "html", "table"])
def test_every_form_shows_the_prices(form: str) -> None:
    found = made(
        {"a": "bm25()", "b": "bm25() >> cutoff(depth=1)", "c": "replay(path='a.run')"},
        price=["latency", "tokens", "calls"],
    )
    text = shelf.find("reports", form).benchmark(found, per_query=False, observed={})
    if form == "json":
        document = json.loads(text)
        jsonschema.validate(document, bundled("benchmark/1"))
        assert document["prices"]["names"] == ["latency", "tokens", "calls"]
        assert set(document["prices"]["unbeaten"]) == {"tokens", "calls"}
        assert document["modes"][2]["prices"]["calls"] is None
        assert "replay" in document["modes"][2]["prices"]["unknown"]["calls"]
    else:
        assert "tokens@10" in text
        assert "unknown for c" in text
    if form == "html":
        assert "RR against tokens for each mode" in text
        assert "RR against calls for each mode" in text


def test_usages_add_up_and_unknown_stays_unknown() -> None:
    assert Usage(1, 5) + Usage(2, 7) == Usage(3, 12)
    assert Usage(1, 5) + Usage(1, None) == Usage(2, None)
