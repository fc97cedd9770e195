"""Chunks to documents by a mapping: files, dicts and functions, chunks without a document, and files that lie."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Unreadable, UsageError
from rankproof.reading.chunk_map import chunk_map, is_mapping_file
from rankproof.reading.collect import read_qrels, read_run

PAIRS = {"c1": "d1", "c2": "d1", "c3": "d2"}
RUN = {"q1": {"c2": 3.0, "c1": 2.0, "c3": 1.0}}

FORMS = {
    "map.csv": "chunk_id,doc_id\nc1,d1\nc2,d1\nc3,d2\n",
    "spaces.csv": "chunk_id, doc_id\nc1, d1\nc2, d1\nc3, d2\n",
    "more.csv": "text,document_id,passage_id\nany,d1,c1\nany,d1,c2\nany,d2,c3\n",
    "map.tsv": "Chunk ID\tParent ID\nc1\td1\nc2\td1\nc3\td2\n",
    "map.json": json.dumps(PAIRS),
    "indented.json": json.dumps(PAIRS, indent=1),
    "rows.json": json.dumps([{"node_id": chunk, "doc_id": doc} for chunk, doc in PAIRS.items()]),
    "map.jsonl": "\n".join(json.dumps({"chunk_id": chunk, "doc_id": doc}) for chunk, doc in PAIRS.items()),
    "same_row_twice.csv": "chunk_id,doc_id\nc1,d1\nc2,d1\nc1,d1\nc3,d2\n",
    "bom.csv": "\ufeffchunk_id,doc_id\nc1,d1\nc2,d1\nc3,d2\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_mapping_file_makes_the_same_documents(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(FORMS[name])
    run = read_run(RUN, collapse=str(tmp_path / name))
    assert run.to_dict() == {"q1": {"d1": 3.0, "d2": 1.0}}
    # c2 is the better chunk of d1; two chunks of three remain as documents
    assert f"collapsed by {tmp_path / name}: 3 rows to 2, the best chunk of each document" in run.notes
    assert chunk_map(tmp_path / name).identity == chunk_map(PAIRS).identity


def test_a_dict_a_function_and_a_path_do_the_same(tmp_path: Path) -> None:
    (tmp_path / "chunks").write_text(FORMS["map.csv"])
    made = [read_run(RUN, collapse=what).to_dict() for what in (PAIRS, PAIRS.get, tmp_path / "chunks")]
    assert made == [{"q1": {"d1": 3.0, "d2": 1.0}}] * 3


def test_which_texts_are_files_and_which_are_patterns() -> None:
    assert [is_mapping_file(text) for text in ("chunks.csv", "a/b.JSONL", "c.tsv.gz", "x.json")] == [True] * 4
    assert [is_mapping_file(text) for text in ("#", ".csv", r"(.*)\.csv", "_", "a/.json", "")] == [False] * 6
    table = {"q1": {"t1.csv:3": 2.0, "t1.csv:4": 1.0, "t2.csv:1": 0.5}}
    assert list(read_run(table, collapse=".csv")["q1"]) == ["t1", "t2"]


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("two.csv", "chunk_id,doc_id\nc1,d1\nc1,d2\n", ("line 3", "'c1'", "'d2'", "'d1'")),
        ("two.json", '{"c1": "d1", "c1": "d2"}', ("'c1'", "'d2'", "'d1'")),
        ("empty_chunk.csv", "chunk_id,doc_id\nc1,d1\n,d2\n", ("line 3", "id is empty")),
        ("empty_doc.csv", "chunk_id,doc_id\nc1,\n", ("line 2", "id is empty")),
        ("no_doc.csv", "chunk_id,title\nc1,Tents\n", ("chunk_id, title", "doc_id")),
        ("no_header.csv", "c1,d1\nc2,d1\n", ("c1, d1", "chunk_id")),
        ("nothing.csv", "", ("no chunks",)),
        ("header.csv", "chunk_id,doc_id\n", ("no chunks",)),
        ("short.csv", "chunk_id,doc_id\nc1\n", ("line 2",)),
        ("broken.json", '{"c1": "d1"', ("JSON",)),
        ("lists.json", '{"d1": ["c1", "c2"]}', ("cannot be an id",)),
        ("null.jsonl", '{"chunk_id": "c1", "doc_id": null}\n', ("cannot be an id",)),
        ("numbers.json", "[1, 2]", ("row 1", "1")),
    ],
)
def test_a_mapping_file_that_lies_is_refused_with_its_place(
    name: str, text: str, says: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    with raises(InputError, name, *says):
        read_run(RUN, collapse=str(tmp_path / name))


def test_a_mapping_file_that_is_not_there_is_said() -> None:
    with raises(Unreadable, "nowhere.csv"):
        read_run(RUN, collapse="nowhere.csv")


def test_a_chunk_without_a_document_is_never_silent() -> None:
    run = {"q1": {"c1": 3.0, "x 1": 2.5, "c3": 2.0}, "q2": {"x2": 1.0}}
    with raises(InputError, "2 of 4", "'x 1'", "'x2'", "--unmapped keep", "drop"):
        read_run(run, collapse=PAIRS)
    kept = read_run(run, collapse=PAIRS, unmapped="keep")
    assert kept.to_dict() == {"q1": {"d1": 3.0, "x 1": 2.5, "d2": 2.0}, "q2": {"x2": 1.0}}
    assert any("2 rows without a document are kept under their own ids" in note for note in kept.notes)
    dropped = read_run(run, collapse=PAIRS, unmapped="drop")
    assert dropped.to_dict() == {"q1": {"d1": 3.0, "d2": 2.0}}
    assert any("2 rows without a document are left out; 1 query has nothing left" in note for note in dropped.notes)


def test_a_pattern_can_refuse_and_drop_too() -> None:
    run = {"q1": {"a#1": 3.0, "b": 2.0}}
    assert list(read_run(run, collapse="#")["q1"]) == ["a", "b"]
    assert list(read_run(run, collapse="#", unmapped="drop")["q1"]) == ["a"]
    with raises(InputError, "1 of 2", "'b'"):
        read_run(run, collapse="#", unmapped="refuse")


@pytest.mark.parametrize("unmapped", [None, "keep", "drop"])
def test_a_mapping_of_other_chunks_is_refused_whatever_was_chosen(unmapped: str | None) -> None:
    with raises(InputError, "no id has a document", "'c2'"):
        read_run(RUN, collapse={"other": "d1"}, unmapped=unmapped)


def test_a_regular_expression_without_a_group_is_told_from_a_separator() -> None:
    with raises(InputError, "'#.*'", "'policy#3'", "stands for itself"):
        read_run({"q1": ["policy#3", "policy#4"]}, collapse="#.*")


def test_a_map_that_puts_all_chunks_into_one_document_says_so() -> None:
    run = read_run(RUN, collapse=dict.fromkeys(PAIRS, "d"))
    assert run.to_dict() == {"q1": {"d": 3.0}}
    assert any("all belong to one document, 'd'" in note for note in run.notes)
    everything = read_run({"q1": {"ab": 2.0, "ac": 1.0}}, collapse="(.)")
    assert list(everything["q1"]) == ["a"]


def test_ids_with_spaces_and_numbers_are_ids() -> None:
    assert list(read_run({"q1": ["page 1", "page 2"]}, collapse={"page 1": "a b", "page 2": "a b"})["q1"]) == ["a b"]
    assert list(read_run({"q1": {7: 1.0}}, collapse={7: 70})["q1"]) == ["70"]


def test_what_is_no_map_is_refused() -> None:
    with raises(UsageError, "int"):
        read_run(RUN, collapse=3)
    with raises(UsageError, "unmapped", "maybe"):
        read_run(RUN, collapse="#", unmapped="maybe")
    with raises(UsageError, "function", "3", "'c2'"):
        read_run(RUN, collapse=lambda chunk: 3)
    for option in ({"unmapped": "keep"}, {"collapse_qrels": True}):
        with raises(UsageError, next(iter(option)), "--collapse"):
            rankproof.evaluate({"q1": {"d1": 1}}, RUN, "AP", **option)


# ---- measuring ------------------------------------------------------------------------------------


def test_judged_chunks_are_collapsed_only_where_that_is_said() -> None:
    gold = {"q1": {"c1": 1, "c2": 3, "c3": 0}}
    assert read_qrels(gold, collapse=PAIRS).to_dict() == {"q1": {"d1": 3, "d2": 0}}
    both = rankproof.evaluate(gold, RUN, "RR P@2", collapse=PAIRS, collapse_qrels=True)
    # d1 (grade 3) is first of two documents
    assert (both["RR"].mean, both["P@2"].mean) == (1.0, 0.5)
    assert any("judgments: collapsed by the mapping: 3 rows to 2, the best grade" in line for line in both.fine_print)
    documents = rankproof.evaluate({"q1": {"d2": 1}}, RUN, "RR", collapse=PAIRS)
    assert documents["RR"].mean == 0.5
    apart = rankproof.evaluate(gold, RUN, "RR", collapse=PAIRS)
    assert apart["RR"].mean == 0.0
    assert [finding.code for finding in apart.findings] == ["no_common_document"]
    with raises(UsageError, "prepare(qrels, collapse=...)"):
        rankproof.evaluate(rankproof.prepare(gold), RUN, "RR", collapse=PAIRS, collapse_qrels=True)
    ready = rankproof.prepare(gold, collapse=PAIRS)
    assert rankproof.evaluate(ready, RUN, "RR", collapse=PAIRS)["RR"].mean == 1.0


def test_a_query_whose_chunks_were_all_dropped_is_scored_and_not_missing() -> None:
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    run = {"q1": {"c1": 1.0}, "q2": {"unknown": 1.0}}
    for dialect in ("rankproof", "trec_eval"):
        ev = rankproof.evaluate(qrels, run, "RR", dialect=dialect, collapse=PAIRS, unmapped="drop")
        assert next(iter(ev.results.values())).mean == 0.5, dialect


def test_compare_and_leaderboard_read_the_same_map() -> None:
    qrels = {f"q{i}": {"d1": 1} for i in range(6)}
    good = {f"q{i}": {"c1": 2.0, "c3": 1.0} for i in range(6)}
    bad = {f"q{i}": {"c3": 2.0, "c2": 1.0} for i in range(6)}
    comparison = rankproof.compare(qrels, good, bad, "RR", collapse=PAIRS)
    assert comparison.contrast("RR").difference.value == -0.5
    board = rankproof.leaderboard(qrels, {"good": good, "bad": bad}, "RR", collapse=PAIRS)
    assert [row.system for row in board.rows] == ["good", "bad"]


def test_a_policy_names_its_mapping_from_its_own_folder(tmp_path: Path) -> None:
    folder = tmp_path / "ci"
    folder.mkdir()
    (folder / "chunks.csv").write_text(FORMS["map.csv"])
    (folder / "gold.json").write_text(json.dumps({f"q{i}": {"c1": 1} for i in range(5)}))
    (folder / "run.json").write_text(json.dumps({f"q{i}": {"c2": 1.0} for i in range(5)}))
    (folder / "gate.toml").write_text(
        '[policy]\nqrels = "gold.json"\ncandidate = "run.json"\n'
        '[evaluate]\ncollapse = "chunks.csv"\ncollapse_qrels = true\n'
        '[[rule]]\nrule = "least_value"\nmeasure = "RR"\nat_least = 0.9\nbasis = "point"\n'
    )
    # c2 is not judged itself; its document d1 is
    assert rankproof.gate(str(folder / "gate.toml")).status == "PASS"
