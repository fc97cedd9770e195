"""What a run is compared with: the query ids of the qrels and the topics, each with its source."""

from __future__ import annotations

from rankproof.reading.check_subject import Subject


def known_queries(subject: Subject) -> dict[str, str] | None:
    """Each known query with the name of its source, qrels first; None when neither was given."""
    if subject.qrels is None and subject.topics is None:
        return None
    known: dict[str, str] = {}
    if subject.qrels is not None:
        known.update(dict.fromkeys(subject.qrels.query_ids, "qrels"))
    for query_id in subject.topics or ():
        known.setdefault(query_id, "topics")
    return known


def named(subject: Subject) -> str:
    """'qrels', 'topics' or 'qrels or topics', as given."""
    given = [name for name in ("qrels", "topics") if getattr(subject, name) is not None]
    return " or ".join(given)
