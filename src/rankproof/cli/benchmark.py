"""Benchmark a search stack mode by mode: what each stage buys."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.groups import RunsFiles, begin
from rankproof.cli.shared.options import ShelfName, chosen_form
from rankproof.cli.shared.output import refuse_output_folder
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.reports.forms.contract import Report
    from rankproof.stack.benchmark.datasets.config import DatasetsConfig
    from rankproof.stack.benchmark.failed import FailedChoice
    from rankproof.stack.benchmark.records import BenchmarkConfig

PAGE = "BenchmarkReport.html"
STARTER = "benchmark.toml"


@click.group("benchmark", cls=RunsFiles)
def command() -> None:
    """Run named pipelines on the same queries and compare them stage by stage.

    `rankproof benchmark CONFIG.toml` means `rankproof benchmark run CONFIG.toml`.
    """


@command.command("run")
@click.argument("config", type=click.Path())
@click.option("--mode", "modes", multiple=True, help="Only this mode, and the baseline; may be repeated.")
@click.option("--dataset", metavar="NAME", help="Only this one of several datasets: an ordinary benchmark.")
@click.option("-o", "--output", type=click.Path(), help="The folder for runs and reports; NAME-report by default.")
@click.option("--cache", type=click.Path(), help="The folder for what is expensive to make; beside CONFIG by default.")
@click.option("--fresh", is_flag=True, help="Forget the answers in the cache folder, and ask everything again.")
@click.option(
    "--failed",
    type=click.Choice(("undecided", "zero", "drop")),
    help="What a query that a mode has no answer to makes of the verdict; undecided by default.",
)
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@_output.full_option
@click.option(
    "--format", "form", type=ShelfName("reports", "benchmark"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
def run(
    config: str,
    modes: Sequence[str],
    dataset: str | None,
    output: str | None,
    cache: str | None,
    fresh: bool,
    failed: FailedChoice | None,
    per_query: bool,
    full: bool,
    form: str | None,
    as_json: bool,
) -> int:
    """Run every mode of CONFIG, a TOML file, and compare them. `rankproof benchmark init` writes one to begin with.

    With a table [datasets] every mode is run on each of them, and one verdict is given over all: the mean over these
    datasets, each of the same weight.

    A query that some mode has no answer to leaves the verdict undecided: run the same command again, which asks only
    what is missing, or choose: --failed drop compares the queries that every mode answered, --failed zero counts an
    empty ranking.

    Exit status: 0 done, 1 invalid input, 2 wrong usage, 3 undecided.

    \b
    rankproof benchmark run benchmark.toml
    rankproof benchmark run benchmark.toml --mode hybrid -o hybrid-report
    """
    form = chosen_form(form, as_json)
    from rankproof.cli.shared import benchmarking
    from rankproof.kernel import shelf
    from rankproof.stack.benchmark.records import BenchmarkConfig
    from rankproof.stack.benchmark.run import refuse_alone

    report = shelf.find("reports", form)
    began = time.perf_counter()

    def chosen(read: BenchmarkConfig) -> BenchmarkConfig:
        read = benchmarking.only(read, modes)
        refuse_alone(read)
        return read if failed is None else replace(read, failed=failed)

    found = benchmarking.read_either(config)
    if isinstance(found, BenchmarkConfig):
        if dataset is not None:
            raise UsageError(f"{config} has one dataset, {found.dataset}. Leave --dataset {dataset} out.")
        read = chosen(found)
    elif dataset is None:
        return _run_several(found.each(chosen), report, output, cache, fresh, per_query, full, began)
    else:
        from rankproof.cli.shared.benchmarking_datasets import cache_of

        read = chosen(found.only(dataset))
        cache = cache_of(read, cache, dataset)
        _output.note(f"the verdict is for {dataset} alone, one of {len(found.configs)} datasets of {config}")
    folder = output or benchmarking.folder_of(read.name)
    refuse_output_folder(folder)
    if fresh:
        benchmarking.forget_answers(read, cache)
    result, observed = benchmarking.run_benchmark(read, benchmarking.dataset_of(read), folder, cache, began)
    _output.give_report(report, "benchmark", result, full, None, per_query=per_query, observed=observed)
    _output.name_files(form, None, html=os.path.join(folder, PAGE))
    return 3 if result.undecided else 0


def _run_several(
    config: DatasetsConfig,
    report: Report,
    output: str | None,
    cache: str | None,
    fresh: bool,
    per_query: bool,
    full: bool,
    began: float,
) -> int:
    """Every mode on every dataset, and one verdict."""
    from rankproof.cli.shared import benchmarking, benchmarking_datasets

    if report.datasets is None:
        raise UsageError(
            f"The report {report.name} cannot show a benchmark on several datasets. Take table, json, markdown or "
            "html; or one dataset: --dataset NAME"
        )
    folder = output or benchmarking.folder_of(config.name)
    refuse_output_folder(folder)
    if fresh:
        for name, own in config.configs.items():
            benchmarking.forget_answers(own, benchmarking_datasets.cache_of(own, cache, name))
    result, observed = benchmarking_datasets.run_datasets(config, folder, cache, began)
    _output.give_report(report, "datasets", result, full, None, per_query=per_query, observed=observed)
    _output.name_files(report.name, None, html=os.path.join(folder, PAGE))
    return 3 if result.undecided else 0


@command.command("init")
@click.argument("path", type=click.Path(), default=STARTER)
def init(path: str) -> None:
    """Write a commented configuration to PATH, to begin with. A file that is there already is left alone."""
    from rankproof.stack.benchmark.config import starter_config

    begin(path, starter_config(), f"Put your data and pipelines into it, then: rankproof benchmark run {path}")
