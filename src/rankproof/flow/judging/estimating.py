"""Estimating: about how many tokens questions take, before anybody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.flow.judging.questions import Question, Questions
from rankproof.judges._contract import Prompt
from rankproof.records.model_judging import TokenPrices

# English has about four bytes to a token with the usual tokenizers; other languages, and code, have fewer.
BYTES_PER_TOKEN = 4
# What the form of a chat adds to each request.
AROUND = 12


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """Requests, about how many tokens they have, and how many their answers may have at most."""

    requests: int
    asked: int
    answered: int

    def to_dict(self, prices: TokenPrices | None) -> dict[str, Any]:
        """For JSON."""
        cost = None if prices is None else prices.of(self.asked, self.answered)
        return {"requests": self.requests, "tokens_asked": self.asked, "tokens_answered_at_most": self.answered,
                "cost": cost}  # fmt: skip


def tokens_of(prompt: Prompt) -> int:
    """About how many tokens a question has.

    >>> tokens_of(Prompt("", "x" * 400, most=1))
    112
    """
    size = len(prompt.system.encode("utf-8", "replace")) + len(prompt.user.encode("utf-8", "replace"))
    return -(-size // BYTES_PER_TOKEN) + AROUND


def estimate(asking: Questions, open_ones: Sequence[Question]) -> TokenEstimate:
    """For the questions that are not answered yet."""
    prompts = [prompt for question in open_ones for prompt in asking.prompts(question)]
    return TokenEstimate(len(prompts), sum(map(tokens_of, prompts)), sum(prompt.most for prompt in prompts))
