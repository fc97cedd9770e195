"""Comma-separated text, with or without a header; also semicolons and bars. Fields may be in quotes.

Columns are found as in tsv: by any usual header names, or by content where there is no header. An id may hold
commas and quotes, but no line break.

holds: run, qrels, topics
source: RFC 4180, Common format for comma-separated values, 2005

    query_id,doc_id,score
    q1,"d1, second edition",12.5
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rankproof.reading.formats import _tabular
from rankproof.reading.formats._pieces import Guard
from rankproof.reading.formats.contract import Format, Noun, Options, Plan, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run

SEPARATORS = ",;|"
_needs_quotes = re.compile(r'[,;|"#]')


def quoting(format: str) -> _tabular.Protect:
    """Puts fields in quotes where that is needed; an error names the format."""
    guard = Guard(format, "json or jsonl", within="\0\r", beginning="\t\v\f ", ending="\t\v\f ")

    def protect(fields: list[str]) -> list[str]:
        if not _needs_quotes.search("\n".join(guard.all(fields))):
            return fields
        return [_quoted(field) if _needs_quotes.search(field) else field for field in fields]

    return protect


def _quoted(field: str) -> str:
    doubled = field.replace('"', '""')
    return f'"{doubled}"'


_protect = quoting("csv")


def detect(source: Source, noun: Noun) -> Sure:
    """A table whose columns are cut by commas, semicolons or bars."""
    return _tabular.detect(source, noun, SEPARATORS)


def plan(source: Source, noun: Noun, options: Options) -> Plan:
    """Columns by header or by content."""
    return _tabular.plan(source, noun, options, SEPARATORS, "csv")


def topics(source: Source, options: Options) -> Topics:
    """Id and text."""
    return _tabular.topics(source, SEPARATORS)


def write_run(run: Run) -> Iterator[bytes]:
    """Three columns with a header."""
    return _tabular.write_run(run, _protect, ",")


def write_qrels(qrels: Qrels) -> Iterator[bytes]:
    """Three columns with a header, four with subtopics."""
    return _tabular.write_qrels(qrels, _protect, ",")


def write_topics(texts: Topics) -> Iterator[bytes]:
    """Id and text with a header: the commas of a text would otherwise hide which table it is."""
    return _tabular.write_topics(texts, _protect, ",", header=True)


OFFERS = (
    Format(
        name="csv",
        page=__doc__,
        holds=("run", "qrels", "topics"),
        detect=detect,
        plan=plan,
        topics=topics,
        write_run=write_run,
        write_qrels=write_qrels,
        write_topics=write_topics,
        endings=(".csv",),
    ),
)
