"""Audits: can reported values be true together, and is a run what it is said to be?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ReportVerdict = Literal["possible", "impossible", "undecided"]
RerankVerdict = Literal["clean", "broken"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A reported value: the measure's canonical text, the value as written, and what may have been rounded to it."""

    measure: str
    said: str
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the relevant documents of a query stand.

    ranks     ranks of the relevant documents that are ranked, ascending
    grades    their grades, in the order of the ranks
    missed    grades of the relevant documents that are not ranked at all
    values    the measures' values, by text
    queries   for how many queries, in an example of several
    """

    ranks: tuple[int, ...]
    grades: tuple[int, ...]
    missed: tuple[int, ...]
    values: Mapping[str, float]
    queries: int = 1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Claims that cannot hold together, none of which can be spared for it; and why, in a sentence."""

    measures: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Instead:
    """What a claim could say if all others hold.

    values      values it could have, ascending; empty where they are not known one by one
    complete    whether these are all; else they are the nearest to what was said, on both sides
    least       no value lies below; and none above `greatest`
    placements  rankings that give the values, one for each
    """

    measure: str
    said: str
    values: tuple[float, ...]
    least: float
    greatest: float
    placements: tuple[Placement, ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class ReportAudit:
    """What `rankproof audit report` answers.

    verdict          possible: there is an example. impossible: there is a proof. undecided: neither was found
    relevant         how many relevant documents a query has, in words
    contradictions   the smallest sets of claims that cannot hold together
    instead          for each claim that could be the only wrong one, what it could say
    example          rankings that give all the values; for means, of how many queries each
    notes            what was looked at and what was taken for granted
    """

    verdict: ReportVerdict
    claims: tuple[Claim, ...]
    queries: int
    relevant: str
    contradictions: tuple[Contradiction, ...] = ()
    instead: tuple[Instead, ...] = ()
    example: tuple[Placement, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Break:
    """One place where a run is no rerank of another: a document, its rank on both sides (None: not ranked), and why."""

    query_id: str
    doc_id: str
    base_rank: int | None
    rank: int | None
    reason: str


@dataclass(frozen=True, slots=True)
class Moved:
    """A set measure on both sides that a rerank must leave as it is."""

    measure: str
    base: float
    reranked: float


@dataclass(frozen=True, slots=True)
class RerankAudit:
    """What `rankproof audit rerank` answers.

    depth        what was claimed; without a claim, the least depth for which it holds
    least_depth  the least depth for which the run is a rerank of the base; None when there is none
    broken       queries that break it, in the order of the base
    first        the first of them, with the document; None when nothing does
    cause        a likely cause in a sentence, or ""
    moved        set measures at the depth and below that should not move, where judgments were given
    notes        ties and other things to know
    """

    verdict: RerankVerdict
    base: str
    reranked: str
    claimed: int | None
    depth: int | None
    least_depth: int | None
    queries: int
    broken: tuple[str, ...]
    first: Break | None
    cause: str = ""
    moved: tuple[Moved, ...] = ()
    notes: tuple[str, ...] = ()
