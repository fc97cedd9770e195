"""rankproof: is this ranking better, and may it ship? Numbers that can be defended.

>>> import rankproof
>>> ev = rankproof.evaluate({"q1": {"d1": 1}}, {"q1": {"d1": 0.9, "d2": 0.4}}, "nDCG@10 RR@10")
>>> ev["nDCG@10"].mean
1.0
"""

from rankproof import shelf
from rankproof.errors import InputError, RankproofError, Refused, UsageError
from rankproof.flow.measuring import evaluate, prepare
from rankproof.records.evaluation import Evaluation, Result
from rankproof.records.order import Order

__version__ = "0.1.0"

# Loaded here and not at the first call: an evaluation of a few queries takes less time than finding its measures.
shelf.offered("measures")
shelf.offered("dialects")

_LATER = {
    "compare": "rankproof.flow.compare",
    "compare_evaluations": "rankproof.flow.compare",
    "gate": "rankproof.flow.gate",
    "propose": "rankproof.flow.proposing",
    "interleave": "rankproof.flow.interleaving.showing",
    "Comparison": "rankproof.records.comparison",
    "Contrast": "rankproof.records.comparison",
    "Design": "rankproof.records.design",
    "Estimate": "rankproof.records.estimate",
    "NotEstimable": "rankproof.records.estimate",
    "Verdict": "rankproof.records.verdict",
    "EvaluationReport": "rankproof.records.evaluation_report",
    "ExperimentManifest": "rankproof.records.manifest",
    "read_report": "rankproof.flow.evaluation_report",
    "read_manifest": "rankproof.flow.manifest",
    "verify": "rankproof.flow.verify",
    "Run": "rankproof.records.run",
    "Qrels": "rankproof.records.qrels",
    "read_run": "rankproof.flow.collect",
    "read_qrels": "rankproof.flow.collect",
    "read_topics": "rankproof.flow.collect",
    "write": "rankproof.store.files",
}

__all__ = [
    "Comparison",
    "Contrast",
    "Design",
    "Estimate",
    "Evaluation",
    "EvaluationReport",
    "ExperimentManifest",
    "InputError",
    "NotEstimable",
    "Order",
    "Qrels",
    "RankproofError",
    "Refused",
    "Result",
    "Run",
    "UsageError",
    "Verdict",
    "compare",
    "compare_evaluations",
    "evaluate",
    "gate",
    "interleave",
    "prepare",
    "propose",
    "read_manifest",
    "read_qrels",
    "read_report",
    "read_run",
    "read_topics",
    "verify",
    "write",
]


def __getattr__(name: str) -> object:
    """Names that bring more code with them, loaded when first used."""
    if name in _LATER:
        from importlib import import_module

        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'rankproof' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names above too: a prompt completes from here."""
    return sorted({*globals(), *__all__})
