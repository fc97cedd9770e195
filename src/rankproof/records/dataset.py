"""Dataset: the documents, queries and judgments that belong together, and what was found on joining them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256

from rankproof.records.collection import Corpus, Query
from rankproof.records.finding import Finding
from rankproof.records.qrels import Qrels


@dataclass(frozen=True, eq=False)
class Dataset:
    """A test collection. Made by `flow.datasets.read_dataset`.

    corpus     None where there are no texts of documents, as in a file of test cases
    queries    those with a text (it may be empty) and what is known of them; some may have no judgments
    kind       the layout it was read from, such as "beir"
    source     what it was read from: a path, `irds:NAME`, `sample:NAME`
    splits     name -> query_ids, where the dataset has several splits and more than one is here
    notes      what was decided on reading
    findings   what does not fit together
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
        """The names of what is known about queries, in order of first use."""
        return tuple(dict.fromkeys(name for query in self.queries for name in query.columns))

    @property
    def asked_queries(self) -> tuple[Query, ...]:
        """The queries that can be asked: with words in their text, judged or not."""
        return tuple(query for query in self.queries if query.text.strip())

    @cached_property
    def judged_queries(self) -> tuple[Query, ...]:
        """The queries that can be asked and scored: with words in their text and at least one judgment."""
        judged = set(self.qrels.query_ids)
        return tuple(query for query in self.queries if query.query_id in judged and query.text.strip())

    @cached_property
    def table(self) -> dict[str, dict[str, str]]:
        """query_id -> {column: value}, as `flow.segments` takes it."""
        return {query.query_id: dict(query.columns) for query in self.queries}

    def select(self, query_ids: Iterable[str], name: str | None = None) -> Dataset:
        """Only these queries and their judgments, in the order they have here; the corpus stays whole."""
        wanted = set(query_ids)
        return replace(
            self,
            name=self.name if name is None else name,
            queries=tuple(query for query in self.queries if query.query_id in wanted),
            qrels=self.qrels.filter(wanted),
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
        said = f"rankproof dataset 1\n{corpus}\n{self.queries_hash}\n{self.qrels.content_hash}\n"
        return sha256(said.encode()).hexdigest()

    def __repr__(self) -> str:
        documents = "no documents" if self.corpus is None else f"{len(self.corpus):,} documents"
        judgments = f"{len(self.qrels.rows):,} judgments"
        return f"Dataset({self.name!r}, {documents}, {len(self.queries):,} queries, {judgments})"
