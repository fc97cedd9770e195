"""Ranked ids straight from a text are those of its rows put in order."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from rankproof.measuring.prepare import PreparedRun, prepare_qrels
from rankproof.measuring.run_sources import comparable, listed
from rankproof.reading.records import DEFAULT_ORDER, Run


def from_rows(run: PreparedRun, depth: int | None) -> dict[str, list[str]]:
    whole = Run.of(run.rows(), run.order(DEFAULT_ORDER))
    return {query: docs[:depth] for query, docs, _ in whole.rankings()}


def written(path: Path, seed: int, scattered: bool = False) -> Path:
    rng = random.Random(seed)
    lines = [
        f"q{query} Q0 {doc} {rank} {rng.choice((1.0, 2.5, 2.5, 4.0)) if seed % 2 else 9 - rank} tag\n"
        for query in rng.sample(range(9), 5)
        for rank, doc in enumerate(rng.sample([f"d{i}" for i in range(30)] + ["é", "d#1"], rng.randint(1, 25)), 1)
    ]
    if scattered:
        rng.shuffle(lines)
    path.write_text("".join(lines))
    return path


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("depth", [None, 1, 3, 100])
@pytest.mark.parametrize("reading", [{}, {"order": "rank"}, {"order": "given"}, {"lower_is_better": True}])
def test_they_are_those_of_the_rows(tmp_path: Path, seed: int, depth: int | None, reading: dict[str, Any]) -> None:
    run = prepare_qrels({f"q{i}": {"d1": 1} for i in range(9)}).prepare(str(written(tmp_path / "run", seed)), **reading)
    assert run.ranked_ids(DEFAULT_ORDER, depth) is not None
    assert listed(run, depth) == from_rows(run, depth)
    some = ["q1", "q3", "none"]
    assert listed(run, depth, queries=some) == {q: docs for q, docs in from_rows(run, depth).items() if q in some}


def test_in_pieces_as_at_once(tmp_path: Path) -> None:
    path = str(written(tmp_path / "run", 3))
    judged = prepare_qrels({f"q{i}": {"d1": 1} for i in range(9)})
    assert listed(judged.prepare(path, memory=1000), 4) == listed(judged.prepare(path), 4)


def test_scattered_lines_are_brought_together_as_rows(tmp_path: Path) -> None:
    run = prepare_qrels({f"q{i}": {"d1": 1} for i in range(9)}).prepare(str(written(tmp_path / "run", 3, True)))
    assert run.ranked_ids(DEFAULT_ORDER) is None
    assert listed(run, 5) == from_rows(run, 5)


def test_no_rows_are_made_to_compare_rankings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judged = prepare_qrels({f"q{i}": {"d1": 1} for i in range(9)})
    runs = [judged.prepare(str(written(tmp_path / str(seed), seed))) for seed in (2, 4)]
    expected = [{query: docs[:3] for query, docs in from_rows(run, 3).items()} for run in runs]
    monkeypatch.setattr(Run, "of", None)  # what rows go through
    one, other = comparable(runs, 3)
    for query in one:
        assert (one[query] == other.get(query)) == (expected[0][query] == expected[1].get(query))
