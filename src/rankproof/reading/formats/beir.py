"""BEIR qrels: tab-separated, with the header `query-id corpus-id score`; the score is the grade.

BEIR's runs are JSON (see json) and its topics JSON lines (see jsonl); this is its file of judgments, such as
`qrels/test.tsv`.

holds: qrels
source: https://github.com/beir-cellar/beir/wiki/Load-your-custom-dataset

    query-id  corpus-id  score     with a tab between the columns
    q1        d1         1
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.reading.formats._table import cut, sample
from rankproof.reading.formats._tabular import write_qrels as write_table
from rankproof.reading.formats.contract import Format, Noun, Options, Plan, Sure, TextLayout
from rankproof.reading.formats.tsv import refusing
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels

HEADER = ("query-id", "corpus-id", "score")


def _header_line(source: Source) -> int:
    """The line of the header, from 1; 0 when the first line with something on it is another."""
    lines = sample(source.head)[:1]
    return lines[0][0] if lines and tuple(cut(lines[0][1], "\t")) == HEADER else 0


def detect(source: Source, noun: Noun) -> Sure:
    """The header, word for word."""
    return Sure.CERTAIN if noun == "qrels" and _header_line(source) else Sure.NO


def plan(source: Source, noun: Noun, options: Options) -> Plan:
    """Three columns after the header."""
    skip = _header_line(source)
    if not skip:
        raise InputError(
            f"{source.name}: the first line is not BEIR's header 'query-id corpus-id score' with tabs. "
            "Add it, or read the file with --format tsv."
        )
    layout = TextLayout("\t", query=0, doc=1, number=2, least=3, most=3, skip=skip)
    notes = ("header query-id corpus-id score: the score is the grade",)
    return Plan(layout, notes, shape="BEIR qrels have 3: query-id corpus-id score")


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """The header and three columns."""
    if qrels.has_subtopics:
        raise InputError("BEIR qrels have no place for subtopics. Write them as trec, tsv, csv or jsonl.")
    return write_table(qrels, refusing("beir"), "\t", HEADER)


OFFERS = (
    Format(
        name="beir",
        page=__doc__,
        holds=("qrels",),
        detect=detect,
        plan=plan,
        write_qrels=write_qrels,
        endings=(".beir",),
    ),
)
