"""The contract of the stages shelf: what every stage promises, run over every one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.contracts.items import check_extra, check_imports, check_page, check_params, files_of

from rankproof.kernel import shelf
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Passed, Ranking
from rankproof.stack.records import Ground
from rankproof.stack.stages.contract import Stage
from rankproof.testing.rankings import corpus_of, parameters_of, queries_of

ITEMS: dict[str, Stage] = dict(shelf.offered("stages"))

WORDS = ("tents", "ropes", "lamps", "mugs")
NAMES = tuple(f"d{i}" for i in range(12))
CORPUS = corpus_of({doc: f"a text about {word}" for doc, word in zip(NAMES, WORDS * 3, strict=True)})
QUERIES = queries_of("tents", "a lamp and a rope", "mugs", "nothing of this", "ropes", "tents and mugs", "")

# Stage -> the ways it is opened here.
OPENED: dict[str, list[dict[str, Any]]] = {
    "collapse": [{"pattern": "(d.)"}, {"pattern": "(d.)", "score": "sum", "of": 2}, {"pattern": "1", "score": "mean"}],
    "cutoff": [{"depth": 1}, {"depth": 4}, {"depth": 1000}],
    "fuse_linear": [{}, {"normalize": "zscore"}, {"weights": [0.3, 0.7]}],
    "fuse_rrf": [{}, {"k": 0, "weights": [2, 0.5]}, {"weights": [0, 1]}],
    "normalize": [{"method": method} for method in ("minmax", "zscore", "sum", "rank")],
    "rerank_maxsim": [{"model": "wordllama", "depth": depth, "weight": weight} for depth, weight in ((3, 1), (9, 0.4))],
}
# A stage before the engine -> the ways it is opened here, beside a file words.txt that has synonyms.
REWRITES: dict[str, list[dict[str, Any]]] = {
    "rewrite": [{"synonyms": "words.txt"}],
}
# Stage -> why it is not opened here. Its own tests hold it to the same promises.
ELSEWHERE = {
    "fuse_ltr": "needs a trained model",
    "rerank_cross_encoder": "needs a trained model",
    "rerank_llm": "asks a language model",
}

WAYS = [pytest.param(name, said, id=f"{name}-{said}") for name, ways in OPENED.items() for said in ways]
every_way = pytest.mark.parametrize(("name", "said"), WAYS)
every_item = pytest.mark.parametrize("item", ITEMS.values(), ids=list(ITEMS))


def random_ranking(rng: np.random.Generator) -> Ranking:
    """Some documents with scores, of which some tie and some are below 0."""
    docs = rng.choice(NAMES, rng.integers(1, len(NAMES) + 1), replace=False).tolist()
    return Ranking.of(docs, np.round(rng.normal(0, 2, len(docs))))


def flowing(item: Stage) -> list[list[Ranking]]:
    """What flows in for each query; nothing at all for the last but one, and in part for the last."""
    rng = np.random.default_rng(7)
    width = 2 if item.takes == "many" else 1
    rankings = [[random_ranking(rng) for _ in range(width)] for _ in QUERIES[:-2]]
    nothing = Ranking((), np.empty(0))
    return [*rankings, [nothing] * width, [nothing, random_ranking(rng)][:width]]


@pytest.fixture
def stage(name: str, said: dict[str, Any]) -> Any:
    """The stage, opened."""
    return ITEMS[name].open(parameters_of(ITEMS[name], **said), Ground(CORPUS))


def as_lists(passed: list[Passed]) -> list[tuple[tuple[str, ...], list[float]]]:
    return [(one.ranking.doc_ids, one.ranking.scores.tolist()) for one in passed]


# ---- the item ------------------------------------------------------------------------------------


def test_every_stage_is_opened_here_or_says_why_not() -> None:
    groups = [*OPENED, *REWRITES, *ELSEWHERE]
    assert set(ITEMS) == set(groups)
    assert len(groups) == len(set(groups))
    assert {name for name, item in ITEMS.items() if item.takes == "query"} == set(REWRITES)


@pytest.mark.parametrize("file", files_of("stages"), ids=lambda file: file.stem)
def test_the_page_has_its_headings_and_its_example_runs(file: Path) -> None:
    check_page("stages", file)


@every_item
def test_parameters_are_documented(item: Stage) -> None:
    check_params(item)
    assert item.depth is None or item.depth in {param.name for param in item.params}
    assert item.depth is None or item.keeps == "set"


@every_item
def test_the_extra_that_brings_its_library_exists(item: Stage) -> None:
    check_extra(item)


def test_loading_the_shelf_loads_no_library() -> None:
    check_imports("stages")


# ---- what comes out ------------------------------------------------------------------------------


@every_way
def test_documents_come_from_what_flows_in(name: str, stage: Any) -> None:
    item = ITEMS[name]
    rankings = flowing(item)
    passed = stage.apply(QUERIES, rankings)
    assert len(passed) == len(QUERIES)
    for several, one in zip(rankings, passed, strict=True):
        came = [ranking.doc_ids for ranking in several]
        went = one.ranking.doc_ids  # none twice and no rising score: a Ranking that can be held has neither
        assert item.keeps == "other" or set(went) <= set().union(*came)
        if item.keeps == "set":
            assert sorted(went) == sorted(came[0])
        if item.keeps == "head":
            assert went == came[0][: len(went)]
    assert stage.apply([], []) == []


@every_way
def test_nothing_moves_below_the_depth(name: str, said: dict[str, Any], stage: Any) -> None:
    item = ITEMS[name]
    if item.depth is None:
        return
    depth = parameters_of(item, **said)[item.depth]
    rankings = flowing(item)
    for (came,), one in zip(rankings, stage.apply(QUERIES, rankings), strict=True):
        assert one.ranking.doc_ids[depth:] == came.doc_ids[depth:]


@every_way
def test_what_flows_in_stays_as_it_is(name: str, stage: Any) -> None:
    rankings = flowing(ITEMS[name])
    before = [[(ranking.doc_ids, ranking.scores.tolist()) for ranking in several] for several in rankings]
    stage.apply(QUERIES, rankings)
    assert before == [[(ranking.doc_ids, ranking.scores.tolist()) for ranking in several] for several in rankings]


@every_way
def test_an_empty_ranking_passes_through(name: str, stage: Any) -> None:
    rankings = flowing(ITEMS[name])
    empty = [i for i, several in enumerate(rankings) if not any(len(ranking) for ranking in several)]
    assert empty
    passed = stage.apply(QUERIES, rankings)
    assert [passed[i].ranking.doc_ids for i in empty] == [()] * len(empty)
    assert [passed[i].failures for i in empty] == [()] * len(empty)


@every_way
def test_one_query_at_a_time_equals_all_at_once_and_the_second_time_the_first(name: str, stage: Any) -> None:
    rankings = flowing(ITEMS[name])
    at_once = as_lists(stage.apply(QUERIES, rankings))
    one_by_one = [stage.apply([query], [several])[0] for query, several in zip(QUERIES, rankings, strict=True)]
    assert as_lists(one_by_one) == at_once == as_lists(stage.apply(QUERIES, rankings))


@every_way
def test_opened_again_it_says_that_it_is_the_same(name: str, said: dict[str, Any], stage: Any) -> None:
    again: Any = ITEMS[name].open(parameters_of(ITEMS[name], **said), Ground(CORPUS))
    assert again.identity == stage.identity
    assert all(isinstance(value, str) and value for pair in stage.identity.items() for value in pair)


# ---- stages before the engine --------------------------------------------------------------------


@pytest.mark.parametrize(("name", "said"), [(name, said) for name, ways in REWRITES.items() for said in ways])
def test_a_rewrite_changes_nothing_but_words(name: str, said: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("tents, marquees\n")
    stage: Any = ITEMS[name].open(parameters_of(ITEMS[name], **said), Ground(folder=str(tmp_path)))
    asked = [Query(query.query_id, query.text, {"kind": "any"}) for query in QUERIES]
    given = stage.rewrite(asked)
    assert [(query.query_id, query.columns) for query in given] == [(q.query_id, q.columns) for q in asked]
    assert given[0].text == "tents marquees"
    assert [stage.rewrite([query])[0].text for query in asked] == [query.text for query in given]
    assert [query.text for query in asked] == [query.text for query in QUERIES]
    assert len(stage.rewrite([])) == 0
