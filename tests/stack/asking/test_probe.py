"""Stored answers are checked against the server before they are used; what a change, a tie or an outage makes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rankproof.reading.collection import Query
from rankproof.reading.ranking import Answered, Ranking
from rankproof.stack.asking.answers import Answers
from rankproof.stack.asking.ask import ask_all
from rankproof.stack.asking.limits import Limits, answer_key, keys_of
from rankproof.stack.asking.probe import Probe, difference, drawn
from rankproof.stack.engines.contract import AskFailed

QUERIES = [Query(f"q{i}", f"words {i}") for i in range(12)]
LIMITS = Limits(concurrency=3, attempts=1, first_wait=0.001)
Reply = Callable[[str, int], Ranking]


def stays(query: str, time: int) -> Ranking:
    return Ranking.in_order(["a", "b", query])


class Server:
    """Answers by the query and how often it was asked; without a reply it is down."""

    def __init__(self, reply: Reply | None = stays) -> None:
        self.reply = reply
        self.asked: Counter[str] = Counter()
        self.identity = {"index": "one"}

    def ask(self, query: Query, depth: int, timeout: float) -> Ranking:
        self.asked[query.query_id] += 1
        if self.reply is None:
            raise AskFailed("no connection", "nobody is there.", again=False)
        return self.reply(query.query_id, self.asked[query.query_id])

    def close(self) -> None:
        pass


def ask(
    server: Server, file: Path, queries: list[Query] = QUERIES, limits: Limits = LIMITS, seed: int = 0
) -> tuple[list[Answered], Probe | None]:
    seen: list[Probe] = []
    with Answers(file) as keep:
        answers = ask_all(
            server, queries, 5, limits, keep, np.random.default_rng(seed), engine="e", on_probe=seen.append
        )
    assert len(seen) <= 1
    return answers, seen[0] if seen else None


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """All answers, as the server that stays gave them."""
    assert ask(Server(), tmp_path / "answers.jsonl")[1] is None  # nothing was stored, so nothing was looked at
    return tmp_path / "answers.jsonl"


def test_a_server_that_stays_is_asked_a_few_and_told_how_many(file: Path) -> None:
    server = Server()
    answers, seen = ask(server, file)
    assert seen == Probe("same", 3, 12)
    assert sorted(server.asked.values()) == [1, 1, 1]
    assert all(answer.kept for answer in answers)
    again = Server()
    ask(again, file)
    assert again.asked == server.asked  # drawn by the seed
    other = Server()
    ask(other, file, seed=1)
    assert other.asked != server.asked


def test_fewer_where_there_are_fewer_and_none_where_none_may_be(file: Path) -> None:
    server = Server()
    assert ask(server, file, QUERIES[:2])[1] == Probe("same", 2, 2)
    assert server.asked == {"q0": 1, "q1": 1}
    down = Server(None)
    answers, seen = ask(down, file, limits=replace(LIMITS, probe=0))
    assert seen is None
    assert not down.asked
    assert all(answer.kept for answer in answers)


def turned(query: str, time: int) -> Ranking:
    return Ranking.in_order(["b", "a", query])


def test_a_server_that_changed_is_asked_everything_anew_and_the_old_answers_are_gone(file: Path) -> None:
    server = Server(turned)
    answers, seen = ask(server, file)
    assert seen is not None
    assert (seen.verdict, seen.asked, seen.stored, seen.what) == ("changed", 3, 12, "rank 1 was 'a' and is 'b'")
    assert seen.query_id in server.asked
    assert not any(answer.kept for answer in answers)
    assert {answer.ranking.doc_ids[0] for answer in answers} == {"b"}
    # Three were asked twice, to tell a change from chance, and then everything once.
    assert sorted(server.asked.values()) == [1] * 9 + [3] * 3
    answers, seen = ask(Server(turned), file)
    assert seen == Probe("same", 3, 12)
    assert {answer.ranking.doc_ids[0] for answer in answers} == {"b"}


def test_dropped_answers_stay_dropped_where_the_server_then_fails(file: Path) -> None:
    """Also those of queries that this fetch did not ask for."""

    def changed_then_down(query: str, time: int) -> Ranking:
        if time <= 2:
            return turned(query, time)
        raise AskFailed("server error", "it broke.", again=False)

    answers, seen = ask(Server(changed_then_down), file, QUERIES[:3])
    assert seen is not None
    assert seen.verdict == "changed"
    assert all(answer.failures for answer in answers)
    with Answers(file) as keep:
        assert len(keep) == 0
    assert ask(Server(turned), file)[1] is None


def test_other_steps_keep_their_answers(file: Path) -> None:
    with Answers(file) as keep:
        key = answer_key(QUERIES[0], 5, "other", {})
        keep.put(key, Answered("q0", Ranking.in_order(["z"])))
        keep.drop(keys_of("e"))
    with Answers(file) as keep:
        assert (len(keep), keep.damaged) == (1, 0)
        assert keep.get(key) is not None


def test_a_server_that_changes_after_the_look_is_seen_where_others_are_asked_beside(tmp_path: Path) -> None:
    """Of twelve queries six are stored. The server changes once three were asked: after the first look."""
    file = tmp_path / "answers.jsonl"
    ask(Server(), file, QUERIES[:6])
    server = Server()
    server.reply = lambda query, time: (stays if server.asked.total() <= 3 else turned)(query, time)
    answers, seen = ask(server, file)
    assert seen is not None
    assert seen.verdict == "changed"
    assert {answer.ranking.doc_ids[0] for answer in answers} == {"b"}


def test_a_change_of_one_query_is_seen_where_it_is_drawn_and_not_promised_elsewhere(file: Path) -> None:
    def one(query: str, time: int) -> Ranking:
        return (turned if query == "q5" else stays)(query, time)

    every = replace(LIMITS, probe=12)
    without = [query for query in QUERIES if query.query_id != "q5"]
    assert ask(Server(one), file, without)[1] == Probe("same", 3, 11)
    seen = ask(Server(one), file, limits=every)[1]
    assert seen is not None
    assert (seen.verdict, seen.query_id) == ("changed", "q5")


def test_an_engine_whose_answers_vary_is_asked_anew_once(file: Path) -> None:
    def varies(query: str, time: int) -> Ranking:
        return Ranking.in_order([f"{query}-{time}-{n}" for n in range(3)])

    server = Server(varies)
    answers, seen = ask(server, file)
    assert seen is not None
    assert seen.verdict == "varies"
    assert sorted(server.asked.values()) == [1] * 9 + [3] * 3
    assert not any(answer.kept or answer.failures for answer in answers)


def test_random_ties_are_no_change(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def ties(query: str, time: int) -> Ranking:
        """One document ahead, then four of nine that all score the same; a full list cuts off the others."""
        tied = rng.permutation(9).tolist()[:4]
        noise = 1 + rng.uniform(-1e-7, 1e-7)
        return Ranking(("first", *(f"d{n}" for n in tied)), np.array([3.0, 2, 2, 2, 2]) * noise)

    file = tmp_path / "answers.jsonl"
    ask(Server(ties), file)
    answers, seen = ask(Server(ties), file, limits=replace(LIMITS, probe=12))
    assert seen == Probe("same", 12, 12)
    assert all(answer.kept for answer in answers)


def test_a_server_that_is_down_leaves_stored_answers_unchecked(file: Path) -> None:
    answers, seen = ask(Server(None), file)
    assert seen is not None
    assert (seen.verdict, seen.failed, seen.what) == ("unchecked", 3, "no connection: nobody is there.")
    assert "could not be checked" in seen.sentence("shop")
    assert all(answer.kept for answer in answers)


def test_a_change_counts_though_another_query_failed(file: Path) -> None:
    drawn_first = min(ask_drawn(file))

    def half(query: str, time: int) -> Ranking:
        if query == drawn_first:
            raise AskFailed("timeout", "late.", again=False)
        return turned(query, time)

    answers, seen = ask(Server(half), file)
    assert seen is not None
    assert (seen.verdict, seen.failed) == ("changed", 1)
    assert [answer.query_id for answer in answers if answer.failures] == [drawn_first]


def ask_drawn(file: Path) -> list[str]:
    server = Server()
    ask(server, file)
    return list(server.asked)


def test_the_oldest_day_is_looked_at_first() -> None:
    days = {0: "2026-11-02", 1: "2026-11-02", 2: "2026-11-02", 3: "2026-11-01"}
    kept = {at: Answered(f"q{at}", Ranking.in_order([]), day=day) for at, day in days.items()}
    for seed in range(5):
        first, second, *_ = drawn(kept, 3, np.random.default_rng(seed))
        assert (first, days[second]) == (3, "2026-11-02")


A = Ranking.of(["a", "b", "c"], [3.0, 2.0, 1.0])


@pytest.mark.parametrize(
    ("now", "depth", "what"),
    [
        (A, 3, ""),
        (Ranking.of(["a", "b", "c"], [9.0, 8.0, 0.5]), 3, ""),  # other scores, the same order
        (Ranking.of(["a", "b", "d"], [3.0, 2.0, 1.0]), 3, ""),  # cut off in a tie at the end
        (Ranking.of(["a", "b", "d"], [3.0, 2.0, 1.0]), 4, "rank 3 was 'c' and is 'd'"),  # nothing was cut off
        (Ranking.of(["a", "d", "c"], [3.0, 2.0, 1.0]), 3, "rank 2 was 'b' and is 'd'"),
        (Ranking.of(["a", "c", "b"], [3.0, 2.0, 1.0]), 3, "rank 2 was 'b' and is 'c'"),
        (Ranking.of(["a", "c", "b"], [3.0, 2.0, 2.0]), 3, "rank 2 was 'b' and is 'c'"),  # tied in one of them only
        (Ranking.in_order([]), 3, "there were 3 documents and are 0"),
    ],
)
def test_what_differs(now: Ranking, depth: int, what: str) -> None:
    assert difference(A, now, depth) == what


def test_an_order_without_scores_has_no_ties_at_any_depth() -> None:
    docs = [f"d{n}" for n in range(10_000)]
    swapped = [*docs[:-2], docs[-1], docs[-2]]
    assert difference(Ranking.in_order(docs), Ranking.in_order(swapped), 20_000) != ""
