"""Search with every mode of a benchmark, side by side."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import allowed, answer_options, refuse_outputs
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.reading.collection import Corpus, Query
    from rankproof.reading.datasets.records import Dataset
    from rankproof.stack.records import ModeOutcome

# A title is cut here, so that a line stays a line.
LONGEST = 56


@click.command("search")
@click.argument("config", type=click.Path())
@click.argument("query")
@click.option("--mode", "modes", multiple=True, help="Only this mode; may be repeated.")
@click.option("-n", "--number", type=click.IntRange(1), default=10, show_default=True, help="How many results to show.")
@click.option("--cache", type=click.Path(), help="The folder for what is expensive to make; beside CONFIG by default.")
@click.option("--fresh", is_flag=True, help="Forget the answers in the cache folder, and ask everything again.")
@allowed
@answer_options
def command(
    config: str,
    query: str,
    modes: Sequence[str],
    number: int,
    cache: str | None,
    fresh: bool,
    allow: tuple[str, ...],
    as_json: bool,
    output: str | None,
) -> None:
    """Answer QUERY with every mode of CONFIG. QUERY is words, or the id of a query of the dataset.

    \b
    rankproof search benchmark.toml "waterproof hiking boots"
    rankproof search benchmark.toml q012 --mode hybrid
    """
    if not query.strip():
        raise UsageError("The query is empty. Give it words, or the id of a query of the dataset.")
    refuse_outputs(output)
    from dataclasses import replace

    from rankproof.cli.shared import benchmarking
    from rankproof.stack.benchmark.config import read_config
    from rankproof.stack.benchmark.kept import kept_of

    read = replace(benchmarking.only(read_config(config), modes), allow=allow)
    chosen = {name: step for name, step in read.modes.items() if not modes or name in modes}
    read = replace(read, modes=chosen, depth=max(read.depth, number))
    dataset = benchmarking.dataset_of(read, judged=False)
    known = _query_of(dataset, query)
    if fresh:
        benchmarking.forget_answers(read, cache)
    with benchmarking.running(read, dataset, [known], cache) as runner:
        runner.open(list(chosen.values()))
        outcomes = {name: runner.run(name, step) for name, step in chosen.items()}
    observed = benchmarking.kept_answers(kept_of(outcomes))
    grades = dataset.qrels.get(known.query_id, {})
    if as_json:
        _output.give(_json(known, outcomes, grades, number, observed), output)
    else:
        _output.give(_table(known, outcomes, grades, dataset.corpus, number), output)


def _query_of(dataset: Dataset, query: str) -> Query:
    """A query of the dataset by its id or its text; else a new query with this text, for which nothing is judged."""
    from rankproof.reading.collection import Query

    for known in dataset.queries:
        if query in (known.query_id, known.text):
            return known
    return Query("", query)


def _table(
    query: Query, outcomes: Mapping[str, ModeOutcome], grades: Mapping[str, int], corpus: Corpus | None, number: int
) -> str:
    from rankproof.kernel.sections import aligned, printable

    lines = [f"{query.query_id}: {query.text}" if query.query_id else f"{query.text} (not a query of the dataset)"]
    for name, outcome in outcomes.items():
        took = float(outcome.milliseconds[0])
        days = ", ".join(day or "an unknown day" for step in outcome.steps for day in step.kept_days)
        time = (f"kept of {days}" if days else "no time") if math.isnan(took) else f"{took:.1f} ms"
        lines += ["", f"{name} ({time}): {outcome.pipeline.text}"]
        rows = [
            (str(rank), doc, _grade(grades, doc, query), _title(corpus, doc))
            for rank, doc in enumerate(outcome.rankings[0].doc_ids[:number], 1)
        ]
        lines += [f"  {line}" for line in aligned(rows, 4)] if rows else ["  nothing was found"]
        lines += [f"  failed: {failure.stage}: {failure.kind}: {failure.message}" for failure in outcome.failures]
    return "\n".join(map(printable, lines)) + "\n"


def _grade(grades: Mapping[str, int], doc: str, query: Query) -> str:
    if not query.query_id:
        return ""
    return f"grade {grades[doc]}" if doc in grades else "unjudged"


def _title(corpus: Corpus | None, doc: str) -> str:
    """The first words of the document, on one line."""
    if corpus is None or doc not in corpus.place:
        return ""
    flat = " ".join(corpus.texts(doc_ids=[doc])[0].split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 3]}..."


def _json(
    query: Query,
    outcomes: Mapping[str, ModeOutcome],
    grades: Mapping[str, int],
    number: int,
    observed: Mapping[str, object],
) -> str:
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.version import __version__

    document = {
        "rankproof": __version__,
        "schema": "search/1",
        "query": {"query_id": query.query_id or None, "text": query.text},
        "modes": [
            {
                "mode": name,
                "pipeline": outcome.pipeline.text,
                "results": [
                    {"doc_id": doc, "score": score, "grade": grades.get(doc)}
                    for doc, score in zip(
                        outcome.rankings[0].doc_ids[:number], outcome.rankings[0].scores.tolist(), strict=False
                    )
                ],
                "failures": [
                    {"stage": f.stage, "kind": f.kind, "message": f.message, "fallback": f.fallback}
                    for f in outcome.failures
                ],
            }
            for name, outcome in outcomes.items()
        ],
        "observed": {
            **observed,
            "milliseconds": {
                name: None if math.isnan(took := float(outcome.milliseconds[0])) else took
                for name, outcome in outcomes.items()
            },
        },
    }
    return to_json(document, indent=2) + "\n"
