"""The identity of judgments and runs: one hash for one content, whatever way it came, made only when asked for."""

from __future__ import annotations

import gc
import pickle
from pathlib import Path

from tests.raising import raises

import rankproof
from rankproof.errors import FileChanged, InputError, Unreadable
from rankproof.kernel.later import Later
from rankproof.measuring.identity import file_hash
from rankproof.measuring.prepare import PreparedQrels

WORLD = {"q2": {"a": 2, "b": 0}, "q1": {"a": 1}}
RUN = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 0.5}}
TREC = "q1 0 a 1\nq2 0 a 2\nq2 0 b 0\n"
TREC_RUN = "q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 b 1 0.5 t\n"


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_prepared_judgments_have_the_content_hash_of_their_qrels(tmp_path: Path) -> None:
    expected = rankproof.read_qrels(WORLD).content_hash
    rows = [("q2", "b", 0), ("q1", "a", 1), ("q2", "a", 2)]
    for given in (WORLD, written(tmp_path, "qrels", TREC), rankproof.read_qrels(WORLD), rows):
        prepared = rankproof.prepare(given)
        assert prepared.grades_hash() == expected
        assert prepared.content_hash() == expected


def test_a_prepared_run_has_the_content_hash_of_its_run(tmp_path: Path) -> None:
    expected = rankproof.read_run(RUN).content_hash
    for given in (RUN, written(tmp_path, "a.run", TREC_RUN), rankproof.read_run(RUN)):
        prepared = rankproof.prepare(WORLD).prepare(given)
        assert prepared.content_hash() == expected
        rankproof.evaluate(prepared.qrels, prepared, "RR")
        assert prepared.content_hash() == expected  # checked against the table that was measured
    by_rank = written(tmp_path, "rank.run", "q1 Q0 a 2 2 t\nq1 Q0 b 1 1 t\n")
    assert (
        rankproof.prepare(WORLD).prepare(by_rank, order="rank").content_hash()
        == rankproof.read_run(by_rank, order="rank").content_hash
        != rankproof.read_run(by_rank).content_hash
    )


def test_subtopics_count_for_the_measures_that_see_them(tmp_path: Path) -> None:
    """The same best grades under other subtopics: one identity for nDCG, two for alpha-nDCG."""
    one = written(tmp_path, "one", "q1 1 a 1\nq1 2 b 1\n")
    two = written(tmp_path, "two", "q1 1 a 1\nq1 1 b 1\n")
    plain = [rankproof.evaluate(path, RUN, "nDCG@10").judgments_hash() for path in (one, two)]
    diverse = [rankproof.evaluate(path, RUN, "alpha_nDCG@10").judgments_hash() for path in (one, two)]
    assert plain[0] == plain[1]
    assert diverse[0] != diverse[1]
    assert diverse == [rankproof.read_qrels(path).content_hash for path in (one, two)]


def test_evaluations_know_their_judgments() -> None:
    ours = rankproof.evaluate(WORLD, RUN, "RR")
    assert ours.judgments_hash() == rankproof.read_qrels(WORLD).content_hash
    assert rankproof.evaluate({**WORLD, "q1": {"a": 2}}, RUN, "RR").judgments_hash() != ours.judgments_hash()
    prepared = rankproof.prepare(WORLD)
    first, second = (prepared.evaluate(RUN, "RR") for _ in range(2))
    assert first.judgments_hash is second.judgments_hash  # made once for all runs


def test_judgments_in_memory_may_change_later_without_changing_what_was_measured() -> None:
    changing = {query: dict(docs) for query, docs in WORLD.items()}
    evaluation = rankproof.evaluate(changing, RUN, "RR")
    changing["q1"]["a"] = 0
    assert evaluation.judgments_hash() == rankproof.read_qrels(WORLD).content_hash


def test_a_source_that_changed_since_is_refused(tmp_path: Path) -> None:
    qrels = written(tmp_path, "qrels", TREC)
    prepared = rankproof.prepare(qrels)
    qrels.write_text(TREC.replace("q1 0 a 1", "q1 0 a 0"))
    with raises(FileChanged, qrels):
        prepared.content_hash()
    run = written(tmp_path, "a.run", TREC_RUN)
    joined = rankproof.prepare(WORLD).prepare(run)
    rankproof.evaluate(joined.qrels, joined, "RR")
    run.write_text("q1 Q0 b 1 2 t\nq1 Q0 a 2 1 t\nq2 Q0 b 1 0.5 t\n")
    with raises(FileChanged, run):
        joined.content_hash()


def test_a_source_that_is_read_anew_and_says_something_else_is_refused(tmp_path: Path) -> None:
    """JSON is opened again for its rows: then what it says is compared, not the file."""
    qrels = written(tmp_path, "qrels.json", '{"q1": {"a": 1, "b": 0}, "q2": {"b": 1}}')
    prepared = rankproof.prepare(qrels)
    qrels.write_text('{"q1": {"a": 0, "b": 0}, "q2": {"b": 1}}')
    with raises(InputError, qrels, "changed"):
        prepared.content_hash()


def test_the_hash_is_made_when_asked_for_and_once() -> None:
    made: list[int] = []

    def make() -> str:
        made.append(1)
        return "abc"

    later = Later(make)
    assert made == []
    assert repr(later) == "Later(...)"
    assert later() == later() == "abc"
    assert made == [1]
    assert repr(later) == "Later('abc')"
    assert pickle.loads(pickle.dumps(later))() == "abc"


def test_an_evaluation_takes_its_judgments_hash_to_another_process() -> None:
    evaluation = rankproof.evaluate(WORLD, RUN, "RR")
    there = pickle.loads(pickle.dumps(evaluation))
    assert there.judgments_hash() == evaluation.judgments_hash()


def test_prepared_judgments_go_when_nobody_needs_them() -> None:
    """A cycle would keep a loop's judgments in memory until the collector runs."""

    def alive() -> int:
        # The type itself: to ask a weak proxy what it is an instance of asks what may be gone.
        return sum(issubclass(type(thing), PreparedQrels) and thing.name == "<dict>" for thing in gc.get_objects())

    gc.collect()
    gc.disable()
    try:
        before = alive()
        prepared = rankproof.prepare(WORLD)
        prepared.grades_hash()
        assert alive() == before + 1
        del prepared
        assert alive() == before
    finally:
        gc.enable()


def test_the_hash_of_a_file_is_that_of_its_bytes(tmp_path: Path) -> None:
    # The SHA-256 of nothing is a number that everybody knows.
    nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert file_hash(str(written(tmp_path, "nothing", ""))) == nothing
    with raises(Unreadable, tmp_path / "none"):
        file_hash(str(tmp_path / "none"))
    with raises(Unreadable, tmp_path, "directory"):
        file_hash(str(tmp_path))
