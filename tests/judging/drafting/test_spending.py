"""The account of what was sent: from records, whatever became of requests; and ceilings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankproof.errors import InputError, UsageError
from rankproof.judging.drafting.journal import AnswersOnRecord, answers_in
from rankproof.judging.drafting.spending import DraftCeiling, DraftSpending
from rankproof.judging.judges.contract import Prompt
from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.spending import TokenPrices

REQUEST = {"model": {"model": "m"}}
PRICES = TokenPrices(1.0, 10.0)


def test_outcomes_settle_what_was_sent(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.jsonl")
    told: list[DraftSpending] = []
    with AnswersOnRecord(path, REQUEST) as record:
        for key in ("a", "b", "c", "d"):
            record.send(key, (900, 200))
        told.append(record.spending)
        record.keep("a", ModelAnswer("Query: one", tokens=(100, 10)))  # counted
        record.keep("b", ModelAnswer("Query: two"))  # came without a count
        record.keep("c", NoAnswer("server error", "500", unpaid=True))
        told.append(record.spending)
        record.keep("d", NoAnswer("timeout", "60 s"))  # a model may have worked on it
        record.send("d", (900, 200))
        record.keep("d", ModelAnswer("Query: three", tokens=(50, 5)))
        told.append(record.spending)
    assert told == [
        DraftSpending(4, 3600, 800, 4),
        DraftSpending(4, 100 + 2 * 900, 10 + 2 * 200, 2),
        DraftSpending(5, 100 + 50 + 2 * 900, 10 + 5 + 2 * 200, 2),
    ]
    # The same from the file, for those who look and for those who go on.
    answers, looked = answers_in(path, REQUEST)
    assert looked == told[-1]
    with AnswersOnRecord(path, REQUEST) as again:
        assert (again.spending, again.answers) == (told[-1], answers)
    assert {key: one.text if isinstance(one, ModelAnswer) else one.kind for key, one in answers.items()} == {
        "a": "Query: one", "b": "Query: two", "c": "server error", "d": "Query: three",
    }  # fmt: skip


def test_the_first_answer_counts(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.jsonl")
    with AnswersOnRecord(path, REQUEST) as record:
        record.keep("a", NoAnswer("timeout", ""))
        record.keep("a", ModelAnswer("first"))
        record.keep("a", ModelAnswer("second"))
        record.keep("a", NoAnswer("timeout", ""))
        (answer,) = record.answers.values()
    assert isinstance(answer, ModelAnswer)
    assert answer.text == "first"


def test_nothing_is_written_after_the_end_or_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "answers.jsonl"
    with AnswersOnRecord(str(path), REQUEST) as record:

        def fails(line: object) -> None:
            with open(path, "ab") as file:
                file.write(b'{"half')
            raise InputError("no space")

        with monkeypatch.context() as broken:
            broken.setattr(record._lines, "append", fails)
            with pytest.raises(InputError):
                record.keep("a", ModelAnswer("x"))
        record.keep("b", ModelAnswer("y"))
    record.keep("c", ModelAnswer("z"))
    assert path.read_bytes().endswith(b'{"half')
    with AnswersOnRecord(str(path), REQUEST) as again:
        assert (again.torn, again.answers) == (True, {})


def test_answers_to_other_questions_are_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "answers.jsonl")
    with AnswersOnRecord(path, REQUEST):
        pass
    for other in ({}, {"model": {"model": "n"}}, {**REQUEST, "more": 1}):
        with pytest.raises(UsageError):
            AnswersOnRecord(path, other)
        with pytest.raises(UsageError):
            answers_in(path, other)
    assert answers_in(str(tmp_path / "nowhere"), REQUEST) == ({}, DraftSpending())


@pytest.mark.parametrize(
    ("ceiling", "spent", "allowed"),
    [
        (DraftCeiling(), DraftSpending(10**9, 10**9, 10**9), True),
        (DraftCeiling(requests=3), DraftSpending(2), True),
        (DraftCeiling(requests=3), DraftSpending(3), False),
        (DraftCeiling(requests=0), DraftSpending(), False),
        # One more may cost 1000 * 1 + 200 * 10 millionths: 0.003.
        (DraftCeiling(cost=0.01, prices=PRICES), DraftSpending(5, 2_000, 500), True),
        (DraftCeiling(cost=0.01, prices=PRICES), DraftSpending(5, 2_001, 500), False),
        (DraftCeiling(cost=0.01, prices=PRICES), DraftSpending(5, 0, 701), False),
        (DraftCeiling(3, 0.01, PRICES), DraftSpending(3, 0, 0), False),
        (DraftCeiling(cost=0.0, prices=PRICES), DraftSpending(), False),
        (DraftCeiling(cost=0.0, prices=TokenPrices()), DraftSpending(), True),
    ],
)
def test_a_ceiling(ceiling: DraftCeiling, spent: DraftSpending, allowed: bool) -> None:
    assert ceiling.allows(spent, (1_000, 200)) is allowed


def test_the_most_that_a_request_takes() -> None:
    """No tokenizer makes more than one token of a byte: 2 + 3 bytes, and what the form of a chat adds."""
    prompt = Prompt("ab", "\u20ac", 200)
    bodies: list[tuple[dict[str, Any], int]] = [
        ({}, 200),
        ({"max_tokens": 50}, 50),
        ({"max_tokens": None, "max_completion_tokens": 70}, 70),
        ({"max_completion_tokens": 70}, 200),
    ]
    for body, most in bodies:
        assert DraftCeiling(cost=1, prices=PRICES, body=body).most(prompt) == (5 + 12, most)
    # Without a ceiling nothing need be bounded.
    assert DraftCeiling(body={"max_tokens": None}).most(prompt) == (17, 200)


@pytest.mark.parametrize(
    "body",
    [{"max_tokens": None}, {"max_tokens": "many"}, {"max_completion_tokens": True}, {"max_tokens": -1}, {"n": 2}],
)
def test_a_ceiling_that_cannot_hold_is_refused(body: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        DraftCeiling(cost=1, prices=PRICES, body=body)
    DraftCeiling(requests=1, body=body)
