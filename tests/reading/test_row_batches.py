from __future__ import annotations

import bz2
import gzip
import lzma
import math
import subprocess
import sys
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, Unreadable
from rankproof.reading.row_batches import first_rows, header, stream

# Two rows, an empty line, a row: lines 2, 3 and 5.
TABLE = b'\xef\xbb\xbfquery_id,doc_id,clicked,dwell\nq1,"a,b",1,3.5\nq1,d2,,\n\nq2,d3,no,1e3\n'


def zstd(plain: bytes) -> bytes:
    zstandard = pytest.importorskip("zstandard")
    packed: bytes = zstandard.compress(plain)
    return packed


PACKINGS = {
    "plain": bytes,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstd,
    "zstd in two frames": lambda plain: zstd(plain[:20]) + zstd(plain[20:]),
}


@pytest.mark.parametrize("packing", PACKINGS)
def test_batches_have_the_rows_of_the_file_in_order(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(PACKINGS[packing](TABLE))
    batches = list(stream(str(path), ["query_id", "doc_id"], ["clicked", "dwell", "elsewhere"], rows=2))
    assert [len(batch) for batch in batches] == [2, 1]
    assert [batch.texts("doc_id") for batch in batches] == [["a,b", "d2"], ["d3"]]
    assert [batch.flags("clicked") for batch in batches] == [[True, None], [False]]
    assert batches[0].numbers("dwell")[0] == 3.5
    assert math.isnan(batches[0].numbers("dwell")[1])
    assert batches[1].numbers("dwell").tolist() == [1000.0]
    assert batches[1].where(0) == f"{path}, line 5"
    assert not batches[0].has("elsewhere")


@pytest.mark.parametrize("packing", ["gzip", "bzip2", "xz", "zstd"])
def test_a_packed_file_that_was_cut_off_is_refused(tmp_path: Path, packing: str) -> None:
    path = tmp_path / "log"
    path.write_bytes(PACKINGS[packing](TABLE)[:-9])
    with raises(Unreadable, path, packing, "early"):
        list(stream(str(path)))


def test_a_column_within_objects_is_named_with_points(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text('{"at": {"rank": 1}, "q": "x", "a.b": 5}\n\n{"q": "y\u2028z"}\n', encoding="utf-8")
    (batch,) = stream(str(path), ["at.rank", "q"], ["a.b"])
    assert batch.values("at.rank") == [1, None]
    assert batch.texts("q") == ["x", "y\u2028z"]
    assert batch.values("a.b") == [5, None]
    assert batch.where(1) == f"{path}, line 3"
    assert header(str(path)) == ("at", "q", "a.b")


def test_parquet_gives_numbers_lists_and_columns_within(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    path = tmp_path / "log.parquet"
    table = {"q": ["x", "y", "z"], "n": [{"b": 1}, {"b": None}, None], "r": [1, 2, 3], "docs": [["a"], ["b", "c"], []]}
    parquet.write_table(pa.table(table), path)
    first, second = stream(str(path), ["n.b", "q"], ["r", "docs"], rows=2)
    assert [*first.values("n.b"), *second.values("n.b")] == [1, None, None]
    assert first.numbers("r").tolist() == [1.0, 2.0]
    assert first.values("docs") == [["a"], ["b", "c"]]
    assert second.where(0) == f"{path}, row 3"
    whole = first_rows(str(path), 10)
    assert whole is not None
    assert tuple(whole.columns) == header(str(path)) == ("q", "n", "r", "docs")


def test_standard_input_is_read_as_it_comes() -> None:
    code = "from rankproof.reading.row_batches import stream; print([b.where(0) for b in stream('-')])"
    told = subprocess.run([sys.executable, "-c", code], input=TABLE, capture_output=True, check=True, timeout=60)
    assert told.stdout.decode().strip() == "['<stdin>, line 2']"


@pytest.mark.parametrize(
    ("content", "kind", "values"),
    [
        (b"", InputError, ["header", "CSV", "TSV"]),
        (b"a,b\n1\n", InputError, ["line 2", "1", "2", "header"]),
        (b"a,a\n1,2\n", InputError, ["line 1", "'a'", "twice"]),
        (b"a,,b\n1,2,3\n", InputError, ["line 1", "column 2"]),
        (b'a,b\n"x\n', InputError, ["line 2", "CSV"]),
        (b'{"a": 1}\n[1]\n', InputError, ["line 2", "JSON object"]),
        (b'{"a": 1}\n{"a": \n', InputError, ["line 2", "JSON", "truncated"]),
        (b"a\nx\n", InputError, ["line 2", "a", "'x'"]),
        (b"a\nnan\n", InputError, ["line 2", "a", "'nan'"]),
        (b"a\n1e999\n", InputError, ["line 2", "a", "'1e999'"]),
        (b"PAR1 and nothing more", Unreadable, ["Parquet"]),
        (b"\x00\x01", Unreadable, ["binary", "CSV", "TSV", "Parquet"]),
        (b"a\n\xff\n", Unreadable, ["UTF-8"]),
        (b"b\n1\n", InputError, ["'a'", "b"]),
    ],
)
def test_what_is_no_table_is_refused_with_the_place(
    tmp_path: Path, content: bytes, kind: type[InputError], values: list[str]
) -> None:
    path = tmp_path / "log"
    path.write_bytes(content)
    with raises(kind, path, *values):
        [batch.numbers("a") for batch in stream(str(path), ["a"])]


def test_a_row_without_an_id_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("q,d\nq1,7\n,8\n")
    (batch,) = stream(str(path))
    assert batch.texts("d") == ["7", "8"]
    with raises(InputError, path, "line 3", "q"):
        batch.texts("q")
    with raises(InputError, path, "line 2", "d", "'7'"):
        batch.flags("d")


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    import tracemalloc

    def peak(rows: int) -> int:
        path = tmp_path / f"{rows}.csv"
        path.write_text("q,d\n" + "query,document\n" * rows)
        tracemalloc.start()
        assert sum(len(batch) for batch in stream(str(path), ["q"], rows=1000)) == rows
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    assert peak(100_000) < 1.5 * peak(10_000)
