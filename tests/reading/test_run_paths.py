"""Folders and patterns of runs: every run in them, by name; what is no run is named; parts of one table are one run."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.reading.collect import read_run
from rankproof.reading.run_paths import run_paths

TREC = "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"
QRELS = "q1 0 d1 1\nq1 0 d2 0\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    runs = tmp_path / "runs"
    runs.mkdir()
    (runs / "b.run").write_text(TREC)
    (runs / "a.run.gz").write_bytes(gzip.compress(TREC.encode()))
    (runs / "qrels.trec").write_text(QRELS)
    (runs / "README.md").write_text("# Runs\n\nmade by hand\n")
    (runs / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR")
    (runs / ".hidden.run").write_text(TREC)
    (runs / "older").mkdir()
    return runs


def names(paths: list[str]) -> list[str]:
    return [Path(path).name for path in paths]


def test_a_folder_stands_for_its_runs_by_name_and_the_rest_is_named(folder: Path) -> None:
    told: list[str] = []
    assert names(run_paths([str(folder)], told.append)) == ["a.run.gz", "b.run"]
    assert len(told) == 1
    assert all(name in told[0] for name in ("README.md", "photo.png", "qrels.trec", "older/"))
    assert ".hidden" not in told[0]


def test_a_pattern_stands_for_its_runs(folder: Path) -> None:
    told: list[str] = []
    assert names(run_paths([f"{folder}/*.run"], told.append)) == ["b.run"]
    assert told == []
    assert names(run_paths([f"{folder}/*"])) == ["a.run.gz", "b.run"]


def test_a_file_whose_name_looks_like_a_pattern_is_a_file(folder: Path) -> None:
    odd = folder / "x[1].run"
    odd.write_text(TREC)
    assert run_paths([str(odd)]) == [str(odd)]


def test_a_named_run_comes_once_and_where_it_was_named(folder: Path) -> None:
    assert names(run_paths([str(folder / "b.run"), str(folder)])) == ["b.run", "a.run.gz"]
    assert names(run_paths([str(folder), str(folder / "b.run")])) == ["a.run.gz", "b.run"]


def test_what_is_no_folder_stays_as_it_is() -> None:
    assert run_paths(["-", "irds:cranfield", "nosuch.run"]) == ["-", "irds:cranfield", "nosuch.run"]


def test_a_folder_without_a_run_says_what_it_has(tmp_path: Path) -> None:
    with raises(UsageError, str(tmp_path), "no file"):
        run_paths([str(tmp_path)])
    (tmp_path / "qrels.trec").write_text(QRELS)
    with raises(UsageError, str(tmp_path), "qrels.trec"):
        run_paths([str(tmp_path)])
    with raises(UsageError, "*.run", "matches no file"):
        run_paths([f"{tmp_path}/*.run"])


def test_three_columns_are_a_run_unless_the_name_says_otherwise(tmp_path: Path) -> None:
    for name in ("bm25.tsv", "qrels.tsv"):
        (tmp_path / name).write_text("query_id\tdoc_id\tscore\nq1\td1\t1\nq1\td2\t0\n")
    assert names(run_paths([str(tmp_path)])) == ["bm25.tsv"]


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    run = tmp_path / "bm25"
    run.mkdir()
    (run / "_SUCCESS").write_text("")
    rows = [("q1", "d1", 2.5), ("q1", "d2", 1.5), ("q2", "d9", 0.5)]
    for number, chosen in enumerate((rows[:1], rows[1:], [])):
        columns = {
            "query_id": arrow.array([row[0] for row in chosen], arrow.string()),
            "doc_id": arrow.array([row[1] for row in chosen], arrow.string()),
            "score": arrow.array([row[2] for row in chosen], arrow.float64()),
        }
        pyarrow.parquet.write_table(arrow.table(columns), run / f"part-0000{number}-ab-c000.snappy.parquet")
    return run


def test_a_folder_of_parquet_parts_is_one_run(parts: Path) -> None:
    assert run_paths([str(parts)]) == [str(parts)]
    run = read_run(f"{parts}/")
    assert run.name == "bm25"
    assert {query: docs for query, docs, _ in run.rankings()} == {"q1": ["d1", "d2"], "q2": ["d9"]}


def test_a_folder_of_such_folders_is_several_runs(parts: Path) -> None:
    (parts.parent / "dense.run").write_text(TREC)
    assert names(run_paths([str(parts.parent)])) == ["bm25", "dense.run"]


def test_parts_of_different_tables_are_refused(parts: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    pyarrow.parquet.write_table(arrow.table({"query_id": ["q1"], "doc_id": ["d1"]}), parts / "part-00009.parquet")
    with raises(InputError, "part-00009.parquet", "score"):
        read_run(parts)


def test_a_damaged_part_is_refused_by_name(parts: Path) -> None:
    (parts / "part-00001-ab-c000.snappy.parquet").write_bytes(b"PAR1 and nothing more")
    with raises(InputError, "part-00001-ab-c000.snappy.parquet"):
        read_run(parts)


def test_a_folder_with_other_files_is_no_table(parts: Path) -> None:
    (parts / "notes.txt").write_text("made on Monday")
    with raises(Unreadable, str(parts)):
        read_run(parts)


def test_the_columns_of_a_parquet_file_say_what_it_holds(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet

    columns = {"query_id": ["q1"], "doc_id": ["d1"]}
    pyarrow.parquet.write_table(arrow.table({**columns, "score": [1.0]}), tmp_path / "bm25.parquet")
    pyarrow.parquet.write_table(arrow.table({**columns, "grade": [1]}), tmp_path / "judged.parquet")
    pyarrow.parquet.write_table(arrow.table({"query_id": ["q1"], "text": ["a"]}), tmp_path / "texts.parquet")
    assert names(run_paths([str(tmp_path)])) == ["bm25.parquet"]
