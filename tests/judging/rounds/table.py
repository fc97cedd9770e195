"""A small round for tests: a pool of pairs, and acts with keys and times of their own."""

from __future__ import annotations

from itertools import count

from rankproof.judging.records import Judgment
from rankproof.judging.rounds.pool import JudgingPool
from rankproof.judging.rounds.round import Round

_number = count(1)


def pool_of(queries: int = 2, documents: int = 3, wanted: int = 1, gold: int = 0, **more) -> JudgingPool:
    pairs = [(f"q{q}", f"d{d}") for q in range(queries) for d in range(documents)]
    known = [("gold", f"g{i}") for i in range(gold)]
    return JudgingPool(
        (*pairs, *known),
        (*([wanted] * len(pairs)), *([0] * gold)),
        range(len(pairs)),
        gold=range(len(pairs), len(pairs) + gold),
        together=wanted,
        **more,
    )


def act(judge: str, pair: tuple[str, str], grade: int | str = 1, withdraws: str = "") -> Judgment:
    """An act; `grade` may be a reason for having none."""
    n = next(_number)
    said = (None, "withdrawn") if withdraws else (None, grade) if isinstance(grade, str) else (grade, "")
    time = f"2031-05-04T{n // 3600 % 24:02}:{n // 60 % 60:02}:{n % 60:02}.000000Z"
    return Judgment(f"act{n:08}", judge, *pair, *said, time=time, withdraws=withdraws)


def pair_of(asked) -> tuple[str, str]:
    return asked.query_id, asked.doc_id


def go_through(table: Round, judge: str, n: int = 1, grade: int | str = 1, now: float = 0.0) -> list[tuple[str, str]]:
    """Judges until nothing is left; the pairs in the order they were asked."""
    seen = []
    while hand := table.next_pairs(judge, n, now):
        seen.append(pair_of(hand[0]))
        table.record(act(judge, seen[-1], grade))
        assert len(seen) < 10_000
    return seen
