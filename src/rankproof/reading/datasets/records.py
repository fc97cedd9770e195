"""Dataset and Survey: documents, queries and judgments that belong together, and what was counted in them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from hashlib import sha256

from rankproof.reading.collection import Corpus, Query
from rankproof.reading.finding import Finding
from rankproof.reading.records import Qrels


@dataclass(frozen=True, eq=False)
class Dataset:
    """A test collection. Made by `rankproof.reading.datasets.read.read_dataset`.

    corpus     None where there are no texts of documents, as in a file of test cases
    queries    those with a text (it may be empty) and their columns; some may have no judgments
    kind       the layout it was read from, such as "beir"
    source     what it was read from: a path, `irds:NAME`, `sample:NAME`
    splits     name -> query_ids, where the dataset has several splits and more than one is here
    notes      decisions made while reading
    findings   what is inconsistent
    """

    name: str
    corpus: Corpus | None
    queries: tuple[Query, ...]
    qrels: Qrels
    kind: str = "python"
    source: str = "<python>"
    splits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @cached_property
    def texts(self) -> Mapping[str, str]:
        """query_id -> text."""
        return {query.query_id: query.text for query in self.queries}

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of queries, in order of first use."""
        return tuple(dict.fromkeys(name for query in self.queries for name in query.columns))

    @property
    def asked_queries(self) -> tuple[Query, ...]:
        """The queries that can be sent to an engine: with words in their text, judged or not."""
        return tuple(query for query in self.queries if query.has_words)

    @cached_property
    def judged_queries(self) -> tuple[Query, ...]:
        """The queries that can be sent to an engine and scored: with words in their text and at least one judgment."""
        judged = set(self.qrels.query_ids)
        return tuple(query for query in self.queries if query.query_id in judged and query.has_words)

    @cached_property
    def asked_qrels(self) -> Qrels:
        """The judgments of queries that can be asked: for one without words no mode can find anything."""
        asked = {query.query_id for query in self.judged_queries}
        return self.qrels if len(asked) == len(self.qrels) else self.qrels.filter(asked)

    @property
    def wordless_queries(self) -> tuple[str, ...]:
        """The ids of queries that cannot be asked: without words in their text, or judged and not among the queries."""
        known = {query.query_id for query in self.queries}
        mute = (query.query_id for query in self.queries if not query.has_words)
        return (*mute, *(query for query in self.qrels.query_ids if query not in known))

    @cached_property
    def table(self) -> dict[str, dict[str, str]]:
        """query_id -> {column: value}, as `reading.segments` takes it."""
        return {query.query_id: dict(query.columns) for query in self.queries}

    def select(self, query_ids: Iterable[str], name: str | None = None) -> Dataset:
        """Only these queries and their judgments, in the order they have here; the corpus stays whole."""
        chosen = set(query_ids)
        return replace(
            self,
            name=self.name if name is None else name,
            queries=tuple(query for query in self.queries if query.query_id in chosen),
            qrels=self.qrels.filter(chosen),
            splits={},
        )

    def part(self, split: str) -> Dataset:
        """One of the splits, called after it."""
        return self.select(self.splits[split], f"{self.name}/{split}")

    @cached_property
    def queries_hash(self) -> str:
        """SHA-256 of ids, texts and columns of the queries: the same in every order of queries and columns."""
        digest = sha256(b"rankproof queries 1\n")
        for query in sorted(self.queries, key=lambda query: query.query_id):
            columns = [part for pair in sorted(query.columns.items()) for part in pair]
            for text in (str(len(columns)), query.query_id, query.text, *columns):
                data = text.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "little") + data)
        return digest.hexdigest()

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of documents, queries and judgments; neither the layout nor the name changes it."""
        corpus = "none" if self.corpus is None else self.corpus.content_hash
        text = f"rankproof dataset 1\n{corpus}\n{self.queries_hash}\n{self.qrels.content_hash}\n"
        return sha256(text.encode()).hexdigest()

    def __repr__(self) -> str:
        documents = "no documents" if self.corpus is None else f"{len(self.corpus):,} documents"
        judgments = f"{len(self.qrels.rows):,} judgments"
        return f"Dataset({self.name!r}, {documents}, {len(self.queries):,} queries, {judgments})"


@dataclass(frozen=True, slots=True)
class DocumentSurvey:
    """The corpus: how many documents have each field filled, how many have no text, how many share one.

    duplicate_groups      texts that more than one document has, word for word
    duplicates            the documents that have one of them
    judged_differently    a query and a text whose documents have different grades for it
    copies_unjudged       a query and a text of which one document is judged relevant and another is not judged
    """

    count: int
    fields: Mapping[str, int]
    empty: int
    duplicate_groups: int
    duplicates: int
    judged_differently: int
    copies_unjudged: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class QuerySurvey:
    """The queries: `columns` has the number of queries by value, or None for a column with too many values."""

    count: int
    judged: int
    without_judgments: int
    without_text: int
    sharing_a_text: int
    columns: Mapping[str, Mapping[str, int] | None]
    content_hash: str


@dataclass(frozen=True, slots=True)
class Grade:
    """A grade, how many judgments have it, and their share."""

    grade: int
    count: int
    share: float


@dataclass(frozen=True, slots=True)
class PerQuery:
    """How many judgments the queries have."""

    least: int
    median: float
    mean: float
    most: int


@dataclass(frozen=True, slots=True)
class JudgmentSurvey:
    """The judgments; `per_query` is None where there are none."""

    count: int
    queries: int
    grades: tuple[Grade, ...]
    per_query: PerQuery | None
    queries_without_relevant: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class Join:
    """What judgments name that is missing. None for documents without a corpus."""

    queries_without_text: int
    judgments_without_document: int | None
    relevant_without_document: int | None
    documents_missing: int | None


@dataclass(frozen=True, slots=True)
class Split:
    """One split of the dataset."""

    queries: int
    judgments: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class Leak:
    """Queries of one split whose text, but for case, punctuation and blanks, another split has too."""

    splits: tuple[str, str]
    texts: int
    examples: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Survey:
    """The whole survey; `documents` is None where there is no corpus."""

    name: str
    kind: str
    source: str
    content_hash: str
    documents: DocumentSurvey | None
    queries: QuerySurvey
    judgments: JudgmentSurvey
    join: Join
    splits: Mapping[str, Split]
    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, object]:
        """The fields by name, ready for JSON."""
        return asdict(self)
