"""Splitting: queries to dev and test (or any parts) so that segments stay balanced and no text is on two sides.

Queries whose texts are the same (see normal) are one unit and stay together. Units are grouped by the values of the
columns, and each group is shared out by largest remainder; what rounding takes from a part in one group, the next
group gives back, so that the whole parts have their sizes as well.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.reading.collection import Query
from rankproof.reading.datasets.joins import join
from rankproof.reading.datasets.layout import ALL
from rankproof.reading.datasets.queries import lot, normal
from rankproof.reading.datasets.records import Dataset

# A name of a split becomes the name of a file.
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
Unit = list[Query]


def split(dataset: Dataset, parts: Mapping[str, float], by: Sequence[str] = (), seed: int = 0) -> dict[str, Dataset]:
    """The parts by name, each a dataset on the same documents.

    `parts` are shares of the queries (numbers up to 1, together at most 1) or numbers of queries (whole, above 1).
    Queries without text or without judgments are in no part, nor are those beyond the shares.
    """
    for column in by:
        if column not in dataset.columns:
            raise UnknownName("column of the queries", column, dataset.columns)
    queries = dataset.judged_queries
    if not queries:
        raise InputError(f"{dataset.source} has no query with text and judgments: there is nothing to split.")
    shares = _shares(parts, len(queries))
    strata = _strata(queries, by, seed)
    given = dict.fromkeys(shares, 0)
    chosen: dict[str, list[str]] = {name: [] for name in shares}
    seen = 0
    for units in strata:
        seen += sum(map(len, units))
        room = _room(shares, given, seen)
        for unit in units:
            # The part with most room takes it; of parts with equal room the one named first.
            name = max(room, key=lambda part: room[part])
            room[name] -= len(unit)
            given[name] += len(unit)
            chosen[name] += [query.query_id for query in unit]
    empty = [name for name in parts if not chosen[name]]
    if empty:
        raise UsageError(
            f"The split {empty[0]!r} would have no query: there are {len(queries):,} to share out. Ask for fewer or "
            "larger parts."
        )
    return {name: _part(dataset, chosen[name], f"{dataset.name}/{name}") for name in parts}


def _part(dataset: Dataset, ids: Sequence[str], name: str) -> Dataset:
    part = dataset.select(ids, name)
    return replace(part, findings=tuple(join(part.corpus, part.queries, part.qrels, part.source)[1]))


def with_splits(dataset: Dataset, parts: Mapping[str, Dataset]) -> Dataset:
    """One dataset of all parts, with the parts as its splits."""
    splits = {name: tuple(query.query_id for query in part.queries) for name, part in parts.items()}
    chosen = _part(dataset, [query for ids in splits.values() for query in ids], dataset.name)
    left = len(dataset.queries) - len(chosen.queries)
    notes = (*chosen.notes, f"{left:,} queries are in no split") if left else chosen.notes
    return replace(chosen, splits=splits, notes=notes)


def _shares(parts: Mapping[str, float], total: int) -> dict[str, float]:
    """Each part's share of the queries, and under "" the share that is left out."""
    if not parts:
        raise UsageError("A split needs at least one part, such as dev=0.5.")
    for name in parts:
        if not _NAME.fullmatch(name) or name == ALL:
            raise UsageError(f"{name!r} cannot be the name of a split. Use letters, digits, '.', '-', '_'.")
    for name, value in parts.items():
        if not math.isfinite(value) or value <= 0 or (value > 1 and value != int(value)):
            raise UsageError(
                f"{name}={value} is neither a share above 0 and at most 1 nor a number of queries. "
                "Give shares such as 0.5, or whole numbers such as 50."
            )
    sized = [value > 1 for value in parts.values()]
    if any(sized) and not all(value > 1 or isinstance(value, int) for value in parts.values()):
        raise UsageError("Parts are either all shares (such as 0.5) or all numbers of queries (such as 50).")
    # A whole 1 beside whole numbers is one query; alone, or beside shares, it is everything.
    shares = {name: value / total if any(sized) else float(value) for name, value in parts.items()}
    left = 1 - math.fsum(shares.values())
    if left < -1e-9:
        total_parts = f"{sum(parts.values()):g}"
        raise UsageError(
            f"The parts need {total_parts} queries, but {total:,} have text and judgments."
            if any(sized)
            else f"The shares add up to {total_parts}, which is more than 1."
        )
    return {**shares, "": left} if left > 1e-9 else shares


def _strata(queries: Sequence[Query], by: Sequence[str], seed: int) -> list[list[Unit]]:
    """Units by the values of their queries' columns: strata in order of values, units by size, then random key."""
    same: dict[str, Unit] = {}
    for query in sorted(queries, key=lambda query: lot(seed, query.query_id)):
        same.setdefault(normal(query.text), []).append(query)
    strata: dict[tuple[str, ...], list[Unit]] = {}
    for unit in same.values():
        # Equal texts may be of different kinds: the unit takes the kind of the query whose random key is first.
        strata.setdefault(tuple(unit[0].columns.get(column, "") for column in by), []).append(unit)
    # Large units first, while there is room for them; the sort is stable, so random keys decide among equals.
    return [sorted(strata[values], key=len, reverse=True) for values in sorted(strata)]


def _room(shares: Mapping[str, float], given: Mapping[str, int], seen: int) -> dict[str, float]:
    """How many queries each part may still take so that it has its share of all seen so far, by largest remainder."""
    ideal = {name: share * seen for name, share in shares.items()}
    whole = {name: math.floor(value + 1e-9) for name, value in ideal.items()}
    order = sorted(shares, key=lambda name: whole[name] - ideal[name])  # stable: the one named first goes first
    for name in order[: seen - sum(whole.values())]:
        whole[name] += 1
    return {name: whole[name] - given[name] for name in shares}
