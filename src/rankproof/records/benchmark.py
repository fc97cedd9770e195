"""Benchmark: modes of a search stack on the same queries: what was asked for, and what came out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankproof.records.design import DEFAULT_DESIGN, Design
from rankproof.records.pipeline import Step

if TYPE_CHECKING:
    from rankproof.records.comparison import Comparison


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkConfig:
    """Which pipelines, on which queries, by which measures.

    modes      named pipelines, in the order of the table
    baseline   the mode that all others are compared with
    before     for each mode the one that it builds on, where there is one
    by         columns of the queries that make segments
    folder     what relative paths are named from
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


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds of single queries, over those that were asked now; None where none was."""

    queries: int
    p50: float | None = None
    p95: float | None = None
    p99: float | None = None
    most: float | None = None


@dataclass(frozen=True, slots=True)
class Ceiling:
    """What a rerank could have won with what it was given.

    recall     share of the relevant documents that is among the first `depth` it was given, mean over queries
    before     the measure's value before the rerank
    after      and after it
    best       and with the same first `depth` documents in the best order
    """

    measure: str
    depth: int
    recall: float
    before: float
    after: float
    best: float

    @property
    def won(self) -> float | None:
        """The share of what could be won that was won; below 0 where it lost. None where nothing could be won."""
        return (self.after - self.before) / (self.best - self.before) if self.best > self.before else None


@dataclass(frozen=True, slots=True)
class Rescue:
    """Relevant documents in the first k of a fusion that some of its inputs had not there, and those it dropped.

    rescued   by input: how many in the fused head that this input had not in its own
    dropped   relevant documents that some input had in its head and the fusion has not
    """

    k: int
    rescued: Mapping[str, int]
    dropped: int


@dataclass(frozen=True, slots=True, eq=False)
class ModeRow:
    """One mode of the benchmark."""

    mode: str
    pipeline: str
    before: str | None
    latency: Latency
    failures: Mapping[str, int] = field(default_factory=dict)  # by kind
    ceiling: Ceiling | None = None
    rescue: Rescue | None = None
    identity: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # by step


@dataclass(frozen=True, slots=True, eq=False)
class Benchmark:
    """What came out. `comparison` has all pairs of modes as one family; `best` says who leads where that is shown."""

    config: BenchmarkConfig
    rows: tuple[ModeRow, ...]
    comparison: Comparison
    best: Mapping[str, str | None]  # by measure: the mode that is shown to be better than every other, if any
    dataset_hash: str
    queries: int
    documents: int
