"""`rankproof tune` on a small collection of its own: what it writes, what it flags, and that it goes on when killed."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli

COMMAND = Path(sys.executable).parent / "rankproof"
TEXT = "red blue green running hiking shoes boots jacket cotton leather socks light heavy trail city"
WORDS = TEXT.split()
HEAD = '[benchmark]\nname = "small"\ndataset = "data"\nmeasures = ["nDCG@10"]\n'


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """40 documents of random words and 24 queries; a document is relevant where it has both words of a query."""
    rng = random.Random(0)
    docs = {f"d{i:02}": [rng.choice(WORDS) for _ in range(rng.randint(4, 30))] for i in range(40)}
    queries = {f"q{i:02}": rng.sample(WORDS, 2) for i in range(24)}
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data"
    data.mkdir()
    lines = [json.dumps({"_id": doc, "title": "", "text": " ".join(words)}) for doc, words in docs.items()]
    (data / "corpus.jsonl").write_text("\n".join(lines) + "\n")
    asked = [json.dumps({"_id": query, "text": " ".join(words)}) for query, words in queries.items()]
    (data / "queries.jsonl").write_text("\n".join(asked) + "\n")
    grades = [
        f"{query} 0 {doc} {int(set(wanted) <= set(words))}"
        for query, wanted in queries.items()
        for doc, words in docs.items()
    ]
    (data / "qrels.trec").write_text("\n".join(grades) + "\n")
    return tmp_path


def rankproof(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, args)


def lexical(here: Path, table: str) -> None:
    """BM25 with a k1 and a b that are bad here: words that stand often count much, long documents little."""
    modes = '[modes]\nwords = "bm25(k1=50, b=1.0)"\nfinal = "words >> cutoff(depth=20)"\n'
    (here / "t.toml").write_text(f"{HEAD}{modes}{table}")


GRID = "[tune]\n[tune.dials]\nwords.k1 = [0.1, 0.9]\nwords.b = [0.0, 0.5]\n"


def noise(here: Path, runs: int) -> None:
    """Rankings by lot, one for each value of the parameter: whichever is best on dev is so by chance."""
    rng = random.Random(1)
    for number in range(runs + 1):
        lines = [
            f"q{query:02} Q0 d{doc:02} 0 {score} r{number}"
            for query in range(24)
            for score, doc in enumerate(rng.sample(range(40), 40))
        ]
        (here / f"{number}.run").write_text("\n".join(lines) + "\n")
    values = ", ".join(f'"{number}.run"' for number in range(1, runs + 1))
    modes = "[modes]\nchance = \"replay(path='0.run')\"\n"
    (here / "t.toml").write_text(f"{HEAD}{modes}[tune]\n[tune.dials]\nchance.path = [{values}]\n")


def test_a_bad_configuration_is_bettered_on_dev_and_on_test(here: Path) -> None:
    lexical(here, GRID)
    told = rankproof("tune", "t.toml", "-o", "out")
    assert told.exit_code == 0, told.stderr
    assert "small: final tuned for nDCG@10, 5 settings by grid on 12 dev queries; 12 test queries" in told.stdout
    assert "Use the winner: it is significantly better" in told.stdout
    assert "words, tuned" in told.stdout
    assert told.stdout.endswith("Winner: t-tuned.toml\nReport: out/TuneReport.html\n")
    report = json.loads((here / "out" / "TuneReport.json").read_text())
    assert report["schema"] == "tune/1"
    assert report["test"]["gain"]["low"] > 0
    page = (here / "out" / "TuneReport.html").read_text()
    assert page.count("<svg") == 4  # a chart for each parameter, wide and for phones
    # What was written runs, and gives the value that the report promises.
    ran = rankproof("benchmark", "run", "t-tuned.toml", "-o", "again", "--json")
    assert ran.exit_code == 0, ran.output
    values = {e["run"]: e["measures"]["nDCG@10"] for e in json.loads(ran.stdout)["comparison"]["evaluations"]}
    both = (report["dev"]["after"] + report["test"]["after"]) / 2
    assert values["final"]["value"] == pytest.approx(both)


def test_the_best_of_many_rankings_by_lot_is_flagged(here: Path) -> None:
    noise(here, 60)
    told = rankproof("tune", "t.toml", "-o", "out")
    assert told.exit_code == 0, told.stderr
    assert "OVERFITTED. Keep the configuration as written" in told.stdout
    assert "61 settings were tried on 12 queries: more settings than queries." in told.stdout
    assert "# OVERFITTED" in (here / "t-tuned.toml").read_text()


def test_json_and_a_second_time_runs_nothing(here: Path) -> None:
    lexical(here, GRID)
    first, second = (json.loads(rankproof("tune", "t.toml", "-o", "out", "--json").stdout) for _ in range(2))
    assert first.pop("observed")["pipelines_run"] > 5
    assert second.pop("observed")["pipelines_run"] == 0
    assert first == second


@pytest.mark.slow
def test_a_killed_search_goes_on_where_it_was(here: Path) -> None:
    table = "[tune]\ntrials = 120\n[tune.dials]\nwords.k1 = {low = 0.2, high = 2.0, step = 0.2}\n"
    lexical(here, table + "words.b = {low = 0.05, high = 0.6, step = 0.05}\n")
    child = subprocess.Popen([COMMAND, "tune", "t.toml", "-o", "out"], cwd=here, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(kept(here)) < 20 and time.monotonic() < deadline:
        time.sleep(0.01)
    child.send_signal(signal.SIGKILL)
    child.wait()
    there = len(kept(here))
    assert 20 <= there < 120, "the search was to be killed in the middle"
    assert not (here / "out").exists()
    resumed = answer("t.toml", "-o", "out")
    whole = answer("t.toml", "-o", "other", "--cache", "elsewhere")
    # The words of the documents are kept beside the settings, in one entry; the last setting may have been half done.
    assert 0 <= resumed["observed"]["pipelines_run"] - (whole["observed"]["pipelines_run"] - there) <= 2
    del resumed["observed"], whole["observed"]
    assert resumed == whole


def kept(here: Path) -> list[Path]:
    return [path for path in (here / ".rankproof-cache").glob("??/*") if not path.name.endswith(".part")]


def answer(*args: str) -> dict[str, Any]:
    told = rankproof("tune", *args, "--json")
    assert told.exit_code == 0, told.stdout
    document: dict[str, Any] = json.loads(told.stdout)
    return document


def test_a_file_of_somebody_else_is_not_written_over(here: Path) -> None:
    lexical(here, GRID)
    (here / "t-tuned.toml").write_text("mine\n")
    told = rankproof("tune", "t.toml")
    assert told.exit_code == 2
    assert "t-tuned.toml is there already and was not written by a tuning" in told.stderr
    assert (here / "t-tuned.toml").read_text() == "mine\n"


def test_the_page_has_a_chart_for_each_parameter_that_was_searched(here: Path) -> None:
    lexical(here, GRID)
    told = rankproof("tune", "t.toml", "-o", "out")
    assert told.exit_code == 0, told.stderr
    page = (here / "out" / "TuneReport.html").read_text()
    assert page.count('<section id="parameter-') == page.count('<div class="chart wide"><svg') > 0


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "does not say what to tune"),
        ("[tune]\n[tune.dials]\nwords.k1 = [1, -1]\n", "k1 must be a number from 0 to 1000; got -1"),
        (
            "[tune]\ndev = 'dev'\ntest = 'test'\n[tune.dials]\nwords.k1 = [1, 2]\n",
            "data has no splits. Give share in [tune]",
        ),
    ],
)
def test_wrong_usage(here: Path, table: str, words: str) -> None:
    lexical(here, table)
    told = rankproof("tune", "t.toml")
    assert told.exit_code == 2
    assert words in told.stderr
    assert not (here / ".rankproof-cache").exists()


def test_reports_do_not_go_into_a_file(here: Path) -> None:
    lexical(here, GRID)
    (here / "out").write_text("")
    told = rankproof("tune", "t.toml", "-o", "out")
    assert told.exit_code == 2
    assert "out is a file. Name a folder to write to." in told.stderr
