"""Terms: from texts to terms, as bm25s makes them, and how often each term occurs in each document.

Words are found by the core where the regular expression is one of those that only look for runs of letters, digits and
underscores, as the default does, and else by Python's `re`. Both find the same words. A stem is made once for a word.

Counting terms is the expensive part of an index and depends on no parameter of the formula. It is done once for a field
and a way of analysis, and kept as long as the corpus is; other weights, k1 or b only cost arithmetic on the counts.
In a folder for the cache the counts outlive the process: in a file with a checksum, written beside its place and moved
there, under a key that covers texts, analysis and versions. Where postings are large they stay in that file and are
read term by term, so that they take no memory of the process.
"""

from __future__ import annotations

import io
import json
import re
import struct
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import sha256
from importlib.metadata import version
from types import ModuleType
from typing import BinaryIO
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rankproof.core import DamagedIndex, TermIndex, TextFile, WordCounter, descending_places, find_words
from rankproof.errors import FileChanged
from rankproof.kernel.cache import Cache, FolderCache, NoCache, Part
from rankproof.kernel.libraries import library
from rankproof.kernel.progress import Progress, silent
from rankproof.kernel.specs.kinds import Choice, Flag, Kind, Param
from rankproof.reading.collection import Corpus
from rankproof.stack.records import Values

# The lists that bm25s has, and the algorithms of Snowball that PyStemmer has, so that a wrong name is
# refused without loading either.
STOP_LISTS = (
    "none", "english", "english_plus", "chinese", "danish", "dutch", "french", "german", "italian", "korean",
    "norwegian", "portuguese", "russian", "spanish", "swedish", "turkish",
)  # fmt: skip
STEMMERS = (
    "none", "english", "porter", "arabic", "armenian", "basque", "catalan", "danish", "dutch", "finnish", "french",
    "german", "greek", "hindi", "hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian",
    "portuguese", "romanian", "russian", "serbian", "spanish", "swedish", "tamil", "turkish", "yiddish",
)  # fmt: skip
_WHO = "The engine bm25"
WORDS = r"(?u)\b\w\w+\b"
# Expressions that find runs of what `\w` matches, with the length of the shortest: an expression is greedy, so that a
# match ends where the run does.
RUNS = {WORDS: 2, r"\b\w\w+\b": 2, r"\w\w+": 2, r"(?u)\b\w+\b": 1, r"\b\w+\b": 1, r"\w+": 1}
# Documents whose words are in memory at once.
BLOCK = 1024


@dataclass(frozen=True, slots=True)
class Pattern(Kind):
    """A regular expression that finds the words of a text: the whole match, or its only group."""

    def read(self, value: object) -> str:
        """The expression."""
        try:
            groups = re.compile(value).groups if isinstance(value, str) and value else 2
        except re.error as error:
            raise ValueError(f"must be a regular expression; {value!r} is none: {error}") from None
        if groups > 1:
            raise ValueError(f"must be a regular expression with one group at most; got {value!r}")
        return str(value)

    def show(self, value: str) -> str:
        """The expression."""
        return value


ANALYSIS_PARAMS = (
    Param("stemming", Choice(STEMMERS), "english", "Snowball algorithm that takes words to their stems, or none"),
    Param("stop_words", Choice(STOP_LISTS), "english", "list of words that are left out, or none"),
    Param("words", Pattern(), WORDS, "regular expression that finds words; the default drops single letters"),
    Param("lowercase", Flag(), True, "small letters before anything else; stop words are in small letters"),
)


@dataclass(frozen=True, slots=True)
class Analysis:
    """How texts become terms: two equal ones give the same terms."""

    stemming: str
    stop_words: str
    words: str
    lowercase: bool

    @classmethod
    def of(cls, values: Values) -> Analysis:
        """The choices among an engine's values."""
        return cls(*(values[param.name] for param in ANALYSIS_PARAMS))

    @property
    def as_text(self) -> str:
        """For people: what is done to a text, in its order."""
        parts = [f"words {self.words}"] + ["lowercase"] * self.lowercase
        parts += [] if self.stop_words == "none" else [f"stop words {self.stop_words}"]
        return ", ".join(parts + ([] if self.stemming == "none" else [f"stemmer {self.stemming}"]))

    @property
    def libraries(self) -> dict[str, str]:
        """Whose versions the terms depend on."""
        versions = {"bm25s": str(bm25s().__version__)}
        return versions if self.stemming == "none" else versions | {"PyStemmer": version("PyStemmer")}

    def counted(self, texts: Sequence[str], progress: Progress = silent) -> TermIndex:
        """The terms of each text, counted."""
        least = RUNS.get(self.words)
        counter = WordCounter(self._as_terms(), least or 1, self.lowercase)
        for begin in range(0, len(texts), BLOCK):
            end = min(begin + BLOCK, len(texts))
            if least:
                counter.add_texts(texts, begin, end)
            else:
                counter.add_words([self._words(text) for text in texts[begin:end]])
            progress("bm25: counting the words of document", end, len(texts))
        return counter.finish()

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in its order."""
        words = self._words(text)
        unique = list(dict.fromkeys(words))
        term = dict(zip(unique, self._as_terms()(unique), strict=True))
        return [found for word in words if (found := term[word]) is not None]

    def _words(self, text: str) -> list[str]:
        least = RUNS.get(self.words)
        if least:
            return find_words(text, least, self.lowercase)
        found: list[str] = re.findall(self.words, text.lower() if self.lowercase else text)
        return found

    def _as_terms(self) -> Callable[[list[str]], list[str | None]]:
        """Gives each of several words its stem, None for a stop word."""
        stopped = _stop_words(self.stop_words)
        if self.stemming == "none":
            return lambda words: [None if word in stopped else word for word in words]
        stemmer = library("Stemmer", _WHO).Stemmer(self.stemming, 0)  # each word comes once: nothing is to be kept
        return lambda words: [
            None if word in stopped else stem for word, stem in zip(words, stemmer.stemWords(words), strict=True)
        ]


def bm25s() -> ModuleType:
    """The library of the extra `bm25`."""
    return library("bm25s", _WHO)


@lru_cache
def _stop_words(name: str) -> frozenset[str]:
    return frozenset() if name == "none" else frozenset(bm25s().tokenization.Tokenizer(stopwords=name).stopwords)


# ---- counts --------------------------------------------------------------------------------------

# Bytes of postings from which on they stay in their file, where there is one.
LARGE = 2**26

_MARK = b"rankproof term index 1\n\0"
# Documents, terms, bytes of terms, bytes of postings.
_SIZES = struct.Struct("<4Q")


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counts of a field; `rebuilt` where those in the cache were damaged and were made again."""

    index: TermIndex
    rebuilt: bool = False


_KEPT: WeakKeyDictionary[Corpus, dict[tuple[str, Analysis], Counted]] = WeakKeyDictionary()
_PLACES: WeakKeyDictionary[Corpus, NDArray[np.int32]] = WeakKeyDictionary()


def counts_of(corpus: Corpus, field: str, analysis: Analysis, cache: Cache, progress: Progress = silent) -> Counted:
    """Counts of one field: from memory, from the cache, or counted now."""
    in_memory = _KEPT.setdefault(corpus, {})
    counted = in_memory.get((field, analysis))
    if counted is None:
        counted = in_memory[field, analysis] = _counted(corpus, field, analysis, cache, progress)
    return counted


def places_of(corpus: Corpus) -> NDArray[np.int32]:
    """The place of each document when ids descend, by which ties are broken."""
    places = _PLACES.get(corpus)
    if places is None:
        places = _PLACES[corpus] = descending_places(corpus.doc_ids)
    return places


def _counted(corpus: Corpus, field: str, analysis: Analysis, cache: Cache, progress: Progress) -> Counted:
    if isinstance(cache, NoCache):
        return Counted(analysis.counted(corpus.fields[field], progress))
    key = _key(corpus, field, analysis)
    stored, damaged = _stored(cache, key)
    if stored is not None:
        return Counted(stored)
    index = analysis.counted(corpus.fields[field], progress)
    parts = _parts(index, len(corpus))
    if not isinstance(cache, FolderCache):
        cache.put(key, b"".join(parts))
        return Counted(index, damaged)
    cache.put_parts(key, parts)
    # What was just written need not be read to be checked.
    again = _stored(cache, key, check=False)[0] if index.size >= LARGE else None
    return Counted(index if again is None else again, damaged)


def _key(corpus: Corpus, field: str, analysis: Analysis) -> str:
    versions = analysis.libraries | {"Unicode": unicodedata.unidata_version}
    parts = ["counts 2", corpus.content_hash, field, asdict(analysis), versions]
    return f"bm25-{sha256(json.dumps(parts).encode()).hexdigest()}"


# ---- in the cache --------------------------------------------------------------------------------


def _parts(index: TermIndex, documents: int) -> list[Part]:
    """What `_read` reads, without a copy of the large columns."""
    sizes = _SIZES.pack(documents, len(index), len(index.term_data), index.size)
    little = (index.term_start.astype("<i8"), index.start.astype("<i8"), index.having.astype("<u4"))
    columns = (*little, index.length.astype("<u4"), index.term_data, index.data)
    return [_MARK, sizes, *(column.view(np.uint8).data for column in columns)]


def _stored(cache: Cache, key: str, check: bool = True) -> tuple[TermIndex | None, bool]:
    """The index in the cache; and whether there is one that cannot be used."""
    if not isinstance(cache, FolderCache):
        data = cache.get(key)
        return (None, False) if data is None else _read(io.BytesIO(data), len(data))
    entry = cache.find(key, check)
    if entry is None or entry.damaged:
        return None, entry is not None
    try:
        with open(entry.path, "rb") as file:
            file.seek(entry.begin)
            return _read(file, entry.size, entry.path)
    except (OSError, FileChanged):
        return None, False  # removed or replaced by another process meanwhile


def _read(file: BinaryIO, size: int, path: str = "") -> tuple[TermIndex | None, bool]:
    if file.read(len(_MARK)) != _MARK or len(head := file.read(_SIZES.size)) != _SIZES.size:
        return None, True
    documents, terms, term_bytes, posting_bytes = _SIZES.unpack(head)
    if size != len(_MARK) + _SIZES.size + 16 * (terms + 1) + 4 * (terms + documents) + term_bytes + posting_bytes:
        return None, True

    def column(dtype: str, count: int) -> NDArray[np.generic]:
        stored = np.dtype(dtype)
        return np.frombuffer(file.read(count * stored.itemsize), stored).astype(stored.newbyteorder("="))

    try:
        starts = column("<i8", terms + 1), column("<i8", terms + 1)
        having, length, names = column("<u4", terms), column("<u4", documents), column("u1", term_bytes)
        if path and posting_bytes >= LARGE:
            return TermIndex.in_file(names, *starts, having, length, TextFile(path), file.tell()), False
        return TermIndex.from_columns(names, *starts, having, length, column("u1", posting_bytes)), False
    except DamagedIndex:
        return None, True
