"""Writes the files of mteb/ anew: two small tasks and two models of hashed text, evaluated by mteb itself, offline.

    pip install mteb==2.26.24     # brings torch; into an environment of its own
    python tests/reading/formats/recorded/write_mteb.py

Each model's folder has its predictions (`prediction_folder`) and the results of each task as mteb keeps them. Paths and
times that differ from one machine to the next are taken out.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import mteb
import numpy as np
from datasets import Dataset
from mteb.abstasks.retrieval import AbsTaskRetrieval
from mteb.abstasks.retrieval_dataset_loaders import RetrievalSplitData
from mteb.abstasks.task_metadata import TaskMetadata
from mteb.models.abs_encoder import AbsEncoder
from mteb.models.model_meta import ModelMeta

HERE = Path(__file__).parent / "mteb"
GENERAL: dict[str, Any] = {
    "description": "Made-up products and questions, to record the files of mteb.",
    "reference": "https://github.com/embeddings-benchmark/mteb",
    "dataset": {"path": "made/up", "revision": "1"},
    "type": "Retrieval", "category": "t2t", "main_score": "ndcg_at_10", "date": ("2026-01-01", "2026-01-02"),
    "dialect": [], "domains": [], "task_subtypes": [], "license": "cc0-1.0", "annotations_creators": "derived",
    "modalities": ["text"], "sample_creation": "created", "bibtex_citation": "",
}  # fmt: skip
THINGS = {
    "eng": (["lamp", "kettle", "blanket", "ladder", "mirror"], ["red", "folding", "small", "wooden"], "which {} {}s"),
    "deu": (["Lampe", "Kanne", "Decke", "Leiter"], ["rote", "kleine", "faltbare"], "gibt es {} {}n"),
}


def split_of(language: str, first: int = 0) -> RetrievalSplitData:
    """Every product, and a question about each: the right one has grade 2, another of its kind grade 1."""
    nouns, kinds, question = THINGS[language]
    pairs = [(kind, noun) for noun in nouns for kind in kinds]
    corpus = [{"id": f"{language}-d{i}", "title": noun, "text": f"{k} {noun}"} for i, (k, noun) in enumerate(pairs)]
    asked = [i for i in range(len(pairs)) if i % 3 >= first]
    queries = [{"id": f"{language}-q{i}", "text": question.format(*pairs[i])} for i in asked]
    near = {i: next(j for j, (_, noun) in enumerate(pairs) if noun == pairs[i][1] and j != i) for i in asked}
    return RetrievalSplitData(
        queries=Dataset.from_list(queries),
        corpus=Dataset.from_list(corpus),
        relevant_docs={f"{language}-q{i}": {f"{language}-d{i}": 2, f"{language}-d{near[i]}": 1} for i in asked},
        top_ranked=None,
    )


class MadeShop(AbsTaskRetrieval):
    """One subset and one split, as most retrieval tasks have."""

    metadata = TaskMetadata(name="MadeShop", eval_splits=["test"], eval_langs=["eng-Latn"], **GENERAL)

    def load_data(self, num_proc: int | None = None, **kwargs: Any) -> None:
        self.dataset = {"default": {"test": split_of("eng")}}
        self.data_loaded = True


class MadeShopInTwo(AbsTaskRetrieval):
    """Two subsets, two splits."""

    metadata = TaskMetadata(
        name="MadeShopInTwo", eval_splits=["dev", "test"], eval_langs={"eng": ["eng-Latn"], "deu": ["deu-Latn"]},
        **GENERAL,
    )  # fmt: skip

    def load_data(self, num_proc: int | None = None, **kwargs: Any) -> None:
        self.dataset = {language: {"dev": split_of(language, 2), "test": split_of(language)} for language in THINGS}
        self.data_loaded = True


class Hashed(AbsEncoder):
    """Texts as sums of hashed pieces: words, or groups of letters."""

    def __init__(self, name: str, letters: int = 0) -> None:
        self.letters = letters
        self.mteb_model_meta = ModelMeta(
            loader=None, name=f"made/{name}", revision="1", languages=None, open_weights=True, release_date=None,
            n_parameters=0, n_embedding_parameters=0, memory_usage_mb=0, license="mit", max_tokens=None, reference=None,
            similarity_fn_name="cosine", framework=[], use_instructions=False, public_training_code=None,
            public_training_data=None, training_datasets=set(), embed_dim=24, modalities=["text"],
        )  # fmt: skip

    def encode(self, inputs: Any, **kwargs: Any) -> Any:
        return np.stack([self.vector(text) for batch in inputs for text in batch["text"]])

    def vector(self, text: str) -> Any:
        sums = np.zeros(24)
        for word in text.lower().split():
            n = self.letters
            for piece in [word] if not n else [word[i : i + n] for i in range(max(1, len(word) - n + 1))]:
                digest = sha256(piece.encode()).digest()
                sums += np.frombuffer(digest[:24], dtype=np.uint8).astype(float) / 255 - 0.5
        return sums.astype(np.float32)


def main() -> None:
    shutil.rmtree(HERE, ignore_errors=True)
    kept = []
    for model in (Hashed("words"), Hashed("letters", 3)):
        folder = HERE / model.mteb_model_meta.name.partition("/")[2]
        with tempfile.TemporaryDirectory() as scratch:
            results = mteb.evaluate(
                model, [MadeShop(), MadeShopInTwo()], cache=None, prediction_folder=Path(scratch), co2_tracker=False,
                show_progress_bar=False,
            )  # fmt: skip
            folder.mkdir(parents=True)
            for path in sorted(Path(scratch).glob("*_predictions.json")):
                shutil.copy(path, folder / path.name)
        for result in results.task_results:
            result.evaluation_time, result.date, result.evaluation_phases = 0.5, None, None
            result.to_disk(folder / f"{result.task_name}.json")
        kept.append(results.model_copy(update={"model_meta": None}))
    kept[0].to_disk(HERE / "words" / "model_result.json")
    mteb.BenchmarkResults(model_results=kept).to_disk(HERE / "benchmark_results.json")
    gold = {q: {d: int(g) for d, g in docs.items()} for q, docs in split_of("eng")["relevant_docs"].items()}
    (HERE / "qrels.json").write_text(json.dumps(gold, indent=1) + "\n")


if __name__ == "__main__":
    main()
