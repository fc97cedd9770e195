"""Questions: what a model is to be asked, each with the key under which its answer is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations, pairwise

from rankproof.flow.calls import Call
from rankproof.flow.judging.choosing import Pair
from rankproof.flow.judging.pinning import Pinned
from rankproof.flow.judging.showing import document_text
from rankproof.judges._contract import Asked, Prompt
from rankproof.records.jsontext import to_json
from rankproof.records.project import Project


@dataclass(frozen=True, slots=True)
class Question:
    """A question to one judge about one document, or about two of a query.

    key   names its answer: the same question to the same judge has the same key, so that its answer is kept once
    """

    key: str
    by: Pinned
    query_id: str
    doc_ids: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Questions:
    """All questions, in the order of asking: every repetition of a pair after the other.

    without_text   documents that were chosen and have nothing to show
    """

    asked: Call
    project: Project
    every: tuple[Question, ...]
    without_text: int
    queries: Mapping[str, str]
    texts: Mapping[str, str]

    def prompts(self, question: Question) -> tuple[Prompt, ...]:
        """What is sent: one prompt about a document, two about two documents, which change places."""
        docs = tuple(self.texts[doc] for doc in question.doc_ids)
        query, scale, rules = self.queries[question.query_id], self.project.scale, self.project.guidelines
        orders = (docs,) if len(docs) == 1 else (docs, docs[::-1])
        return tuple(self.asked.item.prompt(Asked(query, order, scale, rules), self.asked.values) for order in orders)


def questions(
    asked: Call,
    project: Project,
    pins: Sequence[Pinned],
    pairs: Sequence[Pair],
    queries: Mapping[str, str],
    documents: Mapping[str, Mapping[str, str]],
    characters: int,
) -> Questions:
    """The questions about pairs to a judge, for each of its repetitions."""
    texts = {doc: document_text(fields, project.template, characters) for doc, fields in documents.items()}
    readable = [pair for pair in pairs if texts.get(pair[1]) and pair[0] in queries]
    every = tuple(
        Question(_key(project.slug, by, query, docs), by, query, docs)
        for query, docs in _about(readable, asked)
        for by in pins
    )
    missing = len({doc for _, doc in pairs if not texts.get(doc)})
    return Questions(asked, project, every, missing, queries, texts)


def _about(pairs: Sequence[Pair], asked: Call) -> Iterator[tuple[str, tuple[str, ...]]]:
    if asked.item.documents == 1:
        yield from ((query, (doc,)) for query, doc in pairs)
        return
    by_query: dict[str, list[str]] = {}
    for query, doc in pairs:
        by_query.setdefault(query, []).append(doc)
    meet = combinations if asked.values.get("pairs") == "all" else lambda docs, _: pairwise(docs)
    for query, docs in by_query.items():
        yield from ((query, two) for two in meet(docs, 2))


def _key(slug: str, by: Pinned, query: str, docs: tuple[str, ...]) -> str:
    """Of two documents the order does not count: both orders are asked."""
    source = by.source
    told = [slug, by.name, source.version, source.prompt, source.settings, query, *sorted(docs)]
    return sha256(f"model judgment 1\n{to_json(told)}".encode("utf-8", "surrogatepass")).hexdigest()
