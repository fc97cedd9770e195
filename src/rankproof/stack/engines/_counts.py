"""Counts: how often each term stands in each document, kept for as long as the corpus is.

Counting words is the dear part of an index and depends on no dial of the formula. It is done once for a field and a
way of analysis; other weights, k1 or b only cost arithmetic on the counts.
"""

from __future__ import annotations

import io
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from itertools import chain
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.cache import Cache
from rankproof.reading.collection import Corpus
from rankproof.stack.engines._analysis import Analysis


@dataclass(frozen=True, slots=True, eq=False)
class TermCounts:
    """Occurrences term by term: `doc` and `often` from start[t] to start[t + 1] belong to terms[t].

    terms    in order, so that nothing depends on how they were found
    often    how often the term stands in the document; a weighted sum where fields have weights
    length   of every document, in terms
    """

    terms: tuple[str, ...]
    start: NDArray[np.int64]
    doc: NDArray[np.int32]
    often: NDArray[np.float64]
    length: NDArray[np.float64]


_KEPT: WeakKeyDictionary[Corpus, dict[tuple[str, Analysis], TermCounts]] = WeakKeyDictionary()
# The weighted sum that was asked for last: all that a search for k1 and b goes on asking for.
_LAST: WeakKeyDictionary[Corpus, tuple[tuple[tuple[tuple[str, float], ...], Analysis], TermCounts]] = (
    WeakKeyDictionary()
)


def weighted(corpus: Corpus, weights: Mapping[str, float], analysis: Analysis, cache: Cache) -> TermCounts:
    """Counts and lengths of the fields, times their weights, added up."""
    asked = (tuple(weights.items()), analysis)
    last = _LAST.get(corpus)
    if last is None or last[0] != asked:
        last = _LAST[corpus] = (asked, _added(corpus, weights, analysis, cache))
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
    kept = _KEPT.setdefault(corpus, {})
    found = kept.get((field, analysis))
    if found is None:
        key = _key(corpus, field, analysis)
        data = cache.get(key)
        if data is None:
            found = _count(corpus, field, analysis)
            cache.put(key, _packed(found))
        else:
            found = _unpacked(data)
        kept[field, analysis] = found
    return found


def _count(corpus: Corpus, field: str, analysis: Analysis) -> TermCounts:
    numbers, found = analysis.numbered(corpus.fields[field])
    terms = tuple(sorted(found))
    place = {term: i for i, term in enumerate(terms)}
    new = np.array([place[term] for term in found], dtype=np.int64)
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
    """Counts from keys of term and document, of which one may stand there many times."""
    if often is None:
        pairs, times = np.unique(keys, return_counts=True)
    else:
        pairs, which = np.unique(keys, return_inverse=True)
        times = np.bincount(which, weights=often, minlength=len(pairs))
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
    with np.load(io.BytesIO(data), allow_pickle=False) as held:
        terms = tuple(json.loads(held["terms"].tobytes()))
        often, length = held["often"].astype(np.float64), held["length"].astype(np.float64)
        return TermCounts(terms, held["start"], held["doc"], often, length)
