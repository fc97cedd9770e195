"""Declared reranks: read, refused where they make no sense, held against the first stage, kept out of the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.reading.collect import read_qrels, read_run
from rankproof.reading.collection import Query
from rankproof.reading.ranking import Failure, Ranking
from rankproof.stack.benchmark.config import config_of, without
from rankproof.stack.benchmark.records import Benchmark, to_dict
from rankproof.stack.benchmark.reranks import DeclaredRerank, RerankCheck, check_reranks
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.benchmark.sections import ship
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground, ModeOutcome, Step, StepOutcome

QUERIES = [Query(f"q{i}", f"query {i}") for i in range(1, 31)]
DOCS = [f"d{i}" for i in range(10)]
# The relevant document is third in the first stage.
QRELS = {query.query_id: {"d2": 1, "d0": 0} for query in QUERIES}


def runs(folder: Path, **rankings: dict[str, float]) -> None:
    """Run files in which every query has the same documents."""
    for name, scores in rankings.items():
        lines = [f"{q.query_id} Q0 {doc} 0 {score} x\n" for q in QUERIES for doc, score in scores.items()]
        (folder / f"{name}.run").write_text("".join(lines))


FIRST = {doc: 20.0 - at for at, doc in enumerate(DOCS)}
GOOD = {**FIRST, "d2": 103.0, "d0": 102.0, "d1": 101.0}
# Of three documents the relevant one has a good score; the others sank into a tail that keeps its scores.
MERGED = {**FIRST, "d2": 30.0, "d0": -2.0, "d1": -3.0}


def stack(folder: Path, baseline: str = "first", **declared: Any) -> Benchmark:
    modes = {"first": "replay(path='first.run')"}
    modes |= {name: {"pipeline": f"replay(path='{name}.run')", **table} for name, table in declared.items()}
    config = config_of(
        {"benchmark": {"dataset": "here", "measures": ["RR"], "baseline": baseline}, "modes": modes}, "b.toml"
    )
    runner = Runner(QUERIES, config.depth, Ground(folder=str(folder), read_run=read_run))
    return benchmark(config, QUERIES, read_qrels(QRELS), runner, "0" * 64, 10)[0]


OF_FIRST = {"rerank_of": "first", "depth": 3}


def test_a_rerank_that_holds_is_recommended(tmp_path: Path) -> None:
    runs(tmp_path, first=FIRST, good=GOOD)
    found = stack(tmp_path, good=OF_FIRST)
    assert found.rows[1].rerank == RerankCheck("first", 3, "held", 30)
    assert found.rows[1].before == "first"  # what it is declared to rerank is what it builds on
    assert found.advice is not None
    assert found.advice.ship == "good"
    assert not any("BROKEN" in warning for warning in found.comparison.warnings)


def test_a_broken_rerank_is_never_recommended(tmp_path: Path) -> None:
    runs(tmp_path, first=FIRST, merged=MERGED)
    found = stack(tmp_path, merged=OF_FIRST)
    check = found.rows[1].rerank
    assert check is not None
    assert (check.verdict, check.queries, check.broken) == ("broken", 30, 30)
    assert check.examples[0] == "query q1, document d3 (rank 4 -> 2): it came up across rank 3"
    assert "Two scales of scores were merged: documents below rank 3 keep the scores of first" in check.cause
    assert found.advice is not None
    assert (found.advice.ship, found.advice.path) == ("first", ("first",))
    assert found.advice.broken == ("merged",)
    assert ship(found.advice) == "Ship first: no other mode is significantly better. Left out as BROKEN: merged."
    (warning,) = [text for text in found.comparison.warnings if "BROKEN" in text]
    assert warning.startswith("merged is BROKEN: it is not first reranked to depth 3, in 30 of 30 queries; query q1")
    modes: Any = to_dict(found)["modes"]
    assert modes[0]["rerank"] is None
    assert modes[1]["rerank"]["verdict"] == "broken"


def test_without_the_declaration_it_was_recommended(tmp_path: Path) -> None:
    runs(tmp_path, first=FIRST, merged=MERGED)
    advice = stack(tmp_path, merged={}).advice
    assert advice is not None
    assert advice.ship == "merged"


def test_a_broken_baseline_gives_way_to_its_first_stage(tmp_path: Path) -> None:
    runs(tmp_path, first=FIRST, merged=MERGED)
    advice = stack(tmp_path, "merged", merged=OF_FIRST).advice
    assert advice is not None
    assert (advice.ship, advice.path) == ("first", ("first",))


@pytest.mark.parametrize(
    ("docs", "reason"),
    [
        (["d1", "d0", "d2"], "new ends at rank 3 and lacks it"),
        (["d1", "d0", *DOCS[3:]], "it came up across rank 3"),
        (["x", *DOCS[:9]], "first does not have it"),
    ],
)
def test_lost_and_foreign_documents(docs: list[str], reason: str, tmp_path: Path) -> None:
    runs(tmp_path, first=FIRST, new={doc: 50.0 - at for at, doc in enumerate(docs)})
    check = stack(tmp_path, new=OF_FIRST).rows[1].rerank
    assert check is not None
    assert check.verdict == "broken"
    assert check.examples[0].endswith(reason)


def outcome(name: str, answers: dict[str, list[str]], failed: tuple[str, ...] = ()) -> ModeOutcome:
    step = Step("engines", name, {}, {})
    rankings = tuple(Ranking(tuple(d), np.arange(len(d), 0, -1, dtype=np.float64)) for d in answers.values())
    failures = tuple(Failure(q, name, "timeout", "late", "no answer") for q in failed)
    return ModeOutcome(
        name, step, tuple(answers), (StepOutcome(step, rankings, np.zeros(len(answers)), failures),), 100
    )


def test_queries_without_an_answer_are_not_held_against_it() -> None:
    """q1 holds; of q2 the live engine gave no answer; of q3 neither found anything."""
    first = outcome("first", {"q1": ["a", "b", "c"], "q2": [], "q3": []}, ("q2",))
    new = outcome("new", {"q1": ["b", "a", "c"], "q2": ["a"], "q3": []})
    declared = {"new": DeclaredRerank("first", 2)}
    both = {"first": first, "new": new}
    assert check_reranks(declared, both, {"first": {"q2"}}) == {"new": RerankCheck("first", 2, "held", 1)}
    assert check_reranks(declared, both, {"first": {"q1", "q2"}})["new"].verdict == "undecided"
    assert check_reranks(declared, {"new": new}, {})["new"].verdict == "undecided"
    found = check_reranks(declared, both, {})["new"]  # first found nothing for q2, and new has a document there
    assert (found.verdict, found.broken, found.examples) == (
        "broken", 1, ("query q2, document a (rank none -> 1): first found nothing",),
    )  # fmt: skip


def modes(**modes: Any) -> dict[str, Any]:
    return {"benchmark": {"dataset": "here"}, "modes": {"first": "replay(path='a.run')", **modes}}


REPLAY = "replay(path='b.run')"


@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ({"pipeline": REPLAY, "rerank_of": "first"}, ("b.toml", "new", "depth")),
        ({"pipeline": REPLAY, "depth": 3}, ("b.toml", "new", "rerank_of")),
        ({"rerank_of": "first", "depth": 3}, ("b.toml", "new", "pipeline")),
        ({"pipeline": REPLAY, "rerank_of": "first", "depth": 0}, ("b.toml", "new", "depth", "0")),
        ({"pipeline": REPLAY, "rerank_of": "first", "depth": 101}, ("b.toml", "new", "100", "101")),
        ({"pipeline": REPLAY, "rerank_of": "new", "depth": 3}, ("b.toml", "new of new")),
        ({"pipeline": 3}, ("b.toml", "new", "pipeline")),
        (3, ("b.toml", "new", "3")),
    ],
)
def test_declarations_that_make_no_sense(mode: Any, words: tuple[str, ...]) -> None:
    with raises(UsageError, *words):
        config_of(modes(new=mode), "b.toml")


def test_unknown_names_have_neighbors() -> None:
    with raises(UnknownName, "first"):
        config_of(modes(new={"pipeline": REPLAY, "rerank_of": "frist", "depth": 3}), "b.toml")
    with raises(UnknownName, "rerank_of"):
        config_of(modes(new={"pipeline": REPLAY, "rerank_off": "first", "depth": 3}), "b.toml")


def test_circles_and_first_stages_below() -> None:
    config = config_of(modes(new={"pipeline": REPLAY, "rerank_of": "last", "depth": 3}, last=REPLAY + " "), "b.toml")
    assert config.reranks == {"new": DeclaredRerank("last", 3)}
    assert without(config, ["new"]).reranks == {}
    circle = {
        "new": {"pipeline": REPLAY, "rerank_of": "last", "depth": 3},
        "last": {"pipeline": REPLAY, "rerank_of": "new", "depth": 3},
    }
    with raises(UsageError, "new of last of new"):
        config_of(modes(**circle), "b.toml")
