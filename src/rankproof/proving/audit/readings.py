"""What a report leaves open: its definitions, its grades, its queries, and how its values were rounded.

A proof that a report is impossible must hold for everything that nobody has excluded. `interpret` is the one place
where that is decided. It puts the claims in groups that can be held against each other, and says for each claim by
which definition, or between which bounds, it is computed:

- With a dialect the definitions are those of a tool. Without grades, what a relevant document is worth stays open.
- Without a dialect every definition that the page of a measure lists is possible, any grade may be the least relevant
  one, and what P calls relevant need not be what RR does: only values of one measure are held against each other. Of
  nDCG and the other measures of grades only the range is known.
- Claims that a tool may have averaged over different queries, or whose tied documents it may have put in another order,
  are not held against each other, nor are claims whose `rel` differs while the grades are not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.measuring.dialects.contract import Dialect
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.audit.bounds import open_scale, undefined_denominator, ungraded
from rankproof.proving.audit.claims import Average, MeasureClaim, RoundingRule, why_not_ordered
from rankproof.proving.audit.pools import Grades, Pools, pools
from rankproof.reading.records import Order

# Measures that only ask whether a document is relevant, and whose every definition is bounded.
BINARY = ("AP", "P", "R", "RR", "Rprec", "Success")
AVERAGES: tuple[Average, ...] = ("all", "answered")
ROUNDINGS: tuple[RoundingRule, ...] = ("nearest", "truncated")


@dataclass(frozen=True, slots=True)
class Stated:
    """What the caller says of a report; None or empty for what is left open.

    relevant   how many relevant documents, of grade 1 or more, a query has: `5`, or a range such as `1-8`
    grades     instead of it: grades of the relevant documents, such as `3,2,1`; several for several kinds of queries
    dialect    the tool whose definitions the measures have
    average    the means are over all queries, or over those that the run answers
    rounding   values were rounded once, to the nearest, or truncated
    """

    relevant: str | None = None
    grades: tuple[str, ...] = ()
    dialect: str | None = None
    average: str | None = None
    rounding: str | None = None

    def __post_init__(self) -> None:
        for name, value, possible in (("average", self.average, AVERAGES), ("rounding", self.rounding, ROUNDINGS)):
            if value is not None and value not in possible:
                raise UsageError(f"--{name} takes {' or '.join(possible)}; got {value!r}.")

    def options(self) -> tuple[tuple[str, Stated], ...]:
        """Each thing that was stated, as an option; and what is stated without it."""
        listed = []
        if self.rounding is not None:
            listed.append((f"--rounding {self.rounding}", replace(self, rounding=None)))
        if self.average is not None:
            listed.append((f"--average {self.average}", replace(self, average=None)))
        if self.relevant is not None:
            listed.append((f"--relevant {self.relevant}", replace(self, relevant=None)))
        if self.grades:
            written = " ".join(f"--grades {text}" for text in self.grades)
            listed.append((written, replace(self, grades=())))
        if self.dialect is not None:
            listed.append((f"--dialect {self.dialect}", replace(self, dialect=None)))
        return tuple(listed)


@dataclass(frozen=True, slots=True)
class ClaimGroup:
    """Claims that can be held against each other: about the same queries and the same relevant documents.

    scenarios   the relevant documents that queries may have; a proof must hold in each of these
    mixes       whether a query's value may be a mean over several orders of its documents (of ties): then only what
                holds for every mixture of rankings is a proof
    fewest      the least number of queries that the means may be over
    """

    claims: tuple[MeasureClaim, ...]
    scenarios: tuple[tuple[Grades, ...], ...]
    mixes: bool
    fewest: int


@dataclass(frozen=True, slots=True)
class RangeOnly:
    """A claim of which only the range of the measure is known."""

    claim: MeasureClaim
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class Interpretation:
    """The claims of a report, ready for proofs; and the plain claims, for the search of an example.

    plain   by one definition each, without bounds; empty where the search cannot follow a definition
    """

    pools: Pools
    groups: tuple[ClaimGroup, ...]
    ranges: tuple[RangeOnly, ...]
    plain: tuple[MeasureClaim, ...]
    notes: tuple[str, ...] = field(default=())


def interpret(claims: Sequence[MeasureClaim], stated: Stated, queries: int) -> Interpretation:
    """What the claims may mean, by what is stated."""
    rule: RoundingRule | None = next((known for known in ROUNDINGS if known == stated.rounding), None)
    claims = tuple(claim.rounded_by(rule) for claim in claims)
    if stated.dialect is None:
        return _undefined(claims, stated, queries)
    return _defined(claims, stated, queries, shelf.find("dialects", stated.dialect))


# ---- with a dialect ----------------------------------------------------------------------------------


def _defined(claims: Sequence[MeasureClaim], stated: Stated, queries: int, dialect: Dialect) -> Interpretation:
    graded = bool(stated.grades)
    spoken, ranges, notes = [], [], []
    for claim in claims:
        dialect.check(None, claim.variant)
        own = dialect.speak(claim.variant)
        reason = _why_range_only(claim.variant, own, dialect, graded)
        if reason:
            ranges.append(RangeOnly(claim, own.measure.low, own.measure.high))
            notes.append(f"{claim.text}: {reason}; only its range was looked at")
            continue
        spoken.append(replace(claim, variant=own, slack=_slack(dialect, [own])))
    pool_choices = pools(spoken or claims, stated.relevant, stated.grades)
    tops = tuple(sorted({way[0] for way in pool_choices.ways if way}))
    keyed: dict[tuple[str, Order, int], list[MeasureClaim]] = {}
    for claim in spoken:
        reading = dialect.read(claim.variant)
        average = stated.average or {"zero": "all", "drop": "answered"}[reading.missing]
        # A mean that leaves queries out may leave out those without a relevant document: `rel` says which ones.
        level = 1 if graded and average == "all" else _least_relevant(claim.variant)
        # The same holds for the top of the scale: it may be the top grade of the queries that are left.
        bound = (
            open_scale(claim.variant, tops if average == "answered" else tops[-1:])
            if graded
            else ungraded(claim.variant)
        )
        plain = claim if graded else _at_level_one(claim, level)
        keyed.setdefault((average, reading.order, level), []).append(replace(plain, bound=bound))
    groups = tuple(
        ClaimGroup(
            tuple(some),
            (pool_choices.ways if graded or level == 1 else _fewer(pool_choices),),
            mixes=False,
            fewest=queries if average == "all" else 1,
        )
        for (average, _, level), some in keyed.items()
    )
    plain_claims = tuple(replace(claim, slack=0.0) for claim in spoken)
    if any(dialect.read(claim.variant).rounds for claim in spoken):
        notes.append(f"{dialect.name} rounds the value of each query: no example was looked for")
        plain_claims = ()
    return Interpretation(pool_choices, groups, tuple(ranges), () if ranges else plain_claims, tuple(notes))


def _slack(dialect: Dialect, variants: Iterable[Variant]) -> float:
    """By how much a mean is off at most where a tool rounds it, or the value of each query, to some place."""
    by_query = [dialect.read(variant).rounds for variant in variants]
    halves = [0.5 * 10.0**-rule.places for rule in by_query if rule is not None]
    by_mean = 0.0 if dialect.round_mean is None else 0.5 * 10.0**-dialect.round_mean
    return max(halves, default=0.0) + by_mean


def _least_relevant(variant: Variant) -> int:
    """The least grade that counts for the measure."""
    level = max(int(variant.values.get("rel", 1)), 1)
    gain = variant.values.get("gain", "linear")
    worth = {} if isinstance(gain, str) else dict(gain)
    while worth.get(level, level) == 0:
        level += 1
    return level


def _why_range_only(variant: Variant, own: Variant, dialect: Dialect, graded: bool) -> str:
    """Why no ranking can be searched for a value; "" where one can."""
    if own.measure is not variant.measure:
        return f"{dialect.name} has its own {own.measure.name}"
    if (why := why_not_ordered(own)) != "":
        return f"in {dialect.name} it {why}"
    reading = dialect.read(own)
    if reading.ties == "expected":
        return f"{dialect.name} takes the mean over all orders of tied documents"
    if graded:
        return ""
    if own.measure.name == "DCG":
        return "without grades it can be any number"
    if not isinstance(own.values.get("gain", ""), str):
        return "without grades nothing is known of a mapping of gains"
    return ""


# ---- without a dialect -------------------------------------------------------------------------------


def _undefined(claims: Sequence[MeasureClaim], stated: Stated, queries: int) -> Interpretation:
    tools: list[Dialect] = list(shelf.offered("dialects").values())
    pool_choices = pools(claims, stated.relevant, stated.grades)
    ranges, named = [], dict[tuple[str, int | None], list[MeasureClaim]]()
    for claim in claims:
        name = claim.variant.measure.name
        if name not in BINARY:
            ranges.append(_range(claim, tools))
            continue
        # A measure draws one line between relevant and not relevant through a report, except where `rel` is written.
        level = int(claim.variant["rel"]) if "rel" in claim.written else None
        plain = _at_level_one(claim, int(claim.variant["rel"]))
        plain = replace(plain, bound=undefined_denominator(plain.variant))
        slack = max(_slack(tool, _spoken(plain, tool)) for tool in tools)
        named.setdefault((name, level), []).append(replace(plain, slack=slack))
    groups = []
    for (_, level), some in named.items():
        scenarios = _scenarios(pool_choices, level, bool(stated.grades))
        fewest = queries if stated.average == "all" else 1
        alike = _read_alike(some, tools, averaged=queries > 1 and stated.average is None)
        groups += [ClaimGroup(group, scenarios, mixes=True, fewest=fewest) for group in alike]
    notes = ["without --dialect every definition that the page of a measure lists is taken to be possible"]
    if ranges:
        names = ", ".join(ranged.claim.text for ranged in ranges)
        notes.append(f"{names}: without --dialect only the range was looked at")
    return Interpretation(pool_choices, tuple(groups), tuple(ranges), tuple(claims), tuple(notes))


def _range(claim: MeasureClaim, tools: Iterable[Dialect]) -> RangeOnly:
    """Between the ends of the measure in all tools."""
    measures = [tool.speak(claim.variant).measure for tool in tools]
    return RangeOnly(claim, min(m.low for m in measures), max(m.high for m in measures))


def _spoken(claim: MeasureClaim, tool: Dialect) -> list[Variant]:
    """What a tool may mean by the claim's measure; nothing where it has none."""
    if tool.speaks and claim.variant.measure.name not in tool.speaks:
        return []
    definitions = claim.bound.definitions if claim.bound is not None else ()
    return [tool.speak(variant) for variant in (claim.variant, *definitions)]


def _read_alike(
    claims: Sequence[MeasureClaim], tools: Sequence[Dialect], *, averaged: bool
) -> list[tuple[MeasureClaim, ...]]:
    """Claims of one measure that every tool reads from the same order of documents; a claim may be in several groups.

    averaged   whether they must be averaged over the same queries too
    """

    def readings(claim: MeasureClaim, tool: Dialect) -> list[tuple[Order, str]]:
        both = [tool.read(variant) for variant in _spoken(claim, tool)]
        return [(reading.order, reading.missing if averaged else "") for reading in both]

    by_tool = {claim.text: [readings(claim, tool) for tool in tools] for claim in claims}

    def together(a: MeasureClaim, b: MeasureClaim) -> bool:
        # Definition by definition, or the same for all definitions.
        both = zip(by_tool[a.text], by_tool[b.text], strict=True)
        return all(one == other or len({*one, *other}) <= 1 for one, other in both)

    groups: list[tuple[MeasureClaim, ...]] = []
    for first in claims:
        group = [first]
        for claim in claims:
            if claim is not first and all(together(claim, other) for other in group):
                group.append(claim)
        listed = tuple(claim for claim in claims if claim in group)
        if not any(set(map(_text, listed)) <= set(map(_text, other)) for other in groups):
            groups.append(listed)
    return groups


def _text(claim: MeasureClaim) -> str:
    return claim.text


def _scenarios(pool_choices: Pools, level: int | None, graded: bool) -> tuple[tuple[Grades, ...], ...]:
    """The numbers of relevant documents, for each grade that may be the least relevant one."""
    if not graded:
        return (_fewer(pool_choices),)
    known = sorted({grade for way in pool_choices.ways for grade in way}) or [1]
    lines = known if level is None else [level]
    counts = [sorted({sum(grade >= line for grade in way) for way in pool_choices.ways}) for line in lines]
    return tuple(tuple((1,) * many for many in some) for some in counts)


# ---- both --------------------------------------------------------------------------------------------


def _at_level_one(claim: MeasureClaim, level: int) -> MeasureClaim:
    """The claim on pools that hold its relevant documents only, all of grade 1."""
    if level == 1:
        return claim
    variant = claim.variant
    return replace(claim, variant=Variant(variant.measure, {**variant.values, "rel": 1}, variant.at))


def _fewer(pool_choices: Pools) -> tuple[Grades, ...]:
    """Of so many documents of grade 1 or more any number may reach a higher grade."""
    return tuple((1,) * many for many in range(max(len(way) for way in pool_choices.ways) + 1))


ROUNDED = {
    None: "values may have been rounded, once or more often, or truncated to the digits shown",
    "nearest": "values are taken as rounded once, to the nearest of the digits shown",
    "truncated": "values are taken as truncated to the digits shown",
}


def assumptions(claims: Sequence[MeasureClaim], meaning: Interpretation, stated: Stated, queries: int) -> list[str]:
    """How the report was read, for the reader."""
    notes = [ROUNDED[stated.rounding]]
    if queries > 1:
        notes.append(_averaged(meaning, stated, queries))
    if stated.dialect is not None:
        notes.append("relevant is grade 1 or more, except where rel is written")
        notes.append("no value is a mean over the orders of tied documents")
    elif len(claims) > 1:
        notes.append("only values of one measure were held against each other; it has one definition in all of them")
    return notes


def _averaged(meaning: Interpretation, stated: Stated, queries: int) -> str:
    if stated.dialect is None and stated.average is None:
        return "means may be over all queries, or leave out those without an answer or without relevant documents"
    if stated.average != "answered" and all(group.fewest == queries for group in meaning.groups):
        return "means are over all queries; one that is not answered, or where a measure is undefined, counts as 0"
    return "means are over the queries that are answered, which may be fewer"
