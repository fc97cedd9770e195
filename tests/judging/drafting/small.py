"""A corpus of kettles, tents and lamps, BM25 over it, and questions about its documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.judging.drafting.marks import DraftMarker
from rankproof.judging.drafting.plan import DraftPlan, plan_drafts
from rankproof.judging.drafting.records import Draft, DraftKind, DraftLimits, DraftQuestion, DraftRequest, Search
from rankproof.judging.judges.contract import Prompt
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.calls import configure
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.records import Ground

TEXTS = {
    "SKU-1001": ("Whistling kettle, enamel, red", "Holds 2 liters and sings when water boils. For gas and induction."),
    "SKU-1002": ("Electric kettle with thermostat", "Keeps water at the chosen degree for green tea. 1.7 liters."),
    "SKU-1003": ("Two person trekking tent", "Weighs 1.4 kg, stands without pegs, survives storms in the mountains."),
    "SKU-1004": ("Family tunnel tent", "Room for six, with a porch for bicycles and muddy boots."),
    "SKU-1005": ("Camping lantern, rechargeable", "Shines warm light for eighty hours and charges phones over USB."),
    "SKU-1006": ("Reading lamp with clip", "Bends over a book and has three shades of white."),
}


def corpus(texts: Mapping[str, tuple[str, str]] = TEXTS, **more: Sequence[str]) -> Corpus:
    fields = {name: tuple(text[at] for text in texts.values()) for at, name in enumerate(("title", "text"))}
    return Corpus(tuple(texts), {**fields, **{name: tuple(values) for name, values in more.items()}})


def search_of(documents: Corpus) -> Search:
    engine = configure("engines", "bm25", {})
    opened: Any = engine.item.open(engine.values, Ground(documents))
    return lambda texts, depth: opened.search([Query("", text) for text in texts], depth)


def plan_of(documents: Corpus, queries: int, /, **said: Any) -> DraftPlan:
    texts = dict(zip(documents.doc_ids, documents.texts(["title", "text"]), strict=True))
    return plan_drafts(DraftRequest(queries, **said), documents, texts, search_of(documents), {"model": "m"})


def asked(doc: str = "SKU-1001", kind: DraftKind = "one", key: str = "") -> DraftQuestion:
    title, text = TEXTS[doc]
    return DraftQuestion(key or f"{doc} {kind}", kind, "all", (doc,), (f"{title}\n{text}",), Prompt("", "", 1))


def drafts_of(
    *answers: tuple[DraftQuestion, str], topics: Mapping[str, str] | None = None, limits: DraftLimits | None = None
) -> list[Draft]:
    """What is made of answers to questions."""
    documents = corpus()
    marker = DraftMarker(DraftRequest(1), limits or DraftLimits(), documents, search_of(documents), topics or {})
    questions = [question for question, _ in answers]
    return marker.drafts(questions, {question.key: ModelAnswer(text) for question, text in answers})


def reasons(draft: Draft) -> list[str]:
    return [mark.reason for mark in draft.marks]
