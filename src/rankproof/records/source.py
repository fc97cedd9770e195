"""Source: the bytes of one input, plain and whole, and the name that messages call it by."""

from __future__ import annotations

from dataclasses import dataclass

from rankproof.errors import InputError

# How much of an input the formats look at to recognize it. Whole lines of a few thousand rows.
HEAD = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """An input whose bytes can be had: decompressed, without a byte order mark.

    `data` is a view on the file where it is a plain file, so that nothing is copied; `path` is then its path,
    for the core to map it by itself. `notes` says what was done to get there, such as "decompressed (gzip)".
    """

    name: str
    data: bytes | memoryview
    notes: tuple[str, ...] = ()
    path: str | None = None

    @property
    def head(self) -> bytes:
        """The beginning, cut at the end of a line when there is more."""
        head = bytes(self.data[:HEAD])
        if len(self.data) > HEAD:
            whole_lines = head.rfind(b"\n") + 1
            return head[:whole_lines] if whole_lines else head
        return head

    @property
    def whole(self) -> str | bytes | memoryview:
        """What the core takes: the path of a plain file, else the bytes."""
        return self.data if self.path is None else self.path

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing in it but white space."""
        return not self.head.strip() and (len(self.data) <= HEAD or not bytes(self.data).strip())

    def text(self) -> str:
        """The whole as text."""
        try:
            return str(self.data, "utf-8")
        except UnicodeDecodeError as error:
            before = bytes(self.data[: error.start])
            raise InputError(not_utf8(self.name, before.count(10) + 1, self.data[error.start])) from None


def not_utf8(name: str, line: int, byte: int) -> str:
    """What to say of a byte that is part of no text."""
    return f"{name}, line {line}: byte 0x{byte:02x} is not UTF-8. Write the file anew as UTF-8."
