"""Records of traces: choices, one span, one ranking, one search, and what was counted on the way."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from rankproof.errors import UsageError

Stage = Literal["last", "retriever", "reranker"]
Repeats = Literal["last", "first"]
Unit = Literal["session", "trace"]
Role = Literal["", "retriever", "reranker", "model"]

# Why a retrieval has no ranking that can be read. The first: nothing was recorded, which may be a choice (content is
# opt-in); the others: something was recorded and cannot be trusted.
UNRECORDED = "no documents recorded"
CUT = "documents cut by an attribute limit"
MALFORMED = "documents that are no list of objects"
UNNAMED = "documents with neither ids nor texts"
HALF = "ids with half a character"
PARTS = "documents of its parts recorded, not of the whole"

# So many different texts of exactly the greatest length hardly ended there by themselves, where limits usually are.
ENOUGH, SHORTEST_LIMIT = 3, 64


@dataclass(frozen=True, slots=True)
class TraceOptions:
    """How searches are made of spans.

    stage    which ranking counts where a reranker follows a retriever: the last, or that of one of the two
    repeats  which ranking counts where a query was asked several times: the last, or the first
    unit     what the calls of one task have in common: a session (a trace where it has none), or a trace
    source   only searches in this data source (gen_ai.data_source.id)
    doc_id   the field of a document's metadata that is its id, instead of the id that the span has
    """

    stage: Stage = "last"
    repeats: Repeats = "last"
    unit: Unit = "session"
    source: str | None = None
    doc_id: str | None = None

    @classmethod
    def of(cls, options: Mapping[str, object]) -> TraceOptions:
        """From options by name, each a text; UsageError for a value that is none of the choices."""
        choices = {"stage": get_args(Stage), "repeats": get_args(Repeats), "unit": get_args(Unit)}
        for name, possible in choices.items():
            if options.get(name) is not None and options[name] not in possible:
                raise UsageError(f"{name} must be one of {', '.join(possible)}; got {options[name]!r:.60}.")
        given = ((name, value) for name, value in options.items() if value is not None and name in cls.__slots__)
        known: dict[str, Any] = dict(given)
        return cls(**known)


class SpanRanking(NamedTuple):
    """The documents of one retrieval, best first; None and a reason where they cannot be read.

    unscored  how many of them have no score
    rising    whether a score is greater than the one above it
    """

    docs: tuple[str, ...] | None
    reason: str = ""
    unscored: int = 0
    rising: bool = False


class SpanRecord(NamedTuple):
    """What a span says about searches. `failed`: its status is an error; times in nanoseconds, None where unknown."""

    trace: str
    span: str
    parent: str
    role: Role
    text: str | None
    query: str | None
    session: str | None
    user: str | None
    source: str | None
    start: int | None
    stop: int | None
    failed: bool
    tokens: float | None
    ranking: SpanRanking


class TraceSpan(NamedTuple):
    """A span without its texts, as a trace is assembled from it; `row` leads back to them.

    reason  None where the documents are there
    mark    equal where two records of a span say the same
    """

    row: int
    span: str
    parent: str
    role: Role
    query: str | None
    session: str | None
    source: str | None
    start: int | None
    stop: int | None
    failed: bool
    tokens: float | None
    reason: str | None
    mark: int


class Search(NamedTuple):
    """One search as the application saw it.

    row     the span whose documents are its ranking, and whose text is the query's where `text` is no other
    text    the span that has the query's text
    start   when its first attempt began
    ms      from there to the end of what returned the ranking; None where that is not known
    reason  "" where the ranking is known; why it is not otherwise
    """

    row: int
    text: int
    query: str | None
    session: str | None
    source: str | None
    start: int | None
    ms: float | None
    failed: bool
    reason: str


@dataclass(slots=True)
class TextLengths:
    """Whether a limit on the lengths of attributes has cut texts, which nothing in a span says."""

    longest: int = 0
    texts: set[str] = field(default_factory=set)

    def saw(self, text: str) -> None:
        """Notes a text; only those of the greatest length are kept, and few of them."""
        if len(text) > self.longest:
            self.longest = len(text)
            self.texts.clear()
        if len(text) == self.longest and len(self.texts) < ENOUGH:
            self.texts.add(text)

    @property
    def cut(self) -> bool:
        """Whether several different texts are as long as the longest, to the character, and that is a round number."""
        is_round = self.longest % 10 == 0 or self.longest % 16 == 0
        return len(self.texts) == ENOUGH and self.longest >= SHORTEST_LIMIT and is_round


@dataclass(slots=True)
class TraceCounts:
    """What was counted while traces were read; the summary and the notes say it."""

    spans: int = 0
    traces: int = 0
    retrievers: int = 0
    rerankers: int = 0
    models: int = 0
    searches: int = 0
    failed: int = 0
    nested: int = 0
    reranked: int = 0
    failed_rerankers: int = 0
    unrecorded_rerankers: int = 0
    retries: int = 0
    duplicates: int = 0
    differing_duplicates: int = 0
    missing_parents: int = 0
    circular_parents: int = 0
    skewed: int = 0
    without_times: int = 0
    without_query: int = 0
    other_sources: int = 0
    documents: int = 0
    documents_without_ids: int = 0
    documents_without_scores: int = 0
    rising: int = 0
    repaired_texts: int = 0
    skipped_signals: int = 0
    sampled: int = 0
    left_out: Counter[str] = field(default_factory=Counter)
    # Spans that search and from which attributes were dropped: sessions and users may be among them.
    dropped: int = 0
    # Texts that name documents, and texts of queries.
    doc_texts: TextLengths = field(default_factory=TextLengths)
    query_texts: TextLengths = field(default_factory=TextLengths)
    # Fields of the metadata of the first document without an id: one of them may be its id.
    metadata: tuple[str, ...] = ()
