"""Read an interleaving log: credits of clicks, preferences for every pair of systems, and the balance check.

A document counts once, however often it was clicked. What counts is decided by a rule:

    clicked()        every click
    dwelt(30)        at least 30 seconds on the document; without a time it is unknown, which is not the same as no
    converted()      the click led to a conversion

With teams, two things are counted: who had the first place, and who had the greatest team, where one alone had. Each is
held against an even share by Pearson's chi-square. Without teams, what clicks on every document would have earned is
compared instead: its mean difference from the first system is 0, by Student's t, for each other system.

Lists of one key are one draw: a page that is shown again is looked at once. The alarm is at 0.001, as for a sample
ratio mismatch, since the check is made often and a broken experiment shows clearly.

source: Fabijan and others, Diagnosing sample ratio mismatch in online controlled experiments, KDD 2019, for the alarm
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations

import numpy as np

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.interleaving.logs import InterleavingLog
from rankproof.online.interleaving.preference import UNITS, mean_at_any_time, preferred, share_at_any_time
from rankproof.online.interleaving.records import (
    Balance,
    By,
    ClickedDocument,
    EvennessTest,
    InterleavedList,
    InterleavingReport,
    LogCounts,
    Outcome,
    PairPreference,
    SystemPair,
)
from rankproof.online.interleaving.show import LeftOutKeys, ListRecipe, lists
from rankproof.online.trial.estimate import refuse_level
from rankproof.proving.corrections.contract import Correction, Tests
from rankproof.proving.records import Adjusted
from rankproof.proving.significance.contract import Significance, SignificanceRequest

# Whether a click counts; None where that is not known.
Counts = Callable[[ClickedDocument], bool | None]


def clicked() -> Counts:
    """Every click counts."""
    return lambda touch: True


def dwelt(seconds: float) -> Counts:
    """A click counts after that many seconds on the document."""
    if not 0 <= seconds < float("inf"):
        raise UsageError(f"A dwell time must be 0 seconds or more; got {seconds}.")
    return lambda touch: None if touch.dwell is None else touch.dwell >= seconds


def converted() -> Counts:
    """A click counts if it led to a conversion."""
    return lambda touch: touch.converted


def credit_clicks(
    unit: str, shown: InterleavedList, touches: Iterable[ClickedDocument], counts: Counts | None = None
) -> Outcome:
    """What the clicks on one list earned each system."""
    rule = counts or clicked()
    places = {doc: i for i, doc in enumerate(shown.docs)}
    answers: dict[int, bool | None] = {}
    dropped = 0
    for touch in touches:
        place = places.get(touch.doc_id)
        if place is None:
            dropped += 1
            continue
        answer = rule(touch)
        if (
            answer or answers.get(place, False) is False
        ):  # one that counts is enough; one that is unknown leaves it open
            answers[place] = answer
    counted = sorted(place for place, answer in answers.items() if answer)
    totals = {name: sum(shown.credits[place][i] for place in counted) for i, name in enumerate(shown.systems)}
    return Outcome(unit, totals, len(counted), sum(answer is None for answer in answers.values()), dropped)


ALARM = 0.001


def balance(lists: Mapping[str, InterleavedList], alarm: float = ALARM) -> Balance:
    """Whether the lists, by their key, were shared out evenly among the systems."""
    credited = [shown for shown in lists.values() if shown.credited]
    systems = sorted({shown.systems for shown in credited})
    if len(systems) > 1:
        raise InputError(
            f"Lists of different systems are mixed: {', '.join(systems[0])}; {', '.join(systems[1])}. "
            "Check each experiment alone."
        )
    if not credited:
        return Balance(len(lists), (), alarm)
    teamed = [shown for shown in credited if shown.teams[0] is not None]
    plain = [shown for shown in credited if shown.teams[0] is None]
    parts = _teams(teamed, systems[0]) if teamed else []
    if plain:
        parts += _offers(plain, systems[0])
    return Balance(len(lists), tuple(parts), alarm)


def _teams(lists: Iterable[InterleavedList], systems: Sequence[str]) -> list[EvennessTest]:
    first: Counter[str] = Counter()
    greatest: dict[str, float] = dict.fromkeys(systems, 0.0)
    for shown in lists:
        first[str(shown.teams[0])] += 1
        sizes = Counter(team for team in shown.teams if team is not None)
        most = max(sizes.values())
        largest = [name for name in systems if sizes[name] == most]
        if len(largest) == 1:  # where several are the greatest, nobody is ahead
            greatest[largest[0]] += 1
    return [
        _even("the first place", {name: float(first[name]) for name in systems}),
        _even("the greatest team", greatest),
    ]


def _even(what: str, counts: Mapping[str, float]) -> EvennessTest:
    from scipy.special import chdtrc  # here: loading scipy is for those who test

    total = sum(counts.values())
    if total == 0:
        return EvennessTest(what, counts, None)
    expected = total / len(counts)
    statistic = sum((count - expected) ** 2 for count in counts.values()) / expected
    return EvennessTest(what, counts, float(chdtrc(len(counts) - 1, statistic)))


def _offers(lists: Sequence[InterleavedList], systems: Sequence[str]) -> list[EvennessTest]:
    """The mean credit on offer in a list, for the first system and each other one."""
    student: Significance = shelf.find("significance", "t")
    offered = np.array([np.sum(shown.credits, axis=0) for shown in lists])
    means = offered.mean(axis=0)
    parts = []
    for i, name in enumerate(systems[1:], start=1):
        differences = np.ascontiguousarray(offered[:, i] - offered[:, 0])
        answer = student.infer(differences, SignificanceRequest(), np.random.default_rng(0))
        p = answer.p_value if isinstance(answer, Estimate) else None
        parts.append(EvennessTest("the credit on offer", {systems[0]: float(means[0]), name: float(means[i])}, p))
    return parts


CORRECTION = "holm"
SECONDS = 30.0
CREDITS = ("click", "dwell", "conversion")
# The share of clicks, or of clicked documents, from which on what is missing is warned of.
MANY = 0.05


def analyze(
    logged: InterleavingLog,
    recipe: ListRecipe | None = None,
    *,
    credit: str = "click",
    seconds: float = SECONDS,
    planned: int | None = UNITS,
    level: float = 0.95,
    baseline: str | None = None,
    correction: str = CORRECTION,
) -> InterleavingReport:
    """The preferences in a log, with counts and the balance check.

    recipe     what lists are rebuilt from; without it the log has them
    credit     what counts: a click, a dwell of so many `seconds`, a conversion
    planned    the units at which always-valid intervals are tightest; None for one look at a size fixed before
    baseline   the system that others are compared with; without it systems are in the order of their names
    """
    refuse_level(level)
    rule, words = _rule(credit, seconds)
    left_out = LeftOutKeys()
    lists_by_key: dict[str, InterleavedList] = {}
    outcomes: list[Outcome] = []
    for key, page, shown in lists(logged, recipe, left_out):
        lists_by_key[key] = shown
        if logged.units and page.unit is None:
            raise InputError(f"{page.place}: key {key!r} has no unit in any row. Every page needs one.")
        outcomes.append(credit_clicks(page.unit if page.unit is not None else key, shown, page.touches, rule))
    if not lists_by_key:
        raise InputError(
            "No page of the log has the list that was shown. Log what InterleavedList.to_dict gives, or give the runs "
            "(--run) that the lists were made from."
        )
    even = balance(lists_by_key)
    systems = next(iter(lists_by_key.values())).systems
    pairs = _pairs(systems, baseline)
    methods = tuple(sorted({shown.method for shown in lists_by_key.values()}))
    counts = LogCounts(
        rows=logged.rows,
        pages=len(lists_by_key),
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
    return InterleavingReport(
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
) -> tuple[SystemPair, ...]:
    share = None if planned is None else share_at_any_time(planned)
    if by == "margin":
        share = _uneven
    mean = None if planned is None else mean_at_any_time(planned)

    def at_level(one_level: float) -> list[PairPreference]:
        return [preferred(outcomes, *pair, one_level, share, mean) for pair in pairs]

    plain = at_level(level)
    if correction is None:
        return tuple(SystemPair(preference, by=by) for preference in plain)
    chosen: Correction = shelf.find("corrections", correction)
    if chosen.needs_all_pairs:
        raise UsageError(f"{correction} permutes queries, which interleaving does not have. Use holm.")
    shares = _adjusted(chosen, plain, at_level, lambda preference: preference.share, level)
    margins = _adjusted(chosen, plain, at_level, lambda preference: preference.margin, level)
    return tuple(SystemPair(*preference, by) for preference in zip(plain, shares, margins, strict=True))


def _by(methods: Sequence[str]) -> By:
    """What decides: the margin where wins are not even under a method, or where the method is not known."""
    for method in methods:
        try:
            even = read_configured("interleavings", method).item.even_wins
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
    plain: Sequence[PairPreference],
    at_level: Callable[[float], Sequence[PairPreference]],
    part: Callable[[PairPreference], Answer],
    level: float,
) -> list[Adjusted | None]:
    tests = Tests(
        [part(answer) for answer in plain],
        lambda one_level: [part(answer) for answer in at_level(one_level)],
        (),
        level,
        0,
    )
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


def _warnings(
    counts: LogCounts, methods: Sequence[str], even: Balance, logged: InterleavingLog, credit: str
) -> list[str]:
    warnings = []
    if not even.even:
        warnings.append("the systems did not get the same chances: look for pages that were lost, cached or filtered")
    if len(methods) > 1:
        warnings.append(
            f"lists were made in different ways ({', '.join(methods)}), whose credits are not worth the same"
        )
    if not logged.units:
        warnings.append("the log has no column of units: each page counts alone, as if no two were of one user")
    if credit == "dwell" and counts.unknown > MANY * max(counts.unknown + counts.counted, 1):
        warnings.append(f"{counts.unknown:,} clicked documents have no dwell time, and earn nothing")
    if counts.dropped > MANY * max(counts.clicks, 1):
        warnings.append(f"{counts.dropped:,} of {counts.clicks:,} clicks are on documents that were not shown")
    if counts.stray > MANY * max(counts.clicks, 1):
        warnings.append(f"{counts.stray:,} of {counts.clicks:,} clicks have a key without a list")
    return warnings
