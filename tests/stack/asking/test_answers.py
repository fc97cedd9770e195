from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.raising import raises

from rankproof.errors import InputError, UsageError
from rankproof.reading.ranking import Answered, Ranking
from rankproof.stack.asking.answers import Answers


def answered(query: str, *docs: str) -> Answered:
    return Answered(query, Ranking.of(list(docs), [0.1 + 1 / (n + 3) for n in range(len(docs))]), 12.5, 2)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Three answers."""
    with Answers(tmp_path / "answers.jsonl") as answers:
        for n in range(3):
            answers.put(f"k{n}", answered(f"q{n}", "a", "b", f"c{n}"))
    return tmp_path / "answers.jsonl"


def test_what_is_kept_comes_back_to_the_last_bit(tmp_path: Path) -> None:
    odd = answered("q ü", "d\udcff", "née", "x y")
    with Answers(tmp_path / "a") as answers:
        answers.put("k", odd)
        assert answers.get("other") is None
    with Answers(tmp_path / "a") as answers:
        back = answers.get("k")
    assert back is not None
    assert (back.query_id, back.ranking.doc_ids) == (odd.query_id, odd.ranking.doc_ids)
    assert back.ranking.scores.tolist() == odd.ranking.scores.tolist()
    assert (back.milliseconds, back.attempts) == (12.5, 2)


def test_an_empty_ranking_is_kept_too(tmp_path: Path) -> None:
    with Answers(tmp_path / "a") as answers:
        answers.put("k", answered("q"))
        back = answers.get("k")
    assert back is not None
    assert len(back.ranking) == 0


def test_what_is_forgotten_stays_so(file: Path) -> None:
    with Answers(file) as answers:
        answers.forget()
        assert answers.get("k0") is None
        answers.put("k9", answered("q9", "z"))
    with Answers(file) as answers:
        assert (len(answers), answers.damaged) == (1, 0)
        assert answers.get("k9") is not None


def test_every_line_is_json(file: Path) -> None:
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line["answer"].get("query_id") for line in lines] == [None, "q0", "q1", "q2"]


def test_every_way_to_tear_the_end_keeps_what_was_whole(file: Path) -> None:
    """Cut at every fifth byte and around line ends: whole lines stay, the half one goes, the next is read."""
    whole = file.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    near = {end + by for end in ends for by in (-2, -1, 0, 1)}
    for cut in sorted({*range(0, len(whole), 5), *near} - {len(whole) + 1}):
        file.write_bytes(whole[:cut])
        with Answers(file) as answers:
            assert len(answers) == max(sum(end <= cut for end in ends) - 1, 0)
            answers.put("new", answered("q9", "z"))
        with Answers(file) as answers:
            new = answers.get("new")
            assert new is not None
            assert new.ranking.doc_ids == ("z",)
            assert answers.damaged == 0


def test_a_damaged_line_is_counted_and_not_trusted(file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"a"', b'"x"')
    file.write_bytes(b"".join(lines))
    with Answers(file) as answers:
        assert answers.damaged == 1
        assert answers.get("k1") is None
        assert answers.get("k0") is not None
        assert answers.get("k2") is not None


def test_the_last_answer_under_a_key_counts(file: Path) -> None:
    with Answers(file) as answers:
        answers.put("k1", answered("q1", "new"))
    with Answers(file) as answers:
        back = answers.get("k1")
    assert back is not None
    assert back.ranking.doc_ids == ("new",)


@pytest.mark.parametrize("content", [b"q1 Q0 d1 1 2.0 bm25\n", b"some notes", b"{}\n"])
def test_another_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notes").write_bytes(content)
    with raises(InputError, tmp_path / "notes"):
        Answers(tmp_path / "notes")
    assert (tmp_path / "notes").read_bytes() == content


def test_two_fetches_at_once_are_refused(file: Path) -> None:
    with Answers(file), raises(UsageError, file, "use"):
        Answers(file)
    with Answers(file) as free:
        assert len(free) == 3


def test_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    with raises(UsageError, tmp_path / "no" / "such" / "folder", "No such file or directory"):
        Answers(tmp_path / "no" / "such" / "folder")
