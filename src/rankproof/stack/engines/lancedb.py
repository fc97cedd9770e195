"""LanceDB in this process: vectors compared one by one, or its full-text search.

`mode="vector"` (the default) compares the vector of the query with that of every document, without an index: what the
engine dense finds by exact search, up to the last of six decimals. Vectors are made by a `model`, as in dense.

`mode="text"` matches documents that have any word of the query and orders them by BM25. The formula is Lucene's with
k1 = 1.2 and b = 0.75, which LanceDB does not let one choose, times k1 + 1; documents without a word are not counted
among the documents. All fields are one text, and a word that stands twice in the query counts twice. Words are found
by a `tokenizer` of LanceDB: `simple` splits at all that is neither letter nor digit, `whitespace` at blanks, `icu` as
Unicode has it, which languages without blanks need, and `ngram` takes parts of three letters. Words of more than 40
bytes are left out, letters are made small and accents taken off. Stemming and stop words are of one language, or none.
Queries are words and never a query language.

The table is in memory and is made anew for each benchmark; nothing is written to a disk. The approximate indexes of
LanceDB (IVF) are not offered: they learn their cells from a random sample.

shown on: in this process, lancedb 0.40.0, by `make test-full`
assumes: mode="text" with its defaults: English
source: https://lancedb.github.io/lancedb/; BM25: Robertson and Zaragoza, FnTIR 3(4), 2009; Kamphuis et al., Which BM25
    Do You Mean?, ECIR 2020 (Lucene)

Three documents of two words each. "tent" is in two of them: its rarity is ln(1 + (3 - 2 + 0.5) / (2 + 0.5)) = 0.4700,
and one of it makes (1.2 + 1) / (1 + 1.2) = 1 of that:

>>> from rankproof.testing import searched
>>> texts = {"a": "red tent", "b": "green tent", "c": "red lamp"}
>>> searched("lancedb", texts, "tents", mode="text")
{'b': 0.47, 'a': 0.47}
>>> list(searched("lancedb", texts, "a green tent", model="wordllama"))
['b', 'a', 'c']
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from types import ModuleType

import numpy as np

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel.libraries import library
from rankproof.kernel.specs.kinds import Choice, Param
from rankproof.reading.collection import Corpus, Query
from rankproof.stack.engines._encoded import open_encoded
from rankproof.stack.engines._in_process import Hits, Scores, holdable, significant
from rankproof.stack.engines._nearest import NEAREST_PARAMS, IndexSearcher, VectorSource
from rankproof.stack.engines.contract import Engine
from rankproof.stack.models.encoder import Vectors
from rankproof.stack.records import Ground, Values

LANGUAGES = (
    "none", "arabic", "danish", "dutch", "english", "finnish", "french", "german", "greek", "hungarian", "italian",
    "norwegian", "portuguese", "romanian", "russian", "spanish", "swedish", "tamil", "turkish",
)  # fmt: skip
TOKENIZERS = ("simple", "whitespace", "icu", "ngram")
DIGITS = 6  # of 32-bit scores

PARAMS = (
    Param("mode", Choice(("vector", "text")), "vector", "what is compared"),
    *NEAREST_PARAMS,
    Param("tokenizer", Choice(TOKENIZERS), "simple", "text: what finds words"),
    Param("stemming", Choice(LANGUAGES), "english", "text: language whose words are taken to their stems, or none"),
    Param("stop_words", Choice(LANGUAGES), "none", "text: language whose commonest words are left out, or none"),
)


def lancedb() -> ModuleType:
    """The library."""
    return library("lancedb", "The engine lancedb")


class _LanceTable:
    """A table in memory."""

    def __init__(self, columns: Mapping[str, object]) -> None:
        made = library("pyarrow", "The engine lancedb")
        self.table = lancedb().connect("memory://").create_table("docs", made.table(columns))

    @property
    def size(self) -> int:
        """The bytes of its data and of its index."""
        return int(self.table.stats()["total_bytes"])


class _VectorTable(_LanceTable):
    def __init__(self, vectors: Vectors, similarity: str) -> None:
        made = library("pyarrow", "The engine lancedb")
        flat = made.array(np.ascontiguousarray(vectors, "<f4").ravel())
        array = made.FixedSizeListArray.from_arrays(flat, vectors.shape[1])
        super().__init__({"number": made.array(np.arange(len(vectors))), "vector": array})
        self._similarity = similarity

    def nearest(self, vector: Vectors, limit: int) -> Hits:
        asked = self.table.search(vector, vector_column_name="vector").distance_type(self._similarity)
        found = asked.bypass_vector_index().limit(limit).select(["number", "_distance"]).to_arrow()
        # It gives 1 less the cosine, and 1 less the product.
        return found["number"].to_pylist(), [1 - distance for distance in found["_distance"].to_pylist()]


LONGEST_WORD = 40
_LANGUAGES = {"stop_words": "stopword", "stemming": "stemmer"}


class _TextTable(_LanceTable):
    def __init__(self, texts: Sequence[str], values: Values) -> None:
        made = library("pyarrow", "The engine lancedb")
        super().__init__({"number": made.array(np.arange(len(texts))), "text": made.array(texts, made.string())})
        said = [values[name] for name in ("stemming", "stop_words") if values[name] != "none"]
        index = library("lancedb.index", "The engine lancedb").FTS(
            base_tokenizer=values["tokenizer"],
            language=(said or ["english"])[0].capitalize(),
            stem=values["stemming"] != "none",
            remove_stop_words=values["stop_words"] != "none",
            lower_case=True,
            ascii_folding=True,
            max_token_length=LONGEST_WORD,
            num_workers=1,  # one part: the numbers of documents are then those of the whole
        )
        self.table.create_index("text", config=index)
        self._query = library("lancedb.query", "The engine lancedb").MatchQuery

    def matching(self, text: str, limit: int) -> Hits:
        """The best for some words."""
        asked = self.table.search(self._query(text, "text"), query_type="fts")
        found = asked.limit(limit).select(["number", "_score"]).to_arrow()
        return found["number"].to_pylist(), found["_score"].to_pylist()


class _TextSource:
    def __init__(self, corpus: Corpus, values: Values) -> None:
        self._corpus, self._values = corpus, values

    @property
    def identity(self) -> Mapping[str, str]:
        values = self._values
        parts = [values["tokenizer"], f"remove_long({LONGEST_WORD})", "lowercase", "ascii_folding"]
        parts += [f"{what}({values[name]})" for name, what in _LANGUAGES.items() if values[name] != "none"]
        return {"corpus": self._corpus.content_hash, "analyzer": ", ".join(parts)}

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return self._corpus.doc_ids

    def build(self, places: tuple[int, ...]) -> _TextTable:
        texts = self._corpus.texts(self._values["fields"])
        return _TextTable([holdable(texts[place]) for place in places], self._values)

    def asked(self, index: _TextTable, query: Query) -> Callable[[int], Hits] | None:
        text = holdable(query.text)
        return (lambda limit: index.matching(text, limit)) if text.strip() else None

    def rounded(self, scores: Sequence[float]) -> Scores:
        return significant(scores, DIGITS)


def open_lancedb(values: Values, ground: Ground) -> IndexSearcher[_VectorTable] | IndexSearcher[_TextTable]:
    """Checks that libraries, model and fields are there; the table is built by `prepare` or the first search."""
    corpus = ground.documents("lancedb")
    for name in values["fields"] or ():
        if name not in corpus.fields:
            raise UnknownName(f"field of {corpus.name}", name, corpus.fields)
    said = {name: values[name] for name in ("stemming", "stop_words") if values[name] != "none"}
    if len(set(said.values())) > 1:
        raise UsageError(
            f"lancedb: stemming={said['stemming']!r} and stop_words={said['stop_words']!r} are two languages, and "
            "LanceDB's index has one. Say the same language for both, or 'none' for one of them."
        )
    lancedb()
    versions = {"lancedb": version("lancedb")}
    if values["mode"] == "text":
        return IndexSearcher(_TextSource(corpus, values), versions)
    encoded = open_encoded("lancedb", values, ground)
    return IndexSearcher(VectorSource(encoded, lambda vectors: _VectorTable(vectors, values["similarity"])), versions)


OFFERS = (
    Engine(
        name="lancedb",
        page=__doc__,
        params=PARAMS,
        open=open_lancedb,
        needs=frozenset({"corpus"}),
    ),
)
