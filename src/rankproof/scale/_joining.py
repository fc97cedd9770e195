"""Joining on Spark: rows brought together by query, each task's part joined by the core, parts put together here."""

from __future__ import annotations

import pickle
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from rankproof.core import Rows
from rankproof.errors import InputError, UsageError
from rankproof.measuring.outofcore.findings import refuse_found
from rankproof.measuring.outofcore.parts import Together, together
from rankproof.measuring.prepare import PreparedQrels, PreparedRun
from rankproof.measuring.run_sources import RankedIds, faultless
from rankproof.reading.finding import Finding
from rankproof.reading.records import By, Order
from rankproof.scale import _lines, _work
from rankproof.scale._inputs import Input
from rankproof.scale._judged import Sent, sent

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import DataFrame, SparkSession

KINDS = {
    _work.QUERY: "string", _work.DOC: "string", _work.SCORE: "double", _work.RANK: "long", _work.TAG: "string",
    _work.PLACE: "long",
}  # fmt: skip
# Ids that a filter names one by one; more are joined as a table.
FEW_IDS = 500
SAMPLE = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class OnSpark:
    """A run on Spark and how it is cut: `partitions` tasks, each with all rows of its queries."""

    spark: SparkSession
    given: Input
    partitions: int

    def rows(self) -> DataFrame:
        """The rows of the run as a DataFrame."""
        given = self.given
        if given.layout is None:
            return given.frame
        layout, shape = given.layout, given.shape
        schema = ", ".join(f"{name} {KINDS[name]}" for name in shape.columns())
        return given.frame.mapInArrow(lambda batches: _lines.read_lines(batches, layout, shape), schema)

    def by_query(self, first_lines: Mapping[tuple[str, int], int] | None = None) -> DataFrame:
        """The rows packed, all of a query in one partition; with line numbers where those of the splits are given."""
        layout, shape, hands = self.given.layout, self.given.shape, self.partitions
        if layout is None:
            dealt = self.given.frame.mapInArrow(lambda batches: _work.deal_rows(batches, shape, hands), _work.DEALT)
        else:
            lines = layout
            dealt = self.given.frame.mapInArrow(
                lambda batches: _lines.deal_lines(batches, lines, hands, first_lines), _work.DEALT
            )
        return dealt.repartition(hands, _work.HAND)

    def join(self, judged: Sent, order: Order) -> Together:
        """The join of the whole run."""
        shape, own = self.given.shape, self.given.own
        frame = self.by_query().mapInArrow(
            lambda batches: _work.join_rows_of(batches, judged, shape, own, order), _work.ANSWER
        )
        answers = self.answers(frame)
        joined = together([answer.part for answer in answers], len(judged.query_ids))
        return replace(joined, unjudged_queries=_unjudged(answers, shape.placed), tag=_tag(answers, shape.placed))

    def answers(self, frame: DataFrame) -> list[Any]:
        """What the tasks answered; an error when the rows of one could not be read."""
        from pyspark.errors import PySparkException

        try:
            parts = [pickle.loads(row[0]) for row in frame.collect()]
        except PySparkException as error:
            raise UsageError(
                f"Spark could not finish its job on {self.given.faulty.source}: {_reason(error)}"
            ) from error
        for answer in parts:
            if isinstance(answer, _work.Unusable):
                name = re.compile(r"(?<=column ')\w+(?=')")
                reason = name.sub(lambda parts: self.given.called.get(parts[0], parts[0]), answer.reason)
                raise InputError(f"{self.given.faulty.source}: {reason}.")
        return parts

    def refuse(self, joined: Together, order: Order, qrels: PreparedQrels) -> None:
        """Raises what the checks say of the run, when they find an error in it."""
        shape, faulty = self.given.shape, replace(self.given.faulty, order=order)
        unjudged = () if joined.in_run.any() else tuple(joined.unjudged_queries)
        findings: list[Finding] = []
        rows, unread, first_lines = joined.rows, 0, None
        if self.given.layout is not None:
            layout, first_lines = self.given.layout, self._first_lines()
            lines = first_lines
            frame = self.given.frame.mapInArrow(
                lambda batches: _lines.find_line_faults(batches, layout, faulty, lines), _work.ANSWER
            )
            for of_lines, unread_here in self.answers(frame):
                findings += of_lines
                unread += unread_here
        every = self.given.layout is None
        frame = self.by_query(first_lines).mapInArrow(
            lambda batches: _work.find_faults(batches, shape, faulty, every), _work.ANSWER
        )
        findings += [finding for answer in self.answers(frame) for finding in answer]
        refuse_found(findings, rows, unread, unjudged, faulty, qrels)

    def _first_lines(self) -> dict[tuple[str, int], int]:
        """The number of the first line of each split of each file."""
        counted = self.given.frame.groupBy(_lines.FILE, _lines.SPLIT).count().collect()
        first, line, before = {}, 1, ""
        for file, split, count in sorted((row[0], row[1], row[2]) for row in counted):
            line = 1 if file != before else line
            first[file, split] = line
            line, before = line + count, file
        return first

    def collected(self, queries: Collection[str] | None) -> Rows:
        """The rows of some queries, or all, on this machine."""
        frame = self.rows()
        name = _work.QUERY
        if queries is not None and len(queries) <= FEW_IDS:
            frame = frame.filter(frame[name].cast("string").isin(sorted(queries)))
        elif queries is not None:
            selected = self.spark.createDataFrame([(query,) for query in sorted(queries)], "selected string")
            frame = frame.join(selected, frame[name].cast("string") == selected["selected"], "left_semi")
        return self._read(frame.toArrow())

    def sampled(self, docs: Sequence[str]) -> Rows | None:
        """The first rows, to say why none of these documents is in the run; None when one is."""
        frame = self.rows()
        selected = self.spark.createDataFrame([(doc,) for doc in dict.fromkeys(docs)], "selected string")
        met = frame.join(selected, frame[_work.DOC].cast("string") == selected["selected"], "left_semi")
        return None if met.head(1) else self._read(frame.limit(SAMPLE).toArrow())

    def _read(self, table: pyarrow.Table) -> Rows:
        shape = self.given.shape
        rows = _work.rows_of(table, shape)
        return rows.take(np.argsort(rows.line, kind="stable")) if shape.placed else rows


class SparkRun:
    """A run on Spark as a source: joined there, its rows collected only where they are needed."""

    def __init__(self, qrels: PreparedQrels, run: OnSpark) -> None:
        self._judged, self._run = sent(qrels.judgments), run
        self.own, self.name, self.notes = run.given.own, run.given.name, run.given.notes

    def join(self, qrels: PreparedQrels, order: Order) -> Together:
        """Joined by tasks, refused where the checks find an error."""
        joined = self._run.join(self._judged, order)
        if not faultless(joined):
            self._run.refuse(joined, order, qrels)
        return joined

    def rows(self) -> Rows:
        """All rows, on this machine."""
        return self._run.collected(None)

    def rows_of(self, queries: Collection[str]) -> Rows:
        """The rows of some queries, on this machine."""
        return self._run.collected(queries)

    def sample(self, qrels: PreparedQrels) -> Rows | None:
        """The first rows; None where a judged document is in the run."""
        return self._run.sampled(self._judged.docs)

    def ranked_ids(self, order: Order, depth: int | None, queries: Collection[str] | None) -> RankedIds | None:
        """Only rows have them."""
        return None


def prepared(qrels: PreparedQrels, run: OnSpark, requested: By | None) -> PreparedRun:
    """A run on Spark, ready to be measured like any other."""
    source = SparkRun(qrels, run)
    return PreparedRun(qrels, source, requested=requested, name=source.name)


def _unjudged(answers: Sequence[_work.TaskResult], placed: bool) -> list[str]:
    """The unjudged queries in order of first appearance; by id where rows have no order."""
    if not placed:
        return sorted(query for answer in answers for query in answer.part.unjudged)
    pairs = [pair for answer in answers for pair in zip(answer.first, answer.part.unjudged, strict=True)]
    return [query for _, query in sorted(pairs)]


def _tag(answers: Sequence[_work.TaskResult], placed: bool) -> str:
    """The tag of the last row; where rows have no order, the tag that all of them have."""
    if placed:
        return max(answers, key=lambda answer: answer.last).part.tag if answers else ""
    tags = {tag for answer in answers for tag in answer.tags}
    return tags.pop() if len(tags) == 1 else ""


def _reason(error: Exception) -> str:
    """The line of a long report that names what went wrong: the last of Python's, else the first of Java's."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    named = [line for line in lines if re.match(r"[\w.]+(Error|Exception)\b", line)]
    return (named or lines or ["no reason given"])[-1 if named else 0]
