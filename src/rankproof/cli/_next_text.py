"""A Proposal as text: a table to read, lines to judge, or JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping

from rankproof.cli._document import document
from rankproof.records.bounds import Bound, Proposal
from rankproof.records.show import number
from rankproof.reports._align import aligned, printable

SCHEMA = "next/1"
LONGEST = 60  # of a query's text in the table


def to_read(found: Proposal, texts: Mapping[str, str]) -> str:
    """The pairs in order, and what they are to settle below them."""
    lines = []
    if found.wanted:
        rows = [["", "query_id", "doc_id", "best rank", "worth"]]
        for place, pair in enumerate(found.wanted, 1):
            number_of = str(place).rjust(len(str(len(found.wanted))))
            rows.append([number_of, pair.query_id, pair.doc_id, str(pair.best_rank or "-"), f"{pair.worth:.5f}"])
        lines = aligned(rows, 3)
        if texts:
            shown = ["query", *(_short(texts.get(pair.query_id, "")) for pair in found.wanted)]
            lines = [f"{line}  {printable(text)}".rstrip() for line, text in zip(lines, shown, strict=True)]
        lines.append("")
    return "\n".join([*lines, *map(printable, _notes(found))]) + "\n"


def _notes(found: Proposal) -> list[str]:
    baseline, notes = found.systems[0], []
    for system, value, bound, settled in zip(
        found.systems[1:], found.values[1:], found.differences, found.settled, strict=True
    ):
        sign = f"its sign is {'certain' if settled else 'not certain'}"
        notes.append(
            f"{system} - {baseline}: {found.measure} {value - found.values[0]:+.4f} now, between {number(bound.least)} "
            f"and {number(bound.greatest)} under all grades; {sign}"
        )
    if all(found.settled):
        notes.append("every sign is certain: these judgments would make the bounds narrower, and change no sign")
    if not found.useful:
        notes.append("nothing to judge: no unjudged document was found to move a difference")
    elif found.useful > len(found.wanted):
        more = found.useful - len(found.wanted)
        notes.append(f"{more:,} more {'is' if more == 1 else 'are'} worth judging; -n lists them")
    notes.append("worth: how far the judgment is expected to move the bound that decides the sign, toward a decision")
    notes.append(f"universe: {found.universe}")
    return notes


def to_judge(found: Proposal, texts: Mapping[str, str]) -> str:
    """Tab-separated, with a header that reads as qrels, and an empty column for the grade."""
    from rankproof.formats.tsv import protect

    lines = ["\t".join(["query_id", "doc_id", "grade", *(["query"] if texts else [])])]
    for pair in found.wanted:
        text = [" ".join(texts.get(pair.query_id, "").split())] if texts else []
        lines.append("\t".join([*protect([pair.query_id, pair.doc_id]), "", *text]))
    return "\n".join(lines) + "\n"


def as_json(found: Proposal, texts: Mapping[str, str], seconds: float) -> str:
    """The whole answer, for programs."""
    body = {
        "measure": found.measure,
        "baseline": found.systems[0],
        "universe": found.universe,
        "documents": found.documents,
        "useful": found.useful,
        "values": {name: _finite(value) for name, value in zip(found.systems, found.values, strict=True)},
        "differences": [
            {"candidate": name, "difference": _finite(value - found.values[0]), **_bound(bound), "settled": settled}
            for name, value, bound, settled in zip(
                found.systems[1:], found.values[1:], found.differences, found.settled, strict=True
            )
        ],
        "wanted": [
            {
                "query_id": pair.query_id,
                "doc_id": pair.doc_id,
                "worth": pair.worth,
                "best_rank": pair.best_rank or None,
                **({"query": texts.get(pair.query_id)} if texts else {}),
            }
            for pair in found.wanted
        ],
    }
    return document(SCHEMA, body, seconds)


def _bound(bound: Bound) -> dict[str, object]:
    return {
        "least": _finite(bound.least),
        "greatest": _finite(bound.greatest),
        "exact": bound.exact,
        "note": bound.note,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3].rstrip()}..."
