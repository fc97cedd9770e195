"""What people who build RAG have: judgments without grades, lists, sets, one id, wide frames, other names of columns.

A test is named after what somebody would type first.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises
from tests.reading.tables import KINDS, frames
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.errors import InputError, Refused
from rankproof.reading.collect import NO_GRADES, read_qrels, read_run

RUN = {"q1": ["d1", "d2"], "q2": ["d9", "d7"]}
GOLD = {"q1": {"d1": 1}, "q2": {"d7": 1}}
# RR: 1 for q1, 1/2 for q2.
MEAN = 0.75


def rr(gold: Any, run: Any = RUN, **choices: Any) -> float:
    return float(rankproof.evaluate(gold, run, "RR", **choices)["RR"].mean)


def told(gold: Any, run: Any = RUN, **choices: Any) -> tuple[str, ...]:
    return tuple(rankproof.evaluate(gold, run, "RR", **choices).fine_print)


# ---- gold as it lies around ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "gold",
    [
        {"q1": ["d1"], "q2": ["d7"]},
        {"q1": ("d1",), "q2": ["d7"]},
        {"q1": {"d1"}, "q2": frozenset({"d7"})},
        {"q1": "d1", "q2": "d7"},
        {"q1": ["d1"], "q2": "d7"},
        {"q1": np.array(["d1"]), "q2": np.array(["d7"])},
        [("q1", "d1"), ("q2", "d7")],
        [{"question_id": "q1", "chunk_id": "d1"}, {"question_id": "q2", "chunk_id": "d7"}],
        [{"question_id": "q1", "relevant_ids": ["d1"]}, {"question_id": "q2", "relevant_ids": ["d7"]}],
        [{"question_id": "q1", "relevant_ids": "d1"}, {"question_id": "q2", "relevant_ids": "d7"}],
        [{"user_input": "q1", "reference_context_ids": ["d1"]}, {"user_input": "q2", "reference_context_ids": ["d7"]}],
        {"query_id": ["q1", "q2"], "relevant": [["d1"], ["d7"]]},
        {"queries": ["q1", "q2"], "relevant": ["d1", "d7"]},
    ],
    ids=[
        "dict of lists", "dict of tuples", "dict of sets", "one id", "lists and one id", "arrays", "pairs",
        "records without a grade", "records with a list", "records with one id", "ragas samples", "parallel lists",
        "parallel lists of one id",
    ],
)  # fmt: skip
def test_gold_without_grades(gold: Any) -> None:
    assert read_qrels(gold).to_dict() == GOLD
    assert rr(gold) == MEAN
    assert told(gold).count(NO_GRADES) == 1


def test_gold_with_grades_says_nothing_of_the_kind() -> None:
    assert NO_GRADES not in told(GOLD)
    assert NO_GRADES not in told([("q1", "d1", 1), ("q2", "d7", 1)])


def test_a_set_is_read_in_one_order() -> None:
    names = [f"d{i}" for i in range(50)]
    qrels = read_qrels({"q": set(names)})
    assert list(qrels["q"]) == sorted(names) != list(set(names))
    assert qrels.content_hash == read_qrels({"q": names}).content_hash


def test_numbers_are_ids_in_gold_too() -> None:
    assert read_qrels({1: [10, np.int64(20)], 2: 30}).to_dict() == {"1": {"10": 1, "20": 1}, "2": {"30": 1}}


def test_gold_of_one_form_has_one_hash_with_its_graded_form() -> None:
    assert read_qrels({"q1": ["d1"], "q2": {"d7"}}) == read_qrels(GOLD)


def test_an_empty_list_is_a_judged_query_without_a_relevant_document() -> None:
    run = {**RUN, "q0": ["d5"]}
    for gold in (
        {"q0": [], "q1": ["d1"], "q2": ["d7"]},
        {"q0": set(), "q1": {"d1"}, "q2": {"d7"}},
        {"q0": {}, **GOLD},
        json.dumps({"q0": [], "q1": ["d1"], "q2": ["d7"]}).encode(),
        json.dumps({"q0": {}, **GOLD}).encode(),
        {"query_id": ["q0", "q1", "q2"], "relevant_ids": [[], ["d1"], ["d7"]]},
    ):
        evaluation = rankproof.evaluate(gold, run, "RR")
        assert evaluation.population.judged == 3, gold
        assert evaluation.population.without_relevant == ("q0",), gold
        assert evaluation["RR"].by_query == {"q0": 0.0, "q1": 1.0, "q2": 0.5}
        assert evaluation["RR"].undefined == ("q0",)


def test_an_empty_list_survives_reading_filtering_and_the_hash() -> None:
    qrels = read_qrels({"q0": [], "q1": ["d1"], "q2": ["d7"]})
    assert qrels.to_dict() == {"q1": {"d1": 1}, "q2": {"d7": 1}, "q0": {}}
    assert len(qrels) == 3
    assert qrels != read_qrels(GOLD)
    assert qrels.filter(["q1", "q2"]) == read_qrels(GOLD)
    # A query without documents is no subtopic of that name.
    assert read_qrels({"q": ["d"], "x": []}) != read_qrels(b"q x d 1\n")
    assert dict(qrels.filter(["q0", "q1"])) == {"q1": {"d1": 1}, "q0": {}}
    assert rankproof.prepare(qrels).content_hash() == qrels.content_hash
    assert rankproof.prepare({"q0": [], "q1": ["d1"], "q2": ["d7"]}).content_hash() == qrels.content_hash
    assert rankproof.evaluate(qrels, RUN, "RR").population.judged == 3
    assert told(qrels).count(NO_GRADES) == 1


def test_a_query_without_documents_is_written_or_refused_but_never_dropped(tmp_path: Path) -> None:
    qrels = read_qrels({"q0": [], "q1": ["d1"]})
    rankproof.write(qrels, tmp_path / "gold.json")
    assert read_qrels(tmp_path / "gold.json") == qrels
    for name in ("gold.trec", "gold.csv", "gold.jsonl"):
        with raises(InputError, "'q0'", "json", "filter"):
            rankproof.write(qrels, tmp_path / name)
        assert not (tmp_path / name).exists()
    assert rankproof.write(qrels.filter(["q1"]), tmp_path / "gold.trec") == "trec"


def test_measures_of_subtopics_stood_still_at_a_query_without_documents() -> None:
    # The pool had one query more than the subtopics: an IndexError.
    values = rankproof.evaluate({"q0": {}, **GOLD}, RUN, "alpha_nDCG@10")["alpha_nDCG@10"].by_query
    alone = rankproof.evaluate(GOLD, RUN, "alpha_nDCG@10")["alpha_nDCG@10"].by_query
    assert values == {"q0": 0.0, **alone}


def test_a_query_that_stands_twice_in_wide_rows_has_all_its_documents() -> None:
    rows = [{"qid": "q", "relevant_ids": []}, {"qid": "q", "relevant_ids": ["a"]}, {"qid": "q", "relevant_ids": ["b"]}]
    qrels = read_qrels(rows)
    assert qrels.to_dict() == {"q": {"a": 1, "b": 1}}
    assert qrels.without_documents == ()


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("gold.json", '{"q1": ["d1"], "q2": ["d7"]}'),
        ("gold.json", '{"q1": "d1", "q2": "d7"}'),
        ("gold.json", '[{"question_id": "q1", "chunk_id": "d1"}, {"question_id": "q2", "chunk_id": "d7"}]'),
        ("gold.jsonl", '{"query_id": "q1", "relevant_ids": ["d1"]}\n{"query_id": "q2", "relevant_ids": ["d7"]}\n'),
        ("gold.jsonl", '{"qid": "q1", "doc_id": "d1"}\n{"qid": "q2", "doc_id": "d7"}\n'),
        ("gold.jsonl", '{"qid": "q1", "docs": ["d1"]}\n{"qid": "q2", "docs": ["d7"]}\n'),
        ("gold.csv", "question_id,chunk_id\nq1,d1\nq2,d7\n"),
        ("gold.csv", "q1,d1\nq2,d7\n"),
        ("gold.tsv", "question_id\tpassage_id\nq1\td1\nq2\td7\n"),
        ("gold.tsv", "q1\td1\nq2\td7\n"),
        ("gold.csv", "query_id,title,doc_id,year\nq1,one,d1,1999\nq2,two,d7,2001\n"),
    ],
)
def test_gold_files_without_grades(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert read_qrels(path).to_dict() == GOLD
    assert rr(path) == MEAN
    assert told(path).count(NO_GRADES) == 1


@pytest.mark.parametrize(
    "text",
    [
        b"query_id,doc_id,rank\nq1,d1,1\nq2,d7,1\n",
        b"query_id,doc_id,similarity\nq1,d1,0.5\nq2,d7,0.5\n",
        b'{"query_id": "q1", "doc_id": "d1", "distance": 0.5}\n',
        b'[{"query_id": "q1", "doc_id": "d1", "position": 1}]',
    ],
)
def test_a_run_given_as_gold_is_refused_as_a_run(text: bytes) -> None:
    with pytest.raises(InputError) as refused:
        rr(text)
    assert "a run" in str(refused.value)


def test_topics_given_as_gold_are_refused() -> None:
    with raises(InputError, "'what is a run'", "'q1'"):
        rr({"q1": "what is a run"})
    with pytest.raises(InputError):
        rr(b"q1\twhat is a run\nq2\twhat is gold\n")


def test_two_columns_with_a_header_are_still_a_run_for_who_asks_what_they_are(tmp_path: Path) -> None:
    from rankproof.reading.detect import noun_of

    path = tmp_path / "pairs.csv"
    path.write_text("query_id,doc_id\nq1,d1\n")
    assert noun_of(path, str(path)) == "run"


# ---- frames --------------------------------------------------------------------------------------


WIDE = {"question_id": ["q1", "q2"], "retrieved_ids": [["d1", "d2"], ["d9", "d7"]], "relevant_ids": [["d1"], ["d7"]]}
LONG = {"question_id": ["q1", "q1", "q2", "q2"], "chunk_id": ["d1", "d2", "d9", "d7"]}


@pytest.mark.parametrize("kind", KINDS)
def test_a_frame_with_question_id_and_chunk_id(kind: str) -> None:
    frame = frames()[kind]
    assert rr(GOLD, frame({**LONG, "similarity": [0.9, 0.2, 0.8, 0.7]})) == MEAN
    assert rr(GOLD, frame({**LONG, "distance": [0.1, 0.2, 0.8, 0.9]})) == MEAN
    assert rr(GOLD, frame({**LONG, "position": [1, 2, 1, 2]})) == MEAN
    gold = {"question_id": ["q1", "q2"], "context_id": ["d1", "d7"]}
    assert rr(frame(gold)) == MEAN
    assert "judgments: query from 'question_id', document from 'context_id'" in told(frame(gold))
    assert NO_GRADES in told(frame(gold))


@pytest.mark.parametrize("kind", KINDS)
def test_one_wide_frame_with_list_columns_for_both(kind: str) -> None:
    frame = frames()[kind]
    assert rr(frame(WIDE), frame(WIDE)) == MEAN
    lines = told(frame(WIDE), frame(WIDE))
    assert "judgments: query from 'question_id', documents from 'relevant_ids'" in lines
    assert "query from 'question_id', documents from 'retrieved_ids'" in lines
    named = {"q": WIDE["question_id"], "found": WIDE["retrieved_ids"], "right": WIDE["relevant_ids"]}
    columns = {"query_id": "q", "retrieved": "found", "relevant": "right"}
    assert rr(frame(named), frame(named), columns=columns) == MEAN


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_of_true_and_false_is_a_grade(kind: str) -> None:
    judged = {"qid": ["q1", "q1", "q2"], "chunk_id": ["d1", "d2", "d7"], "relevant": [True, False, True]}
    assert read_qrels(frames()[kind](judged)).to_dict() == {"q1": {"d1": 1, "d2": 0}, "q2": {"d7": 1}}


def test_scores_beside_a_list_put_it_in_order() -> None:
    run = [{"qid": "q1", "retrieved_ids": ["d2", "d1"], "scores": [0.1, 0.9]}]
    assert list(read_run(run)["q1"]) == ["d1", "d2"]
    polars = pytest.importorskip("polars")
    assert list(read_run(polars.DataFrame(run))["q1"]) == ["d1", "d2"]


def test_lists_of_numbers_under_the_names_of_single_ones() -> None:
    polars = pytest.importorskip("polars")
    for as_given in (list, polars.DataFrame):
        near = as_given([{"qid": "q1", "chunk_id": ["d2", "d1"], "distance": [0.9, 0.1]}])
        assert list(read_run(near)["q1"]) == ["d1", "d2"]
        assert read_run(near).order.lower_is_better
        graded = as_given([{"qid": "q1", "chunk_id": ["d2", "d1"], "grade": [2, 0]}])
        assert read_qrels(graded).to_dict() == {"q1": {"d2": 2, "d1": 0}}
        # One number for a whole list is not a score of its documents, and ranks of a list are its order.
        with raises(InputError, "'score'", "'chunk_id'"):
            read_run(as_given([{"qid": "q1", "chunk_id": ["d2", "d1"], "score": 0.9}]))
        with raises(InputError, "'rank'", "'chunk_id'"):
            read_run(as_given([{"qid": "q1", "chunk_id": ["d2", "d1"], "rank": [2, 1]}]))


def test_a_pandas_frame_without_pyarrow_has_lists_and_gaps_too(monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    monkeypatch.setattr("rankproof.reading.arrow.has_pyarrow", lambda: False)
    frame = pandas.DataFrame({"qid": ["q1", "q2"], "relevant": [["d1", "d2"], []], "retrieved": [["d2"], ["d3"]]})
    assert read_qrels(frame).to_dict() == {"q1": {"d1": 1, "d2": 1}, "q2": {}}
    assert list(read_run(frame)["q2"]) == ["d3"]
    yes = pandas.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "is_relevant": [True, False]})
    assert read_qrels(yes).to_dict() == {"q1": {"d1": 1, "d2": 0}}
    ranked = pandas.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"], "rank": [2, 1]})
    assert list(read_run(ranked)["q1"]) == ["d2", "d1"]
    with raises(InputError, "row 1", "'docno'"):
        read_run(ranked.assign(docno=[np.nan, "d2"]))
    with raises(InputError, "row 1", "'rank'"):
        read_run(ranked.assign(rank=[np.nan, 1.0]))


def test_numbers_beyond_64_bits_are_ids() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"qid": [10**30], "docno": ["d1"], "score": [2.5]})  # an OverflowError in pyarrow
    assert read_run(frame).to_dict() == {str(10**30): {"d1": 2.5}}


def test_pyterriers_docno_is_the_id_and_its_docid_a_number_of_the_index() -> None:
    frame = [{"qid": "q1", "docid": 71, "docno": "d1", "rank": 0, "score": 2.0}]
    assert read_run(frame).to_dict() == {"q1": {"d1": 2.0}}


# ---- hostile input --------------------------------------------------------------------------------


def test_lists_of_other_lengths_are_named_with_both_lengths() -> None:
    with raises(InputError, "'queries'", "2", "'relevant'", "3"):
        read_qrels({"queries": ["q1", "q2"], "relevant": [["d1"], ["d2"], ["d3"]]})
    with raises(InputError, "row 1", "'scores'", "'retrieved_ids'"):
        read_run([{"qid": "q1", "retrieved_ids": ["a", "b"], "scores": [1.0]}])


@pytest.mark.parametrize(
    ("gold", "values"),
    [
        ({"q1": None}, ("'q1'", "None", "empty list")),
        ({"q1": float("nan")}, ("'q1'", "nan")),
        ({"q1": [None]}, ("None", "id")),
        ({"q1": [float("nan")]}, ("nan", "id")),
        ({"q1": {float("nan")}}, ("nan", "id")),
        ({"q1": [""]}, ("id",)),
        ({"q1": ""}, ("'q1'", "''")),
        ({"q1": True}, ("'q1'", "True")),
        ({"q1": 0.5}, ("'q1'", "0.5")),
        ({"q1": object}, ("'q1'",)),
        ({"": ["d1"]}, ("id",)),
        ({None: ["d1"]}, ("None", "id")),
        ({"q1": ["d1"], "q2": {"d2": 2}}, ("grade",)),
        ({"q1": [["d1", None]]}, ("'d1'", "null")),
        ([("q1", "d1"), ("q2", "d2", 1)], ("row 2", "grade")),
        ([("q1", "d1"), None], ("row 2", "None")),
        ([{"qid": "q1", "relevant_ids": None}], ("'q1'", "None", "empty list")),
        ([{"qid": "q1", "relevant_ids": ["a"]}, {"qid": "q2"}], ("row 2", "'qid'")),
        ([{"qid": float("nan"), "relevant_ids": ["a"]}], ("nan", "id")),
        ({"queries": ["q1"], "relevant": [None]}, ("'q1'", "None")),
        (b'{"q1": null}', ("'q1'", "None")),
        (b'{"qid": "q1", "relevant_ids": null}\n', ("line 1", "None")),
        (b"query_id,relevant_ids\nq1,['d1']\n", ("'relevant_ids'", "JSON")),
    ],
)
def test_hostile_gold_gets_one_clear_message(gold: Any, values: tuple[str, ...]) -> None:
    with raises(InputError, *values):
        rr(gold)


@pytest.mark.parametrize("gold", [{}, {"q1": []}, {"q1": set(), "q2": []}, [], {"query_id": [], "relevant_ids": []}])
def test_gold_that_names_nothing_is_refused(gold: Any) -> None:
    with raises(Refused) as refused:
        rr(gold)
    assert [finding.code for finding in refused.value.findings] == ["empty_qrels"]


def test_a_document_named_twice_counts_once() -> None:
    assert read_qrels({"q1": ["d1", "d1"]}).to_dict() == {"q1": {"d1": 1}}
    assert rr({"q1": ["d1", "d1"], "q2": ["d7"]}) == MEAN


@pytest.mark.parametrize(
    ("run", "values"),
    [
        ({"q1": {"d1", "d2"}}, ("'q1'", "order", "list")),
        ({"q1": None}, ("'q1'", "None")),
        ([{"qid": "q1", "retrieved_ids": {"d1"}}], ("'q1'", "order")),
    ],
)
def test_a_set_or_one_id_is_no_ranking(run: Any, values: tuple[str, ...]) -> None:
    with raises(InputError, *values):
        rr(GOLD, run)


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_wide_frames(kind: str) -> None:
    table = frames()[kind]
    with raises(InputError, "'q2'", "None"):
        read_qrels(table({"qid": ["q1", "q2"], "relevant_ids": [["d1"], None]}))
    with raises(InputError, "None", "id"):
        read_qrels(table({"qid": ["q1"], "relevant_ids": [["d1", None]]}))
    assert read_qrels(table({"qid": ["q1", "q2"], "relevant_ids": [["d1"], []]})).to_dict() == {
        "q1": {"d1": 1}, "q2": {},
    }  # fmt: skip


# ---- real judgments ------------------------------------------------------------------------------


@needs_shared_data
def test_relevant_ids_of_real_judgments_give_the_binary_measures_of_the_grades(tmp_path: Path) -> None:
    qrels = read_qrels(SHARED / "dl20" / "qrels.trec")
    gold = {query: [doc for doc, grade in docs.items() if grade >= 1] for query, docs in qrels.items()}
    run = sorted((SHARED / "dl20" / "runs").iterdir())[0]
    texts = ["RR", "AP", "R@100", "P@10", "Success@5"]
    graded = rankproof.evaluate(qrels, run, texts)
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(gold))
    for form in (gold, {q: set(docs) for q, docs in gold.items()}, path, [(q, d) for q in gold for d in gold[q]]):
        ours = rankproof.evaluate(form, run, texts)
        for text in texts:
            assert ours[text].by_query == graded[text].by_query, text
