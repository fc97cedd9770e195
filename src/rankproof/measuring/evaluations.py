"""Evaluations: several runs on the same judgments, by name; what `rankproof.evaluate` gives for several runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rankproof.kernel.sections import counted
from rankproof.kernel.shown import Shown
from rankproof.measuring.records import Evaluation

if TYPE_CHECKING:
    from rankproof.kernel.data_table import DataTable

# How many runs a line at a prompt names.
FEW_RUNS = 4


class Evaluations(Shown, Mapping[str, Evaluation]):
    """Evaluations of several runs in the same measures, in the order given: `evs["bm25"]["nDCG@10"].mean`.

    Attributes:
        by_name: each run's Evaluation, by the run's name
    """

    __slots__ = ("by_name",)
    _noun: ClassVar[str] = "evaluation"

    def __init__(self, evaluations: Sequence[Evaluation]) -> None:
        self.by_name: dict[str, Evaluation] = {evaluation.run_name: evaluation for evaluation in evaluations}

    @property
    def runs(self) -> tuple[str, ...]:
        """The names of the runs, in order."""
        return tuple(self.by_name)

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in their canonical spelling."""
        first = next(iter(self.by_name.values()), None)
        return () if first is None else tuple(first.results)

    def __getitem__(self, run: str) -> Evaluation:
        if run not in self.by_name:
            raise KeyError(f"no run is called {run!r}; evaluated: {', '.join(self.by_name)}")
        return self.by_name[run]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)

    def to_dict(self, by_query: bool = True) -> dict[str, Any]:
        """Each run's Evaluation as plain dicts, lists, numbers and texts, by name."""
        return {name: evaluation.to_dict(by_query) for name, evaluation in self.by_name.items()}

    def _shown(self) -> object:
        return list(self.by_name.values())

    def _table(self, per_query: bool | None) -> DataTable:
        from rankproof.measuring.conversions import run_table, system_table

        evaluations = list(self.by_name.values())
        return system_table(evaluations, self.measures, "run") if per_query else run_table(evaluations)

    def __repr__(self) -> str:
        first = self.measures[:1]
        told = [
            f"{name} {evaluation.results[text].overall()}".rstrip()
            for name, evaluation in list(self.by_name.items())[:FEW_RUNS]
            for text in first
        ]
        more = [f"and {len(self) - FEW_RUNS} more"] if len(self) > FEW_RUNS else []
        others = f" (and {len(self.measures) - 1} more)" if len(self.measures) > 1 else ""
        return f"<Evaluations of {counted(len(self), 'run')} in {first[0]}{others}: {', '.join(told + more)}>"

    def _repr_html_(self) -> str:
        from rankproof.kernel.prompt_tables import html_table

        return html_table("evaluations", self._title(), *self._grid(), self._notes())

    def __rich__(self) -> Any:
        from rankproof.kernel.prompt_tables import RichTable

        return RichTable(self._title(), *self._grid(), self._notes())

    def _title(self) -> str:
        queries = {evaluation.population.scored for evaluation in self.by_name.values()}
        scored = f", {counted(min(queries), 'query', 'queries')}" if len(queries) == 1 else ""
        return f"{counted(len(self), 'run')}{scored}"

    def _grid(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Header and rows: runs down, measures across."""
        rows = [
            (name, *(r.overall(evaluation.settings.ties == "range") for r in evaluation.results.values()))
            for name, evaluation in self.by_name.items()
        ]
        return ("run", *self.measures), rows

    def _notes(self) -> list[str]:
        """The fine print that holds for every run."""
        first, *others = self.by_name.values()
        return [line for line in first.fine_print if all(line in other.fine_print for other in others)]
