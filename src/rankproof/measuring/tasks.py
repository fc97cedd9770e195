"""Tasks: several searches that serve one question of an agent or one conversation, measured as one unit.

A task is a list of calls in order, each the documents that one search returned, best first. What a task has found is
the union: documents in the order in which they were first seen. As a Run, with a task for a query, every measure works
on it (`AllRecall@20`, `R@20`: k counts documents of all calls). `evaluate_tasks` has what only the calls can tell:

    CallsToAll       the call at which everything relevant had been found; undefined where it never was
    Calls            how many calls there were: a price; undefined for a task that has no list of calls
    RedundantCalls   the share of calls that brought no document that had not been seen before; undefined without calls

The second call brings b, the last document that is needed; the third brings nothing new:

>>> calls = {"t1": [["a", "x"], ["x", "b"], ["b", "a"]]}
>>> ev = evaluate_tasks({"t1": {"a": 1, "b": 1}}, calls)
>>> ev["CallsToAll"].mean, ev["Calls"].mean, round(ev["RedundantCalls"].mean, 4)
(2.0, 3.0, 0.3333)
>>> list(union_of_calls(calls)["t1"])
['a', 'x', 'b']
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import compress, pairwise

import numpy as np

from rankproof.core import Judgments
from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import some
from rankproof.measuring.measures.contract import Mask, Values
from rankproof.measuring.prepare import prepare_qrels
from rankproof.measuring.records import Evaluation, Population, Result, aggregate
from rankproof.reading.records import Run

# Document ids of each call, best first, by task.
Calls = Mapping[str, Sequence[Sequence[str]]]


def union_of_calls(calls: Calls, *, depth: int | None = None, name: str = "tasks") -> Run:
    """The union of each task's calls as a ranking; of each call the first `depth` documents."""
    from rankproof.reading.collect import read_run

    _check(calls, depth, name)
    ranking = {}
    for task, searches in calls.items():
        seen = dict.fromkeys(doc for search in searches for doc in search[:depth])
        ranking[task] = {doc: float(len(seen) - at) for at, doc in enumerate(seen)}
    return read_run(ranking, name=name)


def evaluate_tasks(
    qrels: object, calls: Calls, *, level: int = 1, depth: int | None = None, name: str = "tasks"
) -> Evaluation:
    """Calls, redundant calls, and when everything relevant was found, by task; a comparison takes it as it is.

    level   the least grade that must be found
    depth   how many documents of each call are looked at; all of them where nothing is given
    """
    _check(calls, depth, name)
    judged = prepare_qrels(qrels)
    needed = _needed(judged.judgments, level)
    unjudged = tuple(task for task in calls if task not in needed)
    searches = {task: [search[:depth] for search in calls.get(task, ())] for task in needed}
    found = {task: _found_at(docs, searches[task]) for task, docs in needed.items()}
    nothing = np.array([not docs for docs in needed.values()], dtype=bool)
    never = np.array([at is None for at in found.values()], dtype=bool)
    idle = np.array([not listed for listed in searches.values()], dtype=bool)
    absent = np.array([task not in calls for task in needed], dtype=bool)
    values = {
        "CallsToAll": (never | nothing, True, [found[task] or 0 for task in needed]),
        "Calls": (absent, True, [len(listed) for listed in searches.values()]),
        "RedundantCalls": (idle, False, [_redundant(listed) for listed in searches.values()]),
    }
    ids = tuple(needed)
    results = {
        text: _result(text, ids, undefined, whole, np.array(amounts, dtype=np.float64))
        for text, (undefined, whole, amounts) in values.items()
    }
    missing = tuple(task for task in needed if task not in calls)
    empty = tuple(compress(ids, nothing.tolist()))
    population = Population(len(ids), len(ids), missing, "zero", empty, unjudged)
    lines = [f"tasks: {len(ids)} scored; relevant from grade {level} on"]
    for text, tasks in (
        ("never found everything, without CallsToAll", tuple(compress(ids, (never & ~nothing).tolist()))),
        ("not in the calls, found nothing, without a price", missing),
        ("nothing relevant, without CallsToAll", empty),
        ("with calls, not judged, not scored", unjudged),
    ):
        if tasks:
            lines.append(f"{text}: {len(tasks)} ({some(tasks)})")
    return Evaluation(results, population, tuple(lines), name, judgments_hash=judged.grades_hash)


def _result(text: str, ids: Sequence[str], undefined: Mask, whole: bool, amounts: Values) -> Result:
    kept = amounts[~undefined]
    return Result(
        text, aggregate(kept, "mean"), list(compress(ids, (~undefined).tolist())), kept,
        tuple(compress(ids, undefined.tolist())), "mean", "lower", whole,
    )  # fmt: skip


def _check(calls: Calls, depth: int | None, name: str) -> None:
    """Refuses what is no list of calls, with task and call."""
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
        raise UsageError(f"The depth of a call must be a whole number, 1 or more; got {depth!r:.40}.")
    if not isinstance(calls, Mapping) or not calls:
        raise InputError(f"{name}: a mapping from tasks to their calls is needed; got {calls!r:.60}.")
    for task, searches in calls.items():
        if not isinstance(task, str) or not task:
            raise InputError(f"{name}: the id of a task must be a text that is not empty; got {task!r:.60}.")
        if isinstance(searches, str) or not isinstance(searches, Sequence):
            raise InputError(f"{name}, task {task!r:.80}: a list of calls is needed; got {searches!r:.60}.")
        for number, search in enumerate(searches, 1):
            listed = isinstance(search, Sequence) and not isinstance(search, str)
            if not listed or not all(isinstance(doc, str) and doc for doc in search):
                raise InputError(
                    f"{name}, task {task!r:.80}, call {number}: a list of document ids, best first, is needed; "
                    f"got {search!r:.60}."
                )


def _needed(judgments: Judgments, level: int) -> dict[str, set[str]]:
    """The documents of each task that must be found."""
    docs, grades, start = judgments.doc_ids(), judgments.grade.tolist(), judgments.start.tolist()
    return {
        query: {docs[at] for at in range(begin, end) if grades[at] >= level}
        for query, (begin, end) in zip(judgments.query_ids, pairwise(start), strict=True)
    }


def _found_at(needed: set[str], searches: Sequence[Sequence[str]]) -> int | None:
    """The number of the call at which the last needed document came; None where one never came."""
    left = set(needed)
    for number, search in enumerate(searches, 1):
        left.difference_update(search)
        if not left:
            return number
    return None


def _redundant(searches: Sequence[Sequence[str]]) -> float:
    """The share of calls that brought nothing new; 0 without calls."""
    seen: set[str] = set()
    redundant = 0
    for search in searches:
        redundant += seen.issuperset(search)
        seen.update(search)
    return redundant / len(searches) if searches else 0.0
