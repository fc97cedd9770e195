"""Ask a model for drafts, several at once; every answer is on record before the next question takes its place.

Every single request is on record before it goes out, and none goes out that could pass the ceiling: one that might,
waits until those under way have said what they took.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from rankproof.errors import UsageError
from rankproof.judging.drafting.journal import AnswersOnRecord
from rankproof.judging.drafting.records import DraftQuestion
from rankproof.judging.drafting.spending import DraftCeiling
from rankproof.judging.models.ask import NOT_ASKED
from rankproof.judging.models.records import Tokens
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.endpoint import Endpoint, Trouble
from rankproof.kernel.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class DraftAsking:
    """What was asked now.

    asked      questions that were sent, and those of them without an answer
    unasked    questions that were not sent, because the server was gone or the ceiling reached
    reached    whether the ceiling of requests or of cost stopped it
    tokens     as the server counted them
    served     which model the server says answered, and how often
    """

    asked: int = 0
    in_vain: int = 0
    unasked: int = 0
    reached: bool = False
    tokens: Tokens = field(default_factory=Tokens)
    served: dict[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "asked": self.asked,
            "in_vain": self.in_vain,
            "unasked": self.unasked,
            "ceiling_reached": self.reached,
            "tokens": self.tokens.to_dict(),
            "served": dict(sorted(self.served.items())),
        }


def ask_for_drafts(
    endpoint: Endpoint,
    questions: Sequence[DraftQuestion],
    record: AnswersOnRecord,
    concurrency: int,
    ceiling: DraftCeiling,
    progress: Progress = silent,
) -> DraftAsking:
    """Sends questions that have no answer on record, and records every answer as it comes."""
    session = _DraftSession(endpoint, questions, record, ceiling, progress)
    endpoint.together([session.work() for _ in range(max(1, min(concurrency, len(questions))))])
    if session.refused is not None:
        raise session.refused
    asked = len(session.asked)
    tokens = Tokens(session.said[0], session.said[1], session.uncounted)
    return DraftAsking(asked, session.in_vain, len(questions) - asked, session.reached, tokens, dict(session.served))


class _DraftSession:
    """One go. Several coroutines take questions from one line; one at a time writes."""

    def __init__(
        self,
        endpoint: Endpoint,
        questions: Sequence[DraftQuestion],
        record: AnswersOnRecord,
        ceiling: DraftCeiling,
        progress: Progress,
    ) -> None:
        self.endpoint, self.record, self.ceiling, self.progress = endpoint, record, ceiling, progress
        self.number, self.line = len(questions), iter(questions)
        self.turn = asyncio.Condition()
        self.under_way: set[str] = set()
        self.asked: set[str] = set()
        self.in_vain = self.uncounted = self.done = 0
        self.said = [0, 0]
        self.served: Counter[str] = Counter()
        self.over = self.reached = False
        self.refused: UsageError | None = None

    async def work(self) -> None:
        """Takes the next question until there is none, the server is gone, or the ceiling is reached."""
        self.tell()
        for question in self.line:
            if self.over:
                return
            try:
                await self.one(question)
            except BaseException as error:
                self.over = True
                if isinstance(error, Exception):  # those that wait are to see it; one that is canceled is not alone
                    async with self.turn:
                        self.turn.notify_all()
                raise
            self.tell()

    def tell(self) -> None:
        self.progress("drafting: query", self.done, self.number)

    async def one(self, question: DraftQuestion) -> None:
        """Asks one question."""
        prompt = question.prompt

        async def permit(last: Trouble | None) -> bool:
            if last is not None:
                await self.settle(question, NoAnswer(last.kind, last.message, last.unpaid))
            return await self.send(question)

        try:
            answer = await self.endpoint.ask(prompt.system, prompt.user, prompt.most, permit=permit)
        except UsageError as error:  # a wrong address, key or model; those under way are to be settled too
            self.over, self.refused = True, error
            if question.key in self.under_way:
                await self.settle(question, NoAnswer("refused", str(error), unpaid=True))
            return
        if isinstance(answer, NoAnswer) and answer.kind == NOT_ASKED:
            self.over = True
            return
        if question.key in self.under_way:  # otherwise the ceiling stopped a second try, and the first is on record
            await self.settle(question, answer)
        self.done += 1
        if isinstance(answer, ModelAnswer):
            self.count(answer)
        else:
            self.in_vain += 1

    async def send(self, question: DraftQuestion) -> bool:
        """Whether a request may go out; it is on record then."""
        most = self.ceiling.most(question.prompt)
        async with self.turn:
            while not self.over and not self.ceiling.allows(self.record.spending, most):
                if not self.under_way:
                    self.over = self.reached = True
                    return False
                await self.turn.wait()
            if self.over:
                return False
            await asyncio.to_thread(self.record.send, question.key, most)
            self.under_way.add(question.key)
            self.asked.add(question.key)
        return True

    async def settle(self, question: DraftQuestion, outcome: ModelAnswer | NoAnswer) -> None:
        """Keeps what became of a request, and lets those go on that wait for it."""
        async with self.turn:
            await asyncio.to_thread(self.record.keep, question.key, outcome)
            self.under_way.discard(question.key)
            self.turn.notify_all()

    def count(self, answer: ModelAnswer) -> None:
        """Tokens and the model that a server tells."""
        if answer.model:
            self.served[answer.model] += 1
        if answer.tokens is None:
            self.uncounted += 1
        else:
            self.said[0] += answer.tokens[0]
            self.said[1] += answer.tokens[1]
