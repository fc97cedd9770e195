"""Hostile Python objects: a result or one of our errors, which says whose value is wrong; and no broken process."""

from __future__ import annotations

import decimal
import fractions
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, RankproofError
from rankproof.testing.tables import table_of

QRELS = {"q1": {"d1": 1, "d2": 0}}

WRONG = [
    ({"q1": {"d1": "high"}}, "'high' is not a number, but a score must be one"),
    ({"q1": {"d1": None}}, "document 'd1' has null for its number"),
    ({"q1": {"d1": b"1"}}, "b'1' is not a number"),
    ({"q1": {"d1": [1]}}, "no query id is in both"),  # the run q1, whose query d1 has the document 1
    ({"q1": {"d1": 1j}}, "1j is not a number"),
    ({"q1": {None: 2.5}}, "None cannot be an id"),
    ({b"q1": {"d1": 2.5}}, "b'q1' cannot be an id"),
    ({"q1": 5}, "query 'q1': found 5 where the documents should be"),
    (
        {"q1": "d1"},
        "d1: there is no such file. {'q1': 'd1'} maps the names of several runs",
    ),  # a mapping from names to paths is several runs
    ({"q1": None}, "query 'q1': found None where the documents should be"),
    ({"q1": {"d1": float("nan")}}, "is NaN"),
    ({"q1": {"d1": float("inf")}}, "is infinite"),
    ({"q1": {"d1": 10**400}}, "is infinite, or too large to hold"),
    ({"q1": {"d1": -(10**400)}}, "is infinite, or too large to hold"),
    ({"q1": {"d1": "1e999"}}, "is infinite, or too large to hold"),
    ({1: {"d1": 10**400}}, "is infinite, or too large to hold"),
    ({"q1": ["d1", "d1"]}, "document 'd1' is already ranked for query 'q1'"),
    ({"q1": {1: 2.5, "1": 1.5}}, "document '1' is already ranked for query 'q1'"),
    ({"q1\0\n": {"d\ud800": None}}, r"query 'q1\x00\n': document 'd\ud800' has null"),
    ({"q" * 5000: {"d" * 5000: None}}, "has null for its number"),
    ({"q1": {}}, "no row"),
    ({}, "no row"),
]


@pytest.mark.parametrize(("run", "words"), WRONG)
def test_what_a_run_cannot_be(run: Any, words: str) -> None:
    with pytest.raises(InputError) as refused:
        rankproof.evaluate(QRELS, run, "RR")
    assert words in str(refused.value)
    assert len(str(refused.value)) < 600


@pytest.mark.parametrize(
    ("qrels", "words"),
    [
        ({"q1": {"d1": "high"}}, "'high' is not a number, but a grade must be one"),
        ({"q1": {"d1": 0.5}}, "is 0.5, which is not a whole number"),
        ({"q1": {"d1": float("nan")}}, "the grade of document 'd1' for query 'q1' is not a number"),
        ({"q1": {"d1": 10**30}}, "beyond any scale of grades"),
        ({"q1": {"d1": -(10**30)}}, "beyond any scale of grades"),
        ({"q1": {(1, 2): 1}}, "(1, 2) cannot be an id"),
        ({"q1": None}, "found None where the documents should be"),
        ({"q1": ["d1"], "q2": {"d1": 1}}, "some rows have a grade and some have none"),
        ({}, "no row"),
    ],
)
def test_what_qrels_cannot_be(qrels: Any, words: str) -> None:
    with pytest.raises(InputError) as refused:
        rankproof.evaluate(qrels, {"q1": {"d1": 1.0}}, "RR")
    assert words in str(refused.value)


def as_file(grade: int) -> bytes:
    return f"q1 0 d1 {grade}\nq1 0 d2 1\n".encode()


@pytest.mark.parametrize("form", [lambda grade: {"q1": {"d1": grade, "d2": 1}}, as_file], ids=["dict", "file"])
@pytest.mark.parametrize("grade", [2_000_000_000, 2_000_000_001, 2**31 - 1, 2**31, -2_000_000_001, -(2**31)])
def test_the_greatest_grade_counts_and_the_next_is_refused(form: Callable[[int], Any], grade: int) -> None:
    """One between the bound of the core and that of the check was read as 0 without a word."""
    if abs(grade) <= 2_000_000_000:
        assert rankproof.evaluate(form(grade), {"q1": {"d1": 2.0, "d2": 1.0}}, "nDCG@1")["nDCG@1"].mean == 1.0
        return
    with pytest.raises(InputError, match="beyond any scale of grades"):
        rankproof.evaluate(form(grade), {"q1": {"d1": 2.0, "d2": 1.0}}, "nDCG@1")


@pytest.mark.parametrize(
    "number",
    [2, True, np.float32(2), np.float64(2), np.int8(2), np.uint64(2), fractions.Fraction(2), decimal.Decimal(2)],
)
def test_whatever_is_a_number_is_a_score(number: Any) -> None:
    run = {"q1": {"d2": number, "d1": 0.5}}
    assert rankproof.evaluate(QRELS, run, "RR")["RR"].mean == 0.5
    assert rankproof.evaluate({"q1": {"d2": number}}, run, "RR")["RR"].mean == 1


class Hostile:
    """A number that raises whatever it is told to, or nothing that anybody foresees."""

    def __init__(self, error: BaseException) -> None:
        self.error = error

    def __float__(self) -> float:
        raise self.error


def test_an_error_of_somebody_else_is_not_swallowed() -> None:
    for error in (KeyboardInterrupt(), ZeroDivisionError("theirs"), MemoryError()):
        with pytest.raises(type(error)):
            rankproof.evaluate(QRELS, {"q1": {"d1": Hostile(error)}}, "RR")
    with raises(InputError, "<dict>", "row 1", "score"):
        rankproof.evaluate(QRELS, {"q1": {"d1": Hostile(TypeError("no"))}}, "RR")


@pytest.mark.parametrize("what", [None, 5, 2.5, object(), RankproofError, lambda: None, {1, 2}, iter([]), np.zeros(3)])
def test_what_is_no_run_at_all(what: Any) -> None:
    with pytest.raises(RankproofError):
        rankproof.evaluate(QRELS, what, "RR")
    with pytest.raises(RankproofError):
        rankproof.evaluate(what, {"q1": {"d1": 1.0}}, "RR")


def test_nothing_is_written_into_what_was_given() -> None:
    run = {"q1": {"d2": 1.0, "d1": 1.0}, "q2": {"d1": 1.0}}
    before = {query: dict(docs) for query, docs in run.items()}
    rankproof.evaluate(QRELS, run, "nDCG@10 RR")
    assert run == before
    assert list(run["q1"]) == ["d2", "d1"]


KEYS = st.one_of(
    st.sampled_from(["q1", "q2", "d1", "d2", "query_id", "doc_id", "score", "docs"]),
    st.text(max_size=2),
    st.integers(0, 3),
)
JUNK: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(),
        st.binary(max_size=3),
        st.one_of(st.text(max_size=3), st.sampled_from(["q1", "d1", "d2", "\ud800", ""])),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3), st.tuples(inner, inner)
    ),
    max_leaves=8,
)


@settings(max_examples=examples(400), deadline=None)
@given(JUNK.filter(lambda what: not isinstance(what, str)))
def test_any_nest_of_values(what: Any) -> None:
    for qrels, run in ((QRELS, what), (what, {"q1": {"d1": 1.0, "d2": 2.0}}), (what, what)):
        try:
            evaluation = rankproof.evaluate(qrels, run, "RR nDCG@5")
        except RankproofError as error:
            message = str(error)
            assert 10 < len(message) < 1500
        else:
            assert 0 <= evaluation["RR"].mean <= 1


@settings(max_examples=examples(300), deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2"]),
        st.dictionaries(st.text(max_size=2), st.one_of(st.integers(-3, 3), st.floats()), max_size=6),
        max_size=3,
    )
)
def test_a_dict_that_is_accepted_is_measured_right(run: dict[str, dict[str, float]]) -> None:
    qrels = {"q1": {"d": 1, "é": 2, "0": 0}, "q2": {"0": 1}}
    rows = [(doc, score) for docs in run.values() for doc, score in docs.items()]
    sound = rows and all(doc and doc.isprintable() and np.isfinite(score) for doc, score in rows)
    try:
        found = rankproof.prepare(qrels).prepare(run)
        table = found.table(table_of(qrels, {}).order)
    except RankproofError:
        assert not sound
        return
    # Ids that cannot be printed are no fault in a dict; a number that is none and an empty id are.
    assert rows
    assert all(doc and np.isfinite(score) for doc, score in rows)
    expected = table_of(qrels, run)
    for column in ("rank", "tie_first", "tie_last", "doc", "start", "retrieved", "in_run"):
        np.testing.assert_array_equal(getattr(table, column), getattr(expected, column))
