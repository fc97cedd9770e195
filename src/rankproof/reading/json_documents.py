"""JSON documents that hold many rows: arrays of objects, and answers of `_search`, read an object at a time.

An array begins with `[`. An answer of OpenSearch, Elasticsearch or one like them has its rows under `hits.hits`;
several answers may follow one another, as scrolling gives them. However long the document is, one piece of it and one
object are in memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from io import TextIOWrapper

from rankproof.errors import InputError

_PIECE = 1 << 20
# One object is not longer than this: a document that is no rows is not read into memory.
_LONGEST = 1 << 27
_ANSWER = re.compile(
    r'\s*\{\s*"(?:_scroll_id|pit_id|took|timed_out|_shards|num_reduce_phases|hits"\s*:\s*\{\s*"(?:total|max_score|hits))"'
)
_UNDER_HITS = re.compile(r'"hits"\s*:\s*\{')
_HITS = re.compile(r'"hits"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder()


def is_array(head: str) -> bool:
    """Whether a document that begins so is an array."""
    return head.lstrip()[:1] == "["


def is_answer(head: str) -> bool:
    """Whether a document that begins so is an answer of `_search`."""
    return _ANSWER.match(head) is not None and _UNDER_HITS.search(head) is not None


def objects_of_array(text: TextIOWrapper, name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects of an array, numbered from 1."""
    rest = _Rest(text, name)
    rest.skip(re.compile(r"\s*\["))
    yield from rest.objects(0)
    if rest.has_more():
        raise InputError(f"{name}: something follows the end of its array. Give one array, or one object per line.")


def objects_of_answer(text: TextIOWrapper, name: str) -> Iterator[tuple[int, dict[str, object]]]:
    """The objects under `hits.hits` of one answer or of several, numbered from 1."""
    rest = _Rest(text, name)
    number, answers = 0, 0
    rows: Iterator[tuple[int, dict[str, object]]]
    while rest.find(_HITS):
        answers += 1
        rows = rest.objects(number)
        for number, record in rows:
            yield number, record
    if not answers:
        raise InputError(f"{name} begins as an answer of _search and has no hits.hits. Ask for the documents.")


class _Rest:
    """What is left of a document: `text[at:]`, and what was not read yet."""

    def __init__(self, text: TextIOWrapper, name: str) -> None:
        self._file, self._name = text, name
        self._text, self._at = "", 0

    def _more(self) -> bool:
        """Reads another piece; False at the end."""
        piece = self._file.read(_PIECE)
        self._text, self._at = self._text[self._at :] + piece, 0
        return bool(piece)

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Goes behind what stands here."""
        self._more()
        match = pattern.match(self._text, self._at)
        assert match is not None  # the beginning was looked at
        self._at = match.end()

    def find(self, pattern: re.Pattern[str]) -> bool:
        """Goes behind the next place where the pattern stands; False where there is none."""
        while (match := pattern.search(self._text, self._at)) is None:
            self._at = max(self._at, len(self._text) - 100)
            if not self._more():
                return False
        self._at = match.end()
        return True

    def has_more(self) -> bool:
        """Whether anything but blanks is left."""
        while not self._text[self._at :].strip():
            self._at = len(self._text)
            if not self._more():
                return False
        return True

    def objects(self, number: int) -> Iterator[tuple[int, dict[str, object]]]:
        """The objects up to the end of the array, numbered on from a number."""
        while True:
            self._at = _end_of(_BETWEEN, self._text, self._at)
            if self._at == len(self._text):
                if not self._more():
                    raise InputError(f"{self._name} ends within its array. Copy or make the file again.")
                continue
            if self._text[self._at] == "]":
                self._at += 1
                return
            record = self._object(number + 1)
            number += 1
            yield number, record

    def _object(self, number: int) -> dict[str, object]:
        while True:
            try:
                record, end = _DECODER.raw_decode(self._text, self._at)
            except (json.JSONDecodeError, RecursionError) as error:
                if len(self._text) - self._at < _LONGEST and not isinstance(error, RecursionError) and self._more():
                    continue  # its end was not read yet
                raise InputError(
                    f"{self._name}, object {number}: this is not JSON ({error}). Copy or make the file again."
                ) from None
            if not isinstance(record, dict):
                raise InputError(f"{self._name}, item {number} of its array is no JSON object. Give objects.")
            self._at = end
            return record


def _end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return at if match is None else match.end()
