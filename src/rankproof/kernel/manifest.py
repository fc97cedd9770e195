"""ExperimentManifest: what an experiment was made from and what came out, so that anyone can do it again.

{
  "rankproof": "0.1.0",                the version that wrote it
  "schema": "manifest/1",
  "id": "exp-3f0c9a41be7d2266",        from the hashes of config and inputs: the same inputs, the same id
  "name": "",                          what its author calls it
  "kind": "comparison",                or "evaluation"
  "dataset_version": "",
  "config_sha256": "...",              of kind, measures, seed and parameters
  "qrels": {"name", "path", "sha256", "content"},    null where values were made before: scores, kept reports
  "runs": [{...}],                     in the order given; the first of a comparison is the baseline
  "others": {"queries": {...}},        further files that numbers depend on, or that are displayed
  "measures": ["nDCG@10"],             canonical text
  "seed": 0,                           null where nothing is random
  "parameters": {                      every option that changes a number
    "settings": {...}, "reading": {...}, "design": {...},
    "gate": {"rules": [{...}], "confidence", "significance", ...},   of a gate only
    "scores": {"unit", "lower", "range", ...}                        of tables of scores only
  },
  "versions": {"rankproof", "python", "numpy", "scipy"},
  "results": {
    "queries": 12,
    "means": {"bm25": {"nDCG@10": 0.41}},
    "contrasts": [{"measure", "baseline", "candidate", "segment", "queries", "difference", "low", "high",
                   "p_value", "adjusted_p_value", "reason"}],
    "verdict": "PASS",                 of a gate only, with what each rule decided
    "rulings": [{"rule", "title", "status", "observed", "threshold", "low", "high", "confidence", "p_fail"}]
  },
  "index_snapshots": {},               name -> id of the index that gave a run
  "notes": [],
  "observed": {"time": "2026-01-02T03:04:05Z"}
}
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from rankproof.kernel.documents import Upgrades, plain, read, require_sha256

SCHEMA = "manifest/1"
UPGRADES: Upgrades = ()
Kind = Literal["evaluation", "comparison"]


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input: what it is called, where it lies, and what it held.

    path      from the manifest's own folder, once it is written; None for what was never a file
    sha256    of the file's bytes as given; None for what was never a file
    content   of what it holds, the same in every format; None for files other than runs and qrels, and for a run
              so large that reading it again would take longer than measuring it
    """

    name: str
    path: str | None = None
    sha256: str | None = None
    content: str | None = None

    def __post_init__(self) -> None:
        require_sha256("sha256", self.sha256)
        require_sha256("content", self.content)
        if self.sha256 is None and self.content is None:
            raise ValueError(f"{self.name!r} has neither sha256 nor content")

    @property
    def identity(self) -> str:
        """What says that it is the same input: its content where that is known, else its bytes."""
        return self.content or self.sha256 or ""


@dataclass(frozen=True, slots=True)
class ContrastResult:
    """A difference as it was computed: candidate minus baseline; `reason` where there is no interval."""

    measure: str
    baseline: str
    candidate: str
    segment: str
    queries: int
    difference: float | None
    low: float | None = None
    high: float | None = None
    p_value: float | None = None
    adjusted_p_value: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RulingResult:
    """What one rule of a gate decided; `low` and `high` are its one-sided bounds, each at `confidence`."""

    rule: str
    title: str
    status: str
    observed: float | None = None
    threshold: float | None = None
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    p_fail: float | None = None


@dataclass(frozen=True, slots=True)
class Results:
    """What was computed; a value that does not exist is None. `verdict` and `rulings` are those of a gate."""

    queries: int
    means: Mapping[str, Mapping[str, float | None]]
    contrasts: tuple[ContrastResult, ...] = ()
    verdict: str = ""
    rulings: tuple[RulingResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ExperimentManifest:
    """An experiment on record. `id` says which: it is made of the hashes of the config and of every input."""

    id: str
    kind: Kind
    config_sha256: str
    qrels: InputFile | None
    runs: tuple[InputFile, ...]
    measures: tuple[str, ...]
    parameters: Mapping[str, Mapping[str, Any]]
    versions: Mapping[str, str]
    results: Results
    seed: int | None = None
    name: str = ""
    dataset_version: str = ""
    others: Mapping[str, InputFile] = field(default_factory=dict)
    index_snapshots: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    observed: Mapping[str, Any] = field(default_factory=dict)
    rankproof: str = ""  # the version that wrote it

    def __post_init__(self) -> None:
        if len(set(self.run_ids)) < len(self.runs) or not self.runs:
            raise ValueError("runs: there must be at least one, each with a name of its own")
        if set(self.results.means) != set(self.run_ids):
            raise ValueError("results.means: there must be one entry for each run")
        if self.config_sha256 != config_hash(self.kind, self.measures, self.seed, self.parameters):
            raise ValueError("config_sha256: kind, measures, seed and parameters are not those it was made of")
        if self.id != experiment_id(self.config_sha256, self.qrels, self.runs, self.others):
            raise ValueError("id: config and inputs are not those it was made of")

    @property
    def run_ids(self) -> tuple[str, ...]:
        """The names of the runs, in order."""
        return tuple(run.name for run in self.runs)

    def beside(self, folder: str) -> ExperimentManifest:
        """The same with paths as seen from a folder; they were as seen from the working directory."""
        return replace(
            self,
            qrels=None if self.qrels is None else _beside(self.qrels, folder),
            runs=tuple(_beside(run, folder) for run in self.runs),
            others={role: _beside(other, folder) for role, other in self.others.items()},
        )

    def to_dict(self) -> dict[str, Any]:
        """The document, as plain dicts, lists, numbers and texts."""
        body = plain(self)
        if not self.results.verdict:  # no gate
            body["results"] = {k: v for k, v in body["results"].items() if k not in ("verdict", "rulings")}
        first = (
            "id",
            "name",
            "kind",
            "dataset_version",
            "config_sha256",
            "qrels",
            "runs",
            "others",
            "measures",
            "seed",
        )
        return {
            "rankproof": body.pop("rankproof"),
            "schema": SCHEMA,
            **{key: body.pop(key) for key in first},
            **body,
        }

    @classmethod
    def from_dict(cls, document: Any, source: str = "the document") -> ExperimentManifest:
        """The manifest in a document of any version; refused, naming the field, when it holds none."""
        return read(document, cls, SCHEMA, UPGRADES, source)


def config_hash(
    kind: str, measures: Sequence[str], seed: int | None, parameters: Mapping[str, Mapping[str, Any]]
) -> str:
    """SHA-256 of the choices, in one fixed spelling."""
    return _digest({"kind": kind, "measures": list(measures), "seed": seed, "parameters": plain(parameters)})


def experiment_id(
    config: str, qrels: InputFile | None, runs: Sequence[InputFile], others: Mapping[str, InputFile] | None = None
) -> str:
    """An id that only the same choices on the same inputs have. Names and paths do not count."""
    inputs = {
        "config": config,
        "qrels": None if qrels is None else qrels.identity,
        "runs": [run.identity for run in runs],
        "others": {role: other.identity for role, other in sorted((others or {}).items())},
    }
    return f"exp-{_digest(inputs)[:16]}"


def _digest(value: Any) -> str:
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _beside(given: InputFile, folder: str) -> InputFile:
    if given.path is None:
        return given
    try:
        path = os.path.relpath(given.path, folder)
    except ValueError:  # another drive of Windows: there is no way from here to there
        path = os.path.abspath(given.path)
    return replace(given, path=path.replace(os.sep, "/"))
