"""Evaluation: the values of measures on one run with the settings they were made with, and how values are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UsageError
from rankproof.kernel.sections import counted, number
from rankproof.kernel.shown import Shown
from rankproof.reading.finding import Finding

if TYPE_CHECKING:
    from rankproof.kernel.data_table import DataTable
    from rankproof.measuring.judged_table import JudgedTable


@dataclass(frozen=True, slots=True)
class Settings:
    """How to evaluate. Every field is printed in the fine print when it is not the default.

    Attributes:
        dialect: whose conventions to follow
        depth: look only at the first `depth` documents of each ranking (trec_eval's -M)
        judged_only: remove unjudged documents from the rankings first (trec_eval's -J)
        level: the least relevant grade for measures that do not say their own (trec_eval's -l)
        complete: score judged queries that the run lacks, even in a dialect that drops them (trec_eval's -c)
        undefined: "zero" counts an undefined query as the measure says; "skip" leaves such queries out of all
        ties: "rule" (the order's tie rule), "expected" or "range" over all orders of tied documents
    """

    dialect: str = "rankproof"
    depth: int | None = None
    judged_only: bool = False
    level: int | None = None
    complete: bool = False
    undefined: Literal["zero", "skip"] = "zero"
    ties: Literal["rule", "expected", "range"] = "rule"


DEFAULT_SETTINGS = Settings()

# The most threads that a caller may request: more would wait for each other.
MOST_THREADS = 1024


def check_threads(threads: int) -> None:
    """Refuses a number of threads that cannot be."""
    if not 0 <= threads <= MOST_THREADS:
        raise UsageError(f"There can be 0 (as many as the machine has) to {MOST_THREADS} threads; got {threads}.")


@dataclass(frozen=True, slots=True)
class TieRange:
    """Least, expected and greatest value over all orders of the tied documents, for the mean and by query.

    Attributes:
        least: the least mean
        expected: the mean over all orders
        greatest: the greatest mean
        by_query: columns: least, expected, greatest; in a Result, rows as its query_ids
        exact: False where the expectation is estimated from random orders
        note: how it was computed, where that must be known
    """

    least: float
    expected: float
    greatest: float
    by_query: NDArray[np.float64]
    exact: bool
    note: str = ""


class LazyLines(Sequence[str]):
    """Lines of text that are made on first use: a loop over many runs never needs them."""

    __slots__ = ("_made",)

    def __init__(self, make: Callable[[], tuple[str, ...]]) -> None:
        self._made = cache(make)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._made()[index]

    def __len__(self) -> int:
        return len(self._made())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._made() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._made())

    def __repr__(self) -> str:
        return repr(self._made())

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self._made(),)  # another process gets the lines, not the way to make them


@dataclass(frozen=True, slots=True)
class FunctionOrigin:
    """Where values come from that a function of the caller's own made: what no name of a measure tells.

    Attributes:
        identity: which function it was, as far as that can be told
        better: "higher", "lower" or "neither"
        low: the least value that there can be
        high: the greatest value that there can be
        aggregate: how its values become one number
    """

    identity: str
    better: str
    low: float = -math.inf
    high: float = math.inf
    aggregate: str = "mean"

    def __str__(self) -> str:
        good = "neither end is better" if self.better == "neither" else f"{self.better} is better"
        return f"{self.identity}; {good}; not reproducible from its name: keep its code with the numbers"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Result:
    """One measure's values.

    Attributes:
        text: the measure, in its canonical spelling
        mean: the value of all queries together, by the aggregate that the measure names; NaN where there is none
        query_ids: the queries that count in it
        values: the value of each of them, in the same order
        undefined: queries without a value, whatever they count as in the mean
        aggregate: "mean", "geometric" or "sum"
        better: "higher", "lower" or "neither"
        whole: whether values are counts
        note: makes the fine print; called when it is first read
        ties: the range over all orders of tied documents, where it was asked for
        labels: by query a text, for a measure whose values are texts (trec_eval's relstring); None otherwise
        origin: the function that made the values; None for a measure, whose name says what it is
    """

    text: str
    mean: float
    query_ids: Sequence[str]
    values: NDArray[np.float64]
    undefined: tuple[str, ...] = ()
    aggregate: str = "mean"
    better: str = "higher"
    whole: bool = False
    note: Callable[[], str] = str
    ties: TieRange | None = None
    labels: Mapping[str, str] | None = None
    origin: FunctionOrigin | None = None

    @property
    def fine_print(self) -> str:
        """What the measure's name does not say, for this table."""
        return self.note()

    @property
    def by_query(self) -> dict[str, float]:
        """The value of each query that counts in the mean."""
        return dict(zip(self.query_ids, self.values.tolist(), strict=True))

    def overall(self, as_range: bool = False) -> str:
        """The value of all queries together as text; with `as_range` the least and the greatest over tied documents."""
        if self.labels is not None:
            return ""  # texts have no mean
        if as_range and self.ties is not None:
            return f"[{number(self.ties.least, self.whole)}, {number(self.ties.greatest, self.whole)}]"
        return number(self.mean, self.whole)

    def __float__(self) -> float:
        return self.mean

    def __repr__(self) -> str:
        queries = counted(len(self.query_ids), "query", "queries")
        return f"<Result of {self.text}: {self.overall() or 'texts'} over {queries}>"

    def __reduce__(self) -> tuple[Any, ...]:
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        # Another process gets the fine print itself: the function that makes it holds the whole table.
        state |= {"note": partial(str, self.fine_print), "query_ids": list(self.query_ids)}
        return Result, tuple(state.values())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Population:
    """The queries that the numbers are about.

    Attributes:
        scored: how many queries were scored
        judged: how many queries have judgments
        missing: queries that are judged and not in the run
        missing_policy: what becomes of them: "zero" (empty rankings), "drop" (left out), "blank" (0 in every measure)
        without_relevant: queries that are judged, but have nothing relevant
        unjudged: queries that are in the run and not judged: not scored
        skipped: queries left out of every measure by `undefined="skip"`
    """

    scored: int
    judged: int
    missing: tuple[str, ...] = ()
    missing_policy: str = "zero"
    without_relevant: tuple[str, ...] = ()
    unjudged: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()

    @classmethod
    def of(cls, whole: JudgedTable, scored: JudgedTable, skipped: tuple[str, ...], missing: str) -> Population:
        """The population of a table, where `scored` is what of it was measured."""
        ids = whole.pool.query_ids
        empty = np.flatnonzero(scored.pool.relevant(1) == 0)
        return cls(
            scored=len(scored.pool.query_ids),
            judged=len(ids),
            missing=tuple(map(ids.__getitem__, np.flatnonzero(~whole.in_run).tolist())),
            missing_policy=missing,
            without_relevant=tuple(map(scored.pool.query_ids.__getitem__, empty.tolist())),
            unjudged=whole.unjudged_queries,
            skipped=skipped,
        )

    def __repr__(self) -> str:
        ids = {name.replace("_", " "): getattr(self, name) for name in self.__slots__}
        told = "".join(f", {len(many):,} {name}" for name, many in ids.items() if isinstance(many, tuple) and many)
        return f"<Population: {self.scored:,} queries scored of {self.judged:,} judged{told}>"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Evaluation(Shown, Mapping[str, Result]):
    """Values of several measures on one run: `ev["nDCG@10"].mean`, `ev["nDCG@10"].by_query`.

    Attributes:
        results: the values of each measure, by its canonical text; `ev[measure]` takes any accepted spelling
        population: the queries that the numbers are about
        fine_print: what the measures mean here, the order, the queries, how much is judged; made when first read
        run_name: the name of the run
        dialect: whose conventions were followed
        spelled: what was typed for a measure, and its canonical text
        findings: what the checks found and did not refuse
        settings: how it was evaluated
        run_tag: the name in the run's own file
        canonical: turns any accepted spelling of a measure into its canonical text
        judgments_hash: gives the SHA-256 of the grades it was scored on; "" where it is not known
        kept_warnings: what the report that it was restored from warned of
        made_by: the version of rankproof that wrote that report; "" where it was measured here
    """

    _noun: ClassVar[str] = "evaluation"

    results: dict[str, Result]
    population: Population
    fine_print: Sequence[str] = ()
    run_name: str = "run"
    dialect: str = "rankproof"
    spelled: Mapping[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    settings: Settings = DEFAULT_SETTINGS
    run_tag: str = ""
    canonical: Callable[[str], str] = str
    judgments_hash: Callable[[], str] = str
    kept_warnings: tuple[str, ...] = ()
    made_by: str = ""

    def __getitem__(self, measure: str) -> Result:
        if measure in self.results:
            return self.results[measure]
        text = self.spelled.get(measure) or self.canonical(measure)
        if text in self.results:
            return self.results[text]
        raise KeyError(f"{text} was not evaluated; evaluated: {', '.join(self.results)}")

    def __contains__(self, measure: object) -> bool:
        # An unknown name is not in here either; only `[]` raises an error that suggests similar names.
        try:
            return isinstance(measure, str) and self[measure] is not None
        except (KeyError, UsageError):
            return False

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __repr__(self) -> str:
        from rankproof.measuring.conversions import line

        return line(self)

    def __reduce__(self) -> tuple[Any, ...]:
        state = {f.name: getattr(self, f.name) for f in fields(self)}
        # Another process gets the hash itself: the function that makes it holds the judgments.
        return Evaluation, tuple((state | {"judgments_hash": partial(str, self.judgments_hash())}).values())

    # ---- other forms; each is made by code that is imported on first use ------------------------

    def to_dict(self, by_query: bool = True) -> dict[str, Any]:
        """Plain dicts, lists, numbers and texts; what `--format json` writes for this run."""
        from rankproof.measuring import conversions as _convert

        return _convert.to_dict(self, by_query)

    def _shown(self) -> object:
        return [self]

    def _table(self, per_query: bool | None) -> DataTable:
        from rankproof.measuring import conversions as _convert

        return _convert.run_table([self]) if per_query is False else _convert.query_table(self)

    def __rich__(self) -> Any:
        from rankproof.measuring.conversions import rich

        return rich(self)

    def _repr_html_(self) -> str:
        from rankproof.measuring.conversions import html

        return html(self)


# Least value of a query in a geometric mean, as in trec_eval: one zero must not wipe out the rest.
GEOMETRIC_FLOOR = 1e-5


def aggregate(values: NDArray[np.float64], how: str, one_by_one: bool = False, blank: int = 0) -> float:
    """One number for all queries; NaN without queries. Rounded once, so that no order of queries changes it.

    `one_by_one` rounds after each addition, in the order given, as trec_eval's C code does: the fourth digit can differ
    where the exact mean lies next to a half of it. `blank` is the number of further queries, whose value is 0.
    """
    count = len(values) + blank
    if count == 0:
        return math.nan
    if how != "geometric":
        added = values.tolist()
    else:
        # `math.log` is the C library's; NumPy's may differ in the last bit.
        added = [math.log(max(value, GEOMETRIC_FLOOR)) for value in values.tolist()]
    # Not `sum`, which compensates for rounding, nor `np.sum`, which adds in pairs.
    total = float(np.add.accumulate([0.0, *added])[-1]) if one_by_one else math.fsum(added)
    if how == "geometric":
        return math.exp((total + blank * math.log(GEOMETRIC_FLOOR)) / count)
    return total if how == "sum" else total / count
