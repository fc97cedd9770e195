"""Reranking by a language model that answers as it should: windows, scores, keys, and nothing asked twice."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.stages.llm_cases import (
    COLORS,
    CORPUS,
    INCOMING,
    MemoryCache,
    check_promises,
    kinds,
    opened,
    rerank,
    values,
)
from tests.stack.stages.model_server import http, question, says, serving, thinks

from rankproof.errors import Unreadable, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.llm.endpoint import exchange
from rankproof.reading.ranking import Ranking
from rankproof.stack.records import Ground
from rankproof.stack.stages._llm_listwise import windows


def backward(body: dict[str, Any], before: int) -> bytes:
    """Turns every window around."""
    count = len(re.findall(r"^\[\d+\] ", question(body), re.MULTILINE))
    return says(" > ".join(f"[{n}]" for n in range(count, 0, -1)))


def by_letters(body: dict[str, Any], before: int) -> bytes:
    """The longer the color's name, the likelier a yes: red 0.3, orange 0.6, ..."""
    found = re.search(r"about (\w+)\.", question(body))
    assert found is not None
    p = len(found[1]) / 10
    return thinks(Yes=p * 0.8, No=(1 - p) * 0.8)


def test_windows_go_from_back_to_front() -> None:
    assert list(windows(5, 10, 5)) == [(0, 5)]
    assert list(windows(20, 10, 5)) == [(10, 20), (5, 15), (0, 10)]
    assert list(windows(11, 4, 4)) == [(7, 11), (3, 7), (0, 3)]
    assert list(windows(0, 4, 2)) == []


@pytest.mark.parametrize(("window", "step"), [(2, 1), (3, 2), (4, 4), (10, 5), (20, 10)])
def test_windows_leave_no_place_out(window: int, step: int) -> None:
    for depth in range(1, 40):
        spans = list(windows(depth, window, step))
        assert {i for start, end in spans for i in range(start, end)} == set(range(depth))
        assert all(0 < end - start <= window for start, end in spans)
        assert spans[-1][0] == 0


def test_listwise_with_windows() -> None:
    # depth 6, window 4, step 2: r o [y g b i] -> r o i b g y; [r o i b] g y -> b i o r g y
    with serving(backward) as server:
        passed = rerank(server.url, method="listwise", depth=6, window=4, step=2)
    assert passed.ranking.doc_ids == ("blue", "indigo", "orange", "red", "green", "yellow", *COLORS[6:])
    assert passed.failures == ()
    assert len(server.asked) == 2
    check_promises(passed, 6)


def test_listwise_shows_what_it_was_told_to_show() -> None:
    with serving(backward) as server:
        rerank(server.url, method="listwise", depth=3, characters=12)
    (body,) = server.asked
    assert "[1] This passage\n[2] This passage\n[3] This passage\n" in question(body)
    assert question(body).count("which color is it?") == 2
    assert (body["temperature"], body["seed"], body["model"]) == (0.0, 0, "m")


def test_a_list_without_brackets_is_read() -> None:
    with serving(says(" 3 > 1 > 2 ")) as server:
        passed = rerank(server.url, method="listwise", depth=3)
    assert passed.ranking.doc_ids[:3] == ("yellow", "red", "orange")
    assert passed.failures == ()


def test_pointwise_is_the_share_of_yes() -> None:
    with serving(by_letters) as server:
        passed = rerank(server.url, depth=7)
    # letters: orange, yellow, indigo, violet 6; green 5; blue 4; red 3. Equal ones in their incoming order.
    assert passed.ranking.doc_ids[:7] == ("orange", "yellow", "indigo", "violet", "green", "blue", "red")
    # The least, 0.3, is lifted above the tail's first score, 3: by 3 + 1 - 0.3 = 3.7.
    assert passed.ranking.scores[:7] == pytest.approx([4.3, 4.3, 4.3, 4.3, 4.2, 4.1, 4.0], abs=1e-5)
    assert passed.failures == ()
    assert len(server.asked) == 7
    assert {(body["max_tokens"], body["logprobs"], body["top_logprobs"]) for body in server.asked} == {(1, True, 20)}
    check_promises(passed, 7)


def test_spellings_of_a_word_are_added_up() -> None:
    # yes: 0.2 + 0.1, no: 0.1, so 0.3 / 0.4
    with serving(thinks(**{"Yes": 0.2, " yes": 0.1, "NO": 0.1, "Maybe": 0.6})) as server:
        passed = rerank(server.url, depth=10)
    assert passed.ranking.scores[-1] == pytest.approx(0.75)


def test_completions_with_a_table_of_tokens() -> None:
    answer = '{"choices": [{"text": " Yes", "logprobs": {"top_logprobs": [{" Yes": -0.5, " No": -1.5}]}}]}'
    with serving(http(answer)) as server:
        passed = rerank(server.url, depth=10, api="completions")
    assert passed.failures == ()
    assert passed.ranking.scores[-1] == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert {body["prompt"][-7:] for body in server.asked} == {"Answer:"}
    assert {body["logprobs"] for body in server.asked} == {20}


@pytest.mark.parametrize("method", ["pointwise", "listwise"])
def test_nothing_is_asked_twice(method: str) -> None:
    ground = Ground(CORPUS, MemoryCache())
    with serving(by_letters if method == "pointwise" else backward) as server:
        first = rerank(server.url, ground, method=method, depth=5)
        count = len(server.asked)
        again = rerank(server.url, ground, method=method, depth=5)
        assert len(server.asked) == count
        rerank(server.url, ground, method=method, depth=5, model="another")
        assert len(server.asked) == 2 * count
    assert (first.kept, again.kept) == (False, True)
    assert again.ranking.doc_ids == first.ranking.doc_ids
    assert again.ranking.scores.tolist() == first.ranking.scores.tolist()


def test_a_damaged_entry_of_the_cache_is_asked_again() -> None:
    cache = MemoryCache()
    with serving(by_letters) as server:
        first = rerank(server.url, Ground(CORPUS, cache), depth=2)
        cache.kept = dict.fromkeys(cache.kept, b'{"text": ')
        again = rerank(server.url, Ground(CORPUS, cache), depth=2)
        assert len(server.asked) == 4
    assert again.ranking.doc_ids == first.ranking.doc_ids


def test_a_document_without_a_text_keeps_its_place() -> None:
    incoming = Ranking(("red", "stranger", "green"), np.array([3.0, 2.0, 1.0]))
    for method, behave in (("pointwise", by_letters), ("listwise", backward)):
        with serving(behave) as server:
            passed = rerank(server.url, incoming=incoming, method=method)
        assert passed.ranking.doc_ids == ("green", "stranger", "red")
        assert kinds(passed) == {"no text": 1}


def test_the_key_is_sent_and_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    with raises(UsageError, "rerank_llm", "MODEL_KEY"):
        opened("rerank_llm", endpoint="http://127.0.0.1:1/v1", key_env="MODEL_KEY")
    monkeypatch.setenv("MODEL_KEY", "secret-7")
    with serving(http("you are secret-7", "429 Too Many Requests")) as server:
        passed = rerank(server.url, key_env="MODEL_KEY", depth=2, retries=0)
        assert all("authorization: bearer secret-7" in head.lower() for head in server.headers)
        assert "secret-7" not in str(opened("rerank_llm", endpoint=server.url, key_env="MODEL_KEY").identity)
    assert {failure.message.partition(": the ")[2] for failure in passed.failures} == {
        "server said 429 Too Many Requests: you are ***"
    }
    refusing = serving(http("bad key secret-7", "401 Unauthorized"))
    with refusing as server, raises(UsageError, "401", "bad key ***"):
        rerank(server.url, key_env="MODEL_KEY")


def test_a_refused_key_ends_the_questions_that_wait_for_their_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[str] = []

    async def counting(client: Any, url: str, body: Any, timeout: float) -> Any:
        sent.append(url)
        return await exchange(client, url, body, timeout)

    monkeypatch.setattr("rankproof.kernel.llm.endpoint.exchange", counting)
    refusing = serving(http('{"error": "bad key"}', "401 Unauthorized"))
    with refusing as server, raises(UsageError, "401 Unauthorized"):
        rerank(server.url, concurrency=1)
    assert len(sent) == 1


def test_a_wrong_door_is_said_at_once() -> None:
    with serving(http('{"error": "bad key"}', "401 Unauthorized")) as server:
        with raises(UsageError, "401 Unauthorized", "key_env"):
            rerank(server.url)
        assert len(server.asked) <= 4
    with raises(UsageError, server.url, "endpoint", "model"):
        rerank(server.url, retries=0)


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ({"endpoint": "ftp://x"}, ("endpoint", "http://host:8080/v1", "'ftp://x'")),
        ({"endpoint": "http://me:secret@x/v1"}, ("endpoint", "password", "key_env")),
        ({"endpoint": "http://x", "window": 5, "step": 6}, ("window=5", "step=6")),
        ({"endpoint": "http://x", "fields": ["title"]}, ("colors", "'title'", "text")),
    ],
)
def test_wrong_requests_are_refused_before_anything_runs(said: dict[str, Any], values: tuple[str, ...]) -> None:
    with raises(UsageError, "rerank_llm", *values):
        opened("rerank_llm", **said)


def test_an_address_needs_the_name_of_a_model() -> None:
    said = {**values("rerank_llm", endpoint="http://x"), "model": None}
    with raises(UsageError, "http://x", "model"):
        shelf.find("stages", "rerank_llm").open(said, Ground(CORPUS))


def test_a_local_model_that_is_no_file_is_refused() -> None:
    pytest.importorskip("xllamacpp")
    with raises(Unreadable, "nowhere.gguf", "GGUF"):
        opened("rerank_llm", model="nowhere.gguf")


def test_without_documents_there_is_nothing_to_ask() -> None:
    with serving(by_letters) as server:
        passed = rerank(server.url, incoming=Ranking((), np.array([])))
        listed = rerank(server.url, incoming=Ranking((), np.array([])), method="listwise")
        assert server.asked == []
    assert (len(passed.ranking), len(listed.ranking)) == (0, 0)
    assert INCOMING.doc_ids == COLORS
