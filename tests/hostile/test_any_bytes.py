"""Any bytes at all: a result or one of our errors; and a result is what the plain reading of the file gives."""

from __future__ import annotations

import math

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.hostile import plain
from tests.hostile.strategies import anything, nearly_qrels, nearly_run

import rankproof
from rankproof.errors import RankproofError
from rankproof.measuring.records import Evaluation

MEASURES = "nDCG@10 RR AP P@3 R@5 Bpref Judged@5 NumRet"
GOOD_QRELS = b"q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 2\n"
GOOD_RUN = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq2 Q0 d1 1 1 t\n"
QUICK = settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
LONG = settings(QUICK, max_examples=20_000)


def is_for_a_person(message: str) -> bool:
    return 10 < len(message) < 1500 and "\n" not in message


def sound(evaluation: Evaluation) -> bool:
    """Whether every value of a result is a number in its place."""
    return all(
        math.isfinite(value) and (name == "NumRet" or -1e-12 <= value <= 1 + 1e-12)
        for name, result in evaluation.items()
        for value in result.by_query.values()
    )


def read_anything(qrels: bytes, run: bytes) -> None:
    try:
        evaluation = rankproof.evaluate(qrels, run, MEASURES)
    except RankproofError as error:
        message = str(error)
        assert is_for_a_person(message)
        return
    assert sound(evaluation)
    assert evaluation.population.judged >= evaluation.population.scored > 0


def read_as_noun(content: bytes, noun: str) -> None:
    try:
        read = rankproof.read_run(content) if noun == "run" else rankproof.read_qrels(content)
    except RankproofError as error:
        message = str(error)
        assert is_for_a_person(message)
        return
    assert len(read) > 0
    ids = [*read, *(doc for query in read for doc in read[query])]
    assert all(ids)
    assert all(name.encode() for name in ids), "an id that was accepted can be written"


def same_as_plain(qrels: bytes, run: bytes) -> None:
    """Accepted or refused as the plain reading says, and with its values."""
    try:
        expected = plain.evaluation(plain.qrels(qrels), plain.run(run), MEASURES)
    except plain.MeansNothing:
        with pytest.raises(RankproofError):
            rankproof.evaluate(qrels, run, MEASURES, qrels_format="trec", run_format="trec")
        return
    found = rankproof.evaluate(qrels, run, MEASURES, qrels_format="trec", run_format="trec")
    for name, result in expected.items():
        assert found[name].by_query == result.by_query
        assert found[name].mean == result.mean


@QUICK
@given(anything)
def test_any_run(content: bytes) -> None:
    read_anything(GOOD_QRELS, content)


@QUICK
@given(anything)
def test_any_qrels(content: bytes) -> None:
    read_anything(content, GOOD_RUN)


@QUICK
@given(anything, st.sampled_from(["run", "qrels"]))
def test_any_file(content: bytes, noun: str) -> None:
    read_as_noun(content, noun)


@QUICK
@given(nearly_qrels(), nearly_run())
def test_what_is_accepted_is_measured_right(qrels: bytes, run: bytes) -> None:
    same_as_plain(qrels, run)


@pytest.mark.full
@LONG
@given(anything, anything)
def test_any_pair_at_length(qrels: bytes, run: bytes) -> None:
    read_anything(qrels, run)
    read_anything(GOOD_QRELS, run)
    read_anything(qrels, GOOD_RUN)
    read_as_noun(run, "run")
    read_as_noun(qrels, "qrels")


@pytest.mark.full
@LONG
@given(nearly_qrels(), nearly_run())
def test_what_is_accepted_is_measured_right_at_length(qrels: bytes, run: bytes) -> None:
    same_as_plain(qrels, run)
    same_as_plain(GOOD_QRELS, run)


def test_the_plain_reading_accepts_and_refuses() -> None:
    # The property above is worth something only while both happen often.
    seen = {"accepted": 0, "refused": 0}

    # The same examples every time: how often is a fact about the strategies, not a matter of luck.
    @settings(max_examples=400, deadline=None, database=None, derandomize=True)
    @given(nearly_qrels(), nearly_run())
    def count(qrels: bytes, run: bytes) -> None:
        try:
            plain.evaluation(plain.qrels(qrels), plain.run(run), "RR")
        except plain.MeansNothing:
            seen["refused"] += 1
        else:
            seen["accepted"] += 1

    count()
    assert min(seen.values()) > 20
