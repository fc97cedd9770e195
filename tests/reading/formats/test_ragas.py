"""ragas: the files that ragas 0.4.3 wrote, and hostile variations of them. What they hold is worked out by shop.py."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path
from typing import Any

import pytest
from tests.raising import raises
from tests.reading.formats.recorded.shop import PAGES, QUESTIONS, retrieve

from rankproof.errors import InputError, UsageError
from rankproof.reading.collect import locate, read_qrels, read_run, read_topics
from rankproof.reading.detect import record_format
from rankproof.reading.formats._records import text_id
from rankproof.reading.formats.contract import Noun
from rankproof.reading.score_tables import ScoreTable, read_score_table
from rankproof.reading.source import Source

HERE = Path(__file__).parent / "recorded" / "ragas"
QUERY = {question: text_id(question, "") for question in QUESTIONS}
DOC = {page: text_id(text, "") for page, text in PAGES.items()}
REFUSED = "Do you sell my address?"
AFTER_BY_ID = {QUERY[question]: retrieve("after", question) for question in QUESTIONS}
GOLD_BY_ID = {QUERY[question]: dict.fromkeys(gold, 1) for question, (_, gold) in QUESTIONS.items()}


def by_text(rankings: dict[str, list[str]]) -> dict[str, list[str]]:
    return {query: [DOC[page] for page in pages] for query, pages in rankings.items()}


def order_of(what: object, **options: object) -> dict[str, list[str]]:
    return {query: docs for query, docs, _ in read_run(what, **options).rankings()}  # type: ignore[arg-type]


def scores_of(table: ScoreTable) -> dict[str, dict[str, float]]:
    return {name: dict(zip(table.unit_ids, values.tolist(), strict=True)) for name, values in table.values.items()}


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def sample(**fields: object) -> dict[str, object]:
    return {
        "user_input": "Where?",
        "retrieved_contexts": ["Here.", "There."],
        "reference_contexts": ["Here."],
        **fields,
    }


def as_csv(*records: dict[str, object]) -> bytes:
    """Rows as pandas writes them: lists as Python prints them."""
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]))
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue().encode()


# ---- what ragas wrote -----------------------------------------------------------------------------


RESULTS = ["after.csv", "after.json", "after.jsonl"]
DATASETS = ["dataset-after.csv", "dataset-after.jsonl"]
TESTSETS = ["testset.csv", "testset.jsonl"]


@pytest.mark.parametrize("name", [*RESULTS, *DATASETS, "dataset-ids.jsonl"])
@pytest.mark.parametrize("noun", ["run", "qrels", "topics"])
def test_what_ragas_wrote_is_recognized_by_content(name: str, noun: Noun, tmp_path: Path) -> None:
    renamed = tmp_path / "x"
    renamed.write_bytes((HERE / name).read_bytes())
    assert locate(renamed, noun)[1].name == "ragas"


@pytest.mark.parametrize("name", [*RESULTS, "dataset-ids.jsonl"])
def test_contexts_with_ids_are_named_by_them(name: str) -> None:
    assert order_of(HERE / name) == AFTER_BY_ID
    assert read_qrels(HERE / name).to_dict() == GOLD_BY_ID
    assert order_of(HERE / name, names="texts") == by_text(AFTER_BY_ID)
    assert any("names=texts" in note for note in read_run(HERE / name).notes)


@pytest.mark.parametrize("name", DATASETS)
def test_contexts_without_ids_are_named_by_their_texts(name: str) -> None:
    assert order_of(HERE / name) == by_text(AFTER_BY_ID)
    gold = {query: {DOC[page]: 1 for page in pages} for query, pages in GOLD_BY_ID.items()}
    assert read_qrels(HERE / name).to_dict() == gold
    notes = read_run(HERE / name).notes
    assert any(note.startswith("documents without ids") for note in notes)
    assert any(note.startswith("queries without ids") for note in notes)


@pytest.mark.parametrize("name", TESTSETS)
def test_a_test_set_is_gold_and_topics(name: str) -> None:
    """The marks before pages of questions over several pages are none of their texts."""
    gold = {query: {DOC[page]: 1 for page in pages} for query, pages in GOLD_BY_ID.items()}
    qrels = read_qrels(HERE / name)
    assert qrels.to_dict() == gold
    marked = sum(len(pages) for _, pages in QUESTIONS.values() if len(pages) > 1)
    assert any(f"{marked} gold contexts" in note for note in qrels.notes)
    assert read_topics(HERE / name) == {QUERY[question]: question for question in QUESTIONS}
    with raises(InputError, name, len(QUESTIONS), "retrieved_contexts"):
        read_run(HERE / name)
    assert record_format(Source(name, (HERE / name).read_bytes()), "scores") is None


@pytest.mark.parametrize("name", RESULTS)
def test_scores_are_columns_and_a_value_that_ragas_has_not_is_missing(name: str) -> None:
    table = read_score_table(HERE / name)
    scores = scores_of(table)
    assert list(scores) == ["llm_context_precision_with_reference", "id_based_context_recall", "exact_match"]
    precision = scores["llm_context_precision_with_reference"]
    assert math.isnan(precision.pop(QUERY[REFUSED]))
    assert len(precision) == len(QUESTIONS) - 1
    # Precision over the ranks of right pages: both on top, the first, or the second of three.
    assert precision[QUERY["How long can I return goods?"]] == pytest.approx(1)
    assert precision[QUERY["What does cancelling cost?"]] == pytest.approx(1 / 2)
    assert set(scores["id_based_context_recall"].values()) == {1.0}
    told = "\n".join(table.notes)
    assert "model, or by a metric of your own: llm_context_precision_with_reference." in told
    assert "computed without a model: id_based_context_recall, exact_match" in told
    assert f"no value for 1 of {len(QUESTIONS)} samples" in told


def test_conversations_are_counted_and_not_taken_over() -> None:
    talk = (HERE / "conversation.jsonl").read_bytes()
    readers: tuple[Any, ...] = (read_run, read_qrels, read_topics)
    for read in readers:
        with raises(InputError, "<bytes>", "user_input"):
            read(talk)
    mixed = lines(sample()) + talk
    assert order_of(mixed) == {text_id("Where?", ""): [text_id("Here.", ""), text_id("There.", "")]}
    assert "1 conversation of several turns: not taken over" in read_run(mixed).notes
    printed = as_csv(sample(), sample(user_input="[{'content': 'Hi', 'type': 'human'}]", retrieved_contexts=""))
    assert "1 conversation of several turns: not taken over" in read_run(printed).notes


def test_results_are_compared(tmp_path: Path) -> None:
    import rankproof

    compared = rankproof.compare_scores(HERE / "before.csv", HERE / "after.jsonl", "id_based_context_recall")
    gained = [q for q, (_, gold) in QUESTIONS.items() if not set(gold) & set(retrieve("before", q))]
    partly = [q for q, (_, gold) in QUESTIONS.items() if 0 < len(set(gold) & set(retrieve("before", q))) < len(gold)]
    assert not partly
    assert compared.contrast("id_based_context_recall").difference.value == pytest.approx(len(gained) / len(QUESTIONS))
    assert any("metric of your own" in line or "without a model" in line for line in compared.fine_print)


# ---- hostile variations ---------------------------------------------------------------------------


def test_names_of_ragas_0_1() -> None:
    old = lines({"question": "Where?", "contexts": ["Here."], "answer": "Here", "ground_truth": "Here"})
    assert locate(old, "run")[1].name == "ragas"
    assert order_of(old) == {text_id("Where?", ""): [text_id("Here.", "")]}


def test_ids_are_texts_or_numbers_and_may_have_blanks() -> None:
    named = sample(question_id=7, retrieved_context_ids=["é 1", 2], reference_context_ids=["é 1"])
    assert order_of(lines(named)) == {"7": ["é 1", "2"]}
    assert read_qrels(lines(named)).to_dict() == {"7": {"é 1": 1}}


def test_ids_and_texts_of_different_lengths_are_refused() -> None:
    with raises(InputError, "<bytes>", "line 1", 1, 2, "retrieved_context_ids", "retrieved_contexts"):
        read_run(lines(sample(retrieved_context_ids=["a"])))


def test_ids_of_some_contexts_alone_do_not_name_the_others() -> None:
    half = lines(sample(retrieved_context_ids=["a", "b"], reference_context_ids=["a"]), sample(user_input="When?"))
    here = text_id("Here.", "")
    assert order_of(half)[text_id("Where?", "")] == [here, text_id("There.", "")]
    assert any("not every context has one" in note for note in read_run(half).notes)
    with raises(UsageError, "ids", "texts", "'both'"):
        read_run(half, names="both")
    forced = read_run(half, names="ids")
    assert [docs for _, docs, _ in forced.rankings()] == [["a", "b"], [here, text_id("There.", "")]]
    assert any("cannot meet" in note for note in forced.notes)


def test_a_context_that_a_tool_cut_is_told() -> None:
    cut = read_run(lines(sample(retrieved_contexts=["Here and so...", "There\u2026", "Whole."])))
    assert any(note.startswith("2 retrieved contexts that end in an ellipsis") for note in cut.notes)
    by_id = sample(retrieved_contexts=["Here..."], retrieved_context_ids=["a"], reference_context_ids=["a"])
    assert not any("ellipsis" in note for note in read_run(lines(by_id)).notes)


def test_a_context_that_stands_twice_keeps_both_places() -> None:
    """The second is not relevant, also not where a chunk is called as it would be with a number after a #."""
    twice = lines(sample(user_input="Q", retrieved_contexts=list("abc"), retrieved_context_ids=["p", "p", "p#2"],
                         reference_context_ids=["p#2"]))  # fmt: skip
    (ranking,) = order_of(twice).values()
    assert (ranking[0], ranking[2]) == ("p", "p#2")
    assert ranking[1] not in ("p", "p#2")
    assert any("stood higher" in note for note in read_run(twice).notes)


def test_white_space_does_not_make_another_context() -> None:
    spaced = sample(retrieved_contexts=["There.", " Here.\n"])
    (docs,) = order_of(lines(spaced)).values()
    (gold,) = read_qrels(lines(spaced)).to_dict().values()
    assert docs[1] in gold


def test_a_question_asked_twice_needs_the_same_contexts() -> None:
    again = read_run(lines(sample(), sample()))
    assert len(again) == 1
    assert any(note.startswith("1 sample that ask") for note in again.notes)
    with raises(InputError, "<bytes>", "line 2", "line 1", "Where?"):
        read_run(lines(sample(), sample(retrieved_contexts=["There."])))
    gold = read_qrels(lines(sample(), sample(reference_contexts=["There."]), sample()))
    assert [len(docs) for docs in gold.to_dict().values()] == [2]
    assert "queries in several records, whose documents count together: 1" in gold.notes


def test_empty_missing_and_null_contexts_are_three_things() -> None:
    told = lines(
        sample(), sample(user_input="None?", retrieved_contexts=[]), sample(user_input="Null?", retrieved_contexts=None)
    )
    run = read_run(told)
    assert run.query_ids == (text_id("Where?", ""),)
    assert "1 question for which nothing was retrieved" in run.notes
    assert "1 of 3 samples without retrieved contexts: not taken over" in run.notes
    answerless = read_qrels(lines(sample(), sample(user_input="None?", reference_contexts=[])))
    assert answerless.to_dict()[text_id("None?", "")] == {}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"retrieved_contexts": [""]}, ["line 1"]),
        ({"retrieved_contexts": [None]}, ["line 1", "retrieved_contexts"]),
        ({"retrieved_contexts": {"a": "b"}}, ["line 1", "retrieved_contexts"]),
        ({"retrieved_contexts": "Here."}, ["line 1", "retrieved_contexts"]),
        ({"retrieved_context_ids": [["a"], "b"]}, ["line 1", "retrieved_context_ids"]),
        ({"retrieved_context_ids": [float("nan"), "b"], "reference_context_ids": ["b"]}, ["line 1"]),
        ({"user_input": None}, ["line 1"]),
        ({"user_input": 3}, ["line 1"]),
        ({"user_input": "  "}, ["line 1"]),
    ],
)  # fmt: skip
def test_what_is_no_context_and_no_question_is_refused_with_its_place(fields: dict[str, Any], named: list[str]) -> None:
    with raises(InputError, "<bytes>", *named):
        read_run(lines(sample(**fields)), "ragas")


def test_a_key_that_stands_twice_is_refused() -> None:
    with raises(InputError, "line 1", "'user_input'"):
        read_run(b'{"user_input": "a", "user_input": "b", "retrieved_contexts": ["x"]}\n', "ragas")


def test_a_line_longer_than_what_is_looked_at_first_is_recognized() -> None:
    """Contexts of a retriever are long: the first line may not end within the first 64 KB."""
    long = lines(sample(retrieved_contexts=["x" * 200_000, "Here."]), sample(user_input="When?"))
    assert locate(long, "run")[1].name == "ragas"
    assert len(read_run(long)) == 2


# ---- lists in the cells of a table ----------------------------------------------------------------


def test_lists_that_python_printed() -> None:
    texts = ["It's here", 'He said "no"', 'It\'s "both"', "a, b", "line\nbreak", "back\\slash", "]", "é\u2028", "1"]
    table = as_csv(sample(retrieved_contexts=texts, reference_contexts=texts[:1]))
    (docs,) = order_of(table).values()
    assert docs == [text_id(text, "") for text in texts]
    (docs,) = order_of(as_csv(sample(retrieved_contexts=json.dumps(texts), reference_contexts="[]"))).values()
    assert docs == [text_id(text, "") for text in texts]


@pytest.mark.parametrize(
    "cell", ["['Here.' 'There.']", "['Here.'\n 'There.']", "['Here.', ...]", "['Here.'", "['a'] x", "Here."]
)
def test_lists_that_cannot_be_read_back_are_refused(cell: str) -> None:
    """NumPy prints lists without commas, and leaves out the middle of long ones."""
    broken = as_csv(sample(retrieved_contexts=cell))
    with raises(InputError, "<bytes>", "retrieved_contexts"):
        read_run(broken)
    assert read_topics(broken) == {text_id("Where?", ""): "Where?"}, "questions need no contexts"


def test_scores_need_no_contexts() -> None:
    table = read_score_table(as_csv(sample(retrieved_contexts="['a' 'b']", faithfulness=0.5)))
    assert scores_of(table) == {"faithfulness": {text_id("Where?", ""): 0.5}}


def test_the_numbers_of_rows_and_columns_of_texts_are_no_metrics() -> None:
    first = {"": 0, **sample(faithfulness=0.5, topic="goods", persona_name="a customer")}
    table = read_score_table(as_csv(first, {**first, "": 1, "user_input": "When?", "faithfulness": "nan"}))
    assert list(table.values) == ["faithfulness"]
    assert [note for note in table.notes if "given by a model" in note] == [
        "<bytes>: given by a model, or by a metric of your own: faithfulness. What a model gives varies from run to "
        "run: ask several times, or compare by intervals"
    ]
    assert any("no value for 1 of 2 samples" in note for note in table.notes)


def test_a_column_that_would_take_the_place_of_the_question_is_refused() -> None:
    with raises(InputError, "line 1", "'unit'"):
        read_score_table(lines(sample(unit="q9", faithfulness=0.5)))


def test_broken_tables_are_refused() -> None:
    with raises(InputError, "line 2", 2, 3):
        read_run(b"user_input,retrieved_contexts,response\nWhere?,[]\n")
    with raises(InputError, "line 1", "'response'"):
        read_run(b"user_input,retrieved_contexts,response,response\nWhere?,[],x,y\n")
    with raises(InputError, "<bytes>", "line 3", "0xff"):
        read_run(b"user_input,retrieved_contexts\nWhere?,['a']\n\xff,['a']\n")
    with raises(InputError, "<bytes>"):
        read_run(b'user_input,retrieved_contexts\n"Where?,[]\n')
    assert order_of(b"user_input,retrieved_contexts\r\nWhere?,['a']\r\n") == {text_id("Where?", ""): [text_id("a", "")]}
