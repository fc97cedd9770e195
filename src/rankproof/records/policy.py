"""Policy: what must hold before a candidate may ship, and what it is held against."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One rule of a policy, with every choice made.

    rule     the item of the rules shelf
    values   by the names of its parameters
    title    what reports call it; "" for the rule's own words
    place    where it stands, for messages: "gate.toml, rule 2 (least_value)"
    """

    rule: str
    values: Mapping[str, Any]
    title: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Rules, and the inputs and choices that they rest on. Inputs are paths or whatever `evaluate` takes.

    queries       a file with columns of queries, whose values make segments
    latency       a file with one request per line: query id and milliseconds
    confidence    of each one-sided bound
    significance  the item of the significance shelf that gives the bounds
    choices       how runs are read and measured: the choices of `evaluate`
    source        the file it was read from; "" for an object
    """

    name: str
    clauses: tuple[Clause, ...]
    qrels: Any = None
    baseline: Any = None
    candidate: Any = None
    topics: Any = None
    queries: Any = None
    latency: Any = None
    confidence: float = 0.95
    significance: str = "t"
    resamples: int = 100_000
    seed: int = 0
    choices: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""
