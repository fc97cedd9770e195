"""Turn the dials of a search stack on dev queries, and say what the winner is worth on queries it never saw."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

import click

from rankproof.cli import _output
from rankproof.cli._document import document
from rankproof.errors import UsageError
from rankproof.store.atomic import refuse as refuse_path

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from rankproof.flow.pipelines.running import Runner
    from rankproof.records.dataset import Dataset
    from rankproof.records.tuning import Setting, TuneConfig

SCHEMA = "tune/1"
SECONDS_BETWEEN_SIGNS = 0.1


@click.command("tune")
@click.argument("config", type=click.Path())
@click.option("-o", "--output", type=click.Path(), help="The folder for the reports; NAME-tuning by default.")
@click.option("--cache", type=click.Path(), help="The folder for what is dear to make; beside CONFIG by default.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(config: str, output: str | None, cache: str | None, as_json: bool) -> None:
    """Search the dials that [tune] of CONFIG names, on its dev queries; test the winner on queries left untouched.

    Writes the winning configuration beside CONFIG (CONFIG-tuned.toml) and TuneReport.json and TuneReport.html into a
    folder. What was tried is kept: a search that was stopped goes on where it was.

    \b
    rankproof tune benchmark.toml
    rankproof tune benchmark.toml -o tuning && rankproof benchmark run benchmark-tuned.toml
    """
    from dataclasses import replace

    from rankproof.cli import _benchmarking, _tune_text
    from rankproof.flow.tuning.config import read_tune_config
    from rankproof.flow.tuning.splits import halves
    from rankproof.flow.tuning.tune import tune
    from rankproof.flow.tuning.winner import MARK, winning_config
    from rankproof.records._tuning_dict import to_dict
    from rankproof.reports._html.tuning import tuning_page
    from rankproof.store.atomic import replace_file

    began = time.perf_counter()
    read, text = read_tune_config(config)
    winner = f"{os.path.splitext(config)[0]}-tuned.toml"
    _refuse_winner(winner, MARK)
    folder = output or f"{read.benchmark.name.replace(' ', '-').replace(os.sep, '-')}-tuning"
    if os.path.exists(folder) and not os.path.isdir(folder):
        raise UsageError(f"{folder} is a file. Name a folder for the reports.")
    whole = replace(read.benchmark, split="all") if read.dev else read.benchmark
    dev, test = halves(read, _benchmarking.dataset_of(whole))
    sign = _Sign(read)

    def open_runner(dataset: Dataset) -> AbstractContextManager[Runner]:
        return _benchmarking.running(read.benchmark, dataset, dataset.judged_queries, cache, sign.step)

    try:
        found, ran = tune(read, dev, test, open_runner, sign.told)
    finally:
        sign.end()
    observed = {"seconds": round(time.perf_counter() - began, 6), "pipelines_run": ran}
    shown = document(SCHEMA, {**to_dict(found), "observed": observed})
    os.makedirs(folder, exist_ok=True)
    page = tuning_page(found)
    for file, content in (("TuneReport.json", shown), ("TuneReport.html", page)):
        replace_file(os.path.join(folder, file), [content.encode("utf-8", "surrogateescape")])
    replace_file(winner, [winning_config(found, text).encode("utf-8", "surrogateescape")])
    if as_json:
        _output.say(shown)
        return
    _output.say(_tune_text.tuned(found))
    _output.say(f"\nWinner: {winner}\nReport: {os.path.join(folder, 'TuneReport.html')}\n")


def _refuse_winner(path: str, mark: str) -> None:
    """The winner may take the place of an earlier one, and of nothing else."""
    refuse_path(path)
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if not file.readline().startswith(mark):
                raise UsageError(f"{path} is there already and was not written by a tuning. Move it away first.")


class _Sign:
    """A line on a terminal that says how far the search is; silence elsewhere."""

    def __init__(self, config: TuneConfig) -> None:
        self._on = sys.stderr.isatty()
        self._measure, self._total = config.measure, config.trials
        self._search = "as written"
        self._width, self._last = 0, 0.0
        if config.method == "grid":
            import math

            self._total = math.prod(len(dial.choices) for dial in config.dials)

    def step(self, step: str, done: int, total: int) -> None:
        """Told of every query of every step."""
        if time.monotonic() - self._last >= SECONDS_BETWEEN_SIGNS:
            self._say(f"{self._search}; {step} {done} of {total}")

    def told(self, done: int, setting: Setting, best: Setting) -> None:
        """Told of every setting."""
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
