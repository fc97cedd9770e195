"""Reading acts: what `writing` wrote, and judgments of others with a column for the judge. None is guessed at."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from rankproof.errors import InputError, RankproofError
from rankproof.flow.actfiles.writing import ACTS_SCHEMA, COLUMNS, KINDS, Act, Kind, unguarded
from rankproof.flow.jsonlines import objects
from rankproof.flow.source import open_source
from rankproof.records.jsontext import from_json
from rankproof.records.judging import Judgment, Mark, Preference, Source

_NEEDED = ("judge", "query_id", "doc_id")


@dataclass(frozen=True, slots=True)
class ActFile:
    """Acts that were read, and what messages call their file."""

    kind: Kind
    acts: tuple[Act, ...]
    source: str


def read_acts(what: Any) -> ActFile | None:
    """The acts in a file: JSON as it is exported; JSON lines or a table with judge, query_id, doc_id and grade.

    None where it is something else, such as qrels. A row without a key gets one made of its content, so that the same
    file read twice holds the same acts.
    """
    source = open_source(what)
    head = source.head.lstrip()
    if head.startswith(b"{") and b'"judge"' in head and f'"{ACTS_SCHEMA}"'.encode() not in head:
        rows = [(f"line {number}", row) for number, row in objects(source.text(), source.name)]
        return ActFile("judgments", tuple(_made("judgments", rows, source.name)), source.name)
    if head.startswith(b"{") and f'"{ACTS_SCHEMA}"'.encode() in head:
        return _document(source.text(), source.name)
    if head.startswith((b"{", b"[", b"PAR1")) or not _has_columns(head):
        return None
    return ActFile("judgments", tuple(_made("judgments", _table(source.text(), source.name), source.name)), source.name)


def _document(text: str, name: str) -> ActFile:
    document = from_json(text, name)
    kind, acts = document.get("kind"), document.get("acts")
    if document.get("schema") != ACTS_SCHEMA or kind not in KINDS or not isinstance(acts, list):
        raise InputError(f"{name} is no document of acts. Export one with: rankproof judgments export")
    rows = [(f"act {i}", act) for i, act in enumerate(acts, start=1)]
    return ActFile(kind, tuple(_made(kind, rows, name)), name)


def _has_columns(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    return set(_NEEDED) <= set(_cells(first, _separator(first)))


def _separator(line: str) -> str:
    return max("\t,;", key=line.count)


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]


def _table(text: str, name: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    separator = _separator(text.split("\n", 1)[0])
    lines = csv.DictReader(io.StringIO(text, newline=""), delimiter=separator, restkey="", strict=True)
    try:
        for row in lines:
            at = f"line {lines.line_num}"
            if None in row.values() or "" in row:
                raise InputError(f"{name}, {at}: the row has not as many cells as the header. Correct it.")
            yield at, {key.strip(): unguarded(value) for key, value in row.items()}
    except csv.Error as error:
        raise InputError(f"{name}, line {lines.line_num}: {error}. Correct the table.") from None


def _made(kind: Kind, rows: Iterable[tuple[str, Mapping[str, Any]]], name: str) -> Iterator[Act]:
    for at, row in rows:
        try:
            yield _act(kind, row)
        except RankproofError as error:
            raise InputError(f"{name}, {at}: {error}") from None
        except (KeyError, TypeError, ValueError) as error:
            needs = ", ".join(COLUMNS[kind])
            raise InputError(
                f"{name}, {at}: this is none of the {kind} ({error}). Their fields are: {needs}."
            ) from None


def _act(kind: Kind, row: Mapping[str, Any]) -> Act:
    if not isinstance(row, Mapping):
        raise TypeError("no object")
    said = {name: _text(row, name) for name in COLUMNS[kind] if name not in ("grade", "blind", "variants", "source")}
    judge, query = said["judge"], said["query_id"]
    if not judge or not query or not said.get("doc_id", "-"):
        raise ValueError("the judge, the query or the document is empty")
    if kind == "preferences":
        variants = row["variants"] if isinstance(row["variants"], list) else from_json(row["variants"], "variants")
        preferred, blind = row["preferred"] or None, row["blind"] in (True, "true")
        return Preference(
            _key(said), judge, query, tuple(map(str, variants)), preferred, blind, said["note"], said["time"],
            said["withdraws"],
        )  # fmt: skip
    if kind in ("flags", "picks"):
        return Mark(
            _key(said), "flag" if kind == "flags" else "pick", judge, query, said["doc_id"], said["reason"],
            said["note"], said["variant"], said["time"], said["withdraws"],
        )  # fmt: skip
    grade = row.get("grade")
    number = None if grade is None or grade == "" else _whole(grade)
    reason: Any = said["reason"]
    return Judgment(
        _key({**said, "grade": str(number)}), judge, query, said["doc_id"], number, reason, said["note"],
        said["time"], _source(row, said), said["withdraws"],
    )  # fmt: skip


def _source(row: Mapping[str, Any], said: Mapping[str, str]) -> Source:
    given = row.get("source") or "person"
    fields = given if isinstance(given, Mapping) else {**said, "kind": given}
    kind: Any = fields["kind"]
    if kind not in ("person", "model", "clicks"):
        raise ValueError(f"no source is called {kind!r}: person, model and clicks are")
    return Source(kind, *(_text(fields, name) for name in ("version", "prompt", "settings")))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    if value is not None and not isinstance(value, str | int):
        raise TypeError(f"{name} is no text")
    return "" if value is None else str(value)


def _whole(grade: Any) -> int:
    number = float(grade)
    if isinstance(grade, bool) or number != int(number):
        raise ValueError(f"grade {grade!r} is no whole number")
    return int(number)


def _key(said: Mapping[str, str]) -> str:
    if said["key"]:
        return said["key"]
    return sha256("\n".join(f"{name}={value}" for name, value in sorted(said.items())).encode()).hexdigest()
