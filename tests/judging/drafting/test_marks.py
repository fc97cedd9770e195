"""Planted duplicates, leaks and copies are found with their evidence; clean queries get no mark."""

from __future__ import annotations

import pytest
from tests.judging.drafting.small import asked, drafts_of, reasons

from rankproof.judging.drafting.records import DraftLimits, DraftMark

CLEAN = {
    "SKU-1001": "Which pot for making hot drinks tells me by sound that it is ready?",
    "SKU-1002": "I brew sencha at 70 degrees: what heats it just so?",
    "SKU-1003": "What shelter can I carry alone over alpine passes in bad weather?",
    "SKU-1004": "Where do five of us and our gear stay dry on a campsite?",
    "SKU-1005": "What lights up a campsite and also fills an empty smartphone battery?",
    "SKU-1006": "Something to see my novel by at night without waking anybody",
}


def only(answer: str, doc: str = "SKU-1001") -> list[DraftMark]:
    (draft,) = drafts_of((asked(doc), answer))
    assert draft.status == ("marked" if draft.marks else "accepted")
    return list(draft.marks)


def test_clean_queries_have_no_mark() -> None:
    drafts = drafts_of(*((asked(doc), f"Query: {query}\nAnswer: this one") for doc, query in CLEAN.items()))
    assert [(draft.query, draft.status, draft.marks) for draft in drafts] == [
        (query, "accepted", ()) for query in CLEAN.values()
    ]
    assert all(len(draft.copied) == 1 and draft.copied[0] < 0.5 for draft in drafts)


# ---- duplicates ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("other", "by", "share"),
    [
        ("what SHELTER can I carry alone, over alpine passes, in bad weather", "the same text", 1.0),
        ("In bad weather over alpine passes: what alone can carry a shelter?", "words", 1.0),
        ("What shelter can I carry alone over alpine passses in bad weather?", "characters", 0.95),
    ],
)
def test_a_duplicate_of_an_earlier_draft(other: str, by: str, share: float) -> None:
    first, second = drafts_of((asked("SKU-1003"), CLEAN["SKU-1003"]), (asked("SKU-1004"), f"Query: {other}"))
    assert first.status == "accepted"
    assert reasons(second) == ["duplicate"]
    evidence = second.marks[0].evidence
    assert (evidence["draft"], evidence["text"], evidence["by"]) == (
        first.question.draft_id, CLEAN["SKU-1003"], by,
    )  # fmt: skip
    assert evidence["share"] >= share - 0.05


def test_a_duplicate_of_a_topic_that_is_there_already() -> None:
    topics = {"t1": "something else", "t2": CLEAN["SKU-1006"].upper()}
    (draft,) = drafts_of((asked("SKU-1006"), f"Query: {CLEAN['SKU-1006']}"), topics=topics)
    assert (reasons(draft), draft.marks[0].evidence["topic"]) == (["duplicate"], "t2")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Which hiking boots are fit for men with wide feet?", "Which hiking boots are fit for women with wide feet?"),
        ("Which tent of 2 people is light for long treks?", "Which tent of 3 people is light for long treks?"),
        ("How do I return a broken camping stove?", "How do I light a camping stove in wind?"),
    ],
)
def test_queries_that_differ_in_what_counts_are_two(one: str, other: str) -> None:
    assert [d.status for d in drafts_of((asked("SKU-1003"), one), (asked("SKU-1004"), other))] == ["accepted"] * 2


def test_the_double_of_a_marked_draft_stands_on_its_own() -> None:
    """Of two queries that are the same one must be left, unless both are bad."""
    bad = "Query: According to the document, how loud is the pot that sings?"
    first, second, third = drafts_of(
        (asked("SKU-1001"), bad), (asked("SKU-1002"), f"Query: {CLEAN['SKU-1002']}"), (asked("SKU-1003"), bad)
    )
    assert (reasons(first), reasons(second), reasons(third)) == (["leak"], [], ["leak"])


def test_limits_are_the_ones_that_were_given() -> None:
    pair = (asked("SKU-1003"), "Query: red kettle gas stove"), (asked("SKU-1004"), "Query: red kettle gas lamp")
    strict, lax = (drafts_of(*pair, limits=DraftLimits(words=words)) for words in (0.6, 0.61))
    assert [reasons(draft) for draft in strict] == [[], ["duplicate"]]
    assert [reasons(draft) for draft in lax] == [[], []]


# ---- leaks ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "evidence"),
    [
        ("Query: how loud is sku-1001, please?", {"id": "SKU-1001"}),
        ("Query: is the whistling kettle enamel red heavy to lift?", {"title": "Whistling kettle, enamel, red"}),
        ("Query: According to the document, what does it do when done?", {"query": "According to the document"}),
        ("Query: What colors does this passage give?", {"query": "this passage"}),
        ("Query: What is the document?", {"query": "the document?"}),
        ("Query: The document is a LED bulb of 9 watt.", {"query": "The document is"}),
        ("Query: What is the capacity described in the given text?", {"query": "described in the given text"}),
        ("Query: Which one makes music?\nAnswer: as per the article, it sings", {"answer": "as per the article"}),
        ("Query: Do not copy titles, numbers of cups", {"prompt": "do not copy titles numbers of"}),
        ("Query: </document> tell me all", {"prompt": "</document"}),
        ("Query: Does a pot of 2 liters hold enough?\nAnswer: 2 liters", {"answer": "2 liters"}),
    ],
)  # fmt: skip
def test_a_leak(answer: str, evidence: dict[str, str]) -> None:
    marks = [mark for mark in only(answer) if mark.reason == "leak"]
    assert [dict(mark.evidence) for mark in marks] == [evidence]


@pytest.mark.parametrize(
    "query",
    [
        "How do I scan a document into text?",
        "passage of the river by raft in spring",
        "a lamp to read an article in bed",
        "the document foundation",
        "where is the passage to the courtyard",
        "is 1001 nights a good gift?",
        "which pot is red?",
    ],
)
def test_words_that_a_leak_has_are_no_leak_by_themselves(query: str) -> None:
    assert "leak" not in [mark.reason for mark in only(f"Query: {query}\nAnswer: yes, in part")]


# ---- copies --------------------------------------------------------------------------------------


def test_a_run_of_words_from_the_source() -> None:
    (mark,) = only("Query: what holds 2 liters and sings when water is hot?")
    assert (mark.reason, mark.evidence) == (
        "copied", {"doc_id": "SKU-1001", "words": "holds 2 liters and sings when water", "limit": 6},
    )  # fmt: skip


def test_a_share_of_content_words() -> None:
    (mark,) = only("Query: is a kettle of enamel for gas, or for induction?")
    assert (mark.reason, mark.evidence) == ("copied", {"doc_id": "SKU-1001", "share": 1.0, "limit": 0.85})
    (draft,) = drafts_of((asked(), "Query: kettle enamel gas induction today"), limits=DraftLimits(copied=0.81))
    assert (reasons(draft), draft.copied) == ([], (0.8,))
    (draft,) = drafts_of((asked(), "Query: kettle enamel gas induction today"), limits=DraftLimits(copied=0.8))
    assert reasons(draft) == ["copied"]


def test_a_short_query_of_the_words_of_its_source_is_no_copy_unless_word_for_word() -> None:
    assert only("Query: red kettle") == []
    assert only("Query: kettle for gas") == []
    (mark,) = only("Query: sings when water boils")
    assert mark.reason == "copied"


# ---- queries without an answer -------------------------------------------------------------------


def test_a_query_that_nothing_should_answer_is_held_against_the_collection() -> None:
    fit, unfit = drafts_of(
        (asked(kind="none"), "Query: Which coffee grinder has steel burrs?"),
        (asked("SKU-1003", kind="none"), "Query: Is there a tunnel tent for a family with bicycles?"),
    )
    assert (fit.status, fit.nearest) == (
        "accepted",
        {"looked_at": 1, "doc_id": None, "covered": 0.0, "absent": ["coffee", "grinder", "steel", "burrs"]},
    )
    assert (reasons(unfit), unfit.marks[0].evidence["doc_id"]) == (["answerable"], "SKU-1004")
    assert unfit.nearest is not None
    assert unfit.nearest["covered"] == 1.0
    assert (fit.to_dict()["answerable"], fit.to_dict()["sources"]) == (False, [{"doc_id": "SKU-1001", "copied": None}])


# ---- form ----------------------------------------------------------------------------------------


def test_too_long_empty_and_of_another_script() -> None:
    (long,) = only(f"Query: {' '.join(f'word{n}' for n in range(41))}")
    assert (long.reason, long.evidence) == ("too long", {"words": 41, "limit": 40})
    assert [mark.reason for mark in only("Query: what is it and how do they do it?")] == ["empty"]
    (script,) = only("Query: \u043a\u0430\u043a\u043e\u0439 \u0447\u0430\u0439\u043d\u0438\u043a?")
    assert (script.reason, dict(script.evidence)) == ("other script", {"query": "CYRILLIC", "source": "LATIN"})


def test_what_is_no_query_is_kept_as_a_failure_with_its_text() -> None:
    (draft,) = drafts_of((asked(), "Query: one\nQuery: two"))
    assert (draft.status, draft.query, draft.failure) == ("failed", None, ("unreadable", "Query: one\nQuery: two"))
