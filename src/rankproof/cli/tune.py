"""Tune a search stack on dev queries; test on unseen queries."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import allowed, refuse_outputs
from rankproof.cli.shared.output import document, refuse_output_folder
from rankproof.errors import UsageError
from rankproof.kernel.estimate import Answer, Estimate
from rankproof.kernel.sections import aligned, interval, number, p_text, percent, signed
from rankproof.stack.tune.records import Against, Gain, Tuning
from rankproof.stack.tune.wording import conclusion, response_text, title, value_text

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankproof.reading.datasets.records import Dataset
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.tune.records import Setting, TuneConfig


SCHEMA = "tune/1"
SECONDS_BETWEEN_UPDATES = 0.1


@click.command("tune")
@click.argument("config", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="The folder for the reports; NAME-tuning by default.")
@click.option("--cache", type=click.Path(), help="The folder for what is expensive to make; beside CONFIG by default.")
@allowed
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(config: str, output: str | None, cache: str | None, allow: tuple[str, ...], as_json: bool) -> None:
    """Search the parameters that [tune] of CONFIG names, on its dev queries; test the winner on queries left untouched.

    Writes the winning configuration beside CONFIG (CONFIG-tuned.toml) and TuneReport.json and TuneReport.html into a
    folder. What was tried is stored: a search that was stopped continues where it was.

    With method = "train" in [tune], the model of a mode of fuse_ltr is trained on the dev queries instead, and written
    where the mode names it; the folder gets TrainReport.json.

    \b
    rankproof tune benchmark.toml
    rankproof tune benchmark.toml -o tuning && rankproof benchmark run benchmark-tuned.toml
    """
    from dataclasses import replace

    from rankproof.cli.shared import benchmarking
    from rankproof.kernel.atomic import replace_file
    from rankproof.reports.page.tuning import tuning_page
    from rankproof.stack.tune.config import halves, read_tune_config
    from rankproof.stack.tune.records import to_dict
    from rankproof.stack.tune.tune import tune
    from rankproof.stack.tune.winner import MARK, winning_config

    began = time.perf_counter()
    read, text = read_tune_config(config)
    read = replace(read, benchmark=replace(read.benchmark, allow=allow))
    if read.method == "train":
        from rankproof.cli.shared.training import run_training

        _output.say(run_training(read, output, cache, as_json, began))
        return
    winner = f"{os.path.splitext(config)[0]}-tuned.toml"
    _refuse_winner(winner, MARK)
    folder = output or f"{read.benchmark.name.replace(' ', '-').replace(os.sep, '-')}-tuning"
    refuse_output_folder(folder)
    whole = replace(read.benchmark, split="all") if read.dev else read.benchmark
    dev, test = halves(read, benchmarking.dataset_of(whole))
    progress = _SearchProgress(read)

    def open_runner(dataset: Dataset) -> AbstractContextManager[Runner]:
        return benchmarking.running(read.benchmark, dataset, dataset.judged_queries, cache, progress.step)

    try:
        tuning, ran = tune(read, dev, test, open_runner, progress.proposal)
    finally:
        progress.end()
    observed = {"seconds": round(time.perf_counter() - began, 6), "pipelines_run": ran}
    shown = document(SCHEMA, {**to_dict(tuning), "observed": observed})
    os.makedirs(folder, exist_ok=True)
    page = tuning_page(tuning)
    for file, content in (("TuneReport.json", shown), ("TuneReport.html", page)):
        replace_file(os.path.join(folder, file), [content.encode("utf-8", "surrogateescape")])
    replace_file(winner, [winning_config(tuning, text).encode("utf-8", "surrogateescape")])
    if as_json:
        _output.say(shown)
        return
    _output.say(summary(tuning))
    _output.say(f"\nWinner: {winner}\nReport: {os.path.join(folder, 'TuneReport.html')}\n")


def _refuse_winner(path: str, mark: str) -> None:
    """The winner may take the place of an earlier one, and of nothing else."""
    refuse_outputs(path)
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if not file.readline().startswith(mark):
                raise UsageError(f"{path} is there already and was not written by a tuning. Move it away first.")


class _SearchProgress:
    """A line on a terminal that says how far the search is; silence elsewhere."""

    def __init__(self, config: TuneConfig) -> None:
        self._on = sys.stderr.isatty()
        self._measure, self._total = config.measure, config.trials
        self._search = "as written"
        self._width, self._last = 0, 0.0
        if config.method == "grid":
            import math

            self._total = math.prod(len(parameter.choices) for parameter in config.parameters)

    def step(self, step: str, done: int, total: int) -> None:
        """Called after every query of every step."""
        if time.monotonic() - self._last >= SECONDS_BETWEEN_UPDATES:
            self._say(f"{self._search}; {step} {done} of {total}")

    def proposal(self, done: int, setting: Setting, best: Setting) -> None:
        """Called after every setting."""
        self._search = f"setting {done} of {self._total}; best {self._measure} {best.mean:.4f}"
        self._say(self._search)

    def end(self) -> None:
        """Leaves the line empty."""
        self._say("")

    def _say(self, text: str) -> None:
        if not self._on:
            return
        sys.stderr.write(f"\r{text.ljust(self._width)}" + ("" if text else "\r"))
        sys.stderr.flush()
        self._width, self._last = len(text), time.monotonic()


NONE = "-"


def summary(tuning: Tuning) -> str:
    """The whole answer."""
    parts = [[title(tuning)], _parameters(tuning), _gains(tuning), [conclusion(tuning), *_reasons(tuning)]]
    parts += [_against(tuning), *_responses(tuning)]
    return "\n\n".join("\n".join(part) for part in parts if part) + "\n"


def _parameters(tuning: Tuning) -> list[str]:
    rows = [["parameter", "as written", "winner"]]
    rows += [
        [d.name, value_text(d.as_written), value_text(tuning.winner.parameters[d.name])]
        for d in tuning.config.parameters
    ]
    return aligned(rows, 1)


def _gains(tuning: Tuning) -> list[str]:
    level = percent(tuning.config.benchmark.design.confidence)
    rows = [["", "queries", "as written", "winner", "gain", f"{level} interval", "p"]]
    rows.append(["dev", *_gain(tuning.dev)])
    rows.append(["out of bag", *_gain(tuning.out_of_bag)])
    if tuning.test is not None:
        rows.append(["test", *_gain(tuning.test)])
    remarks = {
        "dev": "picked on these queries, so it flatters",
        "out of bag": "picked again without the queries it is measured on",
        "test": "never seen by the search",
    }
    return [f"{line}  {remarks.get(row[0], '')}".rstrip() for line, row in zip(aligned(rows, 1), rows, strict=True)]


def _gain(gain: Gain) -> list[str]:
    values = [NONE if value is None else number(value) for value in (gain.before, gain.after)]
    picked = gain.before is None or not isinstance(gain.answer, Estimate)
    return [f"{gain.queries:,}", *values, *_answer(gain.answer)[:2], NONE if picked else _answer(gain.answer)[2]]


def _answer(answer: Answer) -> tuple[str, str, str]:
    value = signed(answer.value or 0.0)
    if not isinstance(answer, Estimate):
        return value, NONE, NONE
    return value, interval(answer.low, answer.high), p_text(answer.p_value)


def _reasons(tuning: Tuning) -> list[str]:
    return [f"  {reason}" for reason in (*tuning.ruling.reasons, *tuning.notes)]


def _against(tuning: Tuning) -> list[str]:
    if not tuning.against:
        return []
    level = percent(tuning.config.benchmark.design.confidence)
    rows = [["mode", tuning.config.measure, "gain over it", f"{level} interval", "p adjusted"]]
    rows += [_other(other) for other in tuning.against]
    return [f"The tuned {tuning.config.mode} against the other modes, on test:", *aligned(rows, 1)]


def _other(other: Against) -> list[str]:
    value, ends, _ = _answer(other.answer)
    return [other.mode, number(other.value), value, ends, p_text(other.p_adjusted)]


def _responses(tuning: Tuning) -> list[list[str]]:
    """A table for each parameter: short ones say more than the chart on a terminal."""
    tables = []
    for name, several in tuning.responses.items():
        rows = [[name, "settings", f"mean {tuning.config.measure}", "best", "gain of the best", "interval"]]
        rows += [
            [response_text(at), f"{at.settings:,}", number(at.mean), number(at.best), *_answer(at.gain)[:2]]
            for at in several
        ]
        tables.append(aligned(rows, 1))
    return tables
