"""Every layout of a dataset is recognized by its files and gives the same kind of record."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from tests.raising import raises
from tests.reading.datasets import made

from rankproof.errors import InputError, UnknownName, Unreadable, UsageError
from rankproof.reading.collection import Query
from rankproof.reading.datasets.read import read_dataset


def test_beir(tmp_path: Path) -> None:
    found = read_dataset(made.beir(tmp_path / "shop"))
    assert (found.kind, found.name) == ("beir", "shop")
    assert found.corpus is not None
    assert found.corpus.doc_ids == ("d1", "d2", "d3")
    assert dict(found.corpus.fields) == {
        "title": ("red lamp", "blue chair", "green desk"),
        "text": ("a lamp", "", "a desk"),
    }
    assert found.queries == (Query("q1", "lamp"), Query("q2", "chair"))
    assert found.qrels.to_dict() == made.JUDGED
    assert found.findings == ()


def test_beir_with_columns_in_csv_and_compressed_documents(tmp_path: Path) -> None:
    folder = made.write(
        tmp_path, {"queries.csv": "query_id,text,kind\nq1,lamp,exact\nq2,chair,vague\n", "qrels.trec": made.QRELS}
    )
    (tmp_path / "corpus.jsonl.gz").write_bytes(gzip.compress(made.CORPUS.encode()))
    found = read_dataset(folder)
    assert found.queries == (Query("q1", "lamp", {"kind": "exact"}), Query("q2", "chair", {"kind": "vague"}))
    assert found.columns == ("kind",)
    assert len(found.corpus or ()) == 3


def test_documents_keep_lists_of_texts_and_say_what_they_leave_out(tmp_path: Path) -> None:
    corpus = made.json_lines(
        {"_id": "d1", "title": "a\u2028b", "bullets": ["one", "two"], "price": 9.5, "metadata": {}},
        {"_id": "d2", "text": None, "brand": "Lux"},
    )
    found = read_dataset(made.beir(tmp_path, corpus=corpus))
    assert found.corpus is not None
    # Unicode's own line separator ends no line, and a field that comes late is empty before.
    assert dict(found.corpus.fields) == {
        "title": ("a\u2028b", ""),
        "bullets": ("one\ntwo", ""),
        "text": ("", ""),
        "brand": ("", "Lux"),
    }
    assert "field 'price' left out of 1 document: no text there" in found.notes
    chosen = read_dataset(str(tmp_path), fields=("brand", "price"))
    assert chosen.corpus is not None
    assert dict(chosen.corpus.fields) == {"brand": ("", "Lux"), "price": ("9.5", "")}
    with raises(UnknownName) as unknown:
        read_dataset(str(tmp_path), fields=("brend",))
    assert (unknown.value.name, unknown.value.near) == ("brend", ["brand"])


def test_half_a_character_is_mended_and_said(tmp_path: Path) -> None:
    found = read_dataset(made.beir(tmp_path, corpus='{"_id": "d1", "text": "a\\ud800b"}\n'))
    assert found.corpus is not None
    assert found.corpus.fields["text"] == ("a\ufffdb",)
    assert "1 documents hold half a character, which became U+FFFD" in found.notes
    assert len(found.content_hash) == 64


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"_id": "d\\ud800", "text": "a"}\n', ("line 1", "d\\ud800", "half a character")),
        ('{"_id": "d1", "te\\udbffxt": "a"}\n', ("line 1", "te\\udbffxt", "Rename")),
    ],
)
def test_half_a_character_in_an_id_or_a_name_is_refused(line: str, words: tuple[str, ...], tmp_path: Path) -> None:
    with raises(InputError, *words):
        read_dataset(made.beir(tmp_path, corpus=line))


def test_half_a_character_in_a_list_is_mended_and_bytes_of_an_id_are_kept(tmp_path: Path) -> None:
    line = '{"_id": "d\\udce9", "text": "x", "bullets": ["one", "tw\\ud800o"]}\n'
    found = read_dataset(made.beir(tmp_path, corpus=line))
    assert found.corpus is not None
    assert (found.corpus.doc_ids, found.corpus.fields["bullets"]) == (("d\udce9",), ("one\ntw\ufffdo",))
    assert "1 documents hold half a character, which became U+FFFD" in found.notes


def test_msmarco(tmp_path: Path) -> None:
    files = {
        "collection.tsv": "d1\tred lamp\nd2\tblue chair \r\nd3\tgreen\n",
        "queries.dev.small.tsv": "q1\tlamp\nq2\tchair\n",
        "queries.train.tsv": "q9\tdesk\n",
        "qrels.dev.small.tsv": made.QRELS.replace(" ", "\t"),
        "qrels.train.tsv": "q9\t0\td3\t1\n",
    }
    folder = made.write(tmp_path, files)
    found = read_dataset(folder, split="dev.small")
    assert found.kind == "msmarco"
    assert found.name.endswith("/dev.small")
    assert found.qrels.to_dict() == made.JUDGED
    assert found.texts == made.TEXTS
    assert found.corpus is not None
    assert dict(found.corpus.fields) == {"text": ("red lamp", "blue chair ", "green")}
    everything = read_dataset(folder, split="all")
    assert everything.splits == {"dev.small": ("q1", "q2"), "train": ("q9",)}
    with raises(UsageError, folder, "split", "dev.small, train", "'all'"):
        read_dataset(folder)


def test_msmarco_names_the_line_that_is_not_like_the_others(tmp_path: Path) -> None:
    files = {"collection.tsv": "d1\tred\nd2\tblue\tmore\n", "queries.tsv": "q1\ta b\n", "qrels.tsv": made.QRELS}
    with raises(InputError, "collection.tsv", "line 2", "3", "2"):
        read_dataset(made.write(tmp_path, files))


def test_wands(tmp_path: Path) -> None:
    found = read_dataset(made.wands(tmp_path))
    assert found.kind == "wands"
    assert found.qrels.to_dict() == {"0": {"0": 2, "1": 0}, "1": {"1": 1}}
    assert found.queries[1] == Query("1", "chair", {"query_class": "Chairs"})
    assert found.corpus is not None
    assert list(found.corpus.fields) == ["title", "class", "category", "description", "features"]
    assert found.corpus.fields["description"] == ("a lamp", 'a chair\nof "oak"')
    assert "labels read as grades: Exact 2, Partial 1, Irrelevant 0" in found.notes


def test_wands_labels_that_stand_there_twice(tmp_path: Path) -> None:
    head = "id\tquery_id\tproduct_id\tlabel\n"
    same = read_dataset(made.wands(tmp_path / "same", f"{head}0\t0\t0\tExact\n1\t0\t0\tExact\n"))
    assert same.qrels.to_dict() == {"0": {"0": 2}}
    assert "1 label stands there twice: one of each kept" in same.notes
    with raises(InputError, "label.csv", "line 3", "line 2"):
        read_dataset(made.wands(tmp_path / "other", f"{head}0\t0\t0\tExact\n1\t0\t0\tPartial\n"))
    with raises(InputError, "label.csv", "line 2", "'Good'", "Exact", "Partial", "Irrelevant"):
        read_dataset(made.wands(tmp_path / "word", f"{head}0\t0\t0\tGood\n"))


def test_queries_without_judgments(tmp_path: Path) -> None:
    """They can be asked; there is nothing to measure."""
    made.write(tmp_path, {"queries.csv": "query_id,text,kind\nq1,lamp,exact\nq2,chair,vague\nq3,,vague\n"})
    found = read_dataset(str(tmp_path / "queries.csv"))
    assert (found.kind, found.corpus, len(found.qrels)) == ("queries", None, 0)
    assert found.asked_queries == (Query("q1", "lamp", {"kind": "exact"}), Query("q2", "chair", {"kind": "vague"}))
    assert found.judged_queries == ()
    assert [finding.code for finding in found.findings] == ["query_without_judgments"]
    made.write(tmp_path, {"Topics.tsv": "q1\tred lamp\nq2\tblue chair\n"})
    assert read_dataset(str(tmp_path / "Topics.tsv")).texts == {"q1": "red lamp", "q2": "blue chair"}
    made.write(tmp_path, {"words.txt": "q1\tred lamp\n"})
    with raises(Unreadable, tmp_path / "words.txt", "corpus.jsonl", "queries", "topics"):
        read_dataset(str(tmp_path / "words.txt"))


def test_test_cases_alone_and_beside_a_corpus(tmp_path: Path) -> None:
    cases = [
        {"id": "t1", "query": "lamp", "groundTruth": ["d1"], "category": "light"},
        {"id": 2, "query": "chair", "groundTruth": ["d2", "d3"]},
    ]
    made.write(tmp_path, {"cases.json": json.dumps(cases)})
    alone = read_dataset(str(tmp_path / "cases.json"))
    assert alone.kind == "testcases"
    assert alone.corpus is None
    assert alone.queries == (Query("t1", "lamp", {"category": "light"}), Query("2", "chair"))
    assert alone.qrels.to_dict() == {"t1": {"d1": 1}, "2": {"d2": 1, "d3": 1}}
    made.write(tmp_path, {"corpus.jsonl": made.CORPUS})
    beside = read_dataset(str(tmp_path))
    assert len(beside.corpus or ()) == 3
    assert beside.qrels == alone.qrels


TOPICS = (
    "<top>\n<num> Number: q1\n<title> lamp\n<desc> Description: a red one\n</top>\n<top><num>q2<title>chair</top>\n"
)
DOCS = (
    "<DOC>\n<DOCNO> d1 </DOCNO>\n<HEADLINE>Red &amp; bright</HEADLINE>\n<TEXT>\na <b>lamp</b>\n</TEXT>\n</DOC>\n"
    "<DOC><DOCNO>d2</DOCNO>blue\n chair</DOC>\n"
)


def test_trec_files(tmp_path: Path) -> None:
    files = {"topics.301": TOPICS, "judged.txt": made.QRELS, "docs/a": DOCS, "bm25.run": "q1 Q0 d1 1 2 t\n"}
    found = read_dataset(made.write(tmp_path, files))
    assert found.kind == "trec"
    assert found.texts == made.TEXTS
    assert found.qrels.to_dict() == made.JUDGED
    assert found.corpus is not None
    assert dict(found.corpus.fields) == {"title": ("Red & bright", ""), "text": ("a lamp", "blue chair")}


def test_trec_files_without_documents_with_columns_in_another_file(tmp_path: Path) -> None:
    files = {"topics.tsv": "q1\tred lamp\nq2\tchair\n", "qrels.txt": made.QRELS, "queries.csv": "qid,kind\nq1,exact\n"}
    found = read_dataset(made.write(tmp_path, files))
    assert found.corpus is None
    assert found.queries == (Query("q1", "red lamp", {"kind": "exact"}), Query("q2", "chair"))


def test_a_first_query_that_is_the_word_topic_is_no_header(tmp_path: Path) -> None:
    found = read_dataset(made.write(tmp_path, {"topics.tsv": "q1\ttopic\nq2\tred chair\n", "qrels.txt": made.QRELS}))
    assert found.texts == {"q1": "topic", "q2": "red chair"}


def test_queries_without_any_text_are_refused(tmp_path: Path) -> None:
    made.write(tmp_path, {"corpus.jsonl": made.CORPUS, "queries.csv": "qid,kind\nq1,exact\n", "qrels.trec": made.QRELS})
    with raises(InputError, "queries.csv", "text", "query_text", "title", "question"):
        read_dataset(str(tmp_path))


def test_an_archive_is_told_to_be_unpacked(tmp_path: Path) -> None:
    (tmp_path / "scifact.zip").write_bytes(b"PK\x03\x04 and so on")
    with raises(Unreadable, "scifact.zip", "zip"):
        read_dataset(str(tmp_path / "scifact.zip"))


def test_what_is_no_dataset_is_told_what_was_looked_for(tmp_path: Path) -> None:
    made.write(tmp_path, {"notes.txt": "nothing\n", "corpus.jsonl": made.CORPUS})
    with raises(Unreadable, tmp_path, "notes.txt", "queries.jsonl", "qrels/*.tsv", "qrels.trec"):
        read_dataset(str(tmp_path))
    with raises(Unreadable, tmp_path, "esci", "esci_label", "product_title", "notes.txt"):
        read_dataset(str(tmp_path), kind="esci")
    with raises(Unreadable, tmp_path / "nowhere", "folder"):
        read_dataset(str(tmp_path / "nowhere"))
    with raises(UsageError, "wands", "'locale'", "fields"):
        read_dataset(made.wands(tmp_path / "wands"), locale="us")
