"""Accepted drafts in the judging store: queries, documents, and pairs for anybody to judge. Never a judgment.

The documents of a query are its sources and the best that BM25 finds, in an order that tells nothing of either: a judge
cannot see which one the query was drafted from. What was drafted from what stays in the file of drafts.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.cli.judgments.store import opened, who
from rankproof.errors import UsageError
from rankproof.judging.drafting.records import Draft, Search
from rankproof.judging.records import Assignment, Project, Template, find_scale
from rankproof.kernel.atomic import refuse
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.datasets.queries import lot

if TYPE_CHECKING:
    from rankproof.judging.store.store import Store

SELECTION = "dataset draft"
KIND = "drafting"
USUAL_PROJECT = "drafts"


def refuse_store(options: Mapping[str, Any]) -> None:
    """Refuses a store and a project that do not go together, before the model is paid for."""
    store, project = options["store"], options["project"]
    if store is None:
        for name, given in (("--project", project), ("--leave-unanswered", options["leave_unanswered"])):
            if given:
                raise UsageError(f"{name} is about a judging store. Name the store: --store STORE")
        return
    if os.path.exists(store):
        with opened(store) as there:
            _chosen(there, options)
    elif "://" not in store:
        refuse(store)


def hand_over(
    options: Mapping[str, Any],
    drafts: Sequence[Draft],
    corpus: Corpus,
    template: Template,
    search: Search,
    settings: Mapping[str, Any],
) -> dict[str, Any]:
    """Puts accepted drafts into the store, unjudged. What is there already stays, and is not put there again."""
    accepted = [draft for draft in drafts if draft.status == "accepted"]
    with opened(options["store"], create=True) as store:
        project = _project(store, options, template)
        queries = [Query(draft.question.draft_id, str(draft.query), {"origin": "drafted"}) for draft in accepted]
        pairs = list(_pairs(accepted, search, options["candidates"], options["seed"]))
        documents = dict.fromkeys(doc for _, doc in pairs)
        # Documents first: one that is there with another text is refused, and then no query is left without documents.
        new = store.items.add_documents(project.slug, _documents(corpus, documents))
        added = store.items.add_queries(project.slug, queries)
        before = store.assignments.all(project.slug)
        known = {(one.query_id, one.doc_id) for one in before}
        last = max((one.place for one in before), default=0)
        fresh = [pair for pair in pairs if pair not in known]
        rows = [
            Assignment(query, doc, place, selection=SELECTION) for place, (query, doc) in enumerate(fresh, last + 1)
        ]
        store.assignments.add(project.slug, rows)
        if accepted:  # the same again is stored once
            kinds = {draft.question.draft_id: draft.question.kind for draft in accepted}
            name = f"{len(accepted)} drafts"
            store.experiments.add(project.slug, KIND, name, {"schema": None, **settings, "drafts": kinds}, who())
        return {
            "waiting": False,
            "store": store.address,
            "project": project.slug,
            "queries": len(queries),
            "queries_added": added,
            "documents_added": new,
            "pairs": len(pairs),
            "pairs_added": len(rows),
        }


def _chosen(store: Store, options: Mapping[str, Any]) -> tuple[str, dict[str, Project]]:
    """The name of the project, and the projects that are there."""
    every = {project.slug: project for project in store.projects.all()}
    name = options["project"]
    if name is None:
        if len(every) > 1:
            raise UsageError(
                f"The store {store.address} has several projects: {', '.join(every)}. Name one with "
                "--project, or a new one."
            )
        name = next(iter(every), USUAL_PROJECT)
    return name, every


def _project(store: Store, options: Mapping[str, Any], template: Template) -> Project:
    name, every = _chosen(store, options)
    if name not in every:
        every[name] = Project(name, name, find_scale(options["scale"]), template=template)
        store.projects.add(every[name], who())
    return every[name]


def _pairs(accepted: Sequence[Draft], search: Search, candidates: int, seed: int) -> Iterator[tuple[str, str]]:
    """Query by query: sources and what BM25 finds, `candidates` together, shuffled."""
    rankings = search([str(draft.query) for draft in accepted], candidates)
    for draft, ranking in zip(accepted, rankings, strict=True):
        name, sources = draft.question.draft_id, draft.question.doc_ids
        wanted = dict.fromkeys((*sources, *ranking.doc_ids))
        kept = list(wanted)[: max(candidates, len(sources))]
        yield from ((name, doc) for doc in sorted(kept, key=lambda doc: lot(seed, f"{name} {doc}")))


def _documents(corpus: Corpus, doc_ids: Mapping[str, None]) -> Iterator[tuple[str, dict[str, str]]]:
    for doc in doc_ids:
        at = corpus.place[doc]
        yield doc, {name: column[at] for name, column in corpus.fields.items() if column[at]}
