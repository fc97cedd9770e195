"""Queries: gains and losses in a chart and a table, with the documents that moved."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankproof.kernel.sections import PLACES, number
from rankproof.proving.movement_records import DocMove, QueryMove
from rankproof.proving.records import ALL_QUERIES, Comparison, Contrast
from rankproof.reports.charts.values import order, query_chart
from rankproof.reports.page.elements import Column, PageCell, PageSection, Safe, data_block, figure, table, tag
from rankproof.reports.page.verdict import difference

# A ranking of a thousand documents is not read in a cell.
MOST_NAMED = 12


def cell(move: QueryMove) -> Safe:
    """How many documents entered, left, rose and fell; opened, which ones."""
    kinds = [("entered", move.entered), ("left", move.left), ("rose", move.rose), ("fell", move.fell)]
    counts = ", ".join(f"{len(docs)} {kind}" for kind, docs in kinds if docs) or "the same documents"
    if not any(docs for _, docs in kinds):
        return tag("span", f"{counts} in the first {move.depth}")
    parts = [tag("li", tag("b", kind), " ", _documents(docs)) for kind, docs in kinds if docs]
    return tag("details", tag("summary", counts), tag("ul", *parts), tag("p", f"in the first {move.depth}"))


def _documents(docs: Sequence[DocMove]) -> str:
    named = ", ".join(f"{doc.doc_id} ({_places(doc)}, {_grade(doc)})" for doc in docs[:MOST_NAMED])
    rest = len(docs) - MOST_NAMED
    return f"{named} and {rest} more" if rest > 0 else named


def _places(doc: DocMove) -> str:
    if doc.before is None or doc.after is None:
        return f"rank {doc.after or doc.before}"
    return f"rank {doc.before} → {doc.after}"


def _grade(doc: DocMove) -> str:
    return "unjudged" if doc.grade is None else f"grade {doc.grade}"


# Charts and contrasts beyond these make a file too heavy to mail; the JSON report holds all.
MOST_CONTRASTS = 30
MOST_ROWS = 2_000
# Above this some queries may share a bar, on a phone.
MOST_SINGLE = 100


def section(comparison: Comparison) -> PageSection | None:
    """The picker, the charts and the table. What a script does not show, the page shows without one."""
    every = [c for c in comparison.contrasts if c.segment == ALL_QUERIES and c.query_ids]
    every.sort(key=lambda c: c.baseline != comparison.systems[0])  # those with the baseline first
    contrasts = every[:MOST_CONTRASTS]
    if not contrasts:
        return None
    left = len(every) - len(contrasts)
    note = f"The first {MOST_CONTRASTS} contrasts are here; {left} more are in the JSON report." if left else None
    return PageSection(
        "queries",
        "Queries",
        "Which queries won, which paid for it, and what moved in them?",
        (
            _picker(contrasts),
            tag("div", *(_chart(comparison, c, i) for i, c in enumerate(contrasts)), class_="choices"),
            _search(),
            _table(comparison, contrasts[0]),
            tag("p", note, class_="note") if note else None,
            data_block("queries", _data(comparison, contrasts)),
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


def _search() -> Safe:
    field = tag("input", type="search", id="search", placeholder="id, words or document", autocomplete="off")
    return tag("p", tag("label", "Search ", field), tag("output", for_="search"), class_="tools", hidden=True)


def _chart(comparison: Comparison, contrast: Contrast, number: int) -> Safe:
    many = len(contrast.query_ids) > MOST_SINGLE
    bars = "a bar for each query, or for a few neighbors as long as their longest" if many else "a bar for each query"
    caption = (
        f"{contrast.candidate} minus {contrast.baseline} in {contrast.measure}, {bars}, best first: "
        f"{contrast.wins} better, {contrast.ties} the same, {contrast.losses} worse. "
        "Point at a bar to see its query; click to find it in the table."
    )
    label = (
        f"Differences by query in {contrast.measure}: {contrast.wins} better, {contrast.ties} the same, "
        f"{contrast.losses} worse. The table below has every query."
    )
    return figure(lambda look: query_chart(contrast, look), label, caption, class_="choice", data_contrast=number)


def _table(comparison: Comparison, contrast: Contrast) -> Safe:
    """The rows of the first contrast, what lost most first; a script fills in the others."""
    places = order(contrast)[::-1]
    if len(places) > MOST_ROWS:
        most_changed = set(sorted(places, key=lambda i: -abs(float(contrast.by_query[i])))[:MOST_ROWS])
        places = [i for i in places if i in most_changed]
    before, after = (_values(comparison, contrast.measure, s) for s in (contrast.baseline, contrast.candidate))
    moves = _moves(comparison, contrast)
    at = {query: i for i, query in enumerate(comparison.query_ids)}
    texts = bool(comparison.topics)
    columns = [
        Column("Query", "name", "text"),
        *([Column("Text", "words", "text")] if texts else []),
        Column(contrast.baseline, sort="number"),
        Column(contrast.candidate, sort="number"),
        Column("Difference", sort="number"),
        Column("What moved", "words"),
    ]
    rows, keys = [], []
    for i in places:
        query = contrast.query_ids[i]
        gap = float(contrast.by_query[i])
        keys.append(at[query])
        rows.append(
            [
                PageCell(query),
                *([PageCell(comparison.topics.get(query, ""))] if texts else []),
                PageCell(number(before[query]), _number(before[query])),
                PageCell(number(after[query]), _number(after[query])),
                PageCell(difference(gap), _number(gap), _tone(contrast, gap)),
                PageCell(cell(moves[query]) if query in moves else None),
            ]
        )
    caption = f"{contrast.measure} by query: {contrast.candidate} against {contrast.baseline}"
    if len(rows) < len(contrast.query_ids):
        caption += f"; the {MOST_ROWS:,} of {len(contrast.query_ids):,} queries that changed most"
    column = 3 + texts
    by = (column, "descending" if contrast.better == "lower" else "ascending")
    return table(caption, columns, rows, id_="query-table", keys=keys, sorted_by=by)


def _data(comparison: Comparison, contrasts: list[Contrast]) -> dict[str, object]:
    """What a script needs to show another contrast, and a query at the pointer."""
    at = {query: i for i, query in enumerate(comparison.query_ids)}
    used = {(c.measure, s) for c in contrasts for s in (c.baseline, c.candidate)}
    return {
        "ids": list(comparison.query_ids),
        "texts": [comparison.topics.get(query, "") for query in comparison.query_ids] if comparison.topics else [],
        "values": {
            text: {
                system: [_number(values.get(query)) for query in comparison.query_ids]
                for system in comparison.systems
                if (text, system) in used
                for values in [_values(comparison, text, system)]
            }
            for text in comparison.measures
        },
        "contrasts": [
            {
                "measure": c.measure,
                "baseline": c.baseline,
                "candidate": c.candidate,
                "better": c.better,
                "queries": [at[query] for query in c.query_ids],
                "differences": [_number(float(d)) for d in c.by_query],
                "moves": {at[query]: cell(move) for query, move in _moves(comparison, c).items()},
            }
            for c in contrasts
        ],
    }


def _moves(comparison: Comparison, contrast: Contrast) -> dict[str, QueryMove]:
    if contrast.baseline != comparison.systems[0]:
        return {}
    same = (contrast.measure, contrast.candidate)
    return {move.query_id: move for move in comparison.moves if (move.measure, move.candidate) == same}


def _values(comparison: Comparison, measure: str, system: str) -> dict[str, float]:
    """Each query's value; NaN where the measure has none, whatever that counts as in the mean."""
    result = comparison.evaluations[comparison.systems.index(system)][measure]
    return {**result.by_query, **dict.fromkeys(result.undefined, math.nan)}


def _number(value: float | None) -> float | None:
    """As many digits as are shown."""
    return round(value, PLACES) if value is not None and math.isfinite(value) else None


def _tone(contrast: Contrast, gap: float) -> str:
    if gap == 0 or contrast.better == "neither":
        return ""
    return "better" if (gap > 0) == (contrast.better == "higher") else "worse"
