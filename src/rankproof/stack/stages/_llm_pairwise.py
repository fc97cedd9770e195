"""Pairwise: the model is shown two passages, in both orders; it prefers one where both answers name it, else they tie.

allpair    every pair: a passage has 1 point for each that it beats and half a point for each tie
heapsort   the first k of a heap whose comparisons are pairs
sliding    k passes from the back to the front, each of neighbors; two that tie stay as they are

The prompt is the published one, word for word. A pair with an answer that cannot be read is a tie too, and counted as a
failure; so ties keep the incoming order, in each of the three.

source: Qin et al., Large language models are effective text rankers with pairwise ranking prompting, Findings of NAACL
        2024 (PRP-Allpair, PRP-Sorting, PRP-Sliding-K; prompt as in llmrankers/pairwise.py of ielab/llm-rankers)
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from rankproof.stack.records import Values
from rankproof.stack.stages._llm_questions import AnswerTally, JudgedHead, LabelQuestions, quoted
from rankproof.stack.stages._llm_sorting import bubblesort, heapsort, most_of_bubblesort, most_of_heapsort

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint


class Pairwise:
    """The method."""

    def __init__(self, values: Values) -> None:
        self._sort, self._k = values["sort"], values["k"]

    def most(self, passages: int) -> int:
        """By the sort; every pair is two questions."""
        k = min(self._k, passages)
        if self._sort == "allpair":
            return passages * (passages - 1)
        if self._sort == "heapsort":
            return most_of_heapsort(passages, k, 2, pairs=True)
        return most_of_bubblesort(passages, k, 2, pairs=True)

    def judge(self, endpoint: Endpoint, query: str, docs: Sequence[tuple[str, str]], tally: AnswerTally) -> JudgedHead:
        """Points are those of the pairs, or places in the order that comes out; no pair is asked again."""
        count, k = len(docs), min(self._k, len(docs))
        questions = LabelQuestions(endpoint, docs, tally)
        preferred: dict[tuple[int, int], int | None] = {}

        async def compared(one: int, other: int) -> int | None:
            pair = (min(one, other), max(one, other))
            if pair not in preferred:
                first, second = (docs[place][1] for place in pair)
                there, back = pairwise_prompt(query, first, second), pairwise_prompt(query, second, first)
                answers = await questions.side_by_side(there, back, pair)
                preferred[pair] = answers[0] if answers[0] == answers[1] else None
            return preferred[pair]

        async def best(members: Sequence[int]) -> int:
            champion, *others = members
            for other in others:
                if await compared(champion, other) == other:
                    champion = other
            return champion

        if self._sort != "allpair":
            sort = heapsort(count, k, 2, best) if self._sort == "heapsort" else bubblesort(count, k, 2, best)
            (order,) = endpoint.together([sort])
            return questions.judged(order)
        endpoint.together([compared(*pair) for pair in combinations(range(count), 2)])
        points = dict.fromkeys(range(count), 0.0)
        for pair, winner in preferred.items():
            for place in pair:
                points[place] += 0.5 if winner is None else float(winner == place)
        return questions.judged(points=points)


def pairwise_prompt(query: str, first: str, second: str) -> str:
    """The published question: which of two passages is more relevant."""
    return (
        f"Given a query {quoted(query)}, which of the following two passages is more relevant to the query?\n\n"
        f"Passage A: {quoted(first)}\n\nPassage B: {quoted(second)}\n\nOutput Passage A or Passage B:"
    )
