"""Fetch: the command `rankproof runs fetch`, which makes run files by asking pipelines."""

from __future__ import annotations

import time
from collections.abc import Sequence

import click

from rankproof.cli import _output


@click.command("fetch")
@click.argument("config", type=click.Path())
@click.option("--mode", "modes", multiple=True, help="Only this mode; may be repeated.")
@click.option("-o", "--output", type=click.Path(), default="fetched", show_default=True, help="The folder to write to.")
@click.option("--cache", type=click.Path(), help="The folder for answers and vectors; beside CONFIG by default.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def fetch(config: str, modes: Sequence[str], output: str, cache: str | None, as_json: bool) -> None:
    """Ask every mode of CONFIG all queries; write a run and a latency file for each, and a manifest.

    Answers of live engines are kept as they come: a fetch that was stopped goes on where it was.

    \b
    rankproof runs fetch benchmark.toml -o fetched
    rankproof runs validate fetched/runs/lexical.run
    """
    from dataclasses import replace

    from rankproof.cli import _benchmarking
    from rankproof.flow.benchmarking.config import read_config
    from rankproof.records.jsontext import to_json

    began = time.perf_counter()
    read = _benchmarking.only(read_config(config), modes)
    if modes:
        read = replace(read, modes={name: step for name, step in read.modes.items() if name in modes})
    dataset = _benchmarking.dataset_of(read)
    with _benchmarking.running(read, dataset, dataset.judged_queries, cache) as runner:
        runner.open(list(read.modes.values()))
        outcomes = {name: runner.run(name, step) for name, step in read.modes.items()}
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    document = _benchmarking.write_runs(output, read, dataset, outcomes, observed)
    if as_json:
        _output.say(to_json(document, indent=2) + "\n")
        return
    for mode in document["modes"]:
        failed = sum(mode["failures"].values())
        told = f"; {failed} failures" if failed else ""
        _output.say(
            f"{mode['mode']}: {mode['queries']} queries, {mode['documents']:,} documents{told}: {mode['run']}\n"
        )
    _output.say(f"written to {output}\n")
