"""Benchmark: modes of a search stack on the same queries: what was asked for, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankproof.records.design import DEFAULT_DESIGN, Design
from rankproof.records.pipeline import Step
from rankproof.records.prices import Prices

if TYPE_CHECKING:
    from rankproof.records.advice import Advice
from rankproof.records.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkConfig:
    """Which pipelines, on which queries, by which measures.

    modes      named pipelines, in the order of the table
    baseline   the mode that all others are compared with
    before     for each mode the one that it builds on, where there is one: the longest of `inputs`
    inputs     for each mode all modes that it builds on: a fusion may have several
    by         columns of the queries that make segments
    folder     what relative paths are named from
    limits     how hard live engines may be asked, where not as usual
    prices     what queries cost, where somebody said so
    """

    name: str
    dataset: str
    modes: Mapping[str, Step]
    baseline: str
    before: Mapping[str, str]
    measures: tuple[str, ...]
    depth: int = 100
    split: str = ""
    by: tuple[str, ...] = ()
    design: Design = DEFAULT_DESIGN
    folder: str = "."
    source: str = ""
    inputs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    limits: Mapping[str, Any] = field(default_factory=dict)
    prices: Prices | None = None


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of single queries, over those that were asked now; None where none was."""

    queries: int
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """What a mode hands on: no stage after it can do better than this.

    documents   of a query, mean
    recall      share of the relevant documents that is among them, mean over queries
    best        the measure's value with these documents in the best order
    """

    documents: float
    recall: float
    best: float


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a rerank could have won with what it was given, and what it won and lost.

    recall     share of the relevant documents that is among the first `depth` it was given, mean over queries
    before     the measure's value before the rerank
    after      and after it
    best       and with the same first `depth` documents in the best order
    wins, same, losses   queries by what the rerank made of them
    entered, left        relevant documents that it moved into the first `k` and out of them, over all queries
    """

    measure: str
    depth: int
    recall: float
    before: float
    after: float
    best: float
    wins: int
    same: int
    losses: int
    k: int
    entered: int
    left: int

    @property
    def won(self) -> float | None:
        """The share of what could be won that was won; below 0 where it lost. None where nothing could be won."""
        return (self.after - self.before) / (self.best - self.before) if self.best != self.before else None


@dataclass(frozen=True, slots=True)
class Rescue:
    """Relevant documents in the first k of a fusion and of its inputs, over all queries.

    relevant   how many the fusion has there
    rescued    by input: how many of these the input had not in its own first k
    lost       by input: how many the input had in its first k and the fusion has not
    dropped    how many some input had in its first k and the fusion has not
    new        how many the fusion has there that no input had in its first k
    """

    k: int
    relevant: int
    rescued: Mapping[str, int]
    lost: Mapping[str, int]
    dropped: int
    new: int


@dataclass(frozen=True, slots=True, eq=False)
class ModeRow:
    """One mode of the benchmark.

    inputs     the modes that it builds on; `before` is the longest of them
    failures   how many, by kind
    examples   by kind the first of them, in words
    cost       of 1,000 queries; None where nobody said a price
    identity   what the answers depend on, by step
    notes      what steps have to say about their answers, by step
    """

    mode: str
    pipeline: str
    before: str | None
    latency: Latency
    failures: Mapping[str, int] = field(default_factory=dict)
    ceiling: Ceiling | None = None
    rescue: Rescue | None = None
    identity: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    inputs: tuple[str, ...] = ()
    examples: Mapping[str, str] = field(default_factory=dict)
    cost: float | None = None
    reach: Reach | None = None
    notes: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """What came out.

    comparison   all pairs of modes in all measures on all queries, as one family
    best         by measure the mode that is shown to be better than every other, if any
    by_segment   the same with every segment of the queries, as a larger family; None without segments
    advice       what to ship by the first measure
    unbeaten     by "time" and "cost": the modes that no other one beats there without being worse in the first measure
    """

    config: BenchmarkConfig
    rows: tuple[ModeRow, ...]
    comparison: Comparison
    best: Mapping[str, str | None]
    dataset_hash: str
    queries: int
    documents: int
    by_segment: Comparison | None = None
    unbeaten: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    advice: Advice | None = None
