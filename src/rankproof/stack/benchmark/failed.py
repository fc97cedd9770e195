"""Failed queries: a query that a mode has no answer to says nothing of the mode, and decides nothing unless so chosen.

What may be done with them is one decision and stands here: by default the verdict is undecided, and the comparison over
the queries that every mode answered stands beside bounds, which are what the difference over all queries would be with
the failed ones as bad and as good as the measure can be.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final, Literal, get_args

from rankproof.errors import InputError
from rankproof.kernel.sections import counted, some
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.names import parse
from rankproof.measuring.prepare import join_run, prepare_qrels
from rankproof.measuring.records import DEFAULT_SETTINGS, Result
from rankproof.proving.per_unit import range_of, worst_value
from rankproof.reading.ranking import Failure, Ranking
from rankproof.reading.records import Qrels
from rankproof.stack.records import ModeOutcome

# undecided  nothing is recommended; compared over the queries that every mode answered
# zero       a failed query is an empty ranking of the mode that failed
# drop       compared over the queries that every mode answered, and decided by them
FailedChoice = Literal["undecided", "zero", "drop"]
FAILED_CHOICES: tuple[FailedChoice, ...] = get_args(FailedChoice)
NO_ANSWER: Final = "no answer"
# Of a stage that asks a server: it was out. What it answered and cannot be read is the model's own fault.
OUTAGES: Final = frozenset(
    {
        "server error", "timeout", "no connection", "connection lost", "too many requests", "not allowed", "refused",
        "redirected", "not asked",
    }
)  # fmt: skip
NOTHING: Final = Ranking.in_order(())


@dataclass(frozen=True, slots=True)
class FailedBound:
    """How far failed queries could move a difference over all queries.

    low, high   of the means, mode minus other; None where the measure has no bounds, and `why` says so
    """

    measure: str
    mode: str
    other: str
    low: float | None
    high: float | None
    why: str = ""


@dataclass(frozen=True, slots=True)
class FailedQueries:
    """The queries that modes failed on, and what is made of them.

    queries   how many were asked
    by_mode   the failed ones of each mode that has some
    bounds    for each measure and pair of modes
    """

    choice: FailedChoice
    queries: int
    by_mode: Mapping[str, tuple[str, ...]]
    bounds: tuple[FailedBound, ...] = ()

    @property
    def query_ids(self) -> tuple[str, ...]:
        """Those that some mode failed on, each once."""
        return tuple(dict.fromkeys(query for failed in self.by_mode.values() for query in failed))

    @property
    def undecided(self) -> bool:
        """Whether they leave the verdict open."""
        return self.choice == "undecided"

    @property
    def compared(self) -> int:
        """How many queries the comparison stands on."""
        return self.queries if self.choice == "zero" else self.queries - len(self.query_ids)

    def bound(self, measure: str, mode: str, other: str) -> tuple[float, float] | None:
        """The bounds of mode minus other; None where the measure has none."""
        for bound in self.bounds:
            if bound.measure != measure or bound.low is None or bound.high is None:
                continue
            if (bound.mode, bound.other) == (mode, other):
                return bound.low, bound.high
            if (bound.mode, bound.other) == (other, mode):
                return -bound.high, -bound.low
        return None

    @property
    def what(self) -> str:
        """Who failed on how many, in words: "5 of 30 queries have no answer (shop 5)"."""
        failed = len(self.query_ids)
        modes = ", ".join(f"{mode} {len(queries)}" for mode, queries in self.by_mode.items())
        return f"{failed} of {self.queries} queries {'has' if failed == 1 else 'have'} no answer ({modes})"

    @property
    def treatment(self) -> str:
        """The choice and what it did, in words."""
        if self.choice == "zero":
            return "by --failed zero each of them counts as an empty ranking of the mode that failed"
        left = f"the comparison is over the {counted(self.compared, 'query', 'queries')} that every mode answered"
        return f"by --failed drop {left}" if self.choice == "drop" else left

    @property
    def sentence(self) -> str:
        """What a verdict says of them."""
        if self.undecided:
            return (
                f"UNDECIDED: {self.what}; {self.treatment}, and decides nothing. Run it again: only what is missing "
                "is asked; or choose what a failed query counts: --failed zero or --failed drop."
            )
        return f"{self.what[0].upper()}{self.what[1:]}; {self.treatment}."

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "choice": self.choice,
            "status": "UNDECIDED" if self.undecided else "DECIDED",
            "queries": self.queries,
            "compared": self.compared,
            "by_mode": {mode: list(queries) for mode, queries in self.by_mode.items()},
            "bounds": [
                {"measure": b.measure, "mode": b.mode, "against": b.other, "low": b.low, "high": b.high,
                 **({"why": b.why} if b.why else {})}
                for b in self.bounds
            ],
        }  # fmt: skip


def is_outage(failure: Failure) -> bool:
    """Whether nobody answered: the engine gave nothing, or the server that a stage asks was out."""
    return failure.fallback == NO_ANSWER or failure.kind in OUTAGES


def failed_queries(mode: ModeOutcome) -> tuple[str, ...]:
    """The queries that some step of the mode got no answer to, in their order."""
    failed = {failure.query_id for failure in mode.failures if is_outage(failure)}
    return tuple(query for query in mode.query_ids if query in failed)


def without_stand_ins(mode: ModeOutcome) -> ModeOutcome:
    """The mode with empty rankings for failed queries: half of a fusion is no answer."""
    failed = set(failed_queries(mode))
    if not failed:
        return mode
    *before, last = mode.steps
    rankings = tuple(
        NOTHING if query in failed else ranking for query, ranking in zip(mode.query_ids, last.rankings, strict=True)
    )
    return replace(mode, steps=(*before, replace(last, rankings=rankings)))


def failed_of(
    outcomes: Mapping[str, ModeOutcome], qrels: Qrels, measures: Sequence[str], choice: FailedChoice
) -> FailedQueries | None:
    """What failed, with its bounds; None where every mode answered every query.

    InputError where no query is left that every mode answered, and one is needed.
    """
    by_mode = {name: own for name, outcome in outcomes.items() if (own := failed_queries(outcome))}
    if not by_mode:
        return None
    queries = len(next(iter(outcomes.values())).query_ids)
    failed = FailedQueries(choice, queries, by_mode)
    if failed.compared == 0:
        first = next(f for name in by_mode for f in outcomes[name].failures if is_outage(f))
        raise InputError(
            f"No query has an answer of every mode, so there is nothing to compare: {failed.what}. {first.query_id}: "
            f"{first.kind}: {first.message} Run it again: only what is missing is asked; leave a mode out; or count "
            "what failed as an empty ranking: --failed zero"
        )
    return replace(failed, bounds=_bounds(outcomes, qrels, measures, by_mode))


def left_in(qrels: Qrels, failed: FailedQueries | None) -> Qrels:
    """The judgments that the comparison stands on."""
    if failed is None or failed.choice == "zero":
        return qrels
    out = set(failed.query_ids)
    return qrels.filter({query for query in qrels.query_ids if query not in out})


def answered_only(mode: ModeOutcome, failed: FailedQueries | None) -> ModeOutcome:
    """The mode over the queries that the comparison stands on; its failures are all still there."""
    if failed is None or failed.choice == "zero":
        return mode
    out = set(failed.query_ids)
    places = [at for at, query in enumerate(mode.query_ids) if query not in out]
    steps = tuple(
        replace(
            step,
            rankings=tuple(step.rankings[at] for at in places) if step.rankings else (),
            milliseconds=step.milliseconds[places],
            usage=tuple(step.usage[at] for at in places) if step.usage else (),
        )
        for step in mode.steps
    )
    return replace(mode, query_ids=tuple(mode.query_ids[at] for at in places), steps=steps)


def _bounds(
    outcomes: Mapping[str, ModeOutcome],
    qrels: Qrels,
    measures: Sequence[str],
    by_mode: Mapping[str, Sequence[str]],
) -> tuple[FailedBound, ...]:
    """What is known stays, also of queries that only others failed on; the rest may be all that the measure can be."""
    judged, variants = prepare_qrels(qrels), parse(list(measures))
    evaluations = {
        name: measure_run(join_run(judged, outcome.as_run(), name=name), variants, DEFAULT_SETTINGS)
        for name, outcome in outcomes.items()
    }
    unknown = {name: set(by_mode.get(name, ())) for name in outcomes}
    return tuple(
        _bound(measure, mode, other, {name: evaluations[name][measure] for name in (mode, other)}, unknown)
        for measure in measures
        for other, mode in combinations(outcomes, 2)
    )


def _bound(
    measure: str, mode: str, other: str, results: Mapping[str, Result], unknown: Mapping[str, set[str]]
) -> FailedBound:
    low, high = range_of(results[mode])
    if results[mode].aggregate != "mean":
        return FailedBound(measure, mode, other, None, None, f"{measure} is no mean over queries")
    if not (math.isfinite(low) and math.isfinite(high)):
        return FailedBound(measure, mode, other, None, None, f"{measure} has no least and greatest value")
    values = {name: result.by_query for name, result in results.items()}
    ids = list(dict.fromkeys((*values[mode], *values[other], *results[mode].undefined, *results[other].undefined)))
    worst = worst_value(results[mode])

    def ends(name: str, query: str) -> tuple[float, float]:
        if query in unknown[name]:
            return low, high
        value = values[name].get(query, worst)
        return (low, high) if value is None else (value, value)

    least = [ends(mode, query)[0] - ends(other, query)[1] for query in ids]
    most = [ends(mode, query)[1] - ends(other, query)[0] for query in ids]
    if not ids:
        return FailedBound(measure, mode, other, None, None, "no query has a value")
    return FailedBound(measure, mode, other, math.fsum(least) / len(ids), math.fsum(most) / len(ids))


def named(failed: FailedQueries) -> tuple[str, ...]:
    """For each mode the queries it failed on."""
    return tuple(f"{mode}: no answer to {some(queries)}" for mode, queries in failed.by_mode.items())
