"""Contexts of RAG tools as runs, judgments and topics: what the formats of their samples share.

A sample is a question with the contexts that were retrieved for it, in order, and those that hold its answer. A context
has an id, a text, or both. Retrieved and gold contexts must be named the same way to meet: by ids where every sample
has ids for both, else by their texts.
"""

from __future__ import annotations

import ast
import codecs
import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from rankproof.errors import InputError, UsageError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._gather import Gather, add_topic
from rankproof.reading.formats._jsontext import decode, json_objects
from rankproof.reading.formats._records import Naming, texts_of
from rankproof.reading.formats._table import cut, sample
from rankproof.reading.formats.contract import IN_SEVERAL, Noun, Options, Read, Topics
from rankproof.reading.source import Source, not_utf8

# A text is decoded as a whole or read line by line. Python's objects take about eight times what the text takes.
LARGEST_DOCUMENT = 256 << 20
_PIECE = 1 << 20
NAMES = "names"
NAMES_OPTION = "what names contexts that have an id and a text: ids or texts; ids where every sample has them"


class Passage(NamedTuple):
    """A context: its id and its text, None where it has none."""

    id: object
    text: object


@dataclass(frozen=True, slots=True)
class RagSample:
    """A question: where it stands, its id where it has one, its text, and its contexts; None where it says nothing."""

    where: str
    id: object
    question: object
    retrieved: Sequence[Passage] | None = None
    gold: Sequence[Passage] | None = None


# ---- rows -----------------------------------------------------------------------------------------


def sample_rows(samples: Sequence[RagSample], noun: Noun, name: str, options: Options, lacking: str) -> Read:
    """The run or the judgments in samples. `lacking` says what to do about samples without the contexts of the noun."""
    naming = Naming()
    by_ids = _named_by_ids(samples, options)
    run = noun == "run"
    gather = Gather(noun, name)
    first: dict[str, str] = {}
    seen: dict[str, set[str]] = {}
    without = cut_off = several = 0
    for sample in samples:
        passages = sample.retrieved if run else sample.gold
        if passages is None:
            without += 1
            continue
        query = naming.query(sample.id, sample.question, sample.where)
        if run and query in first:
            raise _asked_twice(sample, first[query])
        several += query in first
        first.setdefault(query, sample.where)
        docs = [_name(passage, by_ids, naming, sample.where) for passage in passages]
        cut_off += sum(_is_cut(passage.text) for passage in passages)
        known = seen.setdefault(query, set())
        if run:
            docs = naming.ranking(docs)
        for doc in docs:
            if run or doc not in known:
                gather.add(query, doc, None if run else 1)
            known.add(doc)
    if not first:
        what = "retrieved" if run else "gold"
        raise InputError(f"{name}: none of {counted(len(samples), 'sample')} has {what} contexts. {lacking}")
    empty = [query for query, docs in seen.items() if not docs]
    notes = [*naming.notes(), *_names_told(samples, by_ids), *_notes(run, without, len(samples), cut_off, len(empty))]
    if several:
        notes.append(f"{IN_SEVERAL}{several}")
    if not run:
        notes.append("each gold context has grade 1")
    return Read(gather.rows(), tuple(notes), unit="row", without_documents=() if run else tuple(empty))


def _notes(run: bool, without: int, samples: int, cut_off: int, empty: int) -> Iterator[str]:
    word = "retrieved" if run else "gold"
    if without:
        yield f"{without} of {counted(samples, 'sample')} without {word} contexts: not taken over"
    if empty and run:
        yield f"{counted(empty, 'question')} for which nothing was retrieved"
    if cut_off:
        yield (
            f"{counted(cut_off, f'{word} context')} that end in an ellipsis: where a tool cut the text, its name is "
            "another than that of the whole text"
        )


def _names_told(samples: Sequence[RagSample], by_ids: bool) -> Iterator[str]:
    """What is said about ids where some contexts have one and are not named by it, or have nothing else."""
    both = (passages for sample in samples for passages in (sample.retrieved, sample.gold) if passages)
    kinds = {(p.id not in (None, ""), p.text is not None) for passages in both for p in passages}
    if by_ids or not any(has_id for has_id, _ in kinds):
        return
    if (True, False) in kinds:
        yield "contexts without a text are named by their ids, the others by their texts: the two cannot meet"
    else:
        yield "the ids of contexts are not used: not every context has one"


def _is_cut(text: object) -> bool:
    return isinstance(text, str) and text.rstrip().endswith(("...", "\u2026"))


def _asked_twice(sample: RagSample, before: str) -> InputError:
    asked = sample.id if sample.id not in (None, "") else sample.question
    return InputError(
        f"{sample.where}: the question {asked!r:.80} has its retrieved contexts in {before} already. A run has one "
        "ranking for each question: keep one of the two, or give the questions ids that tell them apart."
    )


def _name(passage: Passage, by_ids: bool, naming: Naming, where: str) -> str:
    if by_ids or passage.text is None:
        return naming.doc(passage.id, passage.text, where)
    return naming.doc(None, passage.text, where)


def _named_by_ids(samples: Sequence[RagSample], options: Options) -> bool:
    """Whether contexts are named by their ids: the option says so, or all of them have one."""
    given = options.get(NAMES)
    if given is not None:
        if given not in ("ids", "texts"):
            raise UsageError(f"The option {NAMES} is ids or texts; got {given!r:.40}.")
        return given == "ids"
    both = (passages for sample in samples for passages in (sample.retrieved, sample.gold) if passages)
    return all(passage.id not in (None, "") for passages in both for passage in passages)


def sample_topics(samples: Iterable[RagSample]) -> Topics:
    """The questions by their ids; one that was asked several times, with the same text, counts once."""
    naming = Naming()
    topics: Topics = {}
    for sample in samples:
        query = naming.query(sample.id, sample.question, sample.where)
        if not isinstance(sample.question, str):
            raise InputError(f"{sample.where}: the question has no text; got {sample.question!r:.60}.")
        # The name of a question without an id is its text, whatever its blanks.
        if topics.get(query) != sample.question and (sample.id not in (None, "") or query not in topics):
            add_topic(topics, query, sample.question, sample.where)
    return topics


def passages(ids: object, texts: object, keys: tuple[str, str], where: str) -> list[Passage] | None:
    """Contexts from a list of ids and a list of texts, either of which may be missing; None where both are."""
    id_key, text_key = keys
    if ids is None and texts is None:
        return None
    if ids is None:
        return [Passage(None, text) for text in texts_of(texts, text_key, where)]
    named = _ids(ids, id_key, where)
    if texts is None:
        return [Passage(doc, None) for doc in named]
    told = texts_of(texts, text_key, where)
    if len(told) != len(named):
        raise InputError(
            f"{where}: {counted(len(named), 'id')} in {id_key}, but {counted(len(told), 'text')} in {text_key}. Each "
            "context needs both, or leave one of the two lists out."
        )
    return [Passage(doc, text) for doc, text in zip(named, told, strict=True)]


def _ids(value: object, key: str, where: str) -> list[object]:
    if not isinstance(value, list) or any(doc is None or isinstance(doc, list | dict) for doc in value):
        raise InputError(f"{where}: {key} must be a list of ids; got {value!r:.60}.")
    return value


# ---- files ----------------------------------------------------------------------------------------


def document(source: Source, kind: str, instead: str) -> object:
    """The one JSON value that a source is. A file too large for that is refused; `instead` says what to do."""
    refuse_large(source, kind, instead)
    return decode(source.text(), source.name)


def refuse_large(source: Source, kind: str, instead: str) -> None:
    """InputError for a file that cannot be read line by line and is larger than memory may take."""
    if source.size > LARGEST_DOCUMENT:
        raise InputError(
            f"{source.name} is {source.size >> 20} MB of {kind}, which must be read as a whole: at most "
            f"{LARGEST_DOCUMENT >> 20} MB are. {instead}"
        )


def lines(source: Source) -> Iterator[tuple[int, str]]:
    """The lines of a text one by one, numbered from 1; the file is never in memory as a whole."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    left, number = "", 1
    for begin in range(0, source.size, _PIECE):
        data = source.part(begin, _PIECE)
        try:
            left += decoder.decode(data, begin + _PIECE >= source.size)
        except UnicodeDecodeError as error:
            at = number + data.count(b"\n", 0, error.start)
            raise InputError(not_utf8(source.name, at, error.object[error.start])) from None
        if len(left) > LARGEST_DOCUMENT:
            raise InputError(f"{source.name}, line {number}: the line is longer than {LARGEST_DOCUMENT >> 20} MB.")
        *whole, left = left.split("\n")
        for line in whole:
            yield number, line
            number += 1
    if left:
        yield number, left


def line_records(source: Source) -> Iterator[tuple[str, Mapping[str, object]]]:
    """The objects of JSON lines, each with its place."""
    for number, record in json_objects(lines(source), source.name):
        yield f"{source.name}, line {number}", record


def header(source: Source) -> list[str]:
    """The names of the columns of a table cut by commas; empty where the source is none."""
    if b"\0" in source.head or source.head.lstrip()[:1] in (b"{", b"[", b"<"):
        return []
    first = sample(source.head)[:1]
    return [name.strip() for name in cut(first[0][1], ",")] if first else []


def table_records(source: Source) -> Iterator[tuple[str, dict[str, str]]]:
    """The rows of a table cut by commas, each with its place; its fields may have line breaks."""
    limit = csv.field_size_limit(LARGEST_DOCUMENT)
    reader = csv.reader((f"{line}\n" for _, line in lines(source)), strict=True)
    columns: list[str] = []
    try:
        for row in reader:
            where = f"{source.name}, line {reader.line_num}"
            if not row:
                continue
            if not columns:
                columns = [name.strip() for name in row]
                _refuse_two(columns, where)
            elif len(row) != len(columns):
                raise InputError(f"{where}: {counted(len(row), 'column')}, but the header has {len(columns)}.")
            else:
                yield where, dict(zip(columns, row, strict=True))
    except csv.Error as error:
        raise InputError(f"{source.name}, line {reader.line_num}: this is not CSV ({error}). Write it anew.") from None
    finally:
        csv.field_size_limit(limit)


def _refuse_two(columns: Sequence[str], where: str) -> None:
    twice = next((name for name in columns if columns.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"{where}: two columns are called {twice!r:.60}. Rename or remove one of them.")


# ---- lists in the cells of a table ----------------------------------------------------------------

_ITEM = re.compile(
    r"""\s*(?P<item>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[-+]?\d+(?:\.\d+)?|None|null)\s*(?P<end>,|\]|(?P<bad>.)|$)""",
    re.DOTALL,
)  # fmt: skip


def listed(cell: str, key: str, where: str) -> list[object] | None:
    """The list that a cell holds, as JSON or as Python prints it; None for an empty cell.

    NumPy prints lists without commas, and Python would read two texts beside each other as one: refused.
    """
    text = cell.strip()
    if text in ("", "None", "nan", "null"):
        return None
    if not text.startswith("["):
        raise InputError(f"{where}: {key} must hold a list, such as ['...', '...']; got {cell!r:.60}.")
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        if isinstance(value, list):
            return value
    items: list[object] = []
    at, end = 1, ""
    if text[1:].strip() == "]":
        return items
    while end != "]":
        found = _ITEM.match(text, at)
        if found is None or found["bad"] is not None or not found["end"]:
            raise _no_list(cell, key, where)
        items.append(_literal(found["item"], cell, key, where))
        at, end = found.end(), found["end"]
        if end == "," and text[at:].strip() == "]":
            return items
    if text[at:].strip():
        raise _no_list(cell, key, where)
    return items


def _literal(item: str, cell: str, key: str, where: str) -> object:
    if item in ("None", "null"):
        return None
    try:
        value: object = ast.literal_eval(item.replace("\n", "\\n").replace("\r", "\\r").replace("\0", "\\0"))
    except (ValueError, SyntaxError):
        raise _no_list(cell, key, where) from None
    return value


def _no_list(cell: str, key: str, where: str) -> InputError:
    return InputError(
        f"{where}: {key} is no list that can be read back: {cell!r:.60}. Lists of NumPy are printed without commas "
        "and with gaps; write the table as JSON lines, or make lists of them first (frame[column].map(list))."
    )

