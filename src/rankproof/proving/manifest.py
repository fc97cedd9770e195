"""Manifest: an experiment put on record, from its answer, its inputs and the choices it was made with."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, TypeGuard

from rankproof.errors import UsageError
from rankproof.kernel.documents import now, versions
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.manifest import (
    ContrastResult,
    ExperimentManifest,
    InputFile,
    Kind,
    Results,
    RulingResult,
    config_hash,
    experiment_id,
)
from rankproof.kernel.version import __version__
from rankproof.measuring.identity import file_hash, is_plain_file
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import Evaluation
from rankproof.proving.records import Comparison, Contrast, Design
from rankproof.reading.source import open_source

# A run in a larger file is known by the hash of its bytes alone: to read its content again would take longer than
# measuring it did (250 MB: 2 s for the content, 0.2 s for the bytes and 0.3 s for measuring).
CHEAP = 32 << 20

# What decides how an input is read, and so may change a number. Threads are not among them: they never do.
READING = (
    "order", "lower_is_better", "collapse", "unmapped", "collapse_qrels", "drop_self", "allow", "columns",
    "qrels_format", "run_format",
)  # fmt: skip
# The further file that says which document a chunk belongs to.
MAPPING = "collapse"


class HasContent(Protocol):
    """Prepared judgments or a prepared run; or values that were made before."""

    def content_hash(self) -> str:
        """SHA-256 of what it holds, the same in every format."""


@dataclass(frozen=True, slots=True, eq=False)
class Given:
    """An input as somebody gave it, and what became of it: `Given("bm25.run", prepared)`."""

    source: object
    prepared: HasContent


def manifest_of(
    answer: Comparison | Sequence[Evaluation],
    qrels: Given | None,
    runs: Sequence[Given],
    *,
    design: Design | None = None,
    reading: Mapping[str, object] | None = None,
    queries: object = None,
    by: Sequence[str] = (),
    others: Mapping[str, object] | None = None,
    gate: Mapping[str, object] | None = None,
    made_before: Mapping[str, Mapping[str, object]] | None = None,
    verdict: str = "",
    rulings: Sequence[RulingResult] = (),
    name: str = "",
    dataset_version: str = "",
    index_snapshots: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    observed: Mapping[str, object] | None = None,
) -> ExperimentManifest:
    """The manifest of a comparison, or of evaluations with one choice of settings.

    qrels     None where values were made before: tables of scores, kept reports
    runs      in the order of the answer
    design    of a comparison, which does not carry all of it
    reading   choices about reading that were not left to the default; see `READING`
    queries   the file whose columns make segments (`by`) or say how queries were drawn
    others    further files, by what they are: topics, pool, policy
    gate      the rules of a gate; `verdict` and `rulings` are what they decided
    made_before
              how values that were made before are read: further parameters
    """
    comparison = answer if isinstance(answer, Comparison) else None
    evaluations = answer.evaluations if isinstance(answer, Comparison) else tuple(answer)
    parameters: dict[str, Any] = {
        "settings": asdict(evaluations[0].settings),
        "reading": _reading_choices(reading or {}),
    }
    seed = None
    if comparison is not None:
        if design is None:
            raise UsageError("The manifest of a comparison needs its design: how it was compared decides its numbers.")
        correction = design.correction_over(len(comparison.systems))
        chosen = {name: value for name, value in asdict(design).items() if value != ""}
        parameters["design"] = {**chosen, "correction": correction, "by": list(by)}
        seed = parameters["design"].pop("seed")
    if gate is not None:
        parameters["gate"] = dict(gate)
    parameters |= made_before or {}
    sampled = design is not None and design.sampled
    beside = {"queries": queries if by or sampled else None, **_mapping(reading or {}), **(others or {})}
    files = {role: _file(path) for role, source in beside.items() if (path := _path(source)) is not None}
    unknown = [role for role, source in beside.items() if source is not None and role not in files]
    kind: Kind = "evaluation" if comparison is None else "comparison"
    measures = tuple(evaluations[0].results)
    judged = None
    if qrels is not None:
        path = _path(qrels.source)
        judged = _input("qrels" if path is None else os.path.basename(path), qrels)
    ranked = [_input(evaluation.run_name, run) for evaluation, run in zip(evaluations, runs, strict=True)]
    config = config_hash(kind, measures, seed, parameters)
    return ExperimentManifest(
        id=experiment_id(config, judged, ranked, files),
        kind=kind,
        config_sha256=config,
        qrels=judged,
        runs=tuple(ranked),
        measures=measures,
        parameters=parameters,
        versions=versions(),
        results=results_of(evaluations, () if comparison is None else comparison.contrasts, verdict, rulings),
        seed=seed,
        name=name,
        dataset_version=dataset_version,
        others=files,
        index_snapshots=dict(index_snapshots or {}),
        notes=(*notes, *(f"{role}: no file, so what they held is not on record" for role in unknown)),
        observed={"time": now(), **(observed or {})},
        rankproof=__version__,
    )


def results_of(
    evaluations: Sequence[Evaluation],
    contrasts: Sequence[Contrast],
    verdict: str = "",
    rulings: Sequence[RulingResult] = (),
) -> Results:
    """The numbers that a manifest keeps, and that verifying computes again."""
    return Results(
        queries=evaluations[0].population.scored,
        means={e.run_name: {text: _real(result.mean) for text, result in e.results.items()} for e in evaluations},
        contrasts=tuple(_contrast(contrast) for contrast in contrasts),
        verdict=verdict,
        rulings=tuple(rulings),
    )


def _contrast(contrast: Contrast) -> ContrastResult:
    answer = contrast.difference
    where = (contrast.measure, contrast.baseline, contrast.candidate, contrast.segment, len(contrast.query_ids))
    if not isinstance(answer, Estimate):
        return ContrastResult(*where, difference=_real(answer.value), reason=answer.reason)
    adjusted = None if contrast.adjusted is None else _real(contrast.adjusted.p_value)
    return ContrastResult(
        *where, _real(answer.value), _real(answer.low), _real(answer.high), _real(answer.p_value), adjusted
    )


def _real(value: float | None) -> float | None:
    """JSON has neither NaN nor infinity: what is no number is None."""
    return float(value) if value is not None and math.isfinite(value) else None


def read_manifest(what: Any) -> ExperimentManifest:
    """The manifest in a file, of any version that was ever released."""
    source = open_source(what)
    return ExperimentManifest.from_dict(from_json(source.text(), source.name), source.name)


def _reading_choices(reading: Mapping[str, object]) -> dict[str, object]:
    for name in reading:
        if name not in READING:
            raise UsageError(f"{name!r} is no choice about reading. Possible: {', '.join(READING)}.")
    chosen = {name: reading[name] for name in READING if reading.get(name)}
    if _mapping(reading):  # where the file lies is no choice, and what it holds is known by its hash
        chosen["collapse"] = os.path.basename(str(reading["collapse"]))
    return {name: list(value) if isinstance(value, list | tuple) else value for name, value in chosen.items()}


def _mapping(reading: Mapping[str, object]) -> dict[str, object]:
    """The mapping of chunks to documents as a further file, where it is one and no pattern."""
    what = reading.get("collapse")
    if not isinstance(what, str):
        return {}
    from rankproof.reading.chunk_map import is_mapping_file

    return {MAPPING: what} if is_mapping_file(what) else {}


def _path(source: object) -> str | None:
    """The path of an input that is a plain file."""
    return os.fspath(source) if isinstance(source, str | os.PathLike) and is_plain_file(source) else None


def is_expensive(source: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether a run's content takes too long to hash again."""
    path = _path(source)
    return path is not None and os.path.getsize(path) > CHEAP


def _input(name: str, given: Given) -> InputFile:
    """Qrels always have a content hash; a run has one unless its file is large."""
    path = _path(given.source)
    expensive = isinstance(given.prepared, PreparedRun) and is_expensive(given.source)
    return InputFile(
        name=name,
        path=path,
        sha256=None if path is None else file_hash(path),
        content=None if expensive else given.prepared.content_hash(),
    )


def _file(path: str) -> InputFile:
    return InputFile(os.path.basename(path), path, file_hash(path))
