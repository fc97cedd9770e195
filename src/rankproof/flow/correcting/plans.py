"""Plans as files: what `rankproof judge plan --json` wrote, read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.errors import InputError
from rankproof.records.correction import JudgingPlan, PlannedPair
from rankproof.records.jsontext import from_json

SCHEMA = "judging-plan/1"


def read_plan(path: str) -> JudgingPlan:
    """The plan in a file; refused when it is none, or holds what no plan can."""
    from rankproof.flow.source import open_source, require_text

    source = open_source(path)
    require_text(source)
    document = from_json(source.text(), source.name)
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise InputError(f"{source.name} is no plan. Give what `rankproof judge plan --json` wrote.")
    try:
        pairs = [_pair(one) for one in document["pairs"]]
        plan = JudgingPlan(
            str(document["measure"]), tuple(document["runs"]), bool(document["compare"]), int(document["depth"]),
            int(document["seed"]), pairs,
        )  # fmt: skip
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{source.name}: the plan is damaged ({error}). Draw it again with the same seed.") from None
    if not plan.chosen:
        raise InputError(f"{source.name}: no pair of the plan is chosen. Draw it again.")
    return plan


def _pair(one: Mapping[str, Any]) -> PlannedPair:
    probability = float(one["probability"])
    if not 0 < probability <= 1:
        raise ValueError(f"a probability is {probability}")
    return PlannedPair(str(one["query_id"]), str(one["doc_id"]), probability, bool(one["chosen"]))
