"""From every format to every other: what is written reads back, whatever is in the ids; or it is refused."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

from rankproof.errors import InputError
from rankproof.kernel import shelf
from rankproof.reading.collect import read_qrels, read_run, read_topics
from rankproof.reading.formats.contract import Noun
from rankproof.reading.records import Qrels, Run
from rankproof.reading.write import pieces

RUNS = [name for name, form in shelf.offered("formats").items() if "run" in form.writes]
QRELS = [name for name, form in shelf.offered("formats").items() if "qrels" in form.writes]
TOPICS = [name for name, form in shelf.offered("formats").items() if "topics" in form.writes]
READERS: dict[Noun, Callable[..., Any]] = {"run": read_run, "qrels": read_qrels, "topics": read_topics}


def through(record: Any, name: str, noun: Noun, forced: bool = False) -> Any:
    """A record written in a format and read back by content (or by name)."""
    written = b"".join(pieces(record, shelf.find("formats", name)))
    return READERS[noun](written, name if forced else None)


RUN = {"q1": {"d1": 2.5, "d2": 1.5, "d3": 1.5}, "q2": {"d1": -0.25, "d9": -1e-300}}


@pytest.mark.parametrize(("first", "second"), list(product(RUNS, RUNS)))
def test_runs(first: str, second: str) -> None:
    run = read_run(RUN)
    back = through(through(run, first, "run"), second, "run")
    assert back.content_hash == run.content_hash
    assert back == run


@pytest.mark.parametrize(("first", "second"), list(product(QRELS, QRELS)))
def test_qrels(first: str, second: str) -> None:
    # Grades that each of the two formats has a word for.
    grades = (1, 1) if "testcases" in (first, second) else (3, 0)
    qrels = read_qrels({"q1": {"d1": grades[0], "d2": grades[1]}, "q2": {"d1": 1}})
    back = through(through(qrels, first, "qrels"), second, "qrels")
    assert back.content_hash == qrels.content_hash


@pytest.mark.parametrize(("first", "second"), list(product(TOPICS, TOPICS)))
def test_topics(first: str, second: str) -> None:
    topics = {"q1": 'how to, say, reset; a "password"?', "2": "Öffnungszeiten"}
    assert through(through(topics, first, "topics"), second, "topics") == topics


@pytest.mark.parametrize("name", RUNS)
def test_a_run_without_scores_keeps_its_order(name: str) -> None:
    run = read_run({"q1": ["d1", "d9", "d3"], "q2": ["d4"]})
    back = through(run, name, "run")
    assert [list(back[query]) for query in back] == [["d1", "d9", "d3"], ["d4"]]
    assert back.kind == ("score" if name == "trec" else "rank")
    if name == "trec":
        assert back["q1"] == {"d1": 3.0, "d9": 2.0, "d3": 1.0}
    else:
        assert back.content_hash == run.content_hash


@pytest.mark.parametrize("name", RUNS)
def test_distances_keep_their_order(name: str) -> None:
    run = read_run({"q1": {"near": 0.0, "far": 2.0, "between": 1.0}}, lower_is_better=True)
    back = through(run, name, "run")
    assert list(back["q1"]) == ["near", "between", "far"]
    if name in ("trec", "json"):
        assert back["q1"] == {"near": 0.0, "between": -1.0, "far": -2.0}
        assert str(back["q1"]["near"]) == "0.0"
    else:
        assert back.content_hash == run.content_hash


@pytest.mark.parametrize("name", RUNS)
def test_a_run_read_by_rank_keeps_that_order(name: str) -> None:
    """Its scores say otherwise: written, they would turn the ranking around."""
    run = read_run(b"q1 Q0 d1 2 9.0 t\nq1 Q0 d2 1 1.0 t\n", order="rank")
    assert list(run["q1"]) == ["d2", "d1"]
    assert list(through(run, name, "run")["q1"]) == ["d2", "d1"]


SUBTOPICS = b"q1 1 d1 1\nq1 2 d1 2\nq1 2 d2 0\n"


@pytest.mark.parametrize("name", QRELS)
def test_subtopics_are_kept_or_refused(name: str) -> None:
    qrels = read_qrels(SUBTOPICS)
    if name in ("beir", "json", "esci", "testcases"):
        with raises(InputError, "subtopics", "trec", "tsv", "csv"):
            through(qrels, name, "qrels")
    else:
        assert through(qrels, name, "qrels").content_hash == qrels.content_hash


ids = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
plain_ids = st.text("abcXYZ019-_.:/é字", min_size=1, max_size=6)
scores = st.floats(allow_nan=False, allow_infinity=False)


BLANKS = " \t\n\v\f\r"


def holds(name: str, world: dict[str, Any]) -> bool:
    """Whether a format can hold all ids of a world: the plain statement of what the text formats refuse."""
    texts = [text for query, docs in world.items() for text in (query, *docs)]
    if name not in ("trec", "tsv", "csv", "beir"):
        return True
    if any("\0" in text for text in texts):
        return False
    if name == "trec":
        begins = any(query.startswith("#") for query in world)
        return not begins and not any(blank in text for text in texts for blank in BLANKS)
    within = "\n\r" if name == "csv" else "\t\n\r"
    return all(text == text.strip(BLANKS) and not any(c in text for c in within) for text in texts)


@given(st.sampled_from(RUNS), st.dictionaries(ids, st.dictionaries(ids, scores, min_size=1), min_size=1, max_size=4))
@settings(max_examples=examples(300), deadline=None)
def test_any_run_reads_back_or_is_refused(name: str, scored: dict[str, dict[str, float]]) -> None:
    run = read_run(scored)
    if not holds(name, scored):
        with raises(InputError, name, "json", "jsonl"):
            through(run, name, "run", forced=True)
        return
    back = through(run, name, "run", forced=True)
    assert back.to_dict() == run.to_dict()
    assert back == run


@given(
    st.sampled_from([name for name in QRELS if name not in ("esci", "testcases")]),
    st.dictionaries(ids, st.dictionaries(ids, st.integers(-5, 10), min_size=1), min_size=1, max_size=4),
)
@settings(max_examples=examples(300), deadline=None)
def test_any_qrels_read_back_or_are_refused(name: str, graded: dict[str, dict[str, int]]) -> None:
    qrels = read_qrels(graded)
    if not holds(name, graded):
        with raises(InputError, name, "json", "jsonl"):
            through(qrels, name, "qrels", forced=True)
        return
    assert through(qrels, name, "qrels", forced=True) == qrels


@given(
    st.sampled_from(RUNS),
    st.dictionaries(plain_ids, st.dictionaries(plain_ids, scores, min_size=1), min_size=1, max_size=4),
)
@settings(max_examples=examples(200), deadline=None)
def test_a_run_with_usual_ids_is_recognized_in_every_format(name: str, scored: dict[str, dict[str, float]]) -> None:
    run = read_run(scored)
    assert through(run, name, "run") == run


@given(st.dictionaries(plain_ids, st.dictionaries(plain_ids, scores, min_size=1), min_size=1), st.randoms())
@settings(max_examples=examples(100), deadline=None)
def test_the_hash_does_not_depend_on_the_order_of_rows(scored: dict[str, dict[str, float]], random: Any) -> None:
    run = read_run(scored)
    rows = [(q, d, s) for q, docs in scored.items() for d, s in docs.items()]
    random.shuffle(rows)
    assert read_run(rows).content_hash == run.content_hash


def test_the_hash_sees_every_difference() -> None:
    worlds: list[Run | Qrels] = [
        read_run({"q1": {"d1": 1.0}}),
        read_run({"q1": {"d1": 1.5}}),
        read_run({"q1": {"d1": 1.0}}, lower_is_better=True),
        read_run({"q1": ["d1"]}),
        read_run({"q1d": {"1": 1.0}}),
        read_run({"q1": {"d1": 1.0, "d2": 0.0}}),
        read_run({"q1": {"d1": 1.0}, "q2": {"d2": 0.0}}),
        read_qrels({"q1": {"d1": 1}}),
        read_qrels(b"q1 5 d1 1\n"),
    ]
    assert len({world.content_hash for world in worlds}) == len(worlds)
    assert read_run({"q1": {"d1": -0.0}}) == read_run({"q1": {"d1": 0.0}})
