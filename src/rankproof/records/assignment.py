"""Assignment and GoldAnswer: which pairs a judge is asked about, and pairs whose answer is known."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Assignment:
    """A pair that a selection proposed. The newest word about a pair and a judge holds.

    judge      who is asked; empty where anybody may take it
    place      where it stands in the order of asking, from 1
    weight     how much the selection expects of it, in the selection's own terms
    selection  the selection that proposed it, as text
    withdrawn  it was taken back
    """

    query_id: str
    doc_id: str
    place: int
    judge: str = ""
    weight: float = 0.0
    selection: str = ""
    time: str = ""
    withdrawn: bool = False


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A pair whose grade is known, to watch over judges. The newest word about a pair holds."""

    query_id: str
    doc_id: str
    grade: int
    time: str = ""
    withdrawn: bool = False
