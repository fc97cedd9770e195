"""Rebuilding: the list of every page of a log: as it was logged, or made anew from the runs and the key.

Made anew, a list is right only if rankings, method, depth and experiment are those that the server had. Where the log
says what was shown, the two are held against each other. A page that differs, and one whose key has two lists, is left
out and counted. A few do no harm: an index changed while users looked. More than 1 in 100 say that the experiment is
not what it is taken for, and are refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rankproof.errors import InputError
from rankproof.flow.interleaving.logs import Logged, LoggedPage
from rankproof.flow.interleaving.showing import DEPTH, interleave
from rankproof.records.interleaving import Shown

# The share of pages that may differ.
ALLOWED = 0.01


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that a list is made from, but for its key: the rankings of each system by query."""

    rankings: Mapping[str, Mapping[str, Sequence[str]]]
    method: str = "team_draft"
    depth: int = DEPTH
    experiment: str = ""

    def made(self, key: str, query: str) -> Shown | None:
        """The list; None where no system ranks anything for the query."""
        ranked = {name: by_query.get(query, ()) for name, by_query in self.rankings.items()}
        if not any(ranked.values()):
            return None
        return interleave(ranked, key, self.method, self.depth, self.experiment)


@dataclass(slots=True)
class LeftOut:
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


def lists(logged: Logged, recipe: Recipe | None, left_out: LeftOut) -> Iterator[tuple[str, LoggedPage, Shown]]:
    """Every page that counts with its key and its list; what is left out is counted on the way."""
    count = 0
    for key, page in logged.pages.items():
        count += 1
        if page.changed:
            left_out.differs(page, changed=True)
        elif recipe is None:
            found = _logged(page)
            if found is None:
                left_out.stray += len(page.touches)
            else:
                yield key, page, found
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


def _logged(page: LoggedPage) -> Shown | None:
    if page.shown is None and page.docs is not None:
        raise InputError(
            f"{page.place}: the log has the documents that were shown and not what clicks on them are worth. "
            "Give the runs (--run) that the lists were made from, so that they can be made anew."
        )
    return page.shown


def _refusal(left_out: LeftOut, differing: int, count: int) -> str:
    what = []
    if left_out.changed:
        what.append(
            f"{left_out.changed:,} have two different lists under one key: make the key of the session and the query, "
            "and keep the rankings as they are during the experiment"
        )
    if left_out.mismatched:
        what.append(
            f"{left_out.mismatched:,} are not what the runs, method, depth and experiment give: take those that the "
            "server had"
        )
    return f"{differing:,} of {count:,} pages cannot be trusted, the first in {left_out.first}: {'; '.join(what)}."
