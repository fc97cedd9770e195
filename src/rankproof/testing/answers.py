"""Answers: what a judge makes of a model's words, for the pages of judges and for their tests."""

from __future__ import annotations

from typing import Any

from rankproof.flow.calls import call
from rankproof.judges._contract import Fault
from rankproof.records.scale import SCALES
from rankproof.stages._llm_answer import Answer


def read(judge: str, text: str, finish: str = "stop", scale: str = "graded", **said: Any) -> int | str | None:
    """What the answer says on a scale (a grade, or the better document's place), or the word for why it does not."""
    asked = call("judges", judge, said)
    found = asked.item.read(Answer(text, finish), SCALES[scale], asked.values)
    return found.kind if isinstance(found, Fault) else found.value
