"""`rankproof interleave`: lists for keys, what a log says, and plans."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rankproof.cli.shared.root import cli
from rankproof.online.interleaving.show import interleave

OLD, NEW = ["a", "b", "c", "d"], ["c", "d", "a", "b"]
RUNS = ("--run", "old.run", "--run", "new.run")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs, 600 pages of 300 users, and clicks of users who like "c", which new ranks first."""
    monkeypatch.chdir(tmp_path)
    for name, docs in (("old", OLD), ("new", NEW)):
        lines = [f"q1 Q0 {doc} {rank} {9 - rank} {name}\n" for rank, doc in enumerate(docs, start=1)]
        (tmp_path / f"{name}.run").write_text("".join(lines))
    (tmp_path / "pages.csv").write_text("unit,key,query_id\n" + "".join(f"u{i // 2},s{i},q1\n" for i in range(600)))
    rng = random.Random(2)
    clicks = ["key,doc_id,dwell\n"]
    for i in range(600):
        liked = [doc for doc in OLD if rng.random() < (0.8 if doc == "c" else 0.2)]
        clicks += [f"s{i},{doc},{'' if doc == 'd' else 40 if doc == 'c' else 5}\n" for doc in liked]
    (tmp_path / "clicks.csv").write_text("".join(clicks))
    return tmp_path


def run(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, ["interleave", *args])


def test_a_list(here: Path) -> None:
    told = run("show", "q1", *RUNS, "--key", "s1", "--depth", "3")
    assert told.exit_code == 0, told.output
    shown = interleave({"old": OLD, "new": NEW}, "s1", depth=3)
    lines = told.stdout.splitlines()
    assert lines[0].split() == ["rank", "document", "team", "for", "new", "for", "old"]
    assert [line.split()[1:3] for line in lines[1:4]] == [
        [doc, team] for doc, team in zip(shown.docs, shown.teams, strict=True)
    ]
    assert lines[-1].startswith("method: team_draft")


def test_systems_may_be_named_and_a_method_without_teams_has_no_such_column(here: Path) -> None:
    told = run("show", "q1", "--run", "first=old.run", "--run", "second=old.run", "--key", "s", "--method", "optimized")
    assert told.stdout.splitlines()[0].split() == ["rank", "document", "for", "first", "for", "second"]


def test_a_file_of_keys_is_the_log_of_a_server(here: Path) -> None:
    assert run("show", *RUNS, "--keys", "pages.csv", "-o", "shown.jsonl").output == ""
    rows = [json.loads(line) for line in (here / "shown.jsonl").read_text().splitlines()]
    assert len(rows) == 600
    assert rows[7]["unit"] == "u3"
    assert rows[7]["shown"] == interleave({"old": OLD, "new": NEW}, "s7").to_dict()
    assert run("show", *RUNS, "--keys", "pages.csv").stdout == (here / "shown.jsonl").read_text()


def test_a_log_with_lists_and_one_without_say_the_same(here: Path) -> None:
    run("show", *RUNS, "--keys", "pages.csv", "-o", "shown.jsonl")
    logged = run("read", "shown.jsonl", "clicks.csv", "--baseline", "old", "--units", "300")
    assert logged.exit_code == 0, logged.output
    rebuilt = run("read", "clicks.csv", "pages.csv", *RUNS, "--baseline", "old", "--units", "300")
    lines = logged.stdout.splitlines()
    assert lines[0].startswith("Users prefer new to old (")
    assert "95% always-valid interval" in lines[0]
    assert lines[:6] == rebuilt.stdout.splitlines()[:6]
    assert "balance of 600 lists: even" in lines
    assert any("600 pages (logged, team_draft)" in line for line in lines)
    assert "test: holds at every look, and is tightest at 300 units" in lines


def test_dwell_counts_what_is_unknown(here: Path) -> None:
    told = run("read", "pages.csv", "clicks.csv", *RUNS, "--credit", "dwell", "--fixed")
    unknown = (here / "clicks.csv").read_text().count(",d,")
    assert f"not used: {unknown} clicked documents without a dwell time" in told.stdout
    assert "credit: clicks with 30 seconds or more on the document" in told.stdout
    assert "test: one look" in told.stdout


def test_json(here: Path) -> None:
    document = json.loads(run("read", "pages.csv", "clicks.csv", *RUNS, "--json").stdout)
    assert (document["schema"], document["test"], document["lists"]) == ("interleaving/1", "sequential", "rebuilt")
    assert document["pairs"][0]["preferred"] == "new"
    assert document["sentences"][0].startswith("Users prefer new to old")
    assert list(document["observed"]) == ["seconds"]


def test_other_columns(here: Path) -> None:
    (here / "log.tsv").write_text("page\tuser\ttopic\thit\ns1\tu\tq1\tc\ns2\tv\tq1\t\n")
    names = [f"--{ours}-column={theirs}" for ours, theirs in (("key", "page"), ("unit", "user"), ("query", "topic"))]
    told = run("read", "log.tsv", *RUNS, *names, "--doc-column", "hit", "--json")
    document = json.loads(told.stdout)
    assert (document["counts"]["pages"], document["counts"]["clicks"]) == (2, 1)


def test_a_plan() -> None:
    told = run("plan", "--share", "0.6", "--decided", "0.4", "--per-day", "100")
    assert told.exit_code == 0, told.output
    assert told.stdout.splitlines()[1].split() == ["60%", "525", "813", "508", "6", "9"]
    assert "80% power" not in told.stdout
    shown = run("plan", "--share", "0.6", "--units", "525", "--decided", "0.4").stdout.splitlines()
    assert shown[0].split() == [
        "share",
        "of",
        "wins",
        "power,",
        "one",
        "look",
        "power,",
        "100",
        "looks",
        "on",
        "average",
    ]
    assert shown[1].split()[:2] == ["60%", "82.0%"]


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (("show", "q1", "--run", "old.run", "--key", "s"), 2, "runs of two systems or more; 1 came"),
        (("show", "q1", "--run", "old.run", "--run", "old.run", "--key", "s"), 2, "Two systems are called 'old'"),
        (("show", "q1", *RUNS), 2, "Give a QUERY and its --key"),
        (("show", "q1", *RUNS, "--keys", "pages.csv"), 2, "Leave QUERY and --key out"),
        (("show", "q9", *RUNS, "--key", "s"), 1, "No run ranks anything for query 'q9'"),
        (("show", "q1", *RUNS, "--key", "s", "--method", "team"), 2, "No interleaving is called 'team'"),
        (("read",), 2, "Give one log or more"),
        (("read", "-", "-"), 2, "read only once"),
        (("read", "pages.csv", "--fixed", "--units", "9"), 2, "--units is for --sequential"),
        (("read", "pages.csv"), 1, "No page of the log has the list that was shown"),
        (("read", "old.run"), 1, "old.run"),
        (("read", "pages.csv", *RUNS, "--baseline", "nwe"), 2, "Did you mean 'new'"),
        (("read", "nowhere.csv"), 1, "nowhere.csv"),
        (("plan", "--units", "9", "--per-day", "3"), 2, "Leave out one"),
        (("plan", "--share", "0.5"), 2, "not be 0.5"),
    ],
)
def test_what_is_refused(here: Path, args: tuple[str, ...], status: int, words: str) -> None:
    told = run(*args)
    assert told.exit_code == status, told.output
    assert words in told.stderr
    assert "Traceback" not in told.stderr


def test_processes_agree_whatever_their_hash_seed(here: Path) -> None:
    """A server keeps no state: another process, with other hashes, shows the same, and so will the next release."""
    printed = set()
    for seed in ("0", "1", "271828"):
        command = [sys.executable, "-m", "rankproof", "interleave", "show", *RUNS, "--keys", "pages.csv"]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        told = subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120)
        printed.add(told.stdout)
    (text,) = printed
    first = [json.loads(line)["shown"]["docs"] for line in text.splitlines()[:6]]
    assert ["".join(docs) for docs in first] == GOLDEN


GOLDEN = ["acdb", "cadb", "acbd", "acbd", "cadb", "acdb"]
