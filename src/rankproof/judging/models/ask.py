"""Ask a model the open questions, several at once; every answer is stored before the next request."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Protocol
from uuid import uuid4

from rankproof.judging.judge_answers import read_judge_answer
from rankproof.judging.judges.contract import AnswerFault, ParsedAnswer, Prompt
from rankproof.judging.judges.pairwise import settle
from rankproof.judging.models.questions import ModelQuestion, Questions
from rankproof.judging.models.records import FailureKind, ModelJudging, Tokens
from rankproof.judging.records import JudgeFailure, Judgment, Preference
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.endpoint import Endpoint
from rankproof.kernel.progress import Progress, silent

Example = tuple[str, tuple[str, ...], str]


class AnswerCounts:
    """Counts, and the first failure of each kind. Used by one thread."""

    def __init__(self) -> None:
        self.grades: Counter[int] = Counter()
        self.preferences: Counter[str] = Counter()
        self.unasked = 0
        self._served: Counter[str] = Counter()
        self._kept = 0
        self._asked = self._said = self._uncounted = 0
        self._failures: Counter[tuple[str, bool]] = Counter()
        self._examples: dict[tuple[str, bool], Example] = {}

    @property
    def done(self) -> int:
        """Questions that are through."""
        preferred = sum(n for what, n in self.preferences.items() if what != "contradicted")
        return self.grades.total() + preferred + self._failures.total() + self.unasked

    def answered(self, answer: ModelAnswer) -> None:
        """An answer came; what the cache had costs nothing now."""
        if answer.model:
            self._served[answer.model] += 1
        if answer.kept:
            self._kept += 1
        elif answer.tokens is None:
            self._uncounted += 1
        else:
            self._asked += answer.tokens[0]
            self._said += answer.tokens[1]

    def failure(self, kind: str, answered: bool, example: Example) -> None:
        """An answer that counts for nothing, or none."""
        self._failures[kind, answered] += 1
        self._examples.setdefault((kind, answered), example)

    def result(self, questions: int, there: int) -> ModelJudging:
        """All of it."""
        ordered = sorted(self._failures.items(), key=lambda pair: (-pair[1], pair[0]))
        return ModelJudging(
            questions,
            there,
            dict(self.grades),
            dict(sorted(self.preferences.items())),
            tuple(FailureKind(kind, n, answered, self._examples[kind, answered]) for (kind, answered), n in ordered),
            self.unasked,
            self._kept,
            Tokens(self._asked, self._said, self._uncounted),
            dict(self._served),
        )


# Words of the exchange that mean something else of an answer.
_TROUBLES = {"refused": "request refused", "unreadable answer": "broken answer"}
NOT_ASKED = "not asked"


class JudgmentSink(Protocol):
    """Stores answers: after a call they are saved, even when this process is killed. Several threads call."""

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
    keep: JudgmentSink,
    concurrency: int,
    progress: Progress = silent,
) -> ModelJudging:
    """What came of asking all questions whose keys are not `there` yet."""
    session = _JudgeSession(endpoint, asking, [q for q in asking.every if q.key not in there], keep, progress)
    endpoint.together([session.work() for _ in range(max(1, min(concurrency, len(session.open))))])
    return session.tally.result(len(asking.every), len(asking.every) - len(session.open))


class _JudgeSession:
    """One go. Several coroutines take questions from one line."""

    def __init__(
        self,
        endpoint: Endpoint,
        asking: Questions,
        open_ones: Sequence[ModelQuestion],
        keep: JudgmentSink,
        progress: Progress,
    ) -> None:
        self.endpoint, self.asking, self.open, self.keep, self.progress = endpoint, asking, open_ones, keep, progress
        self.line: Iterator[ModelQuestion] = iter(open_ones)
        self.tally = AnswerCounts()
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

    async def one(self, question: ModelQuestion) -> None:
        answers: list[ParsedAnswer] = []
        for prompt in self.asking.prompts(question):
            answer = await self.put(question, prompt)
            if isinstance(answer, NoAnswer):
                await self.no_answer(question, answer)
                return
            self.tally.answered(answer)
            read = read_judge_answer(self.asking.judge, answer, prompt, self.asking.project.scale)
            if isinstance(read, AnswerFault):
                said = answer.text.strip() or read.why
                said = f"{read.why}: {said}" if read.outside else said
                await self.failed(question, question.key, read.kind, said, answered=True)
                return
            answers.append(read)
        await (
            self.graded(question, answers[0]) if len(answers) == 1 else self.preferred(question, answers[0], answers[1])
        )

    async def put(self, question: ModelQuestion, prompt: Prompt) -> ModelAnswer | NoAnswer:
        seed = question.by.seed
        return await self.endpoint.ask(prompt.system, prompt.user, prompt.most, prompt.tops, seed=seed)

    async def no_answer(self, question: ModelQuestion, why: NoAnswer) -> None:
        if why.kind == NOT_ASKED:
            self.over = True
            self.tally.unasked += 1
            return
        # No answer is none for good: this one has a key of its own, and the question stays open.
        kind = _TROUBLES.get(why.kind, why.kind)
        await self.failed(question, uuid4().hex, kind, why.message, answered=False)

    async def failed(self, question: ModelQuestion, key: str, kind: str, text: str, *, answered: bool) -> None:
        first, *other = question.doc_ids
        message = f"against {other[0]}: {text}" if other else text
        failure = JudgeFailure(key, question.by.name, question.query_id, first, kind, message)
        await asyncio.to_thread(self.keep.failure, failure)
        self.tally.failure(kind, answered, (question.query_id, question.doc_ids, text))

    async def graded(self, question: ModelQuestion, answer: ParsedAnswer) -> None:
        grade, by, doc = answer.value, question.by, question.doc_ids[0]
        assert grade is not None
        act = Judgment(question.key, by.name, question.query_id, doc, grade, note=answer.note, source=by.source)
        await asyncio.to_thread(self.keep.judgment, act)
        self.tally.grades[grade] += 1

    async def preferred(self, question: ModelQuestion, straight: ParsedAnswer, turned: ParsedAnswer) -> None:
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
