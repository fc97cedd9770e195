"""Parquet and JSON lines read in pieces give what they give when they are read at once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.measuring.outofcore.test_text import WHOLE, told

import rankproof

MEASURES = "nDCG@10 AP RR P@5 NumRet"
Row = dict[str, Any]


def made(scattered: bool = False, seed: int = 3) -> tuple[list[Row], dict[str, dict[str, int]]]:
    """A run with ties and several tags, and judgments of every other query."""
    rng = np.random.default_rng(seed)
    pairs = [(q, int(d)) for q in range(40) for d in rng.permutation(50)[:30]]
    if scattered:
        rng.shuffle(pairs)
    rows = [
        {"query_id": f"q{q}", "doc_id": f"d{d}", "score": float(rng.integers(0, 9)), "tag": f"t{q % 3}"}
        for q, d in pairs
    ]
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in rng.integers(0, 60, 12)} for q in range(0, 50, 2)}
    return rows, qrels


def parquet(path: Path, rows: list[Row]) -> Path:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=100)
    return path


def jsonl(path: Path, rows: list[Row]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def packed(path: Path, rows: list[Row]) -> Path:
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    return path


WRITERS = {"a.parquet": parquet, "a.jsonl": jsonl, "a.jsonl.gz": packed}


def same(qrels: Any, path: Path, memory: int = 60_000, **choices: Any) -> Any:
    whole = told(qrels, path, MEASURES, memory=WHOLE, **choices)
    assert told(qrels, path, MEASURES, memory=memory, **choices) == whole
    return whole


@pytest.mark.parametrize("file", WRITERS)
@pytest.mark.parametrize("scattered", [False, True])
def test_values_and_all_that_is_said(tmp_path: Path, file: str, scattered: bool) -> None:
    rows, qrels = made(scattered)
    path = WRITERS[file](tmp_path / file, rows)
    same(qrels, path)
    same(qrels, path, order="given")
    if not scattered:  # of a scattered run the example that is shown may be another document
        same({"q0": {"x1": 1}}, path)


@pytest.mark.parametrize("file", WRITERS)
@pytest.mark.parametrize(
    "fault", [{"doc_id": "d1"}, {"score": float("nan")}, {"doc_id": None}, {"query_id": ""}], ids=str
)
def test_refusals(tmp_path: Path, file: str, fault: Row) -> None:
    """A double far from its first, a score that is none, an id that is missing: row 1,100 of 1,200."""
    rows, qrels = made()
    rows[1099] = {**rows[1099], **fault}
    whole = same(qrels, WRITERS[file](tmp_path / file, rows))
    assert whole[0] in ("refused", "InputError") or fault == {"doc_id": "d1"}


def test_a_whole_query_on_a_line(tmp_path: Path) -> None:
    rows, qrels = made()
    by_query: dict[str, list[Any]] = {}
    for row in rows:
        by_query.setdefault(row["query_id"], []).append([row["doc_id"], row["score"]])
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps({"query_id": q, "docs": docs}) + "\n" for q, docs in by_query.items()))
    same(qrels, path)
    path.write_text(
        "".join(json.dumps({"query_id": q, "docs": [d for d, _ in docs]}) + "\n" for q, docs in by_query.items())
    )
    same(qrels, path)


def test_lines_of_another_kind_are_refused_as_before(tmp_path: Path) -> None:
    rows, qrels = made()
    path = tmp_path / "a.jsonl"
    lines = [json.dumps(row) for row in rows]
    for bad in ('{"query_id": "q9", "docs": ["d1"]}', '{"query_id": "q9", "doc_id": "d1"}', "[1]", '{"a": 1'):
        path.write_text("\n".join([*lines[:1100], bad, *lines[1100:]]))
        assert same(qrels, path)[0] == "InputError"


def test_the_pieces_are_really_pieces(tmp_path: Path) -> None:
    """1,200 rows with 60,000 bytes of memory: 14 rows at a time, and each piece ends with a query of 30 rows."""
    from rankproof.measuring.outofcore.row_pieces import RowPieces
    from rankproof.measuring.prepare import prepare_qrels
    from rankproof.reading.formats.jsonl import pieces
    from rankproof.reading.records import DEFAULT_ORDER

    rows, qrels = made()
    path = jsonl(tmp_path / "a.jsonl", rows)
    with path.open("rb") as file:
        read = list(RowPieces(lambda: pieces(file, "a", {}, 14), DEFAULT_ORDER).read())
    assert [len(piece.rows()) for piece in read] == [30] * 40
    assert read[-1].rows().line.tolist() == list(range(1171, 1201))
    run = prepare_qrels(qrels).prepare(path, memory=60_000)
    assert len(run.rows_of(["q1", "q2"])) == 60
    assert rankproof.evaluate(run.qrels, run, "AP")["AP"].mean > 0
