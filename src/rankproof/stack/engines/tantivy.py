"""BM25 of Tantivy, the search library in Rust, over an index that is built for the benchmark.

The formula is Lucene's with k1 = 1.2 and b = 0.75, which Tantivy does not let one choose; as in Lucene, the length of a
document is kept in one byte, so that long lengths are rounded. Documents that share no word with the query are not
results, and a word that stands twice in the query counts twice.

The analyzer is Tantivy's own: `simple` words (letters and digits, split at everything else), without words of more than
40 bytes, in small letters, without stop words where `stop_words` says so, and stemmed. With the defaults it is what
Tantivy calls en_stem. The identity of the answers names it. The engine bm25 drops single letters and 33 English words,
which this one keeps.

Without `fields` all fields of a document are one text. With them each is indexed on its own, and a document's score is
the sum of its scores in the fields times their weights, as Tantivy's query parser adds them up; bm25 weighs inside of
the formula. Queries are words and never a query language: quotes, operators and wildcards in them mean nothing.

The index lies in a temporary folder that is removed with the engine, or in the folder `path`, where `rankproof index`
fills it once; there texts are stored too, so that they can be read back. Its size is noted. Tantivy has scores of 32
bits, which are rounded to six digits, so that documents with the same words tie.

shown on: in this process, tantivy 0.27.0, in every run of the tests
assumes: words are separated by something that is neither letter nor digit
source: https://github.com/quickwit-oss/tantivy; BM25: Robertson and Zaragoza, FnTIR 3(4), 2009; Kamphuis et al., Which
    BM25 Do You Mean?, ECIR 2020 (Lucene)

Three documents of two words each, so that length does not matter. "tent" is in two of them: its rarity is
ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = 0.4700, and one of it makes (1.2 + 1) / (1 + 1.2) = 1 of that:

>>> from rankproof.testing import searched
>>> searched("tantivy", {"a": "red tent", "b": "green tent", "c": "red lamp"}, "tents")
{'b': 0.47, 'a': 0.47}
>>> searched("tantivy", {"a": "red tent", "b": "green tent", "c": "red lamp"}, '" AND -tent*')
{'b': 0.47, 'a': 0.47}
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from rankproof.errors import InputError
from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.engines._in_process import NOTHING, Once, holdable, numbered, significant, told
from rankproof.stack.engines._kept_index import PATH, folder_size
from rankproof.stack.engines._kinds import Fields
from rankproof.stack.engines._tantivy_index import (
    ANALYZER,
    STEMMERS,
    STOP_LISTS,
    TantivyFiller,
    TantivyLayout,
    tantivy,
)
from rankproof.stack.engines.contract import Engine
from rankproof.stack.filling import FillRequest, Fills, seconds_of
from rankproof.stack.records import Ground, Values

if TYPE_CHECKING:
    from tantivy import Schema, Searcher

DIGITS = 6  # of 32-bit scores

PARAMS = (
    Param("stemming", Choice(STEMMERS), "english", "Snowball algorithm that takes words to their stems, or none"),
    Param("stop_words", Choice(STOP_LISTS), "none", "list of words that are left out, or none"),
    Param(
        "fields", Fields(), None, "fields with weights, such as 'title^3 text'; all as one text when nothing is said"
    ),
    PATH,
)


@dataclass(frozen=True, eq=False)
class _Index:
    """The index on disk. `folder` is where it lies; `temporary` is removed when nobody holds it any more."""

    folder: str
    temporary: TemporaryDirectory[str] | None
    schema: Schema
    searcher: Searcher
    names: tuple[tuple[str, float], ...]
    places: tuple[int, ...]

    @property
    def size(self) -> int:
        """The bytes of its files."""
        return folder_size(self.folder)


class _TantivySearcher:
    def __init__(self, corpus: Corpus, values: Values, ground: Ground) -> None:
        self._layout, self._progress = TantivyLayout(corpus, values), ground.progress
        self._corpus, self._filled, self._seconds = corpus, None, None
        if values["path"] is not None:
            self._filled = TantivyFiller(FillRequest("tantivy", {"": values}, {}, ground))
            self._seconds = seconds_of(self._filled.require())
        self._once = Once(self._build if self._filled is None else self._open)

    @property
    def identity(self) -> Mapping[str, str]:
        return {"corpus": self._corpus.content_hash, "tantivy": version("tantivy"), "analyzer": self._layout.analysis}

    @property
    def notes(self) -> Mapping[str, str]:
        """The size of the index, once it is built."""
        built = self._once.built
        return {} if built is None else {"index": told(len(self._corpus), built.index.size)}

    @property
    def observed(self) -> Mapping[str, float]:
        """The time that building took, or filling it by `rankproof index`."""
        built = self._once.built
        if built is None:
            return {}
        seconds = built.seconds if self._filled is None else self._seconds
        counts = {"index_documents": float(len(self._corpus)), "index_bytes": float(built.index.size)}
        return counts if seconds is None else {**counts, "index_seconds": seconds}

    def prepare(self) -> None:
        """Builds the index, so that the first query does not pay for it."""
        self._once()

    def search(self, queries: Sequence[Query], depth: int) -> list[Ranking]:
        index = self._once()
        return [self._one(index, self._words(query.text), depth) for query in queries]

    def _words(self, text: str) -> Counter[str]:
        return Counter(self._layout.analyzer.analyze(holdable(text)))

    # ---- index ---------------------------------------------------------------------------------

    def _open(self) -> _Index:
        """The index that is kept."""
        assert self._filled is not None
        folder = self._filled.data
        try:
            index = tantivy().Index.open(folder)
            index.register_tokenizer(ANALYZER, self._layout.analyzer)
            index.reload()
            searcher = index.searcher()
        except (OSError, ValueError) as error:
            raise InputError(
                f"{self._filled.name} cannot be read: {error}. Make it anew: rankproof index CONFIG --replace"
            ) from None
        return _Index(folder, None, index.schema, searcher, self._layout.names, numbered(self._corpus.doc_ids))

    def _build(self) -> _Index:
        made, layout, places = tantivy(), self._layout, numbered(self._corpus.doc_ids)
        schema, columns = layout.schema(stored=False), layout.columns
        folder = TemporaryDirectory(prefix="rankproof-tantivy-", ignore_cleanup_errors=True)
        index = made.Index(schema, path=folder.name)
        index.register_tokenizer(ANALYZER, layout.analyzer)
        # One thread, so that the same documents give the same index.
        writer = index.writer(num_threads=1)
        for number, place in enumerate(places):
            document = made.Document()
            document.add_unsigned("number", number)
            for name, texts in columns.items():
                document.add_text(name, holdable(texts[place]))
            writer.add_document(document)
            self._progress("tantivy: indexing document", number + 1, len(places))
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return _Index(folder.name, folder, schema, index.searcher(), layout.names, places)

    # ---- search --------------------------------------------------------------------------------

    def _one(self, index: _Index, words: Counter[str], depth: int) -> Ranking:
        if not words or not index.places:
            return NOTHING
        made = tantivy()
        query = made.Query.boolean_query(
            [
                (
                    made.Occur.Should,
                    made.Query.boost_query(
                        made.Query.term_query(index.schema, name, word, index_option="freq"), weight * often
                    ),
                )
                for word, often in words.items()
                for name, weight in index.names
            ]
        )
        limit = min(depth + 1, len(index.places))
        while True:
            # It counts all matches: where it does not, what it leaves out early changes the last digits of scores.
            hits = index.searcher.search(query, limit, count=True).hits
            scores = significant((score for score, _ in hits), DIGITS)
            if len(hits) < limit or limit == len(index.places) or scores[-1] < scores[depth - 1]:
                break
            # All that tie with the last one must be at hand: which of them stays is for their ids to say.
            limit = min(4 * limit, len(index.places))
        numbers = index.searcher.fast_field_values("number", [address for _, address in hits])
        best = sorted(zip((-scores).tolist(), numbers, strict=True))[:depth]
        return Ranking(
            tuple(self._corpus.doc_ids[index.places[number]] for _, number in best),
            np.array([-score for score, _ in best]),
        )


def open_tantivy(values: Values, ground: Ground) -> _TantivySearcher:
    """Checks that the library and the fields are there; the index is built by `prepare` or the first search."""
    corpus = ground.documents("tantivy")
    searcher = _TantivySearcher(corpus, values, ground)
    tantivy()
    return searcher


OFFERS = (
    Engine(
        name="tantivy",
        page=__doc__,
        params=PARAMS,
        open=open_tantivy,
        needs=frozenset({"corpus"}),
        extra="all",
        fills=Fills(("path",), TantivyFiller),
    ),
)
