"""Reranks the head of a ranking by a cross-encoder, which reads the query and a passage together.

The model is 'shop-cross-encoder' (the project's own, for product search, in the package packages/shop_cross_encoder of
its repository), a folder with model.onnx (or onnx/model.onnx), tokenizer.json and config.json, or a name on the Hugging
Face hub such as 'cross-encoder/ms-marco-MiniLM-L6-v2'. Its graph takes input_ids and maybe attention_mask and
token_type_ids. The score is the logit of its one label, or, with two labels, that of the second ("relevant") less that
of the first. Query and passage are cut together to `length` tokens, the longer one first.

Pairs with equally many tokens run together, so nothing is padded and a score depends on nothing but its own pair. A
document that has no text, or whose score is not a number, keeps its place and is counted as a failure. No document is
lost, and nothing below `depth` moves. Scores are kept in the cache, for each query and text: another depth, or the same
benchmark again, pays only for pairs that were never read. The time of a query counts what its kept pairs took when they
were read. `weight` mixes the new scores with the incoming ones, each brought to 0 to 1
over the head: 1 (the default) is the new scores alone.

assumes: texts in the language and of the kind the model was trained on
source: Nogueira and Cho, Passage re-ranking with BERT, arXiv 1901.04085, 2019
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.cache import Cache
from rankproof.kernel.specs.kinds import REQUIRED, Number, Param, Text, Texts, Whole
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Passed, Ranking
from rankproof.stack.records import Ground, Values
from rankproof.stack.stages._cross_encoder import CrossEncoder
from rankproof.stack.stages._scores import mixed, passages, refuse_fields
from rankproof.stack.stages.contract import Stage, rerank_head

# There is an entry for each query, under a key of the model's files, what runs them, where pairs are cut, and the words
# of the query. It holds the score of each passage by the hash of its text, so another depth or another engine before it
# pays only for passages that the query has not met, and a changed text cannot meet an old score. What a pair took, its
# share of the time of all that were read with it, is kept beside its score.


if TYPE_CHECKING:
    from rankproof.stack.stages._cross_encoder import CrossEncoder


_ENTRY = np.dtype([("passage", "V16"), ("score", "<f8"), ("milliseconds", "<f8")])


class KeptScores:
    """The scores of a model, from the cache where they are there."""

    def __init__(self, model: CrossEncoder, batch: int, cache: Cache) -> None:
        self._model, self._batch, self._cache = model, batch, cache

    def __call__(self, query: str, passages: Sequence[str]) -> tuple[NDArray[np.float64], float]:
        """How well each passage fits, NaN where the model gives no number; and what those that were kept took once."""
        key = sha256(f"cross-encoder 1\n{self._model.settings}\n".encode() + _bytes(query)).hexdigest()
        known = _read(self._cache.get(key))
        hashes = [sha256(_bytes(passage)).digest()[:16] for passage in passages]
        saved = sum(known[h][1] for h in set(hashes) if h in known)
        new = {h: passage for h, passage in zip(hashes, passages, strict=True) if h not in known}
        if new:
            began = time.perf_counter()
            scores = self._model.scores(query, list(new.values()), self._batch)
            each = 1000 * (time.perf_counter() - began) / len(new)
            known.update((h, (score, each)) for h, score in zip(new, scores.tolist(), strict=True))
            whole = [(h, *entry) for h, entry in known.items() if np.isfinite(entry[0])]
            self._cache.put(key, np.array(whole, dtype=_ENTRY).tobytes())
        return np.array([known[h][0] for h in hashes], dtype=np.float64), saved


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _read(data: bytes | None) -> dict[bytes, tuple[float, float]]:
    """Score and milliseconds by the hash of the passage."""
    if data is None or len(data) % _ENTRY.itemsize:
        return {}
    entries = np.frombuffer(data, dtype=_ENTRY)
    hashes, columns = entries["passage"], (entries["score"].tolist(), entries["milliseconds"].tolist())
    return dict(zip((bytes(h) for h in hashes), zip(*columns, strict=True), strict=True))


NAME = "rerank_cross_encoder"
_CHARACTERS_OF_A_TOKEN = 40  # no tokenizer reads more in one, so the rest of a long text need not be tokenized


class CrossEncoderRerank:
    """The stage, opened."""

    def __init__(self, values: Values, ground: Ground, model: CrossEncoder, tokens: int) -> None:
        self._values, self._model = values, model
        self._scores = KeptScores(model, values["batch"], ground.cache)
        self._characters = _CHARACTERS_OF_A_TOKEN * tokens
        self._corpus = ground.documents(NAME)

    @property
    def identity(self) -> Mapping[str, str]:
        """Which model, and which texts it reads."""
        return {"model": f"sha256:{self._model.identity}", "corpus": self._corpus.content_hash}

    def prepare(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> None:
        """Runs the graph once: its first run is slower than any that follow."""
        for query, (ranking,) in list(zip(queries, rankings, strict=True))[:1]:
            first = ranking.read_as(ranking.doc_ids[:1])
            texts = passages(self._corpus, first, self._values["fields"], self._characters)
            self._model.scores(query.text, [text for text in texts if text is not None], 1)

    def apply(self, queries: Sequence[Query], rankings: Sequence[Sequence[Ranking]]) -> list[Passed]:
        """Each ranking with its head reranked."""
        return [self._one(query, ranking) for query, (ranking,) in zip(queries, rankings, strict=True)]

    def _one(self, query: Query, incoming: Ranking) -> Passed:
        head = incoming.doc_ids[: self._values["depth"]]
        texts = passages(self._corpus, incoming.read_as(head), self._values["fields"], self._characters)
        read = [text for text in texts if text is not None]
        new, saved = self._scores(query.text, read)
        next_scores = iter(new.tolist())
        scores: list[float | None] = []
        failures = []
        for doc, text in zip(head, texts, strict=True):
            score = None if text is None else next(next_scores)
            if score is None:
                failures.append(Failure(query.query_id, NAME, "no text", f"the corpus has no document {doc!r}"))
            elif not math.isfinite(score):
                failures.append(Failure(query.query_id, NAME, "no number", f"document {doc}: the model gave {score}"))
                score = None
            scores.append(score)
        ranking = rerank_head(incoming, len(head), mixed(incoming, scores, self._values["weight"]))
        return Passed(ranking, tuple(failures), saved=saved)


def open_rerank(values: Values, ground: Ground) -> CrossEncoderRerank:
    """Finds and loads the model; what is wrong with it is said before anything runs."""
    from rankproof.stack.stages._cross_encoder import CrossEncoder, find_folder

    refuse_fields(NAME, ground.documents(NAME), values["fields"])
    folder = find_folder(values["model"], ground.folder)
    model = CrossEncoder(folder, values["length"], ground.threads)
    return CrossEncoderRerank(values, ground, model, min(values["length"] or folder.tokens, folder.tokens))


OFFERS = (
    Stage(
        name=NAME,
        page=__doc__,
        params=(
            Param("model", Text(), REQUIRED, "'shop-cross-encoder', a folder with an ONNX model, or a name on the hub"),
            Param("depth", Whole(), 50, "how many of the first are reranked"),
            Param("weight", Number(0, 1), 1.0, "share of the new score; the rest is the incoming one's"),
            Param("batch", Whole(), 32, "pairs that run together at most"),
            Param("length", Whole(8), None, "most tokens of a pair; as the model says when nothing is said"),
            Param("fields", Texts(), None, "the fields that are read; all where none is named"),
        ),
        open=open_rerank,
        takes="one",
        keeps="set",
        depth="depth",
        needs=frozenset({"corpus"}),
        extra="stack",
    ),
)
