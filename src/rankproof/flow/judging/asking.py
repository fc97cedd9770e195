"""Asking: the open questions, several at once; every answer is kept before the next question is asked in its place."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Protocol
from uuid import uuid4

from rankproof.flow.judging.questions import Question, Questions
from rankproof.flow.judging.tally import Tally
from rankproof.judges._contract import Fault, Prompt, Said
from rankproof.judges.pairwise import settle
from rankproof.records.ground import Progress, silent
from rankproof.records.judge_failure import JudgeFailure
from rankproof.records.judging import Judgment, Preference
from rankproof.records.model_judging import ModelJudging
from rankproof.stages._llm_answer import Answer, NoAnswer
from rankproof.stages._llm_endpoint import Endpoint

# Words of the exchange that mean something else of an answer.
_TROUBLES = {"refused": "request refused", "unreadable answer": "broken answer"}
NOT_ASKED = "not asked"


class Keeper(Protocol):
    """Where answers are kept: after a call they are there, even when this process is killed. Several threads call."""

    def judgment(self, act: Judgment) -> None:
        """Keeps a grade."""

    def preference(self, act: Preference) -> None:
        """Keeps a preference."""

    def failure(self, failure: JudgeFailure) -> None:
        """Keeps an answer that is neither, or why there is none."""


def ask_all(
    endpoint: Endpoint,
    asking: Questions,
    there: frozenset[str],
    keep: Keeper,
    concurrency: int,
    progress: Progress = silent,
) -> ModelJudging:
    """What came of asking all questions whose keys are not `there` yet."""
    asked = _Asking(endpoint, asking, [q for q in asking.every if q.key not in there], keep, progress)
    endpoint.together([asked.work() for _ in range(max(1, min(concurrency, len(asked.open))))])
    return asked.tally.result(len(asking.every), len(asking.every) - len(asked.open))


class _Asking:
    """One go. Several coroutines take questions from one line."""

    def __init__(
        self, endpoint: Endpoint, asking: Questions, open_ones: Sequence[Question], keep: Keeper, progress: Progress
    ) -> None:
        self.endpoint, self.asking, self.open, self.keep, self.progress = endpoint, asking, open_ones, keep, progress
        self.line: Iterator[Question] = iter(open_ones)
        self.tally = Tally()
        self.over = False

    async def work(self) -> None:
        """Takes the next question until there is none, or the server is gone."""
        self.tell()
        for question in self.line:
            if self.over:
                self.tally.unasked += 1
                continue
            try:
                await self.one(question)
            except BaseException:
                self.over = True
                raise
            self.tell()

    def tell(self) -> None:
        self.progress("judging: question", self.tally.done, len(self.open))

    async def one(self, question: Question) -> None:
        said: list[Said] = []
        for prompt in self.asking.prompts(question):
            answer = await self.put(question, prompt)
            if isinstance(answer, NoAnswer):
                await self.no_answer(question, answer)
                return
            self.tally.answered(answer)
            read = self.asking.asked.item.read(answer, self.asking.project.scale, self.asking.asked.values)
            if isinstance(read, Fault):
                await self.failed(question, question.key, read.kind, answer.text.strip() or read.why, answered=True)
                return
            said.append(read)
        await (self.graded(question, said[0]) if len(said) == 1 else self.preferred(question, said[0], said[1]))

    async def put(self, question: Question, prompt: Prompt) -> Answer | NoAnswer:
        seed = question.by.seed
        return await self.endpoint.ask(prompt.system, prompt.user, prompt.most, prompt.tops, seed=seed)

    async def no_answer(self, question: Question, why: NoAnswer) -> None:
        if why.kind == NOT_ASKED:
            self.over = True
            self.tally.unasked += 1
            return
        # No answer is none for good: this one has a key of its own, and the question stays open.
        kind = _TROUBLES.get(why.kind, why.kind)
        await self.failed(question, uuid4().hex, kind, why.message, answered=False)

    async def failed(self, question: Question, key: str, kind: str, text: str, *, answered: bool) -> None:
        first, *other = question.doc_ids
        kept = f"against {other[0]}: {text}" if other else text
        failure = JudgeFailure(key, question.by.name, question.query_id, first, kind, kept)
        await asyncio.to_thread(self.keep.failure, failure)
        self.tally.failure(kind, answered, (question.query_id, question.doc_ids, text))

    async def graded(self, question: Question, said: Said) -> None:
        grade, by, doc = said.value, question.by, question.doc_ids[0]
        assert grade is not None
        act = Judgment(question.key, by.name, question.query_id, doc, grade, note=said.note, source=by.source)
        await asyncio.to_thread(self.keep.judgment, act)
        self.tally.grades[grade] += 1

    async def preferred(self, question: Question, straight: Said, turned: Said) -> None:
        place = settle(straight.value, turned.value)
        variants = tuple(f"doc:{doc}" for doc in question.doc_ids)
        habit = straight.value is not None and straight.value == turned.value
        note = f"prompt {question.by.source.prompt[:16]}, settings {question.by.source.settings[:16]}"
        if habit:
            note = f"the {'first' if straight.value == 0 else 'second'} place in either order; {note}"
        better = None if place is None else variants[place]
        act = Preference(question.key, question.by.name, question.query_id, variants, better, blind=True, note=note)
        await asyncio.to_thread(self.keep.preference, act)
        self.tally.preferences["neither" if place is None else ("first", "second")[place]] += 1
        self.tally.preferences["contradicted"] += habit
