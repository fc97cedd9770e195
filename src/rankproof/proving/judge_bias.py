"""Whether a judge favors some systems: how its error differs between what a group of runs shows and what the rest show.

A model may prefer the systems of its own family, or those whose answers look like its training. The grades of people
and of the judge on the same pairs tell: the error of the judge is its grade less people's, over the first documents of
each run; a group of runs has the mean over its runs, and so has the rest. A document that both show counts on both
sides, by the share of the runs that show it.

Two differences are told. **error** is the plain one: what the group gains by the judge. Part of that is no preference:
most judges lift what is not relevant and lower what is perfect, so that a system with poor results gains from any of
them. **at equal grades** compares documents with the same human grade only, and weighs the grades as Mantel and
Haenszel do: by n m / (n + m), where n and m are the documents of either side with this grade.

Even that is no proof of preference. Documents with the same human grade still differ (a near miss is not a random
document), and people err too. It says that the judge is not neutral between these systems, by how much, and that it is
not chance.

Intervals leave out one query at a time: pairs of one query are not independent. Several systems are one family of
tests, corrected by Holm's method.

source: Mantel and Haenszel, Statistical aspects of the analysis of data from retrospective studies of disease, JNCI 22,
    1959; Holm, A simple sequentially rejective multiple test procedure, 1979; Balog, Metzler and Qin, Rankers, judges,
    and assistants, SIGIR 2025
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName
from rankproof.kernel.documents import Document
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.proving.agreement import Grades, relevant_or_not
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure, answer_dict
from rankproof.proving.agreement_statistics import METHOD, JackknifeSpread, Sums, divided, spread
from rankproof.proving.corrections._family import step_down
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.records import Run
from rankproof.reading.source import FileLike, open_source, require_text

DEPTH = 10
NO_REST = "every run belongs to it, so there is no rest to compare with"
NOTHING = "one of the two sides shows no document that people and the judge both graded"
Rankings = Mapping[str, Sequence[str]]  # query -> documents, best first


@dataclass(frozen=True, slots=True)
class GroupBias:
    """How a judge's error differs between a group of runs and the rest.

    name       of the group, or of the one run
    pairs      of the group's first documents that people and the judge both graded
    error      the difference of mean errors, judge less people
    at_equal_grades   the same among documents with the same human grade
    p_value    of "the judge's error at equal grades is the same"; None where it cannot be told
    p_adjusted after Holm's correction over the groups that were asked about
    """

    name: str
    runs: tuple[str, ...]
    pairs: int
    error: AgreementAnswer
    at_equal_grades: AgreementAnswer
    p_value: float | None
    p_adjusted: float | None = None

    def to_dict(self) -> Document:
        """For JSON."""
        return {
            "name": self.name,
            "runs": list(self.runs),
            "pairs": self.pairs,
            "error": answer_dict(self.error),
            "at_equal_grades": answer_dict(self.at_equal_grades),
            "p_value": self.p_value,
            "p_adjusted": self.p_adjusted,
        }


def biases(
    human: Grades, judge: Grades, runs: Mapping[str, Rankings], groups: Mapping[str, Sequence[str]], depth: int,
    level: float,
) -> tuple[GroupBias, ...]:  # fmt: skip
    """Each group of runs against the rest, as one family."""
    every = [_bias(human, judge, runs, name, tuple(members), depth, level) for name, members in groups.items()]
    tested = [i for i, one in enumerate(every) if one.p_value is not None]
    for i, p in zip(tested, step_down([every[i].p_value or 0.0 for i in tested]), strict=True):
        every[i] = replace(every[i], p_adjusted=p)
    return tuple(every)


def bias_between(
    human: object,
    judge: object,
    runs: Mapping[str, Run],
    group: Sequence[str],
    depth: int,
    threshold: float,
    relevant: tuple[int, int] | None,
    level: float,
) -> Answer:
    """The bias at equal grades toward a group of runs, from qrels of people and of a judge.

    Both ends are one-sided bounds, each at `level`; the p-value is that of "it is at most the threshold". `relevant`
    has the least relevant grade of people and of the judge, where grades are to be relevant or not.
    """
    people, theirs = read_qrels(human), read_qrels(judge)
    grades: list[Grades] = [people.to_dict(), theirs.to_dict()]
    if relevant is not None:
        grades = [relevant_or_not(side, least) for side, least in zip(grades, relevant, strict=True)]
    if not any(doc in grades[1].get(query, {}) for query, docs in grades[0].items() for doc in docs):
        raise InputError(
            f"{theirs.name} grades none of the pairs in {people.name}. Give grades of the same queries and documents."
        )
    rankings = {name: {query: docs for query, docs, _ in run.rankings()} for name, run in runs.items()}
    found = _Compared(grades[0], grades[1], rankings, tuple(group), depth).spread(at_equal_grades)
    if isinstance(found, NotEstimable):
        return found
    low, high = found.low_high(1 - level)
    above = 1 - found.p_below(threshold)
    return Estimate(found.value, low, high, above, level, METHOD, found.freedom + 1, "greater", threshold)


def _bias(
    human: Grades,
    judge: Grades,
    runs: Mapping[str, Rankings],
    name: str,
    members: tuple[str, ...],
    depth: int,
    level: float,
) -> GroupBias:
    compared = _Compared(human, judge, runs, members, depth)
    plain, equal = compared.spread(error), compared.spread(at_equal_grades)
    p_value = None
    if isinstance(equal, JackknifeSpread):
        below = equal.p_below(0.0)
        p_value = min(1.0, 2 * min(below, 1 - below))
    return GroupBias(
        name, members, compared.pairs, _figure(plain, compared, level), _figure(equal, compared, level), p_value
    )


class _Compared:
    """Sums by query: for each human grade, documents and summed errors of the group, then of the rest."""

    def __init__(
        self, human: Grades, judge: Grades, runs: Mapping[str, Rankings], members: tuple[str, ...], depth: int
    ) -> None:
        inside = [ranking for name, ranking in runs.items() if name in members]
        outside = [ranking for name, ranking in runs.items() if name not in members]
        self.alone = not outside
        levels = sorted({grade for docs in human.values() for grade in docs.values()})
        place = {grade: at for at, grade in enumerate(levels)}
        self.sums = np.zeros((len(human), 2, len(levels), 2))
        shown: set[tuple[str, str]] = set()
        for at, (query, people) in enumerate(human.items()):
            theirs = judge.get(query, {})
            for side, rankings in enumerate((inside, outside)):
                for ranking in rankings:
                    for doc in ranking.get(query, ())[:depth]:
                        if doc in people and doc in theirs:
                            one = np.array([1.0, theirs[doc] - people[doc]]) / len(rankings)
                            self.sums[at, side, place[people[doc]]] += one
                            if side == 0:
                                shown.add((query, doc))
        self.pairs = len(shown)

    def spread(self, value: _Value) -> JackknifeSpread | NotEstimable:
        """The difference, and how it moves when a query is left out."""
        if self.alone:
            return NotEstimable(NO_REST, METHOD, self.pairs)
        return spread(self.sums, value, "plain", NOTHING, self.pairs)


class _Value:
    """Of sums: one difference for each."""

    def __init__(self, equal_grades: bool) -> None:
        self.equal_grades = equal_grades

    def __call__(self, sums: Sums) -> NDArray[np.float64]:
        """nan where a side shows nothing."""
        if not self.equal_grades:
            whole = sums.sum(axis=2)
            return divided(whole[:, 0, 1], whole[:, 0, 0]) - divided(whole[:, 1, 1], whole[:, 1, 0])
        counts, errors = sums[..., 0], sums[..., 1]
        both = np.asarray((counts > 1e-12).all(axis=1))
        safe = np.where(both[:, None], counts, 1.0)
        apart = errors[:, 0] / safe[:, 0] - errors[:, 1] / safe[:, 1]
        weight = np.where(both, safe[:, 0] * safe[:, 1] / (safe[:, 0] + safe[:, 1]), 0.0)
        return divided((weight * apart).sum(axis=1), weight.sum(axis=1))


error, at_equal_grades = _Value(equal_grades=False), _Value(equal_grades=True)


def _figure(found: JackknifeSpread | NotEstimable, compared: _Compared, level: float) -> AgreementAnswer:
    if isinstance(found, NotEstimable):
        return found
    low, high = found.low_high((1 - level) / 2)
    return AgreementFigure(found.value, low, high, level, METHOD, compared.pairs, found.freedom + 1)


# ---- groups of runs from a file ------------------------------------------------------------------------------------

EXAMPLE = "Write one run per line: its name or file, a tab, its group"


def read_groups(what: FileLike) -> dict[str, str]:
    """Run -> group: one line each, tab or comma between; `#` begins a comment, a header `run, group` is skipped."""
    source = open_source(what)
    require_text(source)
    groups: dict[str, str] = {}
    for number, line in enumerate(source.text().removeprefix("\ufeff").splitlines(), start=1):
        text = line.partition("#")[0].strip()
        cells = [cell.strip() for cell in text.split("\t" if "\t" in text else ",")]
        if not text or [cell.casefold() for cell in cells] == ["run", "group"]:
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(f"{source.name}, line {number}: {text!r:.80} is no run with a group. {EXAMPLE}.")
        run, group = cells
        if groups.setdefault(run, group) != group:
            raise InputError(f"{source.name}, line {number}: {run} is in {groups[run]!r} and in {group!r}. Keep one.")
    if not groups:
        raise InputError(f"{source.name} names no run. {EXAMPLE}.")
    return groups


def grouped(groups: Mapping[str, str], paths: Mapping[str, str], name: str) -> dict[str, tuple[str, ...]]:
    """Group -> its runs. A line of the file names a run by its name, its path (in `paths`), or its file's name."""
    known: dict[str, str] = {}
    for run, path in paths.items():
        base = os.path.basename(path)
        for alias in (run, path, base, os.path.splitext(base)[0]):
            known.setdefault(alias, run)
    members: dict[str, list[str]] = {}
    for run, group in groups.items():
        if run not in known:
            raise InputError(f"{name} names the run {run!r}, and the runs are {', '.join(list(paths)[:5])}. {EXAMPLE}.")
        members.setdefault(group, []).append(known[run])
    return {group: tuple(dict.fromkeys(runs)) for group, runs in members.items()}


def favored_group(path: str, group: str) -> tuple[dict[str, Run], tuple[str, ...]]:
    """Every run of a file of groups, read from the paths in it, and the names of those in one group."""
    groups = read_groups(path)
    if group not in groups.values():
        raise UnknownName(f"group of {path}", group, tuple(dict.fromkeys(groups.values())))
    folder = os.path.dirname(path)
    runs = {run: read_run(os.path.join(folder, run)) for run in groups}
    return runs, tuple(run for run, its in groups.items() if its == group)
