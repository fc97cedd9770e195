"""Plan drafting: divide documents into strata, draw from each by its size, and find documents that go together.

A draw is a hash of seed and id (`lot`): it depends on no other document, so that more queries contain the fewer. Of
documents with the same text one is drawn; documents without a text are left out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from rankproof.errors import UnknownName, UsageError
from rankproof.judging.drafting.prompts import draft_prompt
from rankproof.judging.drafting.records import DraftKind, DraftQuestion, DraftRequest, Search
from rankproof.judging.drafting.words import content_words, jaccard, words_of
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.sections import counted
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.queries import lot, normal

LENGTHS = ("short", "medium", "long")
# Words of a document that similar ones are searched by: a whole document is a slow query, and its begin says enough.
SEARCHED = 100
# Similar documents that are looked at for one that goes with a document, and from where on two are one and the same.
NEIGHBORS = 20
SAME = 0.9
MOST_CLUSTERS = 1000


@dataclass(frozen=True, slots=True)
class Stratum:
    """A part of the documents: how many there are, and how many of them were drawn."""

    name: str
    documents: int
    drawn: int

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"name": self.name, "documents": self.documents, "drawn": self.drawn}


@dataclass(frozen=True, slots=True)
class DraftPlan:
    """The questions, in random order: the first of them are a sample of all.

    without_text   documents left out because they have no text
    repeated       documents left out because another one has the same text
    alone          questions about several documents that became questions about one: nothing similar was found
    """

    questions: tuple[DraftQuestion, ...]
    strata: tuple[Stratum, ...]
    without_text: int
    repeated: int
    alone: int


def plan_drafts(
    request: DraftRequest, corpus: Corpus, texts: Mapping[str, str], search: Search, identity: Mapping[str, object]
) -> DraftPlan:
    """The questions about a corpus.

    texts      what the model sees of each document, "" for one with nothing to show
    identity   what answers depend on besides the prompt: the model and its settings
    """
    first: dict[str, str] = {}
    readable = [doc for doc in corpus.doc_ids if normal(texts[doc])]
    for doc in readable:
        first.setdefault(sha256(normal(texts[doc]).encode("utf-8", "replace")).hexdigest(), doc)
    documents = list(first.values())
    if request.queries > len(documents):
        raise UsageError(
            f"{corpus.name} has {counted(len(documents), 'document')} with a text of its own, and each is asked about "
            f"once: {request.queries:,} queries cannot be drafted."
            + (f" Ask for --queries {len(documents)} at most." if documents else " Check the file and --field.")
        )
    strata = _strata(request, corpus, documents, texts, search)
    shares = _allocated({name: len(docs) for name, docs in strata.items()}, request.queries)
    drawn = {
        doc: name
        for name, docs in strata.items()
        for doc in sorted(docs, key=lambda d: lot(request.seed, d))[: shares[name]]
    }
    order = sorted(drawn, key=lambda doc: lot(request.seed, doc))
    kinds = _kinds(request, order)
    partners = _partners(
        [doc for doc in order if kinds[doc] == "several"], request, texts, frozenset(documents), search
    )
    questions = []
    for doc in order:
        together = (doc, *partners.get(doc, ()))
        kind: DraftKind = "one" if kinds[doc] == "several" and len(together) == 1 else kinds[doc]
        questions.append(_question(kind, drawn[doc], together, texts, request, identity))
    return DraftPlan(
        tuple(questions),
        tuple(Stratum(name, len(docs), shares[name]) for name, docs in strata.items()),
        len(corpus) - len(readable),
        len(readable) - len(documents),
        sum(kind == "several" and not partners.get(doc) for doc, kind in kinds.items()),
    )


def _question(
    kind: DraftKind,
    stratum: str,
    docs: tuple[str, ...],
    texts: Mapping[str, str],
    request: DraftRequest,
    identity: Mapping[str, object],
) -> DraftQuestion:
    shown = tuple(texts[doc] for doc in docs)
    prompt = draft_prompt(kind, shown, request)
    content = {
        "kind": kind,
        "docs": docs,
        "system": prompt.system,
        "user": prompt.user,
        "most": prompt.most,
        **identity,
    }
    key = sha256(f"drafted query 1\n{to_json(content)}".encode("utf-8", "surrogatepass")).hexdigest()
    return DraftQuestion(key, kind, stratum, docs, shown, prompt)


def _kinds(request: DraftRequest, order: Sequence[str]) -> dict[str, DraftKind]:
    """Which documents are asked about together with others, and which for what they do not hold."""
    several, none = (round(share * len(order)) for share in (request.several, request.unanswerable))
    shuffled = sorted(order, key=lambda doc: lot(request.seed, f"kind {doc}"))
    kinds: dict[str, DraftKind] = dict.fromkeys(shuffled, "one")
    kinds |= dict.fromkeys(shuffled[:several], "several")
    return kinds | dict.fromkeys(shuffled[several : several + none], "none")


# ---- strata --------------------------------------------------------------------------------------


def _strata(
    request: DraftRequest, corpus: Corpus, documents: Sequence[str], texts: Mapping[str, str], search: Search
) -> dict[str, list[str]]:
    """Documents by stratum."""
    kind, _, value = request.strata.partition(":")
    if kind == "length" and not value:
        return _by_length(corpus, documents)
    if kind == "field" and value:
        if value not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", value, corpus.fields)
        column, strata = corpus.fields[value], dict[str, list[str]]()
        for doc in documents:
            named = " ".join(column[corpus.place[doc]].split())[:80] or "(empty)"
            strata.setdefault(named, []).append(doc)
        return dict(sorted(strata.items()))
    if kind == "cluster" and value.isascii() and value.isdecimal() and 0 < int(value[:9]) <= MOST_CLUSTERS:
        return _by_likeness(min(int(value), len(documents)), documents, texts, len(corpus), request.seed, search)
    raise UsageError(
        f"Documents are divided by length, field:NAME or cluster:NUMBER, 1 to {MOST_CLUSTERS:,}; got "
        f"{request.strata!r:.60}."
    )


def _by_length(corpus: Corpus, documents: Sequence[str]) -> dict[str, list[str]]:
    """Thirds by the length of the whole text."""
    length = dict(zip(documents, map(len, corpus.texts(doc_ids=documents)), strict=True))
    ordered = sorted(documents, key=lambda doc: length[doc])
    ends = [part * len(ordered) // len(LENGTHS) for part in range(len(LENGTHS) + 1)]
    return {
        name: ordered[begin:end] for name, begin, end in zip(LENGTHS, ends[:-1], ends[1:], strict=True) if end > begin
    }


def _by_likeness(
    number: int, documents: Sequence[str], texts: Mapping[str, str], size: int, seed: int, search: Search
) -> dict[str, list[str]]:
    """Clusters around leaders: each next leader is the document that is least like those before.

    A document is like a leader by its score for the leader's text, as a share of the leader's own.
    """
    order = sorted(documents, key=lambda doc: lot(seed, f"cluster {doc}"))
    best = dict.fromkeys(order, -math.inf)
    of = dict.fromkeys(order, "")
    for _ in range(number):
        leader = min(order, key=lambda doc: best[doc])  # the first of those that are least like any leader
        (ranking,) = search([_begin(texts[leader])], size)
        scores = dict(zip(ranking.doc_ids, ranking.scores.tolist(), strict=True))
        own = scores.get(leader, 0.0) or 1.0
        for doc in order:
            likeness = math.inf if doc == leader else scores.get(doc, 0.0) / own
            if likeness > best[doc]:
                best[doc], of[doc] = likeness, leader
    strata: dict[str, list[str]] = {}
    for doc in documents:
        strata.setdefault(f"like {of[doc]}", []).append(doc)
    return dict(sorted(strata.items()))


def _allocated(sizes: Mapping[str, int], number: int) -> dict[str, int]:
    """As many for each stratum as its share of all documents, rounded by largest remainders."""
    whole = sum(sizes.values())
    exact = {name: number * size / whole for name, size in sizes.items()} if whole else {}
    given = {name: math.floor(share) for name, share in exact.items()}
    by_rest = sorted(exact, key=lambda name: (given[name] - exact[name], -sizes[name], name))
    for name in by_rest[: number - sum(given.values())]:
        given[name] += 1
    return given


# ---- documents that go together ------------------------------------------------------------------


def _partners(
    docs: Sequence[str], request: DraftRequest, texts: Mapping[str, str], known: frozenset[str], search: Search
) -> dict[str, tuple[str, ...]]:
    """The most similar documents of each that are not nearly the same as it."""
    if not docs:
        return {}
    rankings = search([_begin(texts[doc]) for doc in docs], NEIGHBORS)
    words: dict[str, frozenset[str]] = {}

    def of(doc: str) -> frozenset[str]:
        if doc not in words:
            words[doc] = frozenset(words_of(texts[doc]))
        return words[doc]

    found = {}
    for doc, ranking in zip(docs, rankings, strict=True):
        others = (other for other in ranking.doc_ids if other != doc and other in known)
        near = [other for other in others if jaccard(of(doc), of(other)) < SAME]
        found[doc] = tuple(near[: request.documents - 1])
    return found


def _begin(text: str) -> str:
    return " ".join(content_words(words_of(text[: SEARCHED * 20]))[:SEARCHED])
