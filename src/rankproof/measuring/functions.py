"""Functions as measures: a value for each query from a function of the caller's own, and the QueryView that it sees.

A measure of the shelf has a name that stands for its definition. A function has a name that stands for nothing: the
fine print says which function it was, and what needs a definition (policies, commands, manifests that are computed
again) takes measures of the shelf only.
"""

from __future__ import annotations

import hashlib
import inspect
import math
import numbers
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from rankproof.errors import UsageError
from rankproof.kernel.sections import some
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.records import Evaluation, FunctionOrigin, LazyLines, Result, Settings, aggregate
from rankproof.reading.records import Run

if TYPE_CHECKING:
    from rankproof.measuring.prepare import PreparedRun

Better = Literal["higher", "lower", "neither"]
_NAME = re.compile(r"[^\W\d][\w.-]*")
# Of the hash of a function's source, so many digits are shown.
SHOWN = 12


@dataclass(frozen=True, slots=True)
class QueryView:
    """One judged query and its ranking, as a function measure sees them. Nothing in it can be changed.

    Later versions may add fields; none of these goes away or changes its meaning.

    Attributes:
        query_id: the query
        doc_ids: the ranked documents, best first
        scores: what the run ranks them by, in the same order; None where it has ranks or lists only
        grades: the grade of each ranked document; None for one that is not judged
        judgments: the grade of every judged document of the query, ranked or not
        level: the least grade that counts as relevant
        in_run: whether the run has the query; the ranking of one that it lacks is empty
    """

    query_id: str
    doc_ids: tuple[str, ...]
    scores: tuple[float, ...] | None
    grades: tuple[int | None, ...]
    judgments: Mapping[str, int] = field(repr=False)
    level: int = 1
    in_run: bool = True

    @property
    def judged(self) -> tuple[bool, ...]:
        """Whether each ranked document is judged."""
        return tuple(grade is not None for grade in self.grades)

    @property
    def relevant(self) -> int:
        """How many documents are relevant, ranked or not."""
        return sum(grade >= self.level for grade in self.judgments.values())

    @property
    def ideal(self) -> tuple[int, ...]:
        """The grades of all judged documents, greatest first: no ranking of them could be better."""
        return tuple(sorted(self.judgments.values(), reverse=True))


@dataclass(frozen=True, slots=True, eq=False)
class FunctionMeasure:
    """A function of a QueryView as a measure, with what its code does not say.

    Attributes:
        function: gives a finite number for a query, or None where there is no value
        name: what its values are called; the function's own name where none is given
        better: "higher", "lower" or "neither"
        low: the least value that there can be
        high: the greatest value that there can be
    """

    function: Callable[[QueryView], float | None]
    name: str = ""
    better: Better = "higher"
    low: float = -math.inf
    high: float = math.inf

    def __post_init__(self) -> None:
        name = self.name or str(getattr(self.function, "__name__", ""))
        object.__setattr__(self, "name", name)
        if not callable(self.function):
            raise UsageError(f"A function measure needs a function of a QueryView; got {self.function!r:.80}.")
        if _NAME.fullmatch(name) is None:
            raise UsageError(
                f"{name!r:.80} is no name of a function measure: a letter, then letters, digits, '_', '.' or '-'. Give "
                'it one: FunctionMeasure(function, name="my_measure").'
            )
        if self.better not in get_args(Better):
            raise UsageError(f"{name}: better must be one of {', '.join(get_args(Better))}; got {self.better!r:.80}.")
        if not _is_number(self.low) or not _is_number(self.high) or not self.low < self.high:
            raise UsageError(f"{name}: low must be a number below high; got {self.low!r:.40} and {self.high!r:.40}.")

    @property
    def origin(self) -> FunctionOrigin:
        """What is kept with its values: which function it is, as far as that can be told."""
        whole = inspect.unwrap(self.function)
        what, named = ("function", whole) if hasattr(whole, "__qualname__") else ("object of", type(whole))
        where = f"{named.__module__}.{named.__qualname__}"
        return FunctionOrigin(f"{what} {where}, {_source(whole)}", self.better, self.low, self.high)

    def __call__(self, view: QueryView) -> float | None:
        """The function's value for a query, checked."""
        try:
            value = self.function(view)
        except Exception as error:
            lacking = "" if view.in_run else " The run lacks this query, so that its ranking is empty."
            raise UsageError(
                f"The function measure {self.name} failed for query {view.query_id!r}: {type(error).__name__}: "
                f"{error}.{lacking} Return None where there is no value."
            ) from error
        if value is None:
            return None
        number = float(value) if _is_number(value) else math.nan
        if math.isfinite(number) and self.low <= number <= self.high:
            return number
        within = "" if math.isinf(self.low) and math.isinf(self.high) else f" from {self.low:g} to {self.high:g}"
        raise UsageError(
            f"The function measure {self.name} must return a finite number{within}, or None where there is no value; "
            f"for query {view.query_id!r} it returned {value!r:.80} ({type(value).__name__})."
        )


# By function, how many measures of the shelf come before it.
PlacedFunctions = tuple[tuple[int, FunctionMeasure], ...]


def with_functions(
    evaluation: Evaluation,
    functions: PlacedFunctions,
    table: JudgedTable,
    run: PreparedRun,
    settings: Settings,
    blank: bool = False,
) -> Evaluation:
    """The evaluation with the functions' values, each where it was requested.

    table   the run's, read as the dialect reads a measure that it says nothing else about
    blank   whether that counts queries that the run lacks as 0 in all measures
    """
    if blank:
        raise UsageError(
            f"{functions[0][1].name} is a function, and with complete=True the dialect {settings.dialect} counts a "
            "query that the run lacks as 0 in every measure, whatever 0 means for it. Leave complete out."
        )
    if settings.ties != "rule" or settings.undefined != "zero":
        choice = f'ties="{settings.ties}"' if settings.ties != "rule" else f'undefined="{settings.undefined}"'
        raise UsageError(
            f"{functions[0][1].name} is a function, and {choice} needs measures whose definition is known. Leave it "
            "out, or measure the function on its own; it returns None where a query has no value."
        )
    values: list[list[float | None]] = [[] for _ in functions]
    for view in query_views(table, run, settings):
        for column, (_, function) in zip(values, functions, strict=True):
            column.append(function(view))
    made = [
        (place, _result(function, table.pool.query_ids, column))
        for (place, function), column in zip(functions, values, strict=True)
    ]
    named = list(evaluation.results.values())
    results = [
        result
        for at in range(len(named) + 1)
        for result in (*(own for place, own in made if min(place, len(named)) == at), *named[at : at + 1])
    ]
    lines = partial(_lines, [result for _, result in made], evaluation.fine_print)
    return replace(
        evaluation,
        results={result.text: result for result in results},
        fine_print=LazyLines(lines),
        canonical=partial(_canonical, frozenset(result.text for _, result in made), evaluation.canonical),
    )


def _canonical(functions: Collection[str], others: Callable[[str], str], name: str) -> str:
    """The text of a function's values is its name."""
    return name if name in functions else others(name)


def query_views(table: JudgedTable, run: PreparedRun, settings: Settings) -> Iterator[QueryView]:
    """What each query of the table looks like, in the table's order and cut and condensed as the settings say."""
    ranked = Run.of(run.rows(), table.order, run.name)
    scored = ranked.kind != "rank"
    pool, judgments = run.qrels.pool, run.qrels.judgments
    place = {query: at for at, query in enumerate(pool.query_ids)}
    for query in table.pool.query_ids:
        at = place[query]
        graded = {judgments.doc_id(i): int(pool.grade[i]) for i in range(int(pool.start[at]), int(pool.start[at + 1]))}
        if table.pool.negatives == "unjudged":
            graded = {doc: grade for doc, grade in graded.items() if grade >= 0}
        documents = list(islice(ranked.get(query, {}).items(), settings.depth))
        if settings.judged_only:
            documents = [(doc, score) for doc, score in documents if doc in graded]
        yield QueryView(
            query,
            tuple(doc for doc, _ in documents),
            tuple(float(score) for _, score in documents if score is not None) if scored else None,
            tuple(graded.get(doc) for doc, _ in documents),
            MappingProxyType(graded),
            1 if settings.level is None else settings.level,
            query in ranked,
        )


def _result(function: FunctionMeasure, queries: Sequence[str], values: Sequence[float | None]) -> Result:
    counted = [(query, value) for query, value in zip(queries, values, strict=True) if value is not None]
    numbers = np.array([value for _, value in counted], dtype=np.float64)
    return Result(
        function.name,
        aggregate(numbers, "mean"),
        tuple(query for query, _ in counted),
        numbers,
        tuple(query for query, value in zip(queries, values, strict=True) if value is None),
        better=function.better,
        origin=function.origin,
    )


def _lines(made: Sequence[Result], others: Sequence[str]) -> tuple[str, ...]:
    """What each function is, and where it has no value; then the fine print of the measures of the shelf."""
    lines = []
    for result in made:
        if result.origin is not None:
            lines.append(f"{result.text}: {result.origin}")
        if result.undefined:
            queries = "query" if len(result.undefined) == 1 else "queries"
            left = some(result.undefined)
            lines.append(f"{result.text}: no value for {len(result.undefined)} {queries}, left out ({left})")
    return (*lines, *others)


def _source(function: Callable[..., object]) -> str:
    try:
        text = textwrap.dedent(inspect.getsource(function))
    except (OSError, TypeError):
        return "whose source is not available"
    return f"SHA-256 of its source {hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:SHOWN]}"


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real | np.bool_) and not math.isnan(float(value))
