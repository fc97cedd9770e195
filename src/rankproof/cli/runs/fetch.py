"""`rankproof runs fetch`: one run for each mode of a benchmark configuration, with latencies and a manifest."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import allowed
from rankproof.cli.shared.output import refuse_output_folder

if TYPE_CHECKING:
    from rankproof.reading.ranking import Failure
    from rankproof.stack.benchmark.records import BenchmarkConfig
    from rankproof.stack.records import ModeOutcome

# Queries that a line names.
NAMED = 3


@click.command("fetch")
@click.argument("config", type=click.Path())
@click.option("--mode", "modes", multiple=True, help="Only this mode; may be repeated.")
@click.option("--judged", is_flag=True, help="Ask only the queries that have judgments; all queries otherwise.")
@click.option("--fresh", is_flag=True, help="Forget the answers in the cache folder, and ask everything again.")
@click.option("-o", "--output", type=click.Path(), default="fetched", show_default=True, help="The folder to write to.")
@click.option("--cache", type=click.Path(), help="The folder for answers and vectors; beside CONFIG by default.")
@allowed
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(
    config: str,
    modes: Sequence[str],
    judged: bool,
    fresh: bool,
    output: str,
    cache: str | None,
    allow: tuple[str, ...],
    as_json: bool,
) -> int:
    """Ask every mode of CONFIG all queries; write a run and a latency file for each, and a manifest.

    Answers of live engines are cached as they come: a fetch that was stopped goes on where it was, and one that was
    done asks nothing again. After the engine has changed behind its address, fetch with --fresh.

    Fields of hits that a mode keeps (hit_fields) are written beside its run, where a judging store finds them.

    Exit status: 0 done, 1 a query has no answer, 2 wrong usage.

    \b
    rankproof runs fetch benchmark.toml -o fetched
    rankproof runs validate fetched/runs/lexical.run
    """
    from rankproof.cli.shared import benchmarking
    from rankproof.kernel.jsontext import to_json
    from rankproof.stack.benchmark.config import read_config
    from rankproof.stack.benchmark.run import refuse_silence, unanswered

    began = time.perf_counter()
    read = replace(benchmarking.only(read_config(config), modes), allow=allow)
    if modes:
        read = replace(read, modes={name: step for name, step in read.modes.items() if name in modes})
    refuse_output_folder(output)
    dataset = benchmarking.dataset_of(read, judged)
    benchmarking.refuse_split_ids(dataset)
    queries = dataset.judged_queries if judged else dataset.asked_queries
    if fresh:
        benchmarking.forget_answers(read, cache)
    with benchmarking.running(read, dataset, queries, cache) as runner:
        runner.open(list(read.modes.values()))
        outcomes = {name: runner.run(name, step) for name, step in read.modes.items()}
    for outcome in outcomes.values():
        refuse_silence(outcome)
    cached = {name: n for name, outcome in outcomes.items() if (n := sum(step.kept for step in outcome.steps))}
    observed = {"seconds": round(time.perf_counter() - began, 6), **({"kept": cached} if cached else {})}
    document = benchmarking.write_runs(output, read, dataset, outcomes, observed)
    if as_json:
        _output.say(to_json(document, indent=2) + "\n")
    else:
        kept = {each["mode"]: each["hit_documents"] for each in document["modes"] if "hit_documents" in each}
        _output.say("".join(f"{line}\n" for line in fetch_lines(output, outcomes, read, kept)))
    return int(any(unanswered(outcome) for outcome in outcomes.values()))


def fetch_lines(
    folder: str, outcomes: Mapping[str, ModeOutcome], config: BenchmarkConfig, kept: Mapping[str, str]
) -> Iterator[str]:
    """What was fetched, what failed and why, and where it lies; `kept` are the files of documents, by mode."""
    from rankproof.kernel.sections import counted
    from rankproof.stack.asking.limits import Limits
    from rankproof.stack.benchmark.run import unanswered
    from rankproof.stack.benchmark.times import latency_of
    from rankproof.stack.pipeline import asks_live_engine

    missing = 0
    for name, outcome in outcomes.items():
        time = latency_of(dict(zip(outcome.query_ids, outcome.milliseconds.tolist(), strict=True)))
        parts = [
            counted(len(outcome.query_ids), "query", "queries"),
            counted(sum(map(len, outcome.rankings)), "document"),
        ]
        if time.p50 is not None:
            at_once = Limits(**config.limits).concurrency if asks_live_engine(outcome.pipeline) else 1
            load = f" with {at_once} requests at once" if at_once > 1 else ""
            parts.append(f"p50 {time.p50:.1f} ms, p95 {time.p95:.1f} ms{load}")
        cached = sum(step.kept for step in outcome.steps)
        if cached:
            parts.append(f"{counted(cached, 'answer')} from the cache")
        yield f"{name}: {', '.join(parts)}: {os.path.join(folder, 'runs', f'{name}.run')}"
        if name in kept:
            fields = dict.fromkeys(field for _, _, told in outcome.hit_fields() for field in told)
            yield f"  what the hits said ({', '.join(fields)}): {os.path.join(folder, kept[name])}"
        yield from _failed(outcome.failures)
        missing += len(unanswered(outcome))
    yield f"manifest: {os.path.join(folder, 'fetch.json')}"
    if missing:
        queries = "1 query has" if missing == 1 else f"{missing:,} queries have"
        yield f"{queries} no answer. Mend what failed and fetch again: only missing queries are sent."


def _failed(failures: Sequence[Failure]) -> Iterator[str]:
    """Each kind of failure once: how many, of which queries, and the message of the first one."""
    from rankproof.kernel.sections import printable

    kinds: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures:
        kinds.setdefault((failure.stage, failure.kind, failure.fallback), []).append(failure)
    for (stage, kind, fallback), group in kinds.items():
        names = ", ".join([failure.query_id for failure in group[:NAMED]] + ["..."] * (len(group) > NAMED))
        yield printable(f"  {stage}: {kind}, {fallback}: {len(group):,} ({names})")
        yield printable(f"    {group[0].message}")
