"""Data checks: whether the days of an A/B test can be trusted, before any effect is looked at.

A check that fails withholds every effect: units are missing or moved in a part of the traffic, count several times,
were seen in two variants, or differed before the trial began. What is odd and could be harmless is told with its
numbers.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from rankproof.kernel.sections import counted, p_phrase, percent
from rankproof.kernel.verdict import Ruling
from rankproof.online.trial.day_clock import is_date
from rankproof.online.trial.day_trace import ROWS_OF_UNITS, Largest, last_of_window
from rankproof.online.trial.days import TWO_VARIANTS, WHOLE, Day
from rankproof.online.trial.effects import stratified_effect
from rankproof.online.trial.moments import COVARIATE, Moments
from rankproof.online.trial.part_ratios import ALARM, PartRatio, part_ratios, ratio_of
from rankproof.online.trial.records import ROWS, Metric, TrialDesign
from rankproof.online.trial.unit_presence import MOST_RETURNING, UnitPresence, presence_of
from rankproof.online.wording import counted_reason
from rankproof.proving.sequential import confidence_sequence

PARTS, RETURNING, CROSSING, BEFORE, LEFT_OUT = "part_ratios", "returning_units", "crossing_units", "before", "left_out"
DATA_RULES = (PARTS, RETURNING, CROSSING, BEFORE, LEFT_OUT)
# Fewer units in a variant say nothing of a covariate that a few of them hold.
LEAST_UNITS = 100
# Units that hold a tenth of a metric and are no more than half a percent of all are named.
HELD, FEW = 0.1, 0.005
NAMED = 5


@dataclass(frozen=True, slots=True)
class DataCheck:
    """One check. `p_value` is valid at all looks together; None where nothing is tested."""

    name: str
    title: str
    holds: bool
    reason: str
    decides: str = ""
    p_value: float | None = None

    @property
    def ruling(self) -> Ruling:
        """As a ruling of the verdict: the trial fails as evidence, whatever its metrics say."""
        reason = self.reason if self.holds else (
            f"{self.reason} No number of this trial can be trusted, and every other ruling is withheld. This says "
            "nothing about the variants themselves."
        )  # fmt: skip
        return Ruling(
            self.name, self.title, "PASS" if self.holds else "FAIL", reason, decides=self.decides, measure=self.name
        )


@dataclass(frozen=True, slots=True)
class TrialData:
    """The checks of the data at one look.

    parts      the sample ratio of every day, stratum and segment
    presence   of units on several days; None where days do not keep it
    warnings   what is odd, with its numbers
    missing    dates between the first and the last for which there is no day
    spread     by how much variances are widened, where units count on each day anew
    """

    checks: tuple[DataCheck, ...]
    parts: tuple[PartRatio, ...]
    presence: UnitPresence | None
    warnings: tuple[str, ...]
    missing: tuple[str, ...]
    spread: float = 1.0

    @property
    def sound(self) -> bool:
        """Whether no check fails."""
        return all(check.holds for check in self.checks)


def check_data(
    design: TrialDesign, days: Sequence[Day], waiting: Sequence[Day] = (), alarm: float = ALARM
) -> TrialData:
    """All checks of the days that are read.

    waiting   days whose window is not over
    alarm     how probable it may be, at all looks together, that a test of sound data fails; of each kind of test
    """
    presence = presence_of(days)
    spread = presence.spread if presence is not None and design.enter == "every_day" else 1.0
    parts = part_ratios(days, spread, alarm)
    checks = [_parts(parts), *_units(design, days, presence), *_before(design, days, alarm), *_left_out(days, alarm)]
    missing = missing_days(design, days)
    warnings = [
        *_calendar(missing, days, waiting, design),
        *_doubts(days, presence, design),
        *_concentration(design, days),
    ]
    return TrialData(tuple(checks), parts, presence, tuple(warnings), missing, spread)


def _parts(parts: Sequence[PartRatio]) -> DataCheck:
    wrong = sorted((part for part in parts if not part.holds), key=lambda part: part.p_value)
    title = "units come in the planned shares on every day and in every part"
    if not wrong:
        return DataCheck(PARTS, title, True, f"{counted(len(parts), 'part')}, none of which differs.", p_value=None)
    told = "; ".join(
        f"{part.part}: "
        + ", ".join(f"{name} {n:,} (planned {part.expected[name]:,.0f})" for name, n in part.observed.items())
        + f", {p_phrase(part.p_value)} at all looks"
        for part in wrong[:NAMED]
    )
    more = f"; and {len(wrong) - NAMED} more" if len(wrong) > NAMED else ""
    decides = "Find what differs on these days or in these parts (assignment, logging, joins, bots), and begin anew."
    return DataCheck(PARTS, title, False, f"{told}{more}.", decides, wrong[0].p_value)


def _units(design: TrialDesign, days: Sequence[Day], presence: UnitPresence | None) -> Iterator[DataCheck]:
    unit = design.unit
    if presence is not None and design.enter == "first_day":
        returned, seen = presence.scaled(presence.returned), presence.scaled(presence.seen)
        sure = "" if presence.share == 1 else f" (estimated from {presence.share:.3g} of the ids)"
        yield DataCheck(
            RETURNING,
            f"each {unit} counts once",
            presence.returned <= MOST_RETURNING * presence.seen,
            f"{returned:,} of the {seen:,} {unit}s of all days "
            f"({percent(round(presence.returned / presence.seen, 4))}) "
            f"counted on an earlier day already{sure}: they are not independent, and intervals are too narrow.",
            f"Collect the rows of all days together, so that a {unit} counts from the day on which it entered, or name "
            'the column of that day: [columns] entered; or state enter = "every_day", whose intervals are wider.',
        )
    crossing, units = _crossing(days, presence)
    if units:
        yield DataCheck(
            CROSSING,
            f"each {unit} is in one variant",
            crossing <= max(1, design.exclude.crossing * units),
            f"{crossing:,} of {units:,} {unit}s ({percent(round(crossing / units, 4))}) were seen in two variants; the "
            f"design allows {percent(design.exclude.crossing)}.",
            "Mend the assignment, so that who comes back sees the same variant, and begin anew.",
        )


def _crossing(days: Sequence[Day], presence: UnitPresence | None) -> tuple[int, int]:
    """Units seen in two variants, and all units: on one day, and by the sketches on several."""
    left = sum(day.dropped.get(TWO_VARIANTS, 0) for day in days)
    total = sum(sum(day.units.values()) for day in days) + left
    if presence is None:
        return left, total
    return left + presence.scaled(presence.crossing), max(left, presence.scaled(presence.units) + left)


def _before(design: TrialDesign, days: Sequence[Day], alarm: float) -> Iterator[DataCheck]:
    """Whether covariates, which the trial cannot have changed, are alike in the variants."""
    metrics = {metric.metric.covariate: metric for metric in design.metrics if metric.metric.covariate}
    tests = max(1, len(metrics) * len(design.treatments))
    for covariate, metric in metrics.items():
        for variant in design.treatments:
            arms: list[dict[str, Moments]] = [{}, {}]
            for at, day in enumerate(days):
                for cell, moments in day.moments.items():
                    if cell.metric == metric.name and cell.segment == WHOLE:
                        for arm, name in zip(arms, (design.control, variant), strict=True):
                            if cell.variant == name:
                                arm[f"{at}|{cell.stratum}"] = _as_metric(moments)
            both = [key for key in arms[0] if key in arms[1] and min(arms[0][key].n, arms[1][key].n) > 1]
            control, treatment = ({key: arm[key] for key in both} for arm in arms)
            if not both or min(sum(part.n for part in arm.values()) for arm in (control, treatment)) < LEAST_UNITS:
                continue
            weights = {key: control[key].n * treatment[key].n / (control[key].n + treatment[key].n) for key in both}
            effect = stratified_effect(control, treatment, Metric(covariate), "absolute", weights, "larger")
            if effect.value is None or effect.variance <= 0:
                continue
            alpha = alarm / tests
            p = confidence_sequence(effect.n, effect.variance, alpha, effect.n).p_value(abs(effect.value))
            yield DataCheck(
                BEFORE,
                f"{covariate} is alike in {design.control} and {variant}",
                p > alpha,
                f"Before the trial {variant} differs from {design.control} by {effect.value:+.4g} in {covariate}: "
                f"{p_phrase(p)}, below {alpha:.2g}.",
                "Find what moved units between the variants by what they were before (assignment, filters, a trial "
                "before this one), and begin anew.",
                p,
            )


def _as_metric(moments: Moments) -> Moments:
    """The covariate in the place of the metric."""
    return Moments(
        moments.n, (moments.means[COVARIATE], 1.0, 0.0), (moments.products[COVARIATE], 0.0, 0.0, 0.0, 0.0, 0.0)
    )


def _left_out(days: Sequence[Day], alarm: float) -> Iterator[DataCheck]:
    """Whether a rule of the design leaves out as many units of each variant as its share of units."""
    reasons = sorted({reason for day in days if day.trace is not None for reason in day.trace.left_out})
    for reason in reasons:
        counts: Counter[str] = Counter()
        shares: Counter[str] = Counter()
        for day in days:
            by = day.trace.left_out.get(reason, {}) if day.trace is not None else {}
            n = sum(by.values())
            counts.update({name: by.get(name, 0) for name in day.shares})
            shares.update({name: share * n for name, share in day.shares.items()})
        n = sum(counts.values())
        part = ratio_of("", [(counts, {name: share / n for name, share in shares.items()})], alarm / len(reasons))
        told = ", ".join(f"{name} {count:,} (planned {part.expected[name]:,.0f})" for name, count in counts.items())
        yield DataCheck(
            LEFT_OUT,
            f"{reason} are left out of every variant alike",
            part.holds,
            f"{told}: {p_phrase(part.p_value)} at all looks.",
            "A rule that takes more from one variant than from another makes an effect of its own. State another.",
            part.p_value,
        )


def missing_days(design: TrialDesign, days: Sequence[Day]) -> tuple[str, ...]:
    """Dates without a day, from the beginning of the trial, or its first day, to its last day."""
    there = {when for day in days for when in day.dates if is_date(when)}
    if not there:
        return ()
    at, last = date.fromisoformat(design.begins or min(there)), date.fromisoformat(max(there))
    dates = (at + timedelta(days=i) for i in range((last - at).days + 1))
    return tuple(day for when in dates if (day := when.isoformat()) not in there)


def _calendar(
    missing: Sequence[str], days: Sequence[Day], waiting: Sequence[Day], design: TrialDesign
) -> Iterator[str]:
    if missing:
        named = ", ".join(missing[:NAMED]) + (f" and {len(missing) - NAMED} more" if len(missing) > NAMED else "")
        all_days = len(missing) + len({when for day in days for when in day.dates})
        yield (
            f"missing days: {named}: {len(missing)} of {counted(all_days, 'day')} have no file; what happened there "
            f"is in no "
            "number"
        )
    if waiting:
        dates = sorted(when for day in waiting for when in day.dates)
        yield (
            f"waiting: {counted(len(dates), 'day')} from {dates[0]} on, whose window of {design.window} days is not "
            f"over; "
            f"the next counts when rows to {last_of_window(dates[0], design.window)} are collected"
        )


def _doubts(days: Sequence[Day], presence: UnitPresence | None, design: TrialDesign) -> Iterator[str]:
    total: Counter[str] = Counter()
    for day in days:
        total.update(day.trace.doubts if day.trace is not None else {})
    yield from (f"odd rows: {counted_reason(n, reason)}" for reason, n in sorted(total.items()))
    if design.enter == "every_day" and presence is not None and presence.returned:
        yield (
            f"returning {design.unit}s: {presence.scaled(presence.returned):,} of {presence.scaled(presence.seen):,} "
            f"{design.unit}s on days counted before; variances are widened {presence.spread:.3g} times, as if all "
            f"days of "
            f'a {design.unit} were alike. enter = "first_day" needs fewer'
        )
    if presence is not None and presence.crossing and design.exclude.crossing:
        yield (
            f"two variants: {presence.scaled(presence.crossing):,} {design.unit}s were in two variants on "
            f"different days"
        )


def _concentration(design: TrialDesign, days: Sequence[Day]) -> Iterator[str]:
    """The few units that hold much of a metric."""
    units = sum(sum(day.units.values()) for day in days)
    for name, what in ((ROWS_OF_UNITS, "rows"), *((metric.name, metric.value) for metric in design.metrics)):
        ones = [one for day in days if day.trace is not None for one in day.trace.largest.get(name, ())]
        if not ones or (name == ROWS_OF_UNITS and design.columns.unit == ROWS):
            continue
        total = (
            float(sum(day.rows for day in days))
            if name == ROWS_OF_UNITS
            else math.fsum(
                moments.n * moments.means[0]
                for day in days
                for cell, moments in day.moments.items()
                if cell.metric == name and cell.segment == WHOLE
            )
        )
        few = _few(sorted(ones, key=lambda one: -one.value), total)
        if few and len(few) <= FEW * units:
            held = math.fsum(one.value for one in few) / total
            where = ", ".join(f"{n} in {variant}" for variant, n in sorted(Counter(o.variant for o in few).items()))
            yield (
                f"concentration: {len(few)} of {units:,} {design.unit}s hold {held:.0%} of all {what} ({where}): as "
                "programs do. Rules that leave such units out are stated before a trial: [exclude] rows, or a column "
                "of "
                "user agents"
            )


def _few(ones: Sequence[Largest], total: float) -> list[Largest]:
    """The fewest that hold a tenth; none where ten do not."""
    held = 0.0
    for at, one in enumerate(ones[:10], start=1):
        held += one.value
        if total > 0 and held >= HELD * total:
            # Those as large as the last one belong with it.
            return [other for other in ones[:10] if other.value >= one.value / 2] if at < 10 else list(ones[:10])
    return []
