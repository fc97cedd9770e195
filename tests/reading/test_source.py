"""Opening a source: plain, compressed, piped, damaged, missing; always plain bytes or one message."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from tests.raising import raises

import rankproof
from rankproof.core import TextFile
from rankproof.errors import Unreadable, UsageError
from rankproof.reading.collect import read_rows, read_run
from rankproof.reading.source import once, open_source


def packed(data: bytes) -> bytes:
    """Compressed without the time, so that the same data gives the same bytes."""
    return gzip.compress(data, mtime=0)


TEXT = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
PACKED: dict[str, Callable[[bytes], bytes]] = {
    "gzip": packed,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}


def refused(what: object, *values: object) -> None:
    with raises(Unreadable, *values):
        read_rows(what, "run")


def test_a_plain_file_is_read_where_its_bytes_are_needed(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(TEXT)
    source = open_source(path)
    assert isinstance(source.whole, TextFile)
    assert (source.whole.path, source.size, source.part(3, 2), source.data) == (str(path), len(TEXT), b"Q0", TEXT)
    assert (source.name, source.path, source.notes) == (str(path), str(path), ())


@pytest.mark.parametrize("packing", PACKED)
def test_compression_is_known_by_content(packing: str, tmp_path: Path) -> None:
    path = tmp_path / "a.run"  # no ending that says so
    path.write_bytes(PACKED[packing](TEXT))
    for what in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        source = open_source(what)
        assert bytes(source.data) == TEXT
        assert source.notes == (f"decompressed ({packing})",)
        assert source.whole is source.data
    assert f"decompressed ({packing})" in read_run(path).notes


@pytest.mark.parametrize("packing", PACKED)
def test_several_archives_one_after_the_other(packing: str) -> None:
    pack = PACKED[packing]
    assert bytes(open_source(pack(TEXT) + pack(TEXT)).data) == TEXT + TEXT


@pytest.mark.parametrize("packing", PACKED)
def test_a_cut_off_archive_is_refused_at_every_length(packing: str) -> None:
    whole = PACKED[packing](TEXT)
    for length in range(10, len(whole)):
        with raises(Unreadable, "<bytes>", packing):
            open_source(whole[:length])
    refused(whole[:-1], "<bytes>", packing, "early")


@pytest.mark.parametrize("packing", ["gzip", "bzip2", "xz"])
def test_a_damaged_archive_is_refused(packing: str) -> None:
    whole = bytearray(PACKED[packing](TEXT))
    whole[len(whole) // 2] ^= 0xFF
    refused(bytes(whole), "<bytes>", packing, "damaged")


def test_an_archive_that_holds_itself_does_not_hang() -> None:
    thrice = packed(packed(packed(TEXT)))
    assert bytes(open_source(thrice).data) == packed(TEXT)
    refused(thrice, "<bytes>", "binary")


def test_what_is_not_a_file(tmp_path: Path) -> None:
    missing = tmp_path / "missing.run"
    refused(missing, missing)
    refused(tmp_path, tmp_path, "directory")
    refused(str(tmp_path / "a\0b"), tmp_path, "null byte")
    below = tmp_path / "file"
    below.write_bytes(TEXT)
    refused(below / "x", below / "x", "Not a directory")
    with raises(UsageError, "object", "path", "dict"):
        read_rows(object(), "run")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_no_permission(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(TEXT)
    path.chmod(0)
    refused(path, path, "permission")


def test_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(packed(TEXT)))
    writer.start()
    assert len(read_run(path)["q1"]) == 2
    writer.join()


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    run = read_run("-")
    assert len(run["q1"]) == 2
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(TEXT)))
    kept = once("-")
    assert read_run(kept) == read_run(kept) == run
    monkeypatch.setattr("sys.stdin", None)
    refused("-", "standard input", "'-'")


@pytest.mark.parametrize("content", [TEXT, b'{"q1": {"d1": 2.5, "d2": 1.5}}', packed(TEXT)])
def test_standard_input_is_evaluated_whatever_its_format(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert rankproof.evaluate({"q1": {"d2": 1}}, "-", "RR")["RR"].mean == 0.5
    assert rankproof.evaluate({"q1": {"d2": 1}}, io.BytesIO(content), "RR")["RR"].mean == 0.5


def test_open_files(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(TEXT)
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert read_run(binary) == read_run(text) == read_run(path)
    with path.open("rb") as closed:
        pass
    refused(closed, path, "closed file")


# ---- what kind of bytes --------------------------------------------------------------------------


def test_byte_order_marks(tmp_path: Path) -> None:
    expected = read_run(TEXT)
    path = tmp_path / "a.run"
    path.write_bytes(b"\xef\xbb\xbf" + TEXT)
    assert read_run(path) == read_run(path.read_bytes()) == expected
    assert read_run(packed(b"\xef\xbb\xbf" + TEXT)) == expected
    for encoding in ("utf-16", "utf-32"):
        run = read_run(TEXT.decode().encode(encoding))
        assert run == expected
        assert f"decoded from {encoding.upper()}" in run.notes
    broken = TEXT.decode().encode("utf-16")[:-1]
    refused(broken, "<bytes>", "UTF-16", "UTF-8")


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (bytes(range(256)) * 4, ["binary"]),
        (TEXT.decode().encode("utf-16-le"), ["binary", "UTF-16", "UTF-8"]),
        (b"PK\x03\x04" + b"\0" * 30, ["zip"]),
        (b"\x04\x22\x4d\x18abc", ["lz4", "gzip", "zstd", "bzip2", "xz"]),
        (b"x" * 257 + b"ustar" + b"\0" * 300, ["tar"]),
        (b"\x80\x04\x95\x00\x00", ["pickle", "JSON", "Parquet"]),
        (b"q1 Q0 d1 1 2.5 t\rq1 Q0 d2 2 1.5 t\r", ["carriage return"]),
    ],
)
def test_what_is_not_text(content: bytes, values: list[str]) -> None:
    refused(content, "<bytes>", *values)
    with raises(Unreadable, "<bytes>", *values):
        read_rows(content, "run", "trec")


def test_a_name_for_messages() -> None:
    assert open_source(TEXT, "upload.run").name == "upload.run"
