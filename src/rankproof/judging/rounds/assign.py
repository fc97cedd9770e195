"""Assign pairs to judges by name, some of them to all judges; and how many of them are answered.

  * the pairs that all judges get are drawn at random from all: agreement on them is an estimate for the rest;
  * of the rest every judge gets a stretch of whole queries, as far as stretches of one length allow: the documents of a
    query are graded by one person. No two judges' shares differ by more than one pair;
  * all go through the queries in one order, so that agreement can be watched from the first day, and through the
    documents of a query each in an order of their own, which hides ranks.
The same pairs, judges and seed give the same hands.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rankproof.errors import UsageError
from rankproof.judging.records import Assignment, Judgment
from rankproof.judging.rounds.pool import rng_of, turn_of
from rankproof.judging.rounds.progress import Pair
from rankproof.judging.selections.contract import Material, SelectedPair
from rankproof.kernel.specs.calls import Configured


def pick(selection: Configured, material: Material, n: int, without: Collection[Pair]) -> list[SelectedPair]:
    """The first `n` pairs of a selection that are not among `without`; an error where there are fewer."""
    capped = selection.values.get("pairs") is None and "pairs" in selection.values
    limit, open_pairs, given = n, [], 0
    while True:
        # Each increase of the limit adds one pair at most, so that this reaches exactly `n`.
        values = {**selection.values, "pairs": limit} if capped else selection.values
        chosen = selection.item.select(material, values)
        open_pairs = [one for one in chosen if one.pair not in without]
        if len(open_pairs) >= n:
            return open_pairs[:n]
        if not capped or len(chosen) == given:
            break
        given, limit = len(chosen), limit + n - len(open_pairs)
    raise UsageError(
        f"{selection} gives {len(open_pairs):,} pairs that are not handed out, graded or gold yet, and {n:,} are "
        "wanted. "
        f"Give a selection that goes deeper, or --pairs {len(open_pairs)}."
    )


def graded_by_people(judgments: Sequence[Judgment]) -> set[Pair]:
    """The pairs that somebody has graded."""
    return {(act.query_id, act.doc_id) for act in judgments if act.grade is not None and act.source.kind == "person"}


def deal(
    chosen: Sequence[SelectedPair],
    judges: Sequence[str],
    overlap: int,
    each: int = 1,
    seed: int = 0,
    selection: str = "",
) -> list[Assignment]:
    """Hands pairs out: `overlap` of them to all judges, the others to `each` judges; in the order of each judge."""
    _refuse(len(chosen), judges, overlap, each)
    queries = list(dict.fromkeys(one.query_id for one in chosen))
    drawn = rng_of(seed, "overlap").permutation(len(chosen))[:overlap].tolist()
    common = {chosen[i].pair for i in drawn}
    shares = _shares([one for one in chosen if one.pair not in common], queries, len(judges), seed)
    turn = _shuffled(queries, seed, "asking")
    dealt: list[Assignment] = []
    for at, judge in enumerate(judges):
        mine = [one for one in chosen if one.pair in common]
        mine += [one for back in range(each) for one in shares[(at - back) % len(judges)]]
        mine.sort(key=lambda one: (turn[one.query_id], turn_of(seed, judge, one.pair)))
        dealt += [
            Assignment(*one.pair, place=place, judge=judge, weight=one.weight, selection=selection)
            for place, one in enumerate(mine, start=1)
        ]
    return dealt


def _shares(
    rest: Sequence[SelectedPair], queries: Sequence[str], judges: int, seed: int
) -> list[Sequence[SelectedPair]]:
    """As many stretches as there are judges, query by query; lengths differ by one at most."""
    place = _shuffled(queries, seed, "sharing")
    ordered = sorted(rest, key=lambda one: place[one.query_id])
    ends = [at * len(ordered) // judges for at in range(judges + 1)]
    return [ordered[start:end] for start, end in pairwise(ends)]


def _shuffled(queries: Sequence[str], seed: int, why: str) -> Mapping[str, int]:
    order = rng_of(seed, why).permutation(len(queries)).tolist()
    return {queries[i]: place for place, i in enumerate(order)}


def _refuse(pairs: int, judges: Sequence[str], overlap: int, each: int) -> None:
    if len(set(judges)) < len(judges):
        raise UsageError(f"A judge is named twice: {', '.join(judges)}. Name each once.")
    if overlap > pairs:
        raise UsageError(f"{overlap:,} pairs for all judges are more than the {pairs:,} pairs. Give fewer.")
    if overlap and len(judges) < 2:
        raise UsageError("Pairs that all judges get tell how far they agree, which takes two judges or more.")
    if each > len(judges):
        raise UsageError(f"{each} judges cannot grade each pair: there are {len(judges)}.")


def taken_back(assignments: Sequence[Assignment], judgments: Sequence[Judgment], judge: str) -> list[Assignment]:
    """Withdrawals of the assignments that a judge has not answered; "later" is no answer."""
    answered = {
        (act.query_id, act.doc_id)
        for act in judgments
        if act.judge == judge and act.reason != "later" and not act.settles
    }
    return [
        replace(one, withdrawn=True, time="")
        for one in assignments
        if one.judge == judge and (one.query_id, one.doc_id) not in answered
    ]


@dataclass(frozen=True, slots=True)
class Handed:
    """The assignments of one judge. "Cannot tell" counts as an answer, "later" does not.

    judge   empty for the pairs that anybody may take: those are answered once somebody has
    """

    judge: str
    asked: int
    answered: int

    @property
    def left(self) -> int:
        """Pairs that wait for a word."""
        return self.asked - self.answered

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {"judge": self.judge, "asked": self.asked, "answered": self.answered, "left": self.left}


def handed_out(
    assignments: Iterable[Assignment], judgments: Iterable[Judgment], gold: Collection[Pair] = ()
) -> tuple[Handed, ...]:
    """By judge, in alphabetical order. Pairs that have become gold questions are not counted."""
    assigned: dict[str, set[Pair]] = {}
    for one in assignments:
        if (one.query_id, one.doc_id) not in gold:
            assigned.setdefault(one.judge, set()).add((one.query_id, one.doc_id))
    answered: dict[str, set[Pair]] = {}
    for act in judgments:
        if act.reason != "later" and act.source.kind == "person" and not act.settles:
            for name in (act.judge, ""):
                answered.setdefault(name, set()).add((act.query_id, act.doc_id))
    return tuple(
        Handed(judge, len(pairs), len(pairs & answered.get(judge, set()))) for judge, pairs in sorted(assigned.items())
    )
