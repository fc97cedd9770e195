"""Golden: pairs whose grade is beyond doubt, to ask other judges about."""

from __future__ import annotations

from collections.abc import Collection

from rankproof.records.adjudication import Adjudicated
from rankproof.records.assignment import GoldAnswer

# So many judges must have said the same.
FEWEST = 3


def golden(settled: Adjudicated, known: Collection[tuple[str, str]], fewest: int = FEWEST) -> list[GoldAnswer]:
    """The pairs that `fewest` judges or more graded and all of them alike, without those that are `known` already."""
    return [
        GoldAnswer(pair.query_id, pair.doc_id, pair.grade)
        for pair in settled.pairs
        if pair.grade is not None
        and pair.agreed
        and len(pair.votes) >= fewest
        and (pair.query_id, pair.doc_id) not in known
    ]
