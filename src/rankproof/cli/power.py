"""Say how large a difference a query set can show (power)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from rankproof.cli.shared import output as _output
from rankproof.cli.shared import scores as _scores
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import DEFAULT_MEASURES, Measures, answer_options, refuse_outputs, refuse_second_stdin
from rankproof.cli.shared.options import reading as reading_options
from rankproof.cli.shared.output import document
from rankproof.errors import UsageError
from rankproof.kernel.estimate import NotEstimable
from rankproof.kernel.sections import aligned, number, percent, printable
from rankproof.proving.plan_power import Needed, PowerPlan, Sizing

if TYPE_CHECKING:
    from rankproof.proving.repeats import RepeatPlan


SCHEMA = "power/1"


@click.command(
    "power", cls=long_help("measures", "sd", "queries", "difference", "power", "confidence", "as_json", "output")
)
@click.argument("inputs", metavar="[QRELS BASELINE CANDIDATE]", nargs=-1, type=click.Path())
@click.option(
    "-m",
    "--measures",
    multiple=True,
    type=Measures(),
    help=f"What to plan with, in any accepted spelling; may be repeated. Default: {DEFAULT_MEASURES}.",
)
@click.option("--sd", type=float, help="The standard deviation of the paired differences, in place of two runs.")
@click.option(
    "-n", "--queries", type=click.IntRange(2), help="Plan with this many queries; those of the runs otherwise."
)
@click.option("-d", "--difference", type=float, help="Plan for this true difference; the observed one otherwise.")
@click.option(
    "--power", type=float, default=0.8, show_default=True, help="How surely a true difference is to be found."
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="The confidence level of the test.")
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="Which differences the test looks for.",
)
@_scores.scores
@answer_options
@reading_options
def command(
    inputs: Sequence[str],
    as_scores: bool,
    measures: Sequence[str],
    sd: float | None,
    queries: int | None,
    difference: float | None,
    power: float,
    confidence: float,
    alternative: Any,
    as_json: bool,
    output: str | None,
    **reading: Any,
) -> None:
    """Say what a query set can show, by the power of the paired t-test.

    From two runs the spread of the differences is measured; --sd takes one that is known from elsewhere. With --scores
    the files are tables of values, and where units were asked several times more repetitions are planned with too.

    \b
    rankproof power qrels.trec bm25.run dense.run -m nDCG@10
    rankproof power qrels.trec bm25.run dense.run -m "nDCG@10 RR@10" --difference 0.02
    rankproof power --sd 0.2 --queries 50 --difference 0.02
    rankproof power --scores old.csv new.csv -m passed --repeats
    """
    refuse_outputs(output)
    ask = {
        "queries": queries,
        "difference": difference,
        "power": power,
        "confidence": confidence,
        "alternative": alternative,
    }
    began = time.perf_counter()
    plan = plan_inputs(inputs, measures, sd, as_scores, ask, reading)
    text = document(SCHEMA, plan.to_dict(), time.perf_counter() - began) if as_json else shown(plan)
    _output.give(text, output)


def plan_inputs(
    inputs: Sequence[str],
    measures: Sequence[str],
    sd: float | None,
    as_scores: bool,
    ask: dict[str, Any],
    reading: dict[str, Any],
) -> PowerPlan:
    """The plan made from two runs, from tables of scores, or from a standard deviation; `ask` is what to plan for."""
    if as_scores or any(map(reading.get, _scores.OF_SCORES)):
        _scores.refuse_other_input(as_scores)
    if as_scores and sd is None:
        return _plan_scores(inputs, measures, reading, ask)
    own = {name: value for name, value in reading.items() if name not in _scores.OF_SCORES}
    if sd is None:
        return _plan_runs(inputs, measures, own, ask)
    return _plan_sd(sd, inputs, measures, reading, ask)


def _plan_sd(
    sd: float, inputs: Sequence[str], measures: Sequence[str], reading: dict[str, Any], ask: dict[str, Any]
) -> PowerPlan:
    beside = [*(["QRELS, BASELINE and CANDIDATE"] if inputs else []), *(["-m"] if measures else [])]
    typed = click.get_current_context().get_parameter_source
    beside += [f"--{name.replace('_', '-')}" for name in reading if typed(name) == ParameterSource.COMMANDLINE]
    if beside:
        raise UsageError(
            f"--sd stands in place of two runs, and {', '.join(beside)} came with it. Leave out one of the two."
        )
    from rankproof.proving.plan_power import plan_sd

    return plan_sd(sd, **ask)


def _plan_scores(
    inputs: Sequence[str], measures: Sequence[str], choices: dict[str, Any], ask: dict[str, Any]
) -> PowerPlan:
    refuse_second_stdin(inputs)
    from rankproof.proving.score_tables import plan_scores

    if not inputs:
        raise UsageError("Give the tables of a baseline and a candidate: rankproof power --scores old.csv new.csv")
    return plan_scores(inputs, measures or None, **_scores.score_choices(choices), **ask)


def _plan_runs(
    inputs: Sequence[str], measures: Sequence[str], reading: dict[str, Any], ask: dict[str, Any]
) -> PowerPlan:
    if len(inputs) != 3:
        given = "nothing" if not inputs else f"{len(inputs)}: {' '.join(inputs)}"
        raise UsageError(
            f"Give QRELS, BASELINE and CANDIDATE, or --sd in their place; {given} came. "
            "Such as: rankproof power qrels.trec bm25.run dense.run -m nDCG@10"
        )
    refuse_second_stdin(inputs)
    from rankproof.proving.plan_power import plan_runs

    qrels, baseline, candidate = inputs
    return plan_runs(qrels, baseline, candidate, measures or (DEFAULT_MEASURES,), **ask, **reading)


# A standard deviation from fewer queries is off by a fifth or more in one set of twenty.
FEW_QUERIES = 50
NONE = "-"


def shown(plan: PowerPlan) -> str:
    """The whole answer for a terminal."""
    sized = {measure: sizing for measure, sizing in plan.sizings.items() if isinstance(sizing, Sizing)}
    parts = [_summary(sized)] if sized else []
    if len(plan.sizings) == 1:
        for sizing in sized.values():
            parts += _curves(plan, sizing)
    parts += [_repeats(made) for made in getattr(plan, "repeats", ())]
    parts.append(_notes(plan, sized))
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _summary(sized: dict[str, Sizing]) -> list[str]:
    """One row per measure. Columns that no row has a value for are left out."""
    head = ["measure", "queries", "observed", "sd", "shown", "needed", "range"]
    rows = [head, *([measure, *_cells(sizing)] for measure, sizing in sized.items())]
    columns = [i for i in range(len(head)) if any(row[i] for row in rows[1:])]
    return aligned([[row[i] for i in columns] for row in rows], 1 if 0 in columns else 0)


def _cells(sizing: Sizing) -> list[str]:
    return [
        "" if sizing.queries is None else f"{sizing.queries:,}",
        "" if sizing.observed is None else f"{sizing.observed:+.4f}",
        number(sizing.spread.sd),
        "" if sizing.smallest is None else number(sizing.smallest.difference),
        _count(sizing.needed),
        _counts(sizing.needed),
    ]


def _curves(plan: PowerPlan, sizing: Sizing) -> list[list[str]]:
    parts = []
    if sizing.by_difference:
        head = ["true difference", "power", f"queries for {percent(plan.power)}", "range"]
        rows = [
            [number(at.difference), _percent(at.power), _count(at.needed), _counts(at.needed)]
            for at in sizing.by_difference
        ]
        wide = len(head) if any(row[3] for row in rows) else 3
        table = aligned([row[:wide] for row in (head, *rows)], 0)
        parts.append([f"With {sizing.queries:,} queries:", *table])
    if sizing.by_queries and sizing.difference is not None:
        needed = sizing.needed.queries if sizing.needed else None
        rows = [["queries", "power"]]
        rows += [[f"{at.queries:,}", _percent(at.power)] for at in sizing.by_queries]
        words = {
            sizing.queries: "  these queries"
            if plan.runs and sizing.queries == sizing.spread.measured_on
            else "  as asked",
            needed: f"  {percent(plan.power)} reached",
        }
        if sizing.queries == needed:
            words[needed] = f"  as many as there are: {percent(plan.power)} reached"
        marks = ["", *(words.get(at.queries, "") for at in sizing.by_queries)]
        lines = [line + mark for line, mark in zip(aligned(rows, 0), marks, strict=True)]
        what = "" if plan.asked else ", the observed one"
        parts.append([f"For a true difference of {number(sizing.difference)}{what}:", *lines])
    return parts


def _repeats(plan: RepeatPlan) -> list[str]:
    """What other numbers of repetitions would give."""
    rows = [["repetitions", "sd", "shown", "units needed"]]
    for at in plan.at:
        needed = NONE if at.units_needed is None else f"{at.units_needed:,}"
        rows.append([f"{at.repeats:,}", number(at.sd), number(at.smallest), needed])
    return [f"{plan.measure}, {plan.units:,} units asked as often by both systems:", *aligned(rows, 0), str(plan)]


def _notes(plan: PowerPlan, sized: dict[str, Sizing]) -> list[str]:
    notes = [f"{plan.runs[0]} against {plan.runs[1]}: differences are candidate minus baseline"] if plan.runs else []
    side = {"two-sided": "two-sided", "greater": "one-sided: gains only", "less": "one-sided: losses only"}
    notes.append(f"test: paired t, {side[plan.alternative]}, {percent(plan.level)} confidence")
    notes += [
        f"{measure}: not estimable: {sizing.reason}"
        for measure, sizing in plan.sizings.items()
        if isinstance(sizing, NotEstimable)
    ]
    notes += [sizing.note for sizing in sized.values() if sizing.note]
    if any(sizing.smallest for sizing in sized.values()):
        notes.append(
            f"shown: the least true difference that the test finds in {percent(plan.power)} of such query sets"
        )
    differences = [sizing.difference for sizing in sized.values() if sizing.difference is not None]
    if differences:
        difference = (
            f"a true difference of {number(differences[0])}" if plan.asked else "the observed difference, were it true"
        )
        notes.append(f"needed: the queries that find {difference}, in {percent(plan.power)} of such query sets")
    if any(sizing.needed is not None and sizing.needed.queries is None for sizing in sized.values()):
        notes.append(f"{NONE}: no number of queries finds it, or it takes more than a billion")
    notes += _doubts(plan, sized)
    if len(sized) > 1:
        notes.append("curves: ask for one measure, or for --json")
    return [printable(note) for note in notes]


def _doubts(plan: PowerPlan, sized: dict[str, Sizing]) -> list[str]:
    """What a plan made from two runs rests on."""
    if not plan.runs or not sized:
        return []
    measured = sorted({sizing.spread.measured_on for sizing in sized.values() if sizing.spread.measured_on})
    notes = [
        f"range: sd was measured on {' or '.join(f'{n:,}' for n in measured)} queries and is itself uncertain; needed "
        f"for both ends of its {percent(plan.level)} interval"
    ]
    if len(sized) == 1:
        for sizing in sized.values():
            notes[0] += f", {_range(sizing.spread.low, sizing.spread.high)}"
            if sizing.smallest is not None:
                notes[0] += f" (shown: {_range(sizing.smallest.low, sizing.smallest.high)})"
    if measured[0] < FEW_QUERIES:
        notes.append(
            f"warning: fewer than {FEW_QUERIES} queries measure sd badly; plan with the upper end of the range"
        )
    few = [f"{s.spread.changed:,} of {s.spread.measured_on:,}" for s in sized.values() if s.spread.few_changed]
    if few:
        notes.append(
            f"warning: {', '.join(dict.fromkeys(few))} queries changed: with so few, `compare` and `gate` do not use t "
            "but Gaffke's bounds (for scores of 0 and 1 an exact test), which take more queries than stated here; an "
            "undecided gate says how many"
        )
    if not plan.asked:
        notes.append("an observed difference is uncertain too: plan for the least one that matters, with --difference")
    return notes


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else f"{number(low)} to {number(high)}"


def _count(needed: Needed | None) -> str:
    return "" if needed is None else NONE if needed.queries is None else f"{needed.queries:,}"


def _counts(needed: Needed | None) -> str:
    if needed is None or not needed.ranged or needed.queries is None:
        return ""
    return (
        f"{NONE if needed.low is None else f'{needed.low:,}'} to {NONE if needed.high is None else f'{needed.high:,}'}"
    )


def _percent(power: float) -> str:
    """No promise of certainty where there is none."""
    return ">99%" if power > 0.995 else "<1%" if power < 0.005 else f"{power:.0%}"
