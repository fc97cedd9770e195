"""How answers of models are read: strictly, and never to a grade that was not given."""

from __future__ import annotations

import json
import math

import pytest

from rankproof.judging.judge_answers import read_judge_answer
from rankproof.judging.judges.contract import AnswerFault, JudgeQuestion, ParsedAnswer
from rankproof.judging.judges.pairwise import settle
from rankproof.judging.records import SCALES, Level, Scale
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.answer import read_answer as read_body
from rankproof.kernel.specs.calls import configure, read_configured
from rankproof.testing.judging import read_answer


@pytest.mark.parametrize(
    ("answer", "grade"),
    [
        ("2", 2),
        (" 0.\n", 0),
        ("Grade: 3", 3),
        ("**Grade: 1**", 1),
        ("grade = 2", 2),
        ("__Grade__: 2", 2),
        ("Final grade: 2", 2),
        ("Score: 2", 2),
        ("2 = Relevant", 2),
        ("Grade: 2 (Relevant)", 2),
        ("<think>Grade: 0? No, 3.</think>\nGrade: 3", 3),
        ('{"grade": 1, "why": "about it"}', 1),
        ('{"grade": 1}', 1),
        ("[THINK]Grade: 0?[/THINK]3", 3),
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
        ("Grade: 2.0", "out of scale"),  # a number is written as the scale writes it
        ("+2", "out of scale"),
        ("02", "out of scale"),
        ("-0", "out of scale"),
        ("It answers half of it.\nGrade: 2", "unreadable"),  # reasons were not asked for
        ("Grade: 2\nIt answers half of it.\n\nGrade: 2", "unreadable"),
        ("Grade: 2\n\nLet me know if you need more.", "unreadable"),
        ("> Grade: 3", "unreadable"),
        ('"Grade: 3"', "unreadable"),
        ("\u201cGrade: 3\u201d", "unreadable"),
        ("`Grade: 3`", "unreadable"),
        ("```\nGrade: 3\n```", "unreadable"),
        ('```json\n{"grade": 3}\n```', "unreadable"),
        ("- Grade: 3", "unreadable"),
        ("# Grade: 3", "unreadable"),
        ("The document contains\nGrade: 3\nI cannot grade this.", "refused"),
        ("Grade: 3. I cannot grade this.", "refused"),
        ("Grade: \uff13", "unreadable"),  # a full-width digit
        ("\u0663", "unreadable"),  # an Arabic-Indic digit
        ("\u00b3", "unreadable"),
        ("\u2462", "unreadable"),
        ("\ufeff3", "unreadable"),
        ("3\u200b", "unreadable"),
        ("Gr\u0430de: 3", "unreadable"),  # a Cyrillic letter
        ("\u017fcore: 3", "unreadable"),  # a long s
        ("Grade\u202e: 3", "unreadable"),
        ("3\u2028Grade: 0", "unreadable"),
        ("Grade: 3\rGrade: 0", "unreadable"),
        ("3e0", "unreadable"),
        ("1e0", "unreadable"),
        ("0x3", "unreadable"),
        ("NaN", "unreadable"),
        ("Infinity", "unreadable"),
        ("true", "unreadable"),
        ("three", "unreadable"),
        ("III", "unreadable"),
        ("3/3", "unreadable"),
        ("3 out of 3", "unreadable"),
        ("100%", "unreadable"),
        ("Grade: <3>", "unreadable"),
        ("3<|im_end|>", "unreadable"),
        ("<think>Grade: 3", "unreadable"),
        ("It is red.</think>Grade: 3", "unreadable"),
        ("<think>a</think>3<think>b</think>", "unreadable"),
        ("Grade: 0\n<think>No.</think>\n", "unreadable"),
        ('<think>It says "</think>3". I say 0.</think>0', "unreadable"),
        ('{"grade":0,"grade":3}', "unreadable"),
        ('{"grade":0,"Grade":3}', "unreadable"),
        ('{"grade":0,"gr\\u0061de":3}', "unreadable"),
        ('{"grade":3}{"grade":0}', "unreadable"),
        ('{"grade":3}\n{"grade":3}', "unreadable"),
        ('[{"grade":3}]', "unreadable"),
        ('{"grade":3} because', "unreadable"),
        ('{"grade":3,"score":0}', "unreadable"),
        ('{"grade":3,"refused":true}', "unreadable"),
        ('{"grade":3,"why":{"grade":0}}', "unreadable"),
        ('{"grade":3,"why":0}', "unreadable"),
        ('{"grade":3,"why":"I cannot grade this."}', "unreadable"),
        ('{"grade":3,"why":"It says Grade: 0."}', "unreadable"),
        ('{"why":"Grade 3"}', "unreadable"),
        ('{"grade":3.0}', "unreadable"),
        ('{"grade":1e0}', "unreadable"),
        ('{"grade":NaN}', "unreadable"),
        ('{"grade":-0}', "out of scale"),
        ('{"grade":[3]}', "unreadable"),
        ('{"grade":null}', "unreadable"),
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
    ("answer", "kind"),
    [
        ("Yes", "unreadable"),
        ("Grade: 2\nIt names the part.", "unreadable"),
        ("It says \u201cGrade: 3\u201d.\nGrade: 0", "unreadable"),
        ("> Grade: 3\nGrade: 3", "unreadable"),
        ('It holds {"grade": 3}.\nGrade: 3', "unreadable"),
        ("It says **Score** \uff1a 3.\nGrade: 0", "unreadable"),
        ("It says Gr\u200bade: 3.\nGrade: 0", "unreadable"),
        ("I cannot grade this.\nGrade: 3", "refused"),
        ("Ich kann das nicht bewerten.\nGrade: 3", "refused"),
        ("\u6211\u65e0\u6cd5\u8bc4\u5206\u3002\nGrade: 3", "refused"),
        ("It cannot be judged.\nGrade: 3", "refused"),
        ("It is about tea.\n> Grade: 3", "unreadable"),
        ("It is about tea. Grade: 3", "unreadable"),  # not a line of its own
    ],
)
def test_reasons_that_hold_another_answer_or_decline(answer: str, kind: str) -> None:
    assert read_answer("graded", answer, reasons=True) == kind


@pytest.mark.parametrize("answer", ["Of its grade: nothing. The grade 3 is too high.\nGrade: 2", "2", "Why.\n2"])
def test_reasons_may_speak_of_grades(answer: str) -> None:
    assert read_answer("graded", answer, reasons=True) == 2


@pytest.mark.parametrize("finish", ["tool_calls", "error", "abort", "SAFETY", "content_filter", "max_tokens", "length"])
@pytest.mark.parametrize(("judge", "text"), [("graded", "3"), ("binary", "Yes"), ("pairwise", "A")])
def test_an_answer_that_did_not_end_by_itself_is_none(judge: str, text: str, finish: str) -> None:
    assert read_answer(judge, text, finish) in ("refused", "cut off", "unreadable")
    assert read_answer(judge, text, "STOP") in (3, 1, 0)


def test_a_refusal_beside_a_text_is_a_refusal_for_every_judge() -> None:
    for judge, text in (("graded", "Grade: 3"), ("binary", "Yes"), ("pairwise", "A"), ("graded(by='logprob')", "3")):
        message = {"content": text, "refusal": "I will not judge this."}
        logprobs = {"content": [{"token": "3", "top_logprobs": [{"token": "3", "logprob": 0.0}]}]}
        choice = {"message": message, "finish_reason": "stop", "logprobs": logprobs}
        answer = read_body(json.dumps({"choices": [choice]}).encode())
        assert isinstance(answer, ModelAnswer)
        assert answer.text == f"I will not judge this.\n{text}"  # what came is kept
        asked = read_configured("judges", judge)
        assert asked.item.read(answer, SCALES["graded"], asked.values).kind == "refused"


@pytest.mark.parametrize(
    "body",
    [
        '{"choices": [{"message": {"content": "0"}}, {"message": {"content": "3"}}]}',
        '{"choices": [{"message": {"content": "0", "content": "3"}}]}',
        '{"choices": [{"message": {"content": "0"}}], "choices": [{"message": {"content": "3"}}]}',
        '{"choices": []}',
    ],
)
def test_a_body_with_two_answers_is_none(body: str) -> None:
    assert isinstance(read_body(body.encode()), NoAnswer)


def test_a_grade_that_is_hardly_likely_is_none() -> None:
    asked = configure("judges", "graded", {"by": "logprob"})
    found = asked.item.read(tops(I=0.98, _3=0.0004), SCALES["graded"], asked.values)
    assert (found.kind, "was about to say 'I'" in found.why) == ("unreadable", True)
    asked = configure("judges", "binary", {"by": "logprob", "least": 0.5})
    assert asked.item.read(tops(Yes=0.3, no=0.1), SCALES["binary"], asked.values).kind == "unreadable"


@pytest.mark.parametrize(
    ("answer", "grade"),
    [("Yes", 1), ("no.", 0), ("**Yes**", 1), ("Answer: No", 0), ("<think>no</think> Yes", 1)],
)
def test_yes_and_no(answer: str, grade: int) -> None:
    assert read_answer("binary", answer) == grade
    assert read_answer("binary", answer, scale="esci", yes=3) == (3 if grade else 0)


@pytest.mark.parametrize(
    "answer",
    [
        *("Maybe", "Yes and no", "Not at all", "Nope", "1", "It is. Yes.", "Yesterday", "Yes, it is.", "No: tea."),
        *("> Yes", '"Yes"', "Ye\u017f", "\u200bYes", "Yes\nNo", "Yes/No", '{"answer": "Yes"}', "Yes (Relevant)"),
    ],
)
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


@pytest.mark.parametrize(
    "answer",
    ["A and B", "A is better than B", "C", "AB", "Both", "> A", '"A"', "(A)", "A\nB", "\u0410", "\uff21", "A: yes"],
)
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


def test_a_question_that_a_server_cut_has_no_answer() -> None:
    asked = read_configured("judges", "graded")
    long = asked.item.prompt(JudgeQuestion("q", ("tea for two " * 600,), SCALES["graded"]), asked.values)
    short = asked.item.prompt(JudgeQuestion("q", ("tea",), SCALES["graded"]), asked.values)
    for prompt, tokens, found in ((long, 512, "cut off"), (long, 2000, 2), (long, None, 2), (short, 9, 2)):
        answer = ModelAnswer("Grade: 2", "stop", tokens=None if tokens is None else (tokens, 3))
        read = read_judge_answer(asked, answer, prompt, SCALES["graded"])
        assert (read.kind if isinstance(read, AnswerFault) else read.value) == found


def test_reasons_that_a_document_cannot_help_are_no_refusal() -> None:
    said = "This document cannot help the searcher and does not answer the question.\nGrade: 0"
    assert read_answer("graded", said, reasons=True) == 0
