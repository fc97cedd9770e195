"""Acts for tests, with keys that count up unless one is given."""

from __future__ import annotations

from itertools import count
from typing import Any

from rankproof.judging.records import Judgment, Mark, Preference

_keys = count()


def key() -> str:
    return f"{next(_keys):032x}"


def graded(grade: int, judge: str = "ann", query_id: str = "q1", doc_id: str = "d1", **more: Any) -> Judgment:
    return Judgment(**{"key": key(), "judge": judge, "query_id": query_id, "doc_id": doc_id, "grade": grade, **more})


def undone(act: Judgment) -> Judgment:
    return Judgment(key(), act.judge, act.query_id, act.doc_id, None, "withdrawn", withdraws=act.key)


def flagged(reason: str, judge: str = "ann", doc_id: str = "d1", **more: Any) -> Mark:
    return Mark(
        **{"key": key(), "kind": "flag", "judge": judge, "query_id": "q1", "doc_id": doc_id, "reason": reason, **more}
    )


def preferred(which: str | None, *variants: str, judge: str = "ann", **more: Any) -> Preference:
    return Preference(
        **{"key": key(), "judge": judge, "query_id": "q1", "variants": variants, "preferred": which, **more}
    )
