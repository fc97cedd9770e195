"""Measure the searches of agents, task by task, and compare agents."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from rankproof.cli.shared import options
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import (
    Measures,
    ShelfName,
    chosen_form,
    from_options,
    refuse_outputs,
    refuse_second_stdin,
)  # fmt: skip
from rankproof.cli.shared.output import watched
from rankproof.errors import InputError, UsageError
from rankproof.proving.records import Design

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation
    from rankproof.proving.records import Comparison

# Whether everything was found, and how much of it: documents of all calls count together.
DEFAULT = "AllRecall@20 R@20"
OF_COMPARISONS = (
    "baseline", "primary", "significance", "correction", "confidence", "resamples", "seed", "all_pairs", "equivalence",
    "non_inferiority", "topics", "queries", "by", "weights", "strata", "clusters",
)  # fmt: skip


@click.command(
    "tasks",
    cls=long_help(
        "measures", "depth", "level", "baseline", "per_query", "full", "form", "as_json", "output", "html", "save",
    ),
)  # fmt: skip
@click.argument("qrels", type=click.Path())
@click.argument("calls", metavar="CALLS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measures",
    multiple=True,
    type=Measures(),
    help="What to measure on the union of a task's calls; may be repeated. The measures of calls always follow. "
    f"Default: {DEFAULT}.",
)
@click.option("-M", "--depth", type=click.IntRange(1), help="Look only at the first DEPTH documents of each call.")
@click.option(
    "-l",
    "--level",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="The least grade that counts as relevant, and that must be found.",
)
@click.option("--baseline", metavar="CALLS", help="The baseline, by its path or name; the first file otherwise.")
@click.option(
    "--primary",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="Which measures decide: the first, with the others secondary to it, or all in one family of tests.",
)
@options.design
@options.queries
@click.option("--qrels-format", type=ShelfName("formats", "qrels"), help="The format of QRELS.")
@click.option(
    "--calls-format",
    type=ShelfName("formats", "calls"),
    help="The format of another tool's records in CALLS, with its options; found by content otherwise.",
)
@click.option("-q", "--per-query", is_flag=True, help="Show each task's values too.")
@_output.full_option
@click.option(
    "--format", "form", type=ShelfName("reports", "evaluation"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--html", type=click.Path(), help="Write the HTML report to this file too.")
@click.option("--markdown", type=click.Path(), help="Write the Markdown report to this file too.")
@click.option(
    "--save", type=click.Path(), help="Keep the report of one system in this file, for `compare` and `gate --saved`."
)
def command(
    qrels: str,
    calls: Sequence[str],
    measures: Sequence[str],
    per_query: bool,
    full: bool,
    form: str | None,
    as_json: bool,
    output: str | None,
    html: str | None,
    markdown: str | None,
    save: str | None,
    **choices: Any,
) -> None:
    """Measure CALLS, the searches that an agent made for each task, against QRELS, whose queries are the tasks.

    CALLS are JSON lines, one call a line, {"task_id": "t1", "call": 1, "docs": ["a", "b"], "tokens": 812}; call (the
    order) and tokens may be left out. CSV and TSV have the same columns. One file gives an evaluation. Several are
    compared task by task, the first being the baseline.

    \b
    rankproof tasks qrels.trec agent.jsonl
    rankproof tasks qrels.trec before.jsonl after.jsonl -m "AllRecall@10 R@10" --html agents.html
    rankproof tasks qrels.trec agent.jsonl --depth 5 --save agent.json
    """
    form = chosen_form(form, as_json)
    if choices["baseline"] is not None:
        from rankproof.cli.shared.given import baseline_first

        calls = baseline_first(calls, choices["baseline"])
    refuse_outputs(output, html, markdown, save, read=(qrels, *calls))
    refuse_second_stdin([qrels, *calls])
    if save is not None and len(calls) > 1:
        raise UsageError(f"--save keeps the report of one system; {len(calls)} were given. Save them one by one.")
    if len(calls) == 1:
        _refuse_idle()
    from rankproof.kernel import shelf

    noun: Literal["render", "comparison"] = "render" if len(calls) == 1 else "comparison"
    reports = {name: shelf.find("reports", name) for name in (form, "html", "markdown")}
    if noun == "comparison" and "comparison" not in reports[form].holds:
        raise UsageError(f"The report {form} cannot show a comparison, and {len(calls)} files of calls were given.")
    began = time.perf_counter()
    answer = _measured(qrels, calls, measures or (DEFAULT,), choices)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    shown: Any = [answer] if noun == "render" else answer
    if save is not None:
        from rankproof.measuring.report import report_of, write_report

        write_report(save, report_of(shown[0], qrels=os.path.basename(qrels), observed=observed))
    for path, name in ((html, "html"), (markdown, "markdown")):
        if path is not None:
            _output.give(getattr(reports[name], noun)(shown, per_query=True, observed=observed), path)
    _output.give_report(reports[form], noun, shown, full, output, per_query=per_query, observed=observed)
    _output.name_files(form, output, html=html, markdown=markdown, saved=save)


def _refuse_idle() -> None:
    """UsageError for options about comparisons, where there is one system."""
    context = click.get_current_context()
    idle = [
        max(param.opts, key=len)
        for param in context.command.params
        if param.name in OF_COMPARISONS and context.get_parameter_source(param.name) is ParameterSource.COMMANDLINE
    ]
    if idle:
        raise UsageError(f"{', '.join(idle)}: for comparisons, and one file of calls was given. Add another.")


def _measured(
    qrels: str, paths: Sequence[str], measures: Sequence[str], choices: Mapping[str, Any]
) -> Evaluation | Comparison:
    """One system measured, or several compared."""
    from rankproof.measuring.prepare import prepare_qrels
    from rankproof.measuring.run_sources import name_of
    from rankproof.measuring.tasks import evaluate_tasks
    from rankproof.reading.calls import looks_like_calls, read_calls
    from rankproof.reading.naming import distinct_names

    try:
        judged = prepare_qrels(qrels, choices["qrels_format"])
    except InputError:
        if os.path.isfile(qrels) and looks_like_calls(qrels):
            raise UsageError(
                f"{qrels} holds calls, and the judgments come first: rankproof tasks QRELS {qrels}"
            ) from None
        raise
    names = distinct_names([name_of(path, path) for path in paths], paths)
    made = [
        evaluate_tasks(
            judged,
            read_calls(path, name=name, format=choices["calls_format"]),
            measures,
            level=choices["level"],
            depth=choices["depth"],
            name=name,
        )
        for name, path in zip(names, watched(paths, "reading"), strict=True)
    ]
    if len(made) == 1:
        return made[0]
    from rankproof.proving.compare import compare_evaluations

    comparison = compare_evaluations(
        made, from_options(Design, choices), queries=choices["queries"], by=tuple(choices["by"])
    )
    if choices["topics"] is None:
        return comparison
    from rankproof.reading.collect import read_topics

    topics = read_topics(choices["topics"])
    return replace(comparison, topics={task: topics[task] for task in comparison.query_ids if task in topics})
