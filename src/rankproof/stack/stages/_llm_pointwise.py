"""Pointwise: each passage alone, by the likelihood that the first word of the answer is Yes.

source: Liang et al., Holistic evaluation of language models, TMLR 2023
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.whole import declined
from rankproof.stack.records import Values
from rankproof.stack.stages._llm_questions import AnswerTally, JudgedHead, glimpse, shown

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint

TOPS = 20  # the most that OpenAI's chat interface gives


class Pointwise:
    """The method."""

    def __init__(self, values: Values) -> None:
        self._question = values["question"]

    def most(self, passages: int) -> int:
        """One for each."""
        return passages

    def judge(self, endpoint: Endpoint, query: str, docs: Sequence[tuple[str, str]], tally: AnswerTally) -> JudgedHead:
        """Points are p(yes) / (p(yes) + p(no))."""
        questions = [_grade(endpoint, query, passage, self._question) for _, passage in docs]
        grades = endpoint.together(questions)
        points, wrong = {}, []
        for place, (grade, _) in enumerate(grades):
            if isinstance(grade, NoAnswer):
                wrong.append(NoAnswer(grade.kind, f"document {docs[place][0]}: {grade.message}"))
            else:
                points[place] = grade
        tally.asked += len(grades)
        return JudgedHead(points, wrong, bool(grades) and all(kept for _, kept in grades))


def pointwise_prompt(query: str, passage: str, question: str) -> str:
    """What the model is asked of one passage."""
    return f"Passage: {shown(passage)}\nQuery: {shown(query)}\n{question} Answer Yes or No."


def share_of_yes(answer: ModelAnswer) -> float | NoAnswer:
    """p(yes) / (p(yes) + p(no)); spellings of a word, such as "Yes" and " yes", are added up."""
    weight = {"yes": 0.0, "no": 0.0}
    for token, log in answer.tops:
        word = token.strip().casefold()
        if word in weight:
            weight[word] += math.exp(log)
    yes, no = weight["yes"], weight["no"]
    if declined(answer) is not None:
        return NoAnswer("refusal", f"the model refused: {glimpse(answer.text)}")
    if not answer.tops:
        return NoAnswer("no log-probabilities", "the answer has no log-probabilities of its first token")
    if not yes or not no:
        lacking = "neither Yes nor No is" if not yes and not no else "Yes is not" if not yes else "No is not"
        return NoAnswer("no yes or no", f"{lacking} among the {len(answer.tops)} likeliest first tokens")
    return yes / (yes + no)


async def _grade(endpoint: Endpoint, query: str, passage: str, question: str) -> tuple[float | NoAnswer, bool]:
    """The score of one passage, or why it has none; and whether the answer was kept from before."""
    answer = await endpoint.ask("", pointwise_prompt(query, passage, question), most=1, tops=TOPS)
    if isinstance(answer, NoAnswer):
        return answer, False
    return share_of_yes(answer), answer.kept
