"""Measure chunks as ranges of text, and compare chunkers."""

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
from rankproof.cli.shared.options import ShelfName, chosen_form, from_options, refuse_outputs, refuse_second_stdin
from rankproof.cli.shared.output import watched
from rankproof.errors import UsageError
from rankproof.proving.records import Design
from rankproof.reading.finding import Finding

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation
    from rankproof.measuring.spans.evaluate import TokenOffsets
    from rankproof.measuring.spans.measures.contract import SpanVariant
    from rankproof.measuring.spans.records import GoldSpans, RetrievedChunks
    from rankproof.proving.records import Comparison

# A budget of text is the same for every chunker; ranks are not.
DEFAULT = {"chars": "@4000chars", "tokens": "@1000tokens"}
MEASURED = ("SpanRecall", "SpanPrecision", "SpanIoU")
WORDS = "words"
OF_COMPARISONS = (
    "baseline", "primary", "significance", "correction", "confidence", "resamples", "seed", "all_pairs", "equivalence",
    "non_inferiority", "topics", "queries", "by", "weights", "strata", "clusters",
)  # fmt: skip
OVERLAPS = "0.1,0.25,0.5,0.75,1"


@click.command(
    "spans",
    cls=long_help(
        "measures", "overlap", "span_unit", "texts", "tokens", "whole", "baseline", "full", "form", "as_json", "output",
        "html",
    ),
)  # fmt: skip
@click.argument("gold", type=click.Path())
@click.argument("chunks", metavar="CHUNKS...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measures",
    multiple=True,
    help="What to measure, such as SpanRecall@5 or SpanIoU@4000chars; may be repeated. Default: "
    f"{', '.join(MEASURED)} {DEFAULT['chars']}, in tokens {DEFAULT['tokens']}.",
)
@click.option(
    "--unit",
    "span_unit",
    type=click.Choice(["chars", "tokens"]),
    default="chars",
    show_default=True,
    help="What the offsets in the files count.",
)
@click.option(
    "--texts", type=click.Path(), help="The documents, JSON lines with an id and a text: ends are held against them."
)
@click.option(
    "--tokens",
    metavar="words|PATTERN",
    help="With --texts: measure in tokens, the matches of a regular expression; words: words and single marks.",
)
@click.option("--whole", is_flag=True, help="Leave out the chunk that crosses a budget, instead of cutting it there.")
@click.option(
    "--overlap",
    metavar="SHARES",
    help=f"How much of a gold span is enough: SpanFound at each of these thresholds, such as {OVERLAPS}.",
)
@click.option("--baseline", metavar="CHUNKS", help="The baseline, by its path or name; the first file otherwise.")
@click.option(
    "--primary",
    type=click.Choice(["first", "all"]),
    default="first",
    show_default=True,
    help="Which measures decide: the first, with the others secondary to it, or all in one family of tests.",
)
@options.design
@options.queries
@click.option("-q", "--per-query", is_flag=True, help="Show each query's values too.")
@_output.full_option
@click.option(
    "--format", "form", type=ShelfName("reports", "evaluation"), help="The form of the answer; table by default."
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option("--html", type=click.Path(), help="Write the HTML report to this file too.")
@click.option("--markdown", type=click.Path(), help="Write the Markdown report to this file too.")
@click.option("--save", type=click.Path(), help="Keep the report of one system in this file, for `compare --saved`.")
def command(
    gold: str,
    chunks: Sequence[str],
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
    """Measure CHUNKS against GOLD, both ranges of text: JSON lines, CSV or TSV with query_id, doc_id, start and end.

    One file of chunks gives an evaluation. Several are compared, the first being the baseline: as chunkers at the same
    budget of text, such as @4000chars.

    \b
    rankproof spans gold.jsonl chunks.jsonl -m "SpanRecall@5 SpanIoU@4000chars"
    rankproof spans gold.csv short.csv long.csv --overlap 0.25,0.5,0.75 --html chunkers.html
    rankproof spans gold.jsonl a.jsonl b.jsonl --texts docs.jsonl --tokens words -m SpanRecall@1000tokens
    """
    form = chosen_form(form, as_json)
    refuse_outputs(output, html, markdown, save)
    refuse_second_stdin([gold, *chunks, choices["texts"]])
    if save is not None and len(chunks) > 1:
        raise UsageError(f"--save keeps the report of one system; {len(chunks)} were given. Save them one by one.")
    if choices["baseline"] is not None:
        from rankproof.cli.shared.given import baseline_first

        chunks = baseline_first(chunks, choices["baseline"])
    if len(chunks) == 1:
        _refuse_idle()
    from rankproof.kernel import shelf

    noun: Literal["render", "comparison"] = "render" if len(chunks) == 1 else "comparison"
    reports = {name: shelf.find("reports", name) for name in (form, "html", "markdown")}
    if noun == "comparison" and "comparison" not in reports[form].holds:
        raise UsageError(f"The report {form} cannot show a comparison, and {len(chunks)} files of chunks were given.")
    began = time.perf_counter()
    answer = _measured(gold, chunks, measures, choices)
    observed = {"seconds": round(time.perf_counter() - began, 6)}
    shown: Any = [answer] if noun == "render" else answer
    if save is not None:
        _keep(save, shown[0], gold, observed)
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
        raise UsageError(f"{', '.join(idle)}: for comparisons, and one file of chunks was given. Add another.")


def _measured(
    gold: str, paths: Sequence[str], names: Sequence[str], choices: Mapping[str, Any]
) -> Evaluation | Comparison:
    """One system measured, or several compared."""
    from rankproof.measuring.run_sources import name_of
    from rankproof.measuring.spans.read import read_chunks, read_gold
    from rankproof.reading.naming import distinct_names

    texts, tokens = _texts(choices["texts"], choices["tokens"], choices["span_unit"])
    unit = "chars" if choices["span_unit"] == "chars" and tokens is None else "tokens"
    variants = _variants(names or [f"{name}{DEFAULT[unit]}" for name in MEASURED], choices["whole"])
    thresholds = _thresholds(choices["overlap"])
    found = _found(variants)
    if thresholds and len(paths) == 1:
        variants = (*variants, *(v for v in _at(found, thresholds) if v not in variants))
    lengths = None if texts is None else {doc: len(text) for doc, text in texts.items()}
    reading: dict[str, Any] = {"unit": choices["span_unit"]}
    judged = read_gold(gold, lengths, **reading)
    numbers = [f"chunks {number}" for number in range(1, len(paths) + 1)]  # for one file that is given twice
    called = distinct_names([name_of(path, path) for path in paths], paths, numbers)
    systems = {
        name: read_chunks(path, lengths, **reading)
        for name, path in zip(called, watched(paths, "reading"), strict=True)
    }
    made = [_evaluation(judged, each, variants, tokens, name, choices) for name, each in systems.items()]
    if len(made) == 1:
        return made[0]
    from rankproof.proving.compare import compare_evaluations

    design = from_options(Design, choices)
    comparison = compare_evaluations(made, design, queries=choices["queries"], by=tuple(choices["by"]))
    if thresholds:
        from rankproof.proving.span_thresholds import threshold_sensitivity

        how = {**reading, "tokens": tokens}
        overlaps = threshold_sensitivity(
            judged, systems, str(found), thresholds=thresholds, design=replace(design, all_pairs=False), **how
        )
        comparison = replace(comparison, overlaps=overlaps)
    return _with_topics(comparison, choices["topics"])


def _evaluation(
    gold: GoldSpans,
    chunks: RetrievedChunks,
    variants: Sequence[SpanVariant],
    tokens: TokenOffsets | None,
    name: str,
    choices: Mapping[str, Any],
) -> Evaluation:
    """One system, with a warning where its chunks stand there twice."""
    from rankproof.kernel.sections import counted
    from rankproof.measuring.spans.evaluate import evaluate
    from rankproof.measuring.spans.records import repeated_chunks

    evaluation = evaluate(gold, chunks, variants, unit=choices["span_unit"], tokens=tokens, name=name)
    again, query = repeated_chunks(chunks)
    if not again:
        return evaluation
    warning = Finding(
        "repeated_chunk",
        "warning",
        chunks.name,
        f"{counted(again, 'chunk')} of {len(chunks):,} stand twice for a query, such as {query!r:.80}: each is read, "
        "and paid for, twice.",
        "Check that the file was not written twice.",
    )
    return replace(evaluation, findings=(*evaluation.findings, warning))


def _texts(path: str | None, tokens: str | None, unit: str) -> tuple[Mapping[str, str] | None, TokenOffsets | None]:
    """The documents, and where their tokens start."""
    if tokens is not None and unit == "tokens":
        raise UsageError("--unit tokens says that offsets are tokens already. Leave out --tokens, or --unit.")
    if tokens is not None and path is None:
        raise UsageError("--tokens counts the tokens of the documents, which --texts FILE has. Add it.")
    if path is None:
        return None, None
    if unit == "tokens":
        raise UsageError("--texts checks offsets in characters, and these are tokens. Leave it out.")
    from rankproof.measuring.spans.evaluate import WORDS as PATTERN
    from rankproof.measuring.spans.evaluate import TokenOffsets, read_texts

    texts = read_texts(path)
    return texts, None if tokens is None else TokenOffsets(texts, PATTERN if tokens == WORDS else tokens)


def _variants(names: Sequence[str], whole: bool) -> tuple[SpanVariant, ...]:
    """The measures, with the chunk that crosses a budget left out where that was asked for."""
    from rankproof.measuring.spans.measures.contract import SpanVariant, parse

    variants = parse(names)
    if not whole:
        return variants
    if all(variant.budget is None for variant in variants):
        raise UsageError("--whole is about the chunk that crosses a budget, and no measure has one: add @4000chars.")
    return tuple(v if v.budget is None else SpanVariant(v.measure, {**v.values, "whole": True}, v.at) for v in variants)


def _thresholds(text: str | None) -> tuple[float, ...]:
    if text is None:
        return ()
    try:
        return tuple(float(piece) for piece in text.split(","))
    except ValueError:
        raise UsageError(f"--overlap is shares of a gold span, such as {OVERLAPS}; got {text!r:.60}.") from None


def _found(variants: Sequence[SpanVariant]) -> SpanVariant:
    """The measure whose threshold is varied: the first that has one, or SpanFound at the first measure's cutoff."""
    from rankproof.measuring.spans.measures.contract import SpanVariant, read

    plain, first = read("SpanFound"), variants[0]
    shared = {name: value for name, value in first.values.items() if name in plain.values}
    other = SpanVariant(plain.measure, {**plain.values, **shared}, first.at)
    return next((variant for variant in variants if "overlap" in variant.values), other)


def _at(variant: SpanVariant, thresholds: Sequence[float]) -> tuple[SpanVariant, ...]:
    from rankproof.proving.span_thresholds import at_thresholds

    return tuple(at_thresholds(variant, thresholds).values())


def _with_topics(comparison: Comparison, path: str | None) -> Comparison:
    if path is None:
        return comparison
    from rankproof.reading.collect import read_topics

    topics = read_topics(path)
    return replace(comparison, topics={query: topics[query] for query in comparison.query_ids if query in topics})


def _keep(path: str, evaluation: Evaluation, gold: str, observed: Mapping[str, float]) -> None:
    """Writes the report of one system, which `rankproof compare --saved` takes."""
    from rankproof.measuring.report import report_of, write_report

    write_report(path, report_of(evaluation, qrels=os.path.basename(gold), observed=observed))
