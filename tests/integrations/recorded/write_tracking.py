"""Writes tracking.json: what MLflow and Weights & Biases took and refused, from the real libraries.

    pip install mlflow-skinny "sqlalchemy<3" alembic wandb        in an environment of its own, with rankproof
    python tests/integrations/recorded/write_tracking.py

MLflow keeps its runs in a SQLite file, wandb runs offline; both in a folder that is removed.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT))

from tests.documents.pages import blocks  # noqa: E402
from tests.documents.reader import is_file  # noqa: E402
from tests.integrations.tracked import FOLDER, answers  # noqa: E402

from rankproof.integrations import tracking  # noqa: E402

# Keys of all kinds; the first are rankproof's own names of measures.
KEYS = [
    "nDCG@10", "P(rel=2)@5", "a=b", "a%", "a,b", "", ".", "..", "/a", "a/", "a//b", "./a", "x" * 251,
    "nDCG_at_10", "_10", "a/b", "eval/nDCG_at_10", "x" * 250, "a b", "a.b", "a-b", "a:b",
]  # fmt: skip


def mlflow_takes(folder: str) -> dict[str, Any]:
    """Which keys it takes and refuses; and what it kept of everything that rankproof gives it, which must be all."""
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    refused = []
    with mlflow.start_run():
        for key in KEYS:
            try:
                mlflow.log_metric(key, 1.0)
            except mlflow.exceptions.MlflowException:
                refused.append(key)
    kept: dict[str, Any] = {}
    for name, answer in answers().items():
        given = {**tracking.metrics(answer), **tracking.metrics(answer, "eval/")}
        with mlflow.start_run() as run:
            mlflow.log_metrics(given)
            mlflow.log_params(tracking.params(answer))
            mlflow.set_tags(tracking.tags(answer))
        data = mlflow.get_run(run.info.run_id).data
        assert data.metrics == given, name
        assert data.params == tracking.params(answer), name
        assert data.tags.items() >= tracking.tags(answer).items(), name
        kept[name] = {key: value for key, value in data.metrics.items() if not key.startswith("eval/")}
    return {"version": mlflow.__version__, "refused": refused, "kept": kept}


def wandb_takes(folder: str) -> dict[str, Any]:
    """What is in the summary of an offline run after everything was logged, which must be all."""
    os.environ |= {"WANDB_MODE": "offline", "WANDB_DIR": folder, "WANDB_SILENT": "true"}
    import wandb

    kept: dict[str, Any] = {}
    for name, answer in answers().items():
        given = {**tracking.metrics(answer), **tracking.metrics(answer, "eval/")}
        with wandb.init(project="rankproof", reinit="finish_previous") as run:
            run.log(given)
            run.config.update(tracking.params(answer))
            run.summary.update(tracking.tags(answer))
            table = tracking.rows(answer)
            wandb.Table(columns=list(table[0]), data=[list(row.values()) for row in table])
            summary = dict(run.summary)
            assert summary.items() >= {**given, **tracking.tags(answer)}.items(), name
            assert dict(run.config).items() >= tracking.params(answer).items(), name
        kept[name] = {key: summary[key] for key in tracking.metrics(answer)}
    return {"version": wandb.__version__, "kept": kept}


def run_the_page(folder: str) -> dict[str, str]:
    """Runs the examples of the page that log, and returns the hash of each by its name."""
    ran = {}
    for block in blocks(ROOT / "docs/tools/tracking.md"):
        if is_file(block):
            shutil.copytree(FOLDER, f"{folder}/page", dirs_exist_ok=True)
            os.chdir(f"{folder}/page")
            exec(compile(block.text, block.place, "exec"), {})
            ran[block.above.split("`")[1]] = hashlib.sha256(block.text.encode()).hexdigest()
    return ran


def main() -> None:
    """Writes the file."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        recorded = {"keys": KEYS, "mlflow": mlflow_takes(folder), "wandb": wandb_takes(folder)}
        recorded["page"] = run_the_page(folder)
        os.chdir(HERE)
    (HERE / "tracking.json").write_text(json.dumps(recorded, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
