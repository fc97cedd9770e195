"""Kept: what `rankproof evaluate`, `compare` and `gate` wrote, read again for looking at.

Taken are evaluation-report/1 (evaluate --save), evaluation/1 (evaluate --json), comparison/1 (compare --json) and
verdict/1 (gate --json). Only what is shown is read; everything else stays in the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from rankproof.errors import InputError
from rankproof.records.jsontext import from_json

Kind = Literal["evaluation", "comparison", "verdict"]
KINDS: Mapping[str, Kind] = {
    "evaluation-report/1": "evaluation",
    "evaluation/1": "evaluation",
    "comparison/1": "comparison",
    "verdict/1": "verdict",
}


class KeptMeasure(msgspec.Struct, frozen=True):
    """A measure of a run: its value, its target where it has one, and each query's value where they were kept."""

    value: float | None = None
    whole: bool = False
    better: str = "higher"
    by_query: dict[str, float | str | None] = {}
    target: float | None = None
    passed: bool | None = None


class KeptEvaluation(msgspec.Struct, frozen=True):
    """A run and its measures."""

    run: str
    measures: dict[str, KeptMeasure]


class KeptAnswer(msgspec.Struct, frozen=True):
    """A difference with its interval, or the reason why there is none."""

    estimable: bool
    value: float | None = None
    low: float | None = None
    high: float | None = None
    level: float | None = None
    p_value: float | None = None
    reason: str = ""


class KeptContrast(msgspec.Struct, frozen=True):
    """Two runs in a measure."""

    measure: str
    baseline: str
    candidate: str
    difference: KeptAnswer
    segment: str | None = None
    baseline_mean: float | None = None
    candidate_mean: float | None = None
    queries: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    direction: str = ""
    by_query: dict[str, float | None] = {}


class KeptComparison(msgspec.Struct, frozen=True):
    """Runs against a baseline."""

    systems: list[str]
    contrasts: list[KeptContrast]
    evaluations: list[KeptEvaluation] = []


class KeptPayer(msgspec.Struct, frozen=True):
    """A query that pays for a ruling."""

    query_id: str
    text: str = ""
    value: float | None = None
    before: float | None = None
    difference: float | None = None


class KeptRuling(msgspec.Struct, frozen=True):
    """What one rule said."""

    title: str
    status: str
    reason: str
    decides: str | None = None
    payers: list[KeptPayer] = []


class KeptPolicy(msgspec.Struct, frozen=True):
    """The policy that ruled."""

    name: str


class KeptVerdict(msgspec.Struct, frozen=True):
    """Whether a candidate may ship, and why."""

    status: str
    policy: KeptPolicy
    candidate: str
    rulings: list[KeptRuling]
    baseline: str | None = None
    reasons: list[str] = []
    evaluation: KeptEvaluation | None = None
    comparison: KeptComparison | None = None


class Kept(msgspec.Struct, frozen=True):
    """What a document holds, by its kind; the parts that it does not have are empty."""

    kind: Kind
    name: str
    evaluations: tuple[KeptEvaluation, ...] = ()
    comparison: KeptComparison | None = None
    verdict: KeptVerdict | None = None


class _Evaluations(msgspec.Struct, frozen=True):
    evaluations: list[KeptEvaluation]


def read_kept(document: Any, source: str = "the document") -> Kept:
    """What is shown of a document; refused where it is none of those that are taken."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    kind = KINDS.get(schema) if isinstance(schema, str) else None
    if kind is None:
        raise InputError(
            f"{source} is no report that can be shown (schema {schema!r:.80}). Give what one of these writes: "
            "rankproof evaluate --save, evaluate --json, compare --json, gate --json."
        )
    try:
        return _read(kind, str(schema), document)
    except msgspec.ValidationError as error:
        raise InputError(f"{source} is no whole {schema} document: {error}. Write it again.") from None


def parse_kept(text: str, source: str) -> tuple[dict[str, Any], Kept]:
    """The document in a text, and what is shown of it."""
    document = from_json(text, source)
    return document, read_kept(document, source)


def _read(kind: Kind, schema: str, document: Any) -> Kept:
    if kind == "verdict":
        verdict = msgspec.convert(document, KeptVerdict)
        return Kept(kind, f"{verdict.policy.name}: {verdict.candidate}", verdict=verdict)
    if kind == "comparison":
        comparison = msgspec.convert(document, KeptComparison)
        against = ", ".join(comparison.systems[1:])
        name = f"{against} against {comparison.systems[0]}" if comparison.systems else "comparison"
        return Kept(kind, name, tuple(comparison.evaluations), comparison)
    if schema == "evaluation/1":
        found = tuple(msgspec.convert(document, _Evaluations).evaluations)
    else:
        found = (msgspec.convert(document, KeptEvaluation),)
    return Kept(kind, ", ".join(one.run for one in found), found)
