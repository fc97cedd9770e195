"""Risks: what could give a rule of a gate another answer, and how far it reaches.

A rule rests on values, and values rest on things that nobody measured: the order of documents with equal scores, the
grades of documents that nobody judged, and ids that are those of the judgments. A rule is decided again on what these
allow at worst and at best. Where that gives another answer, the rule is at risk, and undecided unless the policy says
`risks = "report"`.

ties       always: each run's tied documents are ordered so that the mean is least and greatest, and so that a bound by
           its standard error is worst. Where both runs have one ranking with the same ties, both are ordered alike.
unjudged   where the runs are judged to different degrees: see `is_unjudged_risk`. Judgments that name relevant ones
           only do not say what was looked at, and are no such risk.
findings   where the checks find an error in a run that reading does not refuse: its ids do not meet the judgments.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.sections import number, signed, some
from rankproof.kernel.verdict import Ruling, Status
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.evaluate import speak
from rankproof.measuring.judged_table import JudgedTable, Pool
from rankproof.measuring.names import parse
from rankproof.proving.gate_case import GateCase
from rankproof.proving.holes.bounds import CLEAR, names_not_relevant, unequally_judged, unjudged_within
from rankproof.proving.per_unit import logarithms
from rankproof.proving.rules.contract import Rule, RuleSample, RuleValues
from rankproof.proving.supposed import (
    GREATEST,
    LEAST,
    MIXED,
    Ends,
    Risk,
    RiskWords,
    SupposedCase,
    told_risk,
)
from rankproof.proving.values_case import ValuesCase
from rankproof.reading.finding import Finding
from rankproof.reading.records import Order

if TYPE_CHECKING:
    from rankproof.proving.holes.bounds import Bound
    from rankproof.proving.holes.world import Universe
    from rankproof.proving.tie_risk import TieReach

# How deep the share of unjudged documents is looked at, as a comparison does.
JUDGED_AT = 10
# A range narrower than this is rounding.
NOTHING = 1e-12


def is_unjudged_risk(status: Status, candidate: float, baseline: float) -> bool:
    """Whether unjudged documents can make a ruling unfair, by the share of each run's first documents that is unjudged.

    In nearly every collection some documents are unjudged, and if all of them could be relevant, nearly nothing could
    be decided. They count as not relevant in both runs; where both have about as many, that favors neither. A run that
    has clearly more of them looks worse than it is, so that a ruling against it is at risk: a PASS where it is the
    baseline that was hardly judged, a FAIL where it is the candidate.

    >>> is_unjudged_risk("PASS", 0.02, 0.40), is_unjudged_risk("FAIL", 0.02, 0.40)
    (True, False)
    >>> is_unjudged_risk("PASS", 0.40, 0.02), is_unjudged_risk("FAIL", 0.40, 0.02)
    (False, True)
    >>> is_unjudged_risk("PASS", 0.40, 0.44)
    False
    """
    if abs(candidate - baseline) <= CLEAR:
        return False
    return status == ("FAIL" if candidate > baseline else "PASS")


TIED = "Documents with equal scores could be in another order:"
SCORES = (
    "Scores that tell the documents apart would decide it; if the order of the lines or the ranks are meant, "
    'order = "given" or "rank" in [evaluate].'
)


class RiskFinder:
    """Looks for risks of the rulings on one case; what several rules need is computed once."""

    def __init__(self, case: GateCase) -> None:
        self._case = case
        self._reaches: dict[tuple[int, str], TieReach | None] = {}
        self._alike: dict[Order, frozenset[str]] = {}
        self._rates: dict[tuple[Order, str], tuple[float, ...]] = {}
        self._bounds: dict[str, Bound] = {}

    def weighed(self, rule: Rule, values: RuleValues, ruling: Ruling) -> Ruling:
        """The ruling with its risks; undecided where one of them could change it, unless the policy only reports."""
        if not ruling.measure:
            return ruling
        case = self._case
        # Ties and unjudged documents are of rankings; values that were made before have a risk of their own.
        risks = list(
            case.risks(rule, values, ruling) if isinstance(case, ValuesCase) else self._risks(rule, values, ruling)
        )
        if not risks:
            return ruling
        ruling = replace(ruling, risks=tuple(risk.text for risk in risks))
        if ruling.status == "UNDECIDED" or self._case.policy.risks == "report":
            return ruling
        return replace(
            ruling,
            status="UNDECIDED",
            reason=" ".join([ruling.reason, *ruling.risks]),
            decides=" ".join(dict.fromkeys(risk.decides for risk in risks)),
        )

    def _risks(self, rule: Rule, values: RuleValues, ruling: Ruling) -> Iterator[Risk]:
        if "measure" not in values:
            yield from self._tied_rates(rule, values, ruling)
            return
        sides = (0, 1) if rule.needs_baseline else (0,)
        errors = list(self._findings(sides, ruling.measure))
        yield from errors
        yield from self._ties(rule, values, ruling, sides)
        if rule.needs_baseline and not errors:  # where no id meets the judgments, all is unjudged
            yield from self._unjudged(rule, values, ruling)

    def _table(self, side: int, measure: str) -> JudgedTable:
        """The table that the measure was computed on, before depth and population."""
        settings = self._case.settings
        dialect: Dialect = shelf.find("dialects", settings.dialect)
        variant = speak(parse(measure)[0], dialect, settings)
        order = dialect.read(variant, settings.complete).order
        return self._case.runs[side].table(order, variant.measure.needs_subtopics)

    def pool(self, measure: str) -> Pool:
        """The judged documents that the measure looks at."""
        return self._table(0, measure).pool

    # ---- findings --------------------------------------------------------------------------------

    def _findings(self, sides: tuple[int, ...], measure: str) -> Iterator[Risk]:
        for side in sides:
            table, name = self._table(side, measure), self._case.names[side]
            if len(table.rank):
                continue  # some id meets the judgments
            for finding in self._errors[side]:
                decides = (
                    "A run without this error would decide it; if it is right as it is, a rule checks with "
                    f'allow = ["{finding.code}"] says so.'
                )
                yield Risk(f"The checks find an error in {name} [{finding.code}]: {finding.message}", decides)

    @cached_property
    def _errors(self) -> list[tuple[Finding, ...]]:
        """By run, the errors that the policy does not allow."""
        case = self._case
        checks = [clause for clause in case.policy.clauses if clause.rule == "checks"]
        allow = list(dict.fromkeys(code for clause in checks for code in clause.values["allow"] or ()))
        found = [case.findings_in(side, allow, None, strict=False) for side in range(len(case.runs))]
        return [tuple(finding for finding in findings if finding.severity == "error") for findings in found]

    # ---- ties ------------------------------------------------------------------------------------

    def _has_ties(self, side: int, measure: str) -> bool:
        (variant,) = parse(measure)
        k = variant.k if variant.measure.cutoff in ("optional", "required") else None
        return self._table(side, measure).has_ties(k)

    def _ties(self, rule: Rule, values: RuleValues, ruling: Ruling, sides: tuple[int, ...]) -> Iterator[Risk]:
        measure, case = ruling.measure, self._case
        if case.settings.ties != "rule" or not any(self._has_ties(side, measure) for side in sides):
            return
        reaches = [self._reach(side, measure) for side in sides]
        known = [reach for reach in reaches if reach is not None]
        if len(known) < len(reaches):
            yield Risk(
                f"Documents with equal scores lie on both sides of the depth of {case.settings.depth}, and how far "
                f"{measure} could change with their order is not known.",
                SCORES,
            )
            return
        ends = self._tied_ends(self._sample(rule, values), known)
        if ends is None:
            return
        how = "" if all(reach.exact for reach in known) else ", as far as the orders that were tried show"
        yield from self._again(rule, values, ruling, ends, RiskWords(TIED, how, SCORES))

    def _sample(self, rule: Rule, values: RuleValues) -> RuleSample:
        case, measure, segment = self._case, values["measure"], values.get("segment", "")
        return case.changes(measure, segment) if rule.needs_baseline else case.values(measure, segment)

    def _reach(self, side: int, measure: str) -> TieReach | None:
        from rankproof.proving.tie_risk import tie_reach

        if (side, measure) not in self._reaches:
            self._reaches[side, measure] = tie_reach(self._case.runs[side], measure, self._case.settings)
        return self._reaches[side, measure]

    def _tied_ends(self, sample: RuleSample, reaches: Sequence[TieReach]) -> Ends | None:
        """The sample at the ends of what ties allow; None where they allow nothing else."""
        observed = [sample.values] if sample.before is None else [sample.values, sample.before]
        low, high = [], []
        for reach, now in zip(reaches, observed, strict=True):
            ends = reach.of(sample.query_ids)
            if sample.aggregate == "geometric":
                ends = logarithms(ends)
            moves = ends[:, 1] - ends[:, 0] > NOTHING  # an undefined value is NaN, and does not move
            if len(reaches) > 1:
                moves &= ~self._ordered_alike(sample, reach.order)
            low.append(np.where(moves, ends[:, 0], now))
            high.append(np.where(moves, ends[:, 1], now))
        if all(np.array_equal(one, other) for one, other in zip(low, high, strict=True)):
            return None
        if len(reaches) == 1:
            return Ends(replace(sample, values=low[0]), replace(sample, values=high[0]))
        return Ends(replace(sample, values=low[0], before=high[1]), replace(sample, values=high[0], before=low[1]))

    def _ordered_alike(self, sample: RuleSample, order: Order) -> NDArray[np.bool_]:
        from rankproof.proving.tie_risk import tied_alike

        if order not in self._alike:
            candidate, baseline = self._case.runs
            self._alike[order] = tied_alike(baseline, candidate, order)
        return np.array([query in self._alike[order] for query in sample.query_ids], dtype=bool)

    def _tied_rates(self, rule: Rule, values: RuleValues, ruling: Ruling) -> Iterator[Risk]:
        """A judged rate at the ends of what ties allow."""
        from rankproof.proving.tie_risk import tie_reach

        case, measure = self._case, ruling.measure
        tied = [side for side in range(len(case.runs)) if self._has_ties(side, measure)]
        if rule.name != "judged_rate" or not tied:
            return
        # Everything in a condensed ranking is judged, so the rate is that of whole rankings.
        whole = replace(case.settings, judged_only=False, ties="rule")
        inside, now = case.queries_in(values["segment"]), case.judged_rates(values["k"], values["segment"])
        ends: list[dict[str, float]] = [dict(now), dict(now)]
        for side in tied:
            reach = tie_reach(case.runs[side], measure, whole)
            if reach is not None and case.names[side] in now:
                rows = reach.of(tuple(query for query in reach.query_ids if query in inside))
                for end, rates in enumerate(ends):
                    rates[case.names[side]] = float(rows[:, end].mean())
        low, high = (rule.decide(SupposedCase(case, rates=rates), values) for rates in ends)
        yield from told_risk(ruling, {LEAST: low, GREATEST: high}, RiskWords(TIED, "", SCORES), number)

    # ---- unjudged documents ----------------------------------------------------------------------

    def unjudged_rates(self, measure: str, segment: str = "") -> tuple[float, ...]:
        """By run, the share of the first documents that nobody judged, on the queries of a segment."""
        tables = [self._table(side, measure) for side in range(len(self._case.runs))]
        key = tables[0].order, segment
        if key not in self._rates:
            inside = self._case.queries_in(segment)
            k = min(JUDGED_AT, self._case.settings.depth or JUDGED_AT)
            rates = []
            for table in tables:
                unjudged = unjudged_within(table, k)[[query in inside for query in table.pool.query_ids]]
                rates.append(float(unjudged.mean()) / JUDGED_AT if len(unjudged) else 0.0)
            self._rates[key] = tuple(rates)
        return self._rates[key]

    def _unjudged(self, rule: Rule, values: RuleValues, ruling: Ruling) -> Iterator[Risk]:
        case, measure = self._case, ruling.measure
        if case.settings.judged_only or not names_not_relevant(self.pool(measure)):
            return  # unjudged documents play no part in condensed rankings, or nobody said which were looked at
        rates = self.unjudged_rates(measure, values.get("segment", ""))
        if not is_unjudged_risk(ruling.status, *rates):
            return
        less = case.names[0] if rates[0] > rates[1] else case.names[1]
        lead = unequally_judged(case.names, rates, JUDGED_AT)
        decides = f"Judgments of the first documents of {less} would decide it (`rankproof next` names some)."
        bound = self._bound(measure)
        if isinstance(bound, str):
            yield Risk(f"{lead} How far that reaches is not known: {bound}.", decides)
            return
        sample = self._sample(rule, values)
        words = RiskWords(
            f"{lead} If documents that nobody judged were relevant,", "" if bound.exact else " at most", decides
        )
        # Only what favors the run that is judged less: its unjudged documents count against it already.
        favored = GREATEST if (sample.better != "lower") == (rates[0] > rates[1]) else LEAST
        yield from self._again(rule, values, ruling, self._judged_ends(sample, bound), words, favored)

    @cached_property
    def _universe(self) -> Universe:
        from rankproof.proving.holes.world import Universe

        return Universe(self._case.runs, depth=self._case.settings.depth)

    def _bound(self, measure: str) -> Bound | str:
        """How far unjudged documents could move each difference; or why that is not known."""
        from rankproof.proving.holes.bounding import Bounder
        from rankproof.proving.holes.summary import MOST_DOCUMENTS, difference_bound, other_numbers

        if why := other_numbers(self._case.settings):
            return why
        retrieved = sum(int(self._table(side, measure).retrieved.sum()) for side in (0, 1))
        if retrieved > MOST_DOCUMENTS:
            return f"{retrieved:,} ranked documents are more than are gone through"
        if measure not in self._bounds:
            variant = speak(parse(measure)[0], shelf.find("dialects", "rankproof"), self._case.settings)
            self._bounds[measure] = difference_bound(Bounder(self._universe, variant), 0, 1)
        return self._bounds[measure]

    def _judged_ends(self, sample: RuleSample, bound: Bound) -> Ends:
        """The sample at the ends of what unjudged documents allow; the baseline stays where it is."""
        assert sample.before is not None
        at = {query: row for row, query in enumerate(self._universe.pool.query_ids)}
        rows = bound.by_query[[at[query] for query in sample.query_ids]].reshape(-1, 2)
        now = sample.values - sample.before
        # A value that passes over unjudged documents may lie outside of its bounds.
        low, high = np.fmin(rows[:, 0], now), np.fmax(rows[:, 1], now)
        return Ends(replace(sample, values=sample.before + low), replace(sample, values=sample.before + high))

    # ---- a rule decided again --------------------------------------------------------------------

    def _again(
        self, rule: Rule, values: RuleValues, ruling: Ruling, ends: Ends, words: RiskWords, only: str = ""
    ) -> Iterator[Risk]:
        """The risk where the rule says something else at an end, or at a mixture of ends; `only`: at that end."""
        samples = {LEAST: ends.least, GREATEST: ends.greatest}
        if not only and values.get("basis") == "interval" and len(ends.least.values):
            samples |= dict(zip(MIXED, ends.mixtures(), strict=True))
        answers = {at: rule.decide(SupposedCase(self._case, sample), values) for at, sample in samples.items()}
        shown = signed if rule.needs_baseline and "basis" in values else number
        yield from told_risk(ruling, answers, words, shown, only)


# ---- what is told beside the rulings -------------------------------------------------------------


def run_warnings(case: GateCase, rulings: Sequence[Ruling]) -> tuple[list[str], list[str]]:
    """What a reader should know of the runs: warnings that no ruling tells already, and notes for the fine print."""
    if isinstance(case, ValuesCase):
        return case.warnings()
    warnings, notes = [], []
    for name, evaluation in zip(case.names, case.evaluations, strict=True):
        missing = evaluation.population.missing
        if missing:
            fate = "are left out" if evaluation.population.missing_policy == "drop" else "count as empty rankings"
            judged = evaluation.population.judged
            warnings.append(f"{name} lacks {len(missing)} of {judged} judged queries, which {fate} ({some(missing)}).")
    for variant in case.variants:
        result = case.evaluations[0][variant.text]
        if variant.measure.skips_undefined and result.undefined:
            n = len(result.undefined)
            warnings.append(
                f"{variant.text}: {n} {'query has' if n == 1 else 'queries have'} no value for {case.candidate} and "
                f"{'is' if n == 1 else 'are'} left out of its mean ({some(result.undefined)})."
            )
    if not case.settings.judged_only:
        finder, first = RiskFinder(case), case.variants[0].text
        rates = finder.unjudged_rates(first)
        looked_at = names_not_relevant(finder.pool(first))
        unequal = unequally_judged(case.names, rates, JUDGED_AT) if looked_at else ""
        warnings += [unequal] if unequal else []
        notes += [_unjudged_note(case.names, rates, looked_at)] if not unequal and any(rates) else []
    return [text for text in warnings if not any(text in ruling.reason for ruling in rulings)], notes


def _unjudged_note(names: Sequence[str], rates: Sequence[float], looked_at: bool) -> str:
    if not looked_at:
        return "unjudged: the judgments name relevant documents only; all others count as not relevant"
    each = " and ".join(f"{rate:.0%} of {name}" for name, rate in zip(names, rates, strict=True))
    end = (
        "about as many in both, so they are not taken for a risk" if len(rates) > 1 else "the true values may be others"
    )
    return f"unjudged: of the first {JUDGED_AT} documents {each}, which count as not relevant; {end}"
