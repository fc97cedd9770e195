"""Verify: an experiment computed again from its manifest, and what differs."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.flow.identity import file_hash
from rankproof.flow.joining import join_run, prepare_qrels
from rankproof.flow.measuring import measure_run
from rankproof.flow.prepared import PreparedQrels, PreparedRun
from rankproof.flow.results import compare_results, results_of
from rankproof.flow.versions import versions
from rankproof.measures._text import parse
from rankproof.records.comparison import Contrast
from rankproof.records.design import Design
from rankproof.records.evaluation import Evaluation
from rankproof.records.manifest import ExperimentManifest, InputFile, Results
from rankproof.records.settings import Settings
from rankproof.records.verification import Discrepancy, Verification

# A relative difference. On one platform the same inputs give the same bits; another may round sums otherwise.
TOLERANCE = 1e-12
# Further files whose content decides a number; others (topics, a pool) only decide what is shown beside them.
DECISIVE = ("queries",)


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """An input of a manifest, where it was sought, and where it lies: `path` is None when it does not lie there."""

    role: str
    recorded: InputFile
    sought: str | None
    path: str | None
    same_bytes: bool

    @property
    def title(self) -> str:
        """What to call it: "run bm25"."""
        return self.role if self.recorded.name == self.role else f"{self.role} {self.recorded.name}"


def verify(
    manifest: ExperimentManifest,
    folder: str = ".",
    *,
    qrels: str | None = None,
    runs: Mapping[str, str] | None = None,
    others: Mapping[str, str] | None = None,
    tolerance: float = TOLERANCE,
) -> Verification:
    """Computes an experiment again. Inputs lie where the manifest says, seen from `folder`, unless the caller says."""
    runs, others = runs or {}, others or {}
    beside = tuple(dict.fromkeys((*manifest.others, *DECISIVE)))
    for kind, said, known in (("run", runs, manifest.run_ids), ("further file", others, beside)):
        for name in said:
            if name not in known:
                raise UnknownName(f"{kind} of the manifest", name, known)
    judged = _find("qrels", manifest.qrels, folder, qrels)
    ranked = [_find("run", run, folder, runs.get(run.name)) for run in manifest.runs]
    further = {role: _find(role, file, folder, others.get(role)) for role, file in manifest.others.items()}
    notes = _versions(manifest)
    problems = [_missing(found) for found in (judged, *ranked) if found.path is None]
    problems += [_missing(found) for role, found in further.items() if found.path is None and role in DECISIVE]
    problems += [_changed(found) for role, found in further.items() if role in DECISIVE and _is_other(found)]
    if any(problem.problem == "input_missing" for problem in problems):
        return _answer(manifest, problems, notes, tolerance)
    try:
        queries = further["queries"].path if "queries" in further else others.get("queries")
        again, seen, noted = _compute(manifest, judged, ranked, queries)
    except (InputError, UsageError) as error:
        problems += [_changed(found) for found in (judged, *ranked) if _is_other(found)]
        problems.append(Discrepancy("not_computed", "results", f"Nothing could be computed again: {error}"))
        return _answer(manifest, problems, notes, tolerance)
    values = compare_results(manifest.results, again, tolerance)
    answer = _answer(manifest, [*problems, *seen, *values.apart], [*notes, *noted], tolerance)
    return replace(answer, compared=values.compared, equal=values.equal, largest=values.largest)


# ---- inputs --------------------------------------------------------------------------------------


def _find(role: str, recorded: InputFile, folder: str, said: str | None) -> Found:
    path = said if said is not None or recorded.path is None else os.path.normpath(os.path.join(folder, recorded.path))
    sought = said if said is not None else recorded.path
    if path is None or not os.path.isfile(path):
        return Found(role, recorded, sought, None, False)
    return Found(role, recorded, sought, path, recorded.sha256 is not None and file_hash(path) == recorded.sha256)


def _is_other(found: Found) -> bool:
    return found.path is not None and not found.same_bytes


def _missing(found: Found) -> Discrepancy:
    option = "--qrels PATH" if found.role == "qrels" else f"--{found.role} {found.recorded.name}=PATH"
    if found.role not in ("qrels", "run"):
        option = f"--other {found.role}=PATH"
    where = "has never been a file" if found.sought is None else f"is not at {found.sought}"
    return Discrepancy(
        "input_missing",
        found.title,
        f"Missing: {found.title} {where}. Say where it is: {option}",
        found.recorded.identity,
    )


def _changed(found: Found, new: str | None = None) -> Discrepancy:
    """By its content where both are known; by its bytes otherwise."""
    assert found.path is not None
    old = found.recorded.sha256 or found.recorded.identity
    if new is not None and found.recorded.content is not None:
        old = found.recorded.content
    else:
        new = file_hash(found.path)
    return Discrepancy(
        "input_changed", found.title, f"Changed: {found.title}. SHA-256 {new[:12]}, was {old[:12]}.", old, new
    )


def _against(found: Found, prepared: PreparedQrels | PreparedRun) -> Discrepancy | str | None:
    """None for the same bytes, a note for the same content in other bytes, a discrepancy otherwise."""
    if found.same_bytes:
        return None
    if found.recorded.content is None:
        return _changed(found)
    content = prepared.content_hash()
    if content != found.recorded.content:
        return _changed(found, content)
    return None if found.recorded.sha256 is None else f"other bytes, the same content: {found.title}"


# ---- computing again -----------------------------------------------------------------------------


def _compute(
    manifest: ExperimentManifest, judged: Found, ranked: Sequence[Found], queries: str | None
) -> tuple[Results, list[Discrepancy], list[str]]:
    reading = dict(manifest.parameters.get("reading", {}))
    allow = tuple(reading.pop("allow", ()))
    run_format, qrels_format = reading.pop("run_format", None), reading.pop("qrels_format", None)
    settings = _choices(Settings, manifest.parameters.get("settings", {}), "settings")
    variants = parse(manifest.measures)
    qrels = prepare_qrels(judged.path, qrels_format, allow)
    held: list[Discrepancy | str | None] = [_against(judged, qrels)]
    evaluations = []
    for found in ranked:
        run = join_run(qrels, found.path, format=run_format, allow=allow, name=found.recorded.name, **reading)
        evaluations.append(replace(measure_run(run, variants, settings), run_name=found.recorded.name))
        held.append(_against(found, run))
    contrasts = () if manifest.kind == "evaluation" else _contrasts(manifest, evaluations, queries)
    problems = [one for one in held if isinstance(one, Discrepancy)]
    return results_of(evaluations, contrasts), problems, [one for one in held if isinstance(one, str)]


def _contrasts(
    manifest: ExperimentManifest, evaluations: Sequence[Evaluation], queries: str | None
) -> Sequence[Contrast]:
    from rankproof.flow.compare import compare_evaluations

    chosen = dict(manifest.parameters.get("design", {}))
    by = tuple(chosen.pop("by", ()))
    design = _choices(Design, {**chosen, "seed": manifest.seed or 0}, "design")
    return compare_evaluations(evaluations, design, queries=queries, by=by).contrasts


def _choices(kind: type[Any], chosen: Mapping[str, Any], name: str) -> Any:
    known = {field.name for field in fields(kind)}
    for choice in chosen:
        if choice not in known:
            raise UsageError(f"The manifest's {name} have a choice {choice!r} that this rankproof does not know.")
    return kind(**chosen)


# ---- the answer ----------------------------------------------------------------------------------


def _versions(manifest: ExperimentManifest) -> list[str]:
    ours = versions()
    return [
        f"{name} is {ours[name]}, was {was}" for name, was in manifest.versions.items() if ours.get(name, was) != was
    ]


def _answer(
    manifest: ExperimentManifest, problems: Sequence[Discrepancy], notes: Sequence[str], tolerance: float
) -> Verification:
    return Verification(manifest.id, manifest.name, 0, 0, tolerance, 0.0, tuple(problems), tuple(notes), versions())
