"""Fetching goes wrong: wrong bytes, a kill in the middle, a full disk, short answers, other hosts; and licenses."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests import forking
from tests.raising import raises
from tests.stack.models.fetched import Server, hashes, zipped

from rankproof.errors import InputError
from rankproof.stack.models import download as downloading
from rankproof.stack.models import licenses
from rankproof.stack.models.cards import KNOWN
from rankproof.stack.models.fetch import fetch_model, fetched_card, listed_model
from rankproof.stack.models.licenses import license_text
from rankproof.stack.models.sources import FetchOptions

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")
COMMIT = "0123abcd" * 5
QUICK = FetchOptions(timeout=5)


@pytest.fixture(autouse=True)
def _no_long_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SimpleNamespace(sleep=lambda seconds: None, monotonic=time.monotonic)
    monkeypatch.setattr(downloading, "time", clock)


def served(server: Server, made: Path, tmp_path: Path) -> tuple[str, bytes]:
    data = zipped(made, tmp_path / "m.zip").read_bytes()
    server.files["/m.zip"] = data
    return f"{server.url}/m.zip", data


def test_another_file_than_the_one_that_was_accepted_is_not_taken_and_the_right_one_later_is(
    home: Path, made: Path, tmp_path: Path, server: Server
) -> None:
    right = hashes(made)
    url, data = served(server, made, tmp_path)
    config = made / "config.json"
    config.write_text(config.read_text() + " ")
    server.files["/m.zip"] = zipped(made, tmp_path / "other.zip").read_bytes()
    with raises(InputError, url, "config.json", "--sha256"):
        fetch_model("small", url, accepted=right, options=QUICK)
    assert not (home / "small").exists()
    assert listed_model("e5-small-v2").folder is None
    server.files["/m.zip"] = data
    assert fetch_model("small", url, accepted=right, options=QUICK).new
    fetched_card("small")


def test_a_kept_beginning_with_wrong_bytes_never_becomes_a_model(
    home: Path, made: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a power cut: the size is right and the blocks are empty."""
    url, _ = served(server, made, tmp_path)
    server.always_cut["/m.zip"] = 400
    with raises(InputError, url, "1,200 bytes came"):
        fetch_model("small", url, accepted=hashes(made), options=QUICK)
    server.always_cut.clear()
    (kept,) = (path for path in (home / ".small.downloads").iterdir() if path.suffix != ".json")
    kept.write_bytes(b"\0" * 1200)
    with raises(InputError, url):
        fetch_model("small", url, accepted=hashes(made), options=QUICK)
    assert not (home / "small").exists()
    assert fetch_model("small", url, accepted=hashes(made), options=QUICK).new
    assert server.log[-1] == ("/m.zip", None)  # from the beginning
    fetched_card("small")


def test_fewer_bytes_than_the_server_says_are_no_file(home: Path, made: Path, tmp_path: Path, server: Server) -> None:
    url, _ = served(server, made, tmp_path)
    server.always_cut["/m.zip"] = 100
    with raises(InputError, url, "300 bytes came", "goes on"):
        fetch_model("small", url, accepted=hashes(made), options=QUICK)
    assert [asked for _, asked in server.log] == [None, "bytes=100-", "bytes=200-"]
    assert not (home / "small").exists()
    server.always_cut.clear()
    assert fetch_model("small", url, accepted=hashes(made), options=QUICK).new
    assert server.log[-1] == ("/m.zip", "bytes=300-")
    assert sorted(path.name for path in home.iterdir()) == [".small.lock", "small"]


def test_a_kill_in_the_middle_of_a_download_leaves_no_model_and_the_next_goes_on(
    home: Path, made: Path, tmp_path: Path, server: Server
) -> None:
    url, _ = served(server, made, tmp_path)
    server.stalled["/m.zip"] = 2000
    accepted = [word for digits in hashes(made) for word in ("--sha256", digits)]
    command = [sys.executable, "-m", "rankproof", "models", "fetch", "small", "--from", url, *accepted]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    downloads = home / ".small.downloads"
    until = time.monotonic() + 60
    while time.monotonic() < until and not any(
        path.stat().st_size == 2000 for path in downloads.glob("*") if downloads.is_dir()
    ):
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert not (home / "small").exists()
    assert listed_model("e5-small-v2").folder is None
    server.go.set()
    fetched = fetch_model("small", url, accepted=hashes(made), options=QUICK)
    assert fetched.new
    assert server.log == [("/m.zip", None), ("/m.zip", "bytes=2000-")]
    fetched_card("small")
    assert sorted(path.name for path in home.iterdir()) == [".small.lock", "small"]


FULL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
from rankproof.cli import main
sys.exit(main(sys.argv[1:]))
"""


def test_a_disk_that_takes_no_more_is_told_and_what_came_is_kept(
    home: Path, made: Path, tmp_path: Path, server: Server
) -> None:
    """A limit of the size of files stands for the disk: both make a write fail in the middle."""
    url, data = served(server, made, tmp_path)
    assert len(data) > 4000
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[1] == resource.RLIM_INFINITY or os.getuid() == 0
    accepted = [word for digits in hashes(made) for word in ("--sha256", digits)]
    told = subprocess.run(
        [sys.executable, "-c", FULL, "models", "fetch", "small", "--from", url, *accepted],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert told.returncode == 1, told.stderr
    assert "Traceback" not in told.stderr
    assert "3,000 bytes that came are kept" in told.stderr.replace("\n", " ")
    assert "--folder" in told.stderr
    assert len(server.log) == 1  # asking again does not help
    assert not (home / "small").exists()
    assert fetch_model("small", url, accepted=hashes(made), options=QUICK).new
    assert server.log[-1] == ("/m.zip", "bytes=3000-")


def test_no_room_is_told_before_a_byte_is_written(
    home: Path, made: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    import shutil

    url, data = served(server, made, tmp_path)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=len(data) - 1))
    with raises(InputError, f"{len(data) - 1:,}", f"{len(data):,}"):
        fetch_model("small", url, accepted=hashes(made), options=QUICK)
    assert [path.name for path in home.iterdir()] == [".small.lock"]


def hub(server: Server, made: Path, commit: str = COMMIT, revision: str = "main") -> None:
    names = [path.relative_to(made).as_posix() for path in sorted(made.rglob("*")) if path.is_file()]
    listing = {"sha": commit, "siblings": [{"rfilename": name} for name in names]}
    server.files[f"/api/models/org/name/revision/{revision}"] = json.dumps(listing).encode()
    for name in names:
        server.files[f"/org/name/resolve/{commit}/{name}"] = (made / name).read_bytes()


def test_the_token_goes_to_the_hub_and_not_to_the_host_that_it_leads_to(
    home: Path, made: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a hub does with large files: /resolve/ leads to a store at another host."""
    hub(server, made)
    store = Server()
    path = f"/org/name/resolve/{COMMIT}/model.safetensors"
    store.files["/blob?key=1"] = server.files.pop(path)
    server.redirects[path] = f"{store.url}/blob?key=1"
    monkeypatch.setenv("HF_ENDPOINT", server.url + "/")
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    try:
        fetched = fetch_model("small", "org/name", accepted=hashes(made), options=QUICK)
    finally:
        store.http.shutdown()
        store.http.server_close()
    assert set(server.keys) == {"Bearer hf_secret"}
    assert store.keys == [None]
    assert store.log == [("/blob?key=1", None)]
    assert fetched.card.source == f"{server.url}/org/name@{COMMIT}"
    written = [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    assert not any(b"hf_secret" in data for data in written)


def test_a_pinned_commit_is_the_one_that_comes_and_is_recorded(
    home: Path, made: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    hub(server, made, revision=COMMIT)
    fetched = fetch_model("small", f"org/name@{COMMIT}", accepted=hashes(made), options=QUICK)
    assert server.log[0] == (f"/api/models/org/name/revision/{COMMIT}", None)
    assert fetched.card.source.endswith(f"@{COMMIT}")
    other = "f" * 40
    hub(server, made, commit=COMMIT, revision=other)
    with raises(InputError, other, COMMIT, "HF_ENDPOINT"):
        fetch_model("another", f"org/name@{other}", accepted=hashes(made), options=QUICK)
    hub(server, made, revision="v1.0")
    assert fetch_model("named", "org/name@v1.0", accepted=hashes(made), options=QUICK).card.source.endswith(COMMIT)


@pytest.mark.parametrize(
    ("path", "body", "words"),
    [
        ("revision/main", b'{"sha": "../../x", "siblings": []}', ("../../x", "HF_ENDPOINT")),
        ("revision/main", b'{"sha": "0123abc", "siblings": [{}]}', ("HF_ENDPOINT",)),
        ("revision/main", b"<html>", ("HF_ENDPOINT",)),
        (
            "revision/main",
            b'{"sha": "0123abc", "siblings": [{"rfilename": "../../../etc/model.onnx"}]}',
            ("tokenizer",),
        ),
        ("elsewhere", b"", ("404",)),
    ],
)
def test_a_hub_that_speaks_otherwise_is_refused(
    home: Path, server: Server, monkeypatch: pytest.MonkeyPatch, path: str, body: bytes, words: tuple[str, ...]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    server.files[f"/api/models/org/name/{path}"] = body
    with raises(InputError, *words):
        fetch_model("small", "org/name", options=QUICK)
    assert [path.name for path in home.iterdir()] == [".small.lock"]


# ---- licenses ------------------------------------------------------------------------------------


def shown(*args: str) -> str:
    told = subprocess.run(
        [*forking.command(), "models", "show", *args], capture_output=True, text=True, check=False, timeout=120
    )
    assert told.returncode == 0, told.stderr
    return told.stdout


def test_the_license_that_comes_with_the_files_is_kept_and_shown(home: Path, made: Path) -> None:
    (made / "LICENSE").write_text("Do as you like.\n\x1b[2JSecond line\n", "utf-8")
    (made / "META-INF").mkdir()
    (made / "META-INF" / "LICENSE").write_text("of the jar")
    fetch_model("small", str(made), accepted=hashes(made))
    assert license_text(str(home / "small")) == "Do as you like.\n\x1b[2JSecond line\n"
    text = shown("small")
    assert "\nDo as you like.\n" in text
    assert "\x1b" not in text
    assert json.loads(shown("small", "--json"))["license_text"].startswith("Do as you like.")
    assert "License text: LICENSE" in (home / "small" / "licenses" / "MODEL.txt").read_text()


def test_a_model_without_a_license_says_so(home: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(licenses, "MOST_TEXT", 10)
    (made / "LICENSE.txt").write_text("a text of more than ten bytes")
    fetch_model("small", str(made), accepted=hashes(made))
    about = (home / "small" / "licenses" / "MODEL.txt").read_text()
    assert "License text: none came with the files" in about
    assert "Left out: LICENSE.txt, more than 10 bytes" in about
    assert "No text of the license came with the files." in shown("small")
    assert json.loads(shown("small", "--json"))["license_text"] is None


def test_models_with_a_card_have_the_license_of_their_authors(tmp_path: Path) -> None:
    for known in KNOWN.values():
        part = tmp_path / known.card.name
        licenses.keep_licenses(str(part), known.card, {}, lambda name, path: None, known.artifact)
        text = license_text(str(part))
        assert text is not None
        assert text.startswith("MIT License\n\nCopyright (c) ")
        assert known.notice in text.splitlines()
        assert "THE SOFTWARE IS PROVIDED" in text
