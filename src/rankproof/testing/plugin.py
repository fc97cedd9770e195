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
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from rankproof.testing.relevance import Relevance

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
    from rankproof.testing.relevance import Relevance

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
