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
from rankproof.cli.shared.options import ShelfName, allowed, chosen_form
from rankproof.cli.shared.output import refuse_output_folder

if TYPE_CHECKING:
    from rankproof.stack.benchmark.failed import FailedChoice

STARTER = "benchmark.toml"


@click.group("benchmark", cls=RunsFiles)
def command() -> None:
    """Run named pipelines on the same queries and compare them stage by stage.

    `rankproof benchmark CONFIG.toml` means `rankproof benchmark run CONFIG.toml`.
    """


@command.command("run")
@click.argument("config", type=click.Path())
@click.option("--mode", "modes", multiple=True, help="Only this mode, and the baseline; may be repeated.")
@click.option("-o", "--output", type=click.Path(), help="The folder for runs and reports; NAME-report by default.")
@click.option("--cache", type=click.Path(), help="The folder for what is expensive to make; beside CONFIG by default.")
@click.option("--fresh", is_flag=True, help="Forget the answers in the cache folder, and ask everything again.")
@click.option(
    "--failed",
    type=click.Choice(("undecided", "zero", "drop")),
    help="What a query that a mode has no answer to makes of the verdict; undecided by default.",
)
@allowed
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@_output.full_option
@click.option(
    "--format", "form", type=ShelfName("reports", "benchmark"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
def run(
    config: str,
    modes: Sequence[str],
    output: str | None,
    cache: str | None,
    fresh: bool,
    failed: FailedChoice | None,
    allow: tuple[str, ...],
    per_query: bool,
    full: bool,
    form: str | None,
    as_json: bool,
) -> int:
    """Run every mode of CONFIG, a TOML file, and compare them. `rankproof benchmark init` writes one to begin with.

    A query that some mode has no answer to leaves the verdict undecided: run the same command again, which asks only
    what is missing, or choose: --failed drop compares the queries that every mode answered, --failed zero counts an
    empty ranking.

    With --mode nothing is decided: what some modes alone would show is not the verdict of the benchmark.

    Exit status: 0 done, 1 invalid input, a declared rerank that is none or a [[target]] that is missed, 2 wrong usage,
    3 undecided.

    \b
    rankproof benchmark run benchmark.toml
    rankproof benchmark run benchmark.toml --mode hybrid -o hybrid-report
    """
    form = chosen_form(form, as_json)
    from rankproof.cli.shared import benchmarking
    from rankproof.kernel import shelf
    from rankproof.stack.benchmark.config import read_config
    from rankproof.stack.benchmark.targets import exit_status

    report = shelf.find("reports", form)
    began = time.perf_counter()
    read = replace(benchmarking.only(read_config(config), modes), allow=allow)
    if failed is not None:
        read = replace(read, failed=failed)
    folder = output or f"{read.name.replace(' ', '-').replace(os.sep, '-')}-report"
    refuse_output_folder(folder)
    if fresh:
        benchmarking.forget_answers(read, cache)
    result, observed = benchmarking.run_benchmark(read, benchmarking.dataset_of(read), folder, cache, began)
    _output.give_report(report, "benchmark", result, full, None, per_query=per_query, observed=observed)
    _output.name_files(form, None, html=os.path.join(folder, "BenchmarkReport.html"))
    for row in result.rows:
        if row.rerank is not None and row.broken:
            _output.note(row.rerank.sentence(row.mode))
    targets = exit_status(result.targets)
    return 1 if result.broken or targets == 1 else 3 if result.undecided or targets else 0


@command.command("init")
@click.argument("path", type=click.Path(), default=STARTER)
def init(path: str) -> None:
    """Write a commented configuration to PATH, to begin with. A file that is there already is left alone."""
    from rankproof.stack.benchmark.config import starter_config

    begin(path, starter_config(), f"Put your data and pipelines into it, then: rankproof benchmark run {path}")
