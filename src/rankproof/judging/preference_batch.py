"""The batch: every preference, pick and flag in force, over all queries; and as a table for spreadsheets."""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from rankproof.judging.files import guarded
from rankproof.judging.preferences import Grades, PreferenceBatch, VariantTally, duel_dict, duels, each_once, standing
from rankproof.judging.records import Mark, Preference

# {query_id: the documents, best first}
Rankings = Mapping[str, Sequence[str]]


def summarize(
    variants: Mapping[str, Rankings],
    preferences: Sequence[Preference],
    marks: Sequence[Mark],
    grades: Grades,
    relevant: int,
    k: int,
) -> PreferenceBatch:
    """Judgments of these variants. `preferences` and `marks` are those in force.

    A preference counts when two of its variants are among these. Picks and flags count where a variant has the
    document among its first k.
    """
    names = tuple(variants)
    counted = [preference for preference in preferences if len(set(names) & set(preference.variants)) > 1]
    once = [
        mark for mark in each_once(marks)
        if any(mark.doc_id in rankings.get(mark.query_id, ())[:k] for rankings in variants.values())
    ]  # fmt: skip
    by_query: defaultdict[str, list[Mark]] = defaultdict(list)
    for mark in once:
        by_query[mark.query_id].append(mark)
    compared = {preference.query_id for preference in counted} | by_query.keys()
    return PreferenceBatch(
        k,
        len(compared),
        tuple(sorted({preference.judge for preference in counted} | {mark.judge for mark in once})),
        len(counted),
        sum(preference.blind for preference in counted),
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


SUMMARY_SCHEMA = "preferences-summary/1"
COLUMNS = ("what", "variant", "against", "detail", "value")


def batch_csv(batch: PreferenceBatch) -> str:
    """The batch as a table with a header: what is counted, of which variant, against which, for which rank."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for what, variant, against, detail, value in _rows(batch):
        cell = "undefined" if value is None else f"{value:.6g}" if isinstance(value, float) else value
        writer.writerow([what, guarded(variant), guarded(against), guarded(detail), cell])
    return out.getvalue()


def _rows(batch: PreferenceBatch) -> Iterator[tuple[str, str, str, str, str | float | None]]:
    for name in ("queries", "preferences", "blind", "picks", "flags"):
        yield name, "", "", "", getattr(batch, name)
    for duel in batch.duels:
        values = duel_dict(duel)
        for name in (
            "wins",
            "ties",
            "losses",
            "share",
            "low",
            "high",
            "p_value",
            "p_value_adjusted",
            "low_adjusted",
            "high_adjusted",
        ):
            yield name, duel.first, duel.second, "", values[name]
    for variant in batch.variants:
        yield "precision", variant.name, "", f"first {batch.k}", variant.precision
        yield "precision queries", variant.name, "", "", variant.precision_queries
        yield "judged", variant.name, "", f"first {batch.k}", variant.judged
        for rank, count in enumerate(variant.picks_by_rank, 1):
            yield "picks", variant.name, "", f"rank {rank}", count
        for reason, count in variant.flags_by_reason.items():
            yield "flags", variant.name, "", reason, count
