"""What learned fusion sees of a document for a query: what each pipeline says of it, and a few counts of the texts.

For each pipeline, by its number from 1 on:

    1.score            its score; missing where the pipeline does not have the document
    1.minmax           the score from 0 for the last to 1 for the first of the query; 0 where it is not there
    1.reciprocal_rank  1 / rank; 0 where it is not there
    1.present          whether it is there

Where there are texts, for the query, for the document, and for both:

    query.words, query.characters
    FIELD.words        how many words the field has
    FIELD.share        the share of the query's different words that the field has
    words.share        the share that any field has
    numbers.share      the share of the query's different numbers that any field has; missing where it has none

A document without a text has missing values there. `base` is where learning begins: the sum of 60 / (60 + rank), which
orders as reciprocal rank fusion does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.stages._scores import minmax

OF_PIPELINE: Final = ("score", "minmax", "reciprocal_rank", "present")
_WORD = re.compile(r"\w+")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_K: Final = 60


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """The documents of one query, a row of `features` for each, and the score that each begins with."""

    doc_ids: tuple[str, ...]
    features: NDArray[np.float64]
    base: NDArray[np.float64]

    def ranked(self, learned: NDArray[np.float64]) -> Ranking:
        """The documents by what was learned on top of where they began."""
        return Ranking.of(self.doc_ids, np.round(self.base + learned, 9))


@dataclass(frozen=True, eq=False)
class LtrFeatures:
    """Features for so many pipelines. `fields` are of the corpus; both None where no text is read."""

    pipelines: int
    corpus: Corpus | None
    fields: tuple[str, ...]

    @cached_property
    def names(self) -> tuple[str, ...]:
        """In the order of the columns."""
        names = [f"{i}.{what}" for i in range(1, self.pipelines + 1) for what in OF_PIPELINE]
        if self.corpus is not None:
            names += ["query.words", "query.characters"]
            names += [f"{field}.{what}" for field in self.fields for what in ("words", "share")]
            names += ["words.share", "numbers.share"]
        return tuple(names)

    def of(self, query: Query, rankings: Sequence[Ranking], depth: int) -> Candidates:
        """Every document among the first `depth` of a ranking."""
        heads = [Ranking(r.doc_ids[:depth], r.scores[:depth], r.text_ids) for r in rankings]
        docs = tuple(dict.fromkeys(doc for ranking in heads for doc in ranking.doc_ids))
        place = {doc: i for i, doc in enumerate(docs)}
        features = np.full((len(docs), len(self.names)), math.nan)
        base = np.zeros(len(docs))
        for number, ranking in enumerate(heads):
            rows = [place[doc] for doc in ranking.doc_ids]
            ranks = np.arange(1, len(rows) + 1)
            columns = features[:, number * len(OF_PIPELINE) : (number + 1) * len(OF_PIPELINE)]
            columns[:, 1:] = 0.0
            columns[rows] = np.column_stack([ranking.scores, minmax(ranking.scores), 1 / ranks, np.ones(len(rows))])
            base[rows] += _K / (_K + ranks)
        if self.corpus is not None and docs:
            texts = {doc: text for ranking in reversed(heads) for doc, text in ranking.text_ids.items()}
            features[:, self.pipelines * len(OF_PIPELINE) :] = self._of_texts(query, [texts.get(d, d) for d in docs])
        return Candidates(docs, features, base)

    def _of_texts(self, query: Query, text_ids: Sequence[str]) -> NDArray[np.float64]:
        assert self.corpus is not None
        asked = set(_words(query.text))
        numbers = set(_NUMBER.findall(query.text))
        columns = [self.corpus.fields[field] for field in self.fields]
        rows = np.full((len(text_ids), 2 * len(columns) + 4), math.nan)
        rows[:, :2] = len(_words(query.text)), len(query.text)
        for row, text_id in zip(rows, text_ids, strict=True):
            at = self.corpus.place.get(text_id)
            if at is None:
                continue
            texts = [column[at] for column in columns]
            words = [_words(text) for text in texts]
            shares = [_share(asked, set(of_field)) for of_field in words]
            row[2:-2] = [value for pair in zip(map(len, words), shares, strict=True) for value in pair]
            has = {number for text in texts for number in _NUMBER.findall(text)}
            row[-2:] = _share(asked, set().union(*words)), _share(numbers, has)
        return rows


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _share(asked: set[str], there: set[str]) -> float:
    return len(asked & there) / len(asked) if asked else math.nan
