"""A benchmark on several datasets: each on its own, the means over them, and the document `benchmark-datasets/1`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from rankproof.kernel.data_table import DataColumn, DataTable
from rankproof.kernel.sections import counted, some
from rankproof.kernel.shown import Shown
from rankproof.proving.conversions import html, rich
from rankproof.proving.datasets import DatasetComparison
from rankproof.proving.records import Comparison
from rankproof.stack.benchmark.datasets.config import DatasetsConfig
from rankproof.stack.benchmark.records import Advice, Benchmark, ModeComparison


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Two modes of which one is significantly better here and significantly worse there, in the first measure.

    overall  what the mean over datasets says: "better", "worse" or "not shown"
    better   the datasets where the mode is significantly better than the other, each by its own tests
    worse    the datasets where it is significantly worse
    """

    mode: str
    other: str
    overall: str
    better: tuple[str, ...]
    worse: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What a verdict says of it."""
        better, worse = (f"on {some(names)}" if names else "over the datasets" for names in (self.better, self.worse))
        return (
            f"datasets disagree: {self.mode} is significantly better than {self.other} {better}, and significantly "
            f"worse {worse}."
        )

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "mode": self.mode,
            "against": self.other,
            "overall": self.overall,
            "better": list(self.better),
            "worse": list(self.worse),
        }


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MultiBenchmark(Shown):
    """What came out of a benchmark on several datasets.

    Attributes:
        config: which modes, on which datasets, by which measures
        parts: each dataset's own benchmark, by name
        over: all pairs of modes by their means over datasets, each dataset of the same weight
        means: by measure and mode the mean over datasets of the means over queries
        best: by measure the mode that is significantly better than every other over the datasets, if any
        advice: what to ship by the first measure, over the datasets; nothing where failed queries leave it open
        disagreements: pairs of modes that datasets disagree on
        warnings: what must be read with the verdict
    """

    _noun: ClassVar[str] = "benchmark on several datasets"

    config: DatasetsConfig
    parts: Mapping[str, Benchmark]
    over: DatasetComparison
    means: Mapping[str, Mapping[str, float]]
    best: Mapping[str, str | None]
    advice: Advice
    disagreements: tuple[Disagreement, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def comparison(self) -> Comparison:
        """All pairs of modes, by their means over datasets."""
        return self.over.overall

    @property
    def measure(self) -> str:
        """The measure that decides."""
        return self.config.first.measures[0]

    @property
    def modes(self) -> tuple[str, ...]:
        """Every mode, in the order of the file."""
        return tuple(row.mode for row in self.first.rows)

    @property
    def first(self) -> Benchmark:
        """The first dataset's: what builds on what is the same on all."""
        return next(iter(self.parts.values()))

    @property
    def queries(self) -> int:
        """How many queries were asked, all datasets together."""
        return sum(part.queries for part in self.parts.values())

    @property
    def undecided(self) -> tuple[str, ...]:
        """The datasets where failed queries leave the verdict open."""
        return tuple(name for name, part in self.parts.items() if part.undecided)

    def held(self, measure: str, mode: str, other: str) -> ModeComparison:
        """A mode against another one over the datasets."""
        held = ModeComparison.of(self.comparison, measure, mode, other)
        return replace(held, shown="undecided") if self.undecided else held

    def by_dataset(self, measure: str, mode: str, other: str) -> dict[str, ModeComparison]:
        """And within each dataset, by its own tests."""
        return {name: part.held(measure, mode, other) for name, part in self.parts.items()}

    def bound(self, measure: str, mode: str, other: str) -> tuple[float, float] | None:
        """What the difference over the datasets would be if failed queries had gone as badly and as well as can be.

        None where nothing failed, or where the measure has no least or greatest value.
        """
        if not any(part.failed for part in self.parts.values()):
            return None
        lows, highs = [], []
        for part in self.parts.values():
            known = part.held(measure, mode, other).difference
            ends = (known, known) if part.failed is None else part.failed.bound(measure, mode, other)
            if ends is None or ends[0] is None or ends[1] is None:
                return None
            lows.append(ends[0])
            highs.append(ends[1])
        return math.fsum(lows) / len(lows), math.fsum(highs) / len(highs)

    def to_dict(self, by_query: bool = True) -> dict[str, object]:
        """Plain dicts, lists, numbers and texts: what `--json` writes, without times."""
        config, like = self.config.first, self.over.to_dict(by_query=False)
        return {
            "name": self.config.name,
            "baseline": config.baseline,
            "measures": list(config.measures),
            "weights": "each dataset the same",
            "inference": "these datasets",
            "undecided": list(self.undecided),
            "means": {measure: dict(means) for measure, means in self.means.items()},
            "best": dict(self.best),
            "advice": self.advice.to_dict(),
            "disagreements": [disagreement.to_dict() for disagreement in self.disagreements],
            "warnings": list(self.warnings),
            "bounds": self._bounds(),
            "overall": self.comparison.to_dict(by_query=False),
            "like_these": like["like_these"],
            "left_out": like["left_out"],
            "datasets": {name: part.to_dict(by_query) for name, part in self.parts.items()},
        }

    def _bounds(self) -> list[dict[str, object]]:
        pairs = [(mode, other) for at, mode in enumerate(self.modes) for other in self.modes[:at]]
        found = [
            (measure, *pair, self.bound(measure, *pair)) for measure in self.config.first.measures for pair in pairs
        ]
        return [
            {"measure": measure, "mode": mode, "against": other, "low": ends[0], "high": ends[1]}
            for measure, mode, other, ends in found
            if ends is not None
        ]

    def _table(self, per_query: bool | None) -> DataTable:
        """A row per dataset and mode, and per mode one for the mean over datasets."""
        rows = [(name, row.mode) for name, part in self.parts.items() for row in part.rows]
        rows += [("", mode) for mode in self.modes]
        values = [
            DataColumn(measure, [self.value(measure, mode, dataset) for dataset, mode in rows], "number")
            for measure in self.config.first.measures
        ]
        names = DataColumn("dataset", [dataset or "mean" for dataset, _ in rows], "text")
        return DataTable((names, DataColumn("mode", [mode for _, mode in rows], "text"), *values), index=2)

    def value(self, measure: str, mode: str, dataset: str = "") -> float:
        """A mode's mean on one dataset; without one the mean over datasets."""
        if not dataset:
            return self.means[measure][mode]
        return next(e[measure].mean for e in self.parts[dataset].comparison.evaluations if e.run_name == mode)

    def __repr__(self) -> str:
        ship = f"ship {self.advice.ship or 'undecided'} by {self.advice.measure}"
        modes, datasets = counted(len(self.modes), "mode"), counted(len(self.parts), "dataset")
        return f"<MultiBenchmark {self.config.name}: {modes} on {datasets}; {ship}>"

    def __rich__(self) -> object:
        return rich(self.comparison)

    def _repr_html_(self) -> str:
        return html(self.comparison)
