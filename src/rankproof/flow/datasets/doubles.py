"""Doubles: documents with the same text, and what that does to judgments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from rankproof.records.collection import Corpus
from rankproof.records.qrels import Qrels


@dataclass(frozen=True, slots=True)
class Doubles:
    """What `records.survey.Documents` counts; `examples` are queries for which copies are judged differently."""

    empty: tuple[str, ...]
    groups: int
    documents: int
    judged_differently: int
    copies_unjudged: int
    examples: tuple[str, ...]


def same_texts(corpus: Corpus, qrels: Qrels) -> Doubles:
    """Documents that are alike in every field, word for word; those without any text are no copies of each other."""
    groups, empty = _groups(corpus)
    group_of = {corpus.doc_ids[i]: number for number, group in enumerate(groups) for i in group}
    differently, copies = 0, 0
    examples: dict[str, None] = {}
    for query, docs, grades, _ in qrels.judged():
        judged: dict[int, dict[str, int]] = {}
        for doc, grade in zip(docs, grades, strict=True):
            if doc in group_of:
                known = judged.setdefault(group_of[doc], {})
                known[doc] = max(grade, known.get(doc, grade))  # the best over subtopics
        for number, known in judged.items():
            if len(set(known.values())) > 1:
                differently += 1
                examples[query] = None
            if max(known.values()) > 0 and len(known) < len(groups[number]):
                copies += 1
    return Doubles(
        tuple(corpus.doc_ids[i] for i in empty),
        len(groups),
        sum(map(len, groups)),
        differently,
        copies,
        tuple(examples),
    )


def _groups(corpus: Corpus) -> tuple[list[list[int]], list[int]]:
    """The places of documents that share a text, group by group; and the places of those without one."""
    columns = list(corpus.fields.values())
    # One number for each document, and texts compared only where numbers agree: millions of documents need no copy.
    hashes = np.fromiter((hash(texts) for texts in zip(*columns, strict=True)), dtype=np.int64, count=len(corpus))
    turn = np.argsort(hashes, kind="stable")
    alike = np.flatnonzero(np.diff(hashes[turn]) == 0)
    suspects = sorted({int(turn[i]) for i in alike} | {int(turn[i + 1]) for i in alike})
    exact: dict[tuple[str, ...], list[int]] = {}
    for i in suspects:
        exact.setdefault(tuple(column[i] for column in columns), []).append(i)
    filled = np.zeros(len(corpus), dtype=bool)
    for column in columns:
        filled |= np.fromiter((bool(text.strip()) for text in column), dtype=bool, count=len(corpus))
    groups = [group for group in exact.values() if len(group) > 1 and filled[group[0]]]
    return groups, np.flatnonzero(~filled).tolist()
