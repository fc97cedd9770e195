"""Answers: what a judge makes of a model's words, for the pages of judges and for their tests."""

from __future__ import annotations

from typing import Any

from rankproof.judging.judges.contract import AnswerFault
from rankproof.judging.records import SCALES
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.calls import configure


def read(judge: str, text: str, finish: str = "stop", scale: str = "graded", **said: Any) -> int | str | None:
    """What the answer says on a scale (a grade, or the better document's place), or the word for why it does not."""
    asked = configure("judges", judge, said)
    found = asked.item.read(ModelAnswer(text, finish), SCALES[scale], asked.values)
    return found.kind if isinstance(found, AnswerFault) else found.value
