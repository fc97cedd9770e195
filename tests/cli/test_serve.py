"""`rankproof serve` as a process: what it prints, who it lets in, how it ends."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from click.testing import CliRunner

pytest.importorskip("starlette", reason="the extra web is not installed")

from rankproof.cli.serve import command
from rankproof.errors import UsageError
from rankproof.web.settings import ServeSettings, is_loopback


def start(folder: Path, *more: str) -> tuple[subprocess.Popen[str], list[str]]:
    """The server, and the lines that it printed."""
    process = subprocess.Popen(
        [sys.executable, "-m", "rankproof", "serve", "judging.db", "--port", "0", *more],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip())
        if line.startswith("Stop with"):
            return process, lines
    assert process.stderr is not None
    raise AssertionError("\n".join(lines) + process.stderr.read())


@pytest.mark.slow
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_prints_the_first_invitation_answers_and_ends_cleanly(tmp_path: Path, stop: signal.Signals) -> None:
    process, lines = start(tmp_path)
    try:
        origin = re.fullmatch(r"Serving judging.db at (http://127\.0\.0\.1:\d+)", lines[0])
        assert origin is not None
        assert lines[1] == (
            "There is no admin yet. This link opens the account of the first one, once and within 7 days:"
        )
        assert lines[2].startswith(f"  {origin[1]}/invitation/")
        with urllib.request.urlopen(lines[2].strip(), timeout=20) as answer:
            assert answer.status == 200
            assert "server" not in {name.lower() for name in answer.headers}
        rebound = urllib.request.Request(f"{origin[1]}/sign-in", headers={"Host": "evil.example"})
        with pytest.raises(urllib.error.HTTPError, match="400"):
            urllib.request.urlopen(rebound, timeout=20)
    finally:
        process.send_signal(stop)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, "", "")


@pytest.mark.slow
def test_one_link_for_the_first_admin_is_made_once(tmp_path: Path) -> None:
    """Two servers that start at once make one; a restart makes none, nor does one with an admin."""
    both = [start(tmp_path) for _ in range(2)]
    for process, _ in both:
        process.terminate()  # at once: before the server answers anybody
        out, err = process.communicate(timeout=30)
        assert (process.returncode, out, err) == (0, "", "")
    assert sorted(len(lines) for _, lines in both) == [2, 4]
    process, lines = start(tmp_path)
    process.terminate()
    process.communicate(timeout=30)
    assert len(lines) == 2


def refused(*args: str) -> str:
    result = CliRunner().invoke(command, ["judging.db", *args])
    assert isinstance(result.exception, UsageError), result.output
    return str(result.exception)


def test_other_machines_are_let_in_only_by_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "passwords would travel in the open" in refused("--host", "0.0.0.0")
    assert "--public-name" in refused("--host", "0.0.0.0", "--plain-http")
    assert "--public-name" in refused("--host", "::", "--https")
    assert "no name of a machine" in refused("--public-name", "http://x.example/")
    assert not list(tmp_path.iterdir())


def test_a_port_that_is_taken_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert f"Nothing can listen at 127.0.0.1 port {port}: " in refused("--port", str(port))
    assert not list(tmp_path.iterdir())


def test_a_certificate_needs_its_key(tmp_path: Path) -> None:
    (tmp_path / "c.pem").write_text("")
    certificate = str(tmp_path / "c.pem")
    assert "Give both" in refused("--certificate", certificate)
    assert "Leave out one" in refused("--certificate", certificate, "--key", certificate, "--https")


def test_a_certificate_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "c.pem").write_text("no certificate")
    assert "The certificate c.pem cannot be used" in refused("--port", "0", "--certificate", "c.pem", "--key", "c.pem")


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate with")
def test_it_speaks_https_with_a_certificate(tmp_path: Path) -> None:
    command = "openssl req -x509 -newkey rsa:2048 -nodes -keyout k.pem -out c.pem -days 1 -subj /CN=x"
    subprocess.run([*command.split(), "-addext", "subjectAltName=IP:127.0.0.1"], cwd=tmp_path, check=True)
    process, lines = start(tmp_path, "--certificate", "c.pem", "--key", "k.pem")
    try:
        known = ssl.create_default_context(cafile=str(tmp_path / "c.pem"))
        with urllib.request.urlopen(lines[2].strip(), timeout=20, context=known) as answer:
            assert answer.url.startswith("https://127.0.0.1:")
            assert "Secure" in answer.headers["set-cookie"]
            assert answer.headers["strict-transport-security"]
    finally:
        process.terminate()
        process.communicate(timeout=30)


def test_what_people_are_told_to_open() -> None:
    assert ServeSettings().origin == "http://127.0.0.1:8080"
    assert ServeSettings(host="::1").origin == "http://[::1]:8080"
    proxied = ServeSettings(names=("judge.example.org",), https=True, behind_proxy=True)
    assert proxied.origin == "https://judge.example.org"
    assert ServeSettings("0.0.0.0", 8443, ("j.example",), https=True).origin == "https://j.example:8443"
    assert [is_loopback(host) for host in ("127.0.0.1", "127.9.9.9", "::1", "[::1]", "localhost")] == [True] * 5
    assert [is_loopback(host) for host in ("0.0.0.0", "10.0.0.1", "::", "judge.example.org")] == [False] * 4
