"""A comparison as sections, for the forms that are read from top to bottom."""

from __future__ import annotations

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import Section, counted, number, percent, signed, verdict_word
from rankproof.proving.conversions import header, row, title
from rankproof.proving.holes.bounds import Bound
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast, DocMove, QueryMove
from rankproof.proving.wording import detectable_text, headline, item_title, margin_text

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
    """The parts that have something to say, in the order a reader wants them."""
    whole = [c for c in comparison.contrasts if c.segment == ALL_QUERIES]
    parts = [
        Section(
            title(comparison),
            _headlines(whole),
            (tuple(header(comparison)), *(tuple(row(comparison, c)) for c in comparison.contrasts)),
            1 + bool(comparison.segments),
        ),
        Section("Margins", tuple(margin_text(c) for c in comparison.contrasts if c.equivalence is not None)),
        *_moved(comparison),
        Section("What the measures do not see", _unseen(comparison)),
        _holes(comparison),
        Section("Ties", _ties(comparison)),
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
    significant = [headline(c) for c in whole if c.direction != "not shown"]
    others = [
        f"{c.measure}, {c.candidate}: {verdict_word(c.direction)}{_limits(c)}."
        for c in whole
        if c.direction == "not shown"
    ]
    return (*significant, *others)


def _limits(contrast: Contrast) -> str:
    """What would have been detected, or why there is no test; nothing where the measure only has no better side."""
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
            rows.append(
                (of_measure.measure, candidate, signed(bound.least), signed(bound.greatest), kind, _sign(bound))
            )
    if not holes.bounds:
        return Section("What is not judged", (f"Judged@{holes.judged_at}: {rates}.", holes.note))
    lines = (
        f"Judged@{holes.judged_at}: {rates}.",
        f"{counted(holes.documents, 'unjudged document')} could be relevant: {holes.universe}.",
        f"Whatever they are, the difference from {base} lies between least and greatest.",
    )
    return Section("What is not judged", lines, tuple(rows), 2)


def _sign(bound: Bound) -> str:
    if bound.least > 0 or bound.greatest < 0:
        return "stays"
    return "could turn" if bound.least < 0 < bound.greatest else "could vanish"


def _ties(comparison: Comparison) -> tuple[str, ...]:
    """Each that could change what is said; the others in one line."""
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
