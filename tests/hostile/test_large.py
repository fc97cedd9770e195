"""Files that are too long for anybody: each is read or refused in good time and within the memory at hand."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.hostile.command import PATIENCE, Answer, apart, good_files
from tests.raising import raises

import rankproof

GIGABYTE = 1 << 30


@pytest.fixture
def large_file(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "large.run"
    yield path
    path.unlink(missing_ok=True)


def repeated(path: Path, before: bytes, middle: bytes, times: int, after: bytes) -> None:
    with path.open("wb") as file:
        file.write(before)
        for _ in range(times):
            file.write(middle)
        file.write(after)


# What stands before, in and after the long part.
LINES = {
    "one word": (b"", b"x", b"\n"),
    "one document id": (b"q1 Q0 ", b"d", b" 1 2.5 t\n"),
    "nothing but blanks": (b"", b" ", b"\n"),
    "one number": (b"q1 Q0 d1 1 1", b"0", b" t\n"),
    "one open bracket": (b"{", b"[", b"\n"),
}


@pytest.mark.full
@pytest.mark.parametrize("name", LINES)
def test_a_line_of_a_gigabyte(name: str, large_file: Path, tmp_path: Path) -> None:
    before, byte, after = LINES[name]
    repeated(large_file, before, byte * (1 << 20), GIGABYTE >> 20, after)
    qrels, _ = good_files(tmp_path)
    for args in (
        ["evaluate", qrels, large_file],
        ["evaluate", qrels, large_file, "--run-format", "trec"],
        ["runs", "validate", large_file],
    ):
        told = apart(*args, patience=10 * PATIENCE)
        if told.status != 0:  # a document id of a gigabyte is one, when the format is named
            told.refused()
        assert "Traceback" not in told.err
        assert len(told.out) + len(told.err) < 4000


@pytest.mark.full
def test_a_gigabyte_of_zeros_that_takes_no_room(large_file: Path, tmp_path: Path) -> None:
    with large_file.open("wb") as file:
        os.truncate(file.fileno(), GIGABYTE)
    qrels, _ = good_files(tmp_path)
    assert "is a binary file" in apart("evaluate", qrels, large_file).refused()


def ten_million(path: Path) -> None:
    with path.open("w") as file:
        for begin in range(0, 10_000_000, 100_000):
            file.write("".join(f"q{i} Q0 d{i % 7} 1 1.5 t\n" for i in range(begin, begin + 100_000)))


@pytest.mark.full
def test_ten_million_queries_of_one_document(large_file: Path, tmp_path: Path) -> None:
    ten_million(large_file)
    qrels, _ = good_files(tmp_path)
    large_qrels = tmp_path / "large.qrels"
    with large_qrels.open("w") as file:
        for begin in range(0, 10_000_000, 100_000):
            file.write("".join(f"q{i} 0 d{i % 5} 1\n" for i in range(begin, begin + 100_000)))
    try:
        for judged, mean in ((qrels, 1 / 2), (large_qrels, 5 / 35)):
            began = time.monotonic()
            told = apart("evaluate", judged, large_file, "-m", "RR", "--format", "csv", patience=10 * PATIENCE)
            spent = time.monotonic() - began
            assert told.status == 0, told.err
            # q1 has d1 and q2 has d2, of which d1 is judged; i % 7 == i % 5 for 5 of 35 numbers.
            assert float(told.out.splitlines()[1].split(",")[-1]) == pytest.approx(mean, abs=1e-6)
            print(f"10 million queries, {judged.name}: {spent:.1f} s")
    finally:
        large_qrels.unlink()


@pytest.mark.full
def test_ten_million_queries_are_validated(large_file: Path) -> None:
    ten_million(large_file)
    told = apart("runs", "validate", large_file, patience=10 * PATIENCE)
    assert told.status == 0
    assert len(told.out) < 4000


def test_ids_made_to_collide_cost_no_more_than_others() -> None:
    # With fixed keys, all ids of 9 to 16 bytes that begin with one key's eight bytes had one hash, and this file took
    # minutes. Wyhash's published constants, which the core's own once were, stand for any guess.
    key = 0xA0761D6478BD642F.to_bytes(8, "little")
    rows = b"".join(b"q1 Q0 %s%07d %d 1.0 t\n" % (key, i, i + 1) for i in range(200_000))
    began = time.monotonic()
    with raises(rankproof.errors.Refused, "<bytes>", "line 1", "199,999", "undecodable_bytes"):
        rankproof.evaluate({"q1": {"d1": 1}}, rows, "RR")
    assert time.monotonic() - began < PATIENCE / 4


@pytest.mark.alone
@pytest.mark.parametrize("pattern", ["one query", "queries in turn", "one score"])
def test_time_grows_with_size_whatever_the_order(pattern: str) -> None:
    lines = {
        "one query": lambda i: f"q Q0 d{i} {i + 1} {-i} t\n",
        "queries in turn": lambda i: f"q{i % 1000} Q0 d{i} {i + 1} {-i} t\n",
        "one score": lambda i: f"q Q0 d{i} {i + 1} 1 t\n",
    }[pattern]
    qrels = {"q": {f"d{i}": 1 for i in range(0, 60_000, 2)}, "q7": {f"d{i}": 1 for i in range(7, 60_000, 1000)}}

    def seconds(rows: int) -> float:
        text = "".join(lines(i) for i in range(rows)).encode()
        best = 9e9
        for _ in range(3):
            began = time.perf_counter()
            rankproof.evaluate(qrels, text, "RR")
            best = min(best, time.perf_counter() - began)
        return best

    small, large = seconds(6_000), seconds(60_000)
    assert large < max(40 * small, 2.0), "ten times the rows, about ten times the time"


@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc how much memory there is")
def test_a_file_that_begins_with_empty_lines_asks_for_no_more_memory() -> None:
    # The beginning promises a row for every byte; room for all of them would be more than a gigabyte.
    code = (
        "import resource, rankproof\n"
        "text = b'\\n' * (1 << 14) + b'q1 0 d1 1\\n' + b'\\n' * (1 << 25)\n"
        "from rankproof.reading.collect import read_qrels\n"
        "read_qrels(b'q1 0 d1 1\\n', 'trec')\n"
        "pages = int(open('/proc/self/statm').read().split()[0])\n"
        "most = pages * resource.getpagesize() + (600 << 20)\n"
        "resource.setrlimit(resource.RLIMIT_AS, (most, most))\n"
        "print(len(read_qrels(text, 'trec')))\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=PATIENCE, check=False, text=True)
    assert Answer(told.returncode, told.stdout, told.stderr) == Answer(0, "1\n", "")
