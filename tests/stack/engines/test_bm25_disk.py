"""BM25 with its index in the cache folder: on disk where it is large, whole or not there, made anew when damaged."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.kernel.cache import FolderCache
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.engines import _terms
from rankproof.stack.engines._terms import Analysis
from rankproof.stack.records import Ground
from rankproof.testing.rankings import corpus_of, parameters_of

pytest.importorskip("bm25s", reason="the extra stack is not installed")

BM25 = shelf.find("engines", "bm25")
TEXTS = {f"d{i}": f"tent lamp{i % 7} rope{i % 3} " * (i % 5) for i in range(300)}
QUERIES = [Query("1", "tent lamp1"), Query("2", "ropes rope2"), Query("3", "boat")]


def opened(folder: Path, corpus: Corpus | None = None, **said: Any) -> Any:
    return BM25.open(
        parameters_of(BM25, **said), Ground(corpus_of(TEXTS) if corpus is None else corpus, FolderCache(str(folder)))
    )


def answers(searcher: Any) -> list[tuple[tuple[str, ...], list[float]]]:
    return [(ranking.doc_ids, ranking.scores.tolist()) for ranking in searcher.search(QUERIES, 50)]


def entry(folder: Path) -> Path:
    (file,) = (path for path in folder.rglob("*") if path.is_file())
    return file


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_terms, "LARGE", 1)


@pytest.fixture
def plain() -> list[tuple[tuple[str, ...], list[float]]]:
    return answers(BM25.open(parameters_of(BM25), Ground(corpus_of(TEXTS))))


# ---- where it is ---------------------------------------------------------------------------------


def test_answers_are_the_same_from_memory_and_from_disk(on_disk: None, plain: Any, tmp_path: Path) -> None:
    first, second = opened(tmp_path), opened(tmp_path)
    assert first.notes == {}
    assert answers(first) == plain
    assert answers(second) == plain
    for searcher in (first, second):
        assert "300 documents" in searcher.notes["index"]
        assert "on disk" in searcher.notes["index"]


def test_a_small_index_is_read_into_memory(plain: Any, tmp_path: Path) -> None:
    opened(tmp_path).prepare()
    searcher = opened(tmp_path)
    assert answers(searcher) == plain
    assert searcher.notes == {}
    entry(tmp_path).unlink()
    assert answers(searcher) == plain


def test_other_parameters_read_the_same_file(on_disk: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opened(tmp_path).prepare()
    monkeypatch.setattr(Analysis, "counted", lambda *_: pytest.fail("counted again"))
    for said in ({"k1": 0.9}, {"variant": "bm25+", "delta": 1}, {"fields": "text^3"}):
        corpus = corpus_of(TEXTS)
        in_memory = BM25.open(parameters_of(BM25, **said), Ground(corpus, FolderCache(str(tmp_path))))
        assert answers(in_memory)
    with pytest.raises(pytest.fail.Exception, match="counted again"):
        opened(tmp_path, stemming="porter").prepare()


def test_empty_corpora_and_texts(on_disk: None, tmp_path: Path) -> None:
    for corpus in (Corpus((), {"text": ()}), Corpus((), {}), Corpus(("a",), {"text": ("",)}), Corpus(("a",), {})):
        for _ in range(2):
            assert answers(opened(tmp_path, Corpus(corpus.doc_ids, corpus.fields))) == [((), [])] * 3


# ---- damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize("damage", ["cut", "half", "flipped", "longer", "empty"])
@pytest.mark.parametrize("least", [1, 2**26])
def test_a_damaged_index_is_made_again_with_a_word(
    damage: str, least: int, plain: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(_terms, "LARGE", least)
    opened(tmp_path).prepare()
    whole = entry(tmp_path).read_bytes()
    damaged = {
        "cut": whole[:-1],
        "half": whole[: len(whole) // 2],
        "flipped": whole[:-9] + bytes([whole[-9] ^ 64]) + whole[-8:],
        "longer": whole + b"\0",
        "empty": b"",
    }
    entry(tmp_path).write_bytes(damaged[damage])
    searcher = opened(tmp_path)
    assert answers(searcher) == plain
    assert "damaged" in searcher.notes["rebuilt"]
    assert entry(tmp_path).read_bytes() == whole
    assert "rebuilt" not in opened(tmp_path).notes


def test_a_file_with_a_right_checksum_and_wrong_columns_is_made_again(plain: Any, tmp_path: Path) -> None:
    """Somebody who can write the folder can write a checksum too: it is no reason to trust what it covers."""
    stored: dict[str, bytes] = {}
    real = FolderCache.put_parts
    FolderCache.put_parts = lambda self, key, parts: stored.update({key: b"".join(parts)})  # type: ignore[method-assign]
    try:
        opened(tmp_path).prepare()
    finally:
        FolderCache.put_parts = real  # type: ignore[method-assign]
    ((key, data),) = stored.items()
    head = len(_terms._MARK)
    sizes = _terms._SIZES.unpack_from(data, head)
    wrong = [
        data[:head],
        b"another mark" + data[12:],
        data[:head] + _terms._SIZES.pack(2**63, *sizes[1:]) + data[head + 32 :],
        data[:head] + _terms._SIZES.pack(sizes[0] + 1, sizes[1], sizes[2], sizes[3] - 4) + data[head + 32 :],
        data[: head + 32] + b"\xff" * 64 + data[head + 96 :],
        data[: head + 32] + bytes(len(data) - head - 32),
    ]
    for each in wrong:
        FolderCache(str(tmp_path)).put(key, each)
        searcher = opened(tmp_path)
        assert answers(searcher) == plain
        assert "rebuilt" in searcher.notes


def test_a_file_that_is_cut_while_it_is_used_is_told(on_disk: None, tmp_path: Path) -> None:
    searcher = opened(tmp_path)
    searcher.prepare()
    os.truncate(entry(tmp_path), 200)
    with raises(InputError, "index of corpus", "changed", "Run again"):
        searcher.search(QUERIES, 5)


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be removed")
def test_a_file_that_is_removed_or_replaced_while_it_is_used_stays(on_disk: None, plain: Any, tmp_path: Path) -> None:
    searcher = opened(tmp_path)
    searcher.prepare()
    file = entry(tmp_path)
    (tmp_path / "other").write_bytes(b"another file")
    os.replace(tmp_path / "other", file)
    assert answers(searcher) == plain
    file.unlink()
    assert answers(searcher) == plain


# ---- writing it ----------------------------------------------------------------------------------

BUILD = """
import sys
from pathlib import Path
from rankproof.stack.engines import _terms
from tests.killing import arm
from tests.stack.engines.test_bm25_disk import answers, opened
_terms.LARGE = 1
if float(sys.argv[2]):
    arm(float(sys.argv[2]))
print(answers(opened(Path(sys.argv[1]))))
"""
ROOT = Path(__file__).resolve().parents[3]


def building(folder: Path, killed_at: float = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", BUILD, str(folder), str(killed_at)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_two_processes_that_make_the_same_index_do_not_meet(plain: Any, tmp_path: Path) -> None:
    both = [building(tmp_path), building(tmp_path)]
    assert [process.communicate(timeout=60)[0].strip() for process in both] == [str(plain)] * 2
    assert not list(tmp_path.rglob("*.part"))
    assert answers(opened(tmp_path)) == plain


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize("killed_at", [1, 2])  # before the bytes are synced; before they are moved to their place
def test_a_process_that_is_killed_leaves_no_half_index(killed_at: int, plain: Any, tmp_path: Path) -> None:
    process = building(tmp_path, killed_at)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".part"]
    searcher = opened(tmp_path)
    assert answers(searcher) == plain
    assert "rebuilt" not in searcher.notes


@pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
def test_a_disk_that_is_full_is_told_and_nothing_is_left(tmp_path: Path) -> None:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        with raises(InputError, "cannot be written", "large"):
            opened(tmp_path).prepare()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that nobody can write to")
def test_a_folder_that_cannot_be_written_is_told() -> None:
    with raises(InputError, "/proc/cache", "cannot be written"):
        opened(Path("/proc/cache")).prepare()
