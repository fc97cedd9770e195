"""ModelJudging: what came of asking a model about pairs: grades or preferences, failures, tokens, cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens that servers counted in questions and answers; `uncounted` answers came without a count."""

    asked: int = 0
    answered: int = 0
    uncounted: int = 0

    def to_dict(self) -> dict[str, int]:
        """For JSON."""
        return {"asked": self.asked, "answered": self.answered, "uncounted": self.uncounted}


@dataclass(frozen=True, slots=True)
class FailureKind:
    """Answers that are no grade, of one kind.

    answered   whether the model answered; otherwise the question is sent again next time
    example    query, documents and text of the first one
    """

    kind: str
    count: int
    answered: bool
    example: tuple[str, tuple[str, ...], str]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        query, docs, text = self.example
        example = {"query_id": query, "doc_ids": list(docs), "text": text}
        return {"kind": self.kind, "count": self.count, "answered": self.answered, "example": example}


@dataclass(frozen=True, slots=True)
class ModelJudging:
    """What came of it. Counts are of questions: a pair, or two documents of a query, each as often as it is repeated.

    questions     all that were to be sent, and those that were answered before
    there         of them, those that the store had an answer to before
    there_failed  of these, those whose answer counts for nothing
    grades        how often each grade was given now; empty for preferences
    preferences   how often the first of two, the second, or neither was preferred now, and how often the two orders
                  contradicted each other; empty for grades
    failures      by kind, the most frequent first
    unasked       those not sent, because the server was gone
    from_cache    answers that the cache had
    served        which model the server says answered, and how often
    """

    questions: int
    there: int
    grades: Mapping[int, int] = field(default_factory=dict)
    preferences: Mapping[str, int] = field(default_factory=dict)
    failures: tuple[FailureKind, ...] = ()
    unasked: int = 0
    from_cache: int = 0
    tokens: Tokens = Tokens()
    served: Mapping[str, int] = field(default_factory=dict)
    there_failed: int = 0

    @property
    def judged(self) -> int:
        """Grades or preferences that were given now."""
        return sum(self.grades.values()) + sum(n for what, n in self.preferences.items() if what != "contradicted")

    @property
    def failed(self) -> int:
        """Answers that count for nothing."""
        return sum(kind.count for kind in self.failures if kind.answered)

    @property
    def unanswered(self) -> int:
        """Questions without an answer: asking again may help."""
        return self.unasked + sum(kind.count for kind in self.failures if not kind.answered)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "questions": self.questions,
            "there": self.there,
            "there_failed": self.there_failed,
            "judged": self.judged,
            "failed": self.failed,
            "unanswered": self.unanswered,
            "grades": {str(grade): count for grade, count in sorted(self.grades.items())},
            "preferences": dict(self.preferences),
            "failures": [kind.to_dict() for kind in self.failures],
            "tokens": self.tokens.to_dict(),
            "served": dict(sorted(self.served.items())),
        }
