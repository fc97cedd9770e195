"""A search by hand: which setting wins, what it is worth, and that losers never see a test query."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stack.tune.made import ASKED, DOCUMENT, RELEVANT, SPLITS, at_hand, collection, config, tuned

from rankproof.kernel.estimate import Estimate
from rankproof.stack.tune.config import tune_config_of


@pytest.fixture(autouse=True)
def engine() -> Iterator[None]:
    with at_hand():
        yield


def test_the_best_setting_on_dev_wins_and_both_gains_are_told() -> None:
    """As written (a first): c is third, b second, d fourth.

    dev:  as written (4/3 + 1/2 + 1/4) / 6 = 25/72; with c first (4 + 1/3 + 1/4) / 6 = 55/72
    test: as written (5/3 + 1/4) / 6 = 23/72; with c first (5 + 1/4) / 6 = 63/72
    """
    found, _ = tuned(config())
    assert found.winner.parameters == {"plain.first": "c"}
    assert found.winner.pipeline == "spelled(first='c') >> cutoff(depth=6)"
    assert [setting.parameters["plain.first"] for setting in found.settings] == ["a", "b", "c", "d"]
    assert (found.dev.before, found.dev.after) == (pytest.approx(25 / 72), pytest.approx(55 / 72))
    assert found.test is not None
    assert (found.test.before, found.test.after) == (pytest.approx(23 / 72), pytest.approx(63 / 72))
    assert found.test.answer.value == pytest.approx(40 / 72)
    assert found.test.by_query["t5"] == 0.0  # d stays fourth
    assert isinstance(found.test.answer, Estimate)
    assert found.ruling.outcome == "gain"
    assert not found.ruling.overfitted


def test_only_the_winner_and_what_is_written_ever_see_a_test_query() -> None:
    tuned(config())
    assert {first for first, query in ASKED if query in SPLITS["dev"]} == {"a", "b", "c", "d"}
    assert {first for first, query in ASKED if query in SPLITS["test"]} == {"a", "c"}


def test_no_test_query_is_asked_where_nothing_beats_what_is_written() -> None:
    found, _ = tuned(config(), collection({**RELEVANT, **dict.fromkeys(SPLITS["dev"], "a")}, SPLITS))
    assert found.winner.number == 0
    assert found.test is None
    assert found.against == ()
    assert found.ruling.outcome == "as written"
    assert {query for _, query in ASKED} == set(SPLITS["dev"])


def test_a_tie_leaves_what_is_written() -> None:
    """`effort` makes other pipelines that answer the same."""
    found, _ = tuned(config(dials={"plain": {"effort": [1, 5, 10, 50]}}))
    assert found.winner.number == 0
    assert found.ruling.outcome == "as written"


def test_the_tuned_mode_is_held_against_the_other_modes_on_test() -> None:
    """`letters` answers as `plain` as written does: 23/72 on test; `plain` tuned is the tuned mode without its cut."""
    found, _ = tuned(config())
    assert [other.mode for other in found.against] == ["plain", "plain, tuned", "other"]
    plain, same, other = found.against
    assert plain.value == other.value == pytest.approx(23 / 72)
    assert plain.answer.value == pytest.approx(40 / 72)
    assert same.answer.value == 0.0
    assert same.p_adjusted is None  # nothing differs: there is no test


def test_a_measure_where_less_is_better_turns_the_sign() -> None:
    """AvgPos of the one relevant letter: a gain is a position won, and above 0."""
    found, _ = tuned(config(measure="AvgPos"))
    assert found.better == "lower"
    assert found.winner.parameters == {"plain.first": "c"}
    assert found.test is not None
    assert found.test.answer.value == pytest.approx((5 * 2 + 0) / 6)
    assert found.ruling.outcome == "gain"


def test_how_the_measure_answers_to_a_parameter() -> None:
    found, _ = tuned(config(dials={"plain": {"first": ["b", "c"], "effort": [1, 10]}}))
    replies = {reply.low: reply for reply in found.responses["plain.first"]}
    assert [reply.settings for reply in replies.values()] == [1, 2, 2]  # a as written, then b and c with both efforts
    assert replies["c"].best == replies["c"].mean == pytest.approx(55 / 72)
    assert replies["c"].gain.value == pytest.approx(30 / 72)


def test_queries_are_drawn_where_no_splits_are_named() -> None:
    table = {"share": 0.25, "dials": {"plain": {"first": list("abcd")}}}
    drawn, _ = tuned(tune_config_of({**DOCUMENT, "tune": table}, "t.toml"), collection(RELEVANT))
    assert (len(drawn.dev_queries), drawn.test_queries) == (3, 9)


def test_a_text_on_both_sides_is_told() -> None:
    relevant = collection(RELEVANT, SPLITS)
    twice = type(relevant)(
        "made", None, tuple(type(q)(q.query_id, "the same words") for q in relevant.queries), relevant.qrels,
        splits=SPLITS,
    )  # fmt: skip
    found, _ = tuned(config(), twice)
    assert found.notes == ("6 test queries have the text of a dev query: they are not untouched.",)
