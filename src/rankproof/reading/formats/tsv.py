"""Tab-separated text, with or without a header; also columns separated by blanks.

A header may use any usual names (query_id, qid, topic; doc_id, docid, pid, corpus-id; score, similarity,
distance; rank; grade, relevance, label). Without one, a run has query, document and a score or rank: a column
that counts 1, 2, 3, ... within each query is the rank (MS MARCO's `qid pid rank`), any other number the
score. Two columns are a run in the order given. A column called distance is read as lower is better. Topics
are id and text.

holds: run, qrels, topics
source: https://microsoft.github.io/msmarco/

    query_id  doc_id  score        with a tab between the columns
    q1        d1      12.5
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankproof.reading.formats import _tabular
from rankproof.reading.formats._pieces import Guard
from rankproof.reading.formats.contract import Format, Noun, Options, Plan, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run

SEPARATORS = "\t "


def refusing(format: str) -> _tabular.Protect:
    """Refuses fields that tab-separated text cannot hold, as it has no quotes; the error names the format."""
    # Blanks at the ends of a field are dropped on reading, so an id cannot have them.
    return Guard(format, "json or jsonl", within="\0\t\r", beginning="\v\f ", ending="\v\f ").all


protect = refusing("tsv")


def detect(source: Source, noun: Noun) -> Sure:
    """A table whose columns are cut by tabs or blanks."""
    return _tabular.detect(source, noun, SEPARATORS)


def plan(source: Source, noun: Noun, options: Options) -> Plan:
    """Columns by header or by content."""
    return _tabular.plan(source, noun, options, SEPARATORS, "tsv")


def topics(source: Source, options: Options) -> Topics:
    """Id and text."""
    return _tabular.topics(source, SEPARATORS)


def write_run(run: Run) -> Iterator[bytes]:
    """Three columns with a header."""
    return _tabular.write_run(run, protect, "\t")


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """Three columns with a header, four with subtopics."""
    return _tabular.write_qrels(qrels, protect, "\t")


def write_topics(texts: Topics) -> Iterator[bytes]:
    """Id and text without a header, as other tools expect."""
    return _tabular.write_topics(texts, protect, "\t", header=False)


OFFERS = (
    Format(
        name="tsv",
        page=__doc__,
        holds=("run", "qrels", "topics"),
        detect=detect,
        plan=plan,
        topics=topics,
        write_run=write_run,
        write_qrels=write_qrels,
        write_topics=write_topics,
        endings=(".tsv",),
    ),
)
