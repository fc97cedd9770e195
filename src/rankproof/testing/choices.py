"""The pairs that a selection picks from small rankings and judgments, for the pages of selections and their tests."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.judging.records import REASONS, SCALES, Judgment, JudgmentSource
from rankproof.judging.rounds.pool import material_of
from rankproof.kernel.specs.calls import read_configured


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
