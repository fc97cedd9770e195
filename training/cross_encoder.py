"""Trains a cross-encoder for shops: it reads a query and a product, and says how well they fit.

    python -m training.cross_encoder --weights FOLDER --out FOLDER --seed 0

`--weights` has all-MiniLM-L6-v2 (model.safetensors, config.json, tokenizer.json), on which training goes on. It learns
from generated shops alone (`training.shops`); the families that `held_out` names are in none of them and measure it
while it learns. `--out` gets model.onnx (8-bit weights), tokenizer.json, config.json and training.json with what was
measured. Needs torch, transformers, tokenizers, safetensors, onnx and onnxruntime; minutes on a GPU.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import torch
from tokenizers import Tokenizer
from torch.nn import functional
from transformers import BertConfig, BertForSequenceClassification

from training.shops import FamilyOfProducts, GeneratedShop, GradedQuery, make_shop, read_families

LENGTH = 128
# Documents of a query that are read together.
LIST = 16
GAINS = (0.0, 1.0, 3.0, 7.0)
# What a grade is as a probability of being what was asked for.
FIT = (0.0, 0.25, 0.6, 1.0)


@dataclass(frozen=True, slots=True)
class GradedList:
    """A query with texts and their grades."""

    query: str
    texts: tuple[str, ...]
    grades: tuple[int, ...]


def held_out(family: FamilyOfProducts) -> bool:
    """Whether a family is kept for measuring: one of eight, by its name."""
    return sha256(family.name.encode()).digest()[0] % 8 == 0


def lists_of(shop: GeneratedShop, random: Random, size: int = LIST) -> Iterator[GradedList]:
    """Each query with graded products, products that share words with it, and others."""
    ids = list(shop.products)
    words: dict[str, list[str]] = defaultdict(list)
    for doc, product in shop.products.items():
        for word in set(product.text.lower().replace(".", " ").replace(",", " ").split()):
            words[word].append(doc)
    for query in shop.queries:
        graded = list(query.grades)
        random.shuffle(graded)
        chosen = dict.fromkeys(graded[: size * 5 // 8])
        shared: Counter[str] = Counter()
        for word in query.text.split():
            of = words.get(word, ())
            for doc in of if len(of) < 200 else random.sample(of, 200):
                shared[doc] += 1
        likely = [doc for doc, _ in shared.most_common(3 * size) if doc not in query.grades]
        chosen |= dict.fromkeys(likely[: size * 13 // 16 - len(chosen)])
        while len(chosen) < size:
            chosen[random.choice(ids)] = None
        yield _list(shop, query, list(chosen))


def _list(shop: GeneratedShop, query: GradedQuery, docs: Sequence[str]) -> GradedList:
    return GradedList(
        query.text, tuple(shop.products[doc].text for doc in docs), tuple(query.grades.get(doc, 0) for doc in docs)
    )


class Reader:
    """Pairs as tensors."""

    def __init__(self, folder: Path, device: str) -> None:
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(LENGTH, strategy="longest_first")
        self.tokenizer.enable_padding()
        self.device = device

    def __call__(self, lists: Sequence[GradedList]) -> dict[str, torch.Tensor]:
        """Every query with each of its texts."""
        read = self.tokenizer.encode_batch([(one.query, text) for one in lists for text in one.texts])
        columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        return {
            name: torch.tensor([getattr(pair, field) for pair in read], device=self.device)
            for name, field in columns.items()
        }


def loaded(folder: Path) -> BertForSequenceClassification:
    """The encoder's weights under a new head."""
    from safetensors.torch import load_file

    config = BertConfig(**json.loads((folder / "config.json").read_text()), num_labels=1)
    model = BertForSequenceClassification(config)
    weights = {name: value.float() for name, value in load_file(str(folder / "model.safetensors")).items()}
    kept = {name.removeprefix("bert."): value for name, value in weights.items()}
    lacking, strange = model.bert.load_state_dict(kept, strict=False)
    bad = [name for name in lacking if "pooler" not in name and "position_ids" not in name]
    bad += [name for name in strange if "position_ids" not in name]
    if bad:
        raise SystemExit(f"{folder}: these weights are no MiniLM: {bad[:5]}")
    return model


def loss_of(logits: torch.Tensor, grades: torch.Tensor) -> torch.Tensor:
    """Over the list, and pair by pair so that scores of different queries are alike."""
    gains = torch.tensor(GAINS, device=logits.device)[grades]
    target = gains / gains.sum(1, keepdim=True).clamp(min=1e-6)
    listwise = -(target * functional.log_softmax(logits, 1)).sum(1).mean()
    fit = torch.tensor(FIT, device=logits.device)[grades]
    return listwise + 0.5 * functional.binary_cross_entropy_with_logits(logits, fit)


def ndcg(order: Sequence[int], k: int = 10) -> float:
    """nDCG of grades in the order of a ranking."""
    gain = sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(order[:k]))
    ideal = sum((2**grade - 1) / math.log2(at + 2) for at, grade in enumerate(sorted(order, reverse=True)[:k]))
    return gain / ideal if ideal else 0.0


@torch.no_grad()
def measured(model: Any, read: Reader, lists: Sequence[GradedList]) -> float:
    """Mean nDCG@10 of the lists."""
    model.eval()
    found = []
    for at in range(0, len(lists), 32):
        part = lists[at : at + 32]
        logits = model(**read(part)).logits.float().view(len(part), -1).tolist()
        for one, scores in zip(part, logits, strict=True):
            found.append(
                ndcg([grade for _, grade in sorted(zip(scores, one.grades, strict=True), key=lambda p: -p[0])])
            )
    model.train()
    return sum(found) / len(found)


def train(folder: Path, seed: int, steps: int, batch: int, rate: float, device: str) -> tuple[Any, dict[str, Any]]:
    """The trained model, and what was measured."""
    torch.manual_seed(seed)
    random = Random(f"train {seed}")
    families = read_families()
    dev_families = [family for family in families if held_out(family)]
    families = tuple(family for family in families if not held_out(family))
    read = Reader(folder, device)
    dev = [one for shop in range(6) for one in lists_of(make_shop(10**6 + shop, dev_families), random, 40)]
    model = loaded(folder).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, s / 200) * max(0.0, 1 - s / steps))
    began, log, step, shop_seed = time.time(), [{"step": 0, "dev": measured(model, read, dev)}], 0, 10_000 * seed
    while step < steps:
        shops = [make_shop(shop_seed + at, families) for at in range(4)]
        shop_seed += 4
        lists = [one for shop in shops for one in lists_of(shop, random)]
        random.shuffle(lists)
        for at in range(0, len(lists) - batch, batch):
            part = lists[at : at + batch]
            with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
                logits = model(**read(part)).logits
            loss = loss_of(logits.float().view(batch, -1), torch.tensor([one.grades for one in part], device=device))
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            if step % 500 == 0 or step == steps:
                log.append({"step": step, "dev": measured(model, read, dev), "loss": loss.item()})
                print(seed, log[-1], round(time.time() - began), flush=True)
            if step == steps:
                break
    told = {
        "seed": seed, "steps": steps, "batch": batch, "rate": rate, "log": log, "dev_queries": len(dev),
        "held_out": [family.name for family in dev_families], "shops": shop_seed - 10_000 * seed,
    }  # fmt: skip
    return model, told


def write(model: Any, folder: Path, out: Path, told: dict[str, Any]) -> None:
    """The folder that `rerank_cross_encoder` opens."""
    from onnxruntime.quantization import QuantType, quantize_dynamic

    out.mkdir(parents=True, exist_ok=True)
    model = model.float().cpu().eval()
    names = ["input_ids", "attention_mask", "token_type_ids"]
    sample = tuple(torch.ones((2, 8), dtype=torch.long) for _ in names)
    axes = {name: {0: "pairs", 1: "tokens"} for name in names} | {"logits": {0: "pairs"}}
    whole = out / "whole.onnx"

    class Logits(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, ids: Any, mask: Any, kinds: Any) -> Any:
            return self.model(input_ids=ids, attention_mask=mask, token_type_ids=kinds).logits

    torch.onnx.export(
        Logits(), sample, str(whole), input_names=names, output_names=["logits"], dynamic_axes=axes,
        opset_version=17, dynamo=False,
    )  # fmt: skip
    quantize_dynamic(str(whole), str(out / "model.onnx"), weight_type=QuantType.QInt8, per_channel=True)
    whole.unlink()
    shutil.copy(folder / "tokenizer.json", out / "tokenizer.json")
    config = json.loads((folder / "config.json").read_text()) | {"num_labels": 1, "max_position_embeddings": LENGTH}
    (out / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    (out / "training.json").write_text(json.dumps(told, indent=2) + "\n")


def main() -> None:
    """Trains one model, or with --noise several seeds, of which the first is written."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--weights", type=Path, required=True)
    asked.add_argument("--out", type=Path, required=True)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--noise", type=int, default=0, help="train this many further seeds, to state how they differ")
    asked.add_argument("--steps", type=int, default=4000)
    asked.add_argument("--batch", type=int, default=48)
    asked.add_argument("--rate", type=float, default=5e-5)
    given = asked.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model, told = train(given.weights, given.seed, given.steps, given.batch, given.rate, device)
    others = [
        train(given.weights, given.seed + 1 + more, given.steps, given.batch, given.rate, device)[1]["log"][-1]["dev"]
        for more in range(given.noise)
    ]
    write(model, given.weights, given.out, {**told, "dev_of_other_seeds": others})


if __name__ == "__main__":
    main()
