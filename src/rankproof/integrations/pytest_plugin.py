"""The pytest plugin: relevance tests as tests. `def test_head_queries(relevance): relevance.gate("gate.toml")`.

Name the qrels and runs once, in pytest's ini file or on its command line:

    [tool.pytest.ini_options]
    rankproof_qrels = "judgments/qrels.trec"
    rankproof_baseline = "runs/live.run"

    pytest --rankproof-candidate runs/new.run

`assert_not_worse` holds one retriever against another, over all queries; `relevance_query` makes a test of each query
(integrations/pytest_queries.py).

Loading this module costs a project that does not use it next to nothing: what measures is imported by the fixture.
"""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import pytest

from rankproof.integrations.pytest_queries import (
    PROPERTY,
    KeptValue,
    QueryFiles,
    RelevanceQuery,
    ask_all,
    failed,
    summary_lines,
)

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


@pytest.fixture
def assert_not_worse(relevance: Relevance) -> Callable[..., Verdict]:
    """Passes where a candidate is shown not to be worse: `assert_not_worse(old, new, "R@5", margin=0.02)`."""
    return relevance.assert_not_worse


@pytest.fixture
def relevance_query(request: pytest.FixtureRequest, relevance: Relevance) -> RelevanceQuery:
    """One judged query; a test that takes it runs once for each, by its id."""
    files = _query_files(request.config)

    def keep(value: KeptValue) -> None:
        request.node.user_properties.append((PROPERTY, list(value)))

    def answer(verdict: Verdict, undecided: Any) -> None:
        __tracebackhide__ = True
        relevance.answer(verdict, undecided)

    query_id = request.param
    return RelevanceQuery(query_id, files.topics.get(query_id, ""), dict(files.qrels[query_id]), files, answer, keep)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that takes `relevance_query` runs once for each judged query."""
    if "relevance_query" not in metafunc.fixturenames:
        return
    from rankproof.errors import RankproofError

    try:
        queries = _query_files(metafunc.config).qrels.query_ids
    except RankproofError as error:
        raise pytest.UsageError(f"rankproof: {error}") from None
    metafunc.parametrize("relevance_query", queries, ids=queries, indirect=True)


_FILES: pytest.StashKey[QueryFiles] = pytest.StashKey()


def _query_files(config: pytest.Config) -> QueryFiles:
    """The configured files, read once for all tests of a process."""
    if _FILES not in config.stash:
        inputs = {name: _path(config, name) for name in INPUTS}
        if inputs["qrels"] is None:
            raise pytest.UsageError(
                "rankproof: a test takes relevance_query, which runs once for each judged query, and no qrels is "
                "configured. Add rankproof_qrels to pytest's ini file, or give --rankproof-qrels FILE."
            )
        config.stash[_FILES] = QueryFiles(inputs)
    return config.stash[_FILES]


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What the tests of single queries say together."""
    reports = [report for group in terminalreporter.stats.values() for report in group]
    kept = [
        KeptValue(*value)
        for report in reports
        if getattr(report, "when", "") == "call"
        for name, value in report.user_properties
        if name == PROPERTY
    ]
    if not kept:
        return
    terminalreporter.write_sep("=", "relevance by query (rankproof)")
    for line in summary_lines(kept):
        terminalreporter.write_line(line)
    terminalreporter.write_line("Single queries rise and fall with any change; assert_not_worse decides on all.")


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
            raise failed(str(error)) from None
        self.answer(verdict, undecided)
        return verdict

    def assert_not_worse(
        self,
        baseline: Any = None,
        candidate: Any = None,
        measures: str | Sequence[str] = "",
        *,
        margin: float | None = None,
        gold: Any = None,
        scores: bool | Mapping[str, Any] = False,
        evaluate: Mapping[str, Any] | None = None,
        undecided: Undecided | None = None,
        **inputs: Any,
    ) -> Verdict:
        """Passes where the candidate is shown not to be worse than the baseline by more than `margin`.

        baseline, candidate   runs in any form, or functions from a query's text to its documents (best first); the
                              configured ones otherwise
        measures              one or several, such as "R@5 nDCG@10", each of which must hold; of scores, their columns
        margin                how much worse the mean may be; 0.02 is two points of a measure from 0 to 1
        gold                  the judgments; the configured ones otherwise
        scores                True, or the keys of a policy's [scores] table, where baseline and candidate are tables of
                              scores by unit, as other tools write them
        evaluate              how rankings are read and measured: the keys of a policy's [evaluate] table
        undecided             "fail", "warn" or "skip"; the configured one otherwise

        Other inputs are those of a gate: `topics=`, `queries=`, `latency=`.
        """
        __tracebackhide__ = True
        from rankproof.errors import RankproofError

        names = measures.split() if isinstance(measures, str) and not scores else measures
        names = [names] if isinstance(names, str) else list(names)
        if margin is None or not any(names):
            raise failed(
                'assert_not_worse needs measures and a margin, such as assert_not_worse(old, new, "R@5", margin=0.02): '
                "how much worse the mean may be."
            )
        policy: dict[str, Any] = {
            "policy": {"name": "assert_not_worse"},
            "rule": [{"rule": "no_regression", "measure": name, "margin": margin} for name in names],
        }
        if evaluate is not None:
            policy["evaluate"] = dict(evaluate)
        if scores:
            policy["scores"] = dict(scores) if isinstance(scores, Mapping) else {}
        given = {"baseline": baseline, "candidate": candidate, "qrels": gold, **inputs}
        try:
            given |= self._retrieved(given)
        except RankproofError as error:
            raise failed(str(error)) from None
        given = {name: value for name, value in given.items() if value is not None}
        return self.gate(policy, undecided=undecided, **given)

    def _retrieved(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The rankings of baseline and candidate where these are functions."""
        functions = {side: given[side] for side in ("baseline", "candidate") if _is_function(given[side])}
        if not functions:
            return {}
        from rankproof.reading.collect import read_qrels, read_topics

        gold, topics = (given.get(name) or self.inputs.get(name) for name in ("qrels", "topics"))
        queries = read_qrels(self._needed("qrels") if gold is None else gold).query_ids
        texts: Mapping[str, str] = {} if topics is None else read_topics(topics)
        return {side: ask_all(function, texts, queries) for side, function in functions.items()}

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
            raise failed(str(error)) from None

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
            raise failed(str(error)) from None

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
            raise failed(
                f"no {what} is configured. Add rankproof_{what} to pytest's ini file, give --rankproof-{what} FILE, or "
                "name it in the call."
            )
        return configured

    def answer(self, verdict: Verdict, undecided: Undecided | None = None) -> None:
        """Fails, warns or skips the test as a verdict and the settings say; a verdict that passed does nothing."""
        __tracebackhide__ = True
        undecided = undecided or self.undecided
        if undecided not in UNDECIDED:
            raise pytest.UsageError(f"undecided is one of {', '.join(UNDECIDED)}; got {undecided!r}")
        if verdict.status == "PASS":
            return
        from rankproof.reports.verdict_sections import verdict_text

        text = verdict_text(verdict).rstrip()
        if verdict.status == "UNDECIDED" and undecided == "warn":
            warnings.warn(UndecidedWarning(text), stacklevel=_frames_to_the_test())
        elif verdict.status == "UNDECIDED" and undecided == "skip":
            pytest.skip(text)
        else:
            pytest.fail(text, pytrace=False)


def _frames_to_the_test() -> int:
    """How many frames above `answer` the test stands, which a warning is about."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals.get("__name__", "").startswith("rankproof.integrations.pytest_"):
        frame, level = frame.f_back, level + 1
    return level


def _is_function(what: Any) -> bool:
    """Whether a side is something to call with a query's text, and no run in some form."""
    return callable(what) and not isinstance(what, str | Mapping | os.PathLike) and not hasattr(what, "columns")


def _is_rule(what: Any) -> bool:
    return isinstance(what, Mapping) and isinstance(what.get("rule"), str)
