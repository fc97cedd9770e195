"""trec_eval 10's own test suite: our lines must be its lines, to the last printed digit."""

from __future__ import annotations

import shlex
from argparse import ArgumentParser
from dataclasses import dataclass
from functools import lru_cache

import pytest
from click.testing import CliRunner
from tests.shared_data import SHARED as ALL_SHARED
from tests.shared_data import needs_shared_data

from rankproof.cli.shared.root import cli
from rankproof.measuring.evaluate import evaluate_tables
from rankproof.measuring.names import parse
from rankproof.measuring.records import Settings
from rankproof.reports.forms.trec import trec_lines
from rankproof.testing.tables import table_of

SHARED = ALL_SHARED / "trec_eval"

pytestmark = needs_shared_data

# The commands of trec_eval's own `make quicktest`, and the files that hold what they must print.
COMMANDS = {
    "qrels.test results.test": "out.test",
    "qrels.test.with-comments results.test": "out.test",
    "qrels.comment.test results.comment.test": "out.comment.test",
    "-m all_trec qrels.test results.test": "out.test.a",
    "-m all_trec -q qrels.test results.test": "out.test.aq",
    "-m all_trec -q -c qrels.test results.trunc": "out.test.aqc",
    "-m all_trec -q -c -M100 qrels.test results.trunc": "out.test.aqcM",
    "-m all_trec -mrelstring.20 -q -l2 qrels.rel_level results.test": "out.test.aql",
    "-q -miprec_at_recall..10,.20,.25,.75,.50 -m P.5,7,3 -m recall.20,2000 -m Rprec_mult.5.0,0.2,0.35 "
    "-mutility.2,-1,0,0 -m 11pt_avg..25,.5,.75 -mndcg.1=3,2=9,4=4.5 -mndcg_cut.10,20,23.4 -msuccess.2,5,20 "
    "qrels.test results.test": "out.test.meas_params",
}


@dataclass
class Asked:
    """What a trec_eval command line asks for."""

    measures: list[str]
    settings: Settings
    per_query: bool
    qrels: str
    run: str


def asked(command: str) -> Asked:
    words = ArgumentParser()
    words.add_argument("-m", action="append")
    words.add_argument("-q", action="store_true")
    words.add_argument("-c", action="store_true")
    words.add_argument("-M", type=int)
    words.add_argument("-l", type=int)
    words.add_argument("qrels")
    words.add_argument("run")
    found = words.parse_args(shlex.split(command))
    settings = Settings(dialect="trec_eval", depth=found.M, level=found.l, complete=found.c)
    return Asked(found.m or ["official"], settings, found.q, found.qrels, found.run)


def lines_of(name: str) -> list[list[str]]:
    text = (SHARED / name).read_text()
    return [line.split() for line in text.splitlines() if line.strip() and not line.startswith("#")]


@lru_cache
def qrels_of(name: str) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for query, _, doc, grade in lines_of(name):
        qrels.setdefault(query, {})[doc] = int(grade)
    return qrels


@lru_cache
def run_of(name: str) -> tuple[dict[str, dict[str, float]], str]:
    run: dict[str, dict[str, float]] = {}
    tag = ""
    for query, _, doc, _, score, last, *_ in lines_of(name):
        tag = last
        run.setdefault(query, {})[doc] = float(score)
    return run, tag


def expected(command: str) -> list[str]:
    return (SHARED / COMMANDS[command]).read_text().splitlines()


@pytest.mark.parametrize("command", COMMANDS)
def test_command_line_prints_what_trec_eval_prints(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(SHARED)
    told = ["evaluate", "--dialect", "trec_eval", "--format", "trec", *shlex.split(command)]
    answer = CliRunner().invoke(cli, told)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.splitlines() == expected(command)


@pytest.mark.parametrize("command", COMMANDS)
def test_plain_tables_give_the_same_lines(command: str) -> None:
    """The measures alone, on tables that a few lines of Python made: tells a wrong measure from a wrong reader."""
    wanted = asked(command)
    run, tag = run_of(wanted.run)
    evaluation = evaluate_tables(
        lambda order: table_of(qrels_of(wanted.qrels), run, order),
        parse(wanted.measures),
        wanted.settings,
        run_tag=tag,
    )
    assert trec_lines(evaluation, wanted.per_query) == expected(command)
