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

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankproof.reading.formats._names import by_name
from rankproof.reading.formats._pieces import Guard, gathered
from rankproof.reading.formats._table import BLANK, FEW, NUMBER, cut
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
# A line of each noun without the white space around it: columns, and a number where score or grade belong.
_COLUMN, _GAP = f"[^{BLANK}]+", f"[{BLANK}]+"
_GOOD = {
    "run": re.compile(rf"(?:{_COLUMN}{_GAP}){{4}}(?:{NUMBER}){_GAP}{_COLUMN}.*", re.IGNORECASE),
    "qrels": re.compile(rf"(?:{_COLUMN}{_GAP}){{3}}(?:{NUMBER})", re.IGNORECASE),
}
_ids = Guard("trec", "json or jsonl", within="\0\t\v\f\r ")
_queries = Guard("trec", "json or jsonl", within="\0\t\v\f\r ", beginning="#")


def detect(source: Source, noun: Noun) -> Sure:
    """Most lines have six columns (a run) or four (qrels), with a number where score or grade belong."""
    if noun == "topics":
        return Sure.NO
    good_line, comments, good, lines = _GOOD[noun], 0, 0, []
    for text in source.head.decode("utf-8", errors="replace").split("\n", FEW)[:FEW]:
        line = text.strip(BLANK)
        if line.lstrip().startswith("#"):
            comments += 1
        elif line.strip():
            good += good_line.fullmatch(line) is not None
            lines.append(text)
    if not lines:
        return Sure.POSSIBLE if comments else Sure.NO
    first = lines[0]
    if first.lstrip().startswith(("{", "[", "<")):
        return Sure.NO
    if good_line.fullmatch(first.strip(BLANK)) is None and by_name(cut(first, " "), noun) is not None:
        return Sure.NO  # the first line is a header
    if noun == "run" and "\t" in first and _only_tabs_cut(lines):
        return Sure.NO
    return Sure.CERTAIN if 2 * good > len(lines) else Sure.NO


def _only_tabs_cut(lines: list[str]) -> bool:
    """Six columns between tabs and a blank inside one of the first five: an id that only tsv can hold.

    What follows the tag is ignored.
    """
    rows = [line.split("\t") for line in lines]
    return all(len(row) == 6 for row in rows) and any(len(column.split()) > 1 for row in rows for column in row[:5])


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
