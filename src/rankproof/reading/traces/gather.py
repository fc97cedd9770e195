"""Gather: files of traces as topics, one ranking for each query, calls of tasks, and times."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from rankproof.errors import InputError
from rankproof.reading.traces.assemble import assembled
from rankproof.reading.traces.read import records_of
from rankproof.reading.traces.records import TraceCounts, TraceOptions
from rankproof.reading.traces.store import TraceStore

PERCENTILES = (50, 90, 95, 99)
_READ = "failed = 0 AND reason = ''"


class TaskCall(NamedTuple):
    """One call of a task: its documents, best first, none where it failed; None for what is not known.

    tokens  what the models took that were called before it
    start   nanoseconds since 1970
    """

    task: str
    number: int
    docs: list[str]
    tokens: float | None
    query: str | None
    session: str | None
    trace: str
    start: int | None
    ms: float | None


class LeftOut(NamedTuple):
    """A search whose ranking cannot be read, and why."""

    trace: str
    span: str
    query: str | None
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class Traces:
    """What traces say, on disk until it is asked for. Queries come by the time of their first search, calls by task and
    time; close it when done.

    queries    queries with a text, of searches that have a ranking or failed
    unanswered queries whose every search failed: they have no ranking, which counts as nothing retrieved
    unread     queries whose searches cannot be read: no topic, no ranking
    repeated   queries that were searched more than once, of which `differing` got more than one ranking
    """

    options: TraceOptions
    counts: TraceCounts
    store: TraceStore
    queries: int = 0
    unanswered: int = 0
    unread: int = 0
    repeated: int = 0
    differing: int = 0
    tasks: int = 0
    calls: int = 0
    sessions: int = 0
    users: int = 0
    sources: tuple[str, ...] = ()
    timed: int = 0

    def close(self) -> None:
        """Drops the database."""
        self.store.close()

    def topics(self) -> Iterator[tuple[str, str]]:
        """Each query with its text, by the first time that it was asked."""
        rows = self.store.rows(
            "SELECT query.query, span.text FROM query JOIN span ON span.row = query.text WHERE query.readable "
            "ORDER BY query.start IS NULL, query.start, query.query"
        )
        return ((str(query), str(text)) for query, text in rows)

    def rankings(self) -> Iterator[tuple[str, list[str]]]:
        """Each query with its ranking, which may be empty."""
        rows = self.store.rows(
            "SELECT query.query, span.docs FROM query JOIN span ON span.row = query.docs "
            "ORDER BY query.start IS NULL, query.start, query.query"
        )
        return ((str(query), json.loads(str(docs))) for query, docs in rows)

    def calls_of_tasks(self) -> Iterator[TaskCall]:
        """The calls of each task in order of time: sessions or traces. Those that cannot be read are left out.

        The tokens of a call are those of the models that were called before it and after the call before it.
        """
        rows = self.store.rows(
            "SELECT each.unit, each.is_call, each.tokens, known.unit IS NOT NULL, span.docs, search.failed, "
            "search.query, search.session, search.trace, search.start, search.ms FROM ("
            "SELECT unit, start, 1 AS is_call, 0.0 AS tokens, number FROM search WHERE reason = '' "
            "UNION ALL SELECT unit, start, 0, tokens, NULL FROM model) AS each "
            "LEFT JOIN search ON search.number = each.number LEFT JOIN span ON span.row = search.docs "
            "LEFT JOIN (SELECT DISTINCT unit FROM model) AS known ON known.unit = each.unit "
            "ORDER BY each.unit, each.start IS NULL, each.start, each.is_call, each.number"
        )
        for unit, several in groupby(rows, key=lambda row: row[0]):
            number, spent = 0, 0.0
            for _, is_call, tokens, known, docs, failed, *context in several:
                spent += float(tokens)
                if is_call:
                    number += 1
                    found = [] if failed or docs is None else json.loads(str(docs))
                    yield TaskCall(str(unit), number, found, spent if known else None, *context)
                    spent = 0.0

    def latencies(self) -> Iterator[tuple[str, float]]:
        """The milliseconds of each search that succeeded, with its query, or its trace where that is not known."""
        rows = self.store.rows(
            "SELECT coalesce(query, trace), ms FROM search WHERE ms IS NOT NULL ORDER BY start IS NULL, start, number"
        )
        return ((str(query), float(ms)) for query, ms in rows)

    def percentiles(self) -> dict[int, float]:
        """Percentiles of the times, by the nearest rank; empty where no time is known."""
        found = {}
        for share in PERCENTILES if self.timed else ():
            at = max(0, math.ceil(share / 100 * self.timed) - 1)
            rows = self.store.rows("SELECT ms FROM search WHERE ms IS NOT NULL ORDER BY ms LIMIT 1 OFFSET ?", (at,))
            ((ms,),) = rows
            found[share] = float(ms)
        return found

    def sessions_of_users(self) -> Iterator[dict[str, object]]:
        """Each session with how many traces, searches and queries it has."""
        rows = self.store.rows(
            "SELECT session, count(DISTINCT trace), count(*), count(DISTINCT query) FROM search "
            "WHERE session IS NOT NULL GROUP BY session ORDER BY session"
        )
        for session, traces, searches, queries in rows:
            yield {"session_id": session, "traces": traces, "searches": searches, "queries": queries}

    def left_out(self) -> Iterator[LeftOut]:
        """Searches whose rankings cannot be read."""
        rows = self.store.rows(
            "SELECT search.trace, span.span, search.query, search.reason FROM search "
            "JOIN span ON span.row = search.docs WHERE search.reason != '' ORDER BY search.number"
        )
        return (LeftOut(str(t), str(s), None if q is None else str(q), str(r)) for t, s, q, r in rows)


def gather_traces(files: Iterable[tuple[str, Iterable[bytes]]], options: TraceOptions | None = None) -> Traces:
    """The searches in files of traces, each a name and its bytes in chunks. Spans of one trace may be anywhere."""
    options = options or TraceOptions()
    counts, store = TraceCounts(), TraceStore()
    try:
        name = ""
        for name, chunks in files:
            for record in records_of(chunks, name, options, counts):
                store.add(record)
        _assemble(store, options, counts)
        return _summed(store, options, counts, name)
    except BaseException:
        store.close()
        raise


def _assemble(store: TraceStore, options: TraceOptions, counts: TraceCounts) -> None:
    """Searches and models of each trace, under the unit that they belong to."""
    for trace, spans in store.traces():
        whole = assembled(spans, options, counts)
        for search in whole.searches:
            store.add_search(trace, _unit(trace, search.session, options), search)
        if whole.models:
            store.add_models(_unit(trace, whole.session, options), whole.models)


def _unit(trace: str, session: str | None, options: TraceOptions) -> str:
    """What the calls of one task have in common: the session where there is one, or the trace."""
    return trace if options.unit == "trace" or session is None else session


def _summed(store: TraceStore, options: TraceOptions, counts: TraceCounts, name: str) -> Traces:
    """The queries, each with the one search that counts, and what there is to tell."""
    ascending = "ASC" if options.repeats == "first" else "DESC"
    best = f"row_number() OVER (PARTITION BY query ORDER BY start IS NULL, start {ascending}, number {ascending})"
    store.execute(
        f"CREATE TABLE chosen AS SELECT query, docs FROM (SELECT query, docs, {best} AS place FROM search "
        f"WHERE query IS NOT NULL AND {_READ}) WHERE place = 1"
    )
    store.execute(
        "CREATE TABLE query AS SELECT s.query AS query, min(s.start) AS start, min(s.text) AS text, count(*) AS times, "
        "max(s.reason = '') AS readable, count(DISTINCT CASE WHEN s.failed = 0 AND s.reason = '' THEN span.docs END) "
        "AS rankings, c.docs AS docs FROM search s JOIN span ON span.row = s.docs "
        "LEFT JOIN chosen c ON c.query = s.query WHERE s.query IS NOT NULL GROUP BY s.query"
    )
    _count_searches(store, counts)
    if not counts.retrievers and not counts.rerankers:
        raise InputError(_nothing(counts, name))
    if not counts.searches:
        raise InputError(
            f"{name}: no search is left of {counts.retrievers + counts.rerankers:,} spans that retrieve: stage "
            f"{options.stage!r}, source {options.source!r:.60}. Choose another."
        )
    count = store.number
    return Traces(
        options, counts, store,
        queries=count("SELECT count(*) FROM query WHERE readable"),
        unanswered=count("SELECT count(*) FROM query WHERE readable AND docs IS NULL"),
        unread=count("SELECT count(*) FROM query WHERE NOT readable"),
        repeated=count("SELECT count(*) FROM query WHERE times > 1"),
        differing=count("SELECT count(*) FROM query WHERE rankings > 1"),
        tasks=count("SELECT count(DISTINCT unit) FROM search WHERE reason = ''"),
        calls=count("SELECT count(*) FROM search WHERE reason = ''"),
        sessions=count("SELECT count(DISTINCT session) FROM span"),
        users=count("SELECT count(DISTINCT user) FROM span"),
        sources=_sources(store),
        timed=count("SELECT count(*) FROM search WHERE ms IS NOT NULL"),
    )  # fmt: skip


def _count_searches(store: TraceStore, counts: TraceCounts) -> None:
    counts.searches = store.number("SELECT count(*) FROM search")
    counts.failed = store.number("SELECT count(*) FROM search WHERE failed")
    counts.without_query = store.number("SELECT count(*) FROM search WHERE query IS NULL")
    rows = store.rows("SELECT reason, count(*) FROM search WHERE reason != '' GROUP BY reason")
    counts.left_out = Counter({str(reason): int(number) for reason, number in rows})


def _sources(store: TraceStore) -> tuple[str, ...]:
    rows = store.rows("SELECT DISTINCT source FROM search WHERE source IS NOT NULL ORDER BY source LIMIT 100")
    return tuple(str(source) for (source,) in rows)


def _nothing(counts: TraceCounts, name: str) -> str:
    return (
        f"{name}: none of {counts.spans:,} spans retrieves. A retrieval has openinference.span.kind RETRIEVER or "
        "RERANKER, or gen_ai.operation.name retrieval. Turn on the instrumentation of the retriever."
    )
