"""What `rankproof trial` says on a terminal: the days that were collected, and plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from rankproof.kernel.sections import aligned, percent, printable
from rankproof.online.trial.days import Day, left_out
from rankproof.online.trial.records import effect_text
from rankproof.online.trial.results import MetricPlan, TrialPlan
from rankproof.online.wording import counted_reason

NONE = "-"


def collected(days: Mapping[str, Day], files: Mapping[str, str], unit: str, warnings: Sequence[str] = ()) -> str:
    """A row for each day, and what was left out."""
    variants = list(dict.fromkeys(name for day in days.values() for name in day.units))
    head = ["day", "file", "rows", *variants]
    rows = [
        [date, files[date], f"{day.rows:,}", *(f"{day.units.get(name, 0):,}" for name in variants)]
        for date, day in days.items()
    ]
    lines = aligned([head, *rows], 2)
    below = [f"left out: {count:,} {reason}" for reason, count in left_out(days.values()).items()]
    below += [f"odd: {counted_reason(n, reason)}" for reason, n in _doubts(days.values()).items()]
    waiting = [date for date, day in days.items() if not day.complete]
    if waiting:
        below.append(
            f"not complete: {waiting[0]}" + (f" to {waiting[-1]}" if len(waiting) > 1 else "") + ": collect again when "
            "the window is over; until then they count for nothing"
        )
    below += warnings
    below.append(f"columns of variants count {unit}s")
    rounding = {made["digits"] for day in days.values() for made in day.metrics.values() if made["digits"]}
    below += [f"values of quantiles are stored to {digits} significant digits" for digits in sorted(rounding)]
    return "\n".join([*lines, "", *map(printable, below)]) + "\n"


def _doubts(days: Iterable[Day]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for day in days:
        total.update(day.trace.doubts if day.trace is not None else {})
    return dict(sorted(total.items()))


def planned(plan: TrialPlan) -> str:
    """A table for each metric, and what it rests on."""
    parts = [_metric(plan, metric) for metric in plan.metrics]
    side = "one-sided bound, as verdicts use it" if plan.one_sided else "two-sided interval"
    notes = [
        f"{percent(plan.level)} {side}; power {percent(plan.power)}; {percent(plan.share)} of the {plan.unit}s of both "
        "variants in the treatment",
        f"units: {plan.unit}s of both variants together; for always-valid methods the power of one look at the end, to "
        "which looks before only add; planned looks of equal traffic, one after each day, at most these units",
    ]
    if plan.per_day is not None:
        notes.append(f"days: whole weeks at {plan.per_day:,.0f} {plan.unit}s a day")
    if plan.units is not None:
        notes.append(f"shown: the least true effect that {plan.units:,} {plan.unit}s show")
    return "\n\n".join("\n".join(part) for part in (*parts, [printable(note) for note in notes])) + "\n"


def _metric(plan: TrialPlan, metric: MetricPlan) -> list[str]:
    asks = ""
    if metric.effect is not None:
        effect = effect_text(metric.effect, metric.scale)
        asks = f", for a true effect of {effect}" if metric.asks == "an effect" else (
            f", to show that it is worse by less than {effect.lstrip('+')} when nothing changes"
        )  # fmt: skip
    covariate = (
        "" if metric.variance_kept is None else f", the covariate leaves {metric.variance_kept:.0%} of the variance"
    )
    head = ["method", "look", "units", "days", "shown"]
    rows = [
        [
            method.method,
            "any time" if method.looks is None else "once" if method.looks == 1 else f"{method.looks} days",
            "" if metric.effect is None else _count(method.units),
            "" if plan.per_day is None or metric.effect is None else _count(method.days),
            "" if method.smallest is None else effect_text(method.smallest, metric.scale).lstrip("+"),
        ]
        for method in metric.methods
    ]
    kept_columns = [i for i in range(len(head)) if any(row[i] for row in rows)]
    table = aligned([[row[i] for i in kept_columns] for row in (head, *rows)], 2)
    title = f"{metric.metric}: mean {metric.mean:.4g}, sd {metric.sd:.4g}{covariate}{asks}"
    return [printable(title), *(f"  {line}" for line in table)]


def _count(value: int | None) -> str:
    return NONE if value is None else f"{value:,}"
