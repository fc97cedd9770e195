"""What is asked of a model when queries are drafted, and what came of it: questions, drafts, marks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from rankproof.errors import UsageError
from rankproof.judging.judges.contract import Prompt
from rankproof.reading.ranking import Ranking

# one       asked about one document
# several   asked about several similar documents, which are needed together
# none      asked about what the collection does not hold: no document should answer it
DraftKind = Literal["one", "several", "none"]
KINDS: tuple[DraftKind, ...] = ("one", "several", "none")
# accepted    nothing was found against it; still no gold
# marked      a query came, and something was found against it
# failed      the model answered, and the answer is no query
# unanswered  no answer came; the same command asks again
DraftStatus = Literal["accepted", "marked", "failed", "unanswered"]
STATUSES: tuple[DraftStatus, ...] = ("accepted", "marked", "failed", "unanswered")
MarkReason = Literal["duplicate", "leak", "copied", "answerable", "too long", "empty", "other script"]
# What a query may look like: sentences with a question mark, or words as typed into a search box.
DraftStyle = Literal["question", "keywords"]
STYLES: tuple[DraftStyle, ...] = ("question", "keywords")

# Ranks documents for texts: (texts, depth) -> a ranking for each.
Search = Callable[[Sequence[str], int], Sequence[Ranking]]


@dataclass(frozen=True, slots=True)
class DraftRequest:
    """What is to be drafted.

    queries       how many
    several       the share of them that is asked about several documents
    unanswerable  the share that no document should answer
    documents     how many documents a question about several shows
    strata        how documents are divided: length, field:NAME, or cluster:NUMBER
    style         question or keywords
    about         what the collection is and who searches it, for the model; "" for nothing
    characters    how much of a document the model sees
    tokens        how many tokens it may answer
    """

    queries: int
    several: float = 0.2
    unanswerable: float = 0.1
    documents: int = 2
    strata: str = "length"
    style: DraftStyle = "question"
    about: str = ""
    characters: int = 4000
    tokens: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.several + self.unanswerable <= 1:  # NaN is refused too
            raise UsageError(
                f"A share of {self.several:g} about several documents and one of {self.unanswerable:g} without an "
                "answer are more than all queries. Give shares that come to 1 at most."
            )


@dataclass(frozen=True, slots=True)
class DraftLimits:
    """From where on a query is marked.

    words       share of content words, of both together, that it has in common with another query
    characters  the same for runs of three characters
    copied      share of its content words that stand in its source, from `fewest` content words on
    run         so many words in a row that stand in its source
    covered     for unanswerable queries: share of the content words that stand in one document
    longest     words of a query
    """

    words: float = 0.8
    characters: float = 0.85
    copied: float = 0.85
    fewest: int = 4
    run: int = 6
    covered: float = 0.5
    longest: int = 40

    def to_dict(self) -> dict[str, float]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """One question to the model. `key` names its answer; `draft_id` is the id that the query will have."""

    key: str
    kind: DraftKind
    stratum: str
    doc_ids: tuple[str, ...]
    texts: tuple[str, ...]
    prompt: Prompt

    @property
    def draft_id(self) -> str:
        """Of the content of the question: questions of two collections or models do not share one."""
        return f"draft-{self.key[:12]}"


@dataclass(frozen=True, slots=True)
class DraftMark:
    """Why a draft is not accepted: a reason that is counted, a sentence, and what was seen."""

    reason: MarkReason
    message: str
    evidence: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"reason": self.reason, "message": self.message, "evidence": dict(self.evidence)}


@dataclass(frozen=True, slots=True)
class Draft:
    """A question and what came of it.

    query, answer  what the model wrote; None where it wrote none
    copied         share of the query's content words that stand in each source; empty for unanswerable queries
    nearest        for unanswerable queries: what was looked at to see that nothing answers them
    failure        the kind and the text of an answer that is no query, or why none came
    """

    question: DraftQuestion
    status: DraftStatus
    query: str | None = None
    answer: str | None = None
    marks: tuple[DraftMark, ...] = ()
    copied: tuple[float, ...] = ()
    nearest: Mapping[str, Any] | None = None
    failure: tuple[str, str] | None = None

    def to_dict(self) -> dict[str, object]:
        """A line of the file of drafts."""
        asked = self.question
        shares: Sequence[float | None] = self.copied or [None] * len(asked.doc_ids)
        failure = None if self.failure is None else {"kind": self.failure[0], "text": self.failure[1]}
        return {
            "draft_id": asked.draft_id,
            "status": self.status,
            "kind": asked.kind,
            "query": self.query,
            "answer": self.answer,
            "answerable": asked.kind != "none",
            "sources": [{"doc_id": doc, "copied": share} for doc, share in zip(asked.doc_ids, shares, strict=True)],
            "stratum": asked.stratum,
            "marks": [mark.to_dict() for mark in self.marks],
            "nearest": None if self.nearest is None else dict(self.nearest),
            "failure": failure,
        }


def counts_of(drafts: Sequence[Draft]) -> dict[str, Any]:
    """How many drafts there are by status, by kind among the accepted, by reason, and by kind of failure."""
    statuses = Counter(draft.status for draft in drafts)
    kinds = Counter(draft.question.kind for draft in drafts if draft.status == "accepted")
    reasons = Counter(reason for draft in drafts for reason in {mark.reason for mark in draft.marks})
    failures = Counter((draft.failure[0], draft.status == "failed") for draft in drafts if draft.failure is not None)
    return {
        **{status: statuses[status] for status in STATUSES},
        "accepted_by_kind": {kind: kinds[kind] for kind in KINDS},
        "marks": dict(sorted(reasons.items())),
        "failures": [
            {"kind": kind, "count": count, "answered": answered}
            for (kind, answered), count in sorted(failures.items(), key=lambda pair: (-pair[1], pair[0]))
        ],
    }
