"""Calls of tasks, tokens, times and sessions; what belongs to whom."""

from __future__ import annotations

import pytest
from tests.reading.traces.made import BEGIN, MILLISECOND, Told, genai, inference, of, otlp, span, told

A, B, C = "a" * 32, "b" * 32, "c" * 32


def model(name: str, at: int, read: int | None, written: int | None, parent: str = "", trace: str = A, **more: int):
    usage = {"gen_ai__usage__input_tokens": read, "gen_ai__usage__output_tokens": written}
    kept = {key: number for key, number in usage.items() if number is not None}
    return span(name, parent, at=at, trace=trace, gen_ai__operation__name="chat", **kept, **more)


def tokens(heard: Told) -> list[float | None]:
    return [call.tokens for call in heard.calls]


def test_a_session_is_a_task_over_its_traces() -> None:
    spans = [
        genai("a", "q", ["x"], trace=B, at=30, session__id="s"),
        genai("b", "r", ["y"], trace=A, at=0, session__id="s"),
        genai("c", "t", ["z"], trace=C, at=10),
    ]
    heard = of(*spans)
    assert heard.tasks == {"s": [["y"], ["x"]], C: [["z"]]}
    assert [call.number for call in heard.calls if call.task == "s"] == [1, 2]
    assert heard.sessions == [{"session_id": "s", "traces": 2, "searches": 2, "queries": 2}]
    assert of(*spans, unit="trace").tasks == {A: [["y"]], B: [["x"]], C: [["z"]]}
    # The session stays known where the trace is the task.
    assert {call.task: call.session for call in of(*spans, unit="trace").calls} == {A: "s", B: "s", C: None}


def test_the_session_of_any_span_is_that_of_its_trace() -> None:
    """Frameworks put it on the root, or on some spans only; also where the root stands in another file."""
    heard = told(otlp(genai("a", "q", ["x"], "root", at=1)), otlp(span("root", session__id="s", lasts=50)))
    assert heard.tasks == {"s": [["x"]]}
    own = of(span("root", session__id="s"), genai("a", "q", ["x"], "root", at=1, session__id="own"))
    assert list(own.tasks) == ["own"]


def test_calls_have_their_times_queries_and_traces() -> None:
    call, second = of(genai("a", "q", ["x"], at=3, lasts=4), genai("b", None, ["x"], at=9)).calls
    assert (call.start, call.ms, call.trace) == (BEGIN + 3 * MILLISECOND, 4.0, "5b8efff798038103d269b633813fc60c")
    assert call.query is not None
    assert call.query.startswith("text:")
    assert second.query is None


def test_calls_without_a_time_come_last_in_the_order_of_the_file() -> None:
    untimed = [{k: v for k, v in genai(n, n, [n]).items() if "Time" not in k} for n in ("x", "y")]
    assert of(*untimed, genai("a", "a", ["a"], at=50)).tasks == {
        "5b8efff798038103d269b633813fc60c": [["a"], ["x"], ["y"]]
    }


def test_a_search_that_cannot_be_read_is_no_call_and_the_others_are_numbered_without_it() -> None:
    heard = of(genai("a", "q", None, session__id="s"), genai("b", "r", ["y"], at=20, session__id="s"))
    assert [(call.number, call.docs) for call in heard.calls] == [(1, ["y"])]
    assert heard.sessions == [{"session_id": "s", "traces": 1, "searches": 2, "queries": 2}]
    assert [(search.span, search.reason) for search in heard.left_out] == [("61" + "0" * 14, "no documents recorded")]


# ---- tokens --------------------------------------------------------------------------------------


def test_a_call_cost_what_the_models_took_since_the_call_before() -> None:
    spans = [
        model("m1", 0, 40, 5),
        genai("a", "q", ["x"], at=10, trace=A),
        model("m2", 20, 50, None),
        model("m3", 25, 7, 3),
        genai("b", "r", ["y"], at=30, trace=A),
        model("m4", 40, 1000, 1000),  # the answer: no call follows
        genai("c", "t", ["z"], at=0, trace=B),  # a task of which no model is known
    ]
    assert tokens(of(*spans)) == [45, 60, None]


def test_a_call_without_a_model_before_it_cost_nothing_where_models_are_known() -> None:
    spans = [genai("a", "q", ["x"], at=0, trace=A), model("m", 5, 3, 4), genai("b", "r", ["y"], at=10, trace=A)]
    assert tokens(of(*spans)) == [0, 7]


def test_a_model_within_a_model_is_counted_once() -> None:
    """A framework's span around that of the client library."""
    spans = [
        inference("outer", "LLM", None, None, at=0, trace=A, llm__token_count__total=45),
        model("inner", 1, 40, 5, "outer"),
        genai("a", "q", ["x"], at=20, trace=A),
    ]
    assert tokens(of(*spans)) == [45]


@pytest.mark.parametrize(
    ("usage", "cost"),
    [
        ({"llm__token_count__total": 9, "llm__token_count__prompt": 4}, 9),
        ({"llm__token_count__prompt": 4, "llm__token_count__completion": 3}, 7),
        ({"gen_ai__usage__output_tokens": 3}, 3),
        ({}, None),
        ({"llm__token_count__total": -1}, None),
        ({"llm__token_count__total": True}, None),
        ({"llm__token_count__total": "many"}, None),
    ],
)
def test_tokens_that_are_not_known_are_not_zero(usage: dict[str, object], cost: float | None) -> None:
    made = span("m", trace=A, openinference__span__kind="LLM", **usage)
    assert tokens(of(made, genai("a", "q", ["x"], at=20, trace=A))) == [cost]


# ---- times ---------------------------------------------------------------------------------------


def test_percentiles_are_times_that_were_taken() -> None:
    heard = of(*(genai(f"a{n}", f"q{n}", ["x"], at=n, lasts=n) for n in range(1, 21)))
    # Of 20 times the 10th, 18th, 19th and 20th: the nearest rank of 50, 90, 95 and 99 percent.
    assert heard.summary["latency"] == {"requests": 20, "p50_ms": 10, "p90_ms": 18, "p95_ms": 19, "p99_ms": 20}
    assert sorted(heard.times) == [float(n) for n in range(1, 21)]


def test_failed_searches_have_no_time() -> None:
    heard = of(genai("a", "q", None, failed=True), genai("b", "r", ["x"], at=20, lasts=3))
    assert heard.times == [3.0]


def test_a_search_without_documents_that_can_be_read_has_a_time() -> None:
    assert of(genai("a", "q", None, lasts=4)).times == [4.0]


def test_data_sources() -> None:
    spans = [
        genai("a", "q", ["x"], at=0, gen_ai__data_source__id="faq"),
        genai("b", "r", ["y"], at=20, gen_ai__data_source__id="shop"),
    ]
    assert of(*spans).summary["data_sources"] == ["faq", "shop"]
    assert "2 data sources count together" in of(*spans).notes
    only = of(*spans, source="shop")
    assert only.run == {"r": ["y"]}
    assert "1 search in other data sources left out" in only.notes


def test_another_operation_of_a_data_source_is_no_search() -> None:
    assert of(genai("a", "q", ["x"]), span("b", gen_ai__operation__name="embeddings", at=3)).summary["searches"] == 1
