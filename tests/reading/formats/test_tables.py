"""Tables in text: headers in many words, columns without a header, ranks against scores."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import plan, read_qrels, read_rows, read_run, read_topics
from rankproof.reading.formats.contract import TextLayout

HEADERS_OF_RUNS = [
    "query_id,doc_id,score",
    "Query-ID,Corpus-ID,Similarity",
    "qid,pid,sim",
    "topic,docno,score",
    '"queryId","documentId","score"',
    "query,document,score",
    " query id , product id , score ",
]


@pytest.mark.parametrize("header", HEADERS_OF_RUNS)
@pytest.mark.parametrize("separator", [",", "\t", ";", "|"])
def test_a_header_in_many_words(header: str, separator: str) -> None:
    text = f"{header}\nq1,d1,0.5\nq1,d2,0.7\n".replace(",", separator)
    run = read_run(text.encode())
    assert run.to_dict() == {"q1": {"d2": 0.7, "d1": 0.5}}
    assert "header found" in run.notes


def test_columns_may_stand_in_any_order() -> None:
    run = read_run(b"tag,score,rank,extra,doc_id,query,query_id\nbm25,0.5,1,x,d1,words of the query,q1\n")
    assert run.to_dict() == {"q1": {"d1": 0.5}}
    assert run.name == "bm25"
    assert "query from 'query_id', document from 'doc_id', score from 'score', rank from 'rank', tag from 'tag'" in (
        run.notes
    )


def test_qrels_with_subtopics() -> None:
    qrels = read_qrels(b"query_id,subtopic,doc_id,grade\nq1,a,d1,1\nq1,b,d1,2\n")
    assert qrels.has_subtopics
    assert list(qrels.judged()) == [("q1", ["d1", "d1"], [1, 2], ["a", "b"])]
    assert qrels["q1"] == {"d1": 2}


def test_a_distance_is_lower_is_better_and_says_so() -> None:
    text = b"qid\tdocid\tdistance\nq1\tfar\t0.9\nq1\tnear\t0.1\n"
    run = read_run(text)
    assert list(run["q1"]) == ["near", "far"]
    assert run.kind == "distance"
    assert "'distance' is a distance: lower is better" in run.notes
    assert list(read_run(text, lower_is_better=False)["q1"]) == ["far", "near"]


# ---- three columns without a header: a rank or a score ---------------------------------------------

RANKS = b"q1\td9\t1\nq1\td2\t2\nq2\td1\t1\n"


def test_a_column_that_counts_up_is_a_rank() -> None:
    run = read_run(RANKS)
    assert run.kind == "rank"
    assert list(run["q1"]) == ["d9", "d2"]
    assert "column 3 read as the rank: it counts 1, 2, 3, ... within each query" in run.notes
    from_zero = read_run(b"q1\td9\t0\nq1\td2\t1\nq2\td1\t0\n")
    assert from_zero.kind == "rank"


def test_what_is_asked_for_goes_before_what_is_seen() -> None:
    assert list(read_run(RANKS, order="score")["q1"]) == ["d2", "d9"]
    assert list(read_run(b"q1\td9\t7\nq1\td2\t5\n", order="rank")["q1"]) == ["d2", "d9"]


def test_falling_whole_numbers_are_a_score() -> None:
    """n points for the first document, 1 for the last: read as ranks, the list would be upside down."""
    run = read_run(b"q1\td9\t3\nq1\td2\t2\nq1\td1\t1\n")
    assert run.kind == "score"
    assert list(run["q1"]) == ["d9", "d2", "d1"]
    assert "column 3 read as the score" in run.notes


def test_whole_numbers_in_no_order_are_refused_not_guessed() -> None:
    text = b"q1,a,2\nq1,b,1\nq1,c,3\nq2,a,1\n"
    with pytest.raises(InputError) as error:
        read_run(text)
    assert str(error.value) == (
        "<bytes>: column 3 holds the whole numbers 1 to n of each query, but not in order: it may be a rank or a "
        "score. Say which with --order rank or --order score."
    )
    assert list(read_run(text, order="rank")["q1"]) == ["b", "a", "c"]
    assert list(read_run(text, order="score")["q1"]) == ["c", "a", "b"]


def test_ranks_and_scores_together() -> None:
    run = read_run(b"q1\td9\t1\t0.9\nq1\td2\t2\t0.7\n")
    assert run.to_dict() == {"q1": {"d9": 0.9, "d2": 0.7}}
    assert "column 3 counts 1, 2, 3, ... within each query: the rank; column 4: the score" in run.notes
    turned = read_run(b"q1\td9\t0.9\t1\nq1\td2\t0.7\t2\n")
    assert turned == run
    with_tag = read_run(b"q1,d9,1,0.9,bm25\nq1,d2,2,0.7,bm25\n")
    assert with_tag == run
    assert with_tag.name == "bm25"
    assert read_run(b"q1,Q0,d9,1,0.9\nq1,Q0,d2,2,0.7\n") == run


def test_two_columns_are_in_the_order_given() -> None:
    run = read_run(b"q1\td9\nq1\td2\nq2\td1\n")
    assert run.to_dict() == {"q1": {"d9": None, "d2": None}, "q2": {"d1": None}}
    assert run.order.by == "given"
    assert "two columns: documents are in the order given" in run.notes


def test_an_order_that_the_source_cannot_give_is_refused() -> None:
    with raises(UsageError, "<bytes>", "scores", "--order given"):
        read_run(b"q1\td9\nq1\td2\n", order="score")
    with raises(UsageError, "<bytes>", "ranks", "--order score", "--order given"):
        read_run(b"q1\td9\t0.5\nq1\td2\t0.7\n", order="given", name="x") and read_run(
            b"qid,docid,score\nq1,d9,0.5\n", order="rank"
        )
    with raises(UsageError, "'best'", "score", "rank", "given"):
        read_run(RANKS, order="best")
    with raises(UsageError, "<bytes>", "ranks", "--lower-is-better"):
        read_run(RANKS, lower_is_better=True)


# ---- what the core is told -----------------------------------------------------------------------


def layout(text: bytes, noun: str = "run") -> TextLayout:
    planned = plan(text, noun)
    assert planned is not None
    assert planned.description.layout is not None
    return planned.description.layout


def test_layouts() -> None:
    assert layout(b"q1 Q0 d1 1 0.5 t\n") == TextLayout(" ", 0, 2, 4, 3, 5, least=6, comments=True)
    assert layout(b"q1 0 d1 1\n", "qrels") == TextLayout(" ", 0, 2, 3, -1, 1, least=4, most=4, comments=True)
    assert layout(b"a,doc_id,qid,score\n\n1,d1,q1,2\n") == TextLayout(
        ",", 2, 1, 3, least=4, most=4, skip=1, quoted=True
    )
    assert layout(b"# x\n\nqid\tdocid\n#1\td1\n") == TextLayout("\t", 0, 1, least=2, most=2, skip=3)
    assert layout(b"# x\nq1\td1\t0.5\n", "run").comments


def test_rows_after_comments_and_a_header() -> None:
    rows, _ = read_rows(b"# made on Monday\n\nqid\tdocid\tscore\nq1\td1\t0.5\n# half time\nq1\td2\t0.4\n", "run")
    assert rows.line.tolist() == [4, 6]
    assert rows.fault_count == 0


def test_an_id_may_begin_with_a_number_sign() -> None:
    """Where such a line has all the columns it is a row: dropped as a comment, it would be lost in silence."""
    run = read_run(b"qid\tdocid\tscore\n#1\td1\t0.5\n#2\td1\t0.5\n")
    assert run.query_ids == ("#1", "#2")


def test_a_line_with_other_columns_is_a_fault_not_a_row() -> None:
    rows, said = read_rows(b"qid,docid,score\nq1,d1,0.5\nq1,d2,0.4\nq1,d3,0.3,9\nq1,d4,0.2\nq1,d5,0.1\n", "run")
    assert [fault[:2] for fault in rows.faults] == [(4, 4)]
    assert said.shape == "the header has 3: qid docid score"
    _, said = read_rows(b"q1,d1,0.5\nq1,d2,0.4\n", "run")
    assert said.shape == "the other lines have 3: query_id doc_id score"


def test_what_follows_the_tag_can_be_asked_for_again() -> None:
    rows, said = read_rows(b"q1 Q0 d1 1 0.5 t\nq1 Q0 d2 2 0.4 t x\n", "run")
    assert rows.fault_count == 0
    assert said.again is not None
    assert [fault[:2] for fault in said.again().faults] == [(2, 7)]


def test_quotes_protect_separators_and_quotes() -> None:
    run = read_run(b'query_id,doc_id,score\nq1,"d,1 ""second""",0.5\n')
    assert list(run["q1"]) == ['d,1 "second"']


# ---- topics --------------------------------------------------------------------------------------


def test_topics() -> None:
    assert read_topics(b"1\tone, two\r\n2\tthree\r\n") == {"1": "one, two", "2": "three"}
    assert read_topics(b'text,qid\n"one,\ntwo",1\n') == {"1": "one,\ntwo"}
    with raises(InputError, "<bytes>", "line 2", "'1'"):
        read_topics(b"1\tone\n1\ttwo\n")
    with raises(InputError, "<bytes>", "topics"):
        read_topics(b"")
    with raises(InputError, "<bytes>", "line 2", "1 column"):
        read_topics(b"1\tone\n2\n", "tsv")
