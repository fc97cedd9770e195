"""Taking acts of any kind into a store, and giving them out again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.flow.actfiles.writing import Act, Kind
from rankproof.store.judging.store import Store

_MARKS = {"flags": "flag", "picks": "pick"}


def take(store: Store, slug: str, kind: Kind, acts: Sequence[Act]) -> int:
    """Adds acts of one kind, all or none; how many were not there yet."""
    added: int = _group(store, kind).add_many(slug, acts, whole=True)
    return added


def give(store: Store, slug: str, kind: Kind, history: bool = False) -> list[Act]:
    """The acts of one kind that hold, or every one of them."""
    group = _group(store, kind)
    asked = {"kind": _MARKS[kind]} if kind in _MARKS else {}
    found: list[Act] = (group.history if history else group.current)(slug, **asked)
    return found


def _group(store: Store, kind: Kind) -> Any:
    return store.judgments if kind == "judgments" else store.marks if kind in _MARKS else store.preferences
