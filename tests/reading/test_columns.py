"""`columns=`: which column is what, in every form that has names; and what is refused because two could be meant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.tables import KINDS, frames

import rankproof
from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.detect import possible_nouns

GOLD = {"q1": {"d1": 1}, "q2": {"d7": 1}}
RUN = {"q1": ["d1", "d2"], "q2": ["d9", "d7"]}
# RR: 1 for q1, 1/2 for q2.
MEAN = 0.75
WIDE = {"question_id": ["q1", "q2"], "retrieved_ids": [["d1", "d2"], ["d9", "d7"]], "relevant_ids": [["d1"], ["d7"]]}


def rr(gold: Any, run: Any = RUN, **choices: Any) -> float:
    return float(rankproof.evaluate(gold, run, "RR", **choices)["RR"].mean)


ODD = {"frage": ["q1", "q1", "q2", "q2"], "stück": ["d1", "d2", "d9", "d7"], "nähe": [0.9, 0.2, 0.8, 0.7]}
CHOICE = {"query_id": "frage", "doc_id": "stück", "score": "nähe"}


@pytest.mark.parametrize("kind", KINDS)
def test_columns_say_which_is_which(kind: str) -> None:
    frame = frames()[kind]
    assert rr(GOLD, frame(ODD), columns=CHOICE) == MEAN
    assert rr(GOLD, frame(ODD), columns="query_id=frage, doc_id=stück, score=nähe") == MEAN
    away = {**CHOICE, "distance": "nähe"}
    del away["score"]
    assert rr(GOLD, frame(ODD), columns=away) == 0.75  # q1: d2 is nearest, 1/2; q2: d7, 1
    assert read_run(frame(ODD), columns=away).order.lower_is_better


def test_columns_of_files_lists_and_dicts(tmp_path: Path) -> None:
    rows = [dict(zip(ODD, values, strict=True)) for values in zip(*ODD.values(), strict=True)]
    assert rr(GOLD, rows, columns=CHOICE) == MEAN
    assert rr(GOLD, ODD, columns=CHOICE) == MEAN
    lines = ["\t".join(map(str, row.values())) for row in rows]
    for name, text in {
        "run.csv": "\n".join([",".join(ODD), *(line.replace("\t", ",") for line in lines)]),
        "run.tsv": "\n".join(["\t".join(ODD), *lines]),
        "run.jsonl": "\n".join(json.dumps(row) for row in rows),
        "run.json": json.dumps(rows),
    }.items():
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
        assert rr(GOLD, tmp_path / name, columns=CHOICE) == MEAN, name
        assert rr(GOLD, tmp_path / name, columns=CHOICE, memory=1) == MEAN, name
    (tmp_path / "gold.trec").write_text("q1 0 d1 1\nq2 0 d7 1\n")
    assert rr(tmp_path / "gold.trec", rows, columns=CHOICE) == MEAN


def test_columns_of_parquet_files_read_whole_and_in_pieces(tmp_path: Path) -> None:
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table(ODD), tmp_path / "odd.parquet")
    parquet.write_table(pyarrow.table(WIDE), tmp_path / "wide.parquet")
    for memory in (None, 1):
        assert rr(GOLD, tmp_path / "odd.parquet", columns=CHOICE, memory=memory) == MEAN
        assert rr(tmp_path / "wide.parquet", tmp_path / "wide.parquet", memory=memory) == MEAN


def test_columns_for_judgments_and_run_apart() -> None:
    gold = [{"frage": "q1", "richtig": "d1"}, {"frage": "q2", "richtig": "d7"}]
    rows = [dict(zip(ODD, values, strict=True)) for values in zip(*ODD.values(), strict=True)]
    apart = {"qrels": {"query_id": "frage", "doc_id": "richtig"}, "run": CHOICE}
    assert rr(gold, rows, columns=apart) == MEAN
    found = rankproof.compare(gold, ODD, ODD, "RR", columns=apart)
    assert [e["RR"].mean for e in found.evaluations] == [MEAN, MEAN]
    assert rankproof.prepare(gold, columns=apart["qrels"]).evaluate(RUN, "RR")["RR"].mean == MEAN


def test_a_column_that_was_named_has_no_second_meaning() -> None:
    rows = [{"passage_id": "q1", "document": "d1"}]
    assert list(read_run(rows, columns={"query_id": "passage_id"})["q1"]) == ["d1"]


def test_columns_win_over_usual_names() -> None:
    rows = [{"query_id": "q1", "doc_id": "a", "chunk_id": "d1", "score": 1.0, "rerank": 2.0}]
    assert read_run(rows, columns={"doc_id": "chunk_id", "score": "rerank"}).to_dict() == {"q1": {"d1": 2.0}}


@pytest.mark.parametrize(
    ("columns", "values"),
    [
        ({"question_id": "query_id", "chunk_id": "doc_id"}, ("'query_id': 'question_id'",)),
        ({"docid": "stück"}, ("'docid'", "doc_id", "query_id")),
        ({"doc_id": 3}, ("doc_id", "3")),
        ({"doc_id": None}, ("doc_id", "None")),
        ({"query_id": "frage", "doc_id": "frage"}, ("'frage'", "query_id", "doc_id")),
        ({"score": "nähe", "distance": "nähe"}, ("score", "distance")),
        ("frage", ("'frage'", "columns=")),
        (7, ("7", "columns=")),
        ({"runs": {"query_id": "frage"}}, ("'runs'", "'qrels'", "'run'")),
    ],
)
def test_columns_that_cannot_be_meant(columns: Any, values: tuple[str, ...]) -> None:
    with raises(UsageError, *values):
        rr(GOLD, ODD | {"query_id": ODD["frage"]}, columns=columns)


def test_a_column_that_is_not_there_is_named_with_those_that_are() -> None:
    pandas = pytest.importorskip("pandas")
    with raises(InputError, "'chnk_id'", "frage, stück, nähe", "columns="):
        rr(GOLD, pandas.DataFrame(ODD), columns={"query_id": "frage", "doc_id": "chnk_id"})
    with raises(InputError, "'chnk_id'", "columns=", "line 1", "frage, stück"):
        read_run("frage,stück\nq1,d1\n".encode(), "csv", columns={"query_id": "frage", "doc_id": "chnk_id"})


def test_columns_for_what_has_none_are_refused() -> None:
    with raises(UsageError, "columns="):
        rr(GOLD, RUN, columns=CHOICE)
    with raises(InputError, "<dict>", "columns="):
        rr(GOLD, ODD, columns={"qrels": {"query_id": "a"}, "run": CHOICE})
    with raises(InputError, "<list>", "columns="):
        rr([("q1", "d1", 1)], ODD, columns={"qrels": {"query_id": "a"}, "run": CHOICE})
    with raises(UsageError, "trec", "columns="):
        rr(b"q1 0 d1 1\n", RUN, columns={"qrels": {"query_id": "a"}})


# ---- doubt ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_two_columns_that_could_be_the_document_are_a_doubt(kind: str) -> None:
    table = frames()[kind]
    with raises(InputError, "'doc_id'", "'chunk_id'", "columns="):
        read_run(table({"query_id": ["q1"], "doc_id": ["d1"], "chunk_id": ["c1"], "score": [1.0]}))


def test_doubt_in_files_and_records() -> None:
    with raises(InputError, "'query_id'", "'question_id'", "columns="):
        read_run(b"query_id,question_id,doc_id\nq1,x,d1\n")
    with raises(InputError, "'relevant_ids'", "'gold_ids'", "columns="):
        read_qrels([{"query_id": "q1", "relevant_ids": ["a"], "gold_ids": ["b"]}])
    # A word beside an id is its text: MS MARCO has both.
    marco = [{"qid": "q1", "query": "a text", "pid": "d1", "passage": "a text", "score": 1.0}]
    assert read_run(marco).to_dict() == {"q1": {"d1": 1.0}}


@pytest.mark.parametrize(
    ("columns", "nouns"),
    [
        ({"qid": ["q1"], "docno": ["d1"], "score": [0.5]}, ["run"]),
        ({"qid": ["q1"], "docno": ["d1"], "rel": [1]}, ["qrels"]),
        ({"qid": ["q1"], "relevant_ids": [["d1"]]}, ["qrels"]),
        ({"qid": ["q1"], "retrieved_ids": [["d1"]]}, ["run"]),
        ({"qid": ["q1"], "text": ["what"]}, ["topics"]),
        ({"qid": ["q1"], "relevant_ids": [["d1"]], "retrieved_ids": [["d1"]]}, ["run", "qrels", "topics"]),
    ],
)
def test_what_a_parquet_file_holds_is_told_by_its_columns(
    columns: dict[str, list[object]], nouns: list[str], tmp_path: Path
) -> None:
    """A table of gold and rankings may be either, and nothing guesses."""
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    parquet.write_table(pyarrow.table(columns), path)
    assert possible_nouns(str(path), "table.parquet") == nouns
