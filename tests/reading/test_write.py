"""Writing: by ending, compressed, whole or not at all."""

from __future__ import annotations

import gzip
import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.kernel.atomic import replace_file
from rankproof.reading.collect import read_qrels, read_run, read_topics
from rankproof.reading.write import write

RUN = {"q1": {"d1": 2.5, "d2": 1.5}}


def test_the_ending_names_format_and_compression(tmp_path: Path) -> None:
    run = read_run(RUN)
    for ending, form in {
        ".run": "trec",
        ".tsv": "tsv",
        ".JSON": "json",
        ".jsonl": "jsonl",
        ".parquet": "parquet",
    }.items():
        for packing in ("", ".gz", ".zst", ".bz2", ".xz"):
            path = tmp_path / f"a{ending}{packing}"
            assert write(run, path) == form
            assert read_run(path) == run
    assert (tmp_path / "a.run.gz").read_bytes()[:2] == b"\x1f\x8b"
    assert (tmp_path / "a.run").read_text() == "q1 Q0 d1 1 2.5 run\nq1 Q0 d2 2 1.5 run\n"
    # The same content gives the same bytes: no time of day in the archive.
    assert (tmp_path / "a.run.gz").read_bytes()[4:8] == b"\0\0\0\0"
    assert gzip.decompress((tmp_path / "a.run.gz").read_bytes()) == (tmp_path / "a.run").read_bytes()


def test_a_name_that_says_nothing(tmp_path: Path) -> None:
    run = read_run(RUN)
    with raises(UsageError, tmp_path / "a.xyz", "run", "csv", "json", "jsonl", "trec"):
        write(run, tmp_path / "a.xyz")
    assert write(run, tmp_path / "a.xyz", format="csv") == "csv"
    with raises(UsageError, "beir", "run", "csv", "json", "jsonl", "trec"):
        write(run, tmp_path / "a.beir", format="beir")
    assert write(read_qrels({"q1": {"d1": 1}}), tmp_path / "a.beir") == "beir"
    assert write({"q1": "words"}, tmp_path / "a.topics") == "trec_topics"
    assert read_topics(tmp_path / "a.topics") == {"q1": "words"}
    with raises(UsageError, "list", "Run", "Qrels", "topics"):
        write([1], tmp_path / "a.run")


def test_it_is_a_public_name(tmp_path: Path) -> None:
    rankproof.write(rankproof.read_run(RUN), tmp_path / "a.json")
    assert rankproof.read_run(tmp_path / "a.json").to_dict() == RUN


def test_an_error_leaves_everything_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("what was there")
    with raises(InputError, "'d 1'", "trec", "json", "jsonl"):
        write(read_run({"q1": {"d1": 2.0, "d 1": 1.0}}), path)
    assert path.read_text() == "what was there"
    assert os.listdir(tmp_path) == ["a.run"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, ValueError])
def test_an_interruption_leaves_everything_as_it_was(tmp_path: Path, stop: type[BaseException]) -> None:
    def pieces() -> Iterator[bytes]:
        yield b"half"
        raise stop

    path = tmp_path / "a.run"
    with pytest.raises(stop):
        replace_file(str(path), pieces())
    assert os.listdir(tmp_path) == []
    path.write_text("what was there")
    with pytest.raises(stop):
        replace_file(str(path), pieces())
    assert path.read_text() == "what was there"
    assert os.listdir(tmp_path) == ["a.run"]


def test_permissions_and_links(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.run"
    link.symlink_to(path)
    write(read_run(RUN), link)
    assert link.is_symlink()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert path.read_text().startswith("q1 Q0 d1")


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    run = read_run(RUN)
    (tmp_path / "folder.run").mkdir()
    with raises(UsageError, tmp_path / "folder.run", "folder"):
        write(run, tmp_path / "folder.run")
    with raises(UsageError, tmp_path / "missing" / "a.run", f"folder {tmp_path / 'missing'}"):
        write(run, tmp_path / "missing" / "a.run")


def test_a_device(tmp_path: Path) -> None:
    write(read_run(RUN), "/dev/null", format="trec")
    assert not os.path.isfile("/dev/null")
