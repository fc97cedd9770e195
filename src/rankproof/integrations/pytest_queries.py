"""One test for each query: the fixture `relevance_query`, and the line that pytest prints about all of them together.

    def test_each_question(relevance_query):
        relevance_query.assert_not_worse(retrieve(relevance_query.text), "R@5")

A test that takes `relevance_query` runs once for each judged query, by its id. What is retrieved now is compared with
the baseline's ranking of the same query by the gate's own rule `no_query_loses_more`: a fact about that query,
undecided where ties or unjudged documents could change it. Single queries rise and fall with any change; whether the
change is worse as a whole is told by the summary at the end, with its confidence interval, and decided by
`assert_not_worse`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from rankproof.proving.records import Contrast
    from rankproof.proving.verdict import Verdict
    from rankproof.reading.records import Qrels, Run

# The name of a test's property that carries its values to the summary, also from the workers of pytest-xdist.
PROPERTY = "rankproof_query"
# How many queries the summary names.
NAMED = 5

# What would be an error of a whole run is an answer to one query, and the worst: nothing, or nothing that was judged.
ANSWERS = ("empty", "no_common_document")

Retriever = Callable[[str], Any]


def failed(why: str) -> BaseException:
    """What fails a test with a sentence and without the frames of this package."""
    return pytest.fail.Exception(f"rankproof: {why}", pytrace=False)


class KeptValue(NamedTuple):
    """What a test of one query measured: travels as a property of the test."""

    query_id: str
    measure: str
    better: str
    before: float
    after: float


class QueryFiles:
    """The configured inputs, read when a query first needs them and once for all of them."""

    def __init__(self, inputs: Mapping[str, Any]) -> None:
        self.inputs = inputs

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments."""
        from rankproof.reading.collect import read_qrels

        return read_qrels(self.inputs["qrels"])

    @cached_property
    def topics(self) -> Mapping[str, str]:
        """The texts by query; nothing where no topics are configured."""
        from rankproof.reading.collect import read_topics

        return {} if self.inputs.get("topics") is None else read_topics(self.inputs["topics"])

    @cached_property
    def baseline(self) -> Run | None:
        """The kept ranking of every query."""
        return self._run("baseline")

    @cached_property
    def candidate(self) -> Run | None:
        """The rankings to test, where they lie in a file."""
        return self._run("candidate")

    def _run(self, which: str) -> Run | None:
        from rankproof.reading.collect import read_run

        return None if self.inputs.get(which) is None else read_run(self.inputs[which])


@dataclass(frozen=True, slots=True)
class RelevanceQuery:
    """A judged query in a test of its own.

    query_id   its id, which is also the test's
    text       its words, where topics are configured; "" otherwise
    judged     the grades of its judged documents
    """

    query_id: str
    text: str
    judged: Mapping[str, int]
    _files: QueryFiles = field(repr=False)
    _answer: Callable[[Verdict, str | None], None] = field(repr=False)
    _keep: Callable[[KeptValue], None] = field(repr=False)

    def assert_not_worse(
        self, retrieved: Any = None, measure: str = "R@10", *, tolerance: float = 0.0, undecided: str | None = None
    ) -> Verdict:
        """Fails the test where this query's value is below the baseline's by more than `tolerance`.

        retrieved   the documents of this query now, best first: ids, or {id: score}; the configured candidate's ranking
                    of it otherwise
        undecided   "fail", "warn" or "skip" where ties or unjudged documents could turn the answer, or nothing can
                    be measured; the configured one otherwise
        """
        __tracebackhide__ = True
        from rankproof.errors import RankproofError

        try:
            verdict = self._decide(retrieved, measure, tolerance)
        except RankproofError as error:
            raise failed(f"query {self.query_id!r}: {error}") from None
        self._answer(verdict, undecided)
        return verdict

    def _decide(self, retrieved: Any, measure: str, tolerance: float) -> Verdict:
        from rankproof.proving.gate import gate

        before = _ranking(self._files.baseline, self.query_id, "baseline")
        if retrieved is None:
            after = _ranking(self._files.candidate, self.query_id, "candidate")
        else:
            after = {self.query_id: as_ranking(retrieved, self.query_id)}
        rule = {"rule": "no_query_loses_more", "measure": self._of_collection(measure), "than": tolerance}
        verdict = gate(
            {"policy": {"name": f"query {self.query_id}"}, "evaluate": {"allow": list(ANSWERS)}, "rule": [rule]},
            qrels=self._files.qrels.filter([self.query_id]),
            baseline=before,
            candidate=after,
            topics=dict(self._files.topics) or None,
        )
        contrast = verdict.comparison.contrasts[0] if verdict.comparison is not None else None
        if contrast is not None and len(contrast.query_ids):
            means = contrast.baseline_mean, contrast.candidate_mean
            self._keep(KeptValue(self.query_id, measure, contrast.better, *means))
        return verdict

    def _of_collection(self, measure: str) -> str:
        """The measure with the collection's top grade, where that is what it goes by: one query may lack it."""
        from rankproof.measuring.names import parse

        variants = parse(measure)
        if len(variants) != 1:
            raise failed(f"one measure is needed for a query, such as 'R@5'; got {measure!r}.")
        (variant,) = variants
        if "max_grade" in variant.values and variant["max_grade"] is None:
            top = max((grade for grade in self._files.qrels.grades), default=1)
            variant = replace(variant, values={**variant.values, "max_grade": max(top, 1)})
        return variant.text


def _ranking(run: Run | None, query_id: str, which: str) -> Any:
    """The ranking of one query of a configured run, as a run."""
    if run is None:
        raise failed(
            f"no {which} is configured. Add rankproof_{which} to pytest's ini file or give --rankproof-{which} FILE."
        )
    if query_id not in run:
        return {query_id: []}
    return run.filter([query_id])


def as_ranking(retrieved: Any, query_id: str) -> Any:
    """What a retriever gave for one query, as a ranking: ids best first, {id: score}, or pairs of an id and a score."""
    from rankproof.errors import InputError

    if isinstance(retrieved, Mapping):
        return dict(retrieved)
    if isinstance(retrieved, str | bytes) or not isinstance(retrieved, Iterable):
        raise InputError(
            f"query {query_id!r}: a retriever gives ids, best first, {{id: score}} or pairs (id, score); got "
            f"{retrieved!r:.60}."
        )
    listed = list(retrieved)
    if listed and all(isinstance(entry, tuple) and len(entry) == 2 for entry in listed):
        scores = dict(listed)
        if len(scores) < len(listed):
            raise InputError(f"query {query_id!r}: a document was retrieved twice, with two scores. Keep one of them.")
        return scores
    return listed


def ask_all(retriever: Retriever, topics: Mapping[str, str], queries: Sequence[str]) -> dict[str, Any]:
    """The rankings that a function gives for the queries' texts. One that raises fails the test: that is no answer."""
    missing = [query for query in queries if not topics.get(query)]
    if missing:
        raise failed(
            f"a function retrieves by a query's text, and {len(missing)} of {len(queries)} judged queries have none "
            f"({', '.join(map(repr, missing[:NAMED]))}). Configure topics (rankproof_topics, or topics= in the call), "
            "or give a run."
        )
    rankings = {}
    for query in queries:
        try:
            retrieved = retriever(topics[query])
        except Exception as error:
            where = f"query {query!r} ({topics[query]!r:.60})"
            told = f"{type(error).__name__}: {error}"
            raise failed(f"the retriever failed on {where}, so nothing is compared. {told}") from error
        rankings[query] = as_ranking(retrieved, query)
    return rankings


# ---- the summary --------------------------------------------------------------------------------


def summary_lines(kept: Iterable[KeptValue]) -> list[str]:
    """For each measure: the means, the change with its confidence interval, and the queries that lost most."""
    from rankproof.kernel.estimate import Estimate
    from rankproof.kernel.sections import counted, number

    by_measure: dict[str, dict[str, KeptValue]] = {}
    for value in kept:
        by_measure.setdefault(value.measure, {})[value.query_id] = value
    lines = []
    for measure, values in by_measure.items():
        contrast = _contrast(measure, list(values.values()))
        difference = contrast.difference
        told = (
            "unchanged on every query"
            if contrast.wins == contrast.losses == 0
            else f"{difference.value:+.4f}, 95% confidence interval [{difference.low:+.4f}, {difference.high:+.4f}]"
            if isinstance(difference, Estimate)
            else f"{contrast.candidate_mean - contrast.baseline_mean:+.4f}; no confidence interval: {difference.reason}"
        )
        lines.append(
            f"{measure} over {counted(len(values), 'query', 'queries')}: {number(contrast.baseline_mean)} -> "
            f"{number(contrast.candidate_mean)} ({told}); {contrast.losses} worse, {contrast.wins} better"
        )
        sign = -1 if contrast.better == "lower" else 1
        changes = sorted((sign * (value.after - value.before), query) for query, value in values.items())
        named = [f"{query} {sign * change:+.4f}" for change, query in changes[:NAMED] if change < 0]
        lines += [f"  lost most: {', '.join(named)}"] if named else []
    return lines


def _contrast(measure: str, values: Sequence[KeptValue]) -> Contrast:
    """The values of all queries as a comparison of two tables of scores."""
    from rankproof.proving.score_tables import compare_scores

    before, after = (
        [{"unit": value.query_id, measure: (value.before, value.after)[at]} for value in values] for at in (0, 1)
    )
    lower = [measure] if values[0].better == "lower" else []
    return compare_scores(before, [after], [measure], names=("baseline", "candidate"), lower_is_better=lower).contrasts[
        0
    ]
