"""JudgeFailure: what a model said that is no grade, with its text and why it does not count."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class JudgeFailure:
    """An answer that is no grade, or none at all. `key` names it: the same key sent twice is one failure.

    kind   a word that counts: "unreadable answer", "refused", "timeout", "cut off", ...
    text   the answer as it came; the error's message where there was none
    """

    key: str
    judge: str
    query_id: str
    doc_id: str
    kind: str
    text: str
    time: str = ""
