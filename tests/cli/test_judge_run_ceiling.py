"""`rankproof judge run` under a ceiling of requests and of cost: never passed, held over a kill, and gone on from."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.cli.model_judging import failures, grades, made, run, told
from tests.stack.stages.model_server import http, says, serving

PRICES = ("--price-in", "1000", "--price-out", "1000", "--currency", "EUR")  # a thousandth for a token


def counted(asked: int = 100, said: int = 4) -> bytes:
    usage = {"prompt_tokens": asked, "completion_tokens": said}
    return http(
        json.dumps({"choices": [{"message": {"content": "Grade: 1"}, "finish_reason": "stop"}], "usage": usage})
    )


def most_of(body: dict[str, Any]) -> float:
    """The most that a request may cost: a token for each byte, and what it may answer."""
    return len(json.dumps(body, separators=(",", ":")).encode()) / 1000 + 24 / 1000


@pytest.mark.parametrize("concurrency", ["1", "4"])
def test_no_more_requests_than_the_ceiling_and_the_rest_is_told(concurrency: str, tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(counted()) as server:
        done = run(store, server.url, "--max-calls", "4", "--concurrency", concurrency)
        assert len(server.asked) == 4
        again = run(store, server.url, "--max-calls", "4", "--json")
        assert len(server.asked) == 4
        more = run(store, server.url, "--max-calls", "6", "--json")
        assert len(server.asked) == 6
    assert (done.exit_code, again.exit_code, more.exit_code) == (1, 1, 0)
    assert "under the ceiling, in all: 4 requests of 4 at most" in done.stdout
    assert "2 questions without an answer. The ceiling is reached: raise it" in done.stdout
    assert (told(again)["outcome"]["unanswered"], told(again)["ceiling"]["reached"]) == (2, True)
    assert (told(more)["ceiling"]["requests"], told(more)["ceiling"]["reached"]) == (6, False)
    assert len(grades(store)) == 6
    assert failures(store) == []  # what was not sent is no failure


@pytest.mark.parametrize("concurrency", ["1", "6"])
def test_no_request_goes_out_that_could_pass_the_ceiling_of_cost(concurrency: str, tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(counted()) as server:
        dry = told(run(store, server.url, *PRICES, "--dry-run", "--json"))["example"]
        run(store, server.url, "--as", "other", "--max-calls", "1")
        one = most_of(server.asked[0])
    assert one > len(dry["user"]) / 1000
    # Each takes 0.104, and the most that one can take, but for a few letters, must be left before it goes out.
    args = (*PRICES, "--max-cost", str(one + 0.25), "--concurrency", concurrency, "--json")
    with serving(counted()) as server:
        done = run(store, server.url, *args)
        assert len(server.asked) == 3
    document = told(done)
    assert (done.exit_code, document["outcome"]["unanswered"], document["ceiling"]["reached"]) == (1, 3, True)
    assert document["ceiling"]["cost_at_most"] == pytest.approx(3 * 0.104)


def test_answers_without_a_count_cost_the_most_that_they_can(tmp_path: Path) -> None:
    store = made(tmp_path)
    with serving(says("Grade: 1")) as server:
        done = run(store, server.url, *PRICES, "--max-cost", "3", "--concurrency", "1")
        sent = len(server.asked)
        spent = sum(map(most_of, server.asked))
    assert 0 < sent < 6
    assert spent <= 3 + 0.1
    assert f"{sent} answer" in done.stdout
    assert "counted with the most that they can have cost" in done.stdout


def test_requests_that_were_sent_again_count_and_what_a_server_turned_down_costs_nothing(tmp_path: Path) -> None:
    store = made(tmp_path)
    busy = http("", "503 Service Unavailable")
    with serving(lambda body, before: busy if before % 2 == 0 else counted()) as server:
        done = run(store, server.url, *PRICES, "--max-calls", "5", "--max-cost", "99", "--concurrency", "1", "--json")
        assert len(server.asked) == 5
    ceiling = told(done)["ceiling"]
    assert (ceiling["requests"], ceiling["cost_at_most"]) == (5, pytest.approx(2 * 0.104))


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--max-cost", "1"], "needs prices"),
        ([*PRICES, "--max-cost", "1", "--body", '{"max_tokens": null}'], "without a bound"),
        ([*PRICES, "--max-cost", "1", "--body", '{"n": 3}'], "one is read"),
        ([*PRICES, "--max-cost", "nan"], "not a finite number"),
        (["--max-calls", "-1"], "--max-calls"),
    ],
)
def test_a_ceiling_that_would_not_hold_is_refused(args: list[str], said: str, tmp_path: Path) -> None:
    with serving(counted()) as server:
        done = run(made(tmp_path), server.url, *args)
        assert server.asked == []
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_bound_of_another_name_holds(tmp_path: Path) -> None:
    store = made(tmp_path)
    body = '{"max_tokens": null, "max_completion_tokens": 900000}'
    with serving(counted()) as server:
        done = run(store, server.url, *PRICES, "--max-cost", "800", "--body", body)
        assert server.asked == []  # one answer alone may cost 900
    assert done.exit_code == 1


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_a_killed_run_cannot_spend_its_ceiling_twice(tmp_path: Path) -> None:
    store = made(tmp_path)
    args = ("--repeat", "5", "--concurrency", "2", "--max-calls", "12")
    with serving(lambda body, before: time.sleep(0.05) or counted()) as server:
        command = [sys.executable, "-m", "rankproof", "judge", "run", store, "--endpoint", server.url, "--model", "m"]
        command += ["--cache", str(tmp_path / "cache"), "--depth", "2", *args]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
            deadline = time.monotonic() + 300
            while len(server.asked) < 6 and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
        before = len(server.asked)
        assert 6 <= before <= 12
        (record,) = (tmp_path / "cache" / "spending").iterdir()
        with record.open("ab") as file:
            file.write(b'["sen')  # a kill in the middle of a line
        done = run(store, server.url, *args, "--json")
        assert before <= len(server.asked) <= 12
    assert (done.exit_code, told(done)["ceiling"]["requests"]) == (1, 12)


def test_a_damaged_record_and_a_second_process_are_refused(tmp_path: Path) -> None:
    from rankproof.kernel.llm.spending import SpendingRecord

    store = made(tmp_path)
    with serving(counted()) as server:
        run(store, server.url, "--max-calls", "1")
        (record,) = (tmp_path / "cache" / "spending").iterdir()
        with SpendingRecord(str(record)):
            held = run(store, server.url, "--max-calls", "2")
        assert (held.exit_code, "is in use" in held.stderr) == (2, True)
        record.write_text('["took", 7, 1, 1]\n')
        done = run(store, server.url, "--max-calls", "2")
        assert (done.exit_code, "line 1" in done.stderr) == (1, True)
        assert len(server.asked) == 1
