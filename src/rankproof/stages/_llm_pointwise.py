"""Pointwise: each passage on its own, by how much likelier the model holds "Yes" than "No" as its first word."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankproof.stages._llm_answer import Answer, NoAnswer

if TYPE_CHECKING:
    from rankproof.stages._llm_endpoint import Endpoint

TOPS = 20  # the most that OpenAI's chat interface gives


def prompt(query: str, passage: str, question: str) -> str:
    """What the model is asked of one passage."""
    return f"Passage: {passage}\nQuery: {query}\n{question} Answer Yes or No."


def judged(answer: Answer) -> float | NoAnswer:
    """p(yes) / (p(yes) + p(no)); spellings of a word, such as "Yes" and " yes", are added up."""
    weight = {"yes": 0.0, "no": 0.0}
    for token, log in answer.tops:
        word = token.strip().casefold()
        if word in weight:
            weight[word] += math.exp(log)
    yes, no = weight["yes"], weight["no"]
    if not answer.tops:
        return NoAnswer("no log-probabilities", "the answer has no log-probabilities of its first token")
    if not yes or not no:
        lacking = "neither Yes nor No is" if not yes and not no else "Yes is not" if not yes else "No is not"
        return NoAnswer("no yes or no", f"{lacking} among the {len(answer.tops)} likeliest first tokens")
    return yes / (yes + no)


async def grade(endpoint: Endpoint, query: str, passage: str, question: str) -> tuple[float | NoAnswer, bool]:
    """The score of one passage, or why it has none; and whether the answer was kept from before."""
    answer = await endpoint.ask("", prompt(query, passage, question), most=1, tops=TOPS)
    if isinstance(answer, NoAnswer):
        return answer, False
    return judged(answer), answer.kept


def grade_all(
    endpoint: Endpoint, query: str, passages: Sequence[str], question: str
) -> list[tuple[float | NoAnswer, bool]]:
    """All passages of a query, side by side."""
    return endpoint.together([grade(endpoint, query, passage, question) for passage in passages])
