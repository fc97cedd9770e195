"""Small sets of judgments and model answers, and the results of adjudications, judges and selections on them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from string import ascii_lowercase
from typing import Any

from rankproof.judging.judges.contract import AnswerFault
from rankproof.judging.records import PERSON, REASONS, SCALES, SETTLING, Judgment, JudgmentSource
from rankproof.judging.rounds.pool import material_of
from rankproof.kernel.llm.answer import ModelAnswer
from rankproof.kernel.specs.calls import configure, read_configured


def votes(*grades: int, settles: Collection[str] = ()) -> list[Judgment]:
    """A judgment for each grade: by a, b, c, ..., one a second after the other; `settles` names who settles."""
    return [
        Judgment(
            f"{i:032x}",
            judge,
            "q1",
            "d1",
            grade,
            time=f"2031-05-04T03:02:{i:02}.000000Z",
            source=SETTLING if judge in settles else PERSON,
        )
        for i, (grade, judge) in enumerate(zip(grades, ascii_lowercase, strict=False))
    ]


def settled(method: str, *grades: int, settles: Collection[str] = (), **options: Any) -> tuple[int | None, str]:
    """The grade that a method makes of grades from 0 to 3, and how."""
    configured = configure("adjudications", method, options)
    outcome = configured.item.settle(votes(*grades, settles=settles), SCALES["graded"], configured.values)
    return outcome.grade, outcome.how


def read_answer(judge: str, text: str, finish: str = "stop", scale: str = "graded", **options: Any) -> int | str | None:
    """The value of an answer (a grade, or the place of the better document), or the kind of fault that it has."""
    configured = configure("judges", judge, options)
    answer = configured.item.read(ModelAnswer(text, finish), SCALES[scale], configured.values)
    return answer.kind if isinstance(answer, AnswerFault) else answer.value


def judgments_of(texts: Mapping[str, str]) -> list[Judgment]:
    """Judgments from texts: `{"q1 x": "ann=0 gpt:model=3 bob=later"}`."""
    judgments: list[Judgment] = []
    for pair, words in texts.items():
        query, doc = pair.split()
        for word in words.split():
            judge, _, decision = word.partition("=")
            name, _, kind = judge.partition(":")
            reason = next((reason for reason in REASONS if reason == decision), None)
            grade = int(decision) if reason is None else None
            source = JudgmentSource("model", "made up") if kind == "model" else JudgmentSource()
            judgments.append(Judgment(f"{len(judgments):032x}", name, query, doc, grade, reason or "", source=source))
    return judgments


def chosen(
    selection: str, runs: Mapping[str, Mapping[str, str]], judgments: Mapping[str, str] | None = None, wanted: int = 1
) -> list[tuple[str, str, float]]:
    """Query, document and weight of each pair that a selection picks, on the scale from 0 to 3."""
    configured = read_configured("selections", selection)
    ranked = {name: {query: docs.split() for query, docs in run.items()} for name, run in runs.items()}
    material = material_of(ranked, judgments_of(judgments or {}), SCALES["graded"], wanted)
    return [(c.query_id, c.doc_id, round(c.weight, 6)) for c in configured.item.select(material, configured.values)]
