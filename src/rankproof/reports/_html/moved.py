"""What moved: the documents behind a query's difference, in a cell that opens."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.records.movement import DocMove, QueryMove
from rankproof.reports._html.markup import Safe, tag

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
