"""An answer of a language model, or the reason why there is none."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The answer of a model.

    finish   why it stopped: "stop", "length" (cut off), "refusal" (the text says why), ...; "" when unknown
    tops     the likeliest first tokens with their log-probabilities, where they were requested and returned
    kept     whether the answer was read from the cache
    tokens   how many the server counted in the question and in the answer; None where it does not say
    model    which model the server says answered; "" where it does not say
    """

    text: str
    finish: str = ""
    tops: tuple[tuple[str, float], ...] = ()
    kept: bool = False
    tokens: tuple[int, int] | None = None
    model: str = ""

    def to_bytes(self) -> bytes:
        """The bytes for the cache."""
        return json.dumps(asdict(self), ensure_ascii=False).encode("utf-8", "surrogatepass")


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is none. `kind` is counted, `message` is for a person; `unpaid` where no model worked on it."""

    kind: str
    message: str
    unpaid: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """What was asked of a language model.

    calls     how many questions, also where the answer came from a cache; a question that was sent again counts once
    tokens    in questions and answers together, as the server counted them when it was asked, also where the answer
              came from a cache; None where it did not say, or no answer came
    answered  those of `tokens` that are in answers
    """

    calls: int = 0
    tokens: int | None = 0
    answered: int = 0

    @classmethod
    def of(cls, answer: ModelAnswer | NoAnswer) -> Usage:
        """That of one question."""
        if isinstance(answer, NoAnswer) or answer.tokens is None:
            return cls(1, None)
        return cls(1, sum(answer.tokens), answer.tokens[1])

    def __add__(self, other: Usage) -> Usage:
        both = None if self.tokens is None or other.tokens is None else self.tokens + other.tokens
        return Usage(self.calls + other.calls, both, self.answered + other.answered)


NO_USAGE = Usage()


def stored_answer(data: bytes | None) -> ModelAnswer | None:
    """The answer in the bytes of the cache; None when there are none or they cannot be read."""
    if data is None:
        return None
    try:
        document = json.loads(data)
        tops = tuple((str(token), float(value)) for token, value in document["tops"])
        tokens = document.get("tokens")  # answers stored by an earlier version have neither this nor the model
        counted = None if tokens is None else (int(tokens[0]), int(tokens[1]))
        return ModelAnswer(
            str(document["text"]), str(document["finish"]), tops, True, counted, str(document.get("model", ""))
        )
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return None


def read_answer(data: bytes) -> ModelAnswer | NoAnswer:
    """The body of an OpenAI-style answer, of chat completions or completions: one answer, and nothing said twice.

    A message with a refusal is one, whatever its text says; both are kept.
    """
    try:
        body = json.loads(data, object_pairs_hook=_each_once)
        (choice,) = body["choices"]
        message = choice.get("message")
        text = message["content"] if "message" in choice else choice["text"]
        finish, logprobs = choice.get("finish_reason"), choice.get("logprobs")
        declined = message.get("refusal") if isinstance(message, dict) else None
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        return NoAnswer("unreadable answer", f"the body is no answer of a model: {_glimpse(data)}")
    if not isinstance(text, str | None) or not isinstance(finish, str | None):
        return NoAnswer("unreadable answer", f"the body is no answer of a model: {_glimpse(data)}")
    if declined:
        text, finish = "\n".join(filter(None, (declined if isinstance(declined, str) else "", text))), "refusal"
    model = body.get("model")
    named = model if isinstance(model, str) else ""
    return ModelAnswer(
        text or "", finish or "", _first_tokens(logprobs), tokens=_counted(body.get("usage")), model=named
    )


# What is read of a body.
_READ = frozenset({"choices", "message", "content", "text", "refusal", "finish_reason"})


def _each_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of the body; refused where it says twice what is read. Tables by token may have a token twice."""
    names = [name for name, _ in pairs if name in _READ]
    if len(set(names)) < len(names):
        raise ValueError("the same name twice")
    return dict(pairs)


def _counted(usage: object) -> tuple[int, int] | None:
    """Tokens of the question and of the answer, as the server counts them."""
    if not isinstance(usage, dict):
        return None
    prompt, completion = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not isinstance(prompt, int) or not isinstance(completion, int) or prompt < 0 or completion < 0:
        return None
    return int(prompt), int(completion)


def _first_tokens(logprobs: object) -> tuple[tuple[str, float], ...]:
    """The alternatives to the first token, in either form: a list of objects, or a table by token."""
    try:
        given: Any = logprobs
        if given.get("content"):
            pairs = [(top["token"], top["logprob"]) for top in given["content"][0]["top_logprobs"]]
        else:
            table: Mapping[str, Any] = given["top_logprobs"][0]
            pairs = list(table.items())
        return tuple((token, float(value)) for token, value in pairs if isinstance(token, str) and _is_log(value))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError):
        return ()


def _is_log(value: object) -> bool:
    """A log-probability: a finite number, 0 at most (but for rounding)."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value <= 1e-3


def _glimpse(data: bytes) -> str:
    text = " ".join(data[:400].decode("utf-8", "replace").split())
    return repr(text if len(text) <= 80 else f"{text[:80]}...")
