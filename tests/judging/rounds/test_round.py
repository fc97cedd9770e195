"""A round: who is asked what, by hand."""

from __future__ import annotations

from tests.judging.rounds.table import act, go_through, pair_of, pool_of

from rankproof.judging.rounds.pool import JudgingPool
from rankproof.judging.rounds.round import HELD, Round

NOW, DAY = "2031-05-05T00:00:00.000000Z", "2031-05-04T00:00:00.000000Z"


def progress(table: Round, judge: str):
    return table.progress(judge, NOW, DAY)


def test_one_judge_goes_through_every_pair_once_query_by_query() -> None:
    table = Round(pool_of(3, 4))
    seen = go_through(table, "ann")
    assert sorted(seen) == sorted(table.pool.pairs)
    assert [query for query, _ in seen] == ["q0"] * 4 + ["q1"] * 4 + ["q2"] * 4
    assert (progress(table, "ann").done, progress(table, "ann").left, progress(table, "ann").mine) == (12, 0, 12)


def test_who_asks_again_gets_the_same() -> None:
    table = Round(pool_of(2, 5))
    first = table.next_pairs("ann", 4, 0.0)
    assert table.next_pairs("ann", 4, 1.0) == first
    assert table.next_pairs("ann", 1, 2.0) == first[:1]
    table.record(act("ann", pair_of(first[0])))
    assert table.next_pairs("ann", 4, 3.0)[:3] == first[1:]


def test_nobody_gets_what_another_has_in_hand_until_that_one_is_away_for_long() -> None:
    table = Round(pool_of(1, 4))
    ann = table.next_pairs("ann", 3, 0.0)
    (bob,) = table.next_pairs("bob", 3, 10.0)
    assert bob not in ann
    assert table.next_pairs("cat", 3, 20.0) == []
    assert len(table.next_pairs("cat", 4, HELD + 5.0)) == 3  # ann's three; bob's is his for 10 seconds more
    assert table.next_pairs("ann", 3, HELD + 6.0) == []


def test_as_many_judges_as_wanted() -> None:
    table = Round(pool_of(2, 3, wanted=2))
    for judge, many in (("ann", 6), ("bob", 6), ("cat", 0)):
        assert len(go_through(table, judge)) == many
    assert progress(table, "cat").done == 6


def test_later_comes_back_at_the_end_and_is_no_grade() -> None:
    table = Round(pool_of(1, 4))
    first = pair_of(table.next_pairs("ann", 1, 0.0)[0])
    table.record(act("ann", first, "later"))
    assert progress(table, "ann").later == 1
    assert progress(table, "ann").left == 4
    seen = go_through(table, "ann")
    assert seen[-1] == first
    assert len(seen) == 4
    assert progress(table, "ann").later == 0


def test_what_one_sets_aside_another_may_take() -> None:
    table = Round(pool_of(1, 1))
    (asked,) = table.next_pairs("ann", 1, 0.0)
    table.record(act("ann", pair_of(asked), "later"))
    assert table.next_pairs("bob", 1, 1.0) == [asked]
    assert table.next_pairs("ann", 1, 2.0) == []  # bob has it in hand
    table.record(act("bob", pair_of(asked), 2))
    assert table.next_pairs("ann", 1, 3.0) == []


def test_again_says_that_it_was_set_aside() -> None:
    table = Round(pool_of(1, 1))
    (asked,) = table.next_pairs("ann", 1, 0.0)
    table.record(act("ann", pair_of(asked), "later"))
    assert not asked.again
    assert table.next_pairs("ann", 1, 0.0)[0].again


def test_who_cannot_tell_is_not_asked_again_and_another_is_until_twice_the_number() -> None:
    table = Round(pool_of(1, 1, wanted=1))
    assert len(go_through(table, "ann", grade="cannot_tell")) == 1
    assert progress(table, "ann").done == 0
    assert len(go_through(table, "bob", grade="cannot_tell")) == 1
    assert go_through(table, "cat") == []
    assert (progress(table, "cat").done, progress(table, "cat").undecided) == (0, 1)


def test_what_is_taken_back_is_asked_again_first() -> None:
    table = Round(pool_of(1, 5))
    first, second = (pair_of(one) for one in table.next_pairs("ann", 2, 0.0))
    said = act("ann", first)
    table.record(said)
    assert pair_of(table.next_pairs("ann", 1, 0.0)[0]) == second
    table.record(act("ann", first, withdraws=said.key))
    assert [pair_of(one) for one in table.next_pairs("ann", 2, 0.0)] == [first, second]
    assert (progress(table, "ann").mine, progress(table, "ann").left) == (0, 5)


def test_what_is_taken_back_is_open_to_others_too() -> None:
    table = Round(pool_of(1, 1))
    said = act("ann", ("q0", "d0"))
    table.record(said)
    assert table.next_pairs("bob", 1, 0.0) == []
    table.record(act("ann", ("q0", "d0"), withdraws=said.key))
    assert len(table.next_pairs("bob", 1, 1.0)) == 1  # ann is not at the table


def test_the_word_before_holds_again_when_a_later_one_is_taken_back() -> None:
    table = Round(pool_of(1, 2))
    table.record(act("ann", ("q0", "d0"), 1))
    better = act("ann", ("q0", "d0"), 3)
    table.record(better)
    table.record(act("ann", ("q0", "d0"), withdraws=better.key))
    assert [pair_of(one) for one in table.next_pairs("ann", 5, 0.0)] == [("q0", "d1")]
    assert table.answers.of("ann", ("q0", "d0")).grade == 1


def test_gold_questions_come_by_their_share_and_everybody_gets_them() -> None:
    table = Round(pool_of(4, 10, wanted=2, gold=30, share=0.25))
    seen = {judge: go_through(table, judge) for judge in ("ann", "bob")}
    gold = {judge: [pair for pair in mine if pair[0] == "gold"] for judge, mine in seen.items()}
    for judge, mine in seen.items():
        # 40 pairs at three of four questions are 53 or 54 questions, every fourth of them gold.
        assert len(gold[judge]) in (13, 14)
        assert all(sum(pair[0] == "gold" for pair in mine[i : i + 4]) == 1 for i in range(0, 48, 4))
    assert gold["ann"] != gold["bob"]
    assert progress(table, "ann").pairs == 40


def test_pairs_asked_by_name_come_first_and_only_to_whom_they_are_for() -> None:
    pool = JudgingPool((("q", "a"), ("q", "b"), ("q", "c")), (1, 1, 1), (2,), {"ann": (1,), "bob": (0,)}, by="weight")
    table = Round(pool)
    assert progress(table, "ann").left == 2
    assert go_through(table, "ann") == [("q", "b"), ("q", "c")]
    assert go_through(table, "cat") == []
    assert go_through(table, "bob") == [("q", "a")]
    assert progress(table, "ann").done == 3


def test_a_query_shows_what_was_said_and_what_is_open() -> None:
    table = Round(pool_of(2, 4))
    table.record(act("ann", ("q1", "d0"), 2))
    table.record(act("bob", ("q1", "d1"), 3))
    (taken,) = table.next_pairs("cat", 1, 0.0)
    found = table.query("ann", "q1", 1.0)
    words = {pair_of(asked): word for asked, word in found}
    assert words.pop(("q1", "d0")).grade == 2
    assert set(words) == {("q1", "d2"), ("q1", "d3")} - {pair_of(taken)}
    assert table.query("ann", "q1", 2.0) == found
    assert table.query("ann", "none", 2.0) == []


def test_who_leafs_through_the_queries_keeps_nobody_from_them_and_loses_no_place() -> None:
    table = Round(pool_of(3, 2))
    first = table.next_pairs("ann", 2, 0.0)
    for query in ("q0", "q1", "q2"):
        table.query("ann", query, 1.0)
    assert {one.query_id for one in table.next_pairs("bob", 4, 2.0)} == {"q0", "q1"}
    again = Round(pool_of(3, 2))
    again.next_pairs("ann", 2, 0.0)
    again.query("ann", "q2", 1.0)
    again.query("ann", "none", 2.0)
    assert again.next_pairs("ann", 2, 3.0) == first


def test_another_round_takes_over_hands_and_seats() -> None:
    table = Round(pool_of(3, 4))
    before = table.next_pairs("ann", 3, 0.0)
    after = Round(pool_of(2, 4), table.answers)
    after.resume(table)
    assert after.next_pairs("ann", 3, 1.0) == before
    gone = Round(JudgingPool((("q9", "d9"),), (1,), (0,)), table.answers)
    gone.resume(table)
    assert [pair_of(one) for one in gone.next_pairs("ann", 3, 1.0)] == [("q9", "d9")]


def test_what_models_say_is_no_word_of_people() -> None:
    from dataclasses import replace

    from rankproof.judging.records import JudgmentSource

    table = Round(pool_of(1, 1))
    table.record(replace(act("gpt", ("q0", "d0")), source=JudgmentSource("model", "x")))
    assert len(table.next_pairs("ann", 1, 0.0)) == 1
    assert progress(table, "ann").done == 0
