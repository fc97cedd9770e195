"""Setwise: the model is shown a few passages at once and names the most relevant; sorts are built from such answers.

The prompt is the published one, word for word. Passages stand in their incoming order (heapsort) or in the order of the
pass (bubblesort); where no answer can be read, the first of them wins, so that what fails keeps the order that came.

source: Zhuang et al., A setwise approach for effective and highly efficient zero-shot ranking with large language
        models, SIGIR 2024 (prompt and sorts as in llmrankers/setwise.py of ielab/llm-rankers)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rankproof.stack.records import Values
from rankproof.stack.stages._llm_questions import LABELS, AnswerTally, JudgedHead, LabelQuestions, quoted
from rankproof.stack.stages._llm_sorting import bubblesort, heapsort, most_of_bubblesort, most_of_heapsort

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint


class Setwise:
    """The method."""

    def __init__(self, values: Values) -> None:
        self._heap, self._k, self._size = values["sort"] == "heapsort", values["k"], values["set_size"]

    def most(self, passages: int) -> int:
        """By the sort."""
        k = min(self._k, passages)
        if self._heap:
            return most_of_heapsort(passages, k, self._size - 1, pairs=False)
        return most_of_bubblesort(passages, k, self._size, pairs=False)

    def judge(self, endpoint: Endpoint, query: str, docs: Sequence[tuple[str, str]], tally: AnswerTally) -> JudgedHead:
        """Points are places in the order that comes out; a set that comes again is not asked again."""
        questions = LabelQuestions(endpoint, docs, tally)
        winners: dict[tuple[int, ...], int] = {}

        async def best(members: Sequence[int]) -> int:
            key = tuple(members)
            if key not in winners:
                named = await questions.winner(setwise_prompt(query, [docs[member][1] for member in members]), members)
                winners[key] = members[0] if named is None else named
            return winners[key]

        count, k = len(docs), min(self._k, len(docs))
        sort = heapsort(count, k, self._size - 1, best) if self._heap else bubblesort(count, k, self._size, best)
        (order,) = endpoint.together([sort])
        return questions.judged(order)


def setwise_prompt(query: str, passages: Sequence[str]) -> str:
    """The published question: which of these passages is the most relevant one."""
    listed = "\n\n".join(f"Passage {LABELS[i]}: {quoted(passage)}" for i, passage in enumerate(passages))
    return (
        f"Given a query {quoted(query)}, which of the following passages is the most relevant one to the query?\n\n"
        f"{listed}\n\nOutput only the passage label of the most relevant passage:"
    )
