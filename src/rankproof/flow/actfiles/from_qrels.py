"""Qrels as judgments: what somebody settled elsewhere, in the name of a judge."""

from __future__ import annotations

from hashlib import sha256

from rankproof.errors import InputError
from rankproof.records.judging import PERSON, Judgment, Source
from rankproof.records.qrels import Qrels


def judgments_of(qrels: Qrels, judge: str, source: Source = PERSON) -> list[Judgment]:
    """A judgment for each grade. The same qrels by the same judge give the same keys, so that they are added once."""
    if qrels.has_subtopics:
        raise InputError(
            f"{qrels.name} judges subtopics, and a judgment here is of a whole document. Give other qrels."
        )
    body = qrels.content_hash
    return [
        Judgment(_key(body, judge, source, query, doc), judge, query, doc, grade, source=source)
        for query, docs, grades, _ in qrels.judged()
        for doc, grade in zip(docs, grades, strict=True)
    ]


def _key(body: str, judge: str, source: Source, query: str, doc: str) -> str:
    parts = ("rankproof import 1", body, judge, source.kind, source.version, source.prompt, query, doc)
    text = "".join(f"{len(part)} {part}\n" for part in parts)
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
