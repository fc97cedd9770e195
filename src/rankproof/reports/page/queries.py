"""Queries: gains and losses in a chart, and a table in which every query opens to its rankings side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from rankproof.kernel.sections import PLACES, number
from rankproof.proving.movement import Rankings
from rankproof.proving.movement_records import DocMove, QueryMove
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.reports.charts.values import order, query_chart
from rankproof.reports.page.elements import Column, PageCell, PageSection, Safe, data_block, figure, short, table, tag
from rankproof.reports.page.verdict import difference

# Charts and contrasts beyond these make a file too heavy to mail; the JSON report holds all.
MOST_CONTRASTS = 30
# Rows of the table as it is read without scripts; with them every query is there.
MOST_ROWS = 1_000
# Above this some queries may share a bar, on a phone.
MOST_SINGLE = 100


def section(comparison: Comparison, segments: Mapping[str, Sequence[str]] | None = None) -> PageSection | None:
    """The picker, the charts and the table. What a script does not show, the page shows without one.

    segments   queries by segment, for the filter, where they are not those of the comparison
    """
    every = [c for c in comparison.contrasts if c.segment == ALL_QUERIES and c.query_ids]
    every.sort(key=lambda c: c.baseline != comparison.systems[0])  # those with the baseline first
    contrasts = every[:MOST_CONTRASTS]
    if not contrasts:
        return None
    left = len(every) - len(contrasts)
    parts = comparison.segments if segments is None else segments
    data = _data(comparison, contrasts, parts)
    rankings = data["rankings"]
    kept = rankings["kept"] if isinstance(rankings, dict) else None
    notes = [
        f"The first {MOST_CONTRASTS} contrasts are here; {left} more are in the JSON report." if left else None,
        _note(comparison, kept),
    ]
    return PageSection(
        "queries",
        "Queries",
        "Which queries won, which paid for it, and what moved in them?",
        (
            _picker(contrasts),
            tag("div", *(_chart(c, i) for i, c in enumerate(contrasts)), class_="choices"),
            _tools(parts),
            _table(comparison, contrasts[0]),
            tag("nav", class_="pages", aria_label="Pages of the table of queries", hidden=True),
            *(tag("p", note, class_="note") for note in notes if note),
            data_block("queries", data),
        ),
    )


def _picker(contrasts: list[Contrast]) -> Safe | None:
    """Which contrast the chart and the table show; it appears where scripts run."""
    if len(contrasts) == 1:
        return None
    pairs = len({(c.baseline, c.candidate) for c in contrasts}) > 1
    options = [
        tag("option", f"{c.measure}: {c.candidate} minus {c.baseline}" if pairs else c.measure, value=i)
        for i, c in enumerate(contrasts)
    ]
    return tag("p", tag("label", "Show ", tag("select", *options, id="pick")), class_="tools", hidden=True)


OUTCOMES = {"": "all queries", "better": "better", "worse": "worse", "same": "the same"}


def _tools(segments: Mapping[str, Sequence[str]]) -> Safe:
    """Search, filters and the order of the rows; they appear where scripts run."""
    field = tag("input", type="search", id="search", placeholder="id, words or document", autocomplete="off")
    outcomes = [tag("option", words, value=key) for key, words in OUTCOMES.items()]
    parts = [
        tag("option", "every segment", value=""),
        *(tag("option", short(name), value=short(name)) for name in segments),
    ]
    return tag(
        "p",
        tag("label", "Search ", field),
        tag("label", "Outcome ", tag("select", *outcomes, id="outcome")),
        tag("label", "Segment ", tag("select", *parts, id="segment")) if segments else None,
        tag("label", "Sort by ", tag("select", id="order"), class_="narrow"),
        tag("output", for_="search outcome"),
        class_="tools",
        hidden=True,
    )


def _chart(contrast: Contrast, number: int) -> Safe:
    many = len(contrast.query_ids) > MOST_SINGLE
    bars = "a bar for each query, or for a few neighbors as long as their longest" if many else "a bar for each query"
    caption = (
        f"{contrast.candidate} minus {contrast.baseline} in {contrast.measure}, {bars}, best first: "
        f"{contrast.wins} better, {contrast.ties} the same, {contrast.losses} worse. "
        "Point at a bar to see its query; a click or Enter opens it."
    )
    label = (
        f"Differences by query in {contrast.measure}: {contrast.wins} better, {contrast.ties} the same, "
        f"{contrast.losses} worse. The table below has every query."
    )
    return figure(lambda look: query_chart(contrast, look), label, caption, class_="choice", data_contrast=number)


def _table(comparison: Comparison, contrast: Contrast) -> Safe:
    """The rows of the first contrast, what lost most first; a script draws those of the others, and all pages."""
    places = order(contrast)[::-1]
    if len(places) > MOST_ROWS:
        most_changed = set(sorted(places, key=lambda i: -abs(float(contrast.by_query[i])))[:MOST_ROWS])
        places = [i for i in places if i in most_changed]
    before, after = (_values(comparison, contrast.measure, s) for s in (contrast.baseline, contrast.candidate))
    at = {query: i for i, query in enumerate(comparison.query_ids)}
    texts = bool(comparison.topics)
    columns = [
        Column("Query", "name", "text"),
        *([Column("Text", "words", "text")] if texts else []),
        Column(short(contrast.baseline), sort="number"),
        Column(short(contrast.candidate), sort="number"),
        Column("Difference", sort="number"),
    ]
    rows, keys = [], []
    for i in places:
        query = contrast.query_ids[i]
        gap = float(contrast.by_query[i])
        keys.append(at[query])
        rows.append(
            [
                PageCell(_named(query)),
                *([PageCell(short(comparison.topics.get(query, "")))] if texts else []),
                PageCell(number(before[query]), _number(before[query])),
                PageCell(number(after[query]), _number(after[query])),
                PageCell(difference(gap), _number(gap), _tone(contrast, gap)),
            ]
        )
    caption = f"{contrast.measure} by query: {short(contrast.candidate)} against {short(contrast.baseline)}"
    if len(rows) < len(contrast.query_ids):
        caption += f"; the {MOST_ROWS:,} of {len(contrast.query_ids):,} queries that changed most"
    column = 3 + texts
    by = (column, "descending" if contrast.better == "lower" else "ascending")
    return table(caption, columns, rows, id_="query-table", class_="drawn", keys=keys, sorted_by=by)


def _tone(contrast: Contrast, gap: float) -> str:
    if gap == 0 or contrast.better == "neither":
        return ""
    return "better" if (gap > 0) == (contrast.better == "higher") else "worse"


# ---- the data for the page's script: compact, and of a bounded size ------------------------------

# A ranking of a thousand documents is not read in a line.
MOST_NAMED = 12
# Bytes of data beyond this make a page too heavy to mail. Values of all queries come first, as far as their contrasts
# are shown; then rankings, of the queries that changed most.
MOST_BYTES = 12_500_000
# At most in JSON: a value or a difference; a place of a ranking, which is a number, a grade and their commas.
NUMBER_BYTES = 8
PLACE_BYTES = 14
NO_ID = "(empty id)"


def _data(
    comparison: Comparison, contrasts: Sequence[Contrast], segments: Mapping[str, Sequence[str]]
) -> dict[str, object]:
    """What it takes to draw the table of any contrast, a query at the pointer, and two rankings side by side."""
    ids = comparison.query_ids
    at = {query: i for i, query in enumerate(ids)}
    rankings = comparison.rankings()
    every = list(range(len(ids)))
    names = [_named(query) for query in ids]
    texts = [short(comparison.topics.get(query, "")) for query in ids] if comparison.topics else []
    numbers = sum(len(c.query_ids) for c in contrasts) + sum(map(len, segments.values()))
    left = MOST_BYTES - sum(map(_weight, (*names, *texts))) - NUMBER_BYTES * numbers
    values = _value_columns(comparison, contrasts, left)
    left -= NUMBER_BYTES * sum(len(column) for columns in values for column in columns if column is not None)
    return {
        "ids": names,
        "texts": texts,
        "systems": list(map(_named, comparison.systems)),
        "measures": list(comparison.measures),
        "better": {c.measure: c.better for c in contrasts},
        "values": values,
        "contrasts": [
            {
                "measure": comparison.measures.index(c.measure),
                "baseline": comparison.systems.index(c.baseline),
                "candidate": comparison.systems.index(c.candidate),
                "better": c.better,
                # null: every query, in the order of the ids
                "queries": None if (places := [at[query] for query in c.query_ids]) == every else places,
                "differences": [_number(float(d)) for d in c.by_query],
                "moves": {} if rankings is not None else _moves(comparison, c, at),
            }
            for c in contrasts
        ],
        "segments": {short(name): [at[query] for query in of if query in at] for name, of in segments.items()},
        "rankings": None if rankings is None else _ranked(rankings, comparison, contrasts[0], left),
    }


def _value_columns(
    comparison: Comparison, contrasts: Sequence[Contrast], most: int
) -> list[list[list[float | None] | None]]:
    """By measure and system, in their order, the value of each query; None where there is no room for more.

    The columns of the contrasts that are shown are always there; others only serve to open a query.
    """
    ids = comparison.query_ids
    needed = {(c.measure, s) for c in contrasts for s in (c.baseline, c.candidate)}
    every = [(measure, system) for measure in comparison.measures for system in comparison.systems]
    room = most // (NUMBER_BYTES * max(len(ids), 1)) >= len(every)
    columns: list[list[list[float | None] | None]] = [[] for _ in comparison.measures]
    for place, (measure, system) in enumerate(every):
        kept = room or (measure, system) in needed
        values = _values(comparison, measure, system) if kept else {}
        column = [_number(values.get(query)) for query in ids] if kept else None
        columns[place // len(comparison.systems)].append(column)
    return columns


def _named(identifier: str) -> str:
    """An id as the page shows it."""
    return short(identifier) or NO_ID


def _note(comparison: Comparison, kept: int | None) -> str | None:
    """What a reader must know where rankings are not all there; `kept` queries have theirs in the page."""
    if kept is None:
        return (
            "Here are values alone: rankings are not part of this comparison. The command `rankproof compare` reads "
            "them from the files of runs; in Python give compare(..., rankings=True)."
        )
    if kept < len(comparison.query_ids):
        return (
            f"Rankings of the {kept:,} queries that changed most are here; those of the other "
            f"{len(comparison.query_ids) - kept:,} would make the page too heavy. Values are here for all."
        )
    return None


def _ranked(rankings: Rankings, comparison: Comparison, first: Contrast, most: int) -> dict[str, object]:
    """Documents by number; for each query its documents, their grades, and by system their order; `most` bytes."""
    documents: dict[str, int] = {}
    by_query: list[object] = [None] * len(comparison.query_ids)
    weight = 0
    for place in _most_changed(comparison, first):
        query = comparison.query_ids[place]
        lists = [rankings.by_system[system].get(query, ()) for system in comparison.systems]
        own = {doc: i for i, doc in enumerate(dict.fromkeys(doc for docs in lists for doc in docs))}
        new = [doc for doc in own if doc not in documents]
        weight += sum(map(_weight, new)) + sum(_weight(rankings.titles.get(doc, "")) for doc in new)
        weight += PLACE_BYTES * len(own) + 3 * sum(map(len, lists))
        if weight > most:
            break
        for doc in new:
            documents[doc] = len(documents)
        grades = rankings.grades.get(query, {})
        by_query[place] = [
            [documents[doc] for doc in own],
            [grades.get(doc) for doc in own],
            [[own[doc] for doc in docs] for docs in lists],
        ]
    titles = [short(rankings.titles.get(doc, "")) for doc in documents] if rankings.titles else []
    return {
        "depth": rankings.depth,
        "documents": [_named(doc) for doc in documents],
        "titles": titles,
        "queries": by_query,
        "kept": sum(found is not None for found in by_query),
    }


def _most_changed(comparison: Comparison, contrast: Contrast) -> list[int]:
    """Places of the queries, the greatest change in the first contrast first; those outside it come last."""
    change = {q: abs(float(d)) for q, d in zip(contrast.query_ids, contrast.by_query, strict=True)}
    ids = comparison.query_ids
    return sorted(range(len(ids)), key=lambda i: -_finite(change.get(ids[i], -1.0)))


def _finite(value: float) -> float:
    return value if math.isfinite(value) else -1.0


def _weight(text: str) -> int:
    """The bytes of a text in the page, at most: signs of markup are written as six."""
    shown = short(text)
    return len(shown.encode("utf-8", "replace")) + 5 * sum(map(shown.count, "<>&")) + 3


def _moves(comparison: Comparison, contrast: Contrast, at: Mapping[str, int]) -> dict[int, list[str]]:
    """Without rankings: in words what moved in the queries that changed most."""
    if contrast.baseline != comparison.systems[0]:
        return {}
    same = (contrast.measure, contrast.candidate)
    moves = [move for move in comparison.moves if (move.measure, move.candidate) == same]
    return {at[move.query_id]: _move_lines(move) for move in moves if move.query_id in at}


def _move_lines(move: QueryMove) -> list[str]:
    kinds = [("Entered", move.entered), ("Left", move.left), ("Rose", move.rose), ("Fell", move.fell)]
    lines = [f"{kind} the first {move.depth}: " if kind in ("Entered", "Left") else f"{kind}: " for kind, _ in kinds]
    return [line + _documents(docs) for line, (_, docs) in zip(lines, kinds, strict=True) if docs]


def _documents(docs: Sequence[DocMove]) -> str:
    words = ", ".join(f"{_named(doc.doc_id)} ({_places(doc)}, {_grade(doc)})" for doc in docs[:MOST_NAMED])
    rest = len(docs) - MOST_NAMED
    return f"{words} and {rest} more" if rest > 0 else words


def _places(doc: DocMove) -> str:
    if doc.before is None or doc.after is None:
        return f"rank {doc.after or doc.before}"
    return f"rank {doc.before} → {doc.after}"


def _grade(doc: DocMove) -> str:
    return "unjudged" if doc.grade is None else f"grade {doc.grade}"


def _values(comparison: Comparison, measure: str, system: str) -> dict[str, float]:
    """Each query's value; NaN where the measure has none, whatever that counts as in the mean."""
    result = comparison.evaluations[comparison.systems.index(system)][measure]
    return {**result.by_query, **dict.fromkeys(result.undefined, math.nan)}


def _number(value: float | None) -> float | None:
    """As many digits as are shown."""
    return round(value, PLACES) if value is not None and math.isfinite(value) else None
