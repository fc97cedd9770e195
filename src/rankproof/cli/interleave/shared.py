"""What the interleave commands share: options that define how lists are made, and their text output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared.options import together
from rankproof.errors import UsageError
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import aligned, counted, interval, number, p_text, percent, printable, signed
from rankproof.online.interleaving.plan import InterleavingPlan
from rankproof.online.interleaving.records import EvennessTest, InterleavedList, InterleavingReport, SystemPair

if TYPE_CHECKING:
    from rankproof.online.interleaving.show import ListRecipe


making = together(
    [
        click.option(
            "--run", "runs", metavar="[NAME=]RUN", multiple=True, help="The rankings of one system; for each system."
        ),
        click.option(
            "--method",
            default="team_draft",
            show_default=True,
            help="The interleaving, with its choices: \"optimized(credit='linear')\".",
        ),
        click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Documents on a page."),
        click.option("--experiment", default="", help="The experiment's name, if the server gives one."),
    ]
)


def recipe_of(
    runs: Sequence[str], method: str, depth: int, experiment: str, queries: Iterable[str] | None = None
) -> ListRecipe:
    """What lists are made from; only of these queries where some are named."""
    from rankproof.online.interleaving.show import ListRecipe
    from rankproof.reading.collect import read_run

    if len(runs) < 2:
        raise UsageError(f"Interleaving takes the runs of two systems or more; {len(runs)} came. Give --run for each.")
    selected = None if queries is None else set(queries)
    rankings = {}
    for given in runs:
        name, equals, path = given.partition("=")
        run = read_run(path, name=name) if equals else read_run(given)
        if run.name in rankings:
            raise UsageError(f"Two systems are called {run.name!r}. Give one of them another name: --run NAME=RUN.")
        filtered = run if selected is None else run.filter(selected)
        rankings[run.name] = {query: docs for query, docs, _ in filtered.rankings()}
    return ListRecipe(rankings, method, depth, experiment)


NONE = "-"


def shown_list(shown: InterleavedList) -> str:
    """One list: rank, document, whose it is, and what a click on it earns each system."""
    teams = any(team is not None for team in shown.teams)
    rows = [["rank", "document", *(["team"] if teams else []), *(f"for {name}" for name in shown.systems)]]
    for rank, (doc, credits, team) in enumerate(zip(shown.docs, shown.credits, shown.teams, strict=True), start=1):
        rows.append([str(rank), doc, *([team or NONE] if teams else []), *map(number, credits)])
    notes = [f"method: {shown.method}; a click on a document is worth what the last columns say"]
    if shown.credited < len(shown.docs):
        notes.append(f"credit ends after rank {shown.credited}: a system has nothing left, and the rest fills the page")
    return "\n".join([*aligned(rows, 3 if teams else 2), "", *map(printable, notes)]) + "\n"


def result(report: InterleavingReport) -> str:
    """The sentence first, then the numbers, then what they rest on."""
    parts = [list(report.sentences), _pairs(report), _balance(report), _notes(report)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _pairs(report: InterleavingReport) -> list[str]:
    corrected = report.correction is not None
    head = ["first", "second", "units", "wins", "ties", "losses", "share", f"{percent(report.level)} interval", "p"]
    rows = [[*head, "margin", f"{percent(report.level)} interval", "p"]]
    for pair in report.pairs:
        preferred = pair.preferred
        counts = [f"{count:,}" for count in (preferred.units, preferred.wins, preferred.ties, preferred.losses)]
        rows.append([preferred.first, preferred.second, *counts, *_share(pair), *_margin(pair)])
    lines = aligned(rows, 2)
    lines.append("wins: units in which second earned more than first; share: of wins among units that are no ties")
    if any(pair.by == "margin" for pair in report.pairs):
        lines.append(
            "margin: the mean of what second earned more; it decides, since with this method clicks without reading do "
            "not win evenly"
        )
    if corrected:
        lines.append(f"intervals and p: adjusted for {len(report.pairs)} pairs by {report.correction}")
    return lines


def _share(pair: SystemPair) -> list[str]:
    answer: Answer = pair.preferred.share
    if not isinstance(answer, Estimate):
        return [NONE if answer.value is None else f"{100 * answer.value:.1f}%", NONE, NONE]
    by = pair.share or answer
    return [f"{100 * answer.value:.1f}%", f"{100 * by.low:.1f}% to {100 * by.high:.1f}%", p_text(by.p_value)]


def _margin(pair: SystemPair) -> list[str]:
    answer: Answer = pair.preferred.margin
    if not isinstance(answer, Estimate):
        return [NONE if answer.value is None else signed(answer.value), NONE, NONE]
    by = pair.margin or answer
    return [signed(answer.value), interval(by.low, by.high), p_text(by.p_value)]


def _balance(report: InterleavingReport) -> list[str]:
    state = "even" if report.balance.even else "NOT EVEN"
    parts = [_part(part) for part in report.balance.parts if part.p_value is not None]
    return [f"balance of {counted(report.balance.lists, 'list')}: {state}", *parts]


def _part(part: EvennessTest) -> str:
    whole = all(float(count).is_integer() for count in part.counts.values())
    counts = ", ".join(
        f"{name} {count:,.0f}" if whole else f"{name} {number(count)}" for name, count in part.counts.items()
    )
    return f"  {part.what}: {counts} (p {p_text(part.p_value)})"


def _notes(report: InterleavingReport) -> list[str]:
    counts = report.counts
    notes = [f"warning: {warning}" for warning in report.warnings]
    notes.append(
        f"{counted(counts.rows, 'row')}: {counted(counts.pages, 'page')} ({report.lists}, "
        f"{', '.join(report.methods)}), "
        f"{counts.clicks:,} "
        f"clicks, {counts.counted:,} clicked documents count"
    )
    left = {
        "clicked documents without a dwell time": counts.unknown,
        "clicks on documents that were not shown": counts.dropped,
        "clicks with a key that has no list": counts.stray,
        "pages with two lists under one key": counts.changed,
        "pages whose list is not the one made anew": counts.mismatched,
        "pages whose query no run has": counts.unranked,
    }
    parts = [f"{count:,} {what}" for what, count in left.items() if count]
    if parts:
        notes.append(f"not used: {'; '.join(parts)}")
    notes.append(f"credit: {report.credit}")
    if report.planned is None:
        notes.append("test: one look at a number of units that was fixed before; for looking on the way: --sequential")
    else:
        notes.append(f"test: holds at every look, and is tightest at {report.planned:,} units")
    return [printable(note) for note in notes]


def planned(plan: InterleavingPlan) -> str:
    """A row for each share of wins."""
    sizes_units = plan.units is None
    head = ["share of wins"]
    head += ["units, one look", f"units, {plan.looks} looks", "on average"] if sizes_units else ["power, one look"]
    head += [] if sizes_units else [f"power, {plan.looks} looks", "on average"]
    head += ["days, one look", f"days, {plan.looks} looks"] if plan.per_day is not None else []
    rows = [head]
    for row in plan.rows:
        units = plan.average_units(row)
        average = "" if units is None else f"{units:,.0f}"
        cells = (
            [f"{row.fixed.units:,}", f"{row.anytime.units:,}", average]
            if sizes_units
            else [f"{row.fixed.power:.1%}", f"{row.anytime.power:.1%}", average]
        )
        days = [f"{row.fixed_days:,}", f"{row.anytime_days:,}"] if row.fixed_days and row.anytime_days else []
        rows.append([f"{100 * row.share:g}%", *cells, *days])
    notes = [
        f"{percent(plan.decided)} of units are no ties; two-sided test, {percent(plan.level)} confidence"
        + (f", power {percent(plan.power)}" if sizes_units else f", {plan.units:,} units"),
        f"{plan.looks} looks: at even steps, stopping once the preference is shown; on average: units when it is over",
        "share of wins: of the better system, among units that are no ties",
    ]
    return "\n".join([*aligned(rows, 0), "", *notes]) + "\n"
