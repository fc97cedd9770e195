"""What an answer of a model tells beside its text: tokens, the model that answered, a refusal."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer, read_answer, stored_answer


def body(**more: Any) -> bytes:
    return json.dumps({"choices": [{"message": {"content": "yes"}, "finish_reason": "stop"}], **more}).encode()


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 7, "completion_tokens": 2}, (7, 2)),
        ({"prompt_tokens": 7}, None),
        ({"prompt_tokens": "7", "completion_tokens": 2}, None),
        ({"prompt_tokens": -7, "completion_tokens": 2}, None),
        ([7, 2], None),
        (None, None),
    ],
)
def test_tokens(usage: Any, tokens: tuple[int, int] | None) -> None:
    answer = read_answer(body(usage=usage, model="m-2031"))
    assert isinstance(answer, ModelAnswer)
    assert (answer.tokens, answer.model, answer.text) == (tokens, "m-2031", "yes")
    kept = stored_answer(answer.to_bytes())
    assert kept is not None
    assert (kept.tokens, kept.model, kept.kept) == (tokens, "m-2031", True)


def test_what_an_earlier_version_kept_can_be_read() -> None:
    assert stored_answer(b'{"text": "yes", "finish": "stop", "tops": [], "kept": false}') == ModelAnswer(
        "yes", "stop", (), True
    )
    assert stored_answer(b'{"text": "yes", "finish": "stop", "tops": [], "tokens": [1]}') is None
    assert stored_answer(b"[1]") is None


@pytest.mark.parametrize("model", [7, None, ["m"]])
def test_a_model_that_is_no_name_is_none(model: Any) -> None:
    answer = read_answer(body(model=model))
    assert isinstance(answer, ModelAnswer)
    assert answer.model == ""


def test_a_refusal_stands_in_for_a_text() -> None:
    said = {"choices": [{"message": {"content": None, "refusal": "I will not."}, "finish_reason": "stop"}]}
    assert read_answer(json.dumps(said).encode()) == ModelAnswer("I will not.", "refusal")
    said["choices"][0]["message"] = {"content": "yes", "refusal": None}
    assert read_answer(json.dumps(said).encode()) == ModelAnswer("yes", "stop")
    said["choices"][0]["message"] = "yes"  # a text where an object should be
    assert isinstance(read_answer(json.dumps(said).encode()), NoAnswer)
