"""Tally: counts of what came of asking, question by question."""

from __future__ import annotations

from collections import Counter

from rankproof.records.model_judging import FailureKind, ModelJudging, Tokens
from rankproof.stages._llm_answer import Answer

Example = tuple[str, tuple[str, ...], str]


class Tally:
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

    def answered(self, answer: Answer) -> None:
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
