"""Rankings of variants: of a run as it is stored, of a pipeline by its last answer.

An answer is stored as an experiment of the kind "answer": what a judge saw stays what it was while they think, and
every number of the summary can be traced to it.
"""

from __future__ import annotations

from hashlib import sha256

from starlette.requests import Request

from rankproof.judging.preferences import typed_query
from rankproof.judging.records import Project
from rankproof.judging.store.store import Store
from rankproof.reading.collection import Query
from rankproof.web.context import app_context
from rankproof.web.live import PipelineAnswer, live_of, read_answer
from rankproof.web.pages._compare_setup import DEPTHS, ComparedVariant, Setup
from rankproof.web.problems import Problem

KIND = "answer"
LONGEST_QUERY = 1000


def rankings_of(store: Store, setup: Setup, query_id: str) -> dict[str, PipelineAnswer | None]:
    """What each variant ranks for a query; None where a run has no ranking, or a pipeline has not answered yet."""
    runs = store.runs.rankings(setup.slug, query_id)
    stored = _newest_answers(store, setup.slug) if any(variant.live for variant in setup.variants) else {}
    rankings: dict[str, PipelineAnswer | None] = {}
    for variant in setup.variants:
        if variant.live:
            digest = stored.get(_name(variant, query_id))
            rankings[variant.name] = read_answer(store.experiments.get(setup.slug, digest)) if digest else None
        else:
            rankings[variant.name] = PipelineAnswer(tuple(runs[variant.name]), ()) if variant.name in runs else None
    return rankings


def whole(store: Store, slug: str, variant: ComparedVariant) -> dict[str, list[str]]:
    """Every ranking of a variant, by query."""
    if not variant.live:
        return store.runs.whole(slug, variant.name)
    rankings: dict[str, list[str]] = {}
    mark = f" {variant.handle}"
    for name, digest in _newest_answers(store, slug).items():
        if name.endswith(mark):
            document = store.experiments.get(slug, digest)
            rankings[str(document["query_id"])] = list(read_answer(document).doc_ids)
    return rankings


def ask(request: Request, project: Project, setup: Setup, text: str, query_id: str, by: str) -> Query:
    """Asks the pipelines of a setup, and keeps the query, what they answered, and the texts of the documents."""
    store, slug = app_context(request).store, project.slug
    live = [variant for variant in setup.variants if variant.live]
    if not live or not project.pipelines:
        raise Problem(422, "None of these variants can be asked.", "Choose configured pipelines, marked as live.")
    if query_id:
        query = store.items.query(slug, query_id)
    else:
        if not text.strip() or len(text) > LONGEST_QUERY:
            raise Problem(422, f"A query has 1 to {LONGEST_QUERY:,} characters; this one has {len(text.strip()):,}.")
        query = typed_query(text, store.items.queries(slug))
    stack = live_of(request).stack(project.pipelines)
    answers = stack.ask([variant.mode for variant in live], query, max(DEPTHS))
    if not query_id:
        store.items.add_queries(slug, [query])
    ranked = [doc for answer in answers.values() for doc in answer.doc_ids]
    there = store.items.documents(slug, ranked)
    store.items.add_documents(slug, stack.documents([doc for doc in ranked if doc not in there]).items())
    for variant in live:
        answer = answers[variant.mode]
        document = {
            "variant": variant.name,
            "pipeline": stack.config.modes[variant.mode].text,
            "query_id": query.query_id,
            "text": query.text,
            "doc_ids": list(answer.doc_ids),
            "failures": list(answer.failures),
            "scores": list(answer.scores),
        }
        store.experiments.add(slug, KIND, _name(variant, query.query_id), document, by)
    return query


def _newest_answers(store: Store, slug: str) -> dict[str, str]:
    """The hash of the newest answer by its name."""
    return {one.name: one.sha256 for one in store.experiments.all(slug, KIND)}


def _name(variant: ComparedVariant, query_id: str) -> str:
    """Short enough for the store, whatever the ids are."""
    return f"{variant.mode[:80]} {sha256(query_id.encode('utf-8', 'replace')).hexdigest()[:32]} {variant.handle}"
