"""Analyze: from a log to who is preferred to whom, for every pair of systems, with the balance checked first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from rankproof import shelf
from rankproof.corrections._contract import Correction, Tests
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.calls import read_call
from rankproof.flow.interleaving.anytime import UNITS, mean_at_any_time, share_at_any_time
from rankproof.flow.interleaving.balancing import balance
from rankproof.flow.interleaving.earning import Counts, clicked, converted, dwelt, earned
from rankproof.flow.interleaving.logs import Logged
from rankproof.flow.interleaving.preferring import preferred
from rankproof.flow.interleaving.rebuilding import LeftOut, Recipe, lists
from rankproof.flow.trials.estimating import refuse_level
from rankproof.records.comparison import Adjusted
from rankproof.records.estimate import Answer, NotEstimable
from rankproof.records.interleaved import By, Interleaved, LogCounts, Pair
from rankproof.records.interleaving import Balance, Outcome, Preferred, Shown

CORRECTION = "holm"
SECONDS = 30.0
CREDITS = ("click", "dwell", "conversion")
# The share of clicks, or of clicked documents, from which on what is missing is warned of.
MANY = 0.05


def analyze(
    logged: Logged,
    recipe: Recipe | None = None,
    *,
    credit: str = "click",
    seconds: float = SECONDS,
    planned: int | None = UNITS,
    level: float = 0.95,
    baseline: str | None = None,
    correction: str = CORRECTION,
) -> Interleaved:
    """What a log says.

    recipe     what lists are made anew from; without it the log has them
    credit     what counts: a click, a dwell of so many `seconds`, a conversion
    planned    the units at which always-valid intervals are tightest; None for one look at a size fixed before
    baseline   the system that others are held against; without it the order is that of the names
    """
    refuse_level(level)
    rule, words = _rule(credit, seconds)
    left_out = LeftOut()
    found: dict[str, Shown] = {}
    outcomes: list[Outcome] = []
    for key, page, shown in lists(logged, recipe, left_out):
        found[key] = shown
        if logged.units and page.unit is None:
            raise InputError(f"{page.place}: key {key!r} has no unit in any row. Every page needs one.")
        outcomes.append(earned(page.unit if page.unit is not None else key, shown, page.touches, rule))
    if not found:
        raise InputError(
            "No page of the log has the list that was shown. Log what Shown.to_dict gives, or give the runs (--run) "
            "that the lists were made from."
        )
    even = balance(found)
    systems = next(iter(found.values())).systems
    pairs = _pairs(systems, baseline)
    methods = tuple(sorted({shown.method for shown in found.values()}))
    counts = LogCounts(
        rows=logged.rows,
        pages=len(found),
        clicks=logged.clicks,
        counted=sum(each.counted for each in outcomes),
        unknown=sum(each.unknown for each in outcomes),
        dropped=sum(each.dropped for each in outcomes),
        stray=left_out.stray,
        changed=left_out.changed,
        mismatched=left_out.mismatched,
        unranked=left_out.unranked,
    )
    corrected = correction if len(pairs) > 1 and correction != "none" else None
    return Interleaved(
        systems,
        methods,
        words,
        level,
        planned,
        corrected,
        "logged" if recipe is None else "rebuilt",
        counts,
        _preferences(outcomes, pairs, level, planned, corrected, _by(methods)),
        even,
        tuple(_warnings(counts, methods, even, logged, credit)),
    )


def _preferences(
    outcomes: Sequence[Outcome],
    pairs: Sequence[tuple[str, str]],
    level: float,
    planned: int | None,
    correction: str | None,
    by: By,
) -> tuple[Pair, ...]:
    share = None if planned is None else share_at_any_time(planned)
    if by == "margin":
        share = _uneven
    mean = None if planned is None else mean_at_any_time(planned)

    def at(asked: float) -> list[Preferred]:
        return [preferred(outcomes, *pair, asked, share, mean) for pair in pairs]

    plain = at(level)
    if correction is None:
        return tuple(Pair(found, by=by) for found in plain)
    chosen: Correction = shelf.find("corrections", correction)
    if chosen.needs_all_pairs:
        raise UsageError(f"{correction} permutes queries, which interleaving does not have. Use holm.")
    shares = _adjusted(chosen, plain, at, lambda found: found.share, level)
    margins = _adjusted(chosen, plain, at, lambda found: found.margin, level)
    return tuple(Pair(*found, by) for found in zip(plain, shares, margins, strict=True))


def _by(methods: Sequence[str]) -> By:
    """What decides; the margin too where a method is none of ours, and nobody knows what it makes even."""
    for method in methods:
        try:
            even = read_call("interleavings", method).item.even_wins
        except UsageError:
            even = False
        if not even:
            return "margin"
    return "share"


def _uneven(wins: int, losses: int, level: float) -> Answer:
    """No test of the share of wins, which is not 1/2 for these methods when nobody is preferred."""
    n = wins + losses
    reason = "with this method clicks without reading do not win evenly; the margin says who is preferred"
    return NotEstimable(reason, "none", n, wins / n if n else None)


def _adjusted(
    correction: Correction,
    plain: Sequence[Preferred],
    at: Callable[[float], Sequence[Preferred]],
    which: Callable[[Preferred], Answer],
    level: float,
) -> list[Adjusted | None]:
    tests = Tests([which(found) for found in plain], lambda asked: [which(found) for found in at(asked)], (), level, 0)
    # Nothing is drawn at random here; the generator is what the shelf's contract asks for.
    return correction.adjust(tests, np.random.default_rng(0))


def _pairs(systems: Sequence[str], baseline: str | None) -> list[tuple[str, str]]:
    """Every pair; the baseline is the first of each of its own."""
    if baseline is not None and baseline not in systems:
        raise UnknownName("system", baseline, systems)
    return [(second, first) if second == baseline else (first, second) for first, second in combinations(systems, 2)]


def _rule(credit: str, seconds: float) -> tuple[Counts, str]:
    if credit == "click":
        return clicked(), "every click"
    if credit == "dwell":
        return dwelt(seconds), f"clicks with {seconds:g} seconds or more on the document"
    if credit == "conversion":
        return converted(), "clicks that led to a conversion"
    raise UnknownName("credit", credit, CREDITS)


def _warnings(counts: LogCounts, methods: Sequence[str], even: Balance, logged: Logged, credit: str) -> list[str]:
    found = []
    if not even.even:
        found.append("the systems did not get the same chances: look for pages that were lost, cached or filtered")
    if len(methods) > 1:
        found.append(f"lists were made in different ways ({', '.join(methods)}), whose credits are not worth the same")
    if not logged.units:
        found.append("the log has no column of units: each page counts alone, as if no two were of one user")
    if credit == "dwell" and counts.unknown > MANY * max(counts.unknown + counts.counted, 1):
        found.append(f"{counts.unknown:,} clicked documents have no dwell time, and earn nothing")
    if counts.dropped > MANY * max(counts.clicks, 1):
        found.append(f"{counts.dropped:,} of {counts.clicks:,} clicks are on documents that were not shown")
    if counts.stray > MANY * max(counts.clicks, 1):
        found.append(f"{counts.stray:,} of {counts.clicks:,} clicks have a key without a list")
    return found
