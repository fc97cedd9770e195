"""The batch: every preference, pick and flag that holds, over all queries that somebody said something about."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from rankproof.flow.preferring.duels import duels
from rankproof.flow.preferring.standing import Grades, each_once, standing
from rankproof.records.judging import Mark, Preference
from rankproof.records.preferring import Batch, VariantTally

# {query_id: the documents, best first}
Rankings = Mapping[str, Sequence[str]]


def summarize(
    variants: Mapping[str, Rankings],
    preferences: Sequence[Preference],
    marks: Sequence[Mark],
    grades: Grades,
    relevant: int,
    k: int,
) -> Batch:
    """What was said about these variants. `preferences` and `marks` are those that hold.

    A preference counts when two of its variants are among these. Picks and flags count where a variant has the
    document among its first k.
    """
    names = tuple(variants)
    counted = [said for said in preferences if len(set(names) & set(said.variants)) > 1]
    once = [
        mark for mark in each_once(marks)
        if any(mark.doc_id in rankings.get(mark.query_id, ())[:k] for rankings in variants.values())
    ]  # fmt: skip
    by_query: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in once:
        by_query[mark.query_id].append(mark)
    compared = {said.query_id for said in counted} | by_query.keys()
    return Batch(
        k,
        len(compared),
        tuple(sorted({said.judge for said in counted} | {mark.judge for mark in once})),
        len(counted),
        sum(said.blind for said in counted),
        sum(mark.kind == "pick" for mark in once),
        sum(mark.kind == "flag" for mark in once),
        tuple(
            _tally(name, rankings, compared, by_query, grades, relevant, k) for name, rankings in variants.items()
        ),
        duels(counted, names),
    )  # fmt: skip


def _tally(
    name: str,
    rankings: Rankings,
    compared: set[str],
    by_query: Mapping[str, Sequence[Mark]],
    grades: Grades,
    relevant: int,
    k: int,
) -> VariantTally:
    ranked = sorted(query for query in compared if query in rankings)
    each = [standing(rankings[q], grades.get(q, {}), relevant, by_query.get(q, ()), k) for q in ranked]
    known = [one for one in each if one.precision is not None]
    ranks, reasons = [0] * k, Counter[str]()
    for query in ranked:
        place = {doc: at for at, doc in enumerate(rankings[query][:k])}
        for mark in by_query.get(query, ()):
            if mark.doc_id in place and mark.kind == "pick":
                ranks[place[mark.doc_id]] += 1
            elif mark.doc_id in place:
                reasons[mark.reason or "no reason"] += 1
    return VariantTally(
        name,
        len(ranked),
        sum(one.precision for one in known if one.precision is not None) / len(known) if known else None,
        len(known),
        sum(one.judged for one in known) / (k * len(known)) if known else None,
        sum(ranks),
        tuple(ranks),
        sum(reasons.values()),
        dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))),
    )
