"""Assemble: from the spans of one trace to the searches that its application made. Each decision is one function.

The same search often stands in a trace several times: a framework's retriever around a vector store's, a reranker
behind a retriever, an attempt that failed and the one after it, a span that was exported twice.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from rankproof.reading.traces.records import UNRECORDED, Search, Stage, TraceCounts, TraceOptions, TraceSpan

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
    searches: list[Search] = []
    for group in _siblings(_counted_spans(tree, ordered, options.stage, counts)):
        attempts = _without_retries(group, counts)
        merged = _reranked(attempts, counts) if options.stage == "last" else [_alone(one) for one in attempts]
        searches += [search._replace(session=search.session or session) for search in merged]
    searches.sort(key=lambda search: (search.start is None, search.start or 0, search.row))
    return Assembled(_of_source(searches, options.source, counts), session, _models(tree, ordered))


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


def _counted_spans(tree: _Tree, ordered: Sequence[TraceSpan], stage: Stage, counts: TraceCounts) -> list[TraceSpan]:
    """The outermost searches of a stage: what the application got. What lies within them is counted as nested.

    Where the outermost one recorded no documents, those within it stand for it.
    """
    rerank_below = _with_reranker_below(tree)

    def stands(span: TraceSpan) -> bool:
        if stage != "last" and (span.role != stage or (stage == "retriever" and span.span in rerank_below)):
            return False
        return not tree.below.get(span.span) or span.failed or span.reason != UNRECORDED

    waiting = [span for span in reversed(ordered) if span.role in SEARCHING and span.span not in tree.above]
    fronts = []
    while waiting:
        span = waiting.pop()
        if stands(span):
            fronts.append(span)
        else:
            waiting.extend(reversed(tree.below.get(span.span, ())))
    counts.nested += len(tree.above)
    return sorted(fronts, key=_by_time)


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


def _reranked(attempts: Sequence[_Attempt], counts: TraceCounts) -> list[Search]:
    """A reranker is the final ranking of the retrievers before it under the same parent.

    It takes those that searched for its own query, and all that are still open where none did: a fusion of rewritten
    queries. One that failed, or recorded no documents, leaves the retriever's ranking as it is.
    """
    done: list[Search] = []
    still_open: dict[str | None, list[_Attempt]] = {}
    for attempt in attempts:
        span = attempt.span
        if span.role == "retriever":
            if span.failed:
                done.append(_alone(attempt))
            else:
                still_open.setdefault(span.query, []).append(attempt)
            continue
        if still_open and (span.failed or span.reason == UNRECORDED):
            counts.failed_rerankers += span.failed
            counts.unrecorded_rerankers += not span.failed
            continue
        if span.query is not None and span.query in still_open:
            taken = still_open.pop(span.query)
        else:
            taken = [one for several in still_open.values() for one in several]
            still_open.clear()
        counts.reranked += len(taken)
        done.append(_final(attempt, taken))
    done += [_alone(attempt) for several in still_open.values() for attempt in several]
    return done


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
