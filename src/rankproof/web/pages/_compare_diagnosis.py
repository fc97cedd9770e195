"""Diagnosis: beside a compared query, what moved between the first side and the others, why, and what to try.

It rests on what is there: ranks, scores where a side has them, grades where they are shown, and which words of the
query stand in which field of a document. What to try is a hint with its reason, never a verdict on one query.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rankproof.web.documents import DocumentView
from rankproof.web.highlighting.marks import QueryTerms, terms_of


@dataclass(frozen=True, slots=True)
class RankedResult:
    """A document on a side of which something is known: its rank from 1, and its score where there is one."""

    rank: int
    score: float | None


@dataclass(frozen=True, slots=True)
class MovedDocument:
    """A document of the compared results.

    places  by side, in their order; None where the side does not have it among the first results
    title   how many marked words of the query its title has
    text    and its other fields
    grade   in words; empty where none is shown
    """

    shown: DocumentView
    places: tuple[RankedResult | None, ...]
    title: int
    text: int
    grade: str
    relevant: bool | None

    @property
    def moved(self) -> int:
        """The widest gap between two sides; a document that one side lacks moved by more than any that both have."""
        ranks = [place.rank for place in self.places if place is not None]
        return max(ranks) - min(ranks) + (1000 if None in self.places else 0)


@dataclass(frozen=True, slots=True)
class Hint:
    """Something that the ranks show, why it may be, and what to try."""

    seen: str
    why: str
    attempt: str


@dataclass(frozen=True, slots=True)
class QueryDiagnosis:
    """What moved, the furthest first, and hints."""

    letters: tuple[str, ...]
    moved: tuple[MovedDocument, ...]
    hints: tuple[Hint, ...]
    shared: int
    total: int
    scored: bool


def diagnose(
    query: str,
    letters: Sequence[str],
    sides: Sequence[Sequence[tuple[DocumentView, float | None]]],
    grades: Mapping[str, tuple[str, bool]],
) -> QueryDiagnosis:
    """The diagnosis of sides, each the results it shows, best first. `grades` is empty while they are hidden."""
    views = {view.doc_id: view for side in sides for view, _ in side}
    places = [{view.doc_id: RankedResult(rank, score) for rank, (view, score) in enumerate(side, 1)} for side in sides]
    moved = [
        MovedDocument(
            view,
            tuple(side.get(doc) for side in places),
            sum(part.marked for part in view.title) if not view.lead else 0,
            sum(part.marked for field in view.fields for part in field.pieces),
            grades[doc][0] if doc in grades else "",
            grades[doc][1] if doc in grades else None,
        )
        for doc, view in views.items()
    ]
    moved.sort(key=lambda one: (-one.moved, min(place.rank for place in one.places if place is not None)))
    return QueryDiagnosis(
        tuple(letters),
        tuple(moved),
        tuple(_hints(terms_of(query), letters, sides, moved)),
        sum(None not in one.places for one in moved),
        len(moved),
        any(place is not None and place.score is not None for one in moved for place in one.places),
    )


def _hints(
    terms: QueryTerms,
    letters: Sequence[str],
    sides: Sequence[Sequence[tuple[DocumentView, float | None]]],
    moved: Sequence[MovedDocument],
) -> list[Hint]:
    hints: list[Hint] = []
    full = max(map(len, sides), default=0)
    for n, (letter, side) in enumerate(zip(letters, sides, strict=True)):
        own = [one for one in moved if one.places[n] is not None]
        if len(side) < full:
            hints.append(Hint(
                f"{letter} has {len(side)} results, another side {full}.",
                "It asks for more than these documents have: every word, a filter, or a least score.",
                "Let fewer words be enough (operator or, minimum_should_match, mm), or add synonyms.",
            ))  # fmt: skip
        wordless = [one for one in own if terms and one.shown.known and not one.title and not one.text]
        if len(wordless) * 2 > len(own) > 0:
            hints.append(Hint(
                f"{len(wordless)} of the {len(own)} results of {letter} have no word of the query in the fields that "
                "are shown.",
                "They were found by meaning (vectors, synonyms), or by a field that is not shown here.",
                "Show that field in the settings. If they are off topic, fuse with a search by words or rerank.",
            ))  # fmt: skip
        if len(side) > 1 and len({score for _, score in side}) == 1 and side[0][1] is not None:
            hints.append(Hint(
                f"All results of {letter} have the same score.",
                "Nothing in the request tells them apart: the order is that of ids.",
                "Score by a field with words, or add a second criterion such as popularity.",
            ))  # fmt: skip
    hints += _title_hints(letters, moved)
    hints += _relevance_hints(letters, moved)
    if moved and all(one.moved == 0 for one in moved):
        hints.append(Hint(
            "No document moved.", "For this query the variants agree.", "Look at queries where they differ: Explore."
        ))  # fmt: skip
    return hints


def _title_hints(letters: Sequence[str], moved: Sequence[MovedDocument]) -> list[Hint]:
    """Where documents with the query's words in the title stand lower than on another side."""
    hints = []
    for n, letter in enumerate(letters):
        sunk = [one for one in moved if one.title and _best_elsewhere(one, n) and _sunk(one, n)]
        risen = [one for one in moved if not one.title and one.text and one.places[n] and _sunk(one, n, up=True)]
        if sunk and risen:
            hints.append(Hint(
                f"On {letter}, {_counted(sunk)} with words of the query in the title stand lower, and "
                f"{_counted(risen)} with them only in the text stand higher.",
                "The text weighs more there than the title, or long texts are not held against their length.",
                "Raise the weight of the title (fields='title^3 text'), or turn on the norm of lengths (b of BM25).",
            ))  # fmt: skip
    return hints


def _relevance_hints(letters: Sequence[str], moved: Sequence[MovedDocument]) -> list[Hint]:
    hints = []
    for n, letter in enumerate(letters):
        lost = [one for one in moved if one.relevant and one.places[n] is None]
        if lost:
            hints.append(Hint(
                f"{letter} does not show {_counted(lost)} judged relevant.",
                "It may rank them below the results that are compared, or not find them at all.",
                "Compare more results of each. If they are not there either, look at how the words are analyzed.",
            ))  # fmt: skip
    return hints


def _counted(documents: Sequence[MovedDocument]) -> str:
    return f"{len(documents)} document{'' if len(documents) == 1 else 's'}"


def _best_elsewhere(one: MovedDocument, side: int) -> int | None:
    ranks = [place.rank for n, place in enumerate(one.places) if n != side and place is not None]
    return min(ranks, default=None)


def _sunk(one: MovedDocument, side: int, up: bool = False) -> bool:
    """Whether a document stands lower on a side than on the best other one, or higher."""
    here, best = one.places[side], _best_elsewhere(one, side)
    if best is None:
        return up
    if here is None:
        return not up
    return here.rank < best if up else here.rank > best
