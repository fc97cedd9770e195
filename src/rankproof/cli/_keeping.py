"""What a command keeps beside its answer: an evaluation report, a manifest. Written when the answer is there."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from rankproof.flow.prepared import PreparedQrels, PreparedRun
    from rankproof.records.comparison import Comparison
    from rankproof.records.evaluation import Evaluation


def read_targets(
    targets: Sequence[str], save: str | None, manifest: str | None, runs: Sequence[str]
) -> dict[str, float]:
    """The targets; an error when what shall be kept cannot be. Asked before the work, not after it."""
    if targets and save is None:
        raise UsageError("A target is kept in the report: add --save FILE. To decide by targets, use `rankproof gate`.")
    if save is not None and len(runs) > 1:
        raise UsageError(f"--save keeps the report of one run; {len(runs)} were given. Save them one by one.")
    for path in (save, manifest):
        if path is not None:
            refuse_path(path)
    if not targets:
        return {}
    from rankproof.flow.targets import parse_targets

    return parse_targets(targets)


def save_report(
    path: str,
    evaluation: Evaluation,
    run: PreparedRun,
    given: str,
    targets: Mapping[str, float],
    observed: Mapping[str, Any],
) -> None:
    """Writes the report of one run, with targets and diagnoses."""
    from rankproof.flow.diagnose import diagnose
    from rankproof.flow.evaluation_report import report_of
    from rankproof.flow.manifest import is_dear
    from rankproof.store.lasting import write_report

    report = report_of(
        evaluation,
        targets=targets,
        run_sha256=None if is_dear(given) else run.content_hash(),
        qrels=os.path.basename(run.qrels.name),
        diagnoses=diagnose(run, evaluation.run_name, evaluation.settings),
        observed=observed,
    )
    write_report(path, report)


def save_manifest(
    path: str,
    answer: Comparison | Sequence[Evaluation],
    qrels: tuple[str, PreparedQrels],
    runs: Sequence[tuple[str, PreparedRun]],
    reading: Mapping[str, Any],
    observed: Mapping[str, Any],
    **more: Any,
) -> None:
    """Writes the manifest of evaluations or of a comparison; `more` is for `manifest_of`."""
    from rankproof.flow.manifest import READING, Given, manifest_of
    from rankproof.store.lasting import write_manifest

    chosen = {name: value for name, value in reading.items() if name in READING}
    record = manifest_of(
        answer, Given(*qrels), [Given(*run) for run in runs], reading=chosen, observed=observed, **more
    )
    write_manifest(path, record)
