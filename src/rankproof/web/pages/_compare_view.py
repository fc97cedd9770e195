"""What the page of a comparison shows: sides, their results with marks, and no name while names are hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import uuid4

from starlette.requests import Request

from rankproof.judging.preferences import (
    QuerySet,
    VariantStanding,
    find_set,
    query_sets,
    settled_grades,
    standing,
)
from rankproof.judging.records import Mark, Preference, Project
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web.context import app_context
from rankproof.web.documents import DocumentView, show_document
from rankproof.web.live import PipelineAnswer
from rankproof.web.pages._compare_answers import rankings_of
from rankproof.web.pages._compare_diagnosis import QueryDiagnosis, diagnose
from rankproof.web.pages._compare_setup import ComparedVariant, Setup
from rankproof.web.security.independence import own_work_only
from rankproof.web.security.sessions import account_of

LETTERS = "ABCD"


@dataclass(frozen=True, slots=True)
class OtherPlace:
    """Where another side has a document. `gap` is by how many ranks it stands higher there; negative for lower."""

    number: int
    letter: str
    rank: int
    gap: int


@dataclass(frozen=True, slots=True)
class ResultView:
    """A document at its rank. `grade` is in words, and empty where it is hidden.

    others  where the other sides that show it have it
    score   as the pipeline gave it; None where it is not known, or names are hidden
    """

    rank: int
    shown: DocumentView
    pick: Mark | None
    flag: Mark | None
    grade: str
    others: tuple[OtherPlace, ...] = ()
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """A variant on its side. Where names are hidden `name`, `standing` and `failures` are empty: each could tell it."""

    number: int
    letter: str
    name: str
    results: tuple[ResultView, ...]
    answered: bool
    live: bool
    standing: VariantStanding | None
    failures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueryPlace:
    """Where a query stands in its set, and how many of the set have a preference of the judge."""

    number: int | None
    total: int
    given: int
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class ComparePage:
    """A query and the variants side by side.

    preferred   the number of the preferred side, 0 for equally good, None where no preference holds
    missing     pipelines that have no answer to this query yet
    nonce       makes the keys of acts that are sent from this page
    """

    project: Project
    setup: Setup
    query: Query
    sets: tuple[QuerySet, ...]
    place: QueryPlace
    sides: tuple[Side, ...]
    revealed: bool
    preferred: int | None
    note: str
    missing: int
    typing: bool
    may_judge: bool
    nonce: str
    diagnosis: QueryDiagnosis
    title: str = "Compare"

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why a result may be flagged."""
        return self.project.flag_reasons


def held_preference(store: Store, setup: Setup, judge: str, query_id: str) -> Preference | None:
    """What holds of a judge between these variants for a query."""
    current = store.preferences.current(setup.slug, judge=judge, query_id=query_id)
    return next((preference for preference in current if set(preference.variants) == set(setup.called)), None)


def is_revealed(store: Store, setup: Setup, judge: str, query_id: str) -> bool:
    """Whether the judge sees which side is which; also when the preference that showed it was taken back since."""
    if setup.names != "after":
        return setup.names == "shown"
    return bool(_earlier_preferences(store, setup, judge, query_id))


def is_blind(store: Store, setup: Setup, judge: str, query_id: str, key: str) -> bool:
    """Whether the act with this key is given without knowing which side is which.

    It does not count against itself: sent again, it is what it was when it was sent first.
    """
    before = [preference for preference in _earlier_preferences(store, setup, judge, query_id) if preference.key != key]
    if setup.names == "hidden":
        return all(preference.blind for preference in before)
    return setup.names == "after" and not before


def _earlier_preferences(store: Store, setup: Setup, judge: str, query_id: str) -> list[Preference]:
    """Every preference that a judge ever gave between these variants for a query."""
    history = store.preferences.history(setup.slug, judge=judge, query_id=query_id)
    return [one for one in history if set(one.variants) == set(setup.called)]


def compare_page(request: Request, project: Project, setup: Setup, query_id: str | None) -> ComparePage | None:
    """The page of a query; of the first without a preference where none is named; None where the set is empty."""
    store, me = app_context(request).store, account_of(request)
    every = store.items.queries(project.slug)
    sets = query_sets(every)
    chosen = find_set(sets, setup.key)
    done = {
        preference.query_id
        for preference in store.preferences.current(project.slug, judge=me.name)
        if set(preference.variants) == set(setup.called)
    }
    if query_id is None:
        if not chosen.queries:
            return None
        query = next((one for one in chosen.queries if one.query_id not in done), chosen.queries[0])
    else:
        query = store.items.query(project.slug, query_id)
    order = setup.sides(me.name, query.query_id)
    held = held_preference(store, setup, me.name, query.query_id)
    revealed = is_revealed(store, setup, me.name, query.query_id)
    rankings = rankings_of(store, setup, query.query_id)
    names = [variant.name for variant in order]
    preferred = None if held is None else 0 if held.preferred is None else names.index(held.preferred) + 1
    live = [variant for variant in order if variant.live]
    sides = _sides(store, project, setup, query, order, rankings, me.name, own_work_only(request), revealed)
    return ComparePage(
        project,
        setup,
        query,
        sets,
        place_of(chosen.queries, query.query_id, done),
        sides,
        revealed,
        preferred,
        held.note if held is not None else "",
        sum(rankings[variant.name] is None for variant in live),
        len(live) > 1,
        me.may("judge") and not project.closed,
        uuid4().hex,
        _diagnosis(project, query, sides),
    )


def _diagnosis(project: Project, query: Query, sides: Sequence[Side]) -> QueryDiagnosis:
    """What moved between the sides, from what the page shows of them: nothing that is hidden."""
    relevant = {
        f"{level.grade} {level.label}" for level in project.scale.levels if level.grade >= project.scale.relevant
    }
    results = [result for side in sides for result in side.results]
    grades = {one.shown.doc_id: (one.grade, one.grade in relevant) for one in results if one.grade}
    shown = [[(result.shown, result.score) for result in side.results] for side in sides]
    return diagnose(query.text, [side.letter for side in sides], shown, grades)


def place_of(queries: Sequence[Query], query_id: str, done: set[str]) -> QueryPlace:
    """Where a query stands among others; one that is not among them comes before the first."""
    ids = [query.query_id for query in queries]
    at = ids.index(query_id) if query_id in ids else -1
    return QueryPlace(
        at + 1 if at >= 0 else None,
        len(ids),
        len(done & set(ids)),
        ids[at - 1] if at > 0 else None,
        ids[at + 1] if at + 1 < len(ids) else None,
    )


def _sides(
    store: Store,
    project: Project,
    setup: Setup,
    query: Query,
    order: Sequence[ComparedVariant],
    rankings: Mapping[str, PipelineAnswer | None],
    me: str,
    seen: str | None,
    revealed: bool,
) -> tuple[Side, ...]:
    """The sides; of grades and marks those by `seen`, or everybody's."""
    slug, k = setup.slug, setup.k
    every = store.marks.current(slug, query_id=query.query_id, judge=seen)
    own = {(mark.kind, mark.doc_id): mark for mark in every if mark.judge == me}
    judged = settled_grades(store.judgments.current(slug, query_id=query.query_id, judge=seen), project.scale)
    grades = judged.get(query.query_id, {})
    labels = {level.grade: f"{level.grade} {level.label}" for level in project.scale.levels}
    shown = [doc for ranking in rankings.values() if ranking is not None for doc in ranking.doc_ids[:k]]
    fields = store.hits.of_query(slug, query.query_id, shown)
    ranks = [
        {doc: rank for rank, doc in enumerate(ranking.doc_ids[:k] if ranking is not None else (), 1)}
        for ranking in (rankings[variant.name] for variant in order)
    ]
    made = []
    for number, variant in enumerate(order, 1):
        ranking = rankings[variant.name]
        results = tuple(
            ResultView(
                rank,
                show_document(project.template, doc, fields.get(doc), query.text),
                own.get(("pick", doc)),
                own.get(("flag", doc)),
                labels[grades[doc]] if revealed and doc in grades else "",
                _others(ranks, number, doc, rank),
                ranking.scores[rank - 1] if revealed and ranking is not None and len(ranking.scores) >= rank else None,
            )
            for rank, doc in enumerate(ranking.doc_ids[:k] if ranking is not None else (), 1)
        )
        stands = standing(ranking.doc_ids, grades, project.scale.relevant, every, k) if ranking and revealed else None
        made.append(
            Side(
                number,
                LETTERS[number - 1],
                variant.name if revealed else "",
                results,
                ranking is not None,
                variant.live and revealed,
                stands,
                ranking.failures if ranking is not None and revealed else (),
            )
        )
    return tuple(made)


def _others(ranks: Sequence[Mapping[str, int]], number: int, doc: str, rank: int) -> tuple[OtherPlace, ...]:
    """Where the sides other than this one have a document."""
    return tuple(
        OtherPlace(n, LETTERS[n - 1], side[doc], rank - side[doc])
        for n, side in enumerate(ranks, 1)
        if n != number and doc in side
    )
