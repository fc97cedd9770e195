"""Ask a model for drafts, several at once; every answer is on record before the next question takes its place."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rankproof.judging.drafting.journal import AnswersOnRecord
from rankproof.judging.drafting.records import DraftQuestion
from rankproof.judging.models.ask import NOT_ASKED
from rankproof.judging.models.records import Tokens
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.endpoint import Endpoint
from rankproof.kernel.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class DraftAsking:
    """What was asked now.

    asked      questions that were sent, and those of them without an answer
    unasked    questions that were not sent, because the server was gone
    tokens     as the server counted them
    served     which model the server says answered, and how often
    """

    asked: int = 0
    in_vain: int = 0
    unasked: int = 0
    tokens: Tokens = field(default_factory=Tokens)
    served: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "asked": self.asked,
            "in_vain": self.in_vain,
            "unasked": self.unasked,
            "tokens": self.tokens.to_dict(),
            "served": dict(sorted(self.served.items())),
        }


def ask_for_drafts(
    endpoint: Endpoint,
    questions: Sequence[DraftQuestion],
    record: AnswersOnRecord,
    concurrency: int,
    progress: Progress = silent,
) -> DraftAsking:
    """Sends questions that have no answer on record, and records every answer as it comes."""
    session = _DraftSession(endpoint, questions, record, progress)
    endpoint.together([session.work() for _ in range(max(1, min(concurrency, len(questions))))])
    return DraftAsking(
        session.asked,
        session.in_vain,
        len(questions) - session.asked,
        Tokens(session.said[0], session.said[1], session.uncounted),
        dict(session.served),
    )


class _DraftSession:
    """One go. Several coroutines take questions from one line; one at a time writes."""

    def __init__(
        self, endpoint: Endpoint, questions: Sequence[DraftQuestion], record: AnswersOnRecord, progress: Progress
    ) -> None:
        self.endpoint, self.record, self.progress, self.number = endpoint, record, progress, len(questions)
        self.line: Iterator[DraftQuestion] = iter(questions)
        self.writing = asyncio.Lock()
        self.asked = self.in_vain = self.uncounted = 0
        self.said = [0, 0]
        self.served: Counter[str] = Counter()
        self.over = False

    async def work(self) -> None:
        """Takes the next question until there is none, or the server is gone."""
        self.progress("drafting: query", self.asked, self.number)
        for question in self.line:
            if self.over:
                return
            try:
                await self.one(question)
            except BaseException:
                self.over = True
                raise
            self.progress("drafting: query", self.asked, self.number)

    async def one(self, question: DraftQuestion) -> None:
        """Asks one question."""
        prompt = question.prompt
        answer = await self.endpoint.ask(prompt.system, prompt.user, prompt.most)
        if isinstance(answer, NoAnswer) and answer.kind == NOT_ASKED:
            self.over = True
            return
        async with self.writing:
            await asyncio.to_thread(self.record.keep, question.key, answer)
        self.asked += 1
        if isinstance(answer, ModelAnswer):
            self.count(answer)
        else:
            self.in_vain += 1

    def count(self, answer: ModelAnswer) -> None:
        """Tokens and the model that a server tells."""
        if answer.model:
            self.served[answer.model] += 1
        if answer.tokens is None:
            self.uncounted += 1
        else:
            self.said[0] += answer.tokens[0]
            self.said[1] += answer.tokens[1]
