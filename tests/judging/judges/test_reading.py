"""How answers of models are read: strictly, and never to a grade that was not given."""

from __future__ import annotations

import math

import pytest

from rankproof.judging.judges.contract import AnswerFault, JudgeQuestion, ParsedAnswer
from rankproof.judging.judges.pairwise import settle
from rankproof.judging.records import SCALES, Level, Scale
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.calls import configure, read_configured
from rankproof.testing.judging import read_answer


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        ("2", 2),
        (" 0.\n", 0),
        ("Grade: 3", 3),
        ("**Grade: 1**", 1),
        ("grade = 2.0", 2),
        ("Final grade: 2", 2),
        ("Score: 2", 2),
        ("2 = Relevant", 2),
        ("Grade: 2 (Relevant)", 2),
        ("It answers half of it.\nGrade: 2", 2),
        ("Grade: 2\nIt answers half of it.\n\nGrade: 2", 2),
        ("<think>Grade: 0? No, 3.</think>\nGrade: 3", 3),
        ('{"grade": 1, "why": "about it"}', 1),
    ],
)
def test_grades(answer: str, grade: int) -> None:
    assert read_answer("graded", answer) == grade


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ("4", "out of scale"),
        ("-1", "out of scale"),
        ("Grade: 2.5", "out of scale"),
        ('{"grade": 9}', "out of scale"),
        ("Grade: 1\nGrade: 2", "unreadable"),  # which one?
        ("Grade: 2 or 3", "unreadable"),
        ("Grade: 1\nGrade: 2 or 3", "unreadable"),
        ("Grade: 3/3", "unreadable"),
        ("Grade: 2 (Perfect)", "unreadable"),  # the label of another grade
        ("2 of the 3 facts are there.", "unreadable"),
        ("Grade: N", "unreadable"),
        ("Grade: two", "unreadable"),
        ("Relevant", "unreadable"),
        ("1 2 3", "unreadable"),
        ("9" * 400, "unreadable"),
        ('{"grade": "2"}', "unreadable"),
        ('{"grade": true}', "unreadable"),
        ('{"grade": 2', "unreadable"),
        ("{" * 100_000, "unreadable"),
    ],
)
def test_what_is_no_grade(answer: str, kind: str) -> None:
    assert read_answer("graded", answer) == kind


def test_grades_are_those_of_the_project() -> None:
    scale = Scale("far", (Level(-2, "Bad"), Level(0, "Plain"), Level(10, "Great")), relevant=10)
    asked = read_configured("judges", "graded")
    assert asked.item.read(ModelAnswer("Grade: -2"), scale, asked.values) == ParsedAnswer(-2)
    assert asked.item.read(ModelAnswer("Grade: 10 (great)"), scale, asked.values) == ParsedAnswer(10)
    found = asked.item.read(ModelAnswer("Grade: 3"), scale, asked.values)
    assert isinstance(found, AnswerFault)
    assert found.why == "the answer has 3; the grades are -2, 0 or 10"
    user = asked.item.prompt(JudgeQuestion("q", ("d",), scale), asked.values).user
    assert "-2 = Bad\n0 = Plain\n10 = Great" in user


def test_reasons_become_the_note() -> None:
    asked = configure("judges", "graded", {"reasons": True})
    said = asked.item.read(ModelAnswer("It names the part.\nGrade: 2"), SCALES["graded"], asked.values)
    assert said == ParsedAnswer(2, "It names the part.\nGrade: 2")
    assert asked.item.read(ModelAnswer("Grade: 2"), SCALES["graded"], asked.values).note == ""
    long = asked.item.read(ModelAnswer("why " * 1000 + "\nGrade: 2"), SCALES["graded"], asked.values)
    assert (long.value, len(long.note)) == (2, 2003)


def tops(**probabilities: float) -> ModelAnswer:
    return ModelAnswer("x", "length", tuple((token.strip("_"), math.log(p)) for token, p in probabilities.items()))


def test_the_likeliest_grade() -> None:
    asked = configure("judges", "graded", {"by": "logprob"})
    found = asked.item.read(tops(The=0.5, _1=0.2, _3=0.25, _7=0.9), SCALES["graded"], asked.values)
    assert found == ParsedAnswer(3, "p(0) = 0.000, p(1) = 0.200, p(2) = 0.000, p(3) = 0.250")
    none = asked.item.read(tops(The=0.5, _7=0.4), SCALES["graded"], asked.values)
    assert none == AnswerFault("unreadable", "none of 0, 1, 2 or 3 is among the 2 likeliest first tokens")
    assert (
        asked.item.read(ModelAnswer("3"), SCALES["graded"], asked.values).kind == "unreadable"
    )  # no log-probabilities
    prompt = asked.item.prompt(JudgeQuestion("q", ("d",), SCALES["graded"]), asked.values)
    assert (prompt.most, prompt.tops) == (1, 20)
    assert "each one token" in asked.item.misfit(Scale("far", (Level(0, "a"), Level(10, "b")), 10), asked.values)
    both = configure("judges", "graded", {"by": "logprob", "reasons": True})
    assert "no room for reasons" in both.item.misfit(SCALES["graded"], both.values)


@pytest.mark.parametrize(
    ("answer", "grade"),
    [("Yes", 1), ("no.", 0), ("**Yes**, it is.", 1), ("No, this is about tea.", 0), ("<think>no</think> Yes", 1)],
)
def test_yes_and_no(answer: str, grade: int) -> None:
    assert read_answer("binary", answer) == grade
    assert read_answer("binary", answer, scale="esci", yes=3) == (3 if grade else 0)


@pytest.mark.parametrize("answer", ["Maybe", "Yes and no", "Not at all", "Nope", "1", "It is. Yes.", "Yesterday"])
def test_neither_yes_nor_no(answer: str) -> None:
    assert read_answer("binary", answer) == "unreadable"


def test_the_share_of_yes() -> None:
    # 0.3 / (0.3 + 0.1) = 0.75
    answer = tops(Yes=0.2, yes=0.1, No=0.1, Maybe=0.6)
    for threshold, grade in ((0.5, 1), (0.75, 1), (0.8, 0)):
        asked = configure("judges", "binary", {"by": "logprob", "threshold": threshold})
        assert asked.item.read(answer, SCALES["binary"], asked.values) == ParsedAnswer(grade, "p(yes) = 0.750")
    asked = configure("judges", "binary", {"by": "logprob"})
    lacking = asked.item.read(tops(Yes=0.9), SCALES["binary"], asked.values)
    assert lacking == AnswerFault("unreadable", "no not among the 1 likeliest first tokens")


def test_a_yes_must_be_a_grade_of_the_scale() -> None:
    asked = configure("judges", "binary", {"yes": 7})
    assert "yes=7 is no grade above the lowest" in asked.item.misfit(SCALES["graded"], asked.values)
    asked = read_configured("judges", "binary")
    assert asked.item.misfit(SCALES["graded"], asked.values) == ""
    every = Scale("all", (Level(0, "a"), Level(1, "b")), relevant=0)
    assert "Name the grade of a yes" in asked.item.misfit(every, asked.values)


@pytest.mark.parametrize(
    ("answer", "place"),
    [("A", 0), ("b", 1), ("**B**", 1), ("Answer: A", 0), ("Document B.", 1), ("Neither", None), ("Tie", None)],
)
def test_the_better_of_two(answer: str, place: int | None) -> None:
    assert read_answer("pairwise", answer) == place


@pytest.mark.parametrize("answer", ["A and B", "A is better than B", "C", "AB", "Both"])
def test_no_choice_of_two(answer: str) -> None:
    assert read_answer("pairwise", answer) == "unreadable"


def test_neither_only_where_it_may_be_said() -> None:
    assert read_answer("pairwise", "Neither", ties=False) == "out of scale"
    asked = configure("judges", "pairwise", {"ties": False})
    assert "Neither" not in asked.item.prompt(JudgeQuestion("q", ("d", "e"), SCALES["graded"]), asked.values).user


def test_both_orders_make_a_preference() -> None:
    # The place named first, then the place named when the second document stood first.
    assert [settle(0, 1), settle(1, 0)] == [0, 1]  # the same document either time
    assert [settle(0, 0), settle(1, 1)] == [None, None]  # the same place either time: a habit
    assert [settle(None, 0), settle(1, None), settle(None, None)] == [None, None, None]
