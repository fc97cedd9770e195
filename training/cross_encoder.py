"""Trains a cross-encoder for shops: it reads a query and a product, and says how well they fit.

    python -m training.cross_encoder --weights MINILM --teacher E5 --wordnet /usr/share/wordnet --out FOLDER --seed 0

`--weights` has all-MiniLM-L6-v2 (model.safetensors, config.json, tokenizer.json), on which training goes on. It learns
from generated shops (`training.shops`, `training.nouns`) and from what a teacher thinks of texts (`training.teacher`);
a shop written by hand, of which nothing is learned, measures it while it learns. `--out` gets model.onnx (8-bit
weights), tokenizer.json, config.json and training.json with what was measured. Needs torch, transformers, tokenizers,
safetensors, onnx and onnxruntime; minutes on a GPU.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, replace
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import BertModel

from training.lists import LIST, GradedList, dev_lists, held_out, lists_of, mean_ndcg, plain_lists
from training.nouns import families_of, noun_shop, read_nouns
from training.shops import make_shop, read_families
from training.teacher import Teacher, bert, open_teacher

LENGTH = 128
GAINS = (0.0, 1.0, 3.0, 7.0)
# Rounds that are made while one is learned from.
AHEAD = 2
# What a model reads: numbers of tokens, where they are, and to which text they belong.
Pairs = dict[str, np.ndarray[Any, Any]]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is trained.

    taught   the teacher's share in what a graded list should look like; the rest is the grades'
    sharp    how much the teacher prefers its best texts
    kept     the share of the weights before training in those that are written: a mean of both transfers better
    """

    seed: int = 0
    steps: int = 400
    batch: int = 48
    rate: float = 1e-4
    taught: float = 0.65
    sharp: float = 2.0
    kept: float = 0.25


class Reader:
    """Pairs of a query and a text as tensors."""

    def __init__(self, folder: Path) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(LENGTH, strategy="longest_first")
        self.tokenizer.enable_padding()

    def __call__(self, lists: Sequence[GradedList]) -> Pairs:
        """Every query with each of its texts."""
        read = self.tokenizer.encode_batch([(one.query, text) for one in lists for text in one.texts])
        columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        return {
            name: np.array([getattr(pair, field) for pair in read], dtype=np.int32) for name, field in columns.items()
        }


def tensors(pairs: Pairs, device: str) -> dict[str, torch.Tensor]:
    """The pairs where the model is."""
    return {name: torch.from_numpy(numbers).to(device).long() for name, numbers in pairs.items()}


class Reranker(torch.nn.Module):
    """Reads a query and a text together, and says how well they fit.

    Words of the query look for the word of the text that is nearest to them (as in late interaction), among vectors
    that know of both texts. all-MiniLM-L6-v2 orders texts by this before any training; a layer on the first vector
    begins at 0 and learns what nearness of words does not say.
    """

    def __init__(self, encoder: BertModel) -> None:
        super().__init__()
        self.encoder = encoder
        self.weights = torch.nn.Parameter(torch.tensor([20.0, 5.0]))
        self.first = torch.nn.Linear(encoder.config.hidden_size, 1)
        torch.nn.init.zeros_(self.first.weight)
        torch.nn.init.zeros_(self.first.bias)

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor
    ) -> torch.Tensor:
        """One number for each pair."""
        hidden = self.encoder(
            input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
        ).last_hidden_state
        there = attention_mask.to(hidden.dtype)
        text = there * token_type_ids.to(hidden.dtype)
        query = there - text
        units = hidden / hidden.norm(dim=2, keepdim=True).clamp(min=1e-6)
        near = units @ units.transpose(1, 2) - 2 * (1 - text).unsqueeze(1)
        words = (near.amax(2) * query).sum(1) / query.sum(1).clamp(min=1)
        means = [(hidden * part.unsqueeze(2)).sum(1) / part.sum(1, keepdim=True).clamp(min=1) for part in (query, text)]
        whole = functional.cosine_similarity(means[0], means[1], dim=1)
        said: torch.Tensor = self.first(hidden[:, 0]).squeeze(1) + self.weights[0] * words + self.weights[1] * whole
        return said.unsqueeze(1)


def wanted_order(lists: Sequence[GradedList], taught: torch.Tensor, recipe: Recipe) -> torch.Tensor:
    """The share of attention that each text of each list should have: by its grades, by the teacher, or by both."""
    by_teacher = functional.softmax(recipe.sharp * taught, 1)
    gains = torch.tensor([[GAINS[grade] for grade in one.grades or (0,) * LIST] for one in lists], device=taught.device)
    total = gains.sum(1, keepdim=True)
    mixed = recipe.taught * by_teacher + (1 - recipe.taught) * gains / total.clamp(min=1)
    return torch.where(total > 0, mixed, by_teacher)


@torch.no_grad()
def scored(model: Any, read: Reader, lists: Sequence[GradedList]) -> list[list[float]]:
    """The model's scores of every text of every list."""
    model.eval()
    device = str(next(model.parameters()).device)
    scores = [model(**tensors(read([one]), device)).float().view(-1).tolist() for one in lists]
    model.train()
    return scores


@dataclass(frozen=True)
class Rounds:
    """What is learned from: shops of families, shops of nouns, and texts that only the teacher grades."""

    recipe: Recipe
    weights: Path
    wordnet: Path

    def __call__(self, number: int) -> list[tuple[list[GradedList], Pairs]]:
        """Batches of one round. A round depends on its number and the recipe's seed alone."""
        nouns, read = read_nouns(self.wordnet), Reader(self.weights)
        families = tuple(family for family in read_families() if not held_out(family))
        kinds = families_of(nouns)
        seed = 100_000 * self.recipe.seed + 4 * number
        random = Random(f"round {seed}")
        lists = [one for at in range(2) for one in lists_of(make_shop(seed + at, families), random)]
        lists += [one for at in range(4) for one in lists_of(noun_shop(seed + at, kinds), random)]
        lists += plain_lists(nouns, random, len(lists) // 4)
        random.shuffle(lists)
        size = self.recipe.batch
        parts = [lists[at : at + size] for at in range(0, len(lists) - size + 1, size)]
        return [(part, read(part)) for part in parts]


def each_round(rounds: Rounds) -> Iterator[list[tuple[list[GradedList], Pairs]]]:
    """Round after round without end, a few of them made ahead by other processes."""
    with ProcessPoolExecutor(AHEAD, get_context("spawn")) as pool:
        waiting = deque(pool.submit(rounds, number) for number in range(AHEAD))
        try:
            for number in count(AHEAD):
                made = waiting.popleft().result()
                waiting.append(pool.submit(rounds, number))
                yield made
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def train(rounds: Rounds, teacher: Teacher, device: str) -> tuple[Any, dict[str, Any]]:
    """The trained model, and what was measured."""
    recipe = rounds.recipe
    torch.manual_seed(recipe.seed)
    read, dev = Reader(rounds.weights), dev_lists()
    taught = teacher.scores([one.query for one in dev], [one.texts for one in dev]).tolist()
    model = Reranker(bert(rounds.weights)).to(device)
    start = {name: value.clone() for name, value in model.state_dict().items()}
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, s / 200) * max(0.0, 1 - s / recipe.steps))
    began, step, losses, learned = time.time(), 0, [], 0
    log = [{"step": 0, "dev": mean_ndcg(dev, scored(model, read, dev)), "dev_of_teacher": mean_ndcg(dev, taught)}]
    for made in each_round(rounds):
        lists = [one for part, _ in made for one in part]
        by_teacher = teacher.scores([one.query for one in lists], [one.texts for one in lists])
        for at, (part, pairs) in enumerate(made):
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                logits = model(**tensors(pairs, device))
            target = wanted_order(part, by_teacher[at * recipe.batch : (at + 1) * recipe.batch], recipe)
            loss = -(target * functional.log_softmax(logits.float().view(-1, LIST), 1)).sum(1).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step, learned = step + 1, learned + len(part)
            losses.append(loss.detach())
            if step % 100 == 0 or step == recipe.steps:
                mean = torch.stack(losses).mean().item()
                log.append({"step": step, "dev": mean_ndcg(dev, scored(model, read, dev)), "loss": mean})
                losses = []
                print(asdict(recipe), log[-1], round(time.time() - began), flush=True)
            if step == recipe.steps:
                shares = {}
                trained = {name: value.clone() for name, value in model.state_dict().items()}
                for kept in (0.25, 0.5, 0.75, recipe.kept):
                    model.load_state_dict({name: torch.lerp(trained[name], start[name], kept) for name in trained})
                    shares[str(kept)] = mean_ndcg(dev, scored(model, read, dev))
                told = {"lists": learned, "dev_queries": len(dev), "log": log, "dev_by_share_kept": shares}
                print(shares, flush=True)
                return model, {**asdict(recipe), **told, "dev": shares[str(recipe.kept)]}
    raise AssertionError("rounds never end")


def weights_in_8_bits(whole: Path, out: Path) -> None:
    """The same model with 8 bits for each weight of a matrix, and a scale for each of its columns (rows of a table).

    It still computes in 32 bits. With 8-bit arithmetic scores would differ from one kind of processor to the next.
    """
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(str(whole))
    graph = model.graph
    looked_up = {node.input[0] for node in graph.node if node.op_type == "Gather"}
    for held in [one for one in graph.initializer if len(one.dims) == 2 and one.dims[0] * one.dims[1] > 4096]:
        numbers = numpy_helper.to_array(held)
        axis = 0 if held.name in looked_up else 1
        scale = np.maximum(np.abs(numbers).max(axis=1 - axis), 1e-12).astype(np.float32) / 127
        small = np.round(numbers / np.expand_dims(scale, 1 - axis)).astype(np.int8)
        name = held.name
        graph.initializer.remove(held)
        for part, array in (("in_8_bits", small), ("scale", scale), ("zero", np.zeros(len(scale), np.int8))):
            graph.initializer.append(numpy_helper.from_array(array, f"{name}.{part}"))
        inputs = [f"{name}.{part}" for part in ("in_8_bits", "scale", "zero")]
        graph.node.insert(0, helper.make_node("DequantizeLinear", inputs, [name], f"{name}.whole", axis=axis))
    onnx.checker.check_model(model)
    onnx.save(model, str(out))


def write(model: Any, folder: Path, out: Path, told: dict[str, Any]) -> None:
    """The folder that `rerank_cross_encoder` opens."""
    out.mkdir(parents=True, exist_ok=True)
    model = model.float().cpu().eval()
    names = ["input_ids", "attention_mask", "token_type_ids"]
    sample = tuple(torch.ones((2, 8), dtype=torch.long) for _ in names)
    axes = {name: {0: "pairs", 1: "tokens"} for name in names} | {"logits": {0: "pairs"}}
    whole = out / "whole.onnx"

    torch.onnx.export(
        model, sample, str(whole), input_names=names, output_names=["logits"], dynamic_axes=axes,
        opset_version=17, dynamo=False,
    )  # fmt: skip
    weights_in_8_bits(whole, out / "model.onnx")
    whole.unlink()
    shutil.copy(folder / "tokenizer.json", out / "tokenizer.json")
    config = json.loads((folder / "config.json").read_text()) | {"num_labels": 1, "max_position_embeddings": LENGTH}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (out / "training.json").write_text(json.dumps(told, indent=2) + "\n")


def main() -> None:
    """Trains one model, or with --noise several seeds, of which the first is written."""
    asked = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    asked.add_argument("--weights", type=Path, required=True)
    asked.add_argument("--teacher", type=Path, required=True, help="folder of e5-small-v2: model.onnx, tokenizer.json")
    asked.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    asked.add_argument("--out", type=Path, required=True)
    asked.add_argument("--noise", type=int, default=0, help="train this many further seeds, to state how they differ")
    recipe = Recipe()
    for name, value in asdict(recipe).items():
        asked.add_argument(f"--{name}", type=type(value), default=value)
    given = asked.parse_args()
    recipe = Recipe(**{name: getattr(given, name) for name in asdict(recipe)})
    device = "cuda" if torch.cuda.is_available() else "cpu"
    teacher = open_teacher(given.weights, given.teacher, device)
    model, told = train(Rounds(recipe, given.weights, given.wordnet), teacher, device)
    others = []
    for seed in range(recipe.seed + 1, recipe.seed + 1 + given.noise):
        other = replace(recipe, seed=seed)
        others.append(train(Rounds(other, given.weights, given.wordnet), teacher, device)[1]["dev"])
    write(model, given.weights, given.out, {**told, "dev_of_other_seeds": others})


if __name__ == "__main__":
    main()
