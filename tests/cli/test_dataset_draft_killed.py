"""Drafting that is killed, interrupted, or run twice at once: no answer is lost, none is asked for twice."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from tests.cli.drafting import answers, corpus, lines, run, told
from tests.stack.stages.model_server import Reply, question, serving

from rankproof.cli.dataset import drafting

AT_ONCE = 2


def command(source: str, url: str, *args: str) -> list[str]:
    out = str(Path(source).parent / "drafts")
    line = [sys.executable, "-m", "rankproof", "dataset", "draft", source, "-o", out, "--endpoint", url, "--model", "m"]
    return [*line, "--several", "0", "--concurrency", str(AT_ONCE), *args]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_kill_dash_nine_loses_only_what_is_under_way(tmp_path: Path) -> None:
    source = corpus(tmp_path, 50)

    def behave(body: dict[str, object], before: int) -> Reply:
        time.sleep(0.02)
        return answers(body, before)

    with serving(behave) as server:
        with subprocess.Popen(command(source, server.url), stdout=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            while len(server.asked) < 20 and time.monotonic() < deadline:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        before = len(server.asked)
        assert 20 <= before < 50
        record = lines(tmp_path, "answers.jsonl") if whole(tmp_path) else []
        # A request is on record before it goes out: nothing was sent that the ceiling would not know of.
        if record:
            assert sum(line["what"] == "sent" for line in record) >= before
        done = run(source, server.url, "--json")
        assert done.exit_code == 0, done.output
        assert len(server.asked) <= 50 + AT_ONCE
        twice = [n for n in Counter(question(body) for body in server.asked).values() if n > 1]
        assert len(twice) <= AT_ONCE
    assert told(done)["spending"]["requests"] >= len(server.asked)
    killed = (tmp_path / "drafts" / "drafts.jsonl").read_bytes()
    # One that was never killed gives the same drafts, byte by byte, but for the address, which is part of the model.
    assert killed.count(b"\n") == 50
    assert {line["status"] for line in lines(tmp_path)} == {"accepted"}


def whole(folder: Path) -> bool:
    return (folder / "drafts" / "answers.jsonl").read_bytes().endswith(b"\n")


def test_an_order_of_answers_changes_nothing(tmp_path: Path) -> None:
    """The same model asked one by one and eight at once, with pauses: the drafts are the same."""
    source = corpus(tmp_path, 24)

    def behave(body: dict[str, object], before: int) -> Reply:
        time.sleep(0.01 * (before % 3))
        return answers(body, before)

    with serving(behave) as server:
        run(source, server.url, "--concurrency", "1", out=str(tmp_path / "one"))
        run(source, server.url, "--concurrency", "8", out=str(tmp_path / "eight"))
    assert (tmp_path / "one" / "drafts.jsonl").read_bytes() == (tmp_path / "eight" / "drafts.jsonl").read_bytes()


@pytest.mark.parametrize("cut", [1, 2, 40])
def test_half_a_line_at_the_end_is_cut_off_and_asked_again(tmp_path: Path, cut: int) -> None:
    """A kill while a line is written. Without only its newline the line is whole."""
    source, path = corpus(tmp_path, 6), tmp_path / "drafts" / "answers.jsonl"
    with serving(answers) as server:
        run(source, server.url, "--concurrency", "1")
        before = (tmp_path / "drafts" / "drafts.jsonl").read_bytes()
        path.write_bytes(path.read_bytes()[:-cut])
        done = run(source, server.url)
        assert (done.exit_code, len(server.asked)) == (0, 6 if cut == 1 else 7)
    assert (tmp_path / "drafts" / "drafts.jsonl").read_bytes() == before


def test_a_record_that_somebody_changed_is_refused(tmp_path: Path) -> None:
    source, path = corpus(tmp_path, 4), tmp_path / "drafts" / "answers.jsonl"
    with serving(answers) as server:
        run(source, server.url)
        good = path.read_bytes()
        first, *rest = good.splitlines(keepends=True)
        newer = first.replace(b'"drafting": 1', b'"drafting": 2')
        assert newer != first
        for bad in (
            good + good,  # two files put together
            good + rest[-1],  # a line twice
            b"".join([first, *rest[1:]]),  # a line taken out
            b"".join(rest),  # without the first
            good.replace(b"which tool", b"which fool"),
            b"".join([newer, *rest]),
            b"null\n" + good,
            good + b"{}\n",
            b'{"drafting": 1, "n": NaN, "before": "", "what": "request", "key": "", "content": {}, "seal": "x"}\n',
        ):
            path.write_bytes(bad)
            for args in ([], ["--dry-run"]):
                refused = run(source, server.url, *args)
                assert (refused.exit_code, "answers.jsonl, line" in refused.stderr) == (1, True), (bad[:80], args)
            assert path.read_bytes() == bad
        assert len(server.asked) == 4


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    source = corpus(tmp_path)
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "drafts.jsonl").write_text("mine\n")
    with serving(answers) as server:
        refused = run(source, server.url)
        assert (refused.exit_code, server.asked) == (2, [])
    assert (tmp_path / "drafts" / "drafts.jsonl").read_text() == "mine\n"


def test_a_copied_folder_goes_on_by_itself(tmp_path: Path) -> None:
    """A copy of the folder has all answers: drafting into it asks nothing."""
    source = corpus(tmp_path)
    with serving(answers) as server:
        run(source, server.url)
        shutil.copytree(tmp_path / "drafts", tmp_path / "copy")
        assert run(source, server.url, out=str(tmp_path / "copy")).exit_code == 0
        assert len(server.asked) == 12


def test_a_second_process_at_the_same_time_is_refused(tmp_path: Path) -> None:
    source = corpus(tmp_path, 6)
    codes: list[int] = []

    def behave(body: dict[str, object], before: int) -> Reply:
        if before == 0:
            codes.append(subprocess.run(command(source, server.url), capture_output=True, check=False).returncode)
        return answers(body, before)

    with serving(behave) as server:
        done = run(source, server.url, "--concurrency", "1")
        assert (done.exit_code, codes, len(server.asked)) == (0, [2], 6)


def test_ctrl_c_says_that_answers_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(drafting, "ask_for_drafts", interrupted)
    done = run(corpus(tmp_path), "http://127.0.0.1:9/v1")
    assert (done.exit_code, done.stderr) == (
        130,
        "rankproof: Interrupted; answers so far are on record. The same command goes on.\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit of file sizes")
def test_a_full_disk_ends_it_with_every_answer_that_was_told(tmp_path: Path) -> None:
    """A limit of file sizes fails writes as a full disk does; half a line stays, and nothing is written behind it."""
    source = corpus(tmp_path, 30)
    limit = "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); "
    limit += "resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); "
    limit += "from rankproof.cli import main; sys.exit(main())"
    with serving(answers) as server:
        line = [sys.executable, "-c", limit, *command(source, server.url)[3:]]
        full = subprocess.run(line, capture_output=True, text=True, check=False, timeout=120)
        assert (full.returncode, "Traceback" in full.stderr) == (1, False), full.stderr
        assert "cannot be written" in full.stderr
        assert os.path.getsize(tmp_path / "drafts" / "answers.jsonl") <= 9000
        before = len(server.asked)
        assert 0 < before < 30
        done = run(source, server.url, "--json")
        assert done.exit_code == 0, done.output
        assert len(server.asked) <= 30 + AT_ONCE + 1
    record = lines(tmp_path, "answers.jsonl")
    assert [line["n"] for line in record] == list(range(1, len(record) + 1))
    assert json.loads(done.stdout)["drafts"]["accepted"] == 30
