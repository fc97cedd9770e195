"""Survey: what is in a dataset, counted: sizes, grades, joins, doubles and leaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from rankproof.records.finding import Finding


@dataclass(frozen=True, slots=True)
class Documents:
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
class Queries:
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
class Judgments:
    """The judgments; `per_query` is None where there are none."""

    count: int
    queries: int
    grades: tuple[Grade, ...]
    per_query: PerQuery | None
    queries_without_relevant: int
    content_hash: str


@dataclass(frozen=True, slots=True)
class Join:
    """What judgments name that is not there. Of documents None where there is no corpus to look in."""

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
    """All of it; `documents` is None where there is no corpus."""

    name: str
    kind: str
    source: str
    content_hash: str
    documents: Documents | None
    queries: Queries
    judgments: Judgments
    join: Join
    splits: Mapping[str, Split]
    leaks: tuple[Leak, ...]
    notes: tuple[str, ...]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, ready for JSON."""
        return asdict(self)
