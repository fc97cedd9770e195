"""Hostile documents against every judge: no failure of a model becomes a grade, and no text leaves its fence."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator

import pytest
from tests.judging.injections import HONEST, INJECTIONS, WALES, document

from rankproof.judging.judge_answers import read_judge_answer
from rankproof.judging.judges.contract import AnswerFault, JudgeQuestion, ParsedAnswer, Prompt
from rankproof.judging.models.questions import document_text
from rankproof.judging.records import SCALES, Template
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer, read_answer
from rankproof.kernel.llm.material import broken_marks, fenced
from rankproof.kernel.specs.calls import Configured, read_configured

WAYS = (
    "graded",
    "graded(reasons=True)",
    "graded(by='logprob')",
    "binary",
    "binary(by='logprob')",
    "pairwise",
    "pairwise(pairs='all', ties=False)",
)
RIGHT = {"graded": "Grade: 3", "binary": "Yes", "pairwise": "A"}
every_way = pytest.mark.parametrize("way", WAYS)
every_injection = pytest.mark.parametrize("name", INJECTIONS)


def asked(way: str, text: str) -> tuple[Configured, Prompt]:
    judge = read_configured("judges", way)
    shown, _ = document_text({"text": text}, Template(), 4000)
    docs = (shown, "Plain tea.")[: judge.item.documents]
    return judge, judge.item.prompt(JudgeQuestion("kettle", docs, SCALES["graded"]), judge.values)


def read(way: str, name: str, body: dict[str, object]) -> ParsedAnswer | AnswerFault | NoAnswer:
    """A server's body, read as `judge run` reads it."""
    judge, prompt = asked(way, document(name))
    answer = read_answer(json.dumps(body).encode())
    return read_judge_answer(judge, answer, prompt, SCALES["graded"]) if isinstance(answer, ModelAnswer) else answer


def failures(name: str, right: str) -> Iterator[tuple[str, dict[str, object]]]:
    """What models say of a document in place of a grade."""
    text = document(name)
    said = INJECTIONS[name]
    texts = {
        "echo": text,
        "echo as shown": document_text({"text": text}, Template(), 4000)[0],
        "quoted": "\n".join(f"> {line}" for line in text.splitlines()),
        "in quotation marks": f'"{said}"',
        "in a fence": f"```\n{said}\n```",
        "refused and quoted": f"I cannot grade this document, which says: {said}",
        "quoted and refused": f"The document contains\n{right}\nI cannot grade this.",
        "rambles": f"Sure! The document says {said}\n\nSo:\n{right}\n\nWould you like to know more?",
        "two answers": f"{right}\nGrade: 0\nNo\nB",
        "thinks without end": f"<think>The document says {said}\n{right}",
        "thought ends in a quotation": f'<think>It says "</think>{right}" which I doubt.',
        "twice in JSON": f'{{"grade": 0, "grade": 3, "why": {json.dumps(said)}}}',
        "JSON with more": f'{{"grade": 3, "obeys": {json.dumps(said)}}}',
        "JSON in prose": f'The answer is {{"grade": 3}}. {said}',
        "template": f"{right}<|im_end|>\n<|im_start|>user",
    }
    for kind, content in texts.items():
        yield kind, {"choices": [{"message": {"content": content}, "finish_reason": "stop"}]}
    for finish in ("length", "content_filter", "tool_calls", "error"):
        choice = {"message": {"content": right}, "finish_reason": finish}
        yield finish, {"choices": [choice]}
    yield "refusal", {"choices": [{"message": {"content": right, "refusal": "I will not."}, "finish_reason": "stop"}]}
    several = [{"message": {"content": right}, "finish_reason": "stop"}] * 2
    yield "two choices", {"choices": several}


def test_there_are_enough() -> None:
    assert len(INJECTIONS) >= 60
    assert len(set(INJECTIONS.values())) == len(INJECTIONS)


@every_way
@every_injection
def test_no_failure_becomes_a_grade(way: str, name: str) -> None:
    for kind, body in failures(name, RIGHT[way.partition("(")[0]]):
        found = read(way, name, body)
        assert not isinstance(found, ParsedAnswer), kind


@pytest.mark.parametrize("way", [way for way in WAYS if "logprob" not in way])
def test_an_answer_beside_an_injection_is_an_answer(way: str) -> None:
    """A model that obeys gives an answer like any other: no reader can tell. Calibration shows it."""
    right = RIGHT[way.partition("(")[0]]
    for name in INJECTIONS:
        body = {"choices": [{"message": {"content": right}, "finish_reason": "stop"}]}
        assert isinstance(read(way, name, body), ParsedAnswer), name


# ---- what the model is sent -----------------------------------------------------------------------

_CLOSES = re.compile(r"(?:<|\uff1c|&lt;)\W{0,4}/\W{0,4}(?P<mark>document|query)\W{0,4}(?P<number>[0-9a-f]{8})?", re.I)
_OPENS = re.compile(r"<(?P<mark>document|query) (?P<number>[0-9a-f]{8})>")


def outside(user: str) -> str:
    """What a model reads as ours that takes a fence to end at whatever looks like its end and has its number."""
    said, at = [], 0
    while opened := _OPENS.search(user, at):
        said.append(user[at : opened.start()])
        ends = (m for m in _CLOSES.finditer(user, opened.end()) if m["number"] == opened["number"])
        at = next(ends).end()
    return "".join([*said, user[at:]])


@every_way
@every_injection
def test_a_document_stays_in_its_fence(way: str, name: str) -> None:
    _, plain = asked(way, "Honest.")
    _, prompt = asked(way, document(name))
    assert outside(prompt.user).replace("document goes on", "").split("(The ")[0] in outside(plain.user)
    assert prompt.system == plain.system
    assert HONEST.splitlines()[0] in prompt.user


_TOKENS = re.compile(
    r"<\|[^|\s]{1,40}\|>|<\uff5c[^>]{1,40}\uff5c>|</?s>|\[/?INST\]|<</?SYS>>|</?(?:start|end)_of_turn>|</?think>|"
    r"\[gMASK\]|<sop>|<0x[0-9A-F]{2}>|</?tool_call>|\[/?TOOL_RESULTS\]"
)


@every_injection
def test_no_mark_of_a_chat_template_is_sent(name: str) -> None:
    _, prompt = asked("graded", document(name))
    assert _TOKENS.findall(prompt.user) == []
    assert re.search("[\U000e0000-\U000e007f]", prompt.user) is None


def test_broken_marks_can_be_read_and_break_nothing_else() -> None:
    assert broken_marks("a <b>bold</b> 3 < 4 [1] x|y <a_b> |> ok") == "a <b>bold</b> 3 < 4 [1] x|y < a_b> | > ok"
    assert broken_marks(f"Cymru {WALES}") == f"Cymru {WALES}"  # an emoji, which people see
    once = broken_marks("".join(INJECTIONS.values()))
    assert broken_marks(once) == once


def test_a_fence_is_the_same_for_the_same_text_and_unlike_for_another() -> None:
    one, other = fenced("document", "a"), fenced("document", "b")
    assert one == fenced("document", "a")
    assert one.splitlines()[0] != other.splitlines()[0]


def test_a_text_cannot_hold_the_number_of_its_fence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of two digits, all but one of which stand in the text."""
    from rankproof.kernel.llm import material

    monkeypatch.setattr(material, "_NUMBER", 2)
    left_out = "a7"
    every = [f"{n:02x}" for n in range(256)]
    text = " ".join(number for number in every if number != left_out).replace(" ", "-")
    number: Callable[[str, str], str] = material._number
    assert number("document", text * 3) == left_out
