"""Evaluators for training with sentence-transformers: its own, with numbers and tests of rankproof.

    evaluator = RetrievalEvaluator(queries, corpus, qrels, name="dev")
    SentenceTransformerTrainer(model=model, args=args, train_dataset=..., loss=..., evaluator=evaluator)

Needs `pip install sentence-transformers`. Embedding, search, options, keys, CSV and predictions are those of the
library's evaluators, which these extend; each number is one of `rankproof.evaluate`, and from the second evaluation on
the model is compared with what it was (`against`).
"""

from __future__ import annotations

import csv
import logging
import math
import os
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from rankproof.errors import InputError, UsageError
from rankproof.integrations.checkpoints import (
    FIRST,
    Checkpoint,
    Checkpoints,
    library_measure,
    relevant_judgments,
)
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted, some
from rankproof.measuring.evaluate import Measures
from rankproof.measuring.names import parse
from rankproof.proving.records import Design
from rankproof.reading.collect import read_topics
from rankproof.reading.datasets.documents import ID_FIELDS
from rankproof.reading.hugging_face import is_dataset, unwrapped

logger = logging.getLogger(__name__)
BASE = "base"


def _evaluator(name: str) -> Any:
    """A class of the library, which moved its evaluators in version 6."""
    library("sentence_transformers", "An evaluator for training")
    moved = find_spec("sentence_transformers.sentence_transformer") is not None
    part = "cross_encoder." if name.startswith("CrossEncoder") else "sentence_transformer." if moved else ""
    return getattr(import_module(f"sentence_transformers.{part}evaluation"), name)


if TYPE_CHECKING:
    from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator as _CrossEncoderReranking
    from sentence_transformers.evaluation import InformationRetrievalEvaluator as _InformationRetrieval
else:
    _InformationRetrieval = _evaluator("InformationRetrievalEvaluator")
    _CrossEncoderReranking = _evaluator("CrossEncoderRerankingEvaluator")


class RetrievalEvaluator(_InformationRetrieval):
    """InformationRetrievalEvaluator of sentence-transformers with rankproof's numbers and tests.

    queries   {query_id: text}, a file, or a dataset of Hugging Face
    corpus    {doc_id: text}, or such a dataset; a title stands before its text, as in BEIR
    qrels     judgments in any form that `rankproof.evaluate` takes, grades included
    measures  further measures, each with a cutoff: "nDCG(gain=exp2)@10 RBP@50"
    tested    the measures that are tested; nDCG at the greatest of `ndcg_at_k` where none is named
    against   what the model is compared with: "first" (evaluation), "previous", an evaluation, a saved report or a run
    looks     how many evaluations are planned, so that their intervals hold together; 1: each is read by itself
    options   what InformationRetrievalEvaluator takes: name, ndcg_at_k, batch_size, query_prompt, write_csv, ...
    """

    def __init__(
        self,
        queries: Any,
        corpus: Any,
        qrels: Any,
        measures: Measures = "",
        *,
        tested: Measures = "",
        against: object = FIRST,
        looks: int = 1,
        design: Design | None = None,
        **options: Any,
    ) -> None:
        texts, documents = _texts(queries, "queries"), _texts(corpus, "corpus")
        judged = relevant_judgments(qrels)
        if lacking := [query for query in judged if query not in texts]:
            raise InputError(
                f"`queries` has no text of {counted(len(lacking), 'judged query', 'judged queries')}: {some(lacking)}. "
                "Give each a text, or leave its judgments out."
            )
        relevant = {query: {doc for doc, grade in docs.items() if grade > 0} for query, docs in judged.items()}
        super().__init__({query: texts[query] for query in judged}, documents, relevant, **options)
        own = {library_measure(name, k): f"{name}@{k}" for name, cutoffs in self._cutoffs.items() for k in cutoffs}
        further = _within(measures, max(map(max, self._cutoffs.values())))
        every = dict.fromkeys([library_measure("ndcg", max(self.ndcg_at_k)), *own, *further])
        self._keys = {**{text: text for text in further}, **own}
        choices: dict[str, Any] = {"tested": tested, "against": against, "looks": looks, "design": design}
        self._another = partial(Checkpoints, judged, list(every), **choices)
        self._another()  # what cannot be tested is refused here, and not after an hour of training
        self.checkpoints: dict[str, Checkpoints] = {}
        self._made: list[Checkpoint] = []
        self._label = ""

    @property
    def _cutoffs(self) -> dict[str, list[int]]:
        return {
            "accuracy": self.accuracy_at_k, "precision": self.precision_recall_at_k,
            "recall": self.precision_recall_at_k, "ndcg": self.ndcg_at_k, "mrr": self.mrr_at_k, "map": self.map_at_k,
        }  # fmt: skip

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1, *args: Any, **kwargs: Any
    ) -> dict[str, float]:
        """Metrics by the library's keys, and those of the test: `..._difference`, its interval, `_better`, `_worse`."""
        self._made, self._label = [], _label(epoch, steps)
        metrics: dict[str, float] = super().__call__(model, output_path, epoch, steps, *args, **kwargs)
        for function, made in zip(self.score_functions, self._made, strict=True):
            metrics |= _named(made, self._keys, _joined(self.name, function))
            _write(made, output_path if self.write_csv else None, self.csv_file, function)
        return metrics

    def compute_metrics(self, queries_result_list: list[Any]) -> dict[str, dict[int, float]]:
        """What the library asks for each score function in turn: the values by measure and cutoff."""
        checkpoints = self.checkpoints.setdefault(list(self.score_functions)[len(self._made)], self._another())
        rankings = {
            query: _ranked([(hit["corpus_id"], hit["score"]) for hit in hits], query)
            for query, hits in zip(self.queries_ids, queries_result_list, strict=True)
        }
        made = checkpoints.add(rankings, self._label)
        self._made.append(made)
        return {
            f"{name}@k": {k: made.evaluation[library_measure(name, k)].mean for k in cutoffs}
            for name, cutoffs in self._cutoffs.items()
        }


class RerankingEvaluator(_CrossEncoderReranking):
    """CrossEncoderRerankingEvaluator of sentence-transformers with rankproof's numbers and tests.

    samples   dicts with "query", "positive" and either "negative" or "documents", these as the first stage ranked them
    measures  further measures: "P@5 AP@20"
    tested    the measures that are tested; nDCG at `at_k` where none is named
    against   as for RetrievalEvaluator; or "base", the first stage's order. Where nothing is said: "base" if every
              sample has "documents" and no positive was added that the first stage did not find, and else "first"
    looks     as for RetrievalEvaluator
    options   what CrossEncoderRerankingEvaluator takes: at_k, always_rerank_positives, name, batch_size, ...

    Documents with one score are in no order: each measure is its mean over all orders of them. A sample without a
    positive does not count. Without `always_rerank_positives`, a positive that the first stage missed is missed.
    """

    def __init__(
        self,
        samples: Any,
        measures: Measures = "",
        *,
        tested: Measures = "",
        against: object = None,
        looks: int = 1,
        design: Design | None = None,
        **options: Any,
    ) -> None:
        super().__init__(samples, **options)
        self._asked = [_sample(one, at, self.always_rerank_positives) for at, one in enumerate(self.samples, 1)]
        k = self.at_k
        self._keys = {f"nDCG@{k}": f"ndcg@{k}", f"RR@{k}": f"mrr@{k}", "AP": "map"}
        self._keys |= {variant.text: variant.text for variant in parse(measures)} if measures else {}
        judged = {one.query_id: dict.fromkeys(one.positive, 1) for one in self._asked if one.positive}
        base = {one.query_id: one.base for one in self._asked if one.positive and one.base is not None}
        make = partial(Checkpoints, judged, list(self._keys), order="score", ties="expected", tested=tested)
        self.base: Checkpoint | None = None
        if len(base) == len(judged):
            self.base = make().add({query: _falling(docs) for query, docs in base.items()}, BASE)
        asked_for_base = isinstance(against, str) and against == BASE
        if asked_for_base or against is None:
            against = self._base(asked_for_base)
        self.checkpoints = make(against=against, looks=looks, design=design)

    def _base(self, required: bool) -> object:
        """The first stage's evaluation, where it can be compared with: it had the same documents to order."""
        added = sum(one.added for one in self._asked)
        if self.base is not None and not added:
            return self.base.evaluation
        if required and self.base is None:
            raise UsageError('against="base" is the first stage\'s order: give every sample "documents".')
        if required:
            raise UsageError(
                f"The model is given {counted(added, 'positive document')} that the first stage did not find: that "
                'alone would make it better. For against="base", give always_rerank_positives=False.'
            )
        return FIRST

    def __call__(
        self, model: Any, output_path: str | None = None, epoch: float = -1, steps: int = -1
    ) -> dict[str, float]:
        """Metrics by the library's keys, `base_...` of the first stage, and those of the test."""
        asked = [one for one in self._asked if one.positive and one.documents]
        pairs = [[one.text, document] for one in asked for document in one.documents.values()]
        options = {"batch_size": self.batch_size, "show_progress_bar": self.show_progress_bar}
        if getattr(self, "prompt_name", None):  # earlier versions do not take it
            options["prompt_name"] = self.prompt_name
        scores = iter(model.predict(pairs, convert_to_numpy=True, **options).tolist() if pairs else [])
        rankings = {one.query_id: _ranked([(d, next(scores)) for d in one.documents], one.text) for one in asked}
        made = self.checkpoints.add(rankings, _label(epoch, steps))
        metrics = _named(made, self._keys, "")
        if self.base is not None:
            metrics |= {f"base_{key}": value for key, value in _named(self.base, self._keys, "").items()}
        metrics = self.prefix_name_to_metrics(metrics, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        path = output_path if self.write_csv else None
        if path is not None:
            values = [made.metrics[text] for text in ("AP", f"RR@{self.at_k}", f"nDCG@{self.at_k}")]
            _append(path, self.csv_file, [epoch, steps, *values], self.csv_headers)
        _write(made, path, self.csv_file, "")
        return dict(metrics)


class _Sample(NamedTuple):
    """A sample. A document's id is its place; `base` is None where the first stage's order is not given.

    added   how many positives are ranked that the first stage did not find
    """

    query_id: str
    text: str
    positive: list[str]
    documents: dict[str, str]
    base: list[str] | None
    added: int = 0


def _sample(given: Mapping[str, Any], number: int, always: bool) -> _Sample:
    lists = [name for name in ("negative", "documents") if given.get(name) is not None]
    if "query" not in given or "positive" not in given or len(lists) != 1:
        raise InputError(
            f"Sample {number} has {some(sorted(map(str, given)))}. "
            'Give it "query", "positive" and either "negative" or "documents".'
        )
    positive, others = _listed(given["positive"]), _listed(given[lists[0]])
    ids = {text: str(place) for place, text in enumerate(dict.fromkeys([*positive, *others]), 1)}
    relevant = [ids[text] for text in positive]
    ranked = list(ids) if always or lists == ["negative"] else others
    base, missed = None, []
    if lists == ["documents"]:
        # As the library has it: what the first stage missed stands behind what it found, if it found any.
        missed = [text for text in positive if text not in others]
        base = [ids[text] for text in (others + missed if always and len(missed) < len(positive) else others)]
    documents = {ids[text]: text for text in ranked}
    return _Sample(str(number), given["query"], relevant, documents, base, len(missed) if always else 0)


def _listed(texts: Any) -> list[str]:
    """Texts without their repetitions."""
    return [texts] if isinstance(texts, str) else list(dict.fromkeys(texts))


def _texts(what: Any, name: str) -> dict[str, Any]:
    """Texts by id, which are texts; of a dataset with titles, each before its text."""
    if not is_dataset(what) and name == "corpus" and not isinstance(what, Mapping):
        raise UsageError(f"The corpus is a {type(what).__name__}. Give {{doc_id: text}}, or a dataset of Hugging Face.")
    if isinstance(what, Mapping) and not is_dataset(what):
        texts = {str(id_): text for id_, text in what.items()}
        if len(texts) < len(what):
            raise InputError(f"`{name}`: two ids are written the same way, such as 1 and '1'. Rename one of them.")
    elif name == "queries":
        texts = dict(read_topics(what))
    else:
        table = unwrapped(what)
        id_ = next((column for column in ID_FIELDS if column in table.column_names), None)
        if id_ is None or "text" not in table.column_names:
            raise InputError(f"`{name}` has the columns {some(table.column_names)}. It needs '_id' and 'text'.")
        columns = [table.column(column).to_pylist() for column in ("title", "text") if column in table.column_names]
        ids = list(map(str, table.column(id_).to_pylist()))
        texts = dict(zip(ids, (" ".join(filter(None, row)).strip() for row in zip(*columns, strict=True)), strict=True))
        if len(texts) < len(ids):
            raise InputError(f"`{name}`: {len(ids) - len(texts)} ids stand there twice. Keep one row of each.")
    if not texts:
        raise InputError(f"`{name}` has no texts.")
    return texts


def _within(measures: Measures, depth: int) -> list[str]:
    """The texts of further measures; UsageError for one that looks deeper than documents are ranked."""
    variants = parse(measures) if measures else ()
    for variant in variants:
        if variant.k is None or not 1 <= variant.k <= depth:
            raise UsageError(
                f"{variant.text}: the evaluator ranks {depth} documents for a query. Give a cutoff up to {depth}, such "
                f"as RR@{depth}, or rank more: map_at_k=[1000]."
            )
    return [variant.text for variant in variants]


def _ranked(scored: list[tuple[str, float]], query: str) -> dict[str, float]:
    """Documents as the library orders them: by score, and one of equal scores by id."""
    for document, score in scored:
        if not isinstance(score, float) or not math.isfinite(score):
            raise InputError(
                f"The model gives {score!r:.40} as the score of document {document!r:.80} for query {query!r:.80}. "
                "Scores are finite numbers: it has diverged, or has several outputs."
            )
    return dict(sorted(scored, key=lambda one: (-one[1], one[0])))


def _falling(documents: list[str]) -> dict[str, float]:
    """A ranking without scores, with falling ones."""
    return {document: float(-rank) for rank, document in enumerate(documents)}


# ---- names and files ------------------------------------------------------------------------------------


def _joined(*parts: str) -> str:
    return "_".join(filter(None, parts))


def _label(epoch: float, steps: int) -> str:
    if epoch == -1:
        return "evaluation"
    return f"epoch {epoch:g}" if steps == -1 else f"epoch {epoch:g}, step {steps}"


def _named(made: Checkpoint, keys: Mapping[str, str], prefix: str) -> dict[str, float]:
    """A checkpoint's metrics by the library's keys."""
    found = {}
    for name, value in made.metrics.items():
        text = max((text for text in keys if name == text or name.startswith(f"{text}_")), key=len)
        found[_joined(prefix, keys[text] + name.removeprefix(text))] = value
    return found


def _append(folder: str, file: str, cells: list[Any], headers: list[str]) -> None:
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, file)
    lines = [] if os.path.isfile(path) else [headers]
    with open(path, "a", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows([*lines, cells])


def _write(made: Checkpoint, folder: str | None, csv_file: str, function: str) -> None:
    """Logs the tests, and adds them as a line of JSON to a file beside the CSV."""
    for line in made.lines:
        logger.info(line)
    if folder is not None:
        name = csv_file.removesuffix(".csv").removesuffix("_results")
        path = os.path.join(folder, f"{_joined(name, 'comparisons', function)}.jsonl")
        with open(path, "a", encoding="utf-8") as out:
            out.write(made.to_json() + "\n")
