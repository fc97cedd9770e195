"""How many accepted drafts decide a difference, by the power of the paired t-test; UNDECIDED where nothing says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.errors import UsageError
from rankproof.kernel.estimate import NotEstimable

if TYPE_CHECKING:
    from rankproof.judging.drafting.records import Draft
    from rankproof.kernel.verdict import Status
    from rankproof.proving.plan_power import Sizing

_NO_SPREAD = (
    "nothing says how far the differences of queries spread: give --sd, or --qrels with two runs (--run A --run B)"
)


def refuse_power(options: Mapping[str, Any]) -> None:
    """Refuses options that do not go together, and a plan that makes no sense, before anything is asked."""
    runs, qrels, sd = options["runs"], options["qrels"], options["sd"]
    given = [name for name, value in (("--sd", sd), ("--qrels", qrels), ("--run", runs)) if value]
    if options["detect"] is None:
        if given:
            raise UsageError(f"{given[0]} says how far differences spread. Say which one is to be shown: --detect X")
        return
    if sd is not None and (runs or qrels):
        raise UsageError("--sd stands in place of --qrels and --run. Leave out one of the two.")
    if bool(qrels) != bool(runs) or (runs and len(runs) != 2):
        raise UsageError(f"The spread is measured with --qrels and two runs; {len(runs)} came. Give --run A --run B.")
    from rankproof.proving.plan_power import plan_sd

    # Made once to be refused now where it is senseless, and not after the model was paid for.
    plan_sd(1.0 if sd is None else sd, difference=options["detect"], power=options["power"])
    _sizing(options, None)


def decided_by(options: Mapping[str, Any], drafts: Sequence[Draft] | None) -> dict[str, Any] | None:
    """What the accepted drafts decide, once people have judged them; None where nobody asked.

    Queries without an answer do not count: measures of relevance say nothing about them.
    """
    if options["detect"] is None:
        return None
    counted = None
    if drafts is not None:
        counted = sum(draft.status == "accepted" and draft.question.kind != "none" for draft in drafts)
    body: dict[str, Any] = {
        "difference": options["detect"],
        "measure": options["measure"],
        "power": options["power"],
        "accepted": counted,
        "needed": None,
        "needed_range": None,
        "sd": None,
        "shows": None,
        "draft": None,
    }
    sizing = _sizing(options, counted)
    if not isinstance(sizing, dict):
        return {**body, "status": "UNDECIDED", "reason": sizing}
    needed = sizing["queries_needed"]["value"]
    low, high = sizing["queries_needed"]["low"], sizing["queries_needed"]["high"]
    # Without a number of accepted ones the plan is about the queries of the runs.
    smallest = sizing["smallest_difference"] if counted is not None and counted >= 2 else None
    body |= {
        "needed": needed,
        "needed_range": None if low is None and high is None else [low, high],
        "sd": sizing["standard_deviation"]["value"],
        "shows": smallest and smallest["value"],
    }
    if needed is not None and counted and drafts:
        body["draft"] = -(-needed * len(drafts) // counted)
    return {**body, **_verdict(needed, counted)}


def _sizing(options: Mapping[str, Any], counted: int | None) -> dict[str, Any] | str:
    from rankproof.proving.plan_power import plan_runs, plan_sd

    ask = {"difference": options["detect"], "power": options["power"]}
    if counted is not None and counted >= 2:
        ask["queries"] = counted
    if options["sd"] is not None:
        plan = plan_sd(options["sd"], **ask)
    elif options["runs"]:
        baseline, candidate = options["runs"]
        plan = plan_runs(options["qrels"], baseline, candidate, options["measure"], **ask)
    else:
        return _NO_SPREAD
    sizings: list[Sizing | NotEstimable] = list(plan.sizings.values())
    if len(sizings) != 1:
        raise UsageError("--measure takes one measure here. Name the one that is to decide.")
    if isinstance(sizings[0], NotEstimable):
        return sizings[0].reason
    rows: Any = plan.to_dict()["sizings"]
    row: dict[str, Any] = rows[0]
    return row


def _verdict(needed: int | None, counted: int | None) -> dict[str, str]:
    status: Status = "UNDECIDED"
    if needed is None:
        reason = "no number of queries shows it, or it takes more than a billion"
    elif counted is None:
        reason = f"{needed:,} accepted queries with an answer show it; nothing is drafted yet"
    elif counted < needed:
        reason = (
            f"{needed:,} accepted queries with an answer show it, and there are {counted:,}: {needed - counted:,} more"
        )
    else:
        status, reason = "PASS", f"{needed:,} accepted queries with an answer show it, and there are {counted:,}"
    return {"status": status, "reason": reason}
