"""A hostile model server loses no document, and everything it does is counted."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from tests.stack.stages.llm_cases import (
    COLORS,
    CORPUS,
    INCOMING,
    QUERY,
    MemoryCache,
    check_promises,
    kinds,
    opened,
    rerank,
)
from tests.stack.stages.model_server import Reply, drip, hang, http, reset, says, serving, thinks, timeout_for

from rankproof.stack.records import Ground

WHOLE = says("[2] > [1] > [3] > [4]")

# What the server does, the failures that are counted, and the order of red, orange, yellow, green that comes out.
LISTS: dict[str, tuple[Reply, dict[str, int], str]] = {
    "words": (says("I like all of them."), {"unreadable answer": 1}, "royg"),
    "empty text": (says("  "), {"empty answer": 1}, "royg"),
    "no text at all": (http('{"choices": [{"message": {"content": null}}]}'), {"empty answer": 1}, "royg"),
    "missing": (says("[3] > [1]"), {"missing ids": 1}, "yrog"),
    "repeated": (says("[2] > [2] > [1] > [3] > [2] > [4]"), {"repeated ids": 1}, "oryg"),
    "unknown": (says("[9] > [4] > [0] > [3] > [2] > [1]"), {"unknown ids": 1}, "gyor"),
    "all at once": (says("[4] [4] [77]"), {"missing ids": 1, "repeated ids": 1, "unknown ids": 1}, "groy"),
    "cut off": (says("[3] > [", finish="length"), {"cut off": 1}, "yrog"),
    "cut off before a number": (says("Let me think", finish="length"), {"cut off": 1}, "royg"),
    "a number of a thousand digits": (says("[" + "9" * 1000 + "]"), {"unreadable answer": 1}, "royg"),
    "garbage": (http(b"\x00\xff\xfe<html>"), {"unreadable answer": 1}, "royg"),
    "half JSON": (http('{"choices": [{"message": {"content": "[2] > [1'), {"unreadable answer": 1}, "royg"),
    "another JSON": (http('[1, {"choices": 3}]'), {"unreadable answer": 1}, "royg"),
    "no choices": (http('{"choices": []}'), {"unreadable answer": 1}, "royg"),
    "a list for a text": (http('{"choices": [{"message": {"content": ["[2]"]}}]}'), {"unreadable answer": 1}, "royg"),
    "deep JSON": (http("[" * 100_000), {"unreadable answer": 1}, "royg"),
    "no body": (http(""), {"unreadable answer": 1}, "royg"),
    "no HTTP": (b"HELO\r\n\r\n", {"no connection": 1}, "royg"),
    "429": (http("slow down", "429 Too Many Requests"), {"too many requests": 1}, "royg"),
    "500": (http("oops", "500 Internal Server Error"), {"server error": 1}, "royg"),
    "400": (http("context too long", "400 Bad Request"), {"refused": 1}, "royg"),
    "reset": (reset, {"no connection": 1}, "royg"),
    "half a body": (WHOLE[:-9], {"no connection": 1}, "royg"),
    "hang": (hang, {"timeout": 1}, "royg"),
    "slow stream": (drip(WHOLE, 0.02), {"timeout": 1}, "royg"),
}  # fmt: skip


@pytest.mark.parametrize("name", LISTS)
def test_lists(name: str) -> None:
    reply, failures, order = LISTS[name]
    began = time.monotonic()
    with serving(lambda body, before: reply) as server:
        passed = rerank(server.url, method="listwise", depth=4, retries=0, timeout=timeout_for(reply))
        assert len(server.asked) == 1
    assert time.monotonic() - began < 15  # before the one that hangs gives up by itself
    assert kinds(passed) == failures
    assert "".join(doc[0] for doc in passed.ranking.doc_ids[:4]) == order
    assert {(failure.query_id, failure.stage, failure.fallback) for failure in passed.failures} == {
        ("q1", "rerank_llm", "incoming order")
    }
    check_promises(passed, 4)


def first_token(logprobs: Any) -> bytes:
    return http(json.dumps({"choices": [{"message": {"content": "Yes"}, "logprobs": logprobs}]}))


GRADES: dict[str, tuple[Reply, str]] = {
    "only yes": (thinks(Yes=0.9, Maybe=0.1), "no yes or no"),
    "only no": (thinks(No=0.9, Maybe=0.1), "no yes or no"),
    "neither": (thinks(Perhaps=1.0), "no yes or no"),
    "no log-probabilities": (says("Yes"), "no log-probabilities"),
    "a grade instead": (says("8/10"), "no log-probabilities"),
    "a text for a number": (first_token({"top_logprobs": [{"Yes": "-1", "No": "-2"}]}), "no log-probabilities"),
    "a probability above one": (first_token({"top_logprobs": [{"Yes": 5.0, "No": 4.0}]}), "no log-probabilities"),
    "an empty list": (first_token({"content": []}), "no log-probabilities"),
    "a list of nothing": (first_token({"content": [None]}), "no log-probabilities"),
    "garbage": (http(b"\xff\xff"), "unreadable answer"),
    "reset": (reset, "no connection"),
    "hang": (hang, "timeout"),
}  # fmt: skip


@pytest.mark.parametrize("name", GRADES)
def test_grades(name: str) -> None:
    reply, kind = GRADES[name]
    with serving(lambda body, before: reply) as server:
        passed = rerank(server.url, depth=4, retries=0, timeout=timeout_for(reply))
        assert len(server.asked) == 4
    assert kinds(passed) == {kind: 4}
    assert passed.ranking is INCOMING


def test_documents_without_a_grade_keep_their_place_among_the_others() -> None:
    def behave(body: dict[str, Any], before: int) -> bytes:
        text = body["messages"][-1]["content"]
        if "red" in text or "yellow" in text:
            return says("garbage")
        return thinks(Yes=0.9, No=0.1) if "green" in text else thinks(Yes=0.2, No=0.8)

    with serving(behave) as server:
        passed = rerank(server.url, depth=4)
    assert passed.ranking.doc_ids[:4] == ("red", "green", "yellow", "orange")
    assert kinds(passed) == {"no log-probabilities": 2}
    check_promises(passed, 4)


def test_asking_again_helps_and_then_nothing_is_counted() -> None:
    troubles = [http("", "429 Too Many Requests", "Retry-After: 0\r\n"), http("", "503 Service Unavailable")]
    with serving(lambda body, before: troubles[before] if before < 2 else WHOLE) as server:
        passed = rerank(server.url, method="listwise", depth=4, retries=2)
        assert len(server.asked) == 3
    assert passed.failures == ()
    assert passed.ranking.doc_ids[:4] == ("orange", "red", "yellow", "green")


def test_a_refused_question_is_not_asked_again() -> None:
    with serving(http("too long", "400 Bad Request")) as server:
        passed = rerank(server.url, method="listwise", depth=4, retries=5)
        assert len(server.asked) == 1
    assert "400 Bad Request: too long" in passed.failures[0].message


def test_a_failed_window_leaves_the_others_working() -> None:
    # depth 6, window 4, step 2. The back window fails; the front one is turned around: r o y g -> g y o r.
    answers = [says("nothing"), says("[4] > [3] > [2] > [1]")]
    with serving(lambda body, before: answers[before]) as server:
        passed = rerank(server.url, method="listwise", depth=6, window=4, step=2)
    assert passed.ranking.doc_ids[:6] == ("green", "yellow", "orange", "red", "blue", "indigo")
    assert kinds(passed) == {"unreadable answer": 1}
    assert passed.failures[0].message.startswith("window 3-6: ")


def test_bad_answers_are_kept_and_counted_again_but_troubles_are_not_kept() -> None:
    ground = Ground(CORPUS, MemoryCache())
    with serving(says("[1] > [1]")) as server:
        first = rerank(server.url, ground, method="listwise", depth=4)
        again = rerank(server.url, ground, method="listwise", depth=4)
        assert len(server.asked) == 1
    assert kinds(first) == kinds(again) == {"missing ids": 1, "repeated ids": 1}
    with serving(http("half", "500 Internal Server Error")) as server:
        rerank(server.url, ground, method="listwise", depth=4, retries=0)
        rerank(server.url, ground, method="listwise", depth=4, retries=0)
        assert len(server.asked) == 2


def test_a_server_that_is_gone_is_not_asked_for_ever() -> None:
    with serving(http("", "500 Internal Server Error")) as server:
        stage = opened("rerank_llm", endpoint=server.url, depth=10, retries=0, concurrency=1)
        passed = stage.apply([QUERY] * 3, [[INCOMING]] * 3)
        assert len(server.asked) == 10
    assert sum((kinds(one) for one in passed), start=kinds(passed[0])) == {"server error": 20, "not asked": 20}
    assert all(one.ranking.doc_ids == COLORS for one in passed)
