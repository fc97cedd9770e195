"""Fetch runs by asking pipelines; validate runs, and repair what takes no guess."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import ShelfName
from rankproof.cli.shared.output import watched
from rankproof.cli.shared.usage import refuse_output_folder, refuse_outputs
from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from rankproof.reading.ranking import Failure
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
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def fetch(
    config: str, modes: Sequence[str], judged: bool, fresh: bool, output: str, cache: str | None, as_json: bool
) -> int:
    """Ask every mode of CONFIG all queries; write a run and a latency file for each, and a manifest.

    Answers of live engines are kept as they come: a fetch that was stopped goes on where it was, and one that was
    done asks nothing again. After the engine has changed behind its address, fetch with --fresh.

    Exit status: 0 done, 1 a query has no answer, 2 wrong usage.

    \b
    rankproof runs fetch benchmark.toml -o fetched
    rankproof runs validate fetched/runs/lexical.run
    """
    from dataclasses import replace

    from rankproof.cli.shared import benchmarking
    from rankproof.kernel.jsontext import to_json
    from rankproof.stack.benchmark.config import read_config
    from rankproof.stack.benchmark.run import refuse_silence, unanswered

    began = time.perf_counter()
    read = benchmarking.only(read_config(config), modes)
    if modes:
        read = replace(read, modes={name: step for name, step in read.modes.items() if name in modes})
    refuse_output_folder(output)
    dataset = benchmarking.dataset_of(read, judged)
    queries = dataset.judged_queries if judged else dataset.asked_queries
    if fresh:
        _forget(cache or os.path.join(read.folder, benchmarking.CACHE))
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
        _output.say("".join(f"{line}\n" for line in told(output, outcomes)))
    return int(any(unanswered(outcome) for outcome in outcomes.values()))


def _forget(folder: str) -> None:
    """All answers at once: of a fetch that is stopped in the middle, no old ones may stand beside the new."""
    from rankproof.stack.asking.answers import Answers

    if os.path.isdir(folder):
        with Answers(os.path.join(folder, "answers.jsonl")) as keep:
            keep.forget()


def told(folder: str, outcomes: Mapping[str, ModeOutcome]) -> Iterator[str]:
    """What was fetched, what failed and why, and where it lies."""
    from rankproof.stack.benchmark.run import latency_of, unanswered

    missing = 0
    for name, outcome in outcomes.items():
        time = latency_of(outcome.milliseconds)
        parts = [f"{len(outcome.query_ids):,} queries", f"{sum(map(len, outcome.rankings)):,} documents"]
        if time.p50 is not None:
            parts.append(f"p50 {time.p50:.1f} ms, p95 {time.p95:.1f} ms")
        cached = sum(step.kept for step in outcome.steps)
        if cached:
            parts.append(f"{cached:,} answers kept from before")
        yield f"{name}: {', '.join(parts)}: {os.path.join(folder, 'runs', f'{name}.run')}"
        yield from _failed(outcome.failures)
        missing += len(unanswered(outcome))
    yield f"manifest: {os.path.join(folder, 'fetch.json')}"
    if missing:
        queries = "1 query has" if missing == 1 else f"{missing:,} queries have"
        yield f"{queries} no answer. Mend what failed and fetch again: only what is missing is asked."


def _failed(failures: Sequence[Failure]) -> Iterator[str]:
    """Each kind of failure once: how many, of which queries, and what the first one said."""
    from rankproof.kernel.sections import printable

    kinds: dict[tuple[str, str, str], list[Failure]] = {}
    for failure in failures:
        kinds.setdefault((failure.stage, failure.kind, failure.fallback), []).append(failure)
    for (stage, kind, fallback), group in kinds.items():
        names = ", ".join([failure.query_id for failure in group[:NAMED]] + ["..."] * (len(group) > NAMED))
        yield printable(f"  {stage}: {kind}, {fallback}: {len(group):,} ({names})")
        yield printable(f"    {group[0].message}")


if TYPE_CHECKING:
    from rankproof.cli.shared.findings import FileReport, FixOutcome
    from rankproof.reading.validate import RunReference

    _Ranks = click.ParamType[tuple[int, ...]]
else:
    _Ranks = click.ParamType

STDIN = "-"


class Cutoffs(_Ranks):
    """Ranks at which measures cut, separated by commas."""

    name = "cutoffs"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        """The whole numbers."""
        if isinstance(value, tuple):
            return value
        try:
            cutoffs = tuple(int(part) for part in str(value).split(",") if part.strip())
        except ValueError:
            cutoffs = (0,)
        if any(k < 1 for k in cutoffs):
            self.fail(f"{value!r} is not a list of ranks from 1 on, such as 10,100.", param, ctx)
        return cutoffs


@click.group("runs")
def command() -> None:
    """Make runs by asking pipelines; look at runs: validate them, and repair what takes no guess."""


command.add_command(fetch)


@command.command("validate")
@click.argument("runs", metavar="RUN...", nargs=-1, required=True, type=click.Path())
@click.option("--qrels", type=click.Path(), help="Hold queries and document ids against these judgments.")
@click.option("--topics", type=click.Path(), help="Hold queries against these topics.")
@click.option(
    "--cutoffs",
    type=Cutoffs(),
    default="10",
    show_default=True,
    help="Ranks where ties matter, such as 10,100. The deepest is the depth expected of every query.",
)
@click.option(
    "--max-depth",
    type=click.IntRange(1),
    help="Documents a query may have; 100 by default. With --fix, cut there.",
)
@click.option(
    "--allow",
    metavar="CODE",
    multiple=True,
    type=ShelfName("checks"),
    help="Report this fault as a note; may be repeated.",
)
@click.option("--strict", is_flag=True, help="Warnings count as errors.")
@click.option(
    "--fix",
    metavar="OUT",
    type=click.Path(),
    help="Write a repaired run, in the format that its ending names; refused where it would be a guess.",
)
@click.option("--tag", help="With --fix: the tag of all rows.")
@click.option(
    "--format",
    "form",
    type=ShelfName("formats", "run"),
    help="The format of every RUN; found out by content otherwise.",
)
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; scores by default where there are any.",
)
@click.option("--lower-is-better", is_flag=True, default=None, help="Scores are distances: the least comes first.")
@click.option("--json", "as_json", is_flag=True, help="Answer as JSON.")
@click.option("-o", "--output", type=click.Path(), help="Write the answer to this file, whole or not at all.")
def validate(
    runs: Sequence[str],
    qrels: str | None,
    topics: str | None,
    cutoffs: tuple[int, ...],
    max_depth: int | None,
    allow: Sequence[str],
    strict: bool,
    fix: str | None,
    tag: str | None,
    form: str | None,
    order: str | None,
    lower_is_better: bool | None,
    as_json: bool,
    output: str | None,
) -> int:
    """Check one or more RUNs. Exit status 0: valid; 1: not valid; 2: wrong usage.

    \b
    rankproof runs validate bm25.run
    rankproof runs validate bm25.run dense.run --qrels qrels.trec --cutoffs 10,100
    rankproof runs validate bm25.run --fix bm25.fixed.run --order score
    """
    if fix is not None and len(runs) > 1:
        raise UsageError(f"--fix writes one file, but {len(runs)} runs were given. Repair them one by one.")
    if fix == STDIN:
        raise UsageError("--fix needs a file to write to: the findings go to standard output.")
    if tag is not None and fix is None:
        raise UsageError("--tag is given to the rows that --fix writes. Add --fix OUT.")
    if tag is not None and (not tag or tag.split() != [tag]):
        raise UsageError(f"The tag {tag!r} has white space in it or is empty. Use one word.")
    refuse_outputs(fix, output)
    from rankproof.cli.shared import findings
    from rankproof.reading.check import MAX_DEPTH
    from rankproof.reading.source import once
    from rankproof.reading.validate import RunReference, read_reference

    judged, known = read_reference(qrels, topics)
    reference = RunReference(judged, known, cutoffs, max_depth or MAX_DEPTH, allow, strict)
    reading = {"format": form, "order": order, "lower_is_better": lower_is_better}
    answers = []
    for path in watched(runs, "validating"):
        source = once(path)  # a pipe cannot be read twice
        answer = _answer(source, path, reference, reading)
        if fix is not None and answer.validated is not None:
            answer = replace(
                answer, fixed=_fix(source, fix, reference, {**reading, "tag": tag, "max_depth": max_depth})
            )
        answers.append(answer)
    _output.give(findings.as_json(answers) if as_json else findings.as_text(answers), output)
    return 0 if all(answer.valid for answer in answers) else 1


def _answer(source: Any, path: str, reference: RunReference, reading: dict[str, Any]) -> FileReport:
    from rankproof.cli.shared.findings import FileReport
    from rankproof.reading.validate import validate_run

    try:
        validated = validate_run(source, reference, **reading)
    except InputError as error:
        return FileReport(path, unreadable=str(error))
    return FileReport(validated.said.source, validated)


def _fix(source: Any, out: str, reference: RunReference, how: dict[str, Any]) -> FixOutcome:
    """Repairs, writes what came of it, and checks it again."""
    from rankproof.cli.shared.findings import FixOutcome
    from rankproof.reading.detect import SourceDescription
    from rankproof.reading.validate import repair_run
    from rankproof.reading.write import write

    try:
        run, changes = repair_run(source, **how)
        form = write(run, out, _form(out))
    except InputError as error:  # a guess, or an id that the format cannot hold
        return FixOutcome(out, refused=str(error))
    return FixOutcome(
        out, changes, reference.findings(run.rows, SourceDescription(out, "run", form, run.order, unit="row"))
    )


def _form(path: str) -> str:
    """The format that a file's ending names; TREC when it names none that can hold a run."""
    from rankproof.reading.write import format_for

    try:
        return format_for(path, "run").name
    except UsageError:
        return "trec"
