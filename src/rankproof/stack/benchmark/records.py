"""Benchmark: modes of a search stack on the same queries, its advice, prices, and the document `benchmark/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, ClassVar, Literal

from rankproof.kernel.data_table import DataColumn, DataTable
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.llm.spending import CallLimits
from rankproof.kernel.sections import counted
from rankproof.kernel.shown import Shown
from rankproof.measuring.conversions import run_table, system_table
from rankproof.proving.conversions import html, rich
from rankproof.proving.conversions import to_dict as comparison_dict
from rankproof.proving.records import ALL_QUERIES, DEFAULT_DESIGN, Comparison, Contrast, Design, Direction
from rankproof.stack.benchmark.failed import FailedChoice, FailedQueries
from rankproof.stack.benchmark.prices import DEFAULT_VIEW, ModeAmounts, Prices, PriceView
from rankproof.stack.benchmark.reranks import DeclaredRerank, RerankCheck
from rankproof.stack.benchmark.times import DEFAULT_TIMING, Latency, Throughput, Timing
from rankproof.stack.records import Step


@dataclass(frozen=True, slots=True, eq=False)
class BenchmarkConfig:
    """Which pipelines, on which queries, by which measures.

    modes      named pipelines, in the order of the table
    baseline   the mode that all others are compared with
    before     for each mode the one that it builds on, where there is one: the longest of `inputs`
    inputs     for each mode all modes that it builds on: a fusion may have several
    by         columns of the queries that make segments
    folder     what relative paths are named from
    limits     limits of requests to live engines, where they differ from the defaults
    prices     what queries cost, where it has prices; `view`: by which prices quality is looked at
    ceiling    what the language models of a run may be asked and cost
    reranks    modes that are declared to rerank another one
    failed     what is made of queries that a mode failed on; and `timing`: how times are taken
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
    ceiling: CallLimits | None = None
    view: PriceView = DEFAULT_VIEW
    failed: FailedChoice = "undecided"
    timing: Timing = DEFAULT_TIMING
    reranks: Mapping[str, DeclaredRerank] = field(default_factory=dict)


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
    rescued    by input: how many of these are not in the input's own first k
    lost       by input: how many are in the input's first k and not in the fusion's
    dropped    how many are in some input's first k and not in the fusion's
    new        how many of the fusion's are in no input's first k
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
    failures   how many, by kind; `examples`: by kind the first of them, in words
    cost       of 1,000 queries; None without prices, and where it is not known: `unpriced` says why
    identity   what the answers depend on, by step
    notes      what steps have to say about their answers, by step
    amounts    tokens and calls of a query, where they were asked for
    latency    times of single queries, one request at a time
    throughput answers per second with several requests at once; None where that was not measured
    rerank     whether it is what it was declared to rerank; None without such a declaration
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
    amounts: ModeAmounts | None = None
    throughput: Throughput | None = None
    rerank: RerankCheck | None = None
    unpriced: str = ""

    def price(self, what: str) -> float | None:
        """Its "time", "cost", "tokens" or "calls"; None where it has none, or none that is known."""
        if what in ("time", "cost") or self.amounts is None:
            return self.latency.p50 if what == "time" else self.cost if what == "cost" else None
        return self.amounts.tokens.mean if what == "tokens" else self.amounts.calls.mean


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Benchmark(Shown):
    """What came out.

    Attributes:
        config: which modes, on which queries, by which measures
        rows: each mode with its times, failures and ceilings
        comparison: all pairs of modes in all measures on all queries, as one family
        best: by measure the mode that is significantly better than every other, if any
        dataset_hash: SHA-256 of the documents, queries and judgments
        queries: how many queries were asked
        documents: how many documents were searched
        by_segment: the comparison with every segment of the queries, as a larger family; None without segments
        unbeaten: by price: the modes that no other one beats there without being worse in the first measure
        advice: what to ship by the first measure
        failed: the queries that modes failed on; None where all were answered
    """

    _noun: ClassVar[str] = "benchmark"

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
    failed: FailedQueries | None = None

    @property
    def undecided(self) -> bool:
        """Whether failed queries leave the verdict open."""
        return self.failed is not None and self.failed.undecided

    def held(self, measure: str, mode: str, other: str) -> ModeComparison:
        """A mode against another one over all queries that were compared."""
        held = ModeComparison.of(self.comparison, measure, mode, other)
        return replace(held, shown="undecided") if self.undecided else held

    def to_dict(self, by_query: bool = True) -> dict[str, object]:
        """Plain dicts, lists, numbers and texts: what `--json` writes, without times."""
        return to_dict(self, by_query)

    def _table(self, per_query: bool | None) -> DataTable:
        """A row per mode: the values of all queries together, and what it builds on. Times are in `rows`."""
        if per_query:
            return system_table(self.comparison.evaluations, self.comparison.measures, "mode")
        values = run_table(self.comparison.evaluations).columns
        rows = {row.mode: row for row in self.rows}
        modes = [rows[str(mode)] for mode in values[0].values]
        more = (
            DataColumn("before", [row.before for row in modes], "text"),
            DataColumn("failures", [sum(row.failures.values()) for row in modes], "count"),
            DataColumn("pipeline", [row.pipeline for row in modes], "text"),
        )
        return DataTable((DataColumn("mode", values[0].values, "text"), *values[1:], *more), index=1)

    def __repr__(self) -> str:
        ship = "" if self.advice is None else f"; ship {self.advice.ship or 'undecided'} by {self.advice.measure}"
        modes, queries = counted(len(self.rows), "mode"), counted(self.queries, "query", "queries")
        return f"<Benchmark {self.config.name}: {modes} on {queries}{ship}>"

    def __rich__(self) -> Any:
        return rich(self.comparison)

    def _repr_html_(self) -> str:
        return html(self.comparison)


_REVERSED: Mapping[Direction, Direction] = {"better": "worse", "worse": "better", "not shown": "not shown"}


@dataclass(frozen=True, slots=True)
class ModeComparison:
    """A mode compared with another one.

    difference   of the means, mode minus other; None where there is none
    low, high    the interval that goes with `p`, the p-value that decides: both adjusted where there is a correction;
                 None where no test could be made
    shown        "better", "worse", "not shown" where chance cannot be ruled out, "undecided" where queries failed
    queries      how many the mode won, how many are the same in both, and how many it lost
    """

    other: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    shown: Direction | Literal["undecided"]
    queries: tuple[int, int, int]

    @property
    def reaches_zero(self) -> bool:
        """Whether the interval of a significant difference reaches 0, since it holds together with all others."""
        if self.shown not in ("better", "worse") or self.low is None or self.high is None:
            return False
        return self.low <= 0 <= self.high

    @classmethod
    def of(cls, comparison: Comparison, measure: str, mode: str, other: str) -> ModeComparison:
        """Over all queries, whichever of the two is the baseline of their contrast."""
        for contrast in comparison.contrasts:
            if contrast.measure == measure and contrast.segment == ALL_QUERIES:
                if (contrast.baseline, contrast.candidate) == (other, mode):
                    return cls._of_contrast(other, contrast, 1)
                if (contrast.baseline, contrast.candidate) == (mode, other):
                    return cls._of_contrast(other, contrast, -1)
        raise KeyError(f"no contrast of {other} and {mode} in {measure}")

    @classmethod
    def _of_contrast(cls, other: str, contrast: Contrast, sign: int) -> ModeComparison:
        """`sign` is -1 where the contrast has the mode as its baseline."""
        answer = contrast.difference
        shown, queries = contrast.direction, (contrast.wins, contrast.ties, contrast.losses)
        if sign < 0:
            shown, queries = _REVERSED[shown], (contrast.losses, contrast.ties, contrast.wins)
        if not isinstance(answer, Estimate):
            difference = None if answer.value is None else sign * answer.value
            return cls(other, difference, None, None, None, shown, queries)
        decides = answer if contrast.adjusted is None else contrast.adjusted
        low, high = (decides.low, decides.high) if sign > 0 else (-decides.high, -decides.low)
        return cls(other, sign * answer.value, low, high, contrast.p_value, shown, queries)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "against": self.other,
            "difference": self.difference,
            "low": self.low,
            "high": self.high,
            "p": self.p,
            "shown": self.shown,
        }


@dataclass(frozen=True, slots=True)
class ModeSummary:
    """One mode: its mean, and how it compares with the modes it builds on; without any, with the baseline."""

    mode: str
    mean: float
    against: tuple[ModeComparison, ...]
    failures: int = 0


@dataclass(frozen=True, slots=True)
class Advice:
    """What to ship, by one measure.

    ship    the mode reached from the baseline by taking only significantly better steps; None where that is undecided
    path    the modes on that way, from the baseline to `ship`
    modes   every mode, in the order of the benchmark
    times   by mode the median time of a query in milliseconds, where it was taken
    failed  the queries that modes failed on; None where all were answered
    broken  modes that are not what they are declared to rerank: they are never shipped
    """

    measure: str
    ship: str | None
    path: tuple[str, ...]
    modes: tuple[ModeSummary, ...]
    times: Mapping[str, float] = field(default_factory=dict)
    failed: FailedQueries | None = None
    broken: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """As JSON has it, without times: they differ from one run to the next."""
        return {
            "measure": self.measure,
            "ship": self.ship,
            "path": list(self.path),
            "broken": list(self.broken),
            "rungs": [
                {
                    "mode": summary.mode,
                    "mean": summary.mean,
                    "against": [comparison.to_dict() for comparison in summary.against],
                    "failures": summary.failures,
                }
                for summary in self.modes
            ],
        }


def to_dict(benchmark: Benchmark, by_query: bool = True) -> dict[str, object]:
    """All of it. Times are not in it: they differ from one time to the next and belong under `observed`."""
    config, prices, apart = benchmark.config, benchmark.config.prices, benchmark.by_segment
    cost = list(benchmark.unbeaten.get("cost", ()))
    return {
        "name": config.name,
        "dataset": {
            "source": config.dataset,
            "split": config.split or None,
            "sha256": benchmark.dataset_hash,
            "queries": benchmark.queries,
            "documents": benchmark.documents,
        },
        "baseline": config.baseline,
        "measures": list(config.measures),
        "depth": config.depth,
        "timing": config.timing.to_dict(),
        "modes": [_row(row) for row in benchmark.rows],
        "failed": None if benchmark.failed is None else benchmark.failed.to_dict(),
        "best": dict(benchmark.best),
        "advice": None if benchmark.advice is None else benchmark.advice.to_dict(),
        "cost": None if prices is None else {"currency": prices.currency, "queries": 1000, "unbeaten": cost},
        "prices": config.view.to_dict(benchmark.unbeaten),
        "comparison": comparison_dict(benchmark.comparison, by_query),
        "by_segment": None if apart is None else comparison_dict(apart, by_query=False),
    }


def _row(row: ModeRow) -> dict[str, object]:
    return {
        "mode": row.mode,
        "pipeline": row.pipeline,
        "before": row.before,
        "inputs": list(row.inputs),
        "cost": row.cost,
        "cost_unknown": row.unpriced or None,
        "prices": None if row.amounts is None else row.amounts.to_dict(),
        "failures": dict(row.failures),
        "examples": dict(row.examples),
        "ceiling": None if row.ceiling is None else {**asdict(row.ceiling), "won": row.ceiling.won},
        "rerank": None if row.rerank is None else row.rerank.to_dict(),
        "reach": None if row.reach is None else asdict(row.reach),
        "rescue": None if row.rescue is None else asdict(row.rescue),
        "identity": {step: dict(texts) for step, texts in row.identity.items()},
        "notes": {step: dict(texts) for step, texts in row.notes.items()},
    }
