"""BM25 over the words of the documents, in memory or, for millions of documents, on disk.

A document's score is the sum, over the words it shares with the query, of how rare the word is times how much of it
the document has: more is better with less and less gain (k1), and counted against the document's length (b). A word
that stands twice in the query counts twice. Documents that share no word with the query are not results.

Fields are weighted inside the formula: a word of a field with weight 3 counts as three words, in the frequency and
in the length. This is BM25F in its simple form. Adding up one BM25 score per field would let a word that stands in
every field gain again and again, past the point where k1 says that more of it says nothing. A weight may be any number
above 0; without `fields`, all fields count alike.

The five variants are those of Kamphuis et al. Two differ from bm25s's own: in BM25L and BM25+ a word that a document
lacks adds nothing, as their authors have it. bm25s adds the same number for it to every document, with which BM25+
ranks the same whatever delta is. Scores of the other three are bm25s's to the precision of its 32-bit numbers.

Words are counted once for a corpus and kept, in memory and in the cache: another k1, b, variant or weight only costs
arithmetic on the counts of a query's words. Counts that take more than 64 MiB stay in their file in the cache and are
read word by word; a note says so. The defaults are bm25s's own (k1 1.5, b 0.75, Lucene's variant, its list of 33
English stop words) with Snowball's English stemmer, as in its own examples; they were not tuned on anything.

shown on: in this process, with the words of bm25s 0.3.16, in every run of the tests
assumes: words are found by a regular expression and compared as stems
source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, FnTIR 3(4), 2009; fields:
    Robertson, Zaragoza and Taylor, Simple BM25 Extension to Multiple Weighted Fields, CIKM 2004; variants: Kamphuis,
    de Vries, Boytsov and Lin, Which BM25 Do You Mean?, ECIR 2020; BM25L and BM25+: Lv and Zhai, SIGIR 2011 and
    CIKM 2011; bm25s: Lu, arXiv 2407.03618, 2024

Three documents of two words each, so that length does not matter. "tent" is in two of them: its rarity is
ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = 0.4700, and one of it makes 1 / (1 + 1.5) of that:

>>> from rankproof.testing import searched
>>> searched("bm25", {"a": "red tent", "b": "green tent", "c": "red lamp"}, "tents")
{'b': 0.188, 'a': 0.188}
>>> searched("bm25", {"a": "red tent", "b": "green tent", "c": "red lamp"}, "boat")
{}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rankproof.core import Bm25, DamagedIndex
from rankproof.errors import InputError, UnknownName
from rankproof.kernel.cache import Cache
from rankproof.kernel.progress import Progress, silent
from rankproof.kernel.specs.kinds import Choice, Number, Param
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._in_process import NOTHING, told
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines._terms import ANALYSIS_PARAMS, Analysis, Counted, counts_of, places_of
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground, Values

VARIANTS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


def scorer(documents: int, counts: Sequence[Counted], weights: Sequence[float], values: Values) -> Bm25:
    """What adds up the scores of documents, by table 1 of Kamphuis et al. (2020), from counts of fields and weights.

    BM25L and BM25+ add over the terms that query and document share, as Lv and Zhai define them: a term that a
    document lacks adds nothing.
    """
    k1, b = values["k1"], values["b"]
    indexes = tuple(counted.index for counted in counts)
    length: NDArray[np.float64] = np.zeros(documents)
    for index, weight in zip(indexes, weights, strict=True):
        length += index.length * weight
    mean = float(length.sum()) / max(documents, 1)
    # 1 - b + b L / mean: a document of mean length has 1. Where all are empty, nobody asks.
    long = 1 - b + b * length / (mean or 1.0)
    norm = long if values["variant"] == "bm25l" else k1 * long
    return Bm25(indexes, tuple(weights), norm, values["variant"], k1, values["delta"])


def _rarity(df: NDArray[np.int64], n: int, variant: str) -> NDArray[np.float64]:
    """Inverse document frequency. Robertson's is 0 and not negative for a term in more than half of the documents."""
    rarity: NDArray[np.float64]
    if variant == "lucene":
        rarity = np.log(1 + (n - df + 0.5) / (df + 0.5))
    elif variant == "robertson":
        rarity = np.log(np.maximum((n - df + 0.5) / (df + 0.5), 1))
    elif variant == "atire":
        rarity = np.log(n / df)
    else:
        rarity = np.log((n + 1) / (df + 0.5 if variant == "bm25l" else df))
    return rarity


PARAMS = (
    Param("k1", Number(0, 1000), 1.5, "how much more of a word still counts: 0 makes every number of it alike"),
    Param("b", Number(0, 1), 0.75, "how much long documents are held back: 0 not at all, 1 by their whole length"),
    Param("variant", Choice(VARIANTS), "lucene", "form of the formula"),
    Param("delta", Number(0, 1000), 0.5, "bm25l and bm25+: least gain of a word that is there"),
    Param("fields", Fields(), None, "fields with weights, such as 'title^3 text'; all alike when nothing is said"),
    *ANALYSIS_PARAMS,
)


@dataclass(frozen=True, eq=False)
class _Bm25Searcher:
    corpus: Corpus
    cache: Cache
    values: Values
    weights: Mapping[str, float]
    progress: Progress = silent

    @cached_property
    def analysis(self) -> Analysis:
        return Analysis.of(self.values)

    @property
    def identity(self) -> Mapping[str, str]:
        analyzer = self.analysis.as_text
        return {"corpus": self.corpus.content_hash, "analyzer": analyzer, **self.analysis.libraries}

    @property
    def notes(self) -> Mapping[str, str]:
        """Where the index is, once it is built, if it is not in memory; and whether it was damaged."""
        counts = self.__dict__.get("_counts", [])
        notes = {}
        large = [counted.index.size for counted in counts if not counted.index.in_memory]
        if large:
            notes["index"] = f"{told(len(self.corpus), sum(large))} on disk, in the cache"
        if any(counted.rebuilt for counted in counts):
            notes["rebuilt"] = "the index in the cache was damaged and was made again"
        return notes

    def prepare(self) -> None:
        """Builds the index, so that the first query does not pay for it."""
        _ = self._scorer, places_of(self.corpus)

    @cached_property
    def _counts(self) -> list[Counted]:
        return [counts_of(self.corpus, field, self.analysis, self.cache, self.progress) for field in self.weights]

    @cached_property
    def _scorer(self) -> Bm25:
        return scorer(len(self.corpus), self._counts, list(self.weights.values()), self.values)

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        try:
            return [self._best(query.text, depth) for query in queries]
        except (OSError, DamagedIndex) as error:
            if all(counted.index.in_memory for counted in self._counts):
                raise
            raise InputError(
                f"The index of {self.corpus.name} in the cache cannot be read: {error}. Run again."
            ) from None

    def _best(self, text: str, depth: int) -> Ranking:
        terms = self.analysis.terms(text)
        having = self._scorer.having(terms)
        known = having > 0
        terms = [term for term, is_known in zip(terms, known.tolist(), strict=True) if is_known]
        if not terms:
            return NOTHING
        rarity = _rarity(having[known], len(self.corpus), self.values["variant"])
        places, scores = self._scorer.best(terms, rarity, places_of(self.corpus), depth)
        return Ranking(tuple(self.corpus.doc_ids[i] for i in places.tolist()), scores)


def weights_of(fields: str | None, corpus: Corpus) -> dict[str, float]:
    """The weight of each field of the corpus that counts: all of them, once, where nothing was said."""
    if fields is None:
        return dict.fromkeys(corpus.fields, 1.0)
    weights: dict[str, float] = {}
    for part in fields.split():
        name, _, weight = part.partition("^")
        if name not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", name, corpus.fields)
        weights[name] = float(weight or 1)
    return weights


def open_bm25(values: Values, ground: Ground) -> _Bm25Searcher:
    """Checks that the libraries and the fields are there; the index is built by `prepare` or the first search."""
    corpus = ground.documents("bm25")
    weights = weights_of(values["fields"], corpus)
    searcher = _Bm25Searcher(corpus, ground.cache, values, weights, ground.progress)
    _ = searcher.analysis.libraries
    return searcher


OFFERS = (
    Engine(
        name="bm25",
        page=__doc__,
        params=PARAMS,
        open=open_bm25,
        needs=frozenset({"corpus"}),
        extra="stack",
    ),
)
