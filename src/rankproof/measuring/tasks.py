"""Tasks: several searches that serve one question of an agent or one conversation, measured as one unit.

A task is a list of calls in order, each the documents that one search returned, best first. What a task has found is
the union: documents in the order in which they were first seen. As a Run, with a task for a query, every measure works
on it (`AllRecall@20`, `R@20`: k counts documents of all calls). `evaluate_tasks` has what only the calls can tell;
lower is better throughout:

    CallsToAll       the call at which everything relevant had been found; undefined where it never was
    Calls            how many calls there were: a price; undefined for a task that has no list of calls
    RedundantCalls   the share of calls that brought no document that had not been seen before; undefined without calls
    Tokens           what all calls cost together; undefined where that of a call is not known
    TokensToAll      what was spent up to and with the call at which everything had been found; undefined where it never
                     was, or where what one of these calls cost is not known

Tokens are measured where the calls say them. The second call brings b, the last document that is needed; the third
brings nothing new:

>>> calls = {"t1": [["a", "x"], ["x", "b"], ["b", "a"]]}
>>> ev = evaluate_tasks({"t1": {"a": 1, "b": 1}}, calls)
>>> ev["CallsToAll"].mean, ev["Calls"].mean, round(ev["RedundantCalls"].mean, 4)
(2.0, 3.0, 0.3333)
>>> list(union_of_calls(calls)["t1"])
['a', 'x', 'b']
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import compress, pairwise
from typing import TYPE_CHECKING

import numpy as np

from rankproof.core import Judgments
from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import some
from rankproof.measuring.prepare import PreparedQrels, prepare_qrels
from rankproof.measuring.records import Evaluation, Population, Result, Settings, aggregate
from rankproof.reading.calls import TaskCalls, read_calls
from rankproof.reading.records import Run

if TYPE_CHECKING:
    from rankproof.measuring.evaluate import Measures

# What only the calls can tell; the first and the last ask what is relevant, and their names say from which grade on.
OF_CALLS = ("CallsToAll", "Calls", "RedundantCalls", "Tokens", "TokensToAll")
TO_ALL = ("CallsToAll", "TokensToAll")
# Lines about the union as a run that the lines about tasks say already, and better: a call may return nothing.
OF_QUERIES = ("order:", "queries:", "missing from the run:", "without a relevant document:", "in the run, not judged")


def union_of_calls(calls: object, *, depth: int | None = None, name: str | None = None) -> Run:
    """The union of each task's calls as a ranking; of each call the first `depth` documents.

    `calls` is what `read_calls` gives or takes: a file, {task: [[doc, ...], ...]}, a list of dicts, a data frame.
    """
    from rankproof.reading.collect import read_run

    _check_depth(depth)
    made = read_calls(calls, name=name)
    ranking = {
        task: {doc: float(len(docs) - at) for at, doc in enumerate(docs)} for task, docs in _unions(made, depth).items()
    }
    return read_run(ranking, name=name or made.name)


def evaluate_tasks(
    qrels: object,
    calls: object,
    measures: Measures = (),
    *,
    level: int = 1,
    depth: int | None = None,
    name: str | None = None,
) -> Evaluation:
    """Calls, tokens, and when everything relevant was found, by task; a comparison takes it as it is.

    calls      a file, {task: [[doc, ...], ...]}, a list of dicts, a data frame, or what `read_calls` gives
    measures   those of the unions, such as "AllRecall@20 R@20", which come first; in the order given where names of
               measures of calls stand among them
    level      the least grade that must be found
    depth      how many documents of each call are looked at; all of them where nothing is given
    """
    _check_depth(depth)
    made = read_calls(calls, name=name)
    called = name or made.name
    judged = prepare_qrels(qrels)
    needed = _needed(judged.judgments, level)
    if needed.keys().isdisjoint(made):
        raise InputError(
            f"{called}: no task is judged: the judgments have {some(tuple(needed))}, the calls {some(tuple(made))}. "
            "Give calls and judgments of the same tasks; a task is what the judgments call a query."
        )
    tasks = _Tasks(needed, made, depth)
    results = {
        _leveled(text, level): _result(_leveled(text, level), tasks.ids, amounts, text != "RedundantCalls")
        for text, amounts in tasks.amounts().items()
    }
    lines = (f"tasks: {len(needed)} scored; relevant from grade {level} on", *tasks.lines(), *made.notes)
    if depth is not None:
        lines = (*lines, f"of each call the first {depth} documents")
    missing = tuple(task for task in needed if task not in made)
    empty = tuple(task for task, docs in needed.items() if not docs)
    population = Population(
        len(needed), len(needed), missing, "zero", empty, tuple(task for task in made if task not in needed)
    )
    evaluation = Evaluation(
        results, population, lines, called, settings=Settings(depth=depth),
        canonical=partial(_canonical, level), judgments_hash=judged.grades_hash,
    )  # fmt: skip
    names = _words(measures, level)
    return _with_unions(evaluation, judged, _unions(made, depth), names, level) if names else evaluation


# ---- unions -------------------------------------------------------------------------------------


def _unions(calls: TaskCalls, depth: int | None) -> dict[str, list[str]]:
    """The documents of each task in the order in which they were first seen."""
    return {
        task: list(dict.fromkeys(doc for search in searches for doc in search[:depth]))
        for task, searches in calls.items()
    }


def _words(measures: Measures, level: int) -> list[str]:
    """The measures one by one; those of calls in their own spelling, whatever the case, without the level."""
    from rankproof.measuring.names import parse, tokens

    spelled = {spelling.casefold(): text for text in OF_CALLS for spelling in (text, _leveled(text, level))}

    given = measures if isinstance(measures, Iterable) and not isinstance(measures, str) else (measures,)
    words = [spelled.get(word.casefold(), word) for each in given for word in tokens(str(each))]
    for word in words:
        try:
            _ = word in OF_CALLS or parse(word)
        except UnknownName as error:
            near = UnknownName("measure", word, OF_CALLS)
            raise (near if near.near else error) from None
    return words


def _with_unions(
    evaluation: Evaluation, judged: PreparedQrels, unions: Mapping[str, Sequence[str]], names: Sequence[str], level: int
) -> Evaluation:
    """The evaluation with measures of the unions, in the order of the names; measures of calls come last otherwise."""
    from rankproof.measuring.evaluate import evaluate
    from rankproof.reading.collect import read_run

    unknown = [name for name in names if name in OF_CALLS and _leveled(name, level) not in evaluation.results]
    if unknown:
        raise UsageError(
            f"{unknown[0]} needs tokens, and no call of {evaluation.run_name} has any. Give them in `tokens`, or leave "
            "the measure out."
        )
    plain = [name for name in names if name not in OF_CALLS]
    if not plain:
        first = {_leveled(name, level): evaluation[name] for name in names}
        return replace(evaluation, results={**first, **evaluation.results})
    # Calls that returned nothing are an answer, and the worst one, where a run without a row would be a mistake.
    silent = ("empty", "no_common_query") if not any(unions.values()) else ()
    run = read_run({task: docs for task, docs in unions.items() if docs}, name=evaluation.run_name, allow=silent)
    union = evaluate(judged, run, plain, level=level, name=evaluation.run_name, allow=silent)
    every = {**union.results, **evaluation.results}
    order = [_leveled(name, level) if name in OF_CALLS else union[name].text for name in names]
    return replace(
        evaluation,
        results={text: every[text] for text in dict.fromkeys((*order, *union.results, *evaluation.results))},
        fine_print=(*evaluation.fine_print, *(line for line in union.fine_print if not line.startswith(OF_QUERIES))),
        spelled=union.spelled,
        findings=union.findings,
    )


# ---- calls --------------------------------------------------------------------------------------


class _Tasks:
    """The judged tasks with their calls, cut at `depth`, and when everything had been found."""

    def __init__(self, needed: Mapping[str, set[str]], calls: TaskCalls, depth: int | None) -> None:
        self.ids = tuple(needed)
        self.needed, self.calls = needed, calls
        self.searches = {task: [search[:depth] for search in calls.get(task, ())] for task in needed}
        self.found = {task: _found_at(docs, self.searches[task]) if docs else None for task, docs in needed.items()}

    def amounts(self) -> dict[str, list[float | None]]:
        """The values of each measure, task by task; None where there is none."""
        there = [task in self.calls for task in self.ids]
        listed = [self.searches[task] for task in self.ids]
        values: dict[str, list[float | None]] = {
            "CallsToAll": [self.found[task] for task in self.ids],
            "Calls": [len(calls) if known else None for calls, known in zip(listed, there, strict=True)],
            "RedundantCalls": [_redundant(calls) if calls else None for calls in listed],
        }
        if self.calls.tokens:
            values["Tokens"] = [self._tokens(task, None) if task in self.calls else None for task in self.ids]
            values["TokensToAll"] = [
                None if (at := self.found[task]) is None else self._tokens(task, at) for task in self.ids
            ]
        return values

    def _tokens(self, task: str, calls: int | None) -> float | None:
        """What the first calls of a task cost, or all of them; None where that of one is not known."""
        total = math.fsum(self.calls.tokens[task][:calls])
        return None if math.isnan(total) else total

    def lines(self) -> list[str]:
        """What is without a value, and why."""
        ids, calls = self.ids, self.calls
        unknown = [task for task in ids if task in calls.tokens and math.isnan(math.fsum(calls.tokens[task]))]
        to_all = " and ".join(TO_ALL) if calls.tokens else TO_ALL[0]
        told = {
            f"never found everything, without {to_all}": [t for t in ids if self.needed[t] and self.found[t] is None],
            "not in the calls, found nothing, without a price": [t for t in ids if t not in calls],
            f"nothing relevant, without {to_all}": [t for t in ids if not self.needed[t]],
            "a call without its tokens, without Tokens": unknown,
            "with calls, not judged, not scored": [t for t in calls if t not in self.needed],
        }
        return [f"{text}: {len(tasks)} ({some(tuple(tasks))})" for text, tasks in told.items() if tasks]


def _result(text: str, ids: Sequence[str], amounts: Sequence[float | None], whole: bool) -> Result:
    defined = [amount is not None for amount in amounts]
    kept = np.array([amount for amount in amounts if amount is not None], dtype=np.float64)
    without = tuple(compress(ids, (not known for known in defined)))
    return Result(
        text, aggregate(kept, "mean"), list(compress(ids, defined)), kept, without, "mean", "lower", whole
    )  # fmt: skip


def _leveled(text: str, level: int) -> str:
    """The name with the least grade that counts: values at other levels must not be compared with each other."""
    return f"{text}(rel={level})" if level != 1 and text in TO_ALL else text


def _canonical(level: int, name: str) -> str:
    """The name under which a result stands, of any accepted spelling."""
    from rankproof.measuring.names import canonical_at

    return _leveled(name, level) if name in OF_CALLS else canonical_at(level, frozenset(), name)


def _check_depth(depth: int | None) -> None:
    if depth is not None and (not isinstance(depth, int) or isinstance(depth, bool) or depth < 1):
        raise UsageError(f"The depth of a call must be a whole number, 1 or more; got {depth!r:.40}.")


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
    """The share of calls that brought nothing new."""
    seen: set[str] = set()
    redundant = 0
    for search in searches:
        redundant += seen.issuperset(search)
        seen.update(search)
    return redundant / len(searches)
