"""The public names: what `import rankproof` offers, all of it there, all of it explained."""

from __future__ import annotations

import ast
import inspect

import pytest
from tests.raising import raises

import rankproof

PUBLIC = {
    "Comparison", "Contrast", "DatasetComparison", "Design", "Estimate", "Evaluation", "EvaluationReport",
    "Evaluations", "ExperimentManifest", "FunctionMeasure", "InputError", "Leaderboard", "NotEstimable", "Order",
    "Qrels", "QueryView",
    "RankproofError", "Refused", "Result", "Run", "TaskCalls", "UsageError", "Verdict", "abstention_curve", "arrays",
    "compare", "compare_datasets", "compare_evaluations", "compare_scores", "evaluate", "evaluate_tasks", "gate",
    "interleave", "leaderboard", "leaderboard_scores", "prepare", "propose", "prove_abstention", "read_calls",
    "read_manifest", "read_nuggets", "read_qrels", "read_report", "read_run", "read_topics", "spans", "union_of_calls",
    "verify", "write",
}  # fmt: skip


def test_the_public_names_are_these() -> None:
    """A name more or less is a decision: it belongs here and in the change log."""
    assert set(rankproof.__all__) == PUBLIC
    assert list(rankproof.__all__) == sorted(rankproof.__all__)


@pytest.mark.parametrize("name", sorted(PUBLIC))
def test_a_public_name_is_there_and_explained(name: str) -> None:
    item = getattr(rankproof, name)
    assert inspect.getdoc(item)
    assert name in dir(rankproof)


def test_a_wrong_name_is_an_attribute_error() -> None:
    with raises(AttributeError, "rankproof", "no_such_name"):
        _ = rankproof.no_such_name


def test_a_star_brings_the_public_names() -> None:
    names: dict[str, object] = {}
    exec("from rankproof import *", names)
    assert names.keys() >= PUBLIC


def test_type_checkers_find_each_name_where_python_does() -> None:
    """Names loaded later are stated twice, since editors and the API reference read the file and do not run it."""
    stated = {}
    for node in ast.walk(ast.parse(inspect.getsource(rankproof))):
        if isinstance(node, ast.ImportFrom):
            stated |= {alias.name: node.module for alias in node.names}
    later = {**rankproof._LATER, **dict.fromkeys(rankproof._MODULES, "rankproof")}
    assert {name: stated.get(name) for name in later} == later
