"""The interleaved list of a page from the rankings and a key, and lists of a log rebuilt.

The same experiment, key, rankings and method give the same list, on any machine. A key names one page: the session and
the query, so that a user who comes back to it finds it as it was. The order in which the systems are named changes
nothing.

Only as many ranks as the shortest ranking has are drafted, since at every rank every system must be able to have its
way. What the systems rank beyond that fills the page, best rank first, and earns nobody anything; so a system that
finds too little cannot be distinguished from one that finds enough. That takes an A/B test.

Made anew, a list is right only if rankings, method, depth and experiment are those that the server had. Where the log
says what was shown, the two are held against each other. A page that differs, and one whose key has two lists, is left
out and counted. A few do no harm: an index changed while users looked. More than 1 in 100 say that the experiment is
not what it is taken for, and are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import Configured, read_configured
from rankproof.online.interleaving.logs import InterleavingLog, LoggedPage
from rankproof.online.interleaving.records import InterleavedList
from rankproof.online.interleavings._key_rng import KeyRng
from rankproof.online.interleavings.contract import Interleaving

DEPTH = 10


def interleave(
    rankings: Mapping[str, Sequence[str]],
    key: str,
    method: str = "team_draft",
    depth: int = DEPTH,
    experiment: str = "",
) -> InterleavedList:
    """The list to show: at most `depth` documents, and what a click on each is worth to each system."""
    chosen = _configured(method)
    if depth < 1:
        raise UsageError(f"depth must be 1 or more; got {depth}.")
    systems = tuple(sorted(rankings))
    _check_systems(systems, chosen)
    ranked = {name: rankings[name] for name in systems}
    for name, ranking in ranked.items():
        _check_ranking(name, ranking)
    size = min(depth, min(map(len, ranked.values())))
    drafted = chosen.item.draft(ranked, size, KeyRng(key, experiment), chosen.values)
    filling = _filling(ranked, drafted.docs, depth)
    nothing = (0.0,) * len(systems)
    return InterleavedList(
        method=chosen.text,
        systems=systems,
        docs=(*drafted.docs, *filling),
        credits=(*drafted.credits, *([nothing] * len(filling))),
        teams=(*drafted.teams, *([None] * len(filling))),
        credited=len(drafted.docs),
    )


@lru_cache(maxsize=64)
def _configured(method: str) -> Configured:
    return read_configured("interleavings", method)


def _check_systems(systems: Sequence[str], chosen: Configured) -> None:
    item: Interleaving = chosen.item
    if len(systems) < 2:
        raise UsageError(f"Interleaving takes the rankings of two systems or more; got {len(systems)}.")
    if item.most is not None and len(systems) > item.most:
        raise UsageError(
            f"{item.name} takes {item.most} systems; got {len(systems)}: {', '.join(systems)}. "
            "Use team_draft_multileave or probabilistic for more."
        )


def _check_ranking(name: str, ranking: Sequence[str]) -> None:
    if len(set(ranking)) != len(ranking):
        twice = next(doc for i, doc in enumerate(ranking) if doc in ranking[:i])
        raise InputError(f"The ranking of {name!r} has document {twice!r} twice. Rank each document once.")


def _filling(rankings: Mapping[str, Sequence[str]], drafted: Sequence[str], depth: int) -> list[str]:
    """What fills the page below: by best rank, and by the system's name where two are equal."""
    missing = depth - len(drafted)
    if missing == 0:
        return []
    documents: dict[str, None] = {}
    shown = set(drafted)
    for rank in range(max(map(len, rankings.values()))):
        for ranking in rankings.values():
            if rank < len(ranking) and ranking[rank] not in shown:
                documents.setdefault(ranking[rank])
        if len(documents) >= missing:
            break
    return list(documents)[:missing]


# The share of pages that may differ.
ALLOWED = 0.01


@dataclass(frozen=True, slots=True)
class ListRecipe:
    """All that a list is made from, but for its key: the rankings of each system by query."""

    rankings: Mapping[str, Mapping[str, Sequence[str]]]
    method: str = "team_draft"
    depth: int = DEPTH
    experiment: str = ""

    def made(self, key: str, query: str) -> InterleavedList | None:
        """The list; None where no system ranks anything for the query."""
        ranked = {name: by_query.get(query, ()) for name, by_query in self.rankings.items()}
        if not any(ranked.values()):
            return None
        return interleave(ranked, key, self.method, self.depth, self.experiment)


@dataclass(slots=True)
class LeftOutKeys:
    """Keys that were left out, and why; the place of the first one that differs."""

    stray: int = 0
    changed: int = 0
    mismatched: int = 0
    unranked: int = 0
    first: str = field(default="")

    def differs(self, page: LoggedPage, *, changed: bool) -> None:
        """Counts a page that is not what it should be."""
        self.changed += changed
        self.mismatched += not changed
        self.first = self.first or page.place


def lists(
    logged: InterleavingLog, recipe: ListRecipe | None, left_out: LeftOutKeys
) -> Iterator[tuple[str, LoggedPage, InterleavedList]]:
    """Every page that counts with its key and its list; what is left out is counted on the way."""
    count = 0
    for key, page in logged.pages.items():
        count += 1
        if page.changed:
            left_out.differs(page, changed=True)
        elif recipe is None:
            interleaved = _logged(page)
            if interleaved is None:
                left_out.stray += len(page.touches)
            else:
                yield key, page, interleaved
        else:
            if page.query is None:
                raise InputError(f"{page.place}: key {key!r} has no query_id in any row. Log the query of every page.")
            made = recipe.made(key, page.query)
            seen = page.docs if page.shown is None else page.shown.docs
            if made is None:
                left_out.unranked += 1
            elif seen is not None and seen != made.docs:
                left_out.differs(page, changed=False)
            else:
                yield key, page, made
    differing = left_out.changed + left_out.mismatched
    if differing > ALLOWED * count:
        raise InputError(_refusal(left_out, differing, count))


def _logged(page: LoggedPage) -> InterleavedList | None:
    if page.shown is None and page.docs is not None:
        raise InputError(
            f"{page.place}: the log has the documents that were shown and not what clicks on them are worth. "
            "Give the runs (--run) that the lists were made from, so that they can be rebuilt."
        )
    return page.shown


def _refusal(left_out: LeftOutKeys, differing: int, count: int) -> str:
    what = []
    if left_out.changed:
        what.append(
            f"{counted(left_out.changed, 'page has', 'pages have')} two different lists under one key: make the key "
            "of the session and the query, "
            "and do not change the rankings during the experiment"
        )
    if left_out.mismatched:
        what.append(
            f"{counted(left_out.mismatched, 'page differs', 'pages differ')} from the list that the runs, method, "
            "depth and experiment give: use those that the server had"
        )
    affected = f"{differing:,} of {counted(count, 'page')}"
    return f"{affected} cannot be trusted, the first in {left_out.first}: {'; '.join(what)}."
