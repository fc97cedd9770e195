"""Two workers give what one machine gives, bit for bit: values, population, fine print, findings and refusals."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.scale.said import said
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.errors import InputError, Refused, UsageError
from rankproof.scale import spark as on_spark

pytestmark = pytest.mark.slow
MEASURES = "nDCG@10 nDCG AP RR@10 R@100 P@10 Bpref RBP(p=0.8) ERR@20 Judged@10 Rprec NumRet"
DL20 = SHARED / "dl20"
SPLIT = "spark.sql.files.maxPartitionBytes"


def both(spark: Any, qrels: Any, run: Any, measures: str, **choices: Any) -> Any:
    """What one machine says, after Spark has said the same."""
    here = said(lambda: rankproof.evaluate(qrels, run, measures, **choices))
    assert said(lambda: on_spark.evaluate(spark, qrels, run, measures, **choices)) == here
    return here


def heap(path: Path, queries: int = 60, depth: int = 80) -> dict[str, dict[str, int]]:
    """A run of rows in no order, with ties, wrong ranks and several tags; and judgments of every other query."""
    rng = np.random.default_rng(3)
    rows = [(q, d) for q in range(queries) for d in range(depth)]
    rng.shuffle(rows)
    lines = [f"q{q} Q0 d{d} {rng.integers(1, 90)} {rng.integers(0, 9)} t{q % 2}" for q, d in rows]
    path.write_text("\n".join(lines))
    judged = {q: {d: int(rng.integers(0, 3)) for d in rng.integers(0, 99, 12)} for q in range(0, queries + 9, 2)}
    return {f"q{q}": {f"d{d}": grade for d, grade in docs.items()} for q, docs in judged.items()}


def by_weight() -> Iterator[Any]:
    """The runs of dl20: a lexical and a learned one; the others in the full form."""
    for path in sorted((DL20 / "runs").glob("*.run")):
        yield pytest.param(path.name, marks=[] if path.stem == "REP_LLAMA" else [pytest.mark.full])


@needs_shared_data
@pytest.mark.parametrize("run", list(by_weight()))
def test_dl20(spark: Any, run: str) -> None:
    both(spark, DL20 / "qrels.trec", DL20 / "runs" / run, MEASURES)


@needs_shared_data
def test_parquet_and_a_comparison(spark: Any, tmp_path: Path) -> None:
    """Parquet on both sides; the comparison reads texts, and looks at documents too."""
    import pyarrow
    import pyarrow.parquet

    run = rankproof.read_run(DL20 / "runs" / "BM25.run")
    rows = [(q, d, s) for q, docs in run.items() for d, s in docs.items()]
    np.random.default_rng(0).shuffle(rows)
    table = pyarrow.table(
        {"qid": [r[0] for r in rows], "docno": [r[1] for r in rows], "score": [float(r[2]) for r in rows]}
    )
    pyarrow.parquet.write_table(table, tmp_path / "bm25.parquet", row_group_size=1000)
    both(spark, DL20 / "qrels.trec", tmp_path / "bm25.parquet", MEASURES)
    runs = [DL20 / "runs" / name for name in ("BM25.run", "BM25_RM3.run")]
    here = rankproof.compare(DL20 / "qrels.trec", runs[0], runs[1], "nDCG@10 AP")
    there = on_spark.compare(spark, DL20 / "qrels.trec", runs[0], runs[1], "nDCG@10 AP")
    assert there.to_dict() == here.to_dict()


@pytest.mark.parametrize("order", ["score", "rank", "given"])
def test_the_order_of_a_file_is_kept_over_splits(spark: Any, tmp_path: Path, order: Any) -> None:
    """About 100 kB in no order, read in splits of 64 kB: places, unjudged queries and the last tag are the file's."""
    qrels = heap(tmp_path / "heap.run")
    spark.conf.set(SPLIT, "65536")
    here = both(spark, qrels, tmp_path / "heap.run", MEASURES, order=order)
    assert len(here[1][2]) == 30
    assert any("rank column" in line for line in here[2]) == (order != "given")


def test_skew_and_more_partitions_than_queries(spark: Any, tmp_path: Path) -> None:
    """One query with 200,000 rows, two with one, and 16 partitions: most tasks get nothing."""
    path = tmp_path / "skewed.tsv"
    lines = ["query_id\tdoc_id\tscore"]
    lines += [f"long\td{(i * 7919) % 200_000}\t{i % 1000}" for i in range(200_000)]
    path.write_text("\n".join([*lines, "short\td1\t1.5", "other\td1\t2"]) + "\n")
    qrels = {"long": {f"d{i}": i % 4 for i in range(0, 1000, 7)}, "short": {"d1": 1, "d2": 1}}
    here = both(spark, qrels, path, "nDCG AP RR NumRet")
    parted = said(lambda: on_spark.evaluate(spark, qrels, path, "nDCG AP RR NumRet", partitions=16))
    assert parted == here


FAULTS = {
    "double": ("q50 Q0 d1 9 1.0 t", "duplicate_document"),
    "short": ("q50 Q0 d1", "wrong_columns"),
    "nan": ("q50 Q0 new 9 nan t", "nan_score"),
    "bytes": ("q50 Q0 ne\udcff 9 1.0 t", "undecodable_bytes"),
}


def test_faults_are_refused_with_their_lines(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "faulty.run"
    qrels = heap(path)
    spark.conf.set(SPLIT, "65536")
    lines = path.read_text().splitlines()
    for at, (line, _) in zip((4000, 100, 3001, 2002), FAULTS.values(), strict=True):
        lines.insert(at, line)
    path.write_text("\n".join(lines), errors="surrogateescape")
    here = both(spark, qrels, path, "AP")
    assert here[0] == "refused"
    assert {finding.code for finding in here[2]} == {code for _, code in FAULTS.values()}


def test_a_run_that_meets_nothing(spark: Any, tmp_path: Path) -> None:
    path = tmp_path / "a.run"
    path.write_text("q1 Q0 d1 1 2.0 t\nq2 Q0 d2 1 2.0 t\n")
    assert both(spark, {"1": {"d1": 1}}, path, "AP")[0] == "refused"
    both(spark, {"q1": {"doc_1": 1}}, path, "AP")
    path.write_text("q1 Q0\nq2\n")
    assert both(spark, {"1": {"d1": 1}}, path, "AP", run_format="trec")[0] == "refused"


def test_frames(spark: Any) -> None:
    """Whole numbers are ids too; rows without places have no order; what cannot be read is said in one line."""
    rows = [(7, 1, 2.5, "a"), (7, 2, 3.5, "a"), (9, 1, 1.0, "a"), (8, 1, 1.0, "a")]
    frame = spark.createDataFrame(rows, "query_id long, doc_id long, score double, tag string")
    qrels = {"7": {"1": 1, "3": 0}, "10": {"1": 1}}
    found = on_spark.evaluate(spark, qrels, frame, "RR NumRet")
    assert found["RR"].by_query == {"7": 0.5, "10": 0.0}  # document 2 stands above document 1
    assert (found.population.unjudged, found.run_tag, found.run_name) == (("8", "9"), "a", "run")
    judged = spark.createDataFrame([("7", "1", 1)], "query_id string, doc_id string, grade int")
    assert on_spark.evaluate(spark, judged, frame, "RR")["RR"].mean == 0.5
    listed = frame.select("query_id", "doc_id")
    with raises(UsageError, "<DataFrame>", "score", "rank", "place"):
        on_spark.evaluate(spark, qrels, listed, "RR")
    placed = spark.createDataFrame([("7", "1", 20), ("7", "2", 10)], "query_id string, doc_id string, at long")
    assert on_spark.evaluate(spark, qrels, placed, "RR", place="at")["RR"].by_query["7"] == 0.5
    holed = spark.createDataFrame([("7", None, 1.0)], "query_id string, docno string, score double")
    with raises(InputError, "<DataFrame>", "'docno'", "null"):
        on_spark.evaluate(spark, qrels, holed, "RR")
    with raises(Refused, "<DataFrame>", "'1'", "'9'", "duplicate_document"):
        on_spark.evaluate(spark, qrels, frame.union(frame.filter("query_id = 9")), "RR")
    with raises(InputError, "<DataFrame>", "a", "b", "query_id", "doc_id", "score", "rank"):
        on_spark.evaluate(spark, qrels, spark.createDataFrame([(1, 2)], "a int, b int"), "RR")
    with raises(UsageError, "collapse"):
        on_spark.evaluate(spark, qrels, frame, "RR", collapse="#")
