"""Lasting records on disk: evaluation reports and manifests, written whole or not at all."""

from __future__ import annotations

import os
from typing import Any

from rankproof.records.evaluation_report import EvaluationReport
from rankproof.records.jsontext import to_json
from rankproof.records.manifest import ExperimentManifest
from rankproof.store.atomic import replace_file


def write_report(path: str | os.PathLike[str], report: EvaluationReport) -> None:
    """Writes a report as JSON."""
    _write(os.fspath(path), report.to_dict())


def write_manifest(path: str | os.PathLike[str], manifest: ExperimentManifest) -> None:
    """Writes a manifest as JSON, the paths of its inputs as seen from its own folder: both can be moved together."""
    goal = os.fspath(path)
    _write(goal, manifest.beside(os.path.dirname(os.path.realpath(goal))).to_dict())


def _write(path: str, document: dict[str, Any]) -> None:
    replace_file(path, [f"{to_json(document, indent=2)}\n".encode()])
