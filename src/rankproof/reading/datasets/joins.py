"""Join queries, judgments and documents: what the judgments name that is missing, and queries without judgments."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.kernel.sections import counted
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.datasets.records import Join
from rankproof.reading.finding import Finding, Severity, quote
from rankproof.reading.records import Qrels

# How many ids a message names.
NAMED = 3


def shown(ids: Sequence[str]) -> str:
    """The first few ids, in parentheses."""
    more = ", ..." if len(ids) > NAMED else ""
    return f"({', '.join(quote(name) for name in ids[:NAMED])}{more})"


def split_ids(corpus: Corpus | None, queries: Sequence[Query]) -> list[str]:
    """The ids of queries that can be asked, and of documents, that a run file cannot hold: not in one piece."""
    queries_to_ask = (query.query_id for query in queries if query.has_words)
    documents = () if corpus is None else corpus.doc_ids
    return [each for ids in (queries_to_ask, documents) for each in ids if len(each.split()) != 1]


def join(corpus: Corpus | None, queries: Sequence[Query], qrels: Qrels, source: str) -> tuple[Join, list[Finding]]:
    """The counts, and a finding for each kind of failure."""
    findings: list[Finding] = []

    def report(code: str, severity: Severity, message: str, remedy: str) -> None:
        findings.append(Finding(code, severity, source, message, remedy))

    texts = {query.query_id for query in queries if query.has_words}
    mute = [query for query in qrels.query_ids if query not in texts]
    if mute:
        all_of_them = len(mute) == len(qrels)
        report(
            "query_without_text",
            "error" if all_of_them else "warning",
            f"{counted(len(mute), 'judged query has', 'judged queries have')} no text {shown(mute)}.",
            "No query id of the judgments is among the queries: check that both files belong together."
            if all_of_them
            else "They cannot be asked and are left out of a benchmark. Add their texts, or remove their judgments.",
        )
    split = split_ids(corpus, queries)
    if split:
        report(
            "id_with_white_space",
            "warning",
            f"{counted(len(split), 'id is', 'ids are')} empty or contain{'s' if len(split) == 1 else ''} white space "
            f"{shown(split)}.",
            "A run file cannot hold such ids, and a benchmark or a fetch refuses them. Name a field that has ids in "
            "one piece, or replace the white space in all files.",
        )
    judged = set(qrels.query_ids)
    silent = [query.query_id for query in queries if query.query_id not in judged]
    if silent:
        report(
            "query_without_judgments",
            "warning",
            f"{counted(len(silent), 'query has', 'queries have')} no judgments {shown(silent)}.",
            "They are left out of every measure. Have them judged, or remove them.",
        )
    if corpus is None:
        return Join(len(mute), None, None, None), findings
    lost, relevant = 0, 0
    missing: dict[str, None] = {}
    for _, docs, grades, _ in qrels.judged():
        for doc, grade in zip(docs, grades, strict=True):
            if doc not in corpus.place:
                lost += 1
                relevant += grade > 0
                missing[doc] = None
    if missing:
        all_of_them = lost == len(qrels.rows)
        report(
            "judged_document_missing",
            "error" if all_of_them else "warning",
            f"{counted(lost, 'judgment names', 'judgments name')} {counted(len(missing), 'document')} that the corpus "
            f"does not have, {relevant:,} of them relevant {shown(list(missing))}.",
            "No judged document is in the corpus: check that both belong together, and how ids are written."
            if all_of_them
            else "No system can find them, and even a perfect one stays below 1. Add them, or remove the judgments.",
        )
    return Join(len(mute), lost, relevant, len(missing)), findings
