"""What an item on the reports shelf is: Report, which turns evaluations, a comparison or a verdict into one text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from rankproof.kernel.sections import Screen

if TYPE_CHECKING:  # a form of evaluations does not pay for loading what the others show
    from rankproof.kernel.shown import Drawing
    from rankproof.measuring.records import Evaluation
    from rankproof.proving.leaderboard_records import Leaderboard
    from rankproof.proving.records import Comparison
    from rankproof.proving.verdict import Verdict
    from rankproof.stack.benchmark.datasets.records import MultiBenchmark
    from rankproof.stack.benchmark.records import Benchmark


# Answers that have no values by query of their own.
WITHOUT_QUERIES = ("verdict", "leaderboard")


class Render(Protocol):
    """The text of one or more evaluations, all of the same measures, in the order given.

    per_query   show each query's values, and not only the values of all queries together
    observed    what was seen while working and differs from time to time, such as seconds; a form that
                cannot set it apart leaves it out, so that the same input always gives the same text
    """

    def __call__(self, evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
        """The text; it ends in a line end."""


class RenderComparison(Protocol):
    """The text of a comparison. `per_query` and `observed` as above."""

    def __call__(self, comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
        """The text; it ends in a line end."""


class RenderVerdict(Protocol):
    """The text of a verdict. `observed` as above."""

    def __call__(self, verdict: Verdict, *, observed: Mapping[str, object]) -> str:
        """The text; it ends in a line end."""


class RenderBenchmark(Protocol):
    """The text of a benchmark. `per_query` and `observed` as above."""

    def __call__(self, benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
        """The text; it ends in a line end."""


class RenderDatasets(Protocol):
    """The text of a benchmark on several datasets. `per_query` and `observed` as above."""

    def __call__(self, benchmark: MultiBenchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
        """The text; it ends in a line end."""


class RenderLeaderboard(Protocol):
    """The text of a leaderboard. `observed` as above."""

    def __call__(self, leaderboard: Leaderboard, *, observed: Mapping[str, object]) -> str:
        """The text; it ends in a line end."""


class DrawCell(Protocol):
    """Charts of a comparison or an evaluation, as a piece of HTML for the cell of a notebook."""

    def __call__(self, shown: Comparison | Evaluation) -> str:
        """Empty where nothing can be drawn."""


class DrawChart(Protocol):
    """The chart of an answer: of every measure, or of one."""

    def __call__(self, shown: Sequence[Evaluation] | Comparison | Verdict | Benchmark, measure: str | None) -> Drawing:
        """Refused where nothing can be drawn."""


@dataclass(frozen=True, slots=True, eq=False)
class Report:
    """One item of the shelf. `page` is the module's docstring. A report formats; it never calculates.

    render      makes the text of evaluations; None when the form cannot hold them
    ending      the usual ending of a file that holds it
    mime        its media type
    comparison  makes the text of a comparison, where the form can hold one
    verdict     makes the text of a verdict, where the form can hold one
    cell        draws charts for a notebook, where the form has charts
    benchmark   makes the text of a benchmark, where the form can hold one
    chart       draws an answer, where the form has charts
    leaderboard makes the text of a leaderboard, where the form can hold one
    datasets    makes the text of a benchmark on several datasets, where the form can hold one
    on_screen   the form is for a terminal: its functions take a keyword `screen` too, a Screen with the width of the
                window and whether everything shall be shown; without it they give everything
    """

    name: str
    page: str
    render: Render | None
    ending: str
    mime: str
    comparison: RenderComparison | None = None
    verdict: RenderVerdict | None = None
    cell: DrawCell | None = None
    benchmark: RenderBenchmark | None = None
    chart: DrawChart | None = None
    on_screen: bool = False
    leaderboard: RenderLeaderboard | None = None
    datasets: RenderDatasets | None = None

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    @property
    def holds(self) -> tuple[str, ...]:
        """What it can show: evaluation, comparison, verdict, benchmark, leaderboard."""
        return tuple(noun for noun, render in self._renders().items() if render is not None)

    def text_of(self, noun: str, shown: object, *, per_query: bool = False, full: bool = True) -> str:
        """The text of an answer by its noun; of evaluations, `shown` is a list of them. `full`: not headlines alone."""
        chosen: dict[str, object] = {} if noun in WITHOUT_QUERIES else {"per_query": per_query}
        if self.on_screen:
            chosen["screen"] = Screen(full=full)
        text: str = self._renders()[noun](shown, **chosen, observed={})
        return text

    def _renders(self) -> dict[str, Any]:
        return {
            "evaluation": self.render,
            "comparison": self.comparison,
            "verdict": self.verdict,
            "benchmark": self.benchmark,
            "leaderboard": self.leaderboard,
        }
