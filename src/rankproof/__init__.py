"""rankproof: is this ranking better, and may it ship? Numbers that can be defended.

>>> import rankproof
>>> ev = rankproof.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9, "d2": 0.4}}, "nDCG@10 RR@10")
>>> ev["nDCG@10"].mean
1.0
"""

from typing import TYPE_CHECKING

from rankproof.errors import InputError, RankproofError, Refused, UsageError
from rankproof.kernel.version import __version__ as __version__
from rankproof.measuring.evaluate import evaluate, prepare
from rankproof.measuring.evaluations import Evaluations
from rankproof.measuring.functions import FunctionMeasure, QueryView
from rankproof.measuring.records import Evaluation, Result
from rankproof.reading.records import Order

# For type checkers, editors and the API reference; the table below says the same to Python.
if TYPE_CHECKING:
    from rankproof import arrays, spans
    from rankproof.kernel.estimate import Estimate, NotEstimable
    from rankproof.kernel.manifest import ExperimentManifest
    from rankproof.measuring.report import EvaluationReport, read_report
    from rankproof.measuring.tasks import evaluate_tasks, union_of_calls
    from rankproof.online.interleaving.show import interleave
    from rankproof.proving.abstention import abstention_curve, prove_abstention
    from rankproof.proving.compare import compare, compare_evaluations
    from rankproof.proving.datasets import DatasetComparison, compare_datasets
    from rankproof.proving.gate import gate
    from rankproof.proving.leaderboard import leaderboard
    from rankproof.proving.leaderboard_records import Leaderboard
    from rankproof.proving.leaderboard_scores import leaderboard_scores
    from rankproof.proving.manifest import read_manifest
    from rankproof.proving.next import propose
    from rankproof.proving.records import Comparison, Contrast, Design
    from rankproof.proving.score_tables import compare_scores
    from rankproof.proving.verdict import Verdict
    from rankproof.proving.verify import verify
    from rankproof.reading.calls import TaskCalls, read_calls
    from rankproof.reading.collect import read_qrels, read_run, read_topics
    from rankproof.reading.formats.nuggets import read_nuggets
    from rankproof.reading.records import Qrels, Run
    from rankproof.reading.write import write

_LATER = {
    "compare": "rankproof.proving.compare",
    "compare_datasets": "rankproof.proving.datasets",
    "compare_evaluations": "rankproof.proving.compare",
    "compare_scores": "rankproof.proving.score_tables",
    "gate": "rankproof.proving.gate",
    "leaderboard": "rankproof.proving.leaderboard",
    "leaderboard_scores": "rankproof.proving.leaderboard_scores",
    "propose": "rankproof.proving.next",
    "interleave": "rankproof.online.interleaving.show",
    "Comparison": "rankproof.proving.records",
    "Contrast": "rankproof.proving.records",
    "DatasetComparison": "rankproof.proving.datasets",
    "Design": "rankproof.proving.records",
    "Estimate": "rankproof.kernel.estimate",
    "NotEstimable": "rankproof.kernel.estimate",
    "Leaderboard": "rankproof.proving.leaderboard_records",
    "Verdict": "rankproof.proving.verdict",
    "EvaluationReport": "rankproof.measuring.report",
    "ExperimentManifest": "rankproof.kernel.manifest",
    "evaluate_tasks": "rankproof.measuring.tasks",
    "union_of_calls": "rankproof.measuring.tasks",
    "abstention_curve": "rankproof.proving.abstention",
    "prove_abstention": "rankproof.proving.abstention",
    "read_nuggets": "rankproof.reading.formats.nuggets",
    "read_report": "rankproof.measuring.report",
    "read_manifest": "rankproof.proving.manifest",
    "verify": "rankproof.proving.verify",
    "Run": "rankproof.reading.records",
    "Qrels": "rankproof.reading.records",
    "TaskCalls": "rankproof.reading.calls",
    "read_calls": "rankproof.reading.calls",
    "read_run": "rankproof.reading.collect",
    "read_qrels": "rankproof.reading.collect",
    "read_topics": "rankproof.reading.collect",
    "write": "rankproof.reading.write",
}
# Modules that are public names too.
_MODULES = ("arrays", "spans")

__all__ = [
    "Comparison",
    "Contrast",
    "DatasetComparison",
    "Design",
    "Estimate",
    "Evaluation",
    "EvaluationReport",
    "Evaluations",
    "ExperimentManifest",
    "FunctionMeasure",
    "InputError",
    "Leaderboard",
    "NotEstimable",
    "Order",
    "Qrels",
    "QueryView",
    "RankproofError",
    "Refused",
    "Result",
    "Run",
    "TaskCalls",
    "UsageError",
    "Verdict",
    "abstention_curve",
    "arrays",
    "compare",
    "compare_datasets",
    "compare_evaluations",
    "compare_scores",
    "evaluate",
    "evaluate_tasks",
    "gate",
    "interleave",
    "leaderboard",
    "leaderboard_scores",
    "prepare",
    "propose",
    "prove_abstention",
    "read_calls",
    "read_manifest",
    "read_nuggets",
    "read_qrels",
    "read_report",
    "read_run",
    "read_topics",
    "spans",
    "union_of_calls",
    "verify",
    "write",
]


def __getattr__(name: str) -> object:
    """Names that bring more code with them, loaded when first used."""
    from importlib import import_module

    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    if name in _MODULES:
        return import_module(f"rankproof.{name}")
    raise AttributeError(f"module 'rankproof' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names above too: a prompt completes from here."""
    return sorted({*globals(), *__all__})
