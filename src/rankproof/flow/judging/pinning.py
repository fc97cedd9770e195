"""Pinning: which judge it was: model, prompt and settings, each by what its answers depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from rankproof.flow.calls import Call
from rankproof.judges._contract import Asked, Judge
from rankproof.records.jsontext import to_json
from rankproof.records.judging import Source
from rankproof.records.project import Project


@dataclass(frozen=True, slots=True)
class Pinned:
    """A judge as the store knows it. `document` says in full what the hashes of the source are of."""

    name: str
    source: Source
    seed: int
    document: Mapping[str, Any]


def pin(name: str, asked: Call, project: Project, model: str, settings: Mapping[str, Any], repetition: int) -> Pinned:
    """One repetition of a judge, from 1; each is a judge of its own: `name`, `name#2`, ...

    `settings` are those of the asking that answers depend on; what the judge itself was told is added. The prompt is
    hashed with placeholders for query and documents, so that the scale and the rules of the project count.
    """
    item: Judge = asked.item
    shown = item.prompt(
        Asked("{query}", ("{document}",) * item.documents, project.scale, project.guidelines), asked.values
    )
    prompt = {"system": shown.system, "user": shown.user}
    told = {
        **settings,
        "judge": item.name,
        "values": dict(asked.values),
        "seed": repetition - 1,
        "most_tokens": shown.most,
        "top_tokens": shown.tops,
        "scale": project.scale.to_dict(),
    }
    source = Source("model", model, _hash(prompt), _hash(told))
    own = name if repetition == 1 else f"{name}#{repetition}"
    document = {
        "judge": own,
        "model": model,
        "prompt": {"sha256": source.prompt, **prompt},
        "settings": {"sha256": source.settings, **told},
    }
    return Pinned(own, source, repetition - 1, document)


def differs(kept: Mapping[str, Any], pinned: Pinned) -> list[str]:
    """What a judge of the same name had otherwise: "model", "prompt", "settings"."""
    now = pinned.document
    parts = {"model": (kept.get("model"), now["model"])}
    for part in ("prompt", "settings"):
        parts[part] = (kept.get(part, {}).get("sha256"), now[part]["sha256"])
    return [part for part, (before, after) in parts.items() if before != after]


def _hash(told: Mapping[str, Any]) -> str:
    return sha256(to_json(told).encode("utf-8", "surrogatepass")).hexdigest()
