"""Terms: from texts to terms, by bm25s and PyStemmer, and how often each term occurs in each document.

Counting terms is the expensive part of an index and depends on no parameter of the formula. It is done once for a field
and a way of analysis, and kept as long as the corpus is; other weights, k1 or b only cost arithmetic on the counts.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import version
from itertools import chain
from types import ModuleType
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.cache import Cache
from rankproof.kernel.libraries import library
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
    def libraries(self) -> dict[str, str]:
        """Whose versions the terms depend on."""
        versions = {"bm25s": str(bm25s().__version__)}
        return versions if self.stemming == "none" else versions | {"PyStemmer": version("PyStemmer")}

    def numbered(self, texts: Sequence[str]) -> tuple[list[list[int]], list[str]]:
        """The terms of each text as numbers, in the order of the text, and the term that each number stands for."""
        tokenized = bm25s().tokenize(list(texts), return_ids=True, **self._options())
        terms = [""] * len(tokenized.vocab)
        for term, number in tokenized.vocab.items():
            terms[number] = term
        return tokenized.ids, terms

    def terms(self, texts: Sequence[str]) -> list[list[str]]:
        """The terms of each text."""
        terms: list[list[str]] = bm25s().tokenize(list(texts), return_ids=False, **self._options())
        return terms

    def _options(self) -> dict[str, object]:
        stemmer = None
        if self.stemming != "none":
            stemmer = library("Stemmer", _WHO).Stemmer(self.stemming)
        return {
            "lower": self.lowercase,
            "token_pattern": self.words,
            "stopwords": None if self.stop_words == "none" else self.stop_words,
            "stemmer": stemmer,
            "show_progress": False,
        }


def bm25s() -> ModuleType:
    """The library of the extra `bm25`."""
    return library("bm25s", _WHO)


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """Occurrences term by term: `doc` and `often` from start[t] to start[t + 1] belong to terms[t].

    terms    sorted, so that nothing depends on the order in which they were met
    often    how often the term occurs in the document; a weighted sum where fields have weights
    length   of every document, in terms
    """

    terms: tuple[str, ...]
    start: NDArray[np.int64]
    doc: NDArray[np.int32]
    often: NDArray[np.float64]
    length: NDArray[np.float64]


_KEPT: WeakKeyDictionary[Corpus, dict[tuple[str, Analysis], TermCounts]] = WeakKeyDictionary()
# The last weighted sum: a search for k1 and b needs no other.
_LAST: WeakKeyDictionary[Corpus, tuple[tuple[tuple[tuple[str, float], ...], Analysis], TermCounts]] = (
    WeakKeyDictionary()
)


def weighted(corpus: Corpus, weights: Mapping[str, float], analysis: Analysis, cache: Cache) -> TermCounts:
    """Counts and lengths of the fields, times their weights, added up."""
    request = (tuple(weights.items()), analysis)
    last = _LAST.get(corpus)
    if last is None or last[0] != request:
        last = _LAST[corpus] = (request, _added(corpus, weights, analysis, cache))
    return last[1]


def _added(corpus: Corpus, weights: Mapping[str, float], analysis: Analysis, cache: Cache) -> TermCounts:
    parts = [(counts_of(corpus, field, analysis, cache), weight) for field, weight in weights.items()]
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0]
    terms = tuple(sorted(set().union(*(part.terms for part, _ in parts))))
    number = {term: i for i, term in enumerate(terms)}
    keys, often = [], []
    for part, weight in parts:
        new = np.array([number[term] for term in part.terms], dtype=np.int64)
        keys.append(np.repeat(new, np.diff(part.start)) << 32 | part.doc)
        often.append(part.often * weight)
    length = np.sum([part.length * weight for part, weight in parts], axis=0)
    return _summed(terms, np.concatenate(keys), np.concatenate(often), length)


def counts_of(corpus: Corpus, field: str, analysis: Analysis, cache: Cache) -> TermCounts:
    """Counts of one field: from memory, from the cache, or counted now."""
    in_memory = _KEPT.setdefault(corpus, {})
    counts = in_memory.get((field, analysis))
    if counts is None:
        key = _key(corpus, field, analysis)
        data = cache.get(key)
        if data is None:
            counts = _count(corpus, field, analysis)
            cache.put(key, _packed(counts))
        else:
            counts = _unpacked(data)
        in_memory[field, analysis] = counts
    return counts


def _count(corpus: Corpus, field: str, analysis: Analysis) -> TermCounts:
    numbers, vocabulary = analysis.numbered(corpus.fields[field])
    terms = tuple(sorted(vocabulary))
    place = {term: i for i, term in enumerate(terms)}
    new = np.array([place[term] for term in vocabulary], dtype=np.int64)
    length = np.array([len(text) for text in numbers], dtype=np.int64)
    flat = np.fromiter(chain.from_iterable(numbers), dtype=np.int64, count=int(length.sum()))
    keys = new[flat] << 32 | np.repeat(np.arange(len(numbers), dtype=np.int64), length)
    return _summed(terms, keys, None, length.astype(np.float64))


def _summed(
    terms: tuple[str, ...],
    keys: NDArray[np.int64],
    often: NDArray[np.float64] | None,
    length: NDArray[np.float64],
) -> TermCounts:
    """Counts from keys of term and document, in which a key may occur many times."""
    if often is None:
        pairs, times = np.unique(keys, return_counts=True)
    else:
        pairs, inverse = np.unique(keys, return_inverse=True)
        times = np.bincount(inverse, weights=often, minlength=len(pairs))
    start = np.searchsorted(pairs >> 32, np.arange(len(terms) + 1)).astype(np.int64)
    return TermCounts(terms, start, (pairs & 0xFFFFFFFF).astype(np.int32), times.astype(np.float64), length)


def _key(corpus: Corpus, field: str, analysis: Analysis) -> str:
    parts = ["counts 1", corpus.content_hash, field, asdict(analysis), analysis.libraries]
    return f"bm25-{sha256(json.dumps(parts).encode()).hexdigest()}"


def _packed(counts: TermCounts) -> bytes:
    file = io.BytesIO()
    terms = np.frombuffer(json.dumps(counts.terms).encode(), dtype=np.uint8)
    often, length = counts.often.astype(np.int32), counts.length.astype(np.int32)  # whole before fields have weights
    np.savez(file, terms=terms, start=counts.start, doc=counts.doc, often=often, length=length)
    return file.getvalue()


def _unpacked(data: bytes) -> TermCounts:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        terms = tuple(json.loads(arrays["terms"].tobytes()))
        often, length = arrays["often"].astype(np.float64), arrays["length"].astype(np.float64)
        return TermCounts(terms, arrays["start"], arrays["doc"], often, length)
