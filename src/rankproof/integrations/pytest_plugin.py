"""The pytest plugin: relevance tests as tests. `def test_head_queries(relevance): relevance.gate("gate.toml")`.

Name the qrels and runs once, in pytest's ini file or on its command line:

    [tool.pytest.ini_options]
    rankproof_qrels = "judgments/qrels.trec"
    rankproof_baseline = "runs/live.run"

    pytest --rankproof-candidate runs/new.run

Loading this module costs a project that does not use it next to nothing: what measures is imported by the fixture.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import pytest

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation
    from rankproof.proving.records import Comparison
    from rankproof.proving.verdict import Verdict


INPUTS = {
    "qrels": "the judgments",
    "baseline": "the run that candidates are compared with",
    "candidate": "the run that is tested",
    "topics": "the queries' texts, shown beside their ids",
    "queries": "columns of the queries, for segments",
    "latency": "the candidate's latency file",
}
UNDECIDED = ("fail", "warn", "skip")


def pytest_addoption(parser: pytest.Parser) -> None:
    """An option and an ini line for each input, and what becomes of an undecided gate."""
    group = parser.getgroup("rankproof", "relevance tests (rankproof)")
    for name, what in INPUTS.items():
        group.addoption(f"--rankproof-{name}", metavar="FILE", help=f"{what}; instead of ini's rankproof_{name}")
        parser.addini(f"rankproof_{name}", f"{what}, named from the folder of the ini file", default="")
    group.addoption(
        "--rankproof-undecided", choices=UNDECIDED, help="what an UNDECIDED gate does: fail (default), warn or skip"
    )
    parser.addini("rankproof_undecided", "what an UNDECIDED gate does: fail, warn or skip", default="fail")


@pytest.fixture
def relevance(pytestconfig: pytest.Config) -> Relevance:
    """Gates, comparisons and evaluations on the configured files: `relevance.gate("gate.toml")`."""

    undecided = pytestconfig.getoption("--rankproof-undecided") or pytestconfig.getini("rankproof_undecided")
    if undecided not in UNDECIDED:
        raise pytest.UsageError(f"rankproof_undecided is one of {', '.join(UNDECIDED)}; got {undecided!r}")
    return Relevance({name: _path(pytestconfig, name) for name in INPUTS}, undecided, str(pytestconfig.rootpath))


def _path(config: pytest.Config, name: str) -> str | None:
    """The file named on the command line, from where one is; or in the ini file, from where that is."""
    given = config.getoption(f"--rankproof-{name}")
    if given:
        return os.path.join(str(config.invocation_params.dir), given)
    written = config.getini(f"rankproof_{name}")
    folder = config.inipath.parent if config.inipath is not None else config.rootpath
    return os.path.join(str(folder), written) if written else None


Undecided = Literal["fail", "warn", "skip"]


class UndecidedWarning(UserWarning):
    """A gate came to no verdict, and the configuration says that this is no failure."""


class Relevance:
    """Gates, comparisons and evaluations on configured inputs; every call may name others."""

    def __init__(self, inputs: Mapping[str, Any], undecided: Undecided = "fail", folder: str = "") -> None:
        self.inputs, self.undecided, self.folder = dict(inputs), undecided, folder

    def gate(self, *rules: Any, undecided: Undecided | None = None, **inputs: Any) -> Verdict:
        """Passes, or fails the test with the reasons and the losing queries.

        `rules` is one policy (a file named from pytest's rootdir, or a dict), or one or more rules:
        `relevance.gate({"rule": "no_regression", "measure": "nDCG@10", "margin": 0.01})`. An undecided gate fails:
        a test that passes must have decided something. `undecided="warn"` or `"skip"` says otherwise.
        """
        __tracebackhide__ = True
        from rankproof.errors import RankproofError
        from rankproof.proving.gate import gate

        try:
            # The arguments of the call win over the policy, and the policy over pytest's configuration.
            verdict = gate(self._policy(rules, inputs))
        except RankproofError as error:
            pytest.fail(f"rankproof: {error}", pytrace=False)
        self._answer(verdict, undecided or self.undecided)
        return verdict

    def evaluate(self, measures: Any, **choices: Any) -> Evaluation:
        """The candidate's values: `relevance.evaluate("nDCG@10")["nDCG@10"].mean`. `run=` names another run."""
        __tracebackhide__ = True
        from rankproof.errors import RankproofError
        from rankproof.measuring.evaluate import evaluate

        qrels = choices.pop("qrels", None) or self._needed("qrels")
        run = choices.pop("run", None) or self._needed("candidate")
        try:
            evaluation: Evaluation = evaluate(qrels, run, measures, **choices)
            return evaluation
        except RankproofError as error:
            pytest.fail(f"rankproof: {error}", pytrace=False)

    def compare(self, measures: Any, **choices: Any) -> Comparison:
        """The candidate against the baseline: `relevance.compare("nDCG@10").contrast("nDCG@10")`."""
        __tracebackhide__ = True
        from rankproof.errors import RankproofError
        from rankproof.proving.compare import compare

        qrels, baseline, candidate = (
            choices.pop(side, None) or self._needed(side) for side in ("qrels", "baseline", "candidate")
        )
        choices.setdefault("topics", self.inputs.get("topics"))
        try:
            return compare(qrels, baseline, candidate, measures, **choices)
        except RankproofError as error:
            pytest.fail(f"rankproof: {error}", pytrace=False)

    def _policy(self, rules: tuple[Any, ...], inputs: dict[str, Any]) -> Any:
        from rankproof.proving.policy import read_policy

        if len(rules) == 1 and not _is_rule(rules[0]):
            what = rules[0]
            if isinstance(what, str | os.PathLike):
                what = os.path.join(self.folder, os.fspath(what))
            policy = read_policy(what)
        else:
            policy = read_policy({"policy": {"name": "relevance"}, "rule": list(rules)})
        configured = {k: v for k, v in self.inputs.items() if v is not None and getattr(policy, k) is None}
        if policy.by_values:
            configured.pop("qrels", None)  # tables of scores and kept reports have no part in them
        return read_policy(policy, **{**configured, **inputs})

    def _needed(self, what: str) -> Any:
        configured = self.inputs.get(what)
        if configured is None:
            pytest.fail(
                f"rankproof: no {what} is configured. Add rankproof_{what} to pytest's ini file, give "
                f"--rankproof-{what} FILE, or name it in the call.",
                pytrace=False,
            )
        return configured

    def _answer(self, verdict: Verdict, undecided: Undecided) -> None:
        __tracebackhide__ = True
        if verdict.status == "PASS":
            return
        from rankproof.reports.verdict_sections import verdict_text

        text = verdict_text(verdict).rstrip()
        if verdict.status == "UNDECIDED" and undecided == "warn":
            warnings.warn(UndecidedWarning(text), stacklevel=3)
        elif verdict.status == "UNDECIDED" and undecided == "skip":
            pytest.skip(text)
        else:
            pytest.fail(text, pytrace=False)


def _is_rule(what: Any) -> bool:
    return isinstance(what, Mapping) and isinstance(what.get("rule"), str)
