"""Pieces: JSON read a value at a time from a stream, so that a document of any size takes the memory of one span."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterable, Iterator

from rankproof.errors import InputError
from rankproof.reading.formats._jsontext import Repeated, decode

# The longest value that is read as a whole, in characters: one span, or what stands beside the spans.
LONGEST = 64 << 20
# How much is looked at to see the first key of an object.
AHEAD = 4096
_BLANK = re.compile(r"[ \t\r\n\x1e]*")
_FIRST_KEY = re.compile(r'\{[ \t\r\n]*"([^"\\]*)"')
# How text that is not UTF-8 begins; the longest mark first.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
LONGEST_MARK = 4


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    merged = dict(pairs)
    if len(merged) == len(pairs):
        return merged
    repeated = Repeated(merged)
    repeated.pairs = pairs
    raise _Twice(repeated.again)


class _Twice(Exception):
    """A key that stands twice in one object."""


class JsonPieces:
    """JSON values of a stream of bytes, one after the other; `name` is what messages call it.

    Whoever reads decides how far to go in: `members` and `elements` walk into an object or a list, `value` reads one
    as a whole.
    """

    def __init__(self, chunks: Iterable[bytes], name: str) -> None:
        self.name = name
        self._chunks = iter(chunks)
        self._decoder: codecs.IncrementalDecoder | None = None
        self._text, self._at = "", 0
        self._line, self._counted = 1, 0  # the line of the place up to which line ends are counted
        self._ended = False
        self._scan = json.JSONDecoder(object_pairs_hook=_object).raw_decode

    @property
    def place(self) -> str:
        """Where reading stands, for messages."""
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return f"{self.name}, line {self._line}"

    def peek(self) -> str:
        """The next character that is not blank; '' at the end."""
        while True:
            found = _BLANK.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def first_key(self) -> str | None:
        """The first key of the object that begins here, without reading it."""
        while len(self._text) - self._at < AHEAD and self._more():
            pass
        found = _FIRST_KEY.match(self._text, self._at)
        return None if found is None else found[1]

    def members(self) -> Iterator[str]:
        """The keys of an object; whoever takes one reads its value before the next. Nothing for null."""
        if self._is_null():
            return
        self._take("{", "an object")
        if self.peek() == "}":
            self._at += 1
            return
        while True:
            if self.peek() != '"':
                raise self._unexpected("a key in quotes")
            key = self.value()
            self._take(":", "a colon")
            yield str(key)
            if not self._goes_on("}"):
                return

    def elements(self) -> Iterator[int]:
        """The places of a list from 0; whoever takes one reads its value before the next. Nothing for null."""
        if self._is_null():
            return
        self._take("[", "a list")
        if self.peek() == "]":
            self._at += 1
            return
        number = 0
        while True:
            yield number
            number += 1
            if not self._goes_on("]"):
                return

    def value(self) -> object:
        """The value that begins here, as a whole."""
        self.peek()
        while True:
            try:
                value, end = self._scan(self._text, self._at)
                # A number at the end of what was read may go on.
                if end < len(self._text) or self._ended or not isinstance(value, int | float):
                    break
            except _Twice as twice:
                raise InputError(
                    f"{self.place}: the key {str(twice)!r:.80} is there twice in one object. Keep one of the two."
                ) from None
            except RecursionError:
                raise InputError(
                    f"{self.place}: the JSON is nested too deeply to be a trace. Check that it is the right file."
                ) from None
            except ValueError:
                pass
            self._grow()
        self._at = end
        return value

    # ---- text ---------------------------------------------------------------------------------------

    def _grow(self) -> None:
        """Reads about as much again as is waiting, so that a long value is not scanned again for every chunk."""
        waiting = len(self._text) - self._at
        if waiting > LONGEST:
            raise InputError(
                f"{self.place}: a value goes on for more than {LONGEST >> 20} million characters. One span is not that "
                "long: check that it is the right file, and that its quotes and brackets are closed."
            )
        if self._ended or not self._more():
            self._fail()
        while len(self._text) - self._at < 2 * waiting and self._more():
            pass

    def _fail(self) -> None:
        """Raises the error for what cannot be a JSON value, with the reason that the whole of it has."""
        rest = self._text[self._at :]
        if not rest.strip():
            raise InputError(f"{self.place}: the JSON ends in the middle. Copy or export the file again.")
        try:
            json.JSONDecoder().raw_decode(rest)
        except json.JSONDecodeError as error:
            near_end = error.pos >= len(rest) - 8 or error.msg.startswith("Unterminated")
            if near_end:
                raise InputError(
                    f"{self.place}: the JSON ends in the middle. Copy or export the file again, or drop the unfinished "
                    "last line."
                ) from None
        except (ValueError, RecursionError):
            pass
        decode(rest, self.place.rpartition(", line ")[0], int(self.place.rpartition(" ")[2]))
        raise InputError(f"{self.place}: this is not JSON. Export the traces again.")

    def _more(self) -> bool:
        """Reads on; False at the end."""
        chunk = next(self._chunks, None)
        while chunk is not None and len(chunk) < (LONGEST_MARK if self._decoder is None else 1):
            following = next(self._chunks, None)
            if following is None:
                break
            chunk += following
        if not chunk:
            if not self._ended:
                self._ended = True
                self._append(b"", final=True)
            return False
        self._append(chunk)
        return True

    def _append(self, chunk: bytes, final: bool = False) -> None:
        if self._decoder is None:
            encoding = next((name for mark, name in _MARKS if chunk.startswith(mark)), "utf-8-sig")
            self._decoder = codecs.getincrementaldecoder(encoding)()
        self._line += self._text.count("\n", self._counted, self._at)
        self._counted = 0
        try:
            self._text = self._text[self._at :] + self._decoder.decode(chunk, final)
        except UnicodeDecodeError as error:
            line = self._line + self._text.count("\n", self._at) + error.object.count(b"\n", 0, error.start)
            byte = error.object[error.start]
            raise InputError(
                f"{self.name}, line {line}: byte 0x{byte:02x} is not UTF-8. Write the file anew as UTF-8."
            ) from None
        self._at = 0

    def _is_null(self) -> bool:
        if self.peek() != "n":
            return False
        value = self.value()
        assert value is None
        return True

    def _take(self, char: str, what: str) -> None:
        if self.peek() != char:
            raise self._unexpected(what)
        self._at += 1

    def _goes_on(self, close: str) -> bool:
        """Whether a comma follows, and not the end of the object or list."""
        char = self.peek()
        if char not in (",", close) or not char:
            raise self._unexpected(f"a comma or {close!r}")
        self._at += 1
        return char == ","

    def _unexpected(self, needed: str) -> InputError:
        if not self.peek():
            return InputError(
                f"{self.place}: the JSON ends in the middle. Copy or export the file again, or drop the unfinished "
                "last line."
            )
        seen = self._text[self._at : self._at + 30]
        return InputError(f"{self.place}: {needed} is needed here, and there is {seen!r}. Export the traces again.")
