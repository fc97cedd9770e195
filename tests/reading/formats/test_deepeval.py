"""deepeval: the files that deepeval 4.3.1 wrote, and hostile variations. What they hold is worked out by shop.py."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.formats.recorded.shop import PAGES, QUESTIONS, SYSTEMS, retrieve

from rankproof.errors import InputError
from rankproof.reading.collect import locate, read_qrels, read_run, read_topics
from rankproof.reading.detect import record_format
from rankproof.reading.formats._records import text_id
from rankproof.reading.formats.contract import Noun
from rankproof.reading.score_tables import ScoreTable, read_score_table
from rankproof.reading.source import Source

HERE = Path(__file__).parent / "recorded" / "deepeval"
REFUSED = "Do you sell my address?"
QUERY = {question: text_id(question, "") for question in QUESTIONS}
GOLD = {QUERY[q]: {text_id(PAGES[page], ""): 1 for page in pages} for q, (_, pages) in QUESTIONS.items()}
GOLDENS = ["goldens.json", "goldens.csv", "goldens.jsonl"]


def retrieved(system: str) -> dict[str, list[str]]:
    return {QUERY[q]: [text_id(PAGES[page], "") for page in retrieve(system, q)] for q in QUESTIONS}


def order_of(what: object) -> dict[str, list[str]]:
    return {query: docs for query, docs, _ in read_run(what).rankings()}


def scores_of(table: ScoreTable) -> dict[str, dict[str, float]]:
    return {name: dict(zip(table.unit_ids, values.tolist(), strict=True)) for name, values in table.values.items()}


def case(**fields: object) -> dict[str, object]:
    return {"name": "one", "input": "Where?", "retrievalContext": ["Here."], "context": ["Here."], **fields}


def run_of(*cases: object, **fields: object) -> bytes:
    return json.dumps({"testCases": list(cases), **fields}).encode()


def metric(name: str, score: object, **fields: object) -> dict[str, object]:
    return {"name": name, "score": score, **fields}


def golden(**fields: object) -> dict[str, object]:
    return {"input": "Where?", "expected_output": "Here", "retrieval_context": "Here.", "context": "Here.", **fields}


def golden_lines(*goldens: object) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in goldens).encode()


# ---- what deepeval wrote --------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["before.json", "after.json", *GOLDENS])
@pytest.mark.parametrize("noun", ["run", "qrels", "topics"])
def test_what_deepeval_wrote_is_recognized_by_content(name: str, noun: Noun, tmp_path: Path) -> None:
    renamed = tmp_path / "x"
    renamed.write_bytes((HERE / name).read_bytes())
    assert locate(renamed, noun)[1].name == "deepeval"


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_test_run_is_read(system: str) -> None:
    path = HERE / f"{system}.json"
    assert order_of(path) == retrieved(system)
    assert read_qrels(path).to_dict() == GOLD
    assert read_topics(path) == {QUERY[question]: question for question in QUESTIONS}
    assert any(note.startswith("documents without ids") for note in read_run(path).notes)


@pytest.mark.parametrize("name", GOLDENS)
def test_goldens_are_gold_topics_and_what_was_retrieved(name: str) -> None:
    """Contexts that deepeval joined with a bar are cut there again."""
    assert order_of(HERE / name) == retrieved("after")
    assert read_qrels(HERE / name).to_dict() == GOLD
    assert read_topics(HERE / name) == {QUERY[question]: question for question in QUESTIONS}
    joined = any("cut at |" in note for note in read_run(HERE / name).notes)
    assert joined is (name != "goldens.json")
    assert record_format(Source(name, (HERE / name).read_bytes()), "scores") is None


@pytest.mark.parametrize("system", SYSTEMS)
def test_a_metric_is_a_column_and_one_that_failed_is_missing(system: str) -> None:
    table = read_score_table(HERE / f"{system}.json")
    scores = scores_of(table)
    assert list(scores) == ["Contextual Precision", "Exact Match"]
    for question, (_, gold) in QUESTIONS.items():
        value = scores["Contextual Precision"][QUERY[question]]
        if question == REFUSED:
            assert math.isnan(value)
            continue
        hits = [page in gold for page in retrieve(system, question)]
        precisions = [sum(hits[: rank + 1]) / (rank + 1) for rank, hit in enumerate(hits) if hit]
        assert value == pytest.approx(sum(precisions) / len(precisions) if precisions else 0.0)
    assert set(scores["Exact Match"].values()) == {0.0}
    told = "\n".join(table.notes)
    assert "given by a model: Contextual Precision (scripted-judge)." in told
    assert "no model is named for: Exact Match" in told
    assert f"Contextual Precision: an error or no score in 1 of {len(QUESTIONS)} test cases" in told
    assert "Exact Match: an error" not in told


# ---- hostile variations ---------------------------------------------------------------------------


def test_the_latest_test_run_has_a_key_around_it() -> None:
    inner = json.loads(run_of(case()))
    latest = json.dumps({"testRunData": inner, "testRunLink": None}).encode()
    assert locate(latest, "run")[1].name == "deepeval"
    assert order_of(latest) == {text_id("Where?", ""): [text_id("Here.", "")]}
    named = b'{"testFile": "test_shop.py", ' + run_of(case())[1:]
    assert order_of(named) == order_of(latest)


def test_a_score_beside_an_error_is_none() -> None:
    cases = run_of(
        case(metricsData=[metric("F", 0.0, error="TimeoutError", evaluationModel="j")], tokenCost=0.5),
        case(input="When?", metricsData=[metric("F", 0.25)], completionTime=2.5),
        case(input="Why?", metricsData=None),
        case(input="Who?", metricsData=[metric("F", None)]),
    )
    table = read_score_table(cases)
    missing = {text_id(question, "") for question in ("Where?", "Why?", "Who?")}
    scores = scores_of(table)
    assert {unit for unit, value in scores["F"].items() if math.isnan(value)} == missing
    assert scores["F"][text_id("When?", "")] == 0.25
    assert set(scores) == {"F", "tokenCost", "completionTime"}
    assert any("less is better: completionTime, tokenCost" in note for note in table.notes)
    assert any("F: an error or no score in 3 of 4 test cases" in note for note in table.notes)


@pytest.mark.parametrize(
    ("metrics", "named"),
    [
        ([metric("F", 1), metric("F", 0)], ["test case 1", "'F'"]),
        ([metric("unit", 1)], ["test case 1", "'unit'"]),
        ([metric("tokenCost", 1)], ["test case 1", "'tokenCost'"]),
        ([metric("F", "high")], ["test case 1", "metric 1", "'F'", "'high'"]),
        ([metric("F", True)], ["test case 1", "metric 1", "'F'"]),
        ([{"score": 1}], ["test case 1", "metric 1"]),
        (["F"], ["test case 1", "metric 1", "'F'"]),
        ({"F": 1}, ["test case 1", "metricsData"]),
    ],
)
def test_metrics_that_are_none_are_refused_with_their_place(metrics: object, named: list[str]) -> None:
    with raises(InputError, "<bytes>", *named):
        read_score_table(run_of(case(metricsData=metrics)))


def test_a_question_asked_several_times_needs_an_announcement() -> None:
    twice = run_of(*[case(metricsData=[metric("F", score)]) for score in (0, 1)])
    with raises(InputError, "<bytes>", text_id("Where?", "")):
        read_score_table(twice)
    assert read_score_table(twice, repeats=True).repeats.tolist() == [2]


def test_conversations_are_counted_and_not_taken_over() -> None:
    talks = [{"name": "talk", "turns": []}]
    mixed = run_of(case(), conversationalTestCases=talks)
    assert "1 conversation of several turns: not taken over" in read_run(mixed).notes
    alone = run_of(conversationalTestCases=talks)
    goldens = json.dumps([{"scenario": "returns", "turns": None, "expected_outcome": "sent back"}]).encode()
    table = b"scenario,turns,expected_outcome,user_description,context\nreturns,[],sent back,,\n"
    readers: tuple[Any, ...] = (read_run, read_qrels, read_topics)
    for content in (alone, goldens, table):
        for read in readers:
            with raises(InputError, "<bytes>", 1, "LLMTestCase"):
                read(content)


def test_a_table_of_scores_about_conversations_is_no_dataset() -> None:
    table = read_score_table(b"id,scenario,turns,expected_outcome,score\n1,returns,4,sent back,0.5\n")
    assert table.values["score"].tolist() == [0.5]


def test_nothing_was_retrieved() -> None:
    """A test run has null for no contexts, whether there were none or nobody kept them; a dataset has both."""
    cases = run_of(case(), case(input="When?", retrievalContext=None))
    assert "1 of 2 samples without retrieved contexts: not taken over" in read_run(cases).notes
    saved = golden_lines(golden(), golden(input="When?", retrieval_context="", context=None))
    assert "1 question for which nothing was retrieved" in read_run(saved).notes
    assert list(read_qrels(saved).to_dict()) == [text_id("Where?", "")]


def test_contexts_with_a_source_are_their_texts() -> None:
    marked = golden(
        retrieval_context="deepeval_source=a.md,deepeval_context=Here.|deepeval_source=b.md,deepeval_context=There."
    )
    assert order_of(golden_lines(marked)) == {text_id("Where?", ""): [text_id("Here.", ""), text_id("There.", "")]}


def test_lists_in_json_lines_are_not_cut() -> None:
    """Somebody's own JSON lines may have lists, in which a bar is a part of a text."""
    own = golden_lines(golden(retrieval_context=["a|b", "c"]))
    assert order_of(own) == {text_id("Where?", ""): [text_id("a|b", ""), text_id("c", "")]}
    assert not any("cut at |" in note for note in read_run(own).notes)


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (run_of(), ["<bytes>", "LLMTestCase"]),
        (run_of("x"), ["<bytes>", "test case 1", "'x'"]),
        (run_of(case(retrievalContext=["a", 3])), ["<bytes>", "test case 1", "retrievalContext"]),
        (run_of(case(retrievalContext={})), ["<bytes>", "test case 1", "retrievalContext"]),
        (run_of(case(retrievalContext=["  "])), ["<bytes>", "test case 1"]),
        (run_of(case(input=" ")), ["<bytes>", "test case 1"]),
        (run_of(case(input=None)), ["<bytes>", "test case 1"]),
        (run_of(case())[:-40], ["<bytes>", "line 1"]),
        (b'{"testCases": {"input": "x", "name": "y"}}', ["<bytes>", "testCases"]),
        (b'{"testCases": [{"input": "a", "input": "b", "name": "c"}]}', ["test case 1", "'input'"]),
    ],
)
def test_what_is_no_test_run_is_refused_with_its_place(content: bytes, named: list[str]) -> None:
    with raises(InputError, *named):
        read_run(content, "deepeval")


def test_a_long_test_run_is_recognized_by_its_head() -> None:
    """The one line of a test run is longer than what is looked at."""
    long = run_of(*(case(input=f"question {i}", retrievalContext=["x" * 50_000, "Here."]) for i in range(10)))
    assert locate(long, "run")[1].name == "deepeval"
    assert len(read_run(long)) == 10


def test_unicode_in_questions_and_contexts() -> None:
    cases = run_of(case(input="Où\u2028?", retrievalContext=["Ici \U0001f600", "\ud83d", "\x00"]))
    (docs,) = order_of(cases).values()
    assert len(set(docs)) == 3
