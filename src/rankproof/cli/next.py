"""Say which documents to judge next to settle a comparison."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.collapsing import collapse_options
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import Measures, ShelfName, chosen_form, columns, refuse_outputs, refuse_second_stdin
from rankproof.cli.shared.output import document, watched
from rankproof.errors import UsageError
from rankproof.kernel.sections import aligned, number, printable
from rankproof.proving.holes.bounds import Bound, Proposal

if TYPE_CHECKING:
    from rankproof.proving.holes.bounds import Proposal


DEFAULT_MEASURE = "DCG@10"


@click.command("next", cls=long_help("measures", "number", "pool", "topics", "form", "as_json", "output"))
@click.argument("qrels", type=click.Path())
@click.argument("runs", metavar="BASELINE CANDIDATE...", nargs=-1, required=True, type=click.Path())
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    type=Measures(),
    help=f"The measure whose difference is to be settled, in any accepted spelling. Default: {DEFAULT_MEASURE}.",
)
@click.option(
    "-n",
    "--number",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="How many pairs to list.",
)
@click.option(
    "--pool",
    type=click.Path(),
    help="Further documents that could be relevant: a run, qrels, or columns with query and document.",
)
@click.option("--topics", type=click.Path(), help="The queries' texts, to show beside their ids.")
@click.option("--top-grade", type=click.IntRange(1), help="The best grade of the scale; that of QRELS otherwise.")
@click.option("-M", "--depth", type=click.IntRange(1), help="Measure only the first DEPTH documents of each ranking.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "tsv", "json"]),
    help="table, to read (the default); tsv, to judge: a line per pair with an empty column for its grade, which "
    "reads as qrels once filled; or json.",
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
@click.option(
    "--order",
    type=click.Choice(["score", "rank", "given"]),
    help="What puts documents in order; scores by default where there are any.",
)
@click.option("--lower-is-better", is_flag=True, help="Scores are distances: the least comes first.")
@collapse_options()
@click.option("--drop-self", is_flag=True, help="Remove a document whose id is the query's own.")
@click.option("--allow", metavar="CODE", multiple=True, type=ShelfName("checks"), help="Go on in spite of this fault.")
@columns
@click.option("--qrels-format", type=ShelfName("formats", "qrels"), help="The format of QRELS; detected otherwise.")
@click.option("--run-format", type=ShelfName("formats", "run"), help="The format of every run; detected otherwise.")
def command(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    number: int,
    topics: str | None,
    form: str | None,
    as_json: bool,
    output: str | None,
    **choices: Any,
) -> None:
    """List the unjudged documents whose judgment would settle most whether each CANDIDATE differs from BASELINE.

    \b
    rankproof next qrels.trec bm25.run dense.run
    rankproof next qrels.trec bm25.run dense.run -m nDCG@10 -n 100 --format tsv -o tojudge.tsv
    """
    form = chosen_form(form, as_json)
    refuse_second_stdin([qrels, *runs, choices["pool"], topics])
    refuse_outputs(output)
    began = time.perf_counter()
    proposal, texts = propose_files(qrels, runs, measures, number, topics, choices)

    if form == "json":
        text = proposal_json(proposal, texts, time.perf_counter() - began)
    else:
        text = to_judge(proposal, texts) if form == "tsv" else to_read(proposal, texts)
    _output.give(text, output)


def propose_files(
    qrels: str,
    runs: Sequence[str],
    measures: Sequence[str],
    number: int,
    topics: str | None,
    choices: dict[str, Any],
) -> tuple[Proposal, dict[str, str]]:
    """What to judge next, and the queries' texts where topics name them; `choices` are the other options."""
    if len(runs) < 2:
        raise UsageError("Give two runs or more: the baseline, and what is compared with it.")
    return _propose(qrels, runs, " ".join(measures) or DEFAULT_MEASURE, number, choices), _texts(topics)


def _propose(qrels: str, runs: Sequence[str], measure: str, number: int, choices: dict[str, Any]) -> Proposal:
    from rankproof.measuring.prepare import join_run, prepare_qrels
    from rankproof.measuring.run_sources import settle_reading
    from rankproof.proving.next import propose
    from rankproof.reading.collect import named_columns
    from rankproof.reading.naming import distinct_names
    from rankproof.reading.pool_groups import documents_of

    allow = choices["allow"]
    names = ("order", "lower_is_better", "collapse", "unmapped", "collapse_qrels", "drop_self")
    reading = {name: choices[name] for name in names}
    reading |= named_columns(choices["columns"], qrels, runs)
    judged = prepare_qrels(qrels, choices["qrels_format"], allow, **settle_reading(reading))
    if not len(judged.judgments.query_ids):
        raise UsageError(
            f"{qrels} has no judgment, and without any no pair is worth more than another. To begin with, judge the "
            "first few documents of each run for every query."
        )
    prepared = [
        join_run(judged, run, format=choices["run_format"], allow=allow, **reading) for run in watched(runs, "reading")
    ]
    for run, name in zip(prepared, distinct_names([run.name for run in prepared], runs), strict=True):
        run.name = name
    pool = choices["pool"]
    return propose(
        judged, prepared, measure, number,
        pool=None if pool is None else documents_of(pool),
        depth=choices["depth"], top_grade=choices["top_grade"],
    )  # fmt: skip


def _texts(topics: str | None) -> dict[str, str]:
    if topics is None:
        return {}
    from rankproof.reading.collect import read_topics

    return dict(read_topics(topics))


SCHEMA = "next/1"
LONGEST = 60  # of a query's text in the table


def to_read(proposal: Proposal, texts: Mapping[str, str]) -> str:
    """The pairs in order, and what they are to settle below them."""
    lines = []
    if proposal.wanted:
        rows = [["", "query_id", "doc_id", "best rank", "worth"]]
        for place, pair in enumerate(proposal.wanted, 1):
            number_of = str(place).rjust(len(str(len(proposal.wanted))))
            rows.append([number_of, pair.query_id, pair.doc_id, str(pair.best_rank or "-"), f"{pair.worth:.5f}"])
        lines = aligned(rows, 3)
        if texts:
            shown = ["query", *(_short(texts.get(pair.query_id, "")) for pair in proposal.wanted)]
            lines = [f"{line}  {printable(text)}".rstrip() for line, text in zip(lines, shown, strict=True)]
        lines.append("")
    return "\n".join([*lines, *map(printable, _notes(proposal))]) + "\n"


def _notes(proposal: Proposal) -> list[str]:
    baseline, notes = proposal.systems[0], []
    for system, value, bound, settled in zip(
        proposal.systems[1:], proposal.values[1:], proposal.differences, proposal.settled, strict=True
    ):
        sign = f"its sign is {'certain' if settled else 'not certain'}"
        notes.append(
            f"{system} - {baseline}: {proposal.measure} {value - proposal.values[0]:+.4f} now, between "
            f"{number(bound.least)} "
            f"and {number(bound.greatest)} under all grades; {sign}"
        )
    if all(proposal.settled):
        notes.append("every sign is certain: these judgments would make the bounds narrower, and change no sign")
    if not proposal.useful:
        notes.append("nothing to judge: no unjudged document was found to move a difference")
    elif proposal.useful > len(proposal.wanted):
        more = proposal.useful - len(proposal.wanted)
        notes.append(f"{more:,} more {'is' if more == 1 else 'are'} worth judging; -n lists them")
    notes.append("worth: how far the judgment is expected to move the bound that decides the sign, toward a decision")
    notes.append(f"universe: {proposal.universe}")
    return notes


def to_judge(proposal: Proposal, texts: Mapping[str, str]) -> str:
    """Tab-separated, with a header that reads as qrels, and an empty column for the grade."""
    from rankproof.reading.formats.tsv import protect

    lines = ["\t".join(["query_id", "doc_id", "grade", *(["query"] if texts else [])])]
    for pair in proposal.wanted:
        text = [" ".join(texts.get(pair.query_id, "").split())] if texts else []
        lines.append("\t".join([*protect([pair.query_id, pair.doc_id]), "", *text]))
    return "\n".join(lines) + "\n"


def proposal_json(proposal: Proposal, texts: Mapping[str, str], seconds: float) -> str:
    """The whole answer, for programs."""
    body = {
        "measure": proposal.measure,
        "baseline": proposal.systems[0],
        "universe": proposal.universe,
        "documents": proposal.documents,
        "useful": proposal.useful,
        "values": {name: _finite(value) for name, value in zip(proposal.systems, proposal.values, strict=True)},
        "differences": [
            {"candidate": name, "difference": _finite(value - proposal.values[0]), **_bound(bound), "settled": settled}
            for name, value, bound, settled in zip(
                proposal.systems[1:], proposal.values[1:], proposal.differences, proposal.settled, strict=True
            )
        ],
        "wanted": [
            {
                "query_id": pair.query_id,
                "doc_id": pair.doc_id,
                "worth": pair.worth,
                "best_rank": pair.best_rank or None,
                **({"query": texts.get(pair.query_id)} if texts else {}),
            }
            for pair in proposal.wanted
        ],
    }
    return document(SCHEMA, body, seconds)


def _bound(bound: Bound) -> dict[str, object]:
    return {
        "least": _finite(bound.least),
        "greatest": _finite(bound.greatest),
        "exact": bound.exact,
        "note": bound.note,
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3].rstrip()}..."
