"""What a person sees: few lines that fit the window, colors on a terminal only, every written file named."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests import forking
from tests.cli.terminal import COMMANDS, SCREENS, WIDTHS, on_terminal, sample

CODES = re.compile(r"\x1b\[[0-9;]*m")
GATE = ("gate", "policy.toml", "--candidate", "dense.run")
TWO = ("compare", "qrels.trec", "bm25.run", "hybrid.run")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sample(tmp_path_factory.mktemp("screens") / "sample")


def piped(here: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, **environment},
    )  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_screen_is_as_it_was(here: Path, name: str, width: int) -> None:
    """`python -m tests.cli.terminal` writes them anew."""
    args, most = COMMANDS[name]
    shown, _ = on_terminal(here, *args, width=width, NO_COLOR="1")
    assert shown == (SCREENS / f"{name}.{width}.txt").read_text()
    lines = shown.splitlines()
    assert len(lines) <= most
    assert max(map(len, lines)) <= width


@pytest.mark.parametrize("name", COMMANDS)
def test_no_word_is_cut_where_a_line_is_broken(here: Path, name: str) -> None:
    """Every word of the narrow screen is a word of the answer without a width, or of everything there is to say."""
    args, _ = COMMANDS[name]
    every = () if name == "leaderboard" else ("--full",)
    words = {word for text in (piped(here, *args).stdout, piped(here, *args, *every).stdout) for word in text.split()}
    # Headers of narrow layouts.
    words |= {
        "significant",
        "no",
        "bm25",
        "dense",
        "hybrid",
        "p",
        "effect",
        "size",
        "(1",
        "warning,",
        "(2",
        "(3",
        "every",
        "warnings,",
    }
    cut = [
        word
        for word in (SCREENS / f"{name}.80.txt").read_text().split()
        if word not in words and word.strip("(),.;") not in words and f"{word.rstrip(').;,')}" not in words
    ]
    assert cut == []


@pytest.mark.parametrize("width", [30, 40, 60])
def test_a_narrow_window_breaks_tables_by_columns_and_cuts_no_cell(here: Path, width: int) -> None:
    shown, _ = on_terminal(here, "evaluate", "qrels.trec", "bm25.run", "dense.run", "--full", width=width, NO_COLOR="1")
    for cell in ("nDCG@10", "0.5657", "0.6254*", "P@10", "0.4800*"):
        assert cell in shown.split()
    longest = max(shown.splitlines(), key=len)
    assert len(longest) <= width or len(longest.split()) == 1


def test_everything_is_printed_on_demand(here: Path) -> None:
    short, full = piped(here, *TWO).stdout, piped(here, *TWO, "--full").stdout
    for part in ("Won most in nDCG@10: hybrid", "What is not judged", "Fine print", "seed: 0"):
        assert part not in short
        assert part in full
    for part in ("95% confidence interval", "Statistically significant", "effect size"):
        assert part in short
    assert "q05 " in piped(here, *TWO, "-q").stdout


def test_a_terminal_has_colors(here: Path) -> None:
    shown, status = on_terminal(here, *GATE)
    assert status == 1
    assert "\x1b[31m\x1b[1mFAIL\x1b[0m: shop search" in shown
    assert "\x1b[33m\x1b[1mUNDECIDED\x1b[0m" in shown
    assert "\x1b[32m\x1b[1mPASS\x1b[0m" in shown
    assert CODES.sub("", shown) == (SCREENS / "gate.80.txt").read_text()
    compared, _ = on_terminal(here, *TWO)
    assert "\x1b[32mbetter\x1b[0m" in compared
    assert "is better than" in compared  # a sentence is no verdict cell
    best, _ = on_terminal(here, "evaluate", "qrels.trec", "bm25.run", "dense.run")
    assert "\x1b[1m0.6254*\x1b[0m" in best


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"NO_COLOR": "1", "FORCE_COLOR": "1"}])
def test_a_terminal_without_colors_gets_none(here: Path, environment: dict[str, str]) -> None:
    assert "\x1b" not in on_terminal(here, *GATE, **environment)[0]


def test_pipes_files_and_data_have_no_colors(here: Path) -> None:
    assert "\x1b" not in piped(here, *GATE, TERM="xterm").stdout
    assert "\x1b[31m" in piped(here, *GATE, FORCE_COLOR="1", NO_COLOR="").stdout
    shown, _ = on_terminal(here, *GATE, "--json", "-o", "gate.json", "--html", "gate.html")
    assert shown == ""
    for file in ("gate.json", "gate.html"):
        assert "\x1b" not in (here / file).read_text()
    document, _ = on_terminal(here, *GATE, "--json")
    assert json.loads(document)["status"] == "FAIL"


def test_a_pipe_does_not_depend_on_the_window(here: Path) -> None:
    narrow = piped(here, *TWO, COLUMNS="40")
    assert narrow.stdout == piped(here, *TWO, COLUMNS="200").stdout
    assert "won/same/lost" in narrow.stdout
    assert (
        on_terminal(here, *TWO, width=80, COLUMNS="120", NO_COLOR="1")[0]
        == (SCREENS / "compare-2-better.120.txt").read_text()
    )


def test_every_written_file_is_named(here: Path) -> None:
    told = piped(here, *TWO, "--html", "r.html", "--charts", "charts", "--manifest", "m.json")
    assert told.stdout.endswith("Report: r.html\nCharts: charts\nManifest: m.json\n")
    assert told.stderr == ""
    told = piped(here, *TWO, "--html", "r.html", "--json")
    assert json.loads(told.stdout)["schema"] == "comparison/1"
    assert told.stderr == "Report: r.html\n"
    told = piped(here, *TWO, "-o", "answer.txt")
    assert (told.stdout, told.stderr) == ("", "Written: answer.txt\n")
    assert (here / "answer.txt").read_text() == piped(here, *TWO).stdout
    told = piped(here, *GATE, "--html", "g.html", "--junit", "g.xml", "--markdown", "g.md", "--manifest", "gm.json")
    assert told.stdout.endswith("JUnit: g.xml\nMarkdown: g.md\nReport: g.html\nManifest: gm.json\n")
    told = piped(here, "evaluate", "qrels.trec", "bm25.run", "--save", "s.json")
    assert told.stdout.endswith("Saved: s.json\n")
    assert piped(here, "benchmark", "run", "stack.toml", "-o", "rep", "--json").stderr == (
        "Report: rep/BenchmarkReport.html\n"
    )
