"""Unanswered: queries that a live engine did not answer; what rests on none is refused, what rests on few is told."""

from __future__ import annotations

from rankproof.errors import InputError
from rankproof.records.outcome import ModeOutcome

NO_ANSWER = "no answer"


def unanswered(mode: ModeOutcome) -> set[str]:
    """The queries without an answer. A stage that failed is another matter: the incoming order stood in."""
    return {failure.query_id for failure in mode.failures if failure.fallback == NO_ANSWER}


def refuse_silence(mode: ModeOutcome) -> None:
    """InputError where no query at all has an answer: its numbers would be those of nothing."""
    if mode.query_ids and len(unanswered(mode)) == len(mode.query_ids):
        first = next(failure for failure in mode.failures if failure.fallback == NO_ANSWER)
        raise InputError(
            f"{mode.name}: no query has an answer, so nothing is written. "
            f"{first.query_id}: {first.kind}: {first.message}"
        )


def warning_of(mode: ModeOutcome) -> str:
    """What a reader must know of missing answers; nothing where all came."""
    missing = len(unanswered(mode))
    if not missing:
        return ""
    which = "1 query has no answer" if missing == 1 else f"{missing} queries have no answer"
    return (
        f"{mode.name}: {which} from a live engine, which is measured as an empty ranking. Run it again: only what is "
        "missing is asked."
    )
