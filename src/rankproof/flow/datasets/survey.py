"""Survey: counts what is in a dataset and says what may spoil a result on it."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from statistics import mean, median

from rankproof.checks._words import count
from rankproof.flow.datasets.doubles import same_texts
from rankproof.flow.datasets.joins import join, shown
from rankproof.flow.datasets.normal import normal
from rankproof.flow.segments import MOST_SEGMENTS
from rankproof.records.dataset import Dataset
from rankproof.records.finding import Finding
from rankproof.records.survey import Documents, Grade, Judgments, Leak, PerQuery, Queries, Split, Survey

# How many pairs of queries a leak shows.
EXAMPLES = 5


def survey(dataset: Dataset) -> Survey:
    """The counts and findings; reads every text once."""
    joined, _ = join(dataset.corpus, dataset.queries, dataset.qrels, dataset.source)
    judgments = _judgments(dataset)
    leaks = _leaks(dataset)
    found = list(dataset.findings)
    if judgments.queries_without_relevant:
        found.append(
            Finding(
                "no_relevant_document",
                "note",
                dataset.source,
                f"{count(judgments.queries_without_relevant, 'query has', 'queries have')} no relevant document.",
                "Most measures are 0 for them whatever a system does.",
            )
        )
    documents, more = _documents(dataset)
    found += more
    for leak in leaks:
        found.append(
            Finding(
                "split_leak",
                "warning",
                dataset.source,
                f"{count(leak.texts, 'query text stands', 'query texts stand')} in both {leak.splits[0]} and "
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
        tuple(found),
    )


def _split(part: Dataset) -> Split:
    return Split(len(part.queries), len(part.qrels.rows), part.content_hash)


def _queries(dataset: Dataset) -> Queries:
    judged = set(dataset.qrels.query_ids)
    texts = Counter(normal(query.text) for query in dataset.queries if query.text.strip())
    columns: dict[str, dict[str, int] | None] = {}
    for column in dataset.columns:
        values = Counter(query.columns[column] for query in dataset.queries if column in query.columns)
        columns[column] = dict(values.most_common()) if len(values) <= MOST_SEGMENTS else None
    with_judgments = sum(query.query_id in judged for query in dataset.queries)
    return Queries(
        count=len(dataset.queries),
        judged=with_judgments,
        without_judgments=len(dataset.queries) - with_judgments,
        without_text=sum(not query.text.strip() for query in dataset.queries),
        sharing_a_text=sum(n for n in texts.values() if n > 1),
        columns=columns,
        content_hash=dataset.queries_hash,
    )


def _judgments(dataset: Dataset) -> Judgments:
    qrels = dataset.qrels
    total = len(qrels.rows)
    sizes: list[int] = []
    barren = 0
    for _, docs, grades, _ in qrels.judged():
        sizes.append(len(docs))
        barren += max(grades, default=0) <= 0
    return Judgments(
        count=total,
        queries=len(qrels),
        grades=tuple(Grade(grade, n, n / total) for grade, n in qrels.grades.items()),
        per_query=PerQuery(min(sizes), float(median(sizes)), mean(sizes), max(sizes)) if sizes else None,
        queries_without_relevant=barren,
        content_hash=qrels.content_hash,
    )


def _documents(dataset: Dataset) -> tuple[Documents | None, list[Finding]]:
    corpus = dataset.corpus
    if corpus is None:
        return None, []
    doubles = same_texts(corpus, dataset.qrels)
    filled = {name: sum(bool(text.strip()) for text in column) for name, column in corpus.fields.items()}
    found = []
    if doubles.empty:
        found.append(
            Finding(
                "empty_document",
                "warning",
                dataset.source,
                f"{count(len(doubles.empty), 'document has', 'documents have')} no text {shown(doubles.empty)}.",
                "No system can find them by their words. Complete or remove them.",
            )
        )
    if doubles.judged_differently:
        found.append(
            Finding(
                "same_text_judged_differently",
                "warning",
                dataset.source,
                f"{count(doubles.judged_differently, 'time', 'times')} documents with the same text have different "
                f"grades for one query {shown(doubles.examples)}.",
                "No system that reads texts can tell them apart. Settle on one grade, or keep one document of each.",
            )
        )
    if doubles.copies_unjudged:
        found.append(
            Finding(
                "copy_unjudged",
                "warning",
                dataset.source,
                f"{count(doubles.copies_unjudged, 'time', 'times')} a document is judged relevant for a query and "
                "another with the same text is not judged.",
                "A system that finds the copy gets nothing for it. Judge the copies alike, or keep one of each.",
            )
        )
    return (
        Documents(
            len(corpus),
            filled,
            len(doubles.empty),
            doubles.groups,
            doubles.documents,
            doubles.judged_differently,
            doubles.copies_unjudged,
            corpus.content_hash,
        ),
        found,
    )


def _leaks(dataset: Dataset) -> tuple[Leak, ...]:
    texts = {
        name: {normal(dataset.texts[query]): query for query in reversed(ids) if dataset.texts.get(query, "").strip()}
        for name, ids in dataset.splits.items()
    }
    found = []
    for first, second in combinations(texts, 2):
        both = [text for text in texts[first] if text in texts[second]]
        if both:
            pairs = sorted((texts[first][text], texts[second][text]) for text in both)
            found.append(Leak((first, second), len(both), tuple(pairs[:EXAMPLES])))
    return tuple(found)
