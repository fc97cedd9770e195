"""A text read in pieces gives what it gives when it is read at once: values, fine print, findings, refusals."""

from __future__ import annotations

import bz2
import gzip
import lzma
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.measuring.test_two_paths import CLEAN, FAULTY, MEASURES, QRELS
from tests.scale.said import said
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.core import TextFile
from rankproof.errors import Refused
from rankproof.measuring.outofcore.pieces import FileWindow, TextPieces
from rankproof.measuring.prepare import join_run, prepare_qrels
from rankproof.reading.formats.trec import RUN

WHOLE = "1TB"


def told(qrels: Any, run: Any, measures: str, **choices: Any) -> Any:
    return said(lambda: rankproof.evaluate(qrels, run, measures, **choices))


def in_pieces_too(qrels: Any, run: Path, measures: str, memory: int, **choices: Any) -> None:
    whole = told(qrels, run, measures, memory=WHOLE, **choices)
    assert told(qrels, run, measures, memory=memory, **choices) == whole


def test_pieces_end_where_queries_end(tmp_path: Path) -> None:
    """Looked at 20 bytes at a time, and twice as many as long as no query ends: two pieces, each of whole lines."""
    path = tmp_path / "a.run"
    path.write_text("\n".join(CLEAN) + "\n")
    pieces = TextPieces(lambda: nullcontext(FileWindow(TextFile(str(path)))), RUN.layout, 20)
    read = [(piece.rows().query_ids, piece.rows().line.tolist()) for piece in pieces.read(numbered=True)]
    assert read == [(["q1", "q2"], [1, 2, 3]), (["q1", "q3"], [4, 5])]


@settings(max_examples=examples(300), deadline=None)
@given(
    lines=st.lists(st.sampled_from(CLEAN + FAULTY), min_size=1, max_size=9),
    memory=st.sampled_from([16, 100, 500, 1000, 3000]),
    ends=st.sampled_from(["", "\n"]),
)
def test_any_lines(tmp_path_factory: pytest.TempPathFactory, lines: list[str], memory: int, ends: str) -> None:
    path = tmp_path_factory.mktemp("run") / "a.run"
    path.write_bytes(("\n".join(lines) + ends).encode("latin-1"))
    in_pieces_too(QRELS, path, MEASURES, memory, run_format="trec")


@pytest.mark.parametrize("order", ["score", "rank", "given"])
@pytest.mark.parametrize("dialect", ["rankproof", "trec_eval", "ranx"])
def test_scattered_queries_and_every_order(tmp_path: Path, order: Any, dialect: str) -> None:
    """Rows of 40 queries in one shuffled heap, with ties, wrong ranks and queries that nobody judged."""
    rng = np.random.default_rng(3)
    rows = [(q, d) for q in range(40) for d in range(30)]
    rng.shuffle(rows)
    lines = [f"q{q}\tQ0\td{d}\t{rng.integers(1, 40)}\t{rng.integers(0, 9)}\tt{q % 2}" for q, d in rows]
    path = tmp_path / "heap.run"
    path.write_text("\n".join(lines))
    qrels = {f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in rng.integers(0, 50, 12)} for q in range(0, 50, 2)}
    in_pieces_too(qrels, path, "nDCG@10 AP RR P@5", 20_000, order=order, dialect=dialect)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "a.run.packed"
    path.write_bytes(pack("\n".join(CLEAN * 1).encode()))
    in_pieces_too(QRELS, path, MEASURES, 200)
    path.write_bytes(pack(("\n".join(CLEAN) + "\n" + FAULTY[0]).encode()))
    in_pieces_too(QRELS, path, MEASURES, 200)


def test_tables_with_headers_quotes_and_marks(tmp_path: Path) -> None:
    """A header is skipped once, a byte order mark is no part of the first id and stays part of a later one."""
    path = tmp_path / "a.csv"
    rows = ['q1,"d,1",3.5', "q1,d2,2.5", '\ufeffq2,"d ""9""",1e3', "q1,d7,2.5", "q3,d1,1"]
    path.write_text("\ufeffquery_id,doc_id,score\n" + "\n".join(rows) + "\n", encoding="utf-8")
    qrels = {"q1": {"d,1": 2, "d2": 1}, "\ufeffq2": {'d "9"': 1}}
    for memory in (16, 160, 700):
        in_pieces_too(qrels, path, MEASURES, memory)
    assert rankproof.evaluate(qrels, path, "RR", memory=16)["RR"].by_query == {"q1": 1.0, "\ufeffq2": 1.0}


def test_nothing_in_common(tmp_path: Path) -> None:
    """The same guess why no document is judged, from a sample, and why no query is."""
    path = tmp_path / "a.run"
    path.write_text("".join(f"q{1 + i // 500} Q0 doc_{i} {i} {9000 - i} t\n" for i in range(1000)))
    in_pieces_too({"q1": {"12": 1}, "q2": {"15": 0}}, path, "RR", 5000)
    in_pieces_too({"1": {"doc_12": 1}}, path, "RR", 5000)
    in_pieces_too({"q1": {"doc_900": 1}}, path, "RR", 5000)  # judged, but for another query


def test_lines_of_far_faults_are_those_of_the_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    lines = [f"q{i // 100} Q0 d{i} {i} {9000 - i} t" for i in range(2000)]
    lines[1500] = "q15 Q0 d1500"
    lines[1803] = lines[1801]
    path.write_text("\n".join(lines))
    with pytest.raises(Refused) as refused:
        rankproof.evaluate({"q1": {"d1": 1}}, path, "RR", memory=8000)
    assert [(f.code, f.line) for f in refused.value.findings] == [("wrong_columns", 1501), ("duplicate_document", 1804)]
    assert "on line 1802" in refused.value.findings[1].message
    in_pieces_too({"q1": {"d1": 1}}, path, "RR", 8000)


def test_a_comparison_of_large_runs_is_the_same(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    paths = []
    for name in ("a", "b"):
        paths.append(tmp_path / f"{name}.run")
        lines = [
            f"q{q} Q0 d{d} {i} {20 - i} {name}"
            for q in range(30)
            for i, d in enumerate(rng.permutation(60)[:20].tolist())
        ]
        paths[-1].write_text("\n".join(lines))
    qrels = prepare_qrels({f"q{q}": {f"d{d}": int(rng.integers(0, 3)) for d in range(25)} for q in range(30)})
    made = []
    for memory in (WHOLE, 6000):
        runs = [join_run(qrels, path, memory=memory) for path in paths]
        made.append(rankproof.compare(qrels, runs[0], runs[1:], "nDCG@5 AP"))
    assert made[0].to_dict() == made[1].to_dict()


@needs_shared_data
def test_dl20() -> None:
    folder = SHARED / "dl20"
    for run in sorted((folder / "runs").glob("*.run")):
        measures = "nDCG@10 nDCG AP RR@10 R@100 P@10 Bpref RBP(p=0.8) Judged@10"
        in_pieces_too(folder / "qrels.trec", run, measures, 100_000)


@needs_shared_data
def test_trec_evals_own_files() -> None:
    folder = SHARED / "trec_eval"
    for run in ("results.test", "results.trunc", "results.comment.test"):
        in_pieces_too(folder / "qrels.test", folder / run, "all_trec", 50_000, dialect="trec_eval", complete=True)
