"""JudgingOverview: what the judgments of a project come to, kept up to date act by act.

`adjudicate` and `summarize` go through all judgments; with 100,000 of them and people who judge all the time, a page
cannot wait for that. An overview takes in each act once, in the order of the store. What it says of a pair is computed
again when an act about that pair came; sums are corrected by what changed. It says the same as the two functions.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from heapq import merge
from itertools import islice

from rankproof.judging.adjudicate import FEWEST, JudgeCounts, SettledPair, SplitPair, settle_pair
from rankproof.judging.records import Judgment, Scale
from rankproof.kernel.specs.calls import Configured, read_configured

Pair = tuple[str, str]
_SOURCES = ("person", "model", "clicks")
MOST_WAYS = 12  # ways to settle that are kept up to date; another one drops the one that was asked for longest ago


@dataclass(frozen=True, slots=True)
class SettledCounts:
    """What the pairs come to: how many have a grade and how many none, by grade and by how they were settled."""

    settled: int
    unresolved: int
    queries: int
    grades: dict[int, int]
    how: dict[str, int]


@dataclass(frozen=True, slots=True)
class SplitPage:
    """A part of the pairs on which judges disagree, the widest apart first.

    open, done  how many nobody has settled yet, and how many somebody has
    acts        what holds about each pair of the part, in the order of the store
    now         what each comes to
    """

    pairs: tuple[SplitPair, ...]
    open: int
    done: int
    acts: dict[Pair, tuple[Judgment, ...]]
    now: dict[Pair, SettledPair]


# Where a pair stands among those on which judges disagree: minus its spread, the query and the document.
_Place = tuple[int, str, str]


@dataclass(eq=False)
class _Way:
    """One way to settle, and whose judgments count, with its sums.

    at          how much of the log it has seen
    split       the pairs on which judges disagree: the place of each, and whether somebody has settled it
    open, done  the places of those that nobody has settled, and of the others, in their order
    """

    configured: Configured
    sources: tuple[str, ...]
    at: int = 0
    pairs: dict[Pair, SettledPair] = field(default_factory=dict)
    split: dict[Pair, tuple[_Place, bool]] = field(default_factory=dict)
    open: list[_Place] = field(default_factory=list)
    done: list[_Place] = field(default_factory=list)
    golden: dict[Pair, None] = field(default_factory=dict)
    grades: Counter[int] = field(default_factory=Counter)
    how: Counter[str] = field(default_factory=Counter)
    queries: Counter[str] = field(default_factory=Counter)


class JudgingOverview:
    """The judgments of a project. Not safe for several threads."""

    def __init__(self, scale: Scale) -> None:
        self._scale = scale
        self._said: dict[Pair, list[Judgment]] = {}
        self._withdrawn: set[str] = set()
        self._log: list[Pair] = []  # the pairs of the acts, in their order
        self._ways: dict[tuple[str, tuple[str, ...]], _Way] = {}
        self._judges: dict[tuple[str, str], Counter[int | str]] = {}
        self._counted: dict[Pair, tuple[Judgment, ...]] = {}
        self._last: dict[tuple[str, str], str] = {}
        self.people: set[str] = set()

    def record(self, acts: Iterable[Judgment]) -> None:
        """Takes in acts, in the order of the store."""
        changed: dict[Pair, None] = {}
        for act in acts:
            pair = (act.query_id, act.doc_id)
            if act.withdraws:
                self._withdrawn.add(act.withdraws)
            else:
                self._said.setdefault(pair, []).append(act)
            changed[pair] = None
        self._log.extend(changed)
        for pair in changed:
            self._count(pair)

    def holding(self, pair: Pair) -> tuple[Judgment, ...]:
        """What holds about a pair, in the order of the store: of each judge the newest, and the newest that settles."""
        newest = {(act.judge, act.settles): act for act in self._said.get(pair, ()) if act.key not in self._withdrawn}
        order = {act.key: i for i, act in enumerate(self._said.get(pair, ()))}
        return tuple(sorted(newest.values(), key=lambda act: order[act.key]))

    def current(self) -> list[Judgment]:
        """Everything that holds, by pair."""
        return [act for held in self._counted.values() for act in held]

    def about(self, pairs: Iterable[Pair], sources: Collection[str]) -> list[Judgment]:
        """What holds about some pairs."""
        return [act for pair in pairs for act in self._counted.get(pair, ()) if act.source.kind in sources]

    # ---- judges --------------------------------------------------------------------------------

    def _count(self, pair: Pair) -> None:
        held = self.holding(pair)
        for sign, acts in ((-1, self._counted.get(pair, ())), (1, held)):
            for act in acts:
                who = (act.source.kind, act.judge)
                if act.source.kind == "person":
                    self.people.add(act.judge)
                if act.settles:
                    continue
                counts = self._judges.setdefault(who, Counter())
                counts[act.reason if act.grade is None else act.grade] += sign
                self._last[who] = max(self._last.get(who, ""), act.time)
        self._counted[pair] = held

    def judges(self, sources: Collection[str]) -> tuple[JudgeCounts, ...]:
        """The judgments of each judge, as `summarize` counts them."""
        rows = [
            JudgeCounts(
                judge,
                kind,
                {grade: n for grade, n in sorted((g, n) for g, n in counts.items() if isinstance(g, int)) if n},
                counts["cannot_tell"],
                counts["later"],
                self._last[kind, judge],
            )
            for (kind, judge), counts in self._judges.items()
            if kind in sources and any(counts.values())
        ]
        return tuple(sorted(rows, key=lambda one: (_SOURCES.index(one.source), -one.judged, one.judge)))

    # ---- settling ------------------------------------------------------------------------------

    def counts(self, method: str, sources: Collection[str]) -> SettledCounts:
        """What the pairs come to by a method, as `adjudicate` says."""
        way = self._way(method, sources)
        how = dict(sorted(((h, n) for h, n in way.how.items() if n), key=lambda one: (-one[1], one[0])))
        grades = {grade: n for grade, n in sorted(way.grades.items()) if n}
        settled = sum(grades.values())
        return SettledCounts(settled, len(way.pairs) - settled, sum(n > 0 for n in way.queries.values()), grades, how)

    def qrels(self, method: str, sources: Collection[str]) -> dict[str, dict[str, int]]:
        """The settled grades, by query and document in their order."""
        grades: dict[str, dict[str, int]] = {}
        way = self._way(method, sources)
        for query_id, doc_id in sorted(way.pairs):
            grade = way.pairs[query_id, doc_id].grade
            if grade is not None:
                grades.setdefault(query_id, {})[doc_id] = grade
        return grades

    def golden(self, method: str, sources: Collection[str], known: Collection[Pair]) -> int:
        """How many pairs enough judges graded all alike, without those that are known already."""
        golden = self._way(method, sources).golden
        return len(golden) - sum(pair in golden for pair in known)

    def split(self, method: str, sources: Collection[str], start: int, size: int, every: bool) -> SplitPage:
        """The pairs on which judges disagree: `size` of them from a place on, with those settled where `every`."""
        way = self._way(method, sources)
        places = islice(merge(way.open, way.done), start, start + size) if every else way.open[start : start + size]
        pairs = [(query_id, doc_id) for _, query_id, doc_id in places]
        return SplitPage(
            tuple(SplitPair(*pair, tuple(self._grades(pair, way.sources).items())) for pair in pairs),
            len(way.open),
            len(way.done),
            {pair: self._counted[pair] for pair in pairs},
            {pair: way.pairs[pair] for pair in pairs if pair in way.pairs},
        )

    def _way(self, method: str, sources: Collection[str]) -> _Way:
        """The sums of a way to settle, up to date."""
        name = (method, tuple(source for source in _SOURCES if source in sources))
        way = self._ways.pop(name, None) or _Way(read_configured("adjudications", method), name[1])
        if len(self._ways) >= MOST_WAYS:
            del self._ways[next(iter(self._ways))]
        self._ways[name] = way
        for pair in dict.fromkeys(self._log[way.at :]) if way.at else self._counted:
            self._settle(way, pair)
        way.at = len(self._log)
        return way

    def _settle(self, way: _Way, pair: Pair) -> None:
        before = way.pairs.pop(pair, None)
        if (there := way.split.pop(pair, None)) is not None:
            places = way.done if there[1] else way.open
            del places[bisect_left(places, there[0])]
        way.golden.pop(pair, None)
        now = settle_pair(self._counted[pair], self._scale, way.configured, way.sources)
        for sign, one in ((-1, before), (1, now)):
            if one is not None:
                way.how[one.how] += sign
                if one.grade is not None:
                    way.grades[one.grade] += sign
                    way.queries[pair[0]] += sign
        if now is not None:
            way.pairs[pair] = now
            if now.grade is not None and now.agreed and len(now.votes) >= FEWEST:
                way.golden[pair] = None
        grades = self._grades(pair, way.sources).values()
        if len(set(grades)) > 1:
            place, done = (min(grades) - max(grades), *pair), any(act.settles for act in self._counted[pair])
            way.split[pair] = place, done
            insort(way.done if done else way.open, place)

    def _grades(self, pair: Pair, sources: Collection[str]) -> dict[str, int]:
        """The grades that judges gave to a pair, each alone, in alphabetical order."""
        return {
            act.judge: act.grade
            for act in sorted(self._counted[pair], key=lambda act: act.judge)
            if act.grade is not None and not act.settles and act.source.kind in sources
        }
