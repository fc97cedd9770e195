"""A comparison for people: each contrast in words, the table of contrasts, and the sections of a report.

Sections are what the forms that are read from top to bottom show: a heading, sentences, a table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import (
    Section,
    confidence_interval,
    counted,
    interval,
    number,
    p_phrase,
    p_text,
    percent,
    signed,
    verdict_word,
)

if TYPE_CHECKING:
    from rankproof.proving.holes.bounds import Bound
    from rankproof.proving.movement_records import DocMove, QueryMove
    from rankproof.proving.records import Comparison, Contrast

# More sentences than this are no headlines: then only the first measure has them, and the table says the rest.
MOST_HEADLINES = 8
# With more candidates than this, each has only the first few of the queries that moved most.
FEW_CANDIDATES = 2
FEW_MOVES = 2
# How many documents or measures a line names before it only counts.
NAMED = 3
# Query texts are cut here: a line is to stay a line.
LONGEST_TEXT = 60


def comparison_sections(comparison: Comparison, per_query: bool) -> list[Section]:
    """The parts that are not empty, in the order in which a reader needs them."""
    whole = [c for c in comparison.contrasts if not c.segment]
    parts = [
        Section(
            title(comparison),
            _headlines(whole),
            (tuple(header(comparison)), *(tuple(row(comparison, c)) for c in comparison.contrasts)),
            1 + bool(comparison.segments),
        ),
        Section("Margins", tuple(margin_text(c) for c in comparison.contrasts if c.equivalence is not None)),
        Section("") if comparison.overlaps is None else comparison.overlaps.section(),
        *_moved(comparison),
        Section("What the measures do not see", _unseen(comparison)),
        _holes(comparison),
        Section("Ties", _ties(comparison)),
        *_reuse(comparison),
        Section("Diagnosis", _diagnoses(comparison)),
        Section("Warnings", comparison.warnings),
        Section("Each query", (), _queries(comparison)) if per_query else Section(""),
        Section("Fine print", (*_design(comparison), *comparison.fine_print)),
    ]
    return [section for section in parts if section.lines or section.table]


def _headlines(whole: list[Contrast]) -> tuple[str, ...]:
    """Significant differences in sentences; each of the others in a line about what would have been detected."""
    if len(whole) > MOST_HEADLINES:
        whole = [c for c in whole if c.measure == whole[0].measure]
    significant = [headline(c) for c in whole if c.significant]
    others = [
        f"{c.measure}, {c.candidate}: {verdict_word(c.direction)}{_limits(c)}." for c in whole if not c.significant
    ]
    return (*significant, *(why for c in whole if (why := wider_interval(c))), *others)


def wider_interval(contrast: Contrast) -> str:
    """Why the interval of a significant difference reaches 0, as a sentence; "" where it does not."""
    beside = contrast.adjusted
    if not contrast.significant or beside is None or not beside.low <= 0 <= beside.high:
        return ""
    return (
        f"{contrast.measure}, {contrast.candidate}: the adjusted interval reaches 0 although the difference is "
        "significant: intervals that hold all together are wider than tests that are made one after the other."
    )


def held_back(contrast: Contrast) -> str:
    """Why a secondary difference is not called significant, as the end of a sentence; "" where nothing holds it."""
    beside = contrast.adjusted
    if beside is None or not beside.held_by:
        return ""
    return (
        f": held back, since {beside.held_by} is not significant and goes first; among the secondary tests alone it "
        f"would be (adjusted interval {interval(beside.low, beside.high)})"
    )


def _limits(contrast: Contrast) -> str:
    """What would have been detected, or why there is no test; nothing where the measure only has no better side."""
    if held := held_back(contrast):
        return held
    if contrast.detectable is not None:
        return f"; {detectable_text(contrast)}"
    return "" if isinstance(contrast.difference, Estimate) else f": {contrast.difference.reason}"


def _design(comparison: Comparison) -> list[str]:
    method = (
        f"method: {item_title('significance', comparison.significance)}, {percent(comparison.level)} confidence "
        "intervals (CI) by the same method"
    )
    kinds = dict.fromkeys(c.adjusted.kind for c in comparison.contrasts if c.adjusted is not None)
    untested = sum(not isinstance(c.difference, Estimate) for c in comparison.contrasts)
    family = f"family: {comparison.family}" + (f" ({untested} could not be made and do not count)" if untested else "")
    family += f", corrected by {comparison.correction}" if comparison.correction != "none" else ", not corrected"
    adjusted = [f"adjusted confidence interval: {kind}" for kind in kinds]
    size = "effect size: Cohen's d_z, the mean over the standard deviation of the differences"
    return [method, family, *adjusted, size, f"seed: {comparison.seed}"]


# ---- the table of contrasts -----------------------------------------------------------------------


def header(comparison: Comparison) -> list[str]:
    """The columns of the table of contrasts."""
    columns = ["measure", "candidate", "baseline", "difference", confidence_interval(comparison.level, short=True), "p"]
    if comparison.segments:
        columns.insert(1, "queries")
    if comparison.correction != "none":
        columns += ["adjusted CI", f"p ({comparison.correction})"]
    return [*columns, "effect size", "won/same/lost", "result"]


def row(comparison: Comparison, contrast: Contrast) -> list[str]:
    """One contrast, in the columns of `header`."""
    answer = contrast.difference
    several = len(comparison.systems) > 2
    cells = [
        contrast.measure,
        f"{contrast.candidate} {number(contrast.candidate_mean)}" if several else number(contrast.candidate_mean),
        f"{contrast.baseline} {number(contrast.baseline_mean)}" if several else number(contrast.baseline_mean),
    ]
    if comparison.segments:
        cells.insert(1, contrast.segment or "all")
    if isinstance(answer, Estimate):
        cells += [signed(answer.value), interval(answer.low, answer.high), p_text(answer.p_value)]
    else:
        cells += ["none" if answer.value is None else signed(answer.value), "none", "none"]
    if comparison.correction != "none":
        beside = contrast.adjusted
        cells += ["none", "none"] if beside is None else [interval(beside.low, beside.high), p_text(beside.p_value)]
    return [
        *cells,
        "none" if contrast.effect is None else f"{contrast.effect:+.2f}",
        f"{contrast.wins}/{contrast.ties}/{contrast.losses}",
        verdict_word(contrast.direction),
    ]


def title(comparison: Comparison) -> str:
    """Who is compared with whom, on how many queries."""
    others = ", ".join(comparison.systems[1:])
    queries = counted(len(comparison.query_ids), "query", "queries")
    return f"{others} against {comparison.systems[0]}, {queries}"


# ---- a contrast in words -------------------------------------------------------------------------


def item_title(kind: str, name: str) -> str:
    """What an item of a shelf is called on its own page: "Paired t-test" for "t" of significance."""
    return str(shelf.find(kind, name).page).strip().partition("\n")[0].partition(":")[0]


def where(contrast: Contrast) -> str:
    """The segment as the end of a sentence; nothing for all queries."""
    return f" on {contrast.segment}" if contrast.segment else ""


def claim(contrast: Contrast) -> str:
    """Which side is better, without numbers and without a full stop."""
    both = f"{contrast.candidate} and {contrast.baseline}"
    measure = f"{contrast.measure}{where(contrast)}"
    if not isinstance(contrast.difference, Estimate):
        return f"{both} cannot be compared by a test in {measure}"
    if contrast.withheld:
        return f"{both}: {contrast.withheld} in {measure}"
    if contrast.significant:
        return f"{contrast.candidate} is significantly {contrast.direction} than {contrast.baseline} in {measure}"
    if contrast.better == "neither":
        return f"{measure} of {both} cannot be called better or worse"
    return f"{both} do not differ significantly in {measure}"


def numbers(contrast: Contrast) -> str:
    """The difference, its confidence interval and the p-value that decides; or the reason why there is none."""
    answer = contrast.difference
    if not isinstance(answer, Estimate):
        return answer.reason
    beside, level = contrast.adjusted, confidence_interval(answer.level)
    if beside is None:
        return f"{signed(answer.value)}, {level} {interval(answer.low, answer.high)}, {p_phrase(answer.p_value)}"
    ends = f"adjusted {level} {interval(beside.low, beside.high)}"
    return f"{signed(answer.value)}, {ends}, adjusted {p_phrase(beside.p_value)}"


def headline(contrast: Contrast) -> str:
    """The result of a contrast in a sentence that can be defended."""
    if not isinstance(contrast.difference, Estimate):
        return f"{claim(contrast)}: {numbers(contrast).rstrip('.')}."
    text = f"{claim(contrast)} ({numbers(contrast)})"
    return f"{text}; {detectable_text(contrast)}." if contrast.detectable is not None else f"{text}."


def detectable_text(contrast: Contrast) -> str:
    """The true difference that a comparison without a significant result would have detected."""
    able = contrast.detectable
    assert able is not None
    verb = "detects" if len(contrast.query_ids) == 1 else "detect"
    queries = counted(len(contrast.query_ids), "query", "queries")
    text = f"{queries} {verb} a true difference of {number(able.difference)} with {percent(able.power)} power"
    if able.queries_needed is not None:
        text += f"; the observed one needs about {counted(able.queries_needed, 'query', 'queries')}"
    return text


def margin_text(contrast: Contrast) -> str:
    """Whether the candidate is equivalent or non-inferior, up to its margin."""
    margin = contrast.equivalence
    assert margin is not None
    kind = "equivalent" if margin.kind == "equivalence" else "non-inferior"
    verb = f"is {kind}" if margin.holds else f"is not shown to be {kind}"
    ends = f"confidence interval {interval(margin.low, margin.high)}"
    return (
        f"{contrast.measure}{where(contrast)}: {contrast.candidate} {verb} to {contrast.baseline} within "
        f"{number(margin.margin)} ({p_phrase(margin.p_value)}, {ends})."
    )


# ---- which queries pay ---------------------------------------------------------------------------


def _moved(comparison: Comparison) -> list[Section]:
    """The first measure's moves; the others stand in the JSON and the HTML report."""
    parts = []
    most = FEW_MOVES if len(comparison.systems) > FEW_CANDIDATES + 1 else None
    for candidate in comparison.systems[1:]:
        moves = [m for m in comparison.moves if m.candidate == candidate and m.measure == comparison.measures[0]]
        for word, chosen in (("Lost", _losing(comparison, moves, True)), ("Won", _losing(comparison, moves, False))):
            if chosen:
                name = f"{word} most in {comparison.measures[0]}: {candidate}"
                parts.append(Section(name, tuple(_move(move) for move in chosen[:most])))
    return parts


def _losing(comparison: Comparison, moves: list[QueryMove], lost: bool) -> list[QueryMove]:
    """Worst first for what was lost, best first for what was won."""
    lower = any(c.better == "lower" for c in comparison.contrasts if c.measure == comparison.measures[0])
    chosen = [move for move in moves if ((move.difference < 0) != lower) == lost]
    return chosen if lost else chosen[::-1]


def _move(move: QueryMove) -> tuple[str, ...]:
    quoted = f" {short(move.text)!r}" if move.text else ""
    values = f"{number(move.before)} -> {number(move.after)} ({signed(move.difference)})"
    parts = [
        f"{what} {_documents(docs)}"
        for what, docs in (("in", move.entered), ("out", move.left), ("up", move.rose), ("down", move.fell))
        if docs
    ]
    moved = "; ".join(parts) or "the same documents"
    return f"{move.query_id}{quoted}: {values}", f"first {move.depth}: {moved}"


def _documents(moves: tuple[DocMove, ...]) -> str:
    """The documents worth most by id and place; how many others, and how many nobody judged."""
    relevant = sorted((m for m in moves if m.grade is not None and m.grade > 0), key=lambda m: -(m.grade or 0))
    parts = [f"{m.doc_id} ({_places(m)}, grade {m.grade})" for m in relevant[:NAMED]]
    unjudged = sum(m.grade is None for m in moves)
    counts = (
        (len(relevant[NAMED:]), "more relevant"),
        (len(moves) - len(relevant) - unjudged, "not relevant"),
        (unjudged, "unjudged"),
    )
    return ", ".join([*parts, *(f"{count} {what}" for count, what in counts if count)])


def _places(move: DocMove) -> str:
    if move.before is None or move.after is None:
        return f"#{move.after or move.before}"
    return f"#{move.before}>{move.after}"


def short(text: str) -> str:
    """A query's text on one line, cut where it is long."""
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST_TEXT else flat[: LONGEST_TEXT - 3] + "..."


# ---- what the numbers cannot see -----------------------------------------------------------------


def _unseen(comparison: Comparison) -> tuple[str, ...]:
    lines = []
    for spot in comparison.blind_spots:
        if not spot.unseen:
            continue
        seen = ", ".join(f"{measure} sees {count}" for measure, count in list(spot.seen_by.items())[:NAMED] if count)
        line = (
            f"{spot.measure}: {spot.candidate} changed {spot.changed} of {spot.queries} rankings; "
            f"in {len(spot.unseen)} of them ({spot.share:.0%}) the value stayed the same"
        )
        lines.append(f"{line}; of these {seen}." if seen else f"{line}.")
    return tuple(lines)


def _holes(comparison: Comparison) -> Section:
    holes = comparison.holes
    if holes is None:
        return Section("")
    rates = ", ".join(f"{s} {rate:.1%}" for s, rate in zip(comparison.systems, holes.judged_rates, strict=True))
    base = comparison.systems[0]
    rows = [("measure", "candidate", "least", "greatest", "bound", "sign")]
    for of_measure in holes.bounds:
        for candidate, bound in zip(comparison.systems[1:], of_measure.differences, strict=True):
            kind = "exact" if bound.exact else "outer"
            # Of systems that cannot be compared no difference has a sign.
            compared = comparison.contrast(of_measure.measure, candidate).difference.value is not None
            ends = (signed(bound.least), signed(bound.greatest), kind, _sign(bound)) if compared else ("none",) * 4
            rows.append((of_measure.measure, candidate, *ends))
    if not holes.bounds:
        return Section("What is not judged", (f"Judged@{holes.judged_at}: {rates}.", holes.note))
    lines = (
        f"Judged@{holes.judged_at}: {rates}.",
        f"{counted(holes.documents, 'unjudged document')} could be relevant: {holes.universe}.",
        f"Whatever they are, the difference from {base} lies between least and greatest.",
        *([holes.outside] if holes.outside else []),
    )
    return Section("What is not judged", lines, tuple(rows), 2)


def _sign(bound: Bound) -> str:
    if bound.least > 0 or bound.greatest < 0:
        return "stays"
    return "could turn" if bound.least < 0 < bound.greatest else "could vanish"


def _reuse(comparison: Comparison) -> list[Section]:
    """Whether the verdicts rest on who took part in the pool; nothing where its groups were not given."""
    if comparison.reuse is None:
        return []
    from rankproof.proving.reuse_records import reuse_sections

    return reuse_sections(comparison.reuse)


def _ties(comparison: Comparison) -> tuple[str, ...]:
    """Each that could change a result; the others in one line."""
    changing = tuple(risk.note for risk in comparison.tie_risks if risk.changes)
    widest = max(comparison.tie_risks, key=lambda risk: risk.greatest - risk.least, default=None)
    if changing or widest is None:
        return changing
    return (
        f"Some scores are tied, but no order of them changes what is said above; the widest range is "
        f"{signed(widest.least)} to {signed(widest.greatest)} ({widest.measure}, {widest.candidate}).",
    )


def _diagnoses(comparison: Comparison) -> tuple[str | tuple[str, ...], ...]:
    """What was seen in which runs; below the last of a kind, why it matters and what to try."""
    by_reason: dict[tuple[str, str], dict[str, list[str]]] = {}
    for d in comparison.diagnoses:
        by_reason.setdefault((d.reason, d.remedy), {}).setdefault(d.message, []).append(d.run)
    lines: list[str | tuple[str, ...]] = []
    for (reason, remedy), seen in by_reason.items():
        *others, last = (f"{', '.join(runs)}: {message}" for message, runs in seen.items())
        lines += [*others, (last, reason, f"Try: {remedy}")]
    return tuple(lines)


def _queries(comparison: Comparison) -> tuple[tuple[str, ...], ...]:
    """Every query with the values of every system, measure by measure."""
    columns = [(text, e.run_name, e[text].by_query) for text in comparison.measures for e in comparison.evaluations]
    rows = [("query_id", *(f"{text} {name}" for text, name, _ in columns))]
    rows += [
        (query, *(number(values.get(query, float("nan"))) for _, _, values in columns))
        for query in comparison.query_ids
    ]
    return tuple(rows)
