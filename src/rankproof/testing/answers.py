"""What a judge reads in a model's answer, for the pages of judges and for their tests."""

from __future__ import annotations

from typing import Any

from rankproof.judging.judges.contract import AnswerFault
from rankproof.judging.records import SCALES
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.calls import configure


def read_answer(judge: str, text: str, finish: str = "stop", scale: str = "graded", **options: Any) -> int | str | None:
    """The value of an answer (a grade, or the place of the better document), or the kind of fault that it has."""
    configured = configure("judges", judge, options)
    answer = configured.item.read(ModelAnswer(text, finish), SCALES[scale], configured.values)
    return answer.kind if isinstance(answer, AnswerFault) else answer.value
