"""Benchmark: modes of a search stack on the same queries, its advice, prices, and the document `benchmark/1`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from rankproof.kernel.data_table import DataColumn, DataTable
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.llm.spending import CallLimits
from rankproof.kernel.sections import counted
from rankproof.kernel.shown import Shown
from rankproof.measuring.conversions import run_table, system_table
from rankproof.proving.conversions import html, rich
from rankproof.proving.conversions import to_dict as comparison_dict
from rankproof.proving.direction import Direction
from rankproof.proving.records import ALL_QUERIES, DEFAULT_DESIGN, Comparison, Contrast, Design
from rankproof.stack.benchmark.failed import FailedChoice, FailedQueries
from rankproof.stack.benchmark.inside import Ceiling, Reach, Rescue
from rankproof.stack.benchmark.kept import KeptAnswers
from rankproof.stack.benchmark.prices import DEFAULT_VIEW, ModeAmounts, Prices, PriceView
from rankproof.stack.benchmark.reranks import DeclaredRerank, RerankCheck
from rankproof.stack.benchmark.targets import Target, TargetResult
from rankproof.stack.benchmark.times import DEFAULT_TIMING, IndexUse, Latency, Throughput, Timing
from rankproof.stack.benchmark.withheld import left_out_sentence
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
    left_out   modes of the configuration that are not run; without them nothing is decided
    targets    what modes must reach
    allow      codes of checks on judgments and runs whose errors are allowed
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
    left_out: tuple[str, ...] = ()
    allow: tuple[str, ...] = ()
    targets: tuple[Target, ...] = ()


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

    @property
    def broken(self) -> bool:
        """Whether it is not what it is declared to rerank."""
        return self.rerank is not None and self.rerank.verdict == "broken"

    def price(self, what: str) -> float | None:
        """Its "time", "cost", "tokens" or "calls"; None where it has none, or none that is known."""
        amounts = {} if self.amounts is None else {"tokens": self.amounts.tokens.mean, "calls": self.amounts.calls.mean}
        return {"time": self.latency.p50, "cost": self.cost, **amounts}.get(what)


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
        kept: of modes that ask live engines how many answers are from when
        targets: what became of each target in each mode
        indexes: the indexes that modes search, as their engines describe them
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
    kept: Mapping[str, KeptAnswers] = field(default_factory=dict)
    targets: tuple[TargetResult, ...] = ()
    indexes: tuple[IndexUse, ...] = ()

    @property
    def undecided(self) -> bool:
        """Whether failed queries leave the verdict open."""
        return self.failed is not None and self.failed.undecided

    @property
    def open_since(self) -> str:
        """Why nothing is decided, in a few words; "" where something is."""
        if self.undecided:
            return "queries failed"
        run = len(self.rows)
        return f"{run} of {run + len(self.config.left_out)} modes were run" if self.config.left_out else ""

    @property
    def broken(self) -> tuple[str, ...]:
        """The modes that are not what they are declared to rerank."""
        return tuple(row.mode for row in self.rows if row.broken)

    def held(self, measure: str, mode: str, other: str) -> ModeComparison:
        """A mode against another one over all queries that were compared."""
        return ModeComparison.of(self.comparison, measure, mode, other)

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
        modes = f"{counted(len(self.rows), 'mode')} on {counted(self.queries, 'query', 'queries')}"
        return f"<Benchmark {self.config.name}: {modes}{ship}>"

    def __rich__(self) -> Any:
        return rich(self.comparison)

    def _repr_html_(self) -> str:
        return html(self.comparison)


_REVERSED: Mapping[Direction, Direction] = {"better": "worse", "worse": "better"}


@dataclass(frozen=True, slots=True)
class ModeComparison:
    """A mode compared with another one.

    difference   of the means, mode minus other; None where there is none
    low, high    the interval that goes with `p`, the p-value that decides: both adjusted where there is a correction;
                 None where no test could be made
    shown        "better", "worse", "not shown" where chance cannot be ruled out, "undecided" where queries failed or
                 modes were left out, "broken" where one of the two is not what it is declared to rerank
    queries      how many the mode won, how many are the same in both, and how many it lost
    """

    other: str
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    shown: Direction
    queries: tuple[int, int, int]

    @property
    def reaches_zero(self) -> bool:
        """Whether the interval of a significant difference reaches 0, since it holds together with all others."""
        significant = self.shown in ("better", "worse")
        return significant and self.low is not None and self.high is not None and self.low <= 0 <= self.high

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
            shown, queries = _REVERSED.get(shown, shown), (contrast.losses, contrast.ties, contrast.wins)
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
    left_out  modes of the configuration that were not run: without them nothing is shipped
    unmet   which targets the mode to ship does not reach, as a sentence
    """

    measure: str
    ship: str | None
    path: tuple[str, ...]
    modes: tuple[ModeSummary, ...]
    times: Mapping[str, float] = field(default_factory=dict)
    failed: FailedQueries | None = None
    broken: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    unmet: str = ""

    @property
    def left_out_sentence(self) -> str:
        """What the verdict says of modes that were not run; "" where all were."""
        return left_out_sentence(len(self.modes), self.left_out)

    def to_dict(self) -> dict[str, object]:
        """As JSON has it, without times: they differ from one run to the next."""
        return {
            "measure": self.measure,
            "ship": self.ship,
            "path": list(self.path),
            "broken": list(self.broken),
            "left_out": list(self.left_out),
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
        "targets": [result.to_dict() for result in benchmark.targets if result.about == "values"],
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
