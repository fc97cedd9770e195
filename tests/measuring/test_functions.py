"""Functions as measures: what they see, what becomes of their values, and where they cannot go."""

from __future__ import annotations

import functools
import math
import pickle
import types

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.raising import raises

import rankproof
from rankproof.errors import InputError, Refused, UsageError
from rankproof.measuring.functions import FunctionMeasure, QueryView

QRELS = {"q1": {"a": 2, "b": 0, "c": 1}, "q2": {"a": 1}, "q3": {"é b": -1, "z": 3}}
RUN = {"q1": {"c": 3.0, "x": 2.0, "a": 1.0}, "q2": {"y": 1.0}, "q4": {"a": 1.0}}


def views(qrels=QRELS, run=RUN, **choices):
    """What a function sees, by query."""
    seen = {}

    def look(view):
        seen[view.query_id] = view
        return 0

    rankproof.evaluate(qrels, run, [look], **choices)
    return seen


def test_a_view_has_the_ranking_with_scores_and_grades_and_the_judgments():
    seen = views()
    assert list(seen) == ["q1", "q2", "q3"]
    one = seen["q1"]
    assert (one.doc_ids, one.scores, one.grades) == (("c", "x", "a"), (3.0, 2.0, 1.0), (1, None, 2))
    assert (one.judged, one.relevant, one.ideal) == ((True, False, True), 2, (2, 1, 0))
    assert dict(one.judgments) == QRELS["q1"]
    assert (one.in_run, one.level) == (True, 1)
    assert (seen["q3"].doc_ids, seen["q3"].in_run, seen["q3"].ideal) == ((), False, (3, -1))


@pytest.mark.parametrize(
    ("choices", "doc_ids", "grades"),
    [
        ({"depth": 2}, ("c", "x"), (1, None)),
        ({"judged_only": True}, ("c", "a"), (1, 2)),
        ({"depth": 2, "judged_only": True}, ("c",), (1,)),  # cut before it is condensed, as decision 2 says
        ({"lower_is_better": True}, ("a", "x", "c"), (2, None, 1)),
    ],
)
def test_a_view_is_cut_condensed_and_ordered_as_the_choices_say(choices, doc_ids, grades):
    one = views(**choices)["q1"]
    assert (one.doc_ids, one.grades) == (doc_ids, grades)


def test_a_view_follows_the_dialect_in_negative_grades_order_and_queries():
    seen = views({"q": {"a": -1, "b": 1}, "r": {"a": 1}}, {"q": {"a": 0.700000001, "b": 0.7}}, dialect="pytrec_eval")
    assert list(seen) == ["q"]  # a query that the run lacks is dropped
    assert seen["q"].doc_ids == ("b", "a")  # one 32-bit score: by descending id
    assert (seen["q"].grades, dict(seen["q"].judgments)) == ((1, None), {"b": 1})


def test_a_relevance_level_and_rankings_without_scores():
    one = views({"q": {"a": 1, "b": 2}}, {"q": ["b", "x", "a"]}, level=2)["q"]
    assert (one.level, one.relevant, one.scores, one.doc_ids) == (2, 1, None, ("b", "x", "a"))


def test_nothing_in_a_view_can_be_changed():
    one = views()["q1"]
    with pytest.raises(AttributeError):
        one.level = 2
    with pytest.raises(TypeError):
        one.judgments["a"] = 0
    for field in (one.doc_ids, one.grades, one.scores):
        assert isinstance(field, tuple)


# ---- the same numbers as the measures of the shelf -------------------------------------------------


def p_at_3(view):
    return sum(grade is not None and grade >= view.level for grade in view.grades[:3]) / 3


def reciprocal(view):
    ranks = [rank for rank, grade in enumerate(view.grades, 1) if grade is not None and grade >= view.level]
    return 1 / ranks[0] if ranks else 0.0


def ndcg_at_2(view):
    def dcg(grades):
        return sum(max(0, grade or 0) / math.log2(rank + 1) for rank, grade in enumerate(grades[:2], 1))

    return dcg(view.grades) / dcg(view.ideal) if view.relevant else 0.0


def judged_at_2(view):
    return sum(view.judged[:2]) / len(view.judged[:2]) if view.judged else 0.0


PAIRS = [(p_at_3, "P@3"), (reciprocal, "RR"), (ndcg_at_2, "nDCG@2"), (judged_at_2, "Judged@2")]
DOCS = st.sampled_from(["a", "b", "c", "d 1", "é", "文", "0", "10", "9"])
JUDGED = st.dictionaries(st.sampled_from("qrs"), st.dictionaries(DOCS, st.integers(-1, 3), min_size=1), min_size=1)
RANKED = st.dictionaries(
    st.sampled_from("qrst"),
    st.dictionaries(DOCS, st.sampled_from([0.0, 1.0, 1.0000000001, 2.0, -3.5]), min_size=1),
    min_size=1,
)


@given(JUDGED, RANKED, st.sampled_from([None, 1, 2]), st.booleans(), st.sampled_from(["rankproof", "pytrec_eval"]))
@settings(max_examples=examples(150), deadline=None)
@example({"q": {"a": 1}}, {"q": {"b": 1.0, "a": 1.0}}, 2, True, "rankproof")  # condensed, tied, cut
def test_a_definition_written_as_a_function_gives_the_measure_of_the_shelf(qrels, run, depth, judged_only, dialect):
    choices = {"depth": depth, "judged_only": judged_only, "dialect": dialect}
    try:
        named = rankproof.evaluate(qrels, run, [text for _, text in PAIRS], **choices)
    except Refused:  # no query in common
        return
    own = rankproof.evaluate(qrels, run, [function for function, _ in PAIRS], **choices)
    for function, text in PAIRS:
        assert own[function.__name__].by_query == pytest.approx(named[text].by_query, abs=1e-12), text
        assert list(own[function.__name__].query_ids) == list(named[text].query_ids)
    assert own.population.scored == named.population.scored


# ---- values --------------------------------------------------------------------------------------


def retrieved(view):
    """How many documents were retrieved; no value for a query that the run lacks."""
    return len(view.doc_ids) if view.in_run else None


def test_values_stand_where_they_were_asked_for_and_none_is_left_out():
    evaluation = rankproof.evaluate(QRELS, RUN, ["AP", retrieved, "nDCG@10 P@3", reciprocal])
    assert list(evaluation) == ["AP", "retrieved", "nDCG@10", "P@3", "reciprocal"]
    result = evaluation["retrieved"]
    assert (result.by_query, result.undefined, result.mean) == ({"q1": 3.0, "q2": 1.0}, ("q3",), 2.0)
    assert any("retrieved" in line and "q3" in line for line in evaluation.fine_print)
    assert evaluation.population.scored == 3


@pytest.mark.parametrize("value", [1, 0.5, True, np.float32(0.5), np.int64(2), np.bool_(True)])
def test_numbers_of_python_and_numpy(value):
    result = rankproof.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, FunctionMeasure(lambda view: value, "own"))["own"]
    assert result.by_query == {"q": float(value)}
    assert type(result.mean) is float


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, -math.inf, "1", "", 1j, [1.0], {}, np.array([1.0]), np.float64("nan"), b"1"]
)
def test_what_is_no_finite_number(value):
    with raises(UsageError, "own", "'q1'", type(value).__name__, "None"):
        rankproof.evaluate(QRELS, RUN, [FunctionMeasure(lambda view: value, "own")])


def test_a_value_out_of_its_range():
    with raises(UsageError, "retrieved", "q1", 3, 2):
        rankproof.evaluate(QRELS, RUN, [FunctionMeasure(retrieved, low=0, high=2)])
    assert rankproof.evaluate(QRELS, RUN, [FunctionMeasure(retrieved, low=1, high=3)])["retrieved"].mean == 2.0


def test_an_exception_names_function_query_and_what_is_special_about_the_query():
    def first(view):
        return view.grades[0] or 0

    with raises(UsageError, "first", "'q3'", "IndexError", "lacks") as caught:
        rankproof.evaluate(QRELS, RUN, ["AP", first])
    assert isinstance(caught.value.__cause__, IndexError)
    with pytest.raises(KeyboardInterrupt):
        rankproof.evaluate(QRELS, RUN, FunctionMeasure(lambda view: (_ for _ in ()).throw(KeyboardInterrupt), "own"))


# ---- names and origins ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["AP", "rr", "f", "P", "hit_rate", "map_cut_10", "IPrec", "iprec_at_recall"])
def test_a_function_cannot_have_the_name_of_a_measure(name):
    with raises(UsageError, name):
        rankproof.evaluate(QRELS, RUN, FunctionMeasure(reciprocal, name))


@pytest.mark.parametrize("name", ["a b", "a@10", "f(x=1)", "a,b", "1st", "\n"])
def test_a_name_is_one_word(name):
    with raises(UsageError, "name"):
        FunctionMeasure(reciprocal, name)


def test_lambdas_and_objects_need_a_name():
    with raises(UsageError, "name"):
        rankproof.evaluate(QRELS, RUN, [lambda view: 1])
    with raises(UsageError, "FunctionMeasure", "partial"):
        rankproof.evaluate(QRELS, RUN, [functools.partial(reciprocal)])
    named = rankproof.evaluate(QRELS, RUN, [FunctionMeasure(functools.partial(reciprocal), "mine")])
    assert named["mine"].origin.identity.startswith("object of functools.partial")


@pytest.mark.parametrize("choice", [{"better": "more"}, {"low": 1, "high": 0}, {"low": math.nan}, {"high": "1"}])
def test_what_is_said_of_a_function_is_checked(choice):
    with raises(UsageError, "reciprocal", *(key for key in choice if key != "high")):
        FunctionMeasure(reciprocal, **choice)


def test_two_functions_of_one_name():
    other = types.FunctionType(retrieved.__code__, globals(), "reciprocal")
    with raises(UsageError, "reciprocal"):
        rankproof.evaluate(QRELS, RUN, [reciprocal, "AP", other])


def test_the_fine_print_says_which_function_it_was_and_that_its_name_does_not():
    evaluation = rankproof.evaluate(QRELS, RUN, [FunctionMeasure(retrieved, better="lower"), "AP"])
    (line,) = (line for line in evaluation.fine_print if "retrieved: function" in line)
    assert "test_functions.retrieved" in line
    assert "lower is better" in line
    assert "not reproducible from its name" in line
    assert (evaluation["retrieved"].better, evaluation["AP"].origin) == ("lower", None)
    again = pickle.loads(pickle.dumps(evaluation))
    assert again["retrieved"].origin == evaluation["retrieved"].origin
    assert list(again.fine_print) == list(evaluation.fine_print)


# ---- comparisons and gates -------------------------------------------------------------------------

MANY = {f"q{i}": {"a": 1, "b": 0} for i in range(40)}
GOOD = {query: {"a": 2.0, "b": 1.0} for query in MANY}
BAD = {query: ({"b": 2.0, "a": 1.0} if i % 4 else {"a": 2.0}) for i, query in enumerate(MANY)}


def place(view):
    """The rank of the relevant document."""
    return view.doc_ids.index("a") + 1 if "a" in view.doc_ids else None


def test_a_comparison_in_a_function_alone_and_beside_a_measure():
    measure = FunctionMeasure(place, better="lower", low=1, high=3)
    for measures in ([measure], ["RR", measure], measure):
        comparison = rankproof.compare(MANY, {"good": GOOD}, {"bad": BAD}, measures, rankings=True)
        contrast = comparison.contrast("place")
        # Three of four queries lose a rank.
        assert (contrast.better, contrast.difference.value) == ("lower", 0.75)
        assert isinstance(contrast.difference, rankproof.Estimate)
        assert contrast.difference.low > 0
        assert any("place" in line and "not looked for" in line for line in comparison.fine_print)
        assert comparison.rankings().by_system["bad"]["q1"] == ["b", "a"]
        assert {move.measure for move in comparison.moves} >= {"place"}
        assert comparison.to_html()
        assert "place" in comparison.to_json()


def test_the_worst_of_a_known_range_stands_for_a_missing_value():
    lost = {**GOOD, "q0": {"x": 1.0}}
    ranged = FunctionMeasure(place, better="lower", low=1, high=3)
    contrast = rankproof.compare(MANY, GOOD, lost, ranged).contrast("place")
    assert contrast.difference.value == pytest.approx((3 - 1) / 40)
    unknown = rankproof.compare(MANY, GOOD, lost, FunctionMeasure(place, better="lower"))
    assert "q0" in unknown.contrast("place").difference.reason


def test_evaluations_by_two_functions_of_one_name_are_not_compared():
    good = rankproof.evaluate(MANY, GOOD, place, name="good")
    other = FunctionMeasure(lambda view: 1, "place")
    with raises(InputError, "place", "good", "bad"):
        rankproof.compare_evaluations([good, rankproof.evaluate(MANY, BAD, other, name="bad")])


def test_a_gate_takes_evaluations_and_the_name_of_the_function():
    measure = FunctionMeasure(place, better="lower", low=1, high=3)
    sides = rankproof.evaluate(MANY, {"good": GOOD, "bad": BAD}, [measure, "RR"])
    policy = {"rule": [{"rule": "no_regression", "measure": "place", "margin": 0.2}]}
    assert rankproof.gate(policy, candidate=sides["bad"], baseline=sides["good"]).status == "FAIL"
    assert rankproof.gate(policy, candidate=sides["good"], baseline=sides["bad"]).status == "PASS"


def test_a_policy_names_measures():
    for function in (place, FunctionMeasure(place)):
        policy = {"rule": [{"rule": "least_value", "measure": function, "at_least": 1}]}
        with raises(UsageError, "least_value", "place", "Evaluations"):
            rankproof.gate(policy, qrels=MANY, candidate=GOOD)


@pytest.mark.parametrize(
    "use",
    [
        lambda what: rankproof.leaderboard(MANY, {"good": GOOD, "bad": BAD}, what),
        lambda what: rankproof.leaderboard(MANY, {"good": GOOD, "bad": BAD}, [what]),
        lambda what: rankproof.propose(MANY, {"good": GOOD}, what),
    ],
)
@pytest.mark.parametrize("function", [place, FunctionMeasure(place)], ids=["plain", "FunctionMeasure"])
def test_where_only_named_measures_can_go(use, function):
    with raises(UsageError, "nDCG@10", "FunctionMeasure" if function is place else "place"):
        use(function)


@pytest.mark.parametrize(
    ("choices", "value"),
    [
        ({"ties": "range"}, "range"),
        ({"ties": "expected"}, "expected"),
        ({"undefined": "skip"}, "skip"),
        ({"dialect": "trec_eval_9", "complete": True}, "trec_eval_9"),
    ],
)
def test_choices_that_need_a_definition(choices, value):
    with raises(UsageError, "reciprocal", value):
        rankproof.evaluate(QRELS, RUN, ["AP", reciprocal], **choices)


@pytest.mark.parametrize("nothing", [[], "", (), None, 3, [None]])
def test_no_measure(nothing):
    with raises(UsageError, "nDCG@10"):
        rankproof.evaluate(QRELS, RUN, nothing)


def test_views_are_public_and_can_be_made_by_hand_to_test_a_function():
    view = QueryView("q", ("a", "b"), (2.0, 1.0), (None, 1), {"b": 1, "c": 2})
    assert (reciprocal(view), view.relevant, view.ideal) == (0.5, 2, (2, 1))
    assert rankproof.QueryView is QueryView
    assert rankproof.FunctionMeasure is FunctionMeasure
