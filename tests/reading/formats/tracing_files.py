"""LangSmith and Langfuse: the recorded files, a step and an observation to change, and the command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner

from rankproof.cli.shared.root import cli as root

RECORDED = Path(__file__).parent / "recorded"
DATASETS = {"langsmith": RECORDED / "langsmith" / "dataset.jsonl", "langfuse": RECORDED / "langfuse" / "dataset.json"}
TOOLS = tuple(DATASETS)


def system(tool: str, name: str) -> Path:
    return RECORDED / tool / f"{name}.jsonl"


def run(*arguments: str) -> tuple[int, str]:
    told = CliRunner().invoke(root, arguments)
    return told.exit_code, told.output


def step(trace: str = "t1", **more: Any) -> dict[str, Any]:
    """A retriever's run of LangSmith."""
    return {
        "id": f"{trace}-{len(str(more))}", "trace_id": trace, "parent_run_id": "p", "run_type": "retriever",
        "name": "search", "start_time": "2026-01-01T00:00:00", "inputs": {"query": "red lamp"}, "error": None,
        "outputs": {"documents": []}, **more,
    }  # fmt: skip


def documents(*docs: object) -> dict[str, Any]:
    return step(outputs={"documents": list(docs)})


def observation(**more: Any) -> dict[str, Any]:
    return {
        "id": "o1", "traceId": "t1", "type": "RETRIEVER", "startTime": "1", "input": "red lamp", "output": ["d1"],
        "parentObservationId": "p", **more,
    }  # fmt: skip
