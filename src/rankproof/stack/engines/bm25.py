"""BM25 over the words of the documents, in memory, with bm25s.

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
arithmetic. The defaults are bm25s's own (k1 1.5, b 0.75, Lucene's variant, its list of 33 English stop words) with
Snowball's English stemmer, as in its own examples; they were not tuned on anything.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import UnknownName
from rankproof.kernel.cache import Cache
from rankproof.kernel.specs.kinds import Choice, Number, Param
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines._terms import ANALYSIS_PARAMS, Analysis, TermCounts, bm25s, weighted
from rankproof.stack.engines.contract import Engine
from rankproof.stack.records import Ground, Values

VARIANTS = ("lucene", "robertson", "atire", "bm25l", "bm25+")


def impacts(counts: TermCounts, variant: str, k1: float, b: float, delta: float) -> NDArray[np.float64]:
    """The part of the sum over terms that each occurrence makes, by table 1 of Kamphuis et al. (2020).

    BM25L and BM25+ add over the terms that query and document share, as Lv and Zhai define them: a term that a
    document lacks adds nothing.
    """
    n = len(counts.length)
    tf = counts.often
    mean = float(counts.length.sum()) / max(n, 1)
    # 1 - b + b L / mean: a document of mean length has 1.
    long = 1 - b + b * counts.length[counts.doc] / mean
    df = np.diff(counts.start)
    if variant == "bm25l":
        c = tf / long + delta
        part = (k1 + 1) * c / (k1 + c)
    elif variant == "bm25+":
        part = (k1 + 1) * tf / (k1 * long + tf) + delta
    elif variant == "atire":
        part = (k1 + 1) * tf / (k1 * long + tf)
    else:
        part = tf / (k1 * long + tf)
    return part * np.repeat(_rarity(df, n, variant), df)


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

    @cached_property
    def analysis(self) -> Analysis:
        return Analysis.of(self.values)

    @property
    def identity(self) -> Mapping[str, str]:
        return {"corpus": self.corpus.content_hash, **self.analysis.libraries}

    def prepare(self) -> None:
        """Builds the index, so that the first query does not pay for it."""
        _ = self._index

    @cached_property
    def _index(self) -> tuple[dict[str, int], Any]:
        """The number of each term, and bm25s holding what every term adds to every document."""
        counts: TermCounts = weighted(self.corpus, self.weights, self.analysis, self.cache)
        values = self.values
        data = impacts(counts, values["variant"], values["k1"], values["b"], values["delta"])
        index = bm25s().BM25(dtype="float64")
        index.nonoccurrence_array = None
        index.scores = {"data": data, "indices": counts.doc, "indptr": counts.start, "num_docs": len(self.corpus)}
        return {term: i for i, term in enumerate(counts.terms)}, index

    @cached_property
    def _by_id(self) -> NDArray[np.int64]:
        """The place of each document when ids descend, by which ties are broken."""
        by_id = np.argsort([doc.encode("utf-8", "surrogateescape") for doc in self.corpus.doc_ids], kind="stable")[::-1]
        place = np.empty(len(by_id), dtype=np.int64)
        place[by_id] = np.arange(len(by_id))
        return place

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        known, index = self._index
        rankings = []
        for terms in self.analysis.terms([query.text for query in queries]):
            numbers = [known[term] for term in terms if term in known]
            rankings.append(self._best(index.get_scores_from_ids(numbers), depth) if numbers else _NOTHING)
        return rankings

    def _best(self, scores: NDArray[np.float64], depth: int) -> Ranking:
        places = np.flatnonzero(scores > 0)
        if len(places) > depth:
            # Of documents tied at the last place the ids decide, so all of them must be at hand.
            last = np.partition(scores[places], -depth)[-depth]
            places = places[scores[places] >= last]
        places = places[np.lexsort((self._by_id[places], -scores[places]))][:depth]
        return Ranking(tuple(self.corpus.doc_ids[i] for i in places.tolist()), scores[places])


_NOTHING = Ranking((), np.empty(0))


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
    searcher = _Bm25Searcher(corpus, ground.cache, values, weights_of(values["fields"], corpus))
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
