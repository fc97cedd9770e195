"""Similarities of two runs, on lists small enough to count by hand."""

from __future__ import annotations

from tests.raising import raises

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.measuring.similarity import similarities


def test_values_by_query_and_their_mean() -> None:
    a = {"q1": ["x", "y"], "q2": ["x", "y", "z"], "only": ["x"]}
    b = {"q2": ["x", "y", "w"], "q1": ["p", "q"], "other": ["x"], "more": []}
    told = similarities(a, b, "Jaccard@3 jaccard@2")
    assert list(told) == ["Jaccard@3", "Jaccard@2"]
    # q1 has nothing in common; q2 shares 2 of 4 documents, and its first two are the same.
    assert told["Jaccard@3"].by_query == {"q1": 0.0, "q2": 0.5}
    assert told["Jaccard@2"].by_query == {"q1": 0.0, "q2": 1.0}
    assert told["Jaccard@3"].mean == 0.25
    assert told["Jaccard@3"].only_a == ("only",)
    assert told["Jaccard@3"].only_b == ("other", "more")


def test_a_query_without_a_value_is_named_and_left_out_of_the_mean() -> None:
    told = similarities({"q1": ["a", "b"], "q2": ["a"]}, {"q1": ["a", "b"], "q2": ["a"]}, "TauAP")["TauAP"]
    assert told.by_query == {"q1": 1.0}
    assert told.undefined == ("q2",)
    assert told.mean == 1.0


def test_nothing_to_compare_has_no_mean() -> None:
    assert similarities({"q1": ["a"]}, {"q2": ["a"]}, "RBO")["RBO"].mean is None


def test_a_document_that_stands_twice_is_refused() -> None:
    with raises(InputError, "second", "'b'", "'q'", "twice"):
        similarities({"q": ["a", "b"]}, {"q": ["a", "b", "c", "b"]}, "RBO")


def test_names_that_nobody_knows() -> None:
    with raises(UnknownName) as unknown:
        similarities({}, {}, "RBQ")
    assert (unknown.value.name, unknown.value.near) == ("RBQ", ["RBO"])
    with raises(UsageError, "RBO@10", "cutoff", "RBO"):
        similarities({}, {}, "RBO@10")
    with raises(UsageError, "RBO(p=1)", "p", "'1'"):
        similarities({}, {}, "RBO(p=1)")
    with raises(UsageError, "similarity", "RBO Jaccard@10"):
        similarities({}, {}, " ")
