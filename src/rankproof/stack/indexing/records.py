"""Records of indexing: which indexes a configuration names, what was done to each, and the document `index/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rankproof.stack.engines.contract import Engine
from rankproof.stack.filling import Fills
from rankproof.stack.records import Step

# What was done: "planned" under --dry-run.
OUTCOMES = ("planned", "made", "made anew", "resumed", "there")


@dataclass(frozen=True, slots=True, eq=False)
class IndexTarget:
    """One index that modes of a configuration search.

    place   the parameters that say which index it is, with their values as they are written
    steps   the engine of each mode that searches it, by the name of the mode
    """

    engine: Engine
    fills: Fills
    place: Mapping[str, str]
    steps: Mapping[str, Step]

    @property
    def name(self) -> str:
        """For people: "opensearch 'shop'"."""
        return f"{self.engine.name} {self.place[self.fills.place[-1]]!r}"


@dataclass(frozen=True, slots=True)
class WithoutIndex:
    """A mode, or a part of one, that has no index to be filled."""

    mode: str
    engine: str
    why: str


@dataclass(frozen=True, slots=True)
class FillOptions:
    """How an index is filled.

    batch     documents of one request, at most
    sample    how many documents are read back and compared; None for all
    replace   whether an index of another dataset or with other settings, made by rankproof, is removed first
    """

    batch: int = 500
    sample: int | None = 100
    replace: bool = False


@dataclass(frozen=True, slots=True)
class SearchTried:
    """How many sampled documents a mode found by their own words, of how many; `why` where none could be tried."""

    tried: int
    found: int
    why: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class IndexedTarget:
    """What was done to one index, and what it holds.

    outcome   one of OUTCOMES
    plan      what is made: mapping or statements
    marker    what stands in the index for the next time
    compared  how many documents were read back and compared
    searches  by mode, how many of the sampled documents a search found
    faults    what is not as it should be, in words; empty where all is well
    put, seconds, bytes, retries   what differs from one time to the next
    """

    target: IndexTarget
    outcome: str
    documents: int
    fields: tuple[str, ...]
    vectors: Mapping[str, int]
    plan: Mapping[str, object]
    marker: Mapping[str, object]
    compared: int = 0
    searches: Mapping[str, SearchTried] = field(default_factory=dict)
    faults: tuple[str, ...] = ()
    put: int = 0
    seconds: float = 0.0
    bytes: int | None = None
    retries: int = 0

    def to_dict(self) -> dict[str, object]:
        """All that is the same each time."""
        return {
            "engine": self.target.engine.name,
            "place": dict(self.target.place),
            "modes": list(self.target.steps),
            "documents": self.documents,
            "fields": list(self.fields),
            "vectors": dict(self.vectors),
            "plan": dict(self.plan),
            "marker": dict(self.marker),
            "compared": self.compared,
            "searches": {
                mode: {"tried": one.tried, "found": one.found, "why": one.why or None}
                for mode, one in self.searches.items()
            },
            "faults": list(self.faults),
        }

    def observed(self) -> dict[str, object]:
        """What differs from one time to the next."""
        return {
            "outcome": self.outcome,
            "put": self.put,
            "seconds": round(self.seconds, 6),
            "bytes": self.bytes,
            "retries": self.retries,
        }


@dataclass(frozen=True, slots=True, eq=False)
class IndexingReport:
    """Every index of a configuration."""

    dataset: str
    corpus: str
    indexes: tuple[IndexedTarget, ...]
    left_out: tuple[WithoutIndex, ...]

    @property
    def faults(self) -> int:
        """How many faults there are in all indexes."""
        return sum(len(one.faults) for one in self.indexes)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it, without what differs from one time to the next."""
        return {
            "dataset": {"source": self.dataset, "corpus": self.corpus},
            "indexes": [one.to_dict() for one in self.indexes],
            "left_out": [{"mode": one.mode, "engine": one.engine, "why": one.why} for one in self.left_out],
        }

    def observed(self, seconds: float) -> dict[str, object]:
        """Seconds, sizes and what was done this time."""
        return {"seconds": round(seconds, 6), "indexes": [one.observed() for one in self.indexes]}
