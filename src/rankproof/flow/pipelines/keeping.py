"""What a stage promised about documents, held: a rerank keeps the set, and moves nothing below its depth."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.errors import InputError
from rankproof.records.collection import Query
from rankproof.records.pipeline import Step
from rankproof.records.ranking import Ranking
from rankproof.stages._contract import Stage


def refuse_breach(
    stage: Stage, step: Step, queries: Sequence[Query], before: Sequence[Ranking], after: Sequence[Ranking]
) -> None:
    """An error at the first query where a stage did not keep its promise: its numbers would mean something else."""
    depth = None if stage.depth is None else int(step.values[stage.depth])
    for query, came, went in zip(queries, before, after, strict=True):
        why = breach(stage, depth, came.doc_ids, went.doc_ids)
        if why:
            raise InputError(
                f"{step.name} broke its promise for query {query.query_id!r}: {why}. "
                "This is a fault of the stage, not of the data; its rankings were dropped."
            )


def breach(stage: Stage, depth: int | None, before: Sequence[str], after: Sequence[str]) -> str:
    """What a stage did that it promised not to do; nothing where it kept its word."""
    if stage.keeps == "head" and tuple(after) != tuple(before[: len(after)]):
        return "it may only cut, but gave other documents or another order"
    if stage.keeps != "set":
        return ""
    lost, new = set(before) - set(after), set(after) - set(before)
    if lost or new or len(before) != len(after):
        which = f"lost {sorted(lost)[0]!r}" if lost else f"brought {sorted(new)[0]!r}" if new else "repeated a document"
        return f"a rerank keeps the documents it is given, but it {which}"
    if depth is None:
        return ""
    if set(before[:depth]) != set(after[:depth]) or tuple(before[depth:]) != tuple(after[depth:]):
        moved = next(doc for doc, other in zip(before[depth:], after[depth:], strict=True) if doc != other)
        return f"it reorders the first {depth} only, but {moved!r} moved below them"
    return ""
