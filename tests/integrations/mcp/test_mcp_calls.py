"""Calls as processes: their limits, several at once, clients and servers that are killed, and what is not installed."""

from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import click
import pytest

pytest.importorskip("mcp", reason="the MCP server needs its SDK")

from tests.integrations.mcp.session import Session
from tests.integrations.mcp.test_mcp_tools import copied

from rankproof.cli.shared.root import cli

# Minutes, were it not ended: the draws of a bootstrap are made in many pieces.
LONG = {"qrels": "qrels.trec", "baseline": "bm25.run", "candidates": ["hybrid.run"], "measures": ["nDCG@10"],
        "significance": "bootstrap", "resamples": 30_000_000}  # fmt: skip
PROCESSES = Path("/proc")
proc = pytest.mark.skipif(not (PROCESSES / "self/environ").exists(), reason="the system shows no processes as files")
# A client that is killed in the middle of its call.
CLIENT = """
import sys
from pathlib import Path
from tests.integrations.mcp.session import Session
from tests.integrations.mcp.test_mcp_calls import LONG
with Session(Path(sys.argv[1]), aside=Path(sys.argv[2])) as session:
    session.begin("compare", **LONG).result()
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = copied(tmp_path_factory.mktemp("mcp") / "served")
    (folder / "bomb.run").write_bytes(gzip.compress(b"q01 Q0 d1 1 2 t\n" * 200_000))
    (folder / "bombs.run").write_bytes(gzip.compress((folder / "bomb.run").read_bytes()))
    (folder / "large.run").write_bytes(b"q01 Q0 d1 1 2 t\n" * 70_000)
    return folder


def processes(session: Path) -> dict[int, str]:
    """The processes that have the guard of this session in their environment, with their command lines."""
    found = {}
    for folder in PROCESSES.glob("[0-9]*"):
        with suppress(OSError):
            if f"GUARD_LOG={session / 'guard.log'}\0".encode() in (folder / "environ").read_bytes():
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
                found[int(folder.name)] = command if "rankproof" in command else ""
    return found


def workers(session: Path) -> list[int]:
    return [number for number, command in processes(session).items() if "mcp.worker" in command]


def ticks(process: int) -> int:
    """The processor time that a process took, in hundredths of a second; a call is read after a third of one."""
    with suppress(OSError):
        return int((PROCESSES / str(process) / "stat").read_text().rpartition(")")[2].split()[11])
    return 0


def until(condition: Any, what: str) -> None:
    """Waits for an event, for a minute at most."""
    end = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.02)


@pytest.fixture(scope="module")
def small(served: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """A session with small limits."""
    limits = ("--most", "1MB", "--answer", "20KB", "--memory", "1GB")
    with Session(served, *limits, aside=tmp_path_factory.mktemp("aside")) as session:
        yield session


@pytest.mark.parametrize(("name", "told"), [("large.run", "1.07 MB"), ("bomb.run", "1 MB"), ("bombs.run", "1 MB")])
def test_a_file_is_read_up_to_the_limit_packed_or_not(small: Session, name: str, told: str) -> None:
    message = small.refused("validate", files=[name])
    assert name in message
    assert told in message


def test_an_answer_that_is_too_long_is_refused_and_the_next_is_given(small: Session) -> None:
    measures = " ".join(f"nDCG@{k} P@{k}" for k in range(1, 40))
    assert "20 KB" in small.refused(
        "evaluate", qrels="qrels.trec", runs=["bm25.run"], measures=[measures], per_query=True
    )
    assert not small.call("evaluate", qrels="qrels.trec", runs=["bm25.run"], measures=["P@5"]).is_error


def test_a_call_that_needs_too_much_memory_is_told_so(small: Session) -> None:
    assert "memory" in small.refused("compare", **{**LONG, "resamples": 2_000_000_000})


@proc
@pytest.mark.full
def test_a_call_that_takes_too_long_is_ended_with_its_process(served: Path, tmp_path: Path) -> None:
    with Session(served, "--seconds", "5", aside=tmp_path / "aside") as session:
        call = session.begin("compare", **LONG)
        until(lambda: workers(tmp_path / "aside"), "no worker was started")
        result = call.result(60)
        assert result.is_error
        assert "5 seconds" in result.content[0].text
        assert workers(tmp_path / "aside") == []
        assert not session.call("explain", name="nDCG").is_error


@proc
@pytest.mark.full
def test_several_calls_at_once_are_answered_one_after_the_other_and_too_many_are_told(
    served: Path, tmp_path: Path
) -> None:
    with Session(served, "--seconds", "60", aside=tmp_path / "aside") as session:
        first = session.begin("compare", **LONG)
        until(lambda: workers(tmp_path / "aside"), "no worker was started")
        others = [session.begin("explain", name=name) for name in ("nDCG", "holm", "no such thing")]
        more = [session.begin("explain", name="AP") for _ in range(6)]
        until(lambda: any(call.done() for call in more), "nobody is told to wait")
        (refused,) = (call.result() for call in more if call.done())
        assert "8 calls are waiting" in refused.content[0].text
        assert len(workers(tmp_path / "aside")) == 1
        # The client cancels; its worker is ended, and the others have their turn.
        first.cancel()
        for call in more:
            call.cancel()
        answers = [call.result(60) for call in others]
        assert [answer.is_error for answer in answers] == [False, False, True]
        names = [answer.structured_content["pages"][0]["name"] for answer in answers[:2]]
        assert names == ["nDCG", "holm"]
        until(lambda: not workers(tmp_path / "aside"), "a worker goes on")


@proc
@pytest.mark.full
@pytest.mark.parametrize("killed", ["client", "server"])
def test_who_is_killed_in_the_middle_of_a_call_leaves_no_process(killed: str, served: Path, tmp_path: Path) -> None:
    aside = tmp_path / "aside"
    with subprocess.Popen([sys.executable, "-c", CLIENT, served, aside], stderr=subprocess.DEVNULL) as client:
        try:
            until(lambda: workers(aside), "no worker was started")
            (server,) = (number for number, command in processes(aside).items() if "rankproof mcp" in command)
            until(lambda: any(ticks(worker) > 60 for worker in workers(aside)), "the worker does not work")
            os.kill(client.pid if killed == "client" else server, signal.SIGKILL)
            until(lambda: not processes(aside), f"{processes(aside)} go on")
        finally:
            client.kill()


def rankproof(*words: str, before: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process of its own, without input."""
    code = f"import sys\n{before}\nfrom rankproof.cli import main\nmain()"
    return subprocess.run(
        [sys.executable, "-c", code, *words], env={**os.environ, **variables}, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip


def test_a_server_whose_client_says_nothing_ends(served: Path) -> None:
    told = rankproof("mcp", str(served))
    assert (told.returncode, told.stdout, told.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("words", "value"),
    [
        (["nowhere"], "nowhere"),
        ([__file__], "no folder"),
        (["a\udcffb"], "not there"),
        ([], "FOLDER"),
        ([".", "--most", "lots"], "lots"),
        ([".", "--memory", "1MB"], "256MB"),
        ([".", "--seconds", "0"], "seconds"),
    ],
)
def test_what_cannot_be_served_is_told(words: list[str], value: str, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["mcp", *words])
    told = capfd.readouterr()
    assert ended.value.code in (1, 2)
    assert told.out == ""
    assert value in told.err


def test_a_base_installation_gives_the_line_that_installs_the_library() -> None:
    told = rankproof("mcp", ".", before="sys.modules['mcp'] = None")
    assert told.returncode == 2
    assert "pip install 'rankproof[mcp]'" in told.stderr


def test_an_older_library_is_told_with_its_version(tmp_path: Path) -> None:
    (tmp_path / "mcp-1.27.0.dist-info").mkdir()
    (tmp_path / "mcp-1.27.0.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: mcp\nVersion: 1.27.0\n")
    told = rankproof("mcp", ".", PYTHONPATH=str(tmp_path))
    assert told.returncode == 2
    assert "1.27.0" in told.stderr
    assert "pip install 'rankproof[mcp]'" in told.stderr


def test_the_set_ups_on_the_page_name_the_same_command() -> None:
    page = Path(__file__).parents[3] / "docs" / "mcp.md"
    as_json, as_toml = re.findall(r"^```(?:text|toml)\n(.*?)^```$", page.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    (entry,) = json.loads(as_json)["mcpServers"].values()
    assert (
        entry
        == tomllib.loads(as_toml)["mcp_servers"]["rankproof"]
        == {"command": "rankproof", "args": ["mcp", "FOLDER"]}
    )
    assert "mcp" in cli.list_commands(click.Context(cli))
