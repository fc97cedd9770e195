"""TREC text: runs of six columns and qrels of four, separated by any mix of blanks and tabs.

A run line is `query_id Q0 doc_id rank score tag`; what follows the tag is ignored, as trec_eval does. A qrels
line is `query_id subtopic doc_id grade`; the second column matters only to diversity measures. Lines that
begin with '#' are comments.

Runs without scores get made-up ones on writing (n for the first of n documents, 1 for the last), and
distances are written with their sign turned, because the format's readers order by descending score.

holds: run, qrels
source: https://github.com/usnistgov/trec_eval

    301 Q0 FR940202-2-00150 1 2.129133 STANDARD        a run
    301 0 CR93E-10279 0                                qrels
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankproof.reading.formats._pieces import Guard, gathered
from rankproof.reading.formats._table import by_name, cut, is_number, sample
from rankproof.reading.formats.contract import Format, Noun, Options, Plan, Sure, TextLayout
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run

RUN = Plan(
    TextLayout(" ", query=0, doc=2, rank=3, number=4, label=5, least=6, comments=True),
    ("columns by place: query_id Q0 doc_id rank score tag",),
    shape="a TREC run has 6: query_id Q0 doc_id rank score tag",
)
QRELS = Plan(
    TextLayout(" ", query=0, label=1, doc=2, number=3, least=4, most=4, comments=True),
    ("columns by place: query_id subtopic doc_id grade",),
    shape="TREC qrels have 4: query_id subtopic doc_id grade",
)
_ids = Guard("trec", "json or jsonl", within="\0\t\v\f\r ")
_queries = Guard("trec", "json or jsonl", within="\0\t\v\f\r ", beginning="#")


def detect(source: Source, noun: Noun) -> Sure:
    """Most lines have six columns (a run) or four (qrels), with a number where score or grade belong."""
    if noun == "topics":
        return Sure.NO
    all_lines = [line for _, line in sample(source.head)]
    lines = [line for line in all_lines if not line.lstrip().startswith("#")]
    if not lines:
        return Sure.POSSIBLE if all_lines else Sure.NO  # nothing but comments
    if lines[0].lstrip().startswith(("{", "[", "<")):
        return Sure.NO
    rows = [cut(line, " ") for line in lines]
    if by_name(rows[0], noun) is not None:
        return Sure.NO  # the first line is a header
    if noun == "run":
        good = sum(len(row) >= 6 and is_number(row[4]) for row in rows)
        # Six columns between tabs and a blank inside one of the first five: an id that only tsv can hold. What
        # follows the tag is nobody's.
        tabbed = [cut(line, "\t") for line in lines]
        if all(len(row) == 6 for row in tabbed) and any(len(v.split()) > 1 for row in tabbed for v in row[:5]):
            return Sure.NO
    else:
        good = sum(len(row) == 4 and is_number(row[3]) for row in rows)
    return Sure.CERTAIN if 2 * good > len(rows) else Sure.NO


def plan(source: Source, noun: Noun, options: Options) -> Plan:
    """The one layout of each noun."""
    return RUN if noun == "run" else QRELS


def write_run(run: Run) -> Iterator[bytes]:
    """Six columns, ranks from 1."""
    tag = "_".join(run.name.split()) or "rankproof"

    def lines() -> Iterator[str]:
        for query, docs, scores in run.rankings(as_scores=True):
            _queries(query)
            for rank, (doc, score) in enumerate(zip(_ids.all(docs), scores, strict=True), start=1):
                yield f"{query} Q0 {doc} {rank} {score!r} {tag}\n"

    return gathered(lines())


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """Four columns; the second is 0 where there are no subtopics."""

    def lines() -> Iterator[str]:
        for query, docs, grades, labels in qrels.judged():
            _queries(query)
            for doc, grade, label in zip(_ids.all(docs), grades, labels, strict=True):
                yield f"{query} {_ids(label or '0')} {doc} {grade}\n"

    return gathered(lines())


TREC = Format(
    name="trec",
    page=__doc__,
    holds=("run", "qrels"),
    detect=detect,
    plan=plan,
    write_run=write_run,
    write_qrels=write_qrels,
    endings=(".run", ".trec", ".qrels", ".txt", ".res", ".results"),
)

OFFERS = (TREC,)
