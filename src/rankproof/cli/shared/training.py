"""The work behind `rankproof tune` with method = "train": a model is trained, written and tested."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import aligned, counted, interval, number, p_text, percent, signed

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankproof.reading.datasets.records import Dataset
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.tune.records import Gain, TuneConfig
    from rankproof.stack.tune.training import Training

SCHEMA = "training/1"
REPORT = "TrainReport.json"
NONE = "-"


def run_training(read: TuneConfig, output: str | None, cache: str | None, as_json: bool, began: float) -> str:
    """Trains on dev, writes the model, tests on unseen queries, writes the report; gives what is printed."""
    from dataclasses import replace

    from rankproof.cli.shared import benchmarking
    from rankproof.cli.shared.output import document, refuse_output_folder
    from rankproof.kernel.atomic import replace_file
    from rankproof.stack.tune.config import halves
    from rankproof.stack.tune.parameters import modes_of
    from rankproof.stack.tune.train import inputs_of, learn, prove, refuse_other_file
    from rankproof.stack.tune.training import to_dict

    inputs_of(read)
    name: str = modes_of(read.texts)[read.mode].values["model"]
    model = os.path.join(read.benchmark.folder, os.path.expanduser(name))
    refuse_other_file(model)
    folder = output or f"{read.benchmark.name.replace(' ', '-').replace(os.sep, '-')}-tuning"
    refuse_output_folder(folder)
    whole = replace(read.benchmark, split="all") if read.dev else read.benchmark
    dev, test = halves(read, benchmarking.dataset_of(whole))

    def open_runner(dataset: Dataset) -> AbstractContextManager[Runner]:
        return benchmarking.running(read.benchmark, dataset, dataset.judged_queries, cache)

    learned = learn(read, dev, open_runner)
    if learned.text:
        replace_file(model, [learned.text.encode()])
    training = prove(read, learned, dev, test, open_runner)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    shown = document(SCHEMA, {**to_dict(training, name), "observed": observed})
    os.makedirs(folder, exist_ok=True)
    report = os.path.join(folder, REPORT)
    replace_file(report, [shown.encode("utf-8", "surrogateescape")])
    if as_json:
        return shown
    written = f"Model: {model}\n" if learned.text else ""
    return f"{summary(training)}\n{written}Report: {report}\n"


def summary(training: Training) -> str:
    """The whole answer."""
    from rankproof.stack.tune.training import conclusion, fitted_text, importance_text

    config, learned = training.config, training.learned
    parts = [
        [
            f"{config.benchmark.name}: {config.mode} trained for {config.measure} on "
            f"{counted(len(learned.header.queries), 'dev query', 'dev queries')}, of which {learned.taught:,} have "
            f"candidates of two grades; {counted(training.test_queries, 'test query', 'test queries')}"
        ],
        _on_dev(training),
        _gains(training),
        [conclusion(training), *(f"  {note}" for note in training.notes)],
    ]
    if learned.text:
        parts.insert(3, [f"{counted(learned.header.trees, 'tree')} taken: {fitted_text(learned)}."])
        rows = [["feature", "share of the loss saved"], *([name, share] for name, share in importance_text(learned))]
        parts.append(aligned(rows, 1))
    if training.against:
        level = percent(config.benchmark.design.confidence)
        table = [["mode", config.measure, "gain over it", f"{level} interval", "p adjusted"]]
        table += [
            [other.mode, number(other.value), *_answer(other.answer)[:2], p_text(other.p_adjusted)]
            for other in training.against
        ]
        parts.append([f"The trained {config.mode} against the other modes, on test:", *aligned(table, 1)])
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _on_dev(training: Training) -> list[str]:
    learned = training.learned
    rows = [["on dev", training.config.measure]]
    rows += [[text, number(value)] for text, value in learned.references.items()]
    rows += [[f"{trees} trees, cross-validated", number(value)] for trees, value in learned.tried.items() if trees]
    return aligned(rows, 1)


def _gains(training: Training) -> list[str]:
    level = percent(training.config.benchmark.design.confidence)
    rows = [["", "queries", training.learned.reference, "trained", "gain", f"{level} interval", "p"]]
    rows.append(["dev, cross-validated", *_gain(training.learned.dev)])
    remarks = ["", "by models that did not see the query"]
    if training.test is not None:
        rows.append(["test", *_gain(training.test)])
        remarks.append("never seen by the training")
    return [f"{line}  {remark}".rstrip() for line, remark in zip(aligned(rows, 1), remarks, strict=True)]


def _gain(gain: Gain) -> list[str]:
    values = [NONE if value is None else number(value) for value in (gain.before, gain.after)]
    return [f"{gain.queries:,}", *values, *_answer(gain.answer)]


def _answer(answer: Answer) -> tuple[str, str, str]:
    value = signed(answer.value or 0.0)
    if not isinstance(answer, Estimate):
        return value, NONE, NONE
    return value, interval(answer.low, answer.high), p_text(answer.p_value)
