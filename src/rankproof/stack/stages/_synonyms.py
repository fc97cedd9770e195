"""A file of synonyms: which words are added to a query that has a word, and why a line is refused.

word<TAB>synonym        a query with the word gets the synonym
a, b => c, d            a query with a or b gets c and d
a, b, c                 a query with one of them gets the others

Empty lines and what follows # are left out. A side may have several words: new york => nyc.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from hashlib import sha256

from rankproof.errors import InputError, Unreadable

_WORD = re.compile(r"\w+(?:[-'’]\w+)*")


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in small letters."""
    return tuple(_WORD.findall(text.casefold()))


class Synonyms:
    """A file, read. `identity` is the hash of its bytes."""

    def __init__(self, path: str) -> None:
        try:
            with open(path, "rb") as file:
                data = file.read()
        except OSError as error:
            raise Unreadable(f"The synonym file {path} cannot be read: {error.strerror or error}.") from None
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(f"{path} is not UTF-8: byte {error.start} cannot be read. Save it as UTF-8.") from None
        self.identity = sha256(data).hexdigest()
        self._added: dict[tuple[str, ...], dict[str, None]] = {}
        for number, line in enumerate(text.splitlines(), 1):
            for key, synonyms in _rule(line.partition("#")[0], f"{path}, line {number}").items():
                self._added.setdefault(key, {}).update(dict.fromkeys(synonyms))
        if not self._added:
            raise InputError(f"{path} has no synonyms. Write lines such as: laptop, notebook => computer")
        self._longest = max(len(key) for key in self._added)

    def more(self, query: str) -> list[str]:
        """What is added to a query, each once, in the order of its words; nothing that it has already."""
        own = words(query)
        found: dict[str, None] = {}
        for start in range(len(own)):
            for end in range(start + 1, min(start + self._longest, len(own)) + 1):
                found.update(self._added.get(own[start:end], {}))
        return [synonym for synonym in found if not _within(words(synonym), own)]


def _rule(line: str, where: str) -> Mapping[tuple[str, ...], Iterable[str]]:
    """What one line says: the words that are looked for, and what is added for each."""
    if not line.strip():
        return {}
    if "=>" in line:
        left, _, right = line.partition("=>")
        keys, synonyms = left.split(","), right.split(",")
    elif "\t" in line:
        left, _, right = line.strip().partition("\t")
        keys, synonyms = [left], right.split("\t")
    else:
        keys = synonyms = line.split(",")
    synonyms = [" ".join(synonym.split()) for synonym in synonyms]
    both = [words(key) for key in keys]
    if not all(both) or not all(words(synonym) for synonym in synonyms) or (keys == synonyms and len(keys) < 2):
        raise InputError(
            f"{where}: {line.strip()!r} is no rule. Write word<TAB>synonym, or: a, b => c, d, or: a, b, c (all alike)."
        )
    return {key: [synonym for synonym in synonyms if words(synonym) != key] for key in both}


def _within(some: tuple[str, ...], all_words: tuple[str, ...]) -> bool:
    """Whether they stand there, one after the other."""
    return any(all_words[at : at + len(some)] == some for at in range(len(all_words) - len(some) + 1))
