"""Variants side by side: query sets, which variant is on which side, pairwise outcomes, and how each does.

A pick and a flag speak of a document. They count for every variant that has the document among its first k, wherever
the judge saw it: the other variants returned it as well. A judge who marks it twice has marked it once.

Whoever prefers one of several says that it beats each of the others, and nothing about the others among themselves.
"Equally good" is a tie of every pair. The query is what counts once: where several judges compared the same two, the
side that more of them prefer wins the query, and an even split is a tie.

Ties are left out of the share of wins, as in the sign test, whose p-value this is: as many fair coins as there are
queries that are no ties. The interval holds every share that the same test does not reject, so that the two never
contradict each other.

source: Clopper and Pearson, The use of confidence or fiducial limits illustrated in the case of the binomial,
Biometrika 26, 1934
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from urllib.parse import quote

import numpy as np

from rankproof.errors import UnknownName
from rankproof.judging.adjudicate import adjudicate
from rankproof.judging.records import Judgment, Mark, Preference, Scale
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate, NotEstimable
from rankproof.proving.corrections.contract import Correction, Tests
from rankproof.proving.records import Adjusted
from rankproof.proving.win_share import LEVEL, share_of_wins
from rankproof.reading.collection import Query
from rankproof.reading.segments import MOST_SEGMENTS


@dataclass(frozen=True, slots=True)
class VariantStanding:
    """One variant on one query.

    precision   relevant documents among the first k, over k; None where none of them has a grade
    judged      how many of the first k have a grade
    picks       how often one of the first k was picked, and `flags` flagged
    """

    precision: float | None
    judged: int
    picks: int
    flags: int


@dataclass(frozen=True, slots=True)
class VariantTally:
    """One variant over all queries.

    ranked            queries that it ranks, of those with a preference or a mark
    precision         mean over the `precision_queries` that have a grade among the first k; None where there is none
    judged            share of the first k places of those queries that has a grade; None likewise
    picks_by_rank     how many picks stood at each rank, from 1 to k
    flags_by_reason   by reason, the most common first
    """

    name: str
    ranked: int
    precision: float | None
    precision_queries: int
    judged: float | None
    picks: int
    picks_by_rank: tuple[int, ...]
    flags: int
    flags_by_reason: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Duel:
    """Two variants over the queries where they were compared: each query is one win, tie or loss of `first`.

    share      wins of `first` among the queries that are no ties, with its interval and the p-value of even chances
    adjusted   the same with the number of pairs accounted for
    """

    first: str
    second: str
    wins: int
    ties: int
    losses: int
    share: Estimate | NotEstimable
    adjusted: Adjusted | None


@dataclass(frozen=True, slots=True)
class PreferenceBatch:
    """All judgments of a comparison. `k` is how many results of each ranking count."""

    k: int
    queries: int
    judges: tuple[str, ...]
    preferences: int
    blind: int
    picks: int
    flags: int
    variants: tuple[VariantTally, ...]
    duels: tuple[Duel, ...]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "k": self.k,
            "queries": self.queries,
            "judges": list(self.judges),
            "preferences": self.preferences,
            "blind": self.blind,
            "picks": self.picks,
            "flags": self.flags,
            "variants": [_variant(v) for v in self.variants],
            "pairs": [duel_dict(d) for d in self.duels],
        }


def _variant(tally: VariantTally) -> dict[str, object]:
    return {
        "name": tally.name,
        "queries": tally.ranked,
        "precision": tally.precision,
        "precision_queries": tally.precision_queries,
        "judged": tally.judged,
        "picks": tally.picks,
        "picks_by_rank": list(tally.picks_by_rank),
        "flags": tally.flags,
        "flags_by_reason": dict(tally.flags_by_reason),
    }


def duel_dict(duel: Duel) -> dict[str, str | float | None]:
    """A duel for JSON."""
    share, adjusted = duel.share, duel.adjusted
    document: dict[str, str | float | None] = {
        "first": duel.first,
        "second": duel.second,
        "wins": duel.wins,
        "ties": duel.ties,
        "losses": duel.losses,
        "share": share.value,
        "method": share.method,
        "p_value_adjusted": adjusted.p_value if adjusted is not None else None,
        "low_adjusted": adjusted.low if adjusted is not None else None,
        "high_adjusted": adjusted.high if adjusted is not None else None,
    }
    if isinstance(share, NotEstimable):
        ends = dict[str, float | None].fromkeys(("low", "high", "level", "p_value"))
        return {**document, **ends, "why_not": share.reason}
    ends = {"low": share.low, "high": share.high, "level": share.level, "p_value": share.p_value}
    return {**document, **ends, "why_not": None}


Grades = Mapping[str, Mapping[str, int]]


def settled_grades(judgments: Iterable[Judgment], scale: Scale) -> dict[str, dict[str, int]]:
    """{query_id: {doc_id: grade}}: the grade that most people gave; pairs they are split on have none."""
    grades: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for pair in adjudicate(judgments, scale).pairs:
        if pair.grade is not None:
            grades[pair.query_id][pair.doc_id] = pair.grade
    return dict(grades)


def each_once(marks: Iterable[Mark]) -> list[Mark]:
    """One mark for each judge, kind, query and document: the newest."""
    return list({(m.judge, m.kind, m.query_id, m.doc_id): m for m in marks}.values())


def standing(
    ranking: Sequence[str], grades: Mapping[str, int], relevant: int, marks: Iterable[Mark], k: int
) -> VariantStanding:
    """The first k of a ranking, by the grades and marks of its query. `relevant` is the least grade that counts."""
    first = ranking[:k]
    seen = frozenset(first)
    known = [grades[doc] for doc in first if doc in grades]
    kinds = [mark.kind for mark in each_once(marks) if mark.doc_id in seen]
    precision = sum(grade >= relevant for grade in known) / k if known else None
    return VariantStanding(precision, len(known), kinds.count("pick"), kinds.count("flag"))


TYPED = "typed"
_PREFIX = "typed:"


@dataclass(frozen=True, slots=True)
class QuerySet:
    """Some queries of a project. `key` names the set in an address; `words` name it to people."""

    key: str
    words: str
    queries: tuple[Query, ...]


def typed_query(text: str, known: Sequence[Query]) -> Query:
    """What somebody typed: a query of the project with these very words, or a new one whose id is made of them."""
    words = " ".join(text.split())
    for query in known:
        if query.text == words:
            return query
    return Query(f"{_PREFIX}{sha256(words.encode('utf-8', 'surrogateescape')).hexdigest()[:16]}", words)


def query_sets(queries: Sequence[Query]) -> tuple[QuerySet, ...]:
    """All queries first, then one set for each value of each column with few values, then what was typed."""
    own = tuple(query for query in queries if not query.query_id.startswith(_PREFIX))
    typed = tuple(query for query in queries if query.query_id.startswith(_PREFIX))
    sets = [QuerySet("", "All queries", own)]
    for column in dict.fromkeys(name for query in own for name in query.columns):
        values = sorted({query.columns[column] for query in own if query.columns.get(column)})
        if len(values) > MOST_SEGMENTS:
            continue
        sets += [
            QuerySet(
                f"{quote(column)}={quote(value)}",
                f"{column}: {value}",
                tuple(query for query in own if query.columns.get(column) == value),
            )
            for value in values
        ]
    return (*sets, QuerySet(TYPED, "Typed queries", typed)) if typed else tuple(sets)


def find_set(sets: Sequence[QuerySet], key: str) -> QuerySet:
    """The set with this key."""
    for one in sets:
        if one.key == key:
            return one
    raise UnknownName("query set", key, [one.key for one in sets if one.key] or ["all queries"])


def duels(preferences: Iterable[Preference], variants: Sequence[str], level: float = LEVEL) -> tuple[Duel, ...]:
    """Every pair of the variants that was compared, with Holm's correction over these pairs."""
    scores = _scores(preferences)
    pairs = [pair for pair in combinations(variants, 2) if pair in scores or pair[::-1] in scores]
    counts = [_counts(scores, *pair) for pair in pairs]

    def answers(at: float) -> list[Estimate | NotEstimable]:
        return [share_of_wins(wins, losses, at) for wins, _, losses in counts]

    plain = answers(level)
    holm: Correction = shelf.find("corrections", "holm")
    adjusted = holm.adjust(Tests(plain, answers, (), level, 0), np.random.default_rng(0))
    return tuple(
        Duel(*pair, *count, share, corrected)
        for pair, count, share, corrected in zip(pairs, counts, plain, adjusted, strict=True)
    )


def _scores(preferences: Iterable[Preference]) -> dict[tuple[str, str], Counter[str]]:
    """For each pair: by query, how many more judges prefer the first to the second."""
    scores: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for preference in preferences:
        for first, second in combinations(sorted(preference.variants), 2):
            if preference.preferred in (None, first, second):
                scores[first, second][preference.query_id] += (preference.preferred == first) - (
                    preference.preferred == second
                )
    return dict(scores)


def _counts(scores: dict[tuple[str, str], Counter[str]], first: str, second: str) -> tuple[int, int, int]:
    """Queries that the first wins, ties and loses."""
    turned = (first, second) not in scores
    net = list(scores[(second, first) if turned else (first, second)].values())
    above, below = sum(score > 0 for score in net), sum(score < 0 for score in net)
    wins, losses = (below, above) if turned else (above, below)
    return wins, len(net) - wins - losses, losses


def shuffled(variants: Iterable[str], judge: str, query_id: str, seed: int = 0) -> tuple[str, ...]:
    """The variants in the order of a hash of judge, query, seed and name.

    Every order is equally likely, none follows from another query's, and nothing has to be stored: the page and what is
    sent from it find the same sides. The order in which the variants are named does not matter.

    >>> shuffled(["bm25", "dense"], "ann", "q1") == shuffled(["dense", "bm25"], "ann", "q1")
    True
    """
    return tuple(sorted(variants, key=lambda name: (_place(name, judge, query_id, seed), name)))


def _place(name: str, judge: str, query_id: str, seed: int) -> bytes:
    parts = ("rankproof sides 1", str(seed), judge, query_id, name)
    text = "".join(f"{len(part)} {part}\n" for part in parts)
    return sha256(text.encode("utf-8", "surrogateescape")).digest()
