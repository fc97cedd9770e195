"""What is found against a drafted query, each with its reason and its evidence; nothing here judges relevance.

duplicate     nearly the same as a query before it, or as one of the topics that are there already
leak          names what nobody who searches knows: an id, a title, the document itself, the prompt, the answer
copied        made of the words of its source, which lexical search finds more easily than people's queries
answerable    meant to have no answer, and a document has most of its words
too long, empty, other script
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from rankproof.judging.drafting.prompts import DraftedText, instructions, read_draft
from rankproof.judging.drafting.records import (
    KINDS,
    Draft,
    DraftLimits,
    DraftMark,
    DraftQuestion,
    DraftRequest,
    DraftStatus,
    Search,
)
from rankproof.judging.drafting.words import (
    NearSets,
    content_words,
    longest_run,
    misspelled,
    numbers_in,
    scripts_of,
    shingles,
    stands_in,
    words_of,
)
from rankproof.judging.judges.contract import AnswerFault
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.reading.collection import Corpus
from rankproof.reading.datasets.queries import normal

# Words in a row that a query shares with the prompt, and so many that make a title.
_OF_PROMPT = 6
_OF_TITLE = 3
_SHORTEST_ID = 3
_SHORTEST_NUMBER = 5
# Documents that are looked at to see whether one answers a query that none should.
LOOKED_AT = 20
_KEPT = 200
_SHOWN = 500
_TEXT = r"(?:document|passage|excerpt|snippet|article|text)s?"
_ABOUT_TEXT = re.compile(
    r"\b(?:according to|based on|mentioned in|described in|stated in|given in|listed in|as per)\s+"
    rf"(?:the|this|these)\s+(?:given\s+|above\s+|provided\s+|following\s+)?{_TEXT}\b"
    rf"|\b(?:the|this|these)\s+(?:above|given|provided|following)\s+{_TEXT}\b"
    r"|\b(?:this|these)\s+(?:document|passage|excerpt|snippet)s?\b"
    r"|\b(?:document|passage|excerpt)\s+(?:\d+|(?-i:[A-Z]))\b"
    r"|\bthe\s+(?:document|passage|excerpt|snippet)s?\s+(?:is|are|was|says?|states?|describes?|mentions?|contains?|"
    r"provides?|explains?|discusse?s?|lists?|refers?)\b"
    r"|\bthe\s+(?:document|passage|excerpt|snippet)s?\W*\Z",
    re.IGNORECASE,
)
_OF_FORM = re.compile(
    r"</?\s*(?:document|query)\b|\bas an ai\b|\bhere(?:'s| is| are)\b.{0,30}\b(?:query|question)\b", re.IGNORECASE
)


@dataclass(frozen=True, eq=False)
class DraftMarker:
    """What drafts are held against: the documents, topics that are there already, and limits."""

    request: DraftRequest
    limits: DraftLimits
    corpus: Corpus
    search: Search
    topics: Mapping[str, str]
    title: str = "title"
    _known: dict[str, frozenset[str]] = field(default_factory=dict)

    def drafts(self, questions: Sequence[DraftQuestion], answers: Mapping[str, ModelAnswer | NoAnswer]) -> list[Draft]:
        """A draft for each question. The same questions and answers give the same drafts, however they came."""
        made = [self._draft(question, answers.get(question.key)) for question in questions]
        return self._without_doubles(made)

    # ---- one draft -----------------------------------------------------------------------------

    def _draft(self, question: DraftQuestion, answer: ModelAnswer | NoAnswer | None) -> Draft:
        if answer is None:
            return Draft(question, "unanswered", failure=("not asked", "it was not asked yet"))
        if isinstance(answer, NoAnswer):
            return Draft(question, "unanswered", failure=(answer.kind, answer.message[:_SHOWN]))
        read = read_draft(answer)
        if isinstance(read, AnswerFault):
            return Draft(question, "failed", failure=(read.kind, (answer.text.strip() or read.why)[:_SHOWN]))
        words = words_of(read.query)
        sources = [words_of(text) for text in question.texts]
        marks = [*self._form(read, words, question), *self._leaks(read, words, question)]
        shares: list[float] = []
        nearest = None
        if question.kind == "none":
            nearest = self._nearest(words)
            marks += _answerable(nearest, self.limits)
        else:
            shares = [_share(words, source) for source in sources]
        marks += self._copied(words, question, sources, shares)
        status: DraftStatus = "marked" if marks else "accepted"
        return Draft(question, status, read.query, read.answer, tuple(marks), tuple(shares), nearest)

    def _form(self, read: DraftedText, words: Sequence[str], question: DraftQuestion) -> list[DraftMark]:
        """Whether it can be sent at all."""
        marks = []
        if not content_words(words):
            marks.append(DraftMark("empty", "no word of it says what is searched for", {"words": len(words)}))
        if len(words) > self.limits.longest:
            message = f"it has {len(words):,} words; {self.limits.longest:,} are the most"
            marks.append(DraftMark("too long", message, {"words": len(words), "limit": self.limits.longest}))
        mine, theirs = scripts_of(read.query), scripts_of(" ".join(question.texts))
        if mine and theirs and mine[0] not in theirs:
            message = f"it is written in {mine[0]}, and nothing of its source is"
            marks.append(DraftMark("other script", message, {"query": mine[0], "source": theirs[0]}))
        return marks

    def _leaks(self, read: DraftedText, words: Sequence[str], question: DraftQuestion) -> list[DraftMark]:
        """What gives its source or its answer away."""
        query, marks = read.query, []
        for doc in question.doc_ids:
            if _is_id(doc) and _has_id(query, doc):
                marks.append(DraftMark("leak", "it has the id of its source", {"id": doc}))
            title = self._titles.get(doc, "")
            if len(words_of(title)) >= _OF_TITLE and stands_in(words_of(title), words):
                marks.append(
                    DraftMark("leak", "it has the title of its source, word for word", {"title": title[:_SHOWN]})
                )
        for text, what in ((query, "query"), (read.answer or "", "answer")):
            about = _ABOUT_TEXT.search(text)
            if about:
                message = f"the {what} speaks of the document, which nobody who searches has seen"
                marks.append(DraftMark("leak", message, {what: about[0]}))
        begin, long = longest_run(words, self._prompts[question.kind])
        spoken = _OF_FORM.search(query)
        if long >= _OF_PROMPT or spoken:
            seen = " ".join(words[begin : begin + long]) if long >= _OF_PROMPT else str(spoken and spoken[0])
            marks.append(DraftMark("leak", "it repeats the prompt", {"prompt": seen[:_SHOWN]}))
        said = words_of(read.answer or "")
        if content_words(said) and any(len(word) > 2 for word in said) and stands_in(said, words):
            marks.append(DraftMark("leak", "it has the answer in it", {"answer": " ".join(said)[:_SHOWN]}))
        return marks

    def _copied(
        self, words: Sequence[str], question: DraftQuestion, sources: Sequence[Sequence[str]], shares: Sequence[float]
    ) -> list[DraftMark]:
        """Whether it is made of the words of a source."""
        for at, (doc, source) in enumerate(zip(question.doc_ids, sources, strict=True)):
            begin, long = longest_run(words, source)
            whole = long == len(words) and len(content_words(words)) >= _OF_TITLE
            if long >= self.limits.run or whole:
                run = " ".join(words[begin : begin + long])
                message = f"{long:,} words in a row stand in its source"
                return [DraftMark("copied", message, {"doc_id": doc, "words": run[:_SHOWN], "limit": self.limits.run})]
            if shares and len(content_words(words)) >= self.limits.fewest and shares[at] >= self.limits.copied:
                message = f"{shares[at]:.0%} of its content words stand in its source"
                evidence = {"doc_id": doc, "share": shares[at], "limit": self.limits.copied}
                return [DraftMark("copied", message, evidence)]
        return []

    # ---- queries without an answer -------------------------------------------------------------

    def _nearest(self, words: Sequence[str]) -> dict[str, object]:
        """The document that has most of the query's content words, among the best that BM25 finds."""
        content = content_words(words)
        (ranking,) = self.search([" ".join(words)], LOOKED_AT)
        best: tuple[float, str] = (0.0, "")
        for doc in ranking.doc_ids:
            share = _share(content, self._words_of(doc))
            if share > best[0]:
                best = share, doc
        seen: set[str] = set().union(*(self._words_of(doc) for doc in ranking.doc_ids))
        absent = [word for word in content if word not in seen]
        return {"looked_at": len(ranking.doc_ids), "doc_id": best[1] or None, "covered": best[0], "absent": absent[:20]}

    def _words_of(self, doc: str) -> frozenset[str]:
        """The words of a whole document; those of the last ones are kept."""
        if len(self._known) >= _KEPT:
            self._known.clear()
        if doc not in self._known:
            self._known[doc] = frozenset(words_of(self.corpus.texts(doc_ids=[doc])[0]))
        return self._known[doc]

    # ---- against each other --------------------------------------------------------------------

    def _without_doubles(self, drafts: Sequence[Draft]) -> list[Draft]:
        """Marks every query that is nearly the same as a topic or as a query before it that has no other mark."""
        texts = [*self.topics.values(), *(draft.query for draft in drafts if draft.query is not None)]
        near = _NearTexts(texts, self.limits)
        for topic, text in self.topics.items():
            near.add(topic, text, is_topic=True)
        settled = []
        for draft in drafts:
            if draft.query is None:
                settled.append(draft)
                continue
            mark = near.find(draft.query)
            if mark is not None:
                settled.append(replace(draft, status="marked", marks=(*draft.marks, mark)))
                continue
            settled.append(draft)
            if draft.status == "accepted":
                near.add(draft.question.draft_id, draft.query, is_topic=False)
        return settled

    @cached_property
    def _prompts(self) -> dict[str, list[str]]:
        return {kind: words_of(instructions(kind, self.request)) for kind in KINDS}

    @cached_property
    def _titles(self) -> Mapping[str, str]:
        column = self.corpus.fields.get(self.title)
        return {} if column is None else dict(zip(self.corpus.doc_ids, column, strict=True))


class _NearTexts:
    """Texts that were seen, and the nearest of them to another one."""

    def __init__(self, every: Sequence[str], limits: DraftLimits) -> None:
        self._words = NearSets((content_words(words_of(text)) for text in every), limits.words)
        self._characters = NearSets(map(shingles, every), limits.characters)
        self._same: dict[str, int] = {}
        self._seen: list[tuple[str, str, bool]] = []

    def add(self, name: str, text: str, *, is_topic: bool) -> None:
        self._same.setdefault(normal(text), len(self._seen))
        self._words.add(content_words(words_of(text)))
        self._characters.add(shingles(text))
        self._seen.append((name, text, is_topic))

    def find(self, text: str) -> DraftMark | None:
        """The mark of a text that is nearly the same as one seen."""
        words = words_of(text)
        at = self._same.get(normal(text))
        if at is not None:
            return self._mark(at, "the same text", 1.0)
        by_words = self._alike(words, self._words.near(content_words(words)))
        by_characters = [
            (at, share)
            for at, share in self._alike(words, self._characters.near(shingles(text)))
            if misspelled(words, words_of(self._seen[at][1]))
        ]
        for near, what in ((by_words, "words"), (by_characters, "characters")):
            if near:
                at, share = max(near, key=lambda pair: (pair[1], -pair[0]))
                return self._mark(at, what, share)
        return None

    def _alike(self, words: Sequence[str], near: Sequence[tuple[int, float]]) -> list[tuple[int, float]]:
        """Those that have the same numbers: another one asks for another thing."""
        numbers = numbers_in(words)
        return [(at, share) for at, share in near if numbers_in(words_of(self._seen[at][1])) == numbers]

    def _mark(self, at: int, what: str, share: float) -> DraftMark:
        name, text, is_topic = self._seen[at]
        kind = "topic" if is_topic else "draft"
        message = f"nearly the same as the {kind} {name}" if share < 1 else f"the same as the {kind} {name}"
        return DraftMark("duplicate", message, {kind: name, "text": text[:_SHOWN], "by": what, "share": share})


def _answerable(nearest: Mapping[str, object], limits: DraftLimits) -> list[DraftMark]:
    covered = nearest["covered"]
    if not isinstance(covered, float) or covered < limits.covered:
        return []
    evidence = {"doc_id": nearest["doc_id"], "covered": covered, "limit": limits.covered}
    message = f"one document has {covered:.0%} of its content words, and may answer it"
    return [DraftMark("answerable", message, evidence)]


def _share(words: Sequence[str], source: Sequence[str] | frozenset[str]) -> float:
    content, there = content_words(words), frozenset(source)
    return round(sum(word in there for word in content) / len(content), 4) if content else 0.0


def _is_id(doc: str) -> bool:
    """Whether an id in a query can only be the id: a short number or a plain word is searched for as well."""
    if len(doc) < _SHORTEST_ID or not any(map(str.isalnum, doc)):
        return False
    if doc.isdecimal():
        return len(doc) >= _SHORTEST_NUMBER
    return not doc.isalpha()


def _has_id(query: str, doc: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(doc.casefold())}(?!\w)", query.casefold()) is not None
