"""Training a learned fusion: it learns what no weights can say, tells chance for what it is, and knows what it saw."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from tests.cli.json_case import faults
from tests.raising import raises
from tests.stack.tune.learnable import CONFIG, both_or_neither_is_wrong, chance, collection

from rankproof.cli.shared.root import cli
from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.reading.collect import read_run
from rankproof.reading.datasets.read import read_dataset
from rankproof.reading.datasets.records import Dataset
from rankproof.stack.benchmark.config import config_of, read_config
from rankproof.stack.benchmark.run import benchmark
from rankproof.stack.pipeline import Runner
from rankproof.stack.records import Ground
from rankproof.stack.tune.config import halves, read_tune_config
from rankproof.stack.tune.records import TuneConfig
from rankproof.stack.tune.search import Measurer
from rankproof.stack.tune.train import learn, prove
from rankproof.stack.tune.training import Learned, Training
from rankproof.stack.tune.tune import OpenRunner

HAS_LIGHTGBM = find_spec("lightgbm") is not None
lightgbm = pytest.mark.skipif(not HAS_LIGHTGBM, reason="the package lightgbm is not installed")


def opener(config: TuneConfig, whole: Dataset) -> OpenRunner:
    @contextmanager
    def opened(dataset: Dataset) -> Iterator[Runner]:
        ground = Ground(dataset.corpus, folder=config.benchmark.folder, read_run=read_run)
        yield Runner(dataset.judged_queries, config.benchmark.depth, ground)

    def give(dataset: Dataset) -> AbstractContextManager[Runner]:
        return opened(dataset)

    return give


def parts(path: Path) -> tuple[TuneConfig, Dataset, Dataset, OpenRunner]:
    config, _ = read_tune_config(str(path))
    whole = read_dataset(str(path.parent / "data"))
    return (config, *halves(config, whole), opener(config, whole))


def trained(path: Path) -> tuple[Learned, Training]:
    config, dev, test, open_runner = parts(path)
    learned = learn(config, dev, open_runner)
    if learned.text:
        (path.parent / "learned.txt").write_text(learned.text)
    return learned, prove(config, learned, dev, test, open_runner)


def rankproof(*args: str) -> click.testing.Result:
    return CliRunner().invoke(cli, args)


# ---- what it learns -------------------------------------------------------------------------------


@lightgbm
def test_it_learns_what_no_weighted_sum_can_say(tmp_path: Path) -> None:
    """Relevant is what one system has high and the other low: both high is wrong, and so is both low."""
    path = collection(tmp_path, 120, both_or_neither_is_wrong)
    learned, training = trained(path)
    assert learned.header.trees > 0
    assert isinstance(training.learned.dev.answer, Estimate)
    assert training.learned.dev.answer.low > 0.15
    assert training.outcome == "gain"
    assert training.test is not None
    assert training.test.answer.value is not None
    assert training.test.answer.value > 0.2
    # Cross-validation foretold what came on unseen queries.
    assert learned.dev.after == pytest.approx(training.test.after, abs=0.08)
    # No weights of a linear fusion come near, even picked on the test queries themselves.
    config, _, test, open_runner = parts(path)
    modes = {
        f"w{i}": f"fuse_linear(replay(path='one.run'), replay(path='other.run'), weights=[{i / 10}, {1 - i / 10}])"
        for i in range(11)
    }
    weighted = config_of({"benchmark": {"dataset": "data"}, "modes": modes}, "weights.toml", str(tmp_path))
    with open_runner(test) as runner:
        steps = list(weighted.modes.values())
        measurer = Measurer(runner, test, config.measure, steps[0])
        best = max(measurer(step).mean for step in steps)
    assert training.test.after is not None
    assert training.test.after > best + 0.15
    assert [other.mode for other in training.against] == ["one", "other", "linear"]


@lightgbm
@pytest.mark.parametrize("seed", [1, 2])
def test_chance_is_not_told_as_a_gain(seed: int, tmp_path: Path) -> None:
    """Fitted on its own queries it looks much better; held out, it is worth nothing."""
    learned, training = trained(collection(tmp_path, 100, chance, seed))
    answer = learned.dev.answer
    assert not isinstance(answer, Estimate) or answer.low <= 0
    assert abs(answer.value or 0.0) < 0.1
    assert training.outcome in ("untrained", "not shown")
    if learned.header.trees >= 20:
        assert learned.fitted > (learned.dev.after or 0.0) + 0.1


@lightgbm
def test_the_same_data_and_seed_give_the_same_file(tmp_path: Path) -> None:
    one, _ = trained(collection(tmp_path / "a", 40, both_or_neither_is_wrong))
    other, _ = trained(collection(tmp_path / "b", 40, both_or_neither_is_wrong))
    assert one.text == other.text
    assert one.text


# ---- what it saw ----------------------------------------------------------------------------------


@lightgbm
def test_queries_it_was_trained_on_leave_a_benchmark_undecided(tmp_path: Path) -> None:
    path = collection(tmp_path, 60, both_or_neither_is_wrong)
    done = rankproof("tune", str(path), "-o", str(tmp_path / "tuning"), "--json")
    assert done.exit_code == 0, done.output
    document = json.loads(done.output)
    assert faults(document, "training/1") == []
    assert document == json.loads((tmp_path / "tuning" / "TrainReport.json").read_text())
    assert document["dataset"]["dev"]["queries"] == 30
    report = tmp_path / "report"
    run = rankproof("benchmark", "run", str(path), "-o", str(report), "--json")
    assert run.exit_code == 3, run.output
    failed = json.loads((report / "BenchmarkReport.json").read_text())["failed"]
    assert (failed["status"], len(failed["by_mode"]["learned"])) == ("UNDECIDED", 30)
    assert "fuse_ltr: trained on" in run.output
    # Nothing of these queries gets into the run that others may evaluate.
    answered = {line.split()[0] for line in (report / "runs" / "learned.run").read_text().splitlines()}
    assert len(answered) == 30
    assert not answered & set(failed["by_mode"]["learned"])
    dropped = rankproof("benchmark", "run", str(path), "-o", str(tmp_path / "dropped"), "--failed", "drop")
    assert dropped.exit_code == 0, dropped.output
    assert "Ship learned" in dropped.output
    text = rankproof("tune", str(path), "-o", str(tmp_path / "tuning")).output
    for words in (
        "30 dev queries",
        "by models that did not see the query",
        "Use the trained mode",
        "share of the loss",
    ):
        assert words in text


@lightgbm
def test_a_benchmark_of_nothing_but_training_queries_is_refused(tmp_path: Path) -> None:
    path = collection(tmp_path, 40, both_or_neither_is_wrong)
    (learned, _), (_, dev, _, _) = trained(path), parts(path)
    ground = Ground(dev.corpus, folder=str(tmp_path), read_run=read_run)
    config = read_config(str(path))
    runner = Runner(dev.judged_queries, config.depth, ground)
    with raises(InputError, "learned", "trained on", "learned.txt"):
        benchmark(config, dev.judged_queries, dev.qrels, runner, dev.content_hash, 0)
    assert learned.header.queries.keys() == {query.query_id for query in dev.judged_queries}


@lightgbm
def test_what_flows_in_must_be_what_it_was_trained_with(tmp_path: Path) -> None:
    path = collection(tmp_path, 40, both_or_neither_is_wrong)
    trained(path)
    text = path.read_text()
    for changed, words in (
        (text.replace("fuse_ltr(one, other", "fuse_ltr(other, one"), ("one.run", "pipeline 1")),
        (text.replace("fuse_ltr(one, other", "fuse_ltr(one, other, linear"), ("2 pipelines", "3")),
        (text.replace('"made"\n', '"made"\ndepth = 20\n', 1), ("first 100", "20")),
    ):
        path.write_text(changed)
        done = rankproof("benchmark", "run", str(path), "-o", str(tmp_path / "report"))
        assert done.exit_code == 2
        assert all(word in done.stderr for word in words), done.stderr
        assert not (tmp_path / "report").exists()


@lightgbm
def test_a_pipeline_that_changed_under_the_same_name_is_noted(tmp_path: Path) -> None:
    """The run file has other scores than when it was trained: its hash is another."""
    path = collection(tmp_path, 40, both_or_neither_is_wrong)
    trained(path)
    config, _, test, open_runner = parts(path)
    mode = config.benchmark.modes["learned"]

    def notes() -> Any:
        with open_runner(test) as runner:
            return runner.run("learned", mode).by_step("notes")["fuse_ltr"]

    assert set(notes()) == {"trained"}
    run = tmp_path / "one.run"
    run.write_text(run.read_text().replace(" 1 0.9", " 1 1.9", 1))
    assert "one.run" in notes()["changed since training"]


# ---- what cannot be trained -----------------------------------------------------------------------


@lightgbm
def test_too_few_queries_and_grades_that_are_all_alike_are_refused(tmp_path: Path) -> None:
    for name, queries, relevant in (("few", 6, both_or_neither_is_wrong), ("alike", 40, lambda *_: True)):
        config, dev, _, open_runner = parts(collection(tmp_path / name, queries, relevant))
        with raises(InputError, "both relevant and other documents", "5"):
            learn(config, dev, open_runner)


@lightgbm
def test_few_queries_and_unjudged_candidates_are_told(tmp_path: Path) -> None:
    path = collection(tmp_path, 30, both_or_neither_is_wrong)
    qrels = tmp_path / "data" / "qrels.trec"
    judged = [line for line in qrels.read_text().splitlines() if line.endswith(" 1") or line.split()[2] < "d05"]
    qrels.write_text("\n".join(judged) + "\n")
    learned, training = trained(path)
    assert 0.3 < learned.unjudged < 0.6
    assert any("taught it" in note for note in training.notes)
    assert any("show only large gains" in note for note in training.notes)


def test_a_configuration_that_cannot_train_is_refused(tmp_path: Path) -> None:
    path = collection(tmp_path, 12, chance)
    for changed, words in (
        (CONFIG.replace('mode = "learned"', 'mode = "linear"'), ("fuse_ltr", "fuse_linear")),
        (CONFIG + "[tune.dials]\nlinear.normalize = ['minmax', 'zscore']\n", ("tune.dials", "train")),
        (CONFIG.replace("model='learned.txt'", "model='nowhere/learned.txt'"), ("nowhere", "folder")),
        (CONFIG.replace("model='learned.txt'", "model='one.run'"), ("one.run", "no learned fusion")),
    ):
        path.write_text(changed)
        done = rankproof("tune", str(path), "-o", str(tmp_path / "tuning"))
        assert done.exit_code == 2, done.output
        assert all(word in done.stderr for word in words), done.stderr
        assert not (tmp_path / "tuning").exists()


def test_a_measure_that_is_no_mean_is_refused_with_the_library_or_its_install_line(tmp_path: Path) -> None:
    config, dev, _, open_runner = parts(collection(tmp_path, 12, chance))
    if not HAS_LIGHTGBM:
        with pytest.raises(UsageError, match="pip install lightgbm"):
            learn(config, dev, open_runner)
    else:
        with raises(UsageError, "GMAP", "mean"):
            learn(replace(config, measure="GMAP"), dev, open_runner)
