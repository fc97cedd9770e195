"""Survey: counts what is in a dataset, finds duplicate documents, and reports what may spoil a result on it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import combinations
from statistics import mean, median

import numpy as np

from rankproof.kernel.sections import counted
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.joins import join, shown
from rankproof.reading.datasets.queries import normal
from rankproof.reading.datasets.records import (
    Dataset,
    DocumentSurvey,
    Grade,
    JudgmentSurvey,
    Leak,
    PerQuery,
    QuerySurvey,
    Split,
    Survey,
)
from rankproof.reading.finding import Finding
from rankproof.reading.records import Qrels
from rankproof.reading.segments import MOST_SEGMENTS


@dataclass(frozen=True, slots=True)
class Doubles:
    """The counts of `DocumentSurvey`; `examples` are queries for which copies are judged differently."""

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


# How many pairs of queries a leak shows.
EXAMPLES = 5


def survey(dataset: Dataset) -> Survey:
    """The counts and findings; reads every text once."""
    joined, _ = join(dataset.corpus, dataset.queries, dataset.qrels, dataset.source)
    judgments = _judgments(dataset)
    leaks = _leaks(dataset)
    all_findings = list(dataset.findings)
    if judgments.queries_without_relevant:
        all_findings.append(
            Finding(
                "no_relevant_document",
                "note",
                dataset.source,
                f"{counted(judgments.queries_without_relevant, 'query has', 'queries have')} no relevant document.",
                "Most measures are 0 for them whatever a system does.",
            )
        )
    documents, more = _documents(dataset)
    all_findings += more
    for leak in leaks:
        all_findings.append(
            Finding(
                "split_leak",
                "warning",
                dataset.source,
                f"{counted(leak.texts, 'query text stands', 'query texts stand')} in both {leak.splits[0]} and "
                f"{leak.splits[1]} {shown([first for first, _ in leak.examples])}.",
                "What was tuned on one split has seen them in the other. Split anew with `rankproof dataset split`.",
            )
        )
    return Survey(
        dataset.name,
        dataset.kind,
        dataset.source,
        dataset.content_hash,
        documents,
        _queries(dataset),
        judgments,
        joined,
        {name: _split(dataset.part(name)) for name in dataset.splits},
        leaks,
        dataset.notes,
        tuple(all_findings),
    )


def _split(part: Dataset) -> Split:
    return Split(len(part.queries), len(part.qrels.rows), part.content_hash)


def _queries(dataset: Dataset) -> QuerySurvey:
    judged = set(dataset.qrels.query_ids)
    texts = Counter(normal(query.text) for query in dataset.queries if query.has_words)
    columns: dict[str, dict[str, int] | None] = {}
    for column in dataset.columns:
        values = Counter(query.columns[column] for query in dataset.queries if column in query.columns)
        columns[column] = dict(values.most_common()) if len(values) <= MOST_SEGMENTS else None
    with_judgments = sum(query.query_id in judged for query in dataset.queries)
    return QuerySurvey(
        count=len(dataset.queries),
        judged=with_judgments,
        without_judgments=len(dataset.queries) - with_judgments,
        without_text=sum(not query.has_words for query in dataset.queries),
        sharing_a_text=sum(n for n in texts.values() if n > 1),
        columns=columns,
        content_hash=dataset.queries_hash,
    )


def _judgments(dataset: Dataset) -> JudgmentSurvey:
    qrels = dataset.qrels
    total = len(qrels.rows)
    sizes: list[int] = []
    barren = 0
    for _, docs, grades, _ in qrels.judged():
        sizes.append(len(docs))
        barren += max(grades, default=0) <= 0
    return JudgmentSurvey(
        count=total,
        queries=len(qrels),
        grades=tuple(Grade(grade, n, n / total) for grade, n in qrels.grades.items()),
        per_query=PerQuery(min(sizes), float(median(sizes)), mean(sizes), max(sizes)) if sizes else None,
        queries_without_relevant=barren,
        content_hash=qrels.content_hash,
    )


def _documents(dataset: Dataset) -> tuple[DocumentSurvey | None, list[Finding]]:
    corpus = dataset.corpus
    if corpus is None:
        return None, []
    doubles = same_texts(corpus, dataset.qrels)
    filled = {name: sum(bool(text.strip()) for text in column) for name, column in corpus.fields.items()}
    findings = []
    if doubles.empty:
        findings.append(
            Finding(
                "empty_document",
                "warning",
                dataset.source,
                f"{counted(len(doubles.empty), 'document has', 'documents have')} no text {shown(doubles.empty)}.",
                "No system can find them by their words. Complete or remove them.",
            )
        )
    if doubles.judged_differently:
        findings.append(
            Finding(
                "same_text_judged_differently",
                "warning",
                dataset.source,
                f"{counted(doubles.judged_differently, 'time', 'times')} documents with the same text have different "
                f"grades for one query {shown(doubles.examples)}.",
                "No system that reads texts can tell them apart. Settle on one grade, or keep one document of each.",
            )
        )
    if doubles.copies_unjudged:
        findings.append(
            Finding(
                "copy_unjudged",
                "warning",
                dataset.source,
                f"{counted(doubles.copies_unjudged, 'time', 'times')} a document is judged relevant for a query and "
                "another with the same text is not judged.",
                "A system that finds the copy gets nothing for it. Judge the copies alike, or keep one of each.",
            )
        )
    return (
        DocumentSurvey(
            len(corpus),
            filled,
            len(doubles.empty),
            doubles.groups,
            doubles.documents,
            doubles.judged_differently,
            doubles.copies_unjudged,
            corpus.content_hash,
        ),
        findings,
    )


def _leaks(dataset: Dataset) -> tuple[Leak, ...]:
    texts = {
        name: {normal(dataset.texts[query]): query for query in reversed(ids) if dataset.texts.get(query, "").strip()}
        for name, ids in dataset.splits.items()
    }
    leaks = []
    for first, second in combinations(texts, 2):
        both = [text for text in texts[first] if text in texts[second]]
        if both:
            pairs = sorted((texts[first][text], texts[second][text]) for text in both)
            leaks.append(Leak((first, second), len(both), tuple(pairs[:EXAMPLES])))
    return tuple(leaks)
