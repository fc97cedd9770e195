"""JSON text: a key that an object has twice stays twice and is not silently merged."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import IO

from rankproof.errors import InputError
from rankproof.reading.source import Source, not_utf8

# The first key of an object and the first character of its value.
_FIRST_PAIR = re.compile(r'\s*\{\s*"((?:[^"\\]|\\.)*)"\s*:\s*(\S)')

_VALUE = re.compile(r"[^\s\ufeff]")


def is_lines(source: Source) -> bool:
    """Whether a text begins with a row on a line of its own, an object of fields, and another object follows."""
    first, _, rest = source.head.lstrip().partition(b"\n")
    if not first.startswith(b"{") or not rest.lstrip().startswith(b"{"):
        return False
    try:
        record = json.loads(first)
    except (ValueError, RecursionError):
        return False
    return len(record) > 1 and not any(isinstance(value, dict) for value in record.values())


class Repeated(dict[str, object]):
    """An object with a repeated key. As a dict it has the last value; `pairs` has all of them."""

    pairs: list[tuple[str, object]]

    @property
    def again(self) -> str:
        """The first key that is there a second time."""
        keys = [key for key, _ in self.pairs]
        first = {key: place for place, key in reversed(list(enumerate(keys)))}
        return next(key for place, key in enumerate(keys) if first[key] < place)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    merged = dict(pairs)
    if len(merged) == len(pairs):
        return merged
    repeated = Repeated(merged)
    repeated.pairs = pairs
    return repeated


_decoder = json.JSONDecoder(object_pairs_hook=_object)


def decode(text: str, where: str, line: int = 0) -> object:
    """The value of a JSON text; `line` is where the text begins when it is one of JSON lines."""
    try:
        value: object = _decoder.decode(text)
        return value
    except json.JSONDecodeError as error:
        at = line or error.lineno
        raise InputError(
            f"{where}, line {at}: this is not JSON ({error.msg}, column {error.colno}). "
            "Write the file anew, or name its format with --format."
        ) from None
    except RecursionError:
        raise InputError(
            f"{where}: the JSON is nested too deeply to be a ranking. Check that it is the right file."
        ) from None
    except ValueError:
        raise InputError(
            f"{where}: the JSON cannot be read: it has a whole number with thousands of digits. Shorten the number."
        ) from None


def refuse_repeated(value: object, where: str) -> None:
    """Refuses an object with a repeated key."""
    if isinstance(value, Repeated):
        raise InputError(f"{where}: the key {value.again!r:.80} is there twice in one object. Keep one of the two.")


def json_lines(source: Source) -> list[tuple[int, dict[str, object]]]:
    """The objects of JSON lines, each with its line number."""
    return list(json_objects(enumerate(source.text().split("\n"), start=1), source.name))


def json_values(source: Source) -> Iterator[tuple[int, object]]:
    """The JSON values of a text, each with the line that it begins on: JSON lines, or what `cat` joined."""
    text, at, line = source.text(), 0, 1
    while (start := _VALUE.search(text, at)) is not None:
        line += text.count("\n", at, start.start())
        at = start.start()
        try:
            value, end = _decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            decode(text[at:], source.name, line)  # decoded once more for the message of its error
            raise
        yield line, value
        line += text.count("\n", at, end)
        at = end


def json_objects(lines: Iterable[tuple[int, str]], name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of numbered lines, one after the other."""
    scan = _decoder.raw_decode
    for number, line in lines:
        line = line.strip(" \t\r")
        if not line:
            continue
        try:
            value, end = scan(line)
        except (ValueError, RecursionError):
            end = -1
        if end != len(line):
            value = decode(line, name, number)  # decoded once more for the message of its error
        if type(value) is not dict:
            where = f"{name}, line {number}"
            refuse_repeated(value, where)
            raise InputError(f"{where}: each line must hold a JSON object; this one holds {line[:60]!r}.")
        yield number, value


def text_lines(file: IO[bytes], name: str) -> Iterator[tuple[int, str]]:
    """The lines of an open file as text, numbered from 1, without a byte order mark."""
    for number, line in enumerate(file, start=1):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        try:
            yield number, line.decode("utf-8").rstrip("\n")
        except UnicodeDecodeError as error:
            raise InputError(not_utf8(name, number, line[error.start])) from None


def first_pair(source: Source) -> tuple[str, str] | None:
    """The first key of the first object and the first character of its value; None when there is none."""
    match = _FIRST_PAIR.match(source.head.decode("utf-8", errors="replace"))
    return None if match is None else (match[1], match[2])
