"""Answer: ids and scores as a server gave them, to a ranking; what is none is refused with its reason.

Documents with equal scores are ordered by id, as everything that reads a run orders them: else the order that is shown
would not be the one that is measured. Where a server breaks ties in a way of its own that counts, the order is all
there is, and no scores are taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from rankproof.kernel.specs.kinds import finite
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines.contract import AskFailed


def unreadable(message: str, kind: str = "unreadable answer") -> AskFailed:
    """An answer that asking again would not mend."""
    return AskFailed(kind, message, again=False)


def ranking_of(
    ids: Sequence[object],
    scores: Sequence[object] | None,
    depth: int,
    hit_fields: Sequence[Mapping[str, str]] = (),
) -> Ranking:
    """The first `depth` documents in the order they came, ties by id. Without any score the order is all there is.

    hit_fields   what was kept of each hit, in the order of the ids; nothing where nothing is kept
    """
    ranking = _ranked(ids, scores, depth)
    if not hit_fields:
        return ranking
    told = dict(zip([_doc(doc, place) for place, doc in enumerate(ids[:depth], start=1)], hit_fields, strict=False))
    return replace(ranking, hit_fields={doc: told[doc] for doc in ranking.doc_ids if told[doc]})


def _ranked(ids: Sequence[object], scores: Sequence[object] | None, depth: int) -> Ranking:
    docs = [_doc(doc, place) for place, doc in enumerate(ids[:depth], start=1)]
    seen: dict[str, int] = {}
    for place, doc in enumerate(docs, start=1):
        if seen.setdefault(doc, place) != place:
            raise unreadable(f"Document {doc!r} came twice, as hit {seen[doc]} and as hit {place}.", "repeated ids")
    if scores is None or all(score is None for score in scores[:depth]):
        return Ranking.in_order(docs)
    numbers = [_score(score, place) for place, score in enumerate(scores[:depth], start=1)]
    for place, (above, below) in enumerate(pairwise(numbers), start=1):
        if below > above:
            raise unreadable(
                f"The score rises from hit {place} ({above:g}) to hit {place + 1} ({below:g}). "
                "If the order is right and the scores are not, take no scores.",
                "scores out of order",
            )
    return Ranking.of(docs, numbers)


def _doc(value: object, place: int) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise unreadable(f"Hit {place} has no id: a text or a whole number is one; got {value!r:.60}.", "missing ids")


def _score(value: object, place: int) -> float:
    number = finite(value)
    if number is not None:
        return number
    raise unreadable(f"Hit {place} has no score that is a number; got {value!r:.60}.")
