"""Runs of any size, the same for the same numbers, written in bounded memory; and judgments for them."""

from __future__ import annotations

import gzip
import shutil
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

DEPTH = 1000
_LINE = b"q0000000 Q0 doc-0000000000 0000 00.000000 generated\n"
# Columns of the line, and how many digits stand there.
_QUERY, _DOC, _RANK, _WHOLE, _FRACTION = (1, 8), (16, 26), (27, 31), (32, 34), (35, 41)
_MILLION = 1_000_000


def doc_number(query: NDArray[np.int64] | int, rank: NDArray[np.int64] | int) -> NDArray[np.int64]:
    """The document at a rank of a query: others at every rank, since the step shares no factor with the prime."""
    return np.asarray((query * 7919 + rank * 104_729) % 8_841_823)


def run_file(path: Path, queries: int, at_a_time: int = 200) -> Path:
    """A TREC run of 1,000 rows a query and 52 bytes a row. Neighbors tie, two by two."""
    template = np.frombuffer(_LINE, dtype=np.uint8)
    with path.open("wb") as file:
        for first in range(0, queries, at_a_time):
            several = np.arange(first, min(first + at_a_time, queries))
            query, rank = np.repeat(several, DEPTH), np.tile(np.arange(1, DEPTH + 1), len(several))
            score = (DEPTH - rank // 2) * 9973
            lines = np.tile(template, (len(query), 1))
            for (begin, end), number in (
                (_QUERY, query),
                (_DOC, doc_number(query, rank)),
                (_RANK, rank),
                (_WHOLE, score // _MILLION),
                (_FRACTION, score % _MILLION),
            ):
                _write(lines[:, begin:end], number)
            file.write(lines.tobytes())
    return path


def qrels_file(path: Path, queries: int, judged: int = 20) -> Path:
    """About so many judged documents a query, half of them retrieved, grades 0 to 3."""
    rng = np.random.default_rng(1)
    with path.open("w") as file:
        for query in range(queries):
            for rank in np.unique(rng.integers(1, 2 * DEPTH, judged)).tolist():
                file.write(f"q{query:07d} 0 doc-{int(doc_number(query, rank)):010d} {(query + rank) % 4}\n")
    return path


def _write(columns: NDArray[np.uint8], number: NDArray[np.int64]) -> None:
    for place in range(columns.shape[1] - 1, -1, -1):
        number, digit = np.divmod(number, 10)
        columns[:, place] = digit + ord("0")


def scattered(run: Path, path: Path) -> Path:
    """The same rows in another order: a line from each of a thousand places of the file in turn."""
    lines = np.memmap(run, dtype=np.uint8, mode="r").reshape(-1, len(_LINE))
    stretch = -(-len(lines) // DEPTH)
    with path.open("wb") as file:
        for begin in range(0, stretch, 100):
            at = np.arange(begin, min(begin + 100, stretch))[:, None] + stretch * np.arange(DEPTH)
            file.write(lines[at[at < len(lines)]].tobytes())
    return path


def gzipped(run: Path, path: Path) -> Path:
    """The same text, packed."""
    with run.open("rb") as plain, gzip.open(path, "wb", compresslevel=1) as file:
        shutil.copyfileobj(plain, file, 1 << 22)
    return path


def parquet(run: Path, path: Path) -> Path:
    """The same rows as Parquet: query_id, doc_id, score."""
    import pyarrow
    import pyarrow.parquet

    schema = pyarrow.schema({"query_id": pyarrow.string(), "doc_id": pyarrow.string(), "score": pyarrow.float64()})
    with pyarrow.parquet.ParquetWriter(path, schema) as writer:
        for query, doc, score in _columns(run):
            writer.write_table(pyarrow.table([query, doc, score], schema=schema))
    return path


def jsonl(run: Path, path: Path) -> Path:
    """The same rows as JSON lines."""
    with path.open("w") as file:
        for columns in _columns(run):
            rows = zip(*columns, strict=True)
            file.writelines(f'{{"query_id": "{q}", "doc_id": "{d}", "score": {s!r}}}\n' for q, d, s in rows)
    return path


def _columns(run: Path, rows: int = 500_000) -> Iterator[tuple[list[str], list[str], list[float]]]:
    with run.open() as file:
        while lines := list(islice(file, rows)):
            cut = [line.split(" ") for line in lines]
            yield [c[0] for c in cut], [c[2] for c in cut], [float(c[4]) for c in cut]


FORMS = {"scattered": scattered, "gzip": gzipped, "parquet": parquet, "jsonl": jsonl}
