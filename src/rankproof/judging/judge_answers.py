"""Reading a model's answer: is it there, complete, and not a refusal? For every judge alike."""

from __future__ import annotations

import math
import re

from rankproof.judging.judges.contract import AnswerFault
from rankproof.kernel.llm.answer import ModelAnswer

# What some models think aloud before they answer.
_THOUGHT = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_REFUSAL = re.compile(
    r"\b(?:i'?m sorry|i am sorry|i apologi[sz]e|i(?: can'?t| cannot| can not| won'?t| will not| must decline)"
    r"|i(?:'m| am) (?:unable|not able)|(?:cannot|can't|unable to) (?:assist|help|comply))\b",
    re.IGNORECASE,
)
_LONGEST_NOTE = 2000


def whole_answer(answer: ModelAnswer) -> str | AnswerFault:
    """The text of an answer that came whole; otherwise what is wrong with it."""
    if answer.finish in ("refusal", "content_filter"):
        return AnswerFault("refused", "the server or the model declined to answer")
    if answer.finish == "length":
        return AnswerFault("cut off", "the answer ended before it was whole")
    text = _THOUGHT.sub("", answer.text).strip()
    return text if text else AnswerFault("empty", "the answer is empty")


def unreadable_answer(text: str, expected: str) -> AnswerFault:
    """The fault of a text without a readable answer: it declines, or it is something else."""
    if _REFUSAL.search(text.replace("\u2019", "'")):
        return AnswerFault("refused", "the model declined to answer")
    return AnswerFault("unreadable", f"the answer has no {expected}")


def answer_note(text: str) -> str:
    """A text as a note, cut to a length that people read."""
    return text if len(text) <= _LONGEST_NOTE else f"{text[:_LONGEST_NOTE]}..."


def first_token_probabilities(answer: ModelAnswer, words: tuple[str, ...]) -> dict[str, float] | AnswerFault:
    """The probability of each word as the first token, spellings such as " yes" and "Yes" added up; 0 for none."""
    if not answer.tops:
        return AnswerFault(
            "unreadable", "the answer has no log-probabilities of its first token; the server must give them"
        )
    probabilities = dict.fromkeys(words, 0.0)
    for token, log in answer.tops:
        word = token.strip().casefold()
        if word in probabilities:
            probabilities[word] += math.exp(log)
    return probabilities
