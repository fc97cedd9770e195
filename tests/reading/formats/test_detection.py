"""What a source is, by its content alone; and what is said when nobody can tell."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.raising import raises
from tests.reading.formats.samples import SAMPLES
from tests.shared_data import SHARED, needs_shared_data

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.collect import locate, plan, read_rows
from rankproof.reading.detect import noun_of
from rankproof.reading.formats.contract import Noun

TREC = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\n"

# content, noun, format: by columns, header and first characters, never by name.
TABLE: list[tuple[str, bytes, Noun, str]] = [
    ("tabs", TREC.replace(b" ", b"\t"), "run", "trec"),
    ("padded", b"  q1   Q0\td1  1 \t 2.5  t \n", "run", "trec"),
    ("crlf", TREC.replace(b"\n", b"\r\n"), "run", "trec"),
    ("comments", b"# made on Monday\n" + TREC, "run", "trec"),
    ("only comments", b"# nothing\n# yet\n", "run", "trec"),
    ("blank lines first", b"\n\n" + TREC, "run", "trec"),
    ("a tag with a blank", b"q1 Q0 d1 1 2.5 my tag\n", "run", "trec"),
    ("one bad score of three", TREC + b"q1 Q0 d3 3 x t\n", "run", "trec"),
    ("a query called query, a document called doc", b"query Q0 doc 1 2.5 t\nquery Q0 item 2 1.5 t\n", "run", "trec"),
    ("a padded tab first", b"\tq1\tQ0\td1\t1\t2.5 t\n", "run", "trec"),
    ("a faulty first line", b"garbage\n" + TREC, "run", "trec"),
    ("a nan score", b"q1 Q0 d1 1 nan t\n", "run", "trec"),
    ("qrels", b"q1 0 d1 1\nq1 0 d2 -1\n", "qrels", "trec"),
    ("qrels with tabs", b"q1\t0\td1\t1\n", "qrels", "trec"),
    ("blanks in a tab-separated id", b"q1\tQ0\td 1\t1\t2.5\tt\n", "run", "tsv"),
    ("a header above six columns", b"query_id q0 doc_id rank score tag\n" + TREC, "run", "tsv"),
    ("three columns", b"q1\td1\t0.5\n", "run", "tsv"),
    ("three columns with blanks", b"q1 d1 0.5\nq1 d2 0.4\n", "run", "tsv"),
    ("two columns", b"q1\td1\nq1\td2\n", "run", "tsv"),
    ("msmarco", b"q1\td1\t1\nq1\td2\t2\n", "run", "tsv"),
    ("commas in ids", b"q1\td,1\t0.5\nq1\td,2\t0.4\n", "run", "tsv"),
    ("commas in ids between blanks", b"q1 d,1 0.5\nq1 d,2 0.4\n", "run", "tsv"),
    ("qrels of three", b"q1\td1\t1\n", "qrels", "tsv"),
    ("a header with #", b"#query_id\tdoc_id\tscore\nq1\td1\t0.5\n", "run", "tsv"),
    ("commas", b"q1,d1,0.5\n", "run", "csv"),
    ("semicolons", b"qid;docno;score\nq1;d1;0.5\n", "run", "csv"),
    ("bars", b"q1|d1|0.5\nq1|d2|0.4\n", "run", "csv"),
    ("quotes", b'"q1","d, 1","0.5"\n', "run", "csv"),
    ("an index column", b",query_id,doc_id,score\n0,q1,d1,0.5\n", "run", "csv"),
    ("beir", b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "qrels", "beir"),
    ("beir's header as a run", b"query-id\tcorpus-id\tscore\nq1\td1\t1\n", "run", "tsv"),
    ("an empty object", b"{}", "run", "json"),
    ("a spread object", b'\n{\n  "q1":\n  {"d1": 1}\n}\n', "run", "json"),
    ("lists", b'{"q1": ["d1", "d2"]}', "run", "json"),
    ("a query called query", b'{"query": {"d1": 1}}', "run", "json"),
    ("a list of rows", b'[{"query_id": "q1", "doc_id": "d1", "score": 1}]', "run", "json"),
    ("one line of rows", b'{"query_id": "q1", "doc_id": "d1", "score": 1}', "run", "jsonl"),
    ("one query", b'{"qid": "q1", "docs": ["d1"]}', "run", "jsonl"),
    ("documents first", b'{"docs": ["d1"], "qid": "q1"}', "run", "jsonl"),
    ("test cases", b'[{"id": 1, "query": "x", "groundTruth": ["d1"]}]', "qrels", "testcases"),
    ("esci with tabs", b"query_id\tproduct_id\tesci_label\n1\tB0\tE\n", "qrels", "esci"),
    ("topics between tabs", b"q1\tone, two, three\n", "topics", "tsv"),
    ("topics with a header", b"id,text\nq1,one\n", "topics", "csv"),
    ("topics in tags", b"\n<top>\n<num> 1\n<title> x\n</top>\n", "topics", "trec_topics"),
]


@pytest.mark.parametrize(("content", "noun", "name"), [row[1:] for row in TABLE], ids=[row[0] for row in TABLE])
def test_a_source_is_recognized(content: bytes, noun: Noun, name: str) -> None:
    _, form = locate(content, noun)
    assert form.name == name


def test_the_name_of_a_file_does_not_matter(tmp_path: Path) -> None:
    """A TREC run called .tsv or .json is a TREC run."""
    for ending in (".tsv", ".csv", ".json", ".parquet", ""):
        path = tmp_path / f"bm25{ending}"
        path.write_bytes(TREC)
        rows, said = read_rows(path, "run")
        assert (said.format, len(rows)) == ("trec", 2)


@needs_shared_data
def test_real_files() -> None:
    nouns: dict[Noun, list[str]] = {
        "run": ["dl20/runs/*.run", "scifact/*.run", "trec_eval/results.*"],
        "qrels": ["dl20/qrels.trec", "dl20/llm_qrels/*", "cranfield/qrels.trec", "trec_eval/qrels.*test*"],
    }
    for noun, patterns in nouns.items():
        for pattern in patterns:
            files = sorted(SHARED.glob(pattern))
            assert files, pattern
            for file in files:
                planned = plan(file, noun)
                assert planned is not None
                assert planned.description.format == "trec"
    assert locate(SHARED / "cranfield" / "queries.jsonl", "topics")[1].name == "jsonl"


def refused(content: bytes, noun: Noun = "run") -> str:
    with pytest.raises(InputError) as error:
        read_rows(content, noun)
    return str(error.value)


def test_an_unknown_text_is_shown_with_what_is_possible() -> None:
    with raises(InputError, "<bytes>", "5 columns", "blanks", "'q1 d1 d2 d3 d4'", "tag", "--run-format") as error:
        read_rows(b"q1 d1 d2 d3 d4\n", "run")
    assert "csv, deepeval, irds, json, jsonl, parquet, promptfoo, ragas, trec, tsv" in str(error.value)


def test_a_long_line_is_shown_in_part() -> None:
    message = refused(b"x" * 200_000)
    assert "'" + "x" * 80 + "...'." in message
    assert len(message) < 400


def test_swapped_files_are_guessed() -> None:
    assert "It looks like qrels in the format trec: are the files in the right order?" in refused(b"q1 0 d1 1\n")
    assert "It looks like a run in the format trec" in refused(TREC, "qrels")


def test_judgments_are_never_a_run_in_file_order() -> None:
    said = refused(b"query_id,doc_id,grade\nq1,d1,1\n")
    assert "It looks like qrels in the format csv: are the files in the right order?" in said


def test_a_header_that_names_too_little_is_refused() -> None:
    said = refused(b"query_id,title,score\nq1,d1,0.5\nq1,d2,0.4\n")
    assert said == (
        "<bytes>: line 1 looks like a header (query_id, title, score); a run needs a query (query_id, qid, "
        "topic, ...), a document (doc_id, docid, ...) and a score or rank, or neither. Rename the columns, or say what "
        "they hold, such as --columns run:query_id=query_id,run:doc_id=title,run:score=score (in Python "
        "columns={'run': {'query_id': 'query_id', 'doc_id': 'title', 'score': 'score'}}). If it is a row, write a "
        "header above it."
    )


def test_a_space_separated_run_never_reads_as_nothing() -> None:
    """Forced into the wrong format, it is refused; left alone, it has all its rows."""
    for name, values in (
        ("csv", ("csv", "q1 Q0 d1 1 2.5 t", "query_id", "doc_id")),
        ("json", ("line 1", "JSON")),
        ("jsonl", ("line 1", "JSON")),
    ):
        with raises(InputError, "<bytes>", "--format", *values):
            read_rows(TREC, "run", name)
    assert len(read_rows(TREC, "run")[0]) == 2
    # tsv takes blanks as well, so a TREC run forced into it is a table of six columns.
    assert len(read_rows(TREC, "run", "tsv")[0]) == 2


def test_a_format_that_cannot_hold_the_noun_is_refused() -> None:
    with raises(UsageError, "beir", "qrels", "run", "csv", "irds", "json", "trec"):
        read_rows(TREC, "run", "beir")
    with raises(UnknownName, "'terc'", "'trec'"):
        read_rows(TREC, "run", "terc")


@pytest.mark.parametrize(
    ("content", "hints", "noun"),
    [
        (TREC, (), "run"),
        (b"q1 0 d1 1\n", (), "qrels"),
        (b'{"_id": "1", "text": "x"}\n', (), "topics"),
        (b'{"q1": {"d1": 1}}', ("a.qrels.gz",), "qrels"),
        (b'{"q1": {"d1": 1}}', ("a.json", "out.run"), "run"),
        (b"<top>\n</top>", (), "topics"),
        (SAMPLES["testcases", "qrels"], ("x.qrels",), "qrels"),
    ],
)
def test_what_a_source_holds(content: bytes, hints: tuple[str, ...], noun: Noun) -> None:
    assert noun_of(content, "x", hints=hints) == noun


def test_what_a_source_holds_is_asked_for_when_it_cannot_be_seen() -> None:
    with raises(InputError, "x", "--noun run", "--noun qrels"):
        noun_of(b'{"q1": {"d1": 1}}', "x")
    # A name never overrules the content.
    assert noun_of(TREC, "x", hints=("a.qrels",)) == "run"
