"""`rankproof dataset draft`: test queries drafted by a model from a corpus, checked, and handed to people."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.model_options import FiniteRange, model_options, price_options
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import Measures, together
from rankproof.cli.shared.output import document
from rankproof.cli.shared.root import Interrupted

SCHEMA = "drafting/1"
_share = FiniteRange(0, 1)
_limit = FiniteRange(0, 1, min_open=True)

_what = together(
    [
        click.option(
            "-o", "--out", "folder", required=True, metavar="FOLDER", type=click.Path(),
            help="The folder of the drafts and of the answers on record.",
        ),
        click.option("-n", "--queries", type=click.IntRange(1), help="How many. Default: 50."),
        click.option("--several", type=_share, default=0.2, show_default=True, help="Share about several documents."),
        click.option(
            "--documents", type=click.IntRange(2, 10), default=2, show_default=True, help="How many these show."
        ),
        click.option(
            "--unanswerable", type=_share, default=0.1, show_default=True, help="The share that nothing should answer."
        ),
        click.option(
            "--strata", default="length", show_default=True, help="By length, field:NAME, cluster:NUMBER."
        ),
        click.option(
            "--style", type=click.Choice(["question", "keywords"]), default="question", show_default=True,
            help="What queries look like.",
        ),
        click.option("--about", default="", metavar="TEXT", help="What the collection is and who searches it."),
        click.option(
            "--field", "fields", metavar="NAME", multiple=True, help="Keep this field of documents; repeatable."
        ),
        click.option(
            "--characters", type=click.IntRange(1), default=4000, show_default=True, help="Of a document shown."
        ),
        click.option("--tokens", type=click.IntRange(1), default=200, show_default=True, help="Of an answer at most."),
        click.option("--topics", type=click.Path(), help="Topics that are there already: nearly the same are marked."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of everything drawn."),
    ]
)  # fmt: skip
_limits = together(
    [
        click.option(
            "--near-words", type=_limit, default=0.8, show_default=True, help="Duplicate: share of content words."
        ),
        click.option(
            "--near-characters", type=_limit, default=0.85, show_default=True, help="Duplicate: share of trigrams."
        ),
        click.option(
            "--copied", type=_limit, default=0.85, show_default=True, help="Copied: share of its source's words."
        ),
        click.option("--run-of-words", type=click.IntRange(2), default=6, show_default=True, help="Copied: in a row."),
        click.option(
            "--covered", type=_limit, default=0.5, show_default=True,
            help="Answerable after all: content words in one document.",
        ),
        click.option("--longest", type=click.IntRange(1), default=40, show_default=True, help="Words of a query."),
    ]
)  # fmt: skip
_ceiling = together(
    [
        click.option("--max-requests", type=click.IntRange(0), help="Send no more, over all commands into FOLDER."),
        click.option("--max-cost", type=FiniteRange(0), help="Spend no more, over all commands; needs prices."),
    ]
)
_people = together(
    [
        click.option("--store", metavar="STORE", help="Put accepted drafts into this judging store, unjudged."),
        click.option("-p", "--project", metavar="NAME", help="The project; made where the store has none."),
        click.option(
            "--scale", type=click.Choice(["binary", "graded", "esci"]), default="graded", show_default=True,
            help="The scale of a project that is made.",
        ),
        click.option(
            "--leave-unanswered", is_flag=True,
            help="Put them there although questions have no answer.",
        ),
        click.option(
            "--candidates", type=click.IntRange(1, 100), default=10, show_default=True,
            help="Documents to judge for each query, its sources among them.",
        ),
    ]
)  # fmt: skip
_enough = together(
    [
        click.option(
            "--detect",
            type=FiniteRange(0, min_open=True),
            metavar="X",
            help="Say how many accepted queries show a difference of X.",
        ),
        click.option(
            "--sd",
            type=FiniteRange(0, min_open=True),
            help="The standard deviation of paired differences, from elsewhere.",
        ),
        click.option("--qrels", type=click.Path(), help="Judgments that the spread is measured with."),
        click.option("--run", "runs", multiple=True, type=click.Path(), help="A run that it is measured on; give two."),
        click.option("-m", "--measure", type=Measures(), default="nDCG@10", show_default=True, help="Of what."),
        click.option(
            "--power",
            type=FiniteRange(0, 1, min_open=True, max_open=True),
            default=0.8,
            show_default=True,
            help="How surely it is to be found.",
        ),
    ]
)


@click.command(
    "draft",
    cls=long_help(
        "folder", "queries", "endpoint", "model", "several", "unanswerable", "strata", "topics", "detect", "store",
        "dry_run", "as_json",
        headings={
            "What is drafted": (
                "documents", "style", "about", "fields", "characters", "tokens", "seed",
            ),
            "What is marked": ("near_words", "near_characters", "copied", "run_of_words", "covered", "longest"),
            "Judging": ("project", "scale", "candidates", "leave_unanswered"),
            "How many decide": ("sd", "qrels", "runs", "measure", "power"),
            "Cost": ("max_requests", "max_cost", "price_in", "price_out", "currency"),
            "Requests": ("api", "key_env", "temperature", "body", "concurrency", "rate", "timeout", "retries"),
        },
    ),
)  # fmt: skip
@click.argument("corpus", type=click.Path())
@_what
@model_options
@_ceiling
@price_options
@_limits
@_people
@_enough
@click.option("--dry-run", is_flag=True, help="Ask nothing: plan, estimate tokens, show a prompt.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(corpus: str, as_json: bool, **choices: Any) -> int:
    """Draft test queries from CORPUS with a language model, mark what is wrong with them, and hand them to people.

    CORPUS is a file of documents (JSON lines, or tab-separated), a folder with one, or a dataset. FOLDER gets
    drafts.jsonl, with every draft and why it is not accepted, and answers.jsonl, with what the model said. A draft is
    never gold: it becomes a test query when people have judged documents for it.

    Every answer is on record before the next question goes out: a command that was stopped goes on where it was, and
    other limits mark the same answers anew.

    Exit status: 0 drafted, and some accepted; 1 some questions have no answer (without --leave-unanswered), or no draft
    was accepted; 2 wrong usage.

    \b
    rankproof dataset draft corpus.jsonl -o drafts --endpoint https://api.example.org/v1 --model small --dry-run
    rankproof dataset draft corpus.jsonl -o drafts --max-requests 500 --max-cost 2 --price-in 0.15 --price-out 0.6
    rankproof dataset draft corpus.jsonl -o drafts -n 200 --detect 0.02 --sd 0.25 --store judging.db --project drafts
    """
    from rankproof.cli.dataset.draft_text import drafting_text, planned_text
    from rankproof.cli.dataset.drafting import DraftingWork

    began = time.perf_counter()
    work = DraftingWork(corpus, choices)
    if choices["dry_run"]:
        body = work.plan_document()
        _output.give(document(SCHEMA, body) if as_json else planned_text(body), None)
        return 0
    try:
        body = work.draft()
    except KeyboardInterrupt:
        raise Interrupted("Interrupted; answers so far are on record. The same command goes on.") from None
    seconds = time.perf_counter() - began
    _output.give(document(SCHEMA, body, seconds) if as_json else drafting_text(body), None)
    return status(body, choices["leave_unanswered"])


def status(body: Mapping[str, Any], leave: bool) -> int:
    """1 where questions stay open that are not to be left, or where not one draft was accepted."""
    counts = body["drafts"]
    return int(bool(counts["unanswered"] and not leave) or not counts["accepted"])
