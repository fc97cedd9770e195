"""Choices: what a selection makes of small rankings and judgments, for the pages of selections and for their tests."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.judging.records import REASONS, SCALES, Judgment, JudgmentSource
from rankproof.judging.rounds.pool import material_of
from rankproof.kernel.specs.calls import read_configured


def said_of(said: Mapping[str, str]) -> list[Judgment]:
    """Judgments from texts: `{"q1 x": "ann=0 gpt:model=3 bob=later"}`."""
    found: list[Judgment] = []
    for pair, words in said.items():
        query, doc = pair.split()
        for word in words.split():
            who, _, what = word.partition("=")
            name, _, kind = who.partition(":")
            reason = next((reason for reason in REASONS if reason == what), None)
            grade = int(what) if reason is None else None
            source = JudgmentSource("model", "made up") if kind == "model" else JudgmentSource()
            found.append(Judgment(f"{len(found):032x}", name, query, doc, grade, reason or "", source=source))
    return found


def chosen(
    selection: str, runs: Mapping[str, Mapping[str, str]], said: Mapping[str, str] | None = None, wanted: int = 1
) -> list[tuple[str, str, float]]:
    """Query, document and weight of each pair that a selection picks, on the scale from 0 to 3."""
    asked = read_configured("selections", selection)
    ranked = {name: {query: docs.split() for query, docs in run.items()} for name, run in runs.items()}
    material = material_of(ranked, said_of(said or {}), SCALES["graded"], wanted)
    return [(c.query_id, c.doc_id, round(c.weight, 6)) for c in asked.item.select(material, asked.values)]
