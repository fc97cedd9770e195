"""`rankproof benchmark run` on several datasets through the installed command: files, pages, exit status, going on."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests import forking
from tests.cli import several
from tests.cli.json_case import faults
from tests.cli.test_ticker import Terminal
from tests.live.echo import Echo, Request, echo
from tests.shared_data import SHARED, needs_shared_data

from rankproof.cli.shared import benchmarking, benchmarking_datasets
from rankproof.reading.datasets.records import Dataset
from rankproof.stack.benchmark.records import BenchmarkConfig

COMMAND = Path(sys.executable).parent / "rankproof"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    return several.write(tmp_path)


def rankproof(here: Path, *args: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*forking.command(), *args], cwd=here, capture_output=True, text=True, check=False, timeout=120,
        env={**os.environ, **environment},
    )  # fmt: skip


def test_one_verdict_and_a_page_for_the_whole_and_for_each(here: Path) -> None:
    told = rankproof(here, "benchmark", "run", "several.toml", "-o", "out")
    assert told.returncode == 0, told.stderr
    assert "Ship hybrid. It is significantly better than lexical." in told.stdout
    assert "That is for the mean over these 3 datasets" in told.stdout
    assert "Warning: datasets disagree: hybrid is significantly better than lexical on shop, books" in told.stdout
    assert told.stdout.endswith("Report: out/BenchmarkReport.html\n")
    document = json.loads((here / "out/BenchmarkReport.json").read_text())
    assert faults(document, "benchmark-datasets/1") == []
    means = document["means"]["nDCG@10"]
    for mode in ("lexical", "vector", "hybrid"):
        own = [
            next(e for e in part["comparison"]["evaluations"] if e["run"] == mode)["measures"]["nDCG@10"]["value"]
            for part in document["datasets"].values()
        ]
        assert means[mode] == pytest.approx(sum(own) / 3)
    page = (here / "out/BenchmarkReport.html").read_text()
    links = re.findall(r'href="([^"#:]+)"', page)
    assert links == [f"datasets/{name}/BenchmarkReport.html" for name in several.DATASETS]
    for name, link in zip(several.DATASETS, links, strict=True):
        assert f"three shops on {name}" in (here / "out" / link).read_text()
    # What lies there is what a benchmark on the dataset alone writes: it can be computed again.
    verified = rankproof(here, "verify", "out/datasets/tech/manifest.json")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert "/home" not in page + (here / "out/BenchmarkComparison.md").read_text()


@pytest.mark.full
def test_the_same_input_gives_the_same_files(here: Path) -> None:
    found = []
    for _ in range(2):
        assert rankproof(here, "benchmark", "run", "several.toml", "-o", "out").returncode == 0
        document = json.loads((here / "out/BenchmarkReport.json").read_text())
        document.pop("observed")
        found.append(
            (document, [(here / "out" / f"Benchmark{end}").read_bytes() for end in ("Report.html", "Comparison.md")])
        )
    assert found[0] == found[1]


def test_one_of_them_alone_is_an_ordinary_benchmark_and_says_so(here: Path) -> None:
    told = rankproof(here, "benchmark", "run", "several.toml", "--dataset", "tech", "--json")
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    assert (document["schema"], document["name"]) == ("benchmark/1", "three shops on tech")
    assert document["advice"]["ship"] == "lexical"
    assert "the verdict is for tech alone, one of 3 datasets of several.toml" in told.stderr
    assert (here / "three-shops-on-tech-report/BenchmarkReport.html").exists()
    whole = json.loads(rankproof(here, "benchmark", "run", "several.toml", "--json").stdout)
    for key in ("dataset", "modes", "advice", "best", "failed", "prices", "timing"):
        assert whole["datasets"]["tech"][key] == document[key]
    assert whole["datasets"]["tech"]["comparison"]["contrasts"] == document["comparison"]["contrasts"]


@pytest.mark.full
def test_modes_and_every_form(here: Path) -> None:
    told = rankproof(here, "benchmark", "run", "several.toml", "--mode", "vector", "-o", "out", "--full", "-q")
    assert told.returncode == 0, told.stderr
    assert "Not the benchmark's verdict: 2 of 3 modes were run, without hybrid." in told.stdout
    assert told.stdout.count("hybrid") == 1
    assert "Each query of tech" in told.stdout
    markdown = rankproof(here, "benchmark", "run", "several.toml", "-o", "out", "--format", "markdown")
    assert "### nDCG@10 by dataset" in markdown.stdout
    html = rankproof(here, "benchmark", "run", "several.toml", "-o", "out", "--format", "html")
    assert html.stdout.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (("several.toml", "--dataset", "teck"), 2, ("Did you mean 'tech'?",)),
        (("one.toml", "--dataset", "tech"), 2, ("has one dataset", "--dataset tech")),
        (("several.toml", "--mode", "hybird"), 2, ("Did you mean 'hybrid'?",)),
        (("several.toml", "--mode", "lexical"), 2, ("there is only 'lexical'",)),
        (("several.toml", "--format", "csv"), 2, ("cannot show a benchmark",)),
        (("several.toml", "-o", "several.toml"), 2, ("is a file",)),
        (("twins.toml",), 1, ("shop and again", "twice")),
        (("gone.toml",), 1, ("Dataset nowhere", "several/nowhere")),
        (("lacking.toml",), 1, ("Dataset books", "several/books/gone.run")),
        (("column.toml",), 2, ("Dataset books: ", "'colour'")),
    ],
)
def test_what_is_wrong_is_found_before_anything_runs(
    here: Path, args: tuple[str, ...], status: int, words: tuple[str, ...]
) -> None:
    text = several.CONFIG
    (here / "one.toml").write_text(
        '[benchmark]\ndataset = "several/shop"\n[modes]\na = "replay(path=\'several/shop/bm25.run\')"\n'
        "b = \"replay(path='several/shop/dense.run')\"\n"
    )
    shop = here / "several/shop"
    again = here / "several/again"
    again.mkdir()
    for file in shop.iterdir():
        (again / file.name).write_bytes(file.read_bytes())
    (here / "twins.toml").write_text(text.replace("[modes]", 'again = "several/again"\n[modes]'))
    (here / "gone.toml").write_text(text.replace("[modes]", 'nowhere = "several/nowhere"\n[modes]'))
    (here / "column.toml").write_text(text.replace('segments = ["traffic"]', 'segments = ["colour"]'))
    for name in several.DATASETS:
        if name != "books":
            (here / "several" / name / "gone.run").write_bytes((here / "several" / name / "bm25.run").read_bytes())
    (here / "lacking.toml").write_text(text.replace("hybrid.run", "gone.run"))
    told = rankproof(here, "benchmark", "run", *args)
    assert told.returncode == status, told.stdout + told.stderr
    for word in words:
        assert word in told.stderr
    assert "Traceback" not in told.stderr
    assert not list(here.glob("*-report"))


def test_other_commands_say_that_they_work_on_one(here: Path) -> None:
    for args in (("search", "several.toml", "s01"), ("runs", "fetch", "several.toml"), ("tune", "several.toml")):
        told = rankproof(here, *args)
        assert told.returncode == 2, told.stdout + told.stderr
        assert "works on one dataset" in told.stderr


@pytest.mark.full
def test_queries_that_datasets_share_are_told(here: Path) -> None:
    part = here / "several/part"
    part.mkdir()
    for file in (here / "several/shop").iterdir():
        lines = file.read_text().splitlines(keepends=True)
        (part / file.name).write_text("".join(line for line in lines if not re.match(r"s(1[1-9]|20)", line)))
    (here / "several.toml").write_text(several.CONFIG.replace("[modes]", 'part = "several/part"\n[modes]'))
    told = rankproof(here, "benchmark", "run", "several.toml", "-o", "out", "--full")
    assert told.returncode == 0, told.stderr
    assert "10 queries are in shop and in part (s01, s02, s03, s04, s05 and 5 more)" in told.stdout


def test_one_dataset_at_a_time_is_in_memory_and_is_named_as_it_runs(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At each reading nothing of the dataset before is alive but its numbers; a line on a terminal says which runs."""
    corpus = "".join(json.dumps({"_id": f"d{n}", "title": "", "text": f"word{n} shared"}) + "\n" for n in range(9))
    for name in ("a", "b", "c"):
        place = here / name
        place.mkdir()
        (place / "corpus.jsonl").write_text(corpus)
        queries = [f"{name}{n},word{n} {name}\n" for n in range(9)]
        (place / "queries.csv").write_text("query_id,text\n" + "".join(queries))
        (place / "qrels.trec").write_text("".join(f"{name}{n} 0 d{n} 1\n" for n in range(9)))
    (here / "abc.toml").write_text(
        '[benchmark]\nmeasures = ["RR"]\nlatency_queries = 0\n[datasets]\na = "a"\nb = "b"\nc = "c"\n'
        '[modes]\none = "bm25()"\ntwo = "bm25(k1=2)"\n'
    )
    alive: list[weakref.ref[object]] = []
    most: list[int] = []
    read_one = benchmarking.dataset_of

    def watched(config: BenchmarkConfig, judged: bool = True) -> Dataset:
        gc.collect()
        most.append(sum(ref() is not None for ref in alive))
        dataset = read_one(config, judged)
        assert dataset.corpus is not None
        alive.append(weakref.ref(dataset.corpus))
        return dataset

    monkeypatch.setattr(benchmarking, "dataset_of", watched)
    config = benchmarking.read_either(str(here / "abc.toml"))
    assert not isinstance(config, BenchmarkConfig)
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    result, _ = benchmarking_datasets.run_datasets(config, str(here / "out"), None, time.perf_counter())
    assert len(most) == 6  # looked over, then run
    assert set(most) == {0}
    assert list(result.parts) == ["a", "b", "c"]
    assert [part.comparison.rankings() for part in result.parts.values()] == [None] * 3
    for at, name in enumerate(("a", "b", "c"), 1):
        assert f"{name} ({at} of 3): bm25: query 9 of 9" in terminal.getvalue()


@needs_shared_data
@pytest.mark.full
def test_real_collections_have_one_verdict(tmp_path: Path) -> None:
    """SciFact, Cranfield and the shop sample: BM25 is what it is on each alone, and titles alone are worse."""
    (tmp_path / "real.toml").write_text(
        f'[benchmark]\nmeasures = ["nDCG@10"]\nlatency_queries = 0\n[datasets]\nscifact = "{SHARED}/scifact"\n'
        f'cranfield = "{SHARED}/cranfield"\nshop = "sample:shop"\n[modes]\nlexical = "bm25()"\n'
        "titles = \"bm25(fields='title')\"\n"
    )
    told = rankproof(tmp_path, "benchmark", "run", "real.toml", "-o", "out", "--json")
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    queries = {name: part["dataset"]["queries"] for name, part in document["datasets"].items()}
    assert queries == {"scifact": 300, "cranfield": 225, "shop": 84}
    values = {
        name: part["comparison"]["evaluations"][0]["measures"]["nDCG@10"]["value"]
        for name, part in document["datasets"].items()
    }
    assert 0.66 < values["scifact"] < 0.70
    assert document["means"]["nDCG@10"]["lexical"] == pytest.approx(sum(values.values()) / 3)
    assert document["advice"]["ship"] == "lexical"
    assert document["overall"]["contrasts"][0]["direction"] == "worse"


# ---- live engines: what fails, what is killed ------------------------------------------------------

LIVE = """
[benchmark]
measures = ["RR@10"]
latency_queries = 0
throughput_concurrency = 0
[datasets]
a = "a"
b = "b"
[modes]
base = "http(url='${SHOP}/base/{dataset}', params={'q': '{query}'}, hits='hits', id='sku')"
shop = "http(url='${SHOP}/shop/{dataset}', params={'q': '{query}'}, hits='hits', id='sku')"
[limits]
concurrency = 2
attempts = 1
timeout = 5
probe = 0
"""


@pytest.fixture
def live(tmp_path: Path) -> Path:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        ids = [f"{name}{number}" for number in range(25)]
        (tmp_path / name / "queries.csv").write_text("query_id,text\n" + "".join(f"{q},{q}\n" for q in ids))
        (tmp_path / name / "qrels.trec").write_text("".join(f"{q} 0 {'abc'[i % 3]} 1\n" for i, q in enumerate(ids)))
    (tmp_path / "b.toml").write_text(LIVE)
    return tmp_path


def hits(request: Request) -> tuple[int, bytes]:
    return 200, json.dumps({"hits": [{"sku": sku} for sku in ("abc" if "shop" in request.path else "cab")]}).encode()


def fails_on_b(request: Request) -> tuple[int, bytes]:
    return (500, b"out") if "/shop/b" in request.path and request.path.endswith(("=b3", "=b8")) else hits(request)


def slow(request: Request) -> tuple[int, bytes]:
    time.sleep(0.03)
    return hits(request)


@pytest.fixture
def failing() -> Iterator[Echo]:
    with echo(fails_on_b) as server:
        yield server


@pytest.fixture
def slowly() -> Iterator[Echo]:
    with echo(slow) as server:
        yield server


def test_failed_queries_of_one_dataset_leave_the_verdict_undecided(live: Path, failing: Echo) -> None:
    told = rankproof(live, "benchmark", "run", "b.toml", "-o", "out", SHOP=failing.url)
    assert told.returncode == 3, told.stdout + told.stderr
    assert "UNDECIDED: queries failed on b (b: 2 of 25 queries have no answer (shop 2))" in told.stdout
    assert "With any answers to what failed" in told.stdout
    assert "significantly better" not in told.stdout
    document = json.loads((live / "out/BenchmarkReport.json").read_text())
    assert faults(document, "benchmark-datasets/1") == []
    assert (document["undecided"], document["advice"]["ship"]) == (["b"], None)
    assert document["bounds"][0]["low"] < document["bounds"][0]["high"]
    assert "UNDECIDED" in (live / "out/BenchmarkReport.html").read_text()
    paths = {request.path.partition("?")[0] for request in failing.requests}
    assert paths == {"/base/a", "/base/b", "/shop/a", "/shop/b"}
    for choice in ("drop", "zero"):
        decided = rankproof(live, "benchmark", "run", "b.toml", "-o", "out", "--failed", choice, SHOP=failing.url)
        assert decided.returncode == 0, decided.stdout + decided.stderr
        assert f"--failed {choice}" in (live / "out/BenchmarkReport.html").read_text()
        assert f"--failed {choice}" in decided.stdout
    # The other dataset alone is decided.
    alone = rankproof(live, "benchmark", "run", "b.toml", "--dataset", "a", "-o", "a-out", SHOP=failing.url)
    assert alone.returncode == 0, alone.stdout + alone.stderr


@pytest.mark.full
def test_what_was_interrupted_says_what_is_written(live: Path, slowly: Echo) -> None:
    child = subprocess.Popen(
        [COMMAND, "benchmark", "run", "b.toml", "-o", "out"], cwd=live, env={**os.environ, "SHOP": slowly.url},
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not any("/b?" in request.path for request in slowly.requests) and time.monotonic() < deadline:
        time.sleep(0.005)
    child.send_signal(signal.SIGINT)
    _, told = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Interrupted on b; what is written is of a alone." in told


def test_what_was_killed_goes_on_and_asks_nothing_twice(live: Path, slowly: Echo) -> None:
    command = [COMMAND, "benchmark", "run", "b.toml", "-o", "out"]
    child = subprocess.Popen(
        command, cwd=live, env={**os.environ, "SHOP": slowly.url}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    deadline = time.monotonic() + 60
    while not any("/b?" in request.path for request in slowly.requests) and time.monotonic() < deadline:
        time.sleep(0.005)
    child.send_signal(signal.SIGKILL)
    child.wait(timeout=60)
    assert (live / "out/datasets/a/BenchmarkReport.json").exists()
    assert not (live / "out/BenchmarkReport.html").exists()
    before = [request.path for request in slowly.requests]
    kept = live / ".rankproof-cache/datasets"
    assert all((kept / name / "answers.jsonl").exists() for name in ("a", "b"))  # answers of one are never of another
    assert sum("/a?" in path for path in before) == 50
    told = rankproof(live, "benchmark", "run", "b.toml", "-o", "out", SHOP=slowly.url)
    assert told.returncode == 0, told.stderr
    after = [request.path for request in slowly.requests][len(before) :]
    assert not any("/a?" in path for path in after)
    # A request that was under way when it was killed has no kept answer.
    assert sum(path in before for path in after) <= 3
    fresh = rankproof(live, "benchmark", "run", "b.toml", "-o", "out", "--fresh", SHOP=slowly.url)
    assert fresh.returncode == 0, fresh.stderr
    assert len(slowly.requests) == len(before) + len(after) + 100


@pytest.mark.full
def test_an_older_page_of_the_whole_does_not_stay_beside_newer_ones(live: Path, failing: Echo) -> None:
    """A page of all datasets is gone before the page of the first is written anew."""
    assert rankproof(live, "benchmark", "run", "b.toml", "-o", "out", SHOP=failing.url).returncode == 3
    told = rankproof(live, "benchmark", "run", "b.toml", "-o", "out", "--fresh", SHOP="http://127.0.0.1:9")
    assert told.returncode == 1, told.stdout + told.stderr
    assert "Dataset a: " in told.stderr
    assert not (live / "out/BenchmarkReport.html").exists()


# ---- what one dataset may not decide: modes left out, broken reranks, targets ------------------------


def test_some_modes_alone_decide_nothing_over_datasets(here: Path) -> None:
    told = rankproof(
        here, "benchmark", "run", "several.toml", "-o", "out", "--mode", "lexical", "--mode", "hybrid", "--json"
    )
    assert told.returncode == 0, told.stderr
    document = json.loads(told.stdout)
    assert faults(document, "benchmark-datasets/1") == []
    assert document["advice"]["ship"] is None
    assert set(document["best"].values()) == {None}
    assert {contrast["direction"] for contrast in document["overall"]["contrasts"]} == {"undecided"}
    short = rankproof(here, "benchmark", "run", "several.toml", "-o", "out", "--mode", "lexical", "--mode", "hybrid")
    assert "Not the benchmark's verdict" in short.stdout
    assert "Ship" not in short.stdout
