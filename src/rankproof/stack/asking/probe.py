"""Probe: ask a few queries anew before stored answers are used, since a server may change without saying so.

The queries are drawn by the seed, from every day that stored answers were made on, the oldest first. Where an answer
differs, the stored answers of that step are dropped and every query is asked anew, once: also of an engine whose
answers vary from one request to the next. A difference is one of documents or their order; documents whose scores are
equal, up to noise, may come in any order, and at the end of a full list any of them may be cut off.

What a few queries cannot show stays unseen: a server that changed for one query of a hundred is seen with three of
them in three cases of a hundred. How many were asked is told.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Final, Literal

import numpy as np

from rankproof.kernel.sections import counted
from rankproof.reading.ranking import Answered, Ranking

# same        every query asked anew gave the stored answer
# changed     one gave another answer, twice the same where it was asked again
# varies      one gave another answer each time: whether the server changed cannot be told
# unchecked   none differed, and at least one gave no answer
Finding = Literal["same", "changed", "varies", "unchecked"]
# Scores closer than this, as a share of the greatest, are equal: sums of 32-bit numbers differ by less.
NOISE: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Probe:
    """What a few queries that were asked anew say of stored answers.

    asked      how many queries were asked anew
    stored     how many stored answers they stand for
    failed     how many of them have no answer
    query_id   the first query that differs; without one, the first that failed; "" where there is neither
    what       what differs there, or failed, in words
    """

    verdict: Finding
    asked: int
    stored: int
    failed: int = 0
    query_id: str = ""
    what: str = ""

    @property
    def usable(self) -> bool:
        """Whether stored answers may be used: nothing speaks against them."""
        return self.verdict in ("same", "unchecked")

    def sentence(self, who: str) -> str:
        """What was found, of the engine `who`."""
        queries, answers = counted(self.asked, "query", "queries"), counted(self.stored, "stored answer")
        if self.verdict == "same":
            return f"{who}: {queries} asked anew for {answers}: the same."
        if self.verdict == "unchecked":
            return (
                f"{who}: {answers} could not be checked against the server: {self.failed} of {queries} asked anew "
                f"gave no answer ({self.query_id}: {self.what}). What the server says now may differ."
            )
        anew = "The stored answers were dropped and all queries asked anew."
        if self.verdict == "varies":
            return (
                f"{who}: answers vary from one request to the next (query {self.query_id}: {self.what}, and another "
                f"answer again), so that another run may give other numbers. {anew}"
            )
        return f"{who}: the server has changed (query {self.query_id}: {self.what}). {anew}"

    def to_dict(self) -> dict[str, object]:
        """As JSON has it under `observed`."""
        return asdict(self)


def difference(before: Ranking, now: Ranking, depth: int) -> str:
    """What differs between two answers to one query, in words; "" where only ties and noise do.

    >>> a = Ranking.of(["a", "b", "c"], [3.0, 2.0, 2.0])
    >>> difference(a, Ranking.of(["a", "c", "b"], [3.0, 2.0, 2.0]), 10)
    ''
    >>> difference(a, Ranking.of(["b", "a", "c"], [3.5, 3.0, 2.0]), 10)
    "rank 1 was 'a' and is 'b'"
    >>> difference(a, Ranking.of(["a", "b"], [3.0, 2.0]), 10)
    'there were 3 documents and are 2'
    """
    if len(before) != len(now):
        return f"there were {counted(len(before), 'document')} and are {len(now)}"
    full = len(now) == depth
    rank_before = {doc: rank for rank, doc in enumerate(before.doc_ids)}
    rank_now = {doc: rank for rank, doc in enumerate(now.doc_ids)}
    last = len(now) - 1
    for rank, (was, is_) in enumerate(zip(before.doc_ids, now.doc_ids, strict=True)):
        if was == is_:
            continue
        # Where a document is gone, its tie must reach the end, beyond which the rest of it was cut off.
        moved_to, came_from = rank_now.get(was, last if full else None), rank_before.get(is_, last if full else None)
        tied = (
            moved_to is not None
            and came_from is not None
            and all(_tied(each, rank, other) for each in (before, now) for other in (moved_to, came_from))
        )
        if not tied:
            return f"rank {rank + 1} was {was!r} and is {is_!r}"
    return ""


def _tied(ranking: Ranking, one: int, other: int) -> bool:
    scores = ranking.scores
    return bool(abs(scores[one] - scores[other]) <= NOISE * np.abs(scores).max())


def drawn(kept: Mapping[int, Answered], most: int, rng: np.random.Generator) -> list[int]:
    """Which of the stored answers are asked anew: of each day in turn, the oldest first.

    kept   stored answers by the places of their queries
    """
    days: dict[str, list[int]] = {}
    for at in rng.permutation(np.array(sorted(kept), dtype=np.int64)).tolist():
        days.setdefault(kept[at].day, []).append(at)
    turns = sorted((turn, day, at) for day, places in days.items() for turn, at in enumerate(places))
    return [at for _, _, at in turns[:most]]


Ask = Callable[[Sequence[int]], Sequence[Answered]]


def probe(kept: Mapping[int, Answered], places: Sequence[int], depth: int, ask: Ask) -> Probe:
    """Asks the queries at these places anew and holds the answers against the stored ones; `ask` asks several."""
    fresh = dict(zip(places, ask(places), strict=True))
    failed = [at for at, answer in fresh.items() if answer.failures]
    differing = {
        at: what
        for at, answer in fresh.items()
        if not answer.failures and (what := difference(kept[at].ranking, answer.ranking, depth))
    }
    if differing:
        again = dict(zip(differing, ask(list(differing)), strict=True))
        varying = [
            at
            for at, answer in again.items()
            if not answer.failures and difference(fresh[at].ranking, answer.ranking, depth)
        ]
        first = (varying or list(differing))[0]
        verdict: Finding = "varies" if varying else "changed"
        return Probe(verdict, len(fresh), len(kept), len(failed), kept[first].query_id, differing[first])
    if failed:
        why = fresh[failed[0]].failures[0]
        what = f"{why.kind}: {why.message}"
        return Probe("unchecked", len(fresh), len(kept), len(failed), kept[failed[0]].query_id, what)
    return Probe("same", len(fresh), len(kept))
