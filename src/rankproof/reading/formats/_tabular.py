"""What tsv and csv share: the same tables, with another separator and another way to protect an id."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats import _table
from rankproof.reading.formats._gather import add_topic
from rankproof.reading.formats._names import chosen, expected, no_columns, topic_columns
from rankproof.reading.formats._pieces import gathered
from rankproof.reading.formats.contract import Noun, Options, Plan, Sure, Topics
from rankproof.reading.source import Source

if TYPE_CHECKING:
    from rankproof.reading.records import Qrels, Run

# Fields as they stand in a file; InputError for one that cannot.
Protect = Callable[[list[str]], list[str]]


def looks_like_markup(source: Source) -> bool:
    """Whether the text begins as JSON or as tags: no table, whatever its commas and blanks suggest."""
    return source.head.lstrip()[:1] in (b"{", b"[", b"<")


def detect(source: Source, noun: Noun, separators: str) -> Sure:
    """How sure it is that the source is a table cut by one of the separators."""
    if b"\0" in source.head or looks_like_markup(source):
        return Sure.NO
    if noun == "topics":
        return _detect_topics(source, separators)
    table = _table.look(source.head, noun, {})
    return Sure.NO if table is None or table.separator not in separators else table.sure


def _detect_topics(source: Source, separators: str) -> Sure:
    lines = [line for _, line in _table.sample(source.head)]
    for separator in separators.replace(" ", ""):
        if lines and topic_columns(_table.cut(lines[0], separator)) is not None:
            return Sure.NAMED
        rows = [_table.cut(line, separator) for line in lines]
        widths = [len(row) for row in rows]
        # A tab is in no query's text; a comma is in many, so a table of them has exactly two columns.
        if widths and min(widths) > 1 and (separator == "\t" or max(widths) == 2):
            # Two columns of single words may as well be a run in the order given.
            return Sure.LIKELY if any(" " in row[1] for row in rows) else Sure.POSSIBLE
    return Sure.NO


def plan(source: Source, noun: Noun, options: Options, separators: str, name: str) -> Plan:
    """How the core is to read the table."""
    table = _table.look(source.head, noun, options, _table.MANY)
    if table is None or table.separator not in separators:
        lines = _table.sample(source.head)
        choice = chosen(options.get("columns"), noun)
        if choice and lines:
            widest = max((_table.cut(lines[0][1], separator) for separator in separators), key=len)
            raise no_columns(widest, noun, choice, f"{source.name}, line {lines[0][0]},")
        seen = repr(lines[0][1][:80]) if lines else "nothing"
        raise InputError(
            f"{source.name} cannot be read as a {name} table of {'a run' if noun == 'run' else noun}. "
            f"The first line is {seen}. {_table.as_header(lines[0][1], noun) if lines else ''}Give it a header that "
            f"names {expected(noun)}, or name another format with --format."
        )
    return _table.plan(table, noun, source)


def topics(source: Source, separators: str) -> Topics:
    """Query id and text, by header or as the first two columns."""
    text = source.text()
    separator = _topic_separator(source, separators)
    if separator == "\t":
        cut = ([f.strip() for f in line.rstrip("\r").split("\t")] for line in text.split("\n"))
        rows = list(enumerate(cut, start=1))
    else:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        try:
            rows = [(reader.line_num, row) for row in reader]
        except csv.Error as error:
            raise InputError(f"{source.name}, line {reader.line_num}: this is not CSV ({error}).") from None
    rows = [(number, row) for number, row in rows if any(row)]
    if not rows:
        return {}
    named = topic_columns(rows[0][1])
    query, text_column = (0, 1) if named is None else named
    texts: Topics = {}
    for number, row in rows[0 if named is None else 1 :]:
        where = f"{source.name}, line {number}"
        if len(row) <= max(query, text_column):
            raise InputError(f"{where}: {counted(len(row), 'column')}, but a topic needs an id and a text.")
        add_topic(texts, row[query].strip(), row[text_column].strip(), where)
    return texts


def _topic_separator(source: Source, separators: str) -> str:
    first = _table.sample(source.head)[:1]
    for separator in separators.replace(" ", ""):
        if first and len(_table.cut(first[0][1], separator)) > 1:
            return separator
    return separators[0]


def write_run(run: Run, protect: Protect, separator: str) -> Iterator[bytes]:
    """A header and three columns: score, distance, or rank where the run has neither."""

    def lines() -> Iterator[str]:
        yield separator.join(("query_id", "doc_id", run.kind)) + "\n"
        for query, docs, values in run.rankings():
            begin = protect([query])[0] + separator
            for doc, value in zip(protect(docs), values, strict=True):
                yield f"{begin}{doc}{separator}{value!r}\n"

    return gathered(lines())


def write_qrels(qrels: Qrels, protect: Protect, separator: str, header: tuple[str, ...] = ()) -> Iterator[bytes]:
    """A header and three columns, four with subtopics."""
    subtopics = qrels.has_subtopics
    names = header or (("query_id", "subtopic", "doc_id", "grade") if subtopics else ("query_id", "doc_id", "grade"))

    def lines() -> Iterator[str]:
        yield separator.join(names) + "\n"
        for query, docs, grades, labels in qrels.judged():
            begin = protect([query])[0] + separator
            within = [label + separator for label in protect(labels)] if subtopics else [""] * len(docs)
            for doc, grade, label in zip(protect(docs), grades, within, strict=True):
                yield f"{begin}{label}{doc}{separator}{grade}\n"

    return gathered(lines())


def write_topics(texts: Topics, protect: Protect, separator: str, header: bool) -> Iterator[bytes]:
    """Id and text; with a header where `header` says so, or where the first row would be taken for one."""
    first = next(iter(texts.items()), ("", ""))
    rows = list(texts.items())
    if header or topic_columns(first) is not None:
        rows.insert(0, ("query_id", "text"))
    return gathered(separator.join(protect(list(row))) + "\n" for row in rows)
