"""The pytest plugin, in test runs of its own: what passes, what fails and with which words, what is configured."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
INI = """
[pytest]
rankproof_qrels = sample/qrels.trec
rankproof_baseline = sample/bm25.run
rankproof_topics = sample/topics.tsv
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    shutil.copytree(SAMPLE, pytester.path / "sample")
    pytester.makefile(".ini", pytest=INI)
    return pytester


def run(project: pytest.Pytester, test: str, *args: str) -> pytest.RunResult:
    project.makepyfile(test)
    # An editable installation is imported before pytest can rewrite its asserts, and pytest warns of that.
    loaded = [
        "-p",
        "no:cacheprovider",
        "-p",
        "no:schemathesis",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        *([] if _is_installed() else ["-p", "rankproof.integrations.pytest_plugin"]),
    ]
    return project.runpytest_subprocess(*loaded, "--rankproof-candidate", "sample/dense.run", *args)


def _is_installed() -> bool:
    from importlib.metadata import entry_points

    return any(point.value == "rankproof.integrations.pytest_plugin" for point in entry_points(group="pytest11"))


TESTS = """
    import pytest

    RULE = {"rule": "least_value", "measure": "nDCG@10", "at_least": 0.45}
    OPEN = {"rule": "no_regression", "measure": "nDCG@10", "margin": 0.01}

    def test_passes(relevance):
        assert relevance.gate(RULE).status == "PASS"

    def test_fails(relevance):
        relevance.gate(RULE, {"rule": "no_query_loses_more", "measure": "nDCG@10", "than": 0.3})

    def test_undecided(relevance):
        relevance.gate(OPEN)

    def test_undecided_warns(relevance):
        relevance.gate(OPEN, undecided="warn")

    def test_undecided_is_skipped(relevance):
        relevance.gate(OPEN, undecided="skip")

    def test_policy(relevance):
        # What the policy says goes before what pytest is configured with: hybrid passes, dense would not.
        assert relevance.gate("policies/gate.toml").candidate == "hybrid"

    def test_policy_on_another_run(relevance):
        relevance.gate("policies/gate.toml", candidate="sample/dense.run")

    def test_values(relevance):
        assert relevance.evaluate("nDCG@10")["nDCG@10"].mean == pytest.approx(0.6254, abs=1e-4)
        assert relevance.evaluate("nDCG@10", run="sample/bm25.run").run_name == "bm25"

    def test_comparison(relevance):
        assert relevance.compare("nDCG@10").contrast("nDCG@10").losses == 5

    def test_wrong_name(relevance):
        relevance.evaluate("nDGC@10")
"""
POLICY = """
[policy]
qrels = "../sample/qrels.trec"
candidate = "../sample/hybrid.run"

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.6
"""


def test_gates_comparisons_and_evaluations_as_tests(project: pytest.Pytester) -> None:
    """One test run for all: each costs a second."""
    (project.path / "policies").mkdir()
    (project.path / "policies" / "gate.toml").write_text(POLICY)
    told = run(project, TESTS, "-rA")
    told.assert_outcomes(passed=5, failed=4, skipped=1, warnings=1)
    told.stdout.fnmatch_lines_random(
        [f"PASSED *::test_{name}" for name in ("passes", "policy", "values", "comparison")]
    )
    told.stdout.fnmatch_lines(
        [
            "*_ test_fails _*",
            "FAIL: relevance, dense against bm25 (1 failed, 1 passed)",
            "*Queries that lost most:",
            "*q20 'replacement band for watch 42mm': 0.7192 -> 0.0000 (-0.7192)",
            "*_ test_undecided _*",
            "UNDECIDED: relevance, dense against bm25 (1 undecided)",
            "*What would decide it: *",
            "*_ test_policy_on_another_run _*",
            "UNDECIDED: gate, dense against bm25 (1 undecided)",
            "*_ test_wrong_name _*",
            "rankproof: No measure is called 'nDGC'. Did you mean 'nDCG'?",
        ]
    )
    told.stdout.no_fnmatch_line("*/relevance.py*")
    told.stdout.no_fnmatch_line("*Traceback*")


def test_what_the_ini_file_and_the_command_line_say_of_undecided(project: pytest.Pytester) -> None:
    project.makefile(".ini", pytest=f"{INI}rankproof_undecided = skip\n")
    test = 'def test_open(relevance):\n    relevance.gate({"rule": "no_regression", "measure": "RR", "margin": 0.0})\n'
    run(project, test).assert_outcomes(skipped=1)
    run(project, test, "--rankproof-undecided", "fail").assert_outcomes(failed=1)
    project.makefile(".ini", pytest=f"{INI}rankproof_undecided = perhaps\n")
    told = run(project, test)
    told.assert_outcomes(errors=1)
    told.stdout.fnmatch_lines(["*rankproof_undecided is one of fail, warn, skip*"])


def test_what_is_not_configured_is_asked_for(pytester: pytest.Pytester) -> None:
    told = run(pytester, "def test_it(relevance):\n    relevance.compare('RR')\n")
    told.assert_outcomes(failed=1)
    told.stdout.fnmatch_lines(["*no qrels is configured. Add rankproof_qrels to pytest's ini file*"])


def test_loading_the_plugin_loads_nothing_heavy() -> None:
    code = "import sys, rankproof.integrations.pytest_plugin; print(*sorted(sys.modules))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    loaded = set(told.stdout.split())
    assert "rankproof.integrations.pytest_plugin" in loaded
    assert loaded & {"scipy", "rich", "pandas", "polars", "pyarrow", "click", "msgspec"} == set()
    assert "rankproof.proving.gate" not in loaded
