"""Notes: what was decided about traces and what is missing in them, in sentences; and the same as numbers."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.kernel.sections import counted
from rankproof.reading.formats._records import BY_TEXT, QUERY_BY_TEXT
from rankproof.reading.traces.gather import Traces
from rankproof.reading.traces.records import UNRECORDED

_ORDER = "the order of the list counts, not the scores"


def notes_of(traces: Traces) -> tuple[str, ...]:
    """A sentence for each decision that met something, and for each thing that is missing."""
    return tuple(note for part in (_of_searches, _of_documents, _of_queries, _of_spans) for note in part(traces))


def _of_searches(traces: Traces) -> list[str]:
    counts, stage = traces.counts, traces.options.stage
    notes = []
    for reason, number in counts.left_out.most_common():
        notes.append(f"{counted(number, 'search', 'searches')} left out: {_told(reason)}")
    if counts.failed:
        notes.append(f"{counted(counts.failed, 'search', 'searches')} failed in every attempt: nothing was retrieved")
    if counts.retries:
        notes.append(
            f"{counted(counts.retries, 'retry', 'retries')}: of attempts under one parent the last that succeeded "
            "counts"
        )
    if counts.nested:
        notes.append(
            f"{counted(counts.nested, 'nested retrieval')}: the outermost that recorded documents is the search"
        )
    if counts.reranked:
        notes.append(
            f"{counted(counts.reranked, 'retrieval')} reranked: the reranker's ranking counts "
            "(stage=retriever for the other)"
        )
    if stage != "last":
        notes.append(f"stage={stage}: only rankings of {stage}s count")
    if counts.failed_rerankers + counts.unrecorded_rerankers:
        notes.append(
            f"{counted(counts.failed_rerankers + counts.unrecorded_rerankers, 'reranker')} failed or recorded no "
            "documents: the retriever's ranking stands"
        )
    if counts.other_sources:
        notes.append(f"{counted(counts.other_sources, 'search', 'searches')} in other data sources left out")
    elif len(traces.sources) > 1:
        notes.append(f"{len(traces.sources)} data sources count together ({_few(traces.sources)}); source= takes one")
    return notes


def _told(reason: str) -> str:
    return f"{reason} (content of spans is opt-in)" if reason == UNRECORDED else reason


def _of_documents(traces: Traces) -> list[str]:
    counts = traces.counts
    notes = [BY_TEXT] if counts.documents_without_ids else []
    if counts.documents_without_ids and counts.metadata:
        notes.append(f"their metadata has {_few(counts.metadata)}: doc_id= takes the ids from there")
    if counts.doc_texts.cut:
        notes.append(
            f"several texts that name documents have exactly {counts.doc_texts.longest:,} characters: a limit may have "
            "cut them, and gold texts must be cut the same way to meet them"
        )
    if counts.documents_without_scores:
        notes.append(f"{counted(counts.documents_without_scores, 'document')} without scores: {_ORDER}")
    if counts.rising:
        notes.append(f"{counted(counts.rising, 'ranking')} whose scores do not fall: {_ORDER}")
    return notes


def _of_queries(traces: Traces) -> list[str]:
    counts = traces.counts
    notes = [QUERY_BY_TEXT] if traces.queries else []
    if counts.query_texts.cut:
        notes.append(
            f"several queries have exactly {counts.query_texts.longest:,} characters: a limit may have cut them, and "
            "queries that begin alike count as one"
        )
    if traces.repeated:
        notes.append(
            f"{counted(traces.repeated, 'query', 'queries')} searched more than once, {traces.differing:,} with "
            f"different rankings: the {traces.options.repeats} ranking counts"
        )
    if counts.without_query:
        notes.append(
            f"{counted(counts.without_query, 'search', 'searches')} without the query's text: in no topic and no "
            "ranking, but among the calls of tasks"
        )
    if traces.unanswered:
        notes.append(f"{counted(traces.unanswered, 'query', 'queries')} without a ranking, for every search failed")
    if traces.unread:
        notes.append(
            f"{counted(traces.unread, 'query', 'queries')} without a ranking that can be read: no topic; where they "
            "are judged, leave them out of the comparison, for they count as missing"
        )
    if counts.repaired_texts:
        notes.append(f"{counted(counts.repaired_texts, 'query text')} with half a character, replaced by U+FFFD")
    return notes


def _of_spans(traces: Traces) -> list[str]:
    counts = traces.counts
    notes = []
    if counts.duplicates:
        differ = f", {counts.differing_duplicates:,} of them with other content: the later one counts"
        notes.append(
            f"{counted(counts.duplicates, 'span')} exported more than once, counted once"
            f"{differ if counts.differing_duplicates else ''}"
        )
    if counts.missing_parents:
        notes.append(f"{counted(counts.missing_parents, 'span')} whose parent is in no file: roots of their own")
    if counts.circular_parents:
        notes.append(f"{counted(counts.circular_parents, 'span')} whose parents go in a circle: roots of their own")
    if counts.dropped:
        notes.append(
            f"{counted(counts.dropped, 'retrieval')} with dropped attributes (a limit on their number): sessions and "
            "queries may be among them"
        )
    if counts.sampled:
        notes.append(
            f"{counted(counts.sampled, 'retrieval')} in traces of which a sample was kept (tracestate ot=th): counts "
            "are those of the sample"
        )
    if counts.skewed:
        notes.append(f"{counted(counts.skewed, 'retrieval')} that end before they start (clocks differ): no times")
    if counts.without_times:
        notes.append(f"{counted(counts.without_times, 'retrieval')} without both times: no times, and last in order")
    if counts.skipped_signals:
        notes.append(f"{counted(counts.skipped_signals, 'document')} of logs or metrics passed over")
    return notes


def _few(names: tuple[str, ...]) -> str:
    shown = ", ".join(f"{name:.40}" for name in names[:3])
    return shown if len(names) <= 3 else f"{shown}, ..."


def summary_of(traces: Traces) -> Mapping[str, object]:
    """The counts by name, as `rankproof traces --json` gives them."""
    counts = traces.counts
    return {
        "spans": counts.spans - counts.duplicates,
        "traces": counts.traces,
        "retrievers": counts.retrievers,
        "rerankers": counts.rerankers,
        "searches": counts.searches,
        "queries": traces.queries,
        "tasks": traces.tasks,
        "calls": traces.calls,
        "sessions": traces.sessions,
        "users": traces.users,
        "documents": counts.documents,
        "documents_without_ids": counts.documents_without_ids,
        "documents_without_scores": counts.documents_without_scores,
        "failed": counts.failed,
        "retries": counts.retries,
        "nested": counts.nested,
        "reranked": counts.reranked,
        "left_out": dict(sorted(counts.left_out.items())),
        "repeated_queries": traces.repeated,
        "differing_queries": traces.differing,
        "unread_queries": traces.unread,
        "without_query": counts.without_query,
        "duplicate_spans": counts.duplicates,
        "missing_parents": counts.missing_parents,
        "skewed": counts.skewed,
        "sampled": counts.sampled,
        "data_sources": list(traces.sources),
        "latency": {
            "requests": traces.timed,
            **{f"p{share}_ms": round(ms, 6) for share, ms in traces.percentiles().items()},
        },
    }
