"""Assemble: from the spans of one trace to the searches that its application made. Each decision is one function.

The same search often stands in a trace several times: a framework's retriever around a vector store's, a reranker
behind a retriever, an attempt that failed and the one after it, a span that was exported twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rankproof.reading.traces.records import PARTS, UNRECORDED, Search, Stage, TraceCounts, TraceOptions, TraceSpan

SEARCHING = ("retriever", "reranker")


@dataclass(frozen=True, slots=True)
class Assembled:
    """The searches of one trace in order of time, its session, and what its models took and when."""

    searches: Sequence[Search] = ()
    session: str | None = None
    models: Sequence[tuple[int | None, float]] = ()


class _Attempt(NamedTuple):
    """A span that returned, and when the first of its attempts began."""

    span: TraceSpan
    begin: int | None


@dataclass(slots=True)
class _Tree:
    """The spans of a trace by id, and for those that search the nearest one above that searches too."""

    by_id: Mapping[str, TraceSpan]
    above: dict[str, str] = field(default_factory=dict)
    below: dict[str, list[TraceSpan]] = field(default_factory=lambda: defaultdict(list))


def assembled(spans: Iterable[TraceSpan], options: TraceOptions, counts: TraceCounts) -> Assembled:
    """The searches of one trace, whose spans come in any order."""
    by_id = _once(spans, counts)
    counts.traces += 1
    _open_circles(by_id, counts)
    ordered = sorted(by_id.values(), key=_by_time)
    session = next((span.session for span in ordered if span.session is not None), None)
    _count_kinds(ordered, counts)
    tree = _tree(by_id, ordered, counts)
    fronts, parts = _counted_spans(tree, ordered, options.stage, counts)
    merged = [_as_one(whole, _searches([spans], options, counts)) for whole, spans in parts]
    merged += _searches(_siblings(fronts), options, counts)
    searches = [search._replace(session=search.session or session) for search in merged]
    searches.sort(key=lambda search: (search.start is None, search.start or 0, search.row))
    return Assembled(_of_source(searches, options.source, counts), session, _models(tree, ordered))


def _searches(groups: Iterable[Sequence[TraceSpan]], options: TraceOptions, counts: TraceCounts) -> list[Search]:
    """The searches of groups of spans, each under one parent: attempts as one, retrievers with their rerankers."""
    attempts = [_without_retries(group, counts) for group in groups]
    if options.stage != "last":
        return [_alone(one) for several in attempts for one in several]
    merged = [_reranked(several, counts) for several in attempts]
    done = [search for one in merged for search in one.done]
    retrievers = [attempt for one in merged for attempt in one.retrievers]
    rerankers = [attempt for one in merged for attempt in one.rerankers]
    return done + _reranked_elsewhere(retrievers, rerankers, counts)


def _by_time(span: TraceSpan) -> tuple[bool, int, int]:
    """Spans whose start is not known come last, in the order of the files."""
    return span.start is None, span.start or 0, span.row


def _once(spans: Iterable[TraceSpan], counts: TraceCounts) -> dict[str, TraceSpan]:
    """Each span once. Of two records of one span the one that has ended counts, else the later one."""
    by_id: dict[str, TraceSpan] = {}
    for span in spans:
        key = span.span or f"#{span.row}"
        known = by_id.get(key)
        if known is not None:
            counts.duplicates += 1
            counts.differing_duplicates += known.mark != span.mark
            if known.stop is not None and span.stop is None:
                continue
        by_id[key] = span._replace(span=key)
    return by_id


def _open_circles(by_id: dict[str, TraceSpan], counts: TraceCounts) -> None:
    """Spans whose parents go in a circle stand under no parent: nobody is above anybody."""
    settled: set[str] = set()
    for begin in by_id:
        path: dict[str, int] = {}
        at = begin
        while at in by_id and at not in settled and at not in path:
            path[at] = len(path)
            at = by_id[at].parent
        if at in path:
            for span in list(path)[path[at] :]:
                by_id[span] = by_id[span]._replace(parent="")
                counts.circular_parents += 1
        settled.update(path)


def _count_kinds(spans: Sequence[TraceSpan], counts: TraceCounts) -> None:
    for span in spans:
        counts.retrievers += span.role == "retriever"
        counts.rerankers += span.role == "reranker"
        counts.models += span.role == "model"
        if span.role in SEARCHING:
            counts.without_times += span.start is None or span.stop is None
            counts.skewed += span.start is not None and span.stop is not None and span.stop < span.start


# ---- nesting ----------------------------------------------------------------------------------------


def _tree(by_id: Mapping[str, TraceSpan], ordered: Sequence[TraceSpan], counts: TraceCounts) -> _Tree:
    """Which search stands within which; spans whose parent is not there are roots."""
    counts.missing_parents += sum(bool(span.parent) and span.parent not in by_id for span in ordered)
    tree = _Tree(by_id)
    nearest = _nearest(by_id, SEARCHING)
    for span in ordered:
        if span.role in SEARCHING and (outer := nearest.get(span.parent, "")):
            tree.above[span.span] = outer
            tree.below[outer].append(span)
    return tree


def _nearest(by_id: Mapping[str, TraceSpan], roles: Sequence[str]) -> dict[str, str]:
    """For each span the nearest one of these roles, itself or above it; '' where there is none."""
    nearest: dict[str, str] = {}
    for begin in by_id:
        path: list[str] = []
        at, found = begin, ""
        while at in by_id:
            if at in nearest:
                found = nearest[at]
                break
            path.append(at)
            if by_id[at].role in roles:
                found = at
                break
            at = by_id[at].parent
        nearest.update(dict.fromkeys(path, found))
    return nearest


def _counted_spans(
    tree: _Tree, ordered: Sequence[TraceSpan], stage: Stage, counts: TraceCounts
) -> tuple[list[TraceSpan], list[tuple[TraceSpan, list[TraceSpan]]]]:
    """The outermost searches of a stage: what the application got. What lies within them is counted as nested.

    Beside them those that recorded no documents, each with the searches within it, which may stand for it.
    """
    rerank_below = _with_reranker_below(tree)
    fronts: list[TraceSpan] = []
    parts: dict[str, list[TraceSpan]] = {}
    waiting = [(span, "") for span in reversed(ordered) if span.role in SEARCHING and span.span not in tree.above]
    while waiting:
        span, whole = waiting.pop()
        below = tree.below.get(span.span, ())
        counts_here = stage == "last" or (span.role == stage and (stage == "reranker" or span.span not in rerank_below))
        if counts_here and (not below or span.failed or span.reason != UNRECORDED):
            parts[whole].append(span) if whole else fronts.append(span)
            continue
        if counts_here and not whole:
            whole = span.span
            parts[whole] = []
        waiting.extend((inner, whole) for inner in reversed(below))
    counts.nested += len(tree.above)
    listed = [(tree.by_id[whole], sorted(spans, key=_by_time)) for whole, spans in parts.items()]
    return sorted(fronts, key=_by_time), listed


def _with_reranker_below(tree: _Tree) -> set[str]:
    """The searches that have a reranker somewhere within."""
    marked: set[str] = set()
    for inner in tree.above:
        if tree.by_id[inner].role != "reranker":
            continue
        at = tree.above.get(inner)
        while at is not None and at not in marked:
            marked.add(at)
            at = tree.above.get(at)
    return marked


def _siblings(spans: Iterable[TraceSpan]) -> Iterable[list[TraceSpan]]:
    """The searches under one parent, in order of time."""
    groups: dict[str, list[TraceSpan]] = defaultdict(list)
    for span in spans:
        groups[span.parent].append(span)
    return groups.values()


# ---- attempts and stages ----------------------------------------------------------------------------


def _without_retries(group: Sequence[TraceSpan], counts: TraceCounts) -> list[_Attempt]:
    """One for each search: the attempt that succeeded after failed ones for the same query, or the last failed one.

    Two attempts that succeeded are two calls, also with the same query and result. Without the query's text nothing
    says that an attempt is made again.
    """
    done: list[_Attempt] = []
    pending: dict[tuple[object, ...], list[TraceSpan]] = {}
    for span in group:
        key = (span.role, span.source, span.query if span.query is not None else span.row)
        if span.failed:
            pending.setdefault(key, []).append(span)
            continue
        earlier = pending.pop(key, [])
        counts.retries += len(earlier)
        done.append(_Attempt(span, _earliest(*earlier, span)))
    for failures in pending.values():
        counts.retries += len(failures) - 1
        done.append(_Attempt(failures[-1], _earliest(*failures)))
    return sorted(done, key=lambda attempt: _by_time(attempt.span))


def _earliest(*spans: TraceSpan) -> int | None:
    starts = [span.start for span in spans if span.start is not None]
    return min(starts) if len(starts) == len(spans) else None


class _Merged(NamedTuple):
    """What one parent's attempts come to: searches, and what found no counterpart under it."""

    done: list[Search]
    retrievers: list[_Attempt]
    rerankers: list[_Attempt]


def _reranked(attempts: Sequence[_Attempt], counts: TraceCounts) -> _Merged:
    """A reranker is the final ranking of the retrievers before it under the same parent.

    It takes those that searched for its own query, and all that are still open where none did: a fusion of rewritten
    queries. One that failed, or recorded no documents, leaves the retriever's ranking as it is.
    """
    done: list[Search] = []
    alone: list[_Attempt] = []
    still_open: dict[str | None, list[_Attempt]] = {}
    for attempt in attempts:
        span = attempt.span
        if span.role == "retriever":
            if span.failed:
                done.append(_alone(attempt))
            else:
                still_open.setdefault(span.query, []).append(attempt)
            continue
        if not still_open:
            alone.append(attempt)
            continue
        if _left_as_it_is(span, counts):
            continue
        if span.query is not None and span.query in still_open:
            taken = still_open.pop(span.query)
        else:
            taken = [one for several in still_open.values() for one in several]
            still_open.clear()
        counts.reranked += len(taken)
        done.append(_final(attempt, taken))
    return _Merged(done, [attempt for several in still_open.values() for attempt in several], alone)


def _reranked_elsewhere(
    retrievers: Sequence[_Attempt], rerankers: Sequence[_Attempt], counts: TraceCounts
) -> list[Search]:
    """Retrievers and rerankers under different parents, as the steps of a graph are, with what is left of both.

    Only the query's text and the times tell that they belong together: a reranker takes the retrievers with its own
    query that had ended when it began.
    """
    done: list[Search] = []
    still_open: dict[str | None, list[_Attempt]] = defaultdict(list)
    for attempt in retrievers:
        still_open[attempt.span.query].append(attempt)
    for attempt in sorted(rerankers, key=lambda one: _by_time(one.span)):
        span = attempt.span
        several = [] if span.query is None else still_open.get(span.query, [])
        taken = [one for one in several if _is_before(one.span, span)]
        if taken and _left_as_it_is(span, counts):
            continue
        for one in taken:
            several.remove(one)
        counts.reranked += len(taken)
        done.append(_final(attempt, taken))
    return done + [_alone(attempt) for several in still_open.values() for attempt in several]


def _left_as_it_is(reranker: TraceSpan, counts: TraceCounts) -> bool:
    """Whether a reranker has no ranking of its own, so that the retriever's stands."""
    counts.failed_rerankers += reranker.failed
    counts.unrecorded_rerankers += not reranker.failed and reranker.reason == UNRECORDED
    return reranker.failed or reranker.reason == UNRECORDED


def _is_before(span: TraceSpan, other: TraceSpan) -> bool:
    return span.stop is not None and other.start is not None and span.stop <= other.start


def _as_one(whole: TraceSpan, searches: Sequence[Search]) -> Search:
    """A search that recorded no documents, as the one within it. Of several nothing says how they became one list."""
    alone = _alone(_Attempt(whole, whole.start))
    if len(searches) != 1:
        return alone._replace(reason=PARTS if searches else UNRECORDED)
    (inner,) = searches
    query, text = (inner.query, inner.text) if whole.query is None else (whole.query, whole.row)
    return inner._replace(
        query=query,
        text=text,
        session=whole.session or inner.session,
        source=whole.source or inner.source,
        start=inner.start if whole.start is None else whole.start,
        ms=inner.ms if alone.ms is None or inner.failed else alone.ms,
    )


def _final(reranker: _Attempt, taken: Sequence[_Attempt]) -> Search:
    """The search that ends with a reranker: its ranking, from the start of the first retriever."""
    search = _alone(reranker)
    if not taken:
        return search
    asked = {one.span.query: one.span for one in taken if one.span.query is not None}
    if search.query is None and len(asked) == 1:
        ((query, span),) = asked.items()
        search = search._replace(query=query, text=span.row)
    begins = [one.begin for one in (*taken, reranker)]
    known = [begin for begin in begins if begin is not None]
    begin = min(known) if len(known) == len(begins) else None
    whole = not any(_is_skewed(one.span) for one in taken)
    sources = {one.span.source for one in taken}
    return search._replace(
        start=begin if begin is not None else search.start,
        ms=_milliseconds(begin, reranker.span.stop) if whole and search.ms is not None else None,
        source=search.source or (sources.pop() if len(sources) == 1 else None),
        session=search.session or next((one.span.session for one in taken if one.span.session), None),
    )


def _alone(attempt: _Attempt) -> Search:
    span = attempt.span
    reason = "" if span.failed or span.reason is None else span.reason
    ms = None if span.failed or _is_skewed(span) else _milliseconds(attempt.begin, span.stop)
    start = attempt.begin if attempt.begin is not None else span.start
    return Search(span.row, span.row, span.query, span.session, span.source, start, ms, span.failed, reason)


def _is_skewed(span: TraceSpan) -> bool:
    """Whether a span ends before it starts, as where two clocks wrote the two."""
    return span.start is not None and span.stop is not None and span.stop < span.start


def _milliseconds(start: int | None, stop: int | None) -> float | None:
    if start is None or stop is None or stop < start:
        return None
    return (stop - start) / 1e6


def _of_source(searches: list[Search], source: str | None, counts: TraceCounts) -> list[Search]:
    if source is None:
        return searches
    kept = [search for search in searches if search.source == source]
    counts.other_sources += len(searches) - len(kept)
    return kept


def _models(tree: _Tree, ordered: Sequence[TraceSpan]) -> list[tuple[int | None, float]]:
    """When models were called and what they took. A model's span within a model's is the same call, recorded twice."""
    if not any(span.role == "model" for span in ordered):
        return []
    nearest = _nearest(tree.by_id, ("model",))
    return [
        (span.start, span.tokens)
        for span in ordered
        if span.role == "model" and span.tokens is not None and not nearest.get(span.parent, "")
    ]
