"""A hostile model server makes no grade that was not given, loses none that was, and hears no secret repeated."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.model_judging import about, failures, grades, made, run, told
from tests.stack.stages.model_server import Reply, drip, hang, http, reset, says, serving

from rankproof.judging.store import open_store

REFUSAL = http('{"choices": [{"message": {"content": null, "refusal": "I will not."}, "finish_reason": "stop"}]}')
# What the server says, the word for it, the text that is kept.
ANSWERS: dict[str, tuple[Reply, str, str]] = {
    "nonsense": (says("colorless green ideas"), "unreadable", "colorless green ideas"),
    "every grade": (says("0 1 2 3"), "unreadable", "0 1 2 3"),
    "a grade of another scale": (says("Grade: 10"), "out of scale", "Grade: 10"),
    "empty": (says(""), "empty", "the answer is empty"),
    "no text": (http('{"choices": [{"message": {"content": null}}]}'), "empty", "the answer is empty"),
    "cut off": (says("Grade: 1", finish="length"), "cut off", "Grade: 1"),
    "declined": (says("I'm sorry, I can't do that."), "refused", "I'm sorry, I can't do that."),
    "a refusal": (REFUSAL, "refused", "I will not."),
    "filtered": (says("", finish="content_filter"), "refused", "the server or the model declined to answer"),
    "NUL": (says("\x00Grade"), "unreadable", "\ufffdGrade"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_is_no_grade(name: str, tmp_path: Path) -> None:
    reply, kind, text = ANSWERS[name]
    store = made(tmp_path)
    with serving(lambda body, before: reply) as server:
        done = run(store, server.url, "--json")
        again = run(store, server.url, "--json")
        assert len(server.asked) == 6  # it was said; asking again would only cost again
    assert grades(store) == {}
    assert {(found, said) for _, _, found, said in failures(store)} == {(kind, text)}
    assert (done.exit_code, told(done)["outcome"]["failed"], told(done)["outcome"]["judged"]) == (1, 6, 0)
    outcome = told(again)["outcome"]
    assert (again.exit_code, outcome["there"], outcome["there_failed"], outcome["failed"]) == (1, 6, 6, 0)


def test_a_document_said_again_and_a_question_cut_on_its_way_are_told(tmp_path: Path) -> None:
    store = made(tmp_path)
    repeated = lambda body, before: says(body["messages"][-1]["content"][-400:])  # noqa: E731
    with serving(repeated) as server:
        run(store, server.url, "--judge", "graded(reasons=True)", "--sample", "1")
    ((_, _, kind, text),) = failures(store)
    assert (kind, text.startswith("the answer repeats what the model was shown: ")) == ("unreadable", True)
    with open_store(store) as kept:
        kept.items.add_documents("shop", [("d8", {"title": "Red", "text": "red leather shoes " * 300})])
    (tmp_path / "list.csv").write_text("query_id,doc_id\nq1,d8\n")
    usage = '"usage": {"prompt_tokens": 300, "completion_tokens": 3}'
    choice = '{"message": {"content": "Grade: 2"}, "finish_reason": "stop"}'
    with serving(http(f'{{"choices": [{choice}], {usage}}}')) as server:
        done = run(store, server.url, "--list", str(tmp_path / "list.csv"), "--as", "cut")
    assert "  cut, which the prompt says: 1 document\n" in done.stdout
    assert grades(store, "cut") == {}
    assert "it cut it" in failures(store)[-1][3]


TROUBLES: dict[str, tuple[Reply, str]] = {
    "429": (http("slow down", "429 Too Many Requests"), "too many requests"),
    "500": (http("oops", "500 Internal Server Error"), "server error"),
    "400": (http("context too long", "400 Bad Request"), "request refused"),
    "reset": (reset, "no connection"),
    "hang": (hang, "timeout"),
    "slow": (drip(says("Grade: 1"), 0.02), "timeout"),
    "half JSON": (http('{"choices": [{"message": {"content": "Grade: 3'), "broken answer"),
    "no body": (http(""), "broken answer"),
    "half a body": (says("Grade: 3")[:-9], "no connection"),
}


@pytest.mark.parametrize("name", TROUBLES)
def test_no_answer_is_asked_again_next_time(name: str, tmp_path: Path) -> None:
    reply, kind = TROUBLES[name]
    store = made(tmp_path)
    with serving(lambda body, before: reply if about(body)[0] == "q2" else says("Grade: 2")) as server:
        done = run(store, server.url, "--retries", "0", "--timeout", "0.5", "--json")
        assert len(server.asked) == 6
    outcome = told(done)["outcome"]
    assert (done.exit_code, outcome["judged"], outcome["failed"], outcome["unanswered"]) == (1, 4, 0, 2)
    assert [(one["kind"], one["count"], one["answered"]) for one in outcome["failures"]] == [(kind, 2, False)]
    assert {(query, found) for query, _, found, _ in failures(store)} == {("q2", kind)}
    with serving(says("Grade: 2")) as server:
        again = run(store, server.url)
        assert {about(body)[0] for body in server.asked} == {"q2"}
    assert (again.exit_code, len(grades(store))) == (0, 6)


def test_asking_again_helps(tmp_path: Path) -> None:
    troubles = [http("", "429 Too Many Requests", "Retry-After: 1\r\n"), http("", "503 Service Unavailable")]
    store = made(tmp_path)
    began = time.monotonic()
    with serving(lambda body, before: troubles[before] if before < 2 else says("Grade: 1")) as server:
        done = run(store, server.url, "--concurrency", "1", "--retries", "2")
        assert len(server.asked) == 8
    assert time.monotonic() - began >= 1  # as the server wished
    assert (done.exit_code, failures(store)) == (0, [])


def test_a_server_that_goes_away_is_not_asked_for_ever(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(lambda body, before: says("Grade: 1") if before < 2 else reset) as server:
        args = ("--repeat", "9", "--concurrency", "1", "--retries", "0")
        done = run(store, server.url, *args)
        assert len(server.asked) == 12  # two answers, ten questions in vain
    assert done.exit_code == 1
    assert "52 questions without an answer. The same command asks them again." in done.stdout
    with open_store(store) as kept:
        assert len(kept.judgments.current("shop", source="model")) == 2
        assert len(kept.failures.all("shop")) == 10
    with serving(says("Grade: 1")) as server:
        assert run(store, server.url, *args).exit_code == 0
        assert len(server.asked) == 52


def test_a_wrong_door_is_said_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = made(tmp_path)
    with serving(http('{"error": "no such key: sesame-77"}', "401 Unauthorized")) as server:
        closed = run(store, server.url)
        assert "--key-env NAME" in closed.stderr
        monkeypatch.setenv("JUDGE_KEY", "sesame-77")
        refused = run(store, server.url, "--key-env", "JUDGE_KEY")
        assert "Authorization: Bearer sesame-77" in server.headers[-1]
    assert (closed.exit_code, refused.exit_code) == (2, 2)
    assert "sesame" not in refused.output
    nobody = run(store, "http://127.0.0.1:9/v1", "--retries", "0")
    assert (nobody.exit_code, "nobody answers" in nobody.stderr) == (2, True)
    monkeypatch.delenv("JUDGE_KEY")
    assert "JUDGE_KEY is not set" in run(store, server.url, "--key-env", "JUDGE_KEY").stderr
    assert grades(store) == {}


def test_a_key_that_a_model_repeats_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGE_KEY", "sesame-77")
    store = made(tmp_path)
    with serving(says("Your key is sesame-77.")) as server:
        done = run(store, server.url, "--key-env", "JUDGE_KEY", "--json")
    assert {text for _, _, _, text in failures(store)} == {"Your key is ***."}
    kept = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"sesame" not in kept + done.output.encode()


def test_the_rate_holds(tmp_path: Path) -> None:
    times: list[float] = []

    def behave(body: dict[str, Any], before: int) -> bytes:
        times.append(time.monotonic())
        return says("Grade: 1")

    with serving(behave) as server:
        run(made(tmp_path), server.url, "--rate", "10", "--concurrency", "6")
    assert len(times) == 6
    assert max(times) - min(times) >= 0.45  # five gaps of a tenth of a second


def test_fields_of_a_request_can_be_set_otherwise(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(says("Grade: 1")) as server:
        done = run(store, server.url, "--body", '{"max_tokens": null, "max_completion_tokens": 9, "temperature": null}')
        assert done.exit_code == 0, done.output
        assert {"max_tokens", "temperature"} & server.asked[0].keys() == set()
        assert server.asked[0]["max_completion_tokens"] == 9
        for bad in ("[1]", "{", '{"messages": []}'):
            assert run(store, server.url, "--body", bad).exit_code == 2


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--judge", "grded"], "No judge is called 'grded'. Did you mean 'graded'?"),
        (["--judge", "binary(yes=9)"], "yes=9 is no grade above the lowest"),
        (["--pairs", "assigned"], "There is nothing to ask: assigned pairs"),
        (["--pairs", "depth_pol"], "No selection is called 'depth_pol'"),
        (["--currency", "EUR"], "--currency needs a price"),
        (["--endpoint", "ftp://x"], "endpoint must be"),
        (["--endpoint", "http://me:secret@x/v1"], "must not hold a password"),
    ],
)
def test_wrong_requests(args: list[str], said: str, tmp_path: Path) -> None:
    done = run(made(tmp_path), "http://127.0.0.1:9/v1", *args)
    assert done.exit_code == 2
    assert said in done.stderr
