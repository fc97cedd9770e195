"""Replay: a run file answers, as its scores, distances or ranks order it."""

from __future__ import annotations

from pathlib import Path

from tests.raising import raises

from rankproof.errors import Unreadable, UsageError
from rankproof.kernel import shelf
from rankproof.reading.collect import read_run
from rankproof.reading.collection import Query
from rankproof.stack.records import Ground
from rankproof.testing.rankings import by_document, parameters_of

REPLAY = shelf.find("engines", "replay")


def answers(folder: Path, content: str, *queries: str, depth: int = 10) -> list[dict[str, float]]:
    (folder / "old.run").write_text(content)
    opened = REPLAY.open(parameters_of(REPLAY, path="old.run"), Ground(folder=str(folder), read_run=read_run))
    assert opened.identity == {"run": read_run(str(folder / "old.run")).content_hash}
    return [by_document(ranking) for ranking in opened.search([Query(query, "words") for query in queries], depth)]


def test_scores_order_the_documents_and_ties_go_by_id(tmp_path: Path) -> None:
    run = "1 Q0 a 1 2.5 x\n1 Q0 b 2 2.5 x\n1 Q0 c 3 9 x\n2 Q0 a 1 -1 x\n"
    assert answers(tmp_path, run, "2", "1", "3") == [{"a": -1.0}, {"c": 9.0, "b": 2.5, "a": 2.5}, {}]
    assert answers(tmp_path, run, "1", depth=2) == [{"c": 9.0, "b": 2.5}]


def test_where_there_are_only_ranks_scores_count_down(tmp_path: Path) -> None:
    assert answers(tmp_path, "1\ta\t1\n1\tb\t2\n1\tz\t3\n", "1") == [{"a": 3.0, "b": 2.0, "z": 1.0}]


def test_a_wrong_file_is_refused_when_it_is_opened(tmp_path: Path) -> None:
    ground = Ground(folder=str(tmp_path), read_run=read_run)
    with raises(Unreadable, tmp_path / "old.run"):
        REPLAY.open(parameters_of(REPLAY, path="old.run"), ground)
    with raises(UsageError, "replay", "read_run", "Ground"):
        REPLAY.open(parameters_of(REPLAY, path="old.run"), Ground())
