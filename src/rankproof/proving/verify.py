"""Verify: an experiment computed again from its manifest, and what differs."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.documents import Document, plain, versions
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.manifest import ExperimentManifest, InputFile, Results
from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.identity import file_hash
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.names import at_level, parse
from rankproof.measuring.prepare import join_run, prepare_qrels
from rankproof.measuring.records import Evaluation, Settings
from rankproof.measuring.run_sources import settle_reading
from rankproof.proving.gate import Decided, decide_rules, decide_spending
from rankproof.proving.gate_case import GateCase
from rankproof.proving.gate_record import GATE, case_again, reading_again, results_in, ruling_results
from rankproof.proving.manifest import MAPPING, HasContent, results_of
from rankproof.proving.records import Contrast, Design
from rankproof.proving.values_case import ValuesCase
from rankproof.reading.source import open_source

SCHEMA = "verification/1"
VERDICT = "verdict/1"
Problem = Literal["input_missing", "input_changed", "not_computed", "value_differs"]


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """One thing that is not as the manifest says. `message` is a sentence; old and new are hashes or values."""

    problem: Problem
    what: str
    message: str
    old: float | str | None = None
    new: float | str | None = None
    difference: float | None = None  # new minus old, of values


@dataclass(frozen=True, slots=True)
class Verification:
    """The answer of `rankproof verify`.

    compared    how many values were computed again
    equal       how many of them are the same within `tolerance`, a relative difference
    largest     the largest relative difference among those that count as equal
    notes       what is different and changes nothing: versions, another form of the same content
    """

    manifest: str  # the experiment's id
    name: str
    compared: int
    equal: int
    tolerance: float
    largest: float = 0.0
    discrepancies: tuple[Discrepancy, ...] = ()
    notes: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def verified(self) -> bool:
        """Whether everything was computed again, from the same inputs, with the same values."""
        return not self.discrepancies and self.compared > 0

    @property
    def exit_status(self) -> int:
        """0 when verified, 1 otherwise."""
        return 0 if self.verified else 1

    def to_dict(self) -> Document:
        """Plain dicts, lists, numbers and texts: what `--json` writes."""
        return {"verified": self.verified, **plain(self)}


# Values nearer to 0 than this are compared as if they were this large: the rounding of a sum does not shrink with it.
SMALL = 1e-3


@dataclass(frozen=True, slots=True)
class ValueAgreement:
    """How many values were compared, how many are equal, the largest relative difference of equals, and the others."""

    compared: int
    equal: int
    largest: float
    apart: tuple[Discrepancy, ...]


def compare_results(old: Results, new: Results, tolerance: float) -> ValueAgreement:
    """Each value on record against the one computed again, by its relative difference."""
    before, after = dict(_values(old)), dict(_values(new))
    equal, largest, apart = 0, 0.0, []
    names = list(dict.fromkeys((*before, *after)))
    for name in names:
        was, now = before.get(name), after.get(name)
        distance = _distance(was, now)
        if distance <= tolerance:
            equal, largest = equal + 1, max(largest, distance)
            continue
        difference = now - was if isinstance(was, float) and isinstance(now, float) else None
        by = "" if difference is None else f" (by {difference:+.3g})"
        message = f"{name} is {_word(now)}, was {_word(was)}{by}."
        apart.append(Discrepancy("value_differs", name, message, was, now, difference))
    return ValueAgreement(len(names), equal, largest, tuple(apart))


def _values(results: Results) -> Iterator[tuple[str, float | str | None]]:
    """Every number on record, by a name that tells a reader which it is."""
    yield "queries", float(results.queries)
    for run, means in results.means.items():
        for measure, value in means.items():
            yield f"{run} {measure}", value
    for contrast in results.contrasts:
        where = f"{contrast.candidate} - {contrast.baseline} {contrast.measure}"
        where += f" [{contrast.segment}]" if contrast.segment else ""
        yield where, contrast.difference
        yield f"{where}: queries", float(contrast.queries)
        if contrast.reason:
            yield f"{where}: no interval", contrast.reason
            continue
        yield f"{where}: low", contrast.low
        yield f"{where}: high", contrast.high
        yield f"{where}: p", contrast.p_value
        if contrast.adjusted_p_value is not None:
            yield f"{where}: adjusted p", contrast.adjusted_p_value
    if results.verdict:
        yield "verdict", results.verdict
    for number, ruling in enumerate(results.rulings, start=1):
        where = f"ruling {number} ({ruling.title})"
        yield f"{where}: status", ruling.status
        for name in ("observed", "threshold", "low", "high", "confidence", "p_fail"):
            yield f"{where}: {name}", getattr(ruling, name)


def _distance(was: float | str | None, now: float | str | None) -> float:
    """The relative difference: 0 for equals, infinite where one is a number and the other none."""
    if was == now:
        return 0.0
    if not isinstance(was, float) or not isinstance(now, float):
        return math.inf
    return abs(now - was) / max(abs(was), abs(now), SMALL)


def _word(value: float | str | None) -> str:
    return "missing" if value is None else value if isinstance(value, str) else f"{value:.10g}"


# A relative difference. On one platform the same inputs give the same bits; another may round sums otherwise.
TOLERANCE = 1e-12
# Further files whose content decides a number or a verdict; others (topics, a pool) only decide what is shown beside
# them. The rules of a policy are in the manifest: its file need not be there, and must not be another.
DECISIVE = ("queries", "latency", "policy", MAPPING)


def _is_decisive(role: str) -> bool:
    return role in DECISIVE or role.startswith("rule ")


@dataclass(frozen=True, slots=True, eq=False)
class LocatedInput:
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
    """Computes an experiment again from inputs at the manifest's places, seen from `folder`, or at the caller's."""
    runs, others = runs or {}, others or {}
    beside = tuple(dict.fromkeys((*manifest.others, *DECISIVE)))
    for kind, given, known in (("run", runs, manifest.run_ids), ("further file", others, beside)):
        for name in given:
            if name not in known:
                raise UnknownName(f"{kind} of the manifest", name, known)
    if qrels is not None and manifest.qrels is None:
        raise UsageError("The manifest is of values that were made before, without qrels. Leave out --qrels.")
    judged = None if manifest.qrels is None else _find("qrels", manifest.qrels, folder, qrels)
    read = [] if judged is None else [judged]
    ranked = [_find("run", run, folder, runs.get(run.name)) for run in manifest.runs]
    further = {role: _find(role, file, folder, others.get(role)) for role, file in manifest.others.items()}
    notes = _versions(manifest)
    problems = [_missing(located) for located in (*read, *ranked) if located.path is None]
    gated = GATE in manifest.parameters
    needed = [
        role for role in further if role in ("queries", MAPPING) or (gated and role != "policy" and _is_decisive(role))
    ]
    problems += [_missing(further[role]) for role in needed if further[role].path is None]
    problems += [_changed(located) for role, located in further.items() if _is_decisive(role) and _is_other(located)]
    if any(problem.problem == "input_missing" for problem in problems):
        return _answer(manifest, problems, notes, tolerance)
    try:
        paths = {**others, **{role: located.path for role, located in further.items()}}
        again, seen, noted = _compute(manifest, judged, ranked, paths)
    except (InputError, UsageError) as error:
        problems += [_changed(located) for located in (*read, *ranked) if _is_other(located)]
        problems.append(Discrepancy("not_computed", "results", f"Nothing could be computed again: {error}"))
        return _answer(manifest, problems, notes, tolerance)
    values = compare_results(manifest.results, again, tolerance)
    answer = _answer(manifest, [*problems, *seen, *values.apart], [*notes, *noted], tolerance)
    return replace(answer, compared=values.compared, equal=values.equal, largest=values.largest)


def read_experiment(what: Any) -> tuple[ExperimentManifest, bool]:
    """The manifest in a file, or the one that a saved verdict rests on, with the rulings that the verdict says.

    Whether it is a verdict: paths in one are as seen from where the gate ran, not from its own folder.
    """
    source = open_source(what)
    document = from_json(source.text(), source.name)
    if not isinstance(document, dict) or document.get("schema") != VERDICT:
        return ExperimentManifest.from_dict(document, source.name), False
    if not document.get("manifest"):
        raise InputError(f"{source.name}: the verdict has no manifest, so nothing can be computed again.")
    manifest = ExperimentManifest.from_dict(document["manifest"], source.name)
    status, rulings = results_in(document, source.name)
    return replace(manifest, results=replace(manifest.results, verdict=status, rulings=rulings)), True


# ---- inputs --------------------------------------------------------------------------------------


def _find(role: str, recorded: InputFile, folder: str, given: str | None) -> LocatedInput:
    sought = path = recorded.path if given is None else given
    if given is None and recorded.path is not None:
        path = os.path.normpath(os.path.join(folder, recorded.path))
    if path is None or not os.path.isfile(path):
        return LocatedInput(role, recorded, sought, None, False)
    return LocatedInput(
        role, recorded, sought, path, recorded.sha256 is not None and file_hash(path) == recorded.sha256
    )


def _is_other(located: LocatedInput) -> bool:
    return located.path is not None and not located.same_bytes


def _missing(located: LocatedInput) -> Discrepancy:
    option = "--qrels PATH" if located.role == "qrels" else f"--{located.role} {located.recorded.name}=PATH"
    if located.role not in ("qrels", "run"):
        option = f"--other {located.role}=PATH"
    where = "has never been a file" if located.sought is None else f"is not at {located.sought}"
    return Discrepancy(
        "input_missing",
        located.title,
        f"Missing: {located.title} {where}. Say where it is: {option}",
        located.recorded.identity,
    )


def _changed(located: LocatedInput, new: str | None = None) -> Discrepancy:
    """By its content where both are known; by its bytes otherwise."""
    assert located.path is not None
    old = located.recorded.sha256 or located.recorded.identity
    if new is not None and located.recorded.content is not None:
        old = located.recorded.content
    else:
        new = file_hash(located.path)
    return Discrepancy(
        "input_changed", located.title, f"Changed: {located.title}. SHA-256 {new[:12]}, was {old[:12]}.", old, new
    )


def _against(located: LocatedInput, prepared: HasContent) -> Discrepancy | str | None:
    """None for the same bytes, a note for the same content in other bytes, a discrepancy otherwise."""
    if located.same_bytes:
        return None
    if located.recorded.content is None:
        return _changed(located)
    content = prepared.content_hash()
    if content != located.recorded.content:
        return _changed(located, content)
    return None if located.recorded.sha256 is None else f"other bytes, the same content: {located.title}"


# ---- computing again -----------------------------------------------------------------------------


def _compute(
    manifest: ExperimentManifest,
    judged: LocatedInput | None,
    ranked: Sequence[LocatedInput],
    further: Mapping[str, str | None],
) -> tuple[Results, list[Discrepancy], list[str]]:
    if judged is None:
        return _values_again(manifest, ranked, further)
    reading = reading_again(manifest, further)
    allow = tuple(reading.pop("allow", ()))
    run_format, qrels_format = reading.pop("run_format", None), reading.pop("qrels_format", None)
    settings = _choices(Settings, manifest.parameters.get("settings", {}), "settings")
    variants = parse(manifest.measures)
    qrels = prepare_qrels(judged.path, qrels_format, allow, **settle_reading(reading))
    differences: list[Discrepancy | str | None] = [_against(judged, qrels)]
    evaluations = []
    for located in ranked:
        run = join_run(qrels, located.path, format=run_format, allow=allow, name=located.recorded.name, **reading)
        evaluation = replace(measure_run(run, variants, settings), run_name=located.recorded.name)
        evaluations.append(_as_recorded(evaluation, variants, settings))
        differences.append(_against(located, run))
    contrasts = () if manifest.kind == "evaluation" else _contrasts(manifest, evaluations, further.get("queries"))
    problems = [one for one in differences if isinstance(one, Discrepancy)]
    results = results_of(evaluations, contrasts)
    if GATE in manifest.parameters:
        decided = _decided(*case_again(manifest, _places(ranked), judged.path, further))
        results = replace(results, verdict=decided.status, rulings=ruling_results(decided.rulings))
    return results, problems, [one for one in differences if isinstance(one, str)]


def _as_recorded(evaluation: Evaluation, variants: tuple[Variant, ...], settings: Settings) -> Evaluation:
    """With the names of the manifest: those of earlier versions do not say a relevance level."""
    recorded = {now.text: was.text for was, now in zip(variants, at_level(variants, settings.level), strict=True)}
    if all(now == was for now, was in recorded.items()):
        return evaluation
    results = {recorded.get(text, text): result for text, result in evaluation.results.items()}
    return replace(evaluation, results={text: replace(result, text=text) for text, result in results.items()})


def _values_again(
    manifest: ExperimentManifest, ranked: Sequence[LocatedInput], further: Mapping[str, str | None]
) -> tuple[Results, list[Discrepancy], list[str]]:
    """A gate on values that were made before, from the tables or reports that hold them."""
    case, attempt = case_again(manifest, _places(ranked), None, further)
    assert isinstance(case, ValuesCase)
    decided = _decided(case, attempt)
    contrasts = () if manifest.kind == "evaluation" else case.compared(*_design(manifest)).contrasts
    evaluations = case.evaluations[len(ranked) - 1 :: -1]
    differences = [_against(at, given.prepared) for at, given in zip(ranked[::-1], case.given, strict=False)]
    results = results_of(evaluations, contrasts, decided.status, ruling_results(decided.rulings))
    problems = [one for one in differences if isinstance(one, Discrepancy)]
    return results, problems, [one for one in differences if isinstance(one, str)]


def _places(ranked: Sequence[LocatedInput]) -> list[tuple[str, str | None]]:
    return [(located.recorded.name, located.path) for located in ranked]


def _decided(case: GateCase, attempt: int | None) -> Decided:
    return decide_rules(case, case.policy.clauses) if attempt is None else decide_spending(case, attempt)


def _contrasts(
    manifest: ExperimentManifest, evaluations: Sequence[Evaluation], queries: str | None
) -> Sequence[Contrast]:
    from rankproof.proving.compare import compare_evaluations

    design, by = _design(manifest)
    return compare_evaluations(evaluations, design, queries=queries, by=by).contrasts


def _design(manifest: ExperimentManifest) -> tuple[Design, tuple[str, ...]]:
    """How the manifest's systems were compared, and the columns that make segments."""
    chosen = dict(manifest.parameters.get("design", {}))
    by = tuple(chosen.pop("by", ()))
    chosen.setdefault("primary", "all")  # a manifest that names no primary measure had one family
    return _choices(Design, {**chosen, "seed": manifest.seed or 0}, "design"), by


def _choices(kind: type[Any], chosen: Mapping[str, Any], name: str) -> Any:
    known = {field.name for field in fields(kind)}
    for choice in chosen:
        if choice not in known:
            raise UsageError(f"The manifest's {name} have a choice {choice!r} that this rankproof does not know.")
    return kind(**chosen)


# ---- the answer ----------------------------------------------------------------------------------


def _versions(manifest: ExperimentManifest) -> list[str]:
    ours, theirs = versions(), manifest.versions
    return [f"{name} is {ours[name]}, was {was}" for name, was in theirs.items() if ours.get(name, was) != was]


def _answer(
    manifest: ExperimentManifest, problems: Sequence[Discrepancy], notes: Sequence[str], tolerance: float
) -> Verification:
    return Verification(manifest.id, manifest.name, 0, 0, tolerance, 0.0, tuple(problems), tuple(notes), versions())
