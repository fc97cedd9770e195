"""promptfoo: the files that promptfoo 0.121.20 wrote, and hostile variations. shop.py works out what they hold."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.formats.recorded.shop import PAGES, QUESTIONS, SYSTEMS, answer, reciprocal_rank, retrieve

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.collect import locate, read_qrels, read_run, read_topics
from rankproof.reading.detect import by_name
from rankproof.reading.formats._records import text_id
from rankproof.reading.formats.contract import Noun, ScoreRows
from rankproof.reading.score_tables import read_score_table, split_by_column
from rankproof.reading.source import open_source

HERE = Path(__file__).parent / "recorded" / "promptfoo"
REFUSED = "Do you sell my address?"
ASKED = {"systems.jsonl": list(QUESTIONS), "systems.json": list(QUESTIONS)[8:12]}


def order_of(what: object, **options: object) -> dict[str, list[str]]:
    return {query: docs for query, docs, _ in read_run(what, **options).rankings()}  # type: ignore[arg-type]


def score_rows_of(what: Any, **options: object) -> ScoreRows:
    read = by_name("promptfoo", "scores").scores
    assert read is not None
    return read(open_source(what), options)


def result(**fields: object) -> dict[str, Any]:
    return {
        "vars": {"question": "Where?"}, "provider": {"id": "p"}, "namedScores": {}, "score": 1, "success": True,
        "response": {"metadata": {"contexts": ["Here.", "There."]}}, "latencyMs": 5, "cost": 0.5,
        "gradingResult": {"reason": "All assertions passed"}, **fields,
    }  # fmt: skip


def lines(*results: object) -> bytes:
    return "".join(json.dumps(each) + "\n" for each in results).encode()


# ---- what promptfoo wrote -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["systems.json", "systems.jsonl", "vars.json", "graders.jsonl"])
@pytest.mark.parametrize("noun", ["run", "qrels", "topics", "scores"])
def test_what_promptfoo_wrote_is_recognized_by_content(name: str, noun: Noun, tmp_path: Path) -> None:
    renamed = tmp_path / "x"
    renamed.write_bytes((HERE / name).read_bytes())
    assert locate(renamed, noun)[1].name == "promptfoo"


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_system_is_a_run(name: str, system: str) -> None:
    ids = {text_id(question, ""): retrieve(system, question) for question in ASKED[name]}
    assert order_of(HERE / name, provider=system) == ids
    texts = {query: [text_id(PAGES[page], "") for page in pages] for query, pages in ids.items()}
    # Gold of the tests has ids and no texts: the two cannot meet, and reading says so.
    assert order_of(HERE / name, provider=system, names="texts") == texts


@pytest.mark.parametrize("name", ASKED)
def test_gold_and_questions_are_those_of_all_systems(name: str) -> None:
    gold = {text_id(question, ""): dict.fromkeys(QUESTIONS[question][1], 1) for question in ASKED[name]}
    qrels = read_qrels(HERE / name)
    assert qrels.to_dict() == gold
    assert not any("several records" in note for note in qrels.notes), "a test is there once for each system"
    assert read_topics(HERE / name) == {text_id(question, ""): question for question in ASKED[name]}


def test_a_run_is_of_one_system() -> None:
    with raises(InputError, "systems.json", 2, "'before'", "'after'", "provider"):
        read_run(HERE / "systems.json")
    with raises(UnknownName, "'befor'", "'before'"):
        read_run(HERE / "systems.json", provider="befor")


@pytest.mark.parametrize("name", ASKED)
def test_scores_by_question_and_system(name: str) -> None:
    read = score_rows_of(HERE / name)
    assert len(read.rows) == 2 * len(ASKED[name])
    question_of = {text_id(question, ""): question for question in ASKED[name]}
    for row in read.rows:
        question, system = question_of[row["unit"]], row["provider"]
        first = float(reciprocal_rank(system, question) == 1)
        assert row["right page first"] == first
        assert row["cost"] == 0.001
        if question == REFUSED:
            # Its grader failed: promptfoo wrote 0 for it, and took it into the score.
            assert (row["context recall"], row["score"], row["pass"]) == (None, None, None)
            continue
        assert row["context recall"] == 1
        said = any(word in answer(system, question) for word in ("days", "years"))
        assert row["score"] == pytest.approx((1 + first + said) / 3)
        assert row["pass"] is (first == 1 and said)
    told = "\n".join(read.notes)
    assert "the grader of context-recall failed in 2 results" in told
    assert "a model decides in: score, pass, context recall." in told
    assert "2 systems in the column 'provider': 'before', 'after'" in told
    assert "less is better: latencyMs, cost" in told
    chosen = score_rows_of(HERE / name, provider="after")
    assert [row["provider"] for row in chosen.rows] == ["after"] * len(ASKED[name])
    assert any("the grader of context-recall failed in 1 result:" in note for note in chosen.notes)
    assert list(split_by_column(HERE / name, "provider")) == list(SYSTEMS)


def test_contexts_in_vars_and_questions_asked_twice() -> None:
    """A list in the vars is one where promptfoo was told not to make a test of each."""
    asked = list(QUESTIONS)[:3]
    run = read_run(HERE / "vars.json")
    assert order_of(HERE / "vars.json") == {
        text_id(question, ""): [text_id(PAGES[page], "") for page in retrieve("after", question)] for question in asked
    }
    assert any(note.startswith("3 samples that ask a question again") for note in run.notes)
    with raises(InputError, "vars.json", "reference_context_ids"):
        read_qrels(HERE / "vars.json")
    with raises(InputError, "vars.json"):
        read_score_table(HERE / "vars.json")
    assert read_score_table(HERE / "vars.json", repeats=True).repeats.tolist() == [2, 2, 2]


def test_graders_that_failed_leave_no_score() -> None:
    """Alone and in a set of assertions; what needed no grader keeps its score."""
    graded, failed, unasked = score_rows_of(HERE / "graders.jsonl").rows
    missing = {"score", "pass", "in a set", "faithfulness", "closed", "not rude"}
    assert {key for key, value in graded.items() if value is None} == missing
    assert graded["hello"] == 1
    assert (failed["score"], failed["pass"], failed.get("cost")) == (None, None, None)
    assert (unasked["score"], unasked["pass"], unasked["cost"]) == (None, None, 0)
    told = "\n".join(score_rows_of(HERE / "graders.jsonl").notes)
    for kind in ("llm-rubric", "not-llm-rubric", "context-faithfulness", "model-graded-closedqa"):
        assert f"the grader of {kind} failed in 1 result" in told
    assert "factuality is 0 in 1 assertion" in told
    assert "1 result ended in an error" in told
    assert "1 result without assertions" in told


def test_the_table_for_people_is_refused() -> None:
    readers: tuple[Any, ...] = (read_run, read_qrels, read_topics, read_score_table)
    for read in readers:
        with raises(InputError, "systems.csv", "out.jsonl"):
            read(HERE / "systems.csv")


# ---- hostile variations ---------------------------------------------------------------------------


def test_contexts_are_found_where_applications_give_them() -> None:
    here, there = text_id("Here.", ""), text_id("There.", "")
    told: dict[str, tuple[list[Any], list[str]]] = {
        "objects": ([{"id": 1, "text": "Here."}, {"doc_id": "b", "content": "There."}], ["1", "b"]),
        "objects of texts": ([{"pageContent": "Here."}, "There."], [here, there]),
        "texts": (["Here.", "There."], [here, there]),
    }
    for contexts, expected in told.values():
        for place in (
            {"response": {"metadata": {"documents": contexts}}},
            {"response": None, "metadata": {"docs": contexts}},
        ):
            assert list(order_of(lines(result(**place))).values()) == [expected]
    graded = {"componentResults": [{"metadata": {"context": ["Here."]}, "score": 1}]}
    assert list(order_of(lines(result(response=None, gradingResult=graded))).values()) == [[here]]


def test_contexts_in_one_text_are_no_ranking() -> None:
    one = result(vars={"question": "Where?", "context": "Here. There."}, response=None)
    with raises(InputError, "<bytes>", 1, "metadata.contexts"):
        read_run(lines(one))
    both = read_run(lines(one, result(vars={"question": "When?"})))
    assert any(note.startswith("contexts in one text") for note in both.notes)


def test_the_field_of_contexts_and_the_var_of_the_question_may_be_named() -> None:
    made = lines(result(vars={"a": "Where?", "b": "Why?"}, response={"metadata": {"pages": ["x"], "docs": ["y"]}}))
    assert order_of(made, contexts="metadata.pages", query="b") == {text_id("Why?", ""): [text_id("x", "")]}
    assert order_of(made, contexts="pages", query="b") == {text_id("Why?", ""): [text_id("x", "")]}
    with raises(UsageError, "'response.pages'"):
        read_run(made, contexts="response.pages")
    with raises(UsageError, "line 1", "'c'", "a", "b"):
        read_run(made, query="c")
    with raises(InputError, "<bytes>"):
        read_run(made, contexts="vars.pages")
    assert any("all of its vars" in note for note in score_rows_of(made).notes)


def test_prompts_of_one_provider_are_systems() -> None:
    made = lines(*(result(prompt={"raw": "...", "label": label}) for label in ("short", "long\nprompt")))
    with raises(InputError, "'p: short'", "'p: long prompt'"):
        read_run(made)
    assert len(read_run(made, provider="p: short")) == 1
    assert [row["provider"] for row in score_rows_of(made).rows] == ["p: short", "p: long prompt"]


def test_named_scores_do_not_take_the_place_of_others() -> None:
    (row,) = score_rows_of(lines(result(namedScores={"score": 0.25, "unit": 0.5, "cost": 9, "x": 0}))).rows
    assert (row["score"], row["named score"]) == (1, 0.25)
    assert (row["unit"], row["named unit"]) == (text_id("Where?", ""), 0.5)
    assert (row["cost"], row["named cost"], row["x"]) == (0.5, 9, 0)


def test_answers_from_the_cache_have_no_latency() -> None:
    fresh, cached = score_rows_of(lines(result(), result(response={"cached": True}))).rows
    assert (fresh["latencyMs"], cached["latencyMs"]) == (5, None)
    assert any(
        note.startswith("1 answer came from") for note in score_rows_of(lines(result(response={"cached": True}))).notes
    )


def test_scores_and_questions_need_no_contexts_that_can_be_read() -> None:
    odd = lines(result(response={"metadata": {"documents": [1, 2]}}))
    assert score_rows_of(odd).rows[0]["score"] == 1
    assert list(read_topics(odd).values()) == ["Where?"]
    with raises(InputError, "line 1", "documents"):
        read_run(odd)


def test_ids_of_questions_are_vars_or_metadata() -> None:
    in_vars = lines(result(vars={"question": "Where?", "id": 7}))
    assert list(read_topics(in_vars)) == ["7"]
    in_test = lines(result(testCase={"metadata": {"query_id": "q 1"}}))
    assert list(read_topics(in_test)) == ["q 1"]


def test_a_question_with_other_contexts_is_refused() -> None:
    with raises(InputError, "<bytes>", "line 2", "line 1", "Where?"):
        read_run(lines(result(), result(response={"metadata": {"contexts": ["There."]}})))


def test_results_that_ended_in_an_error_have_no_contexts() -> None:
    run = read_run(lines(result(), result(vars={"question": "When?"}, response=None, failureReason=2, error="no")))
    assert len(run) == 1
    assert "1 of 2 samples without retrieved contexts: not taken over" in run.notes


def test_sets_in_sets_are_looked_through() -> None:
    deep: dict[str, Any] = {"assertion": {"type": "llm-rubric"}, "score": 0, "metadata": {"graderError": True}}
    for _ in range(200):
        deep = {
            "componentResults": [deep],
            "score": 0,
            "metadata": {"assertionSet": {"type": "assert-set", "metric": "m"}},
        }
    (row,) = score_rows_of(lines(result(namedScores={"m": 0}, gradingResult={"componentResults": [deep]}))).rows
    assert (row["m"], row["score"]) == (None, None)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"vars": []}, ["line 1", "vars"]),
        ({"vars": {}}, ["line 1"]),
        ({"provider": None}, ["line 1", "provider"]),
        ({"provider": {"id": ""}}, ["line 1", "provider"]),
        ({"gradingResult": "ok"}, ["line 1", "gradingResult"]),
        ({"namedScores": [1]}, ["line 1", "namedScores"]),
        ({"testCase": 3}, ["line 1", "testCase"]),
        ({"response": {"metadata": [1]}}, ["line 1", "metadata"]),
        ({"response": {"metadata": {"contexts": [None]}}}, ["line 1", "contexts"]),
        ({"response": {"metadata": {"contexts": [{"score": 1}]}}}, ["line 1", "contexts"]),
    ],
)
def test_what_is_no_result_is_refused_with_its_place(fields: dict[str, Any], named: list[str]) -> None:
    with raises(InputError, "<bytes>", *named):
        read_run(lines(result(**fields)), "promptfoo")


@pytest.mark.parametrize(
    "content",
    [
        b'{"evalId": "e", "results": {"version": 3, "results": []}}',
        b'{"evalId": "e", "results": {"version": 3}}',
        b'{"evalId": "e", "results": {"version": 3, "results": [3]}}',
        b'{"evalId": "e", "results": {"version": 3, "results": [{"vars":',
        b'{"results": {"version": 3, "version": 4, "results": []}}',
    ],
)
def test_documents_without_results_are_refused(content: bytes) -> None:
    with raises(InputError, "<bytes>"):
        read_run(content)


def test_missing_scores_are_not_numbers() -> None:
    table = read_score_table(lines(result(), result(vars={"question": "When?"}, error="down", gradingResult=None)))
    values = dict(zip(table.unit_ids, table.values["score"].tolist(), strict=True))
    assert math.isnan(values[text_id("When?", "")])
    assert values[text_id("Where?", "")] == 1
