"""`rankproof judge run`: a model grades pairs of a project."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.judgments.store import chosen, opened, project_option
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.model_options import FiniteRange, model_options, price_options, prices_of
from rankproof.cli.shared.option_help import long_help
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.cli.shared.root import Interrupted

if TYPE_CHECKING:
    from rankproof.judging.models.records import ModelJudging

SCHEMA = "model-judging/1"
CACHE = ".rankproof-cache"

_WHICH = (
    click.option(
        "--pairs",
        default="unjudged",
        show_default=True,
        help="Which pairs: unjudged (by people, in the pool), pool, judged, assigned, or a selection such as "
        "'near_cutoff(k=10)'.",
    ),
    click.option("--list", "listing", type=click.Path(), help="The pairs of this file: a sheet, or qrels."),
    click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="How deep the pool goes."),
    click.option("--sample", type=click.IntRange(1), help="So many of these pairs, drawn at random."),
    click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the draw."),
    click.option("--repeat", type=click.IntRange(1), default=1, show_default=True, help="Ask so often, as NAME#2, ..."),
)
_MODEL = (
    click.option(
        "--judge",
        "kind",
        default="graded",
        show_default=True,
        help="The kind of question, with its parameters: graded, binary(by='logprob'), pairwise.",
    ),
    click.option("--as", "name", metavar="NAME", help="The judge's name in the store; how:model by default."),
    click.option("--characters", type=click.IntRange(1), default=4000, show_default=True, help="Of a document shown."),
)
_ASKING = (
    click.option("--cache", type=click.Path(), default=CACHE, show_default=True, help="The folder that keeps answers."),
    click.option("--dry-run", is_flag=True, help="Ask nothing: count pairs, estimate tokens and cost, show a prompt."),
)  # fmt: skip


_CEILING = (
    click.option("--max-calls", type=click.IntRange(0), help="Send no more requests, over all commands that say so."),
    click.option("--max-cost", type=FiniteRange(0), help="Spend no more, likewise; needs prices."),
)


def options(command: Any) -> Any:
    """The options that choose pairs, model and kind of question."""
    for option in reversed((*_MODEL, *_WHICH, *_ASKING, *_CEILING)):
        command = option(command)
    return model_options(price_options(command))


@click.command(
    "run",
    cls=long_help(
        "project", "kind", "endpoint", "model", "name", "pairs", "depth", "sample", "dry_run", "as_json", "output",
        headings={
            "Which pairs": ("listing", "seed", "repeat"),
            "Requests": (
                "api", "key_env", "temperature", "characters", "body", "concurrency", "rate", "timeout", "retries",
                "cache",
            ),
            "Cost": ("max_calls", "max_cost", "price_in", "price_out", "currency"),
        },
    ),
)  # fmt: skip
@click.argument("store")
@project_option
@options
@answer_options
def command(store: str, project: str | None, as_json: bool, output: str | None, **choices: Any) -> int:
    """Let a model judge pairs of a project in STORE, by any OpenAI-compatible endpoint.

    What cannot be read as a grade is a failure, stored with its text, never a grade. Every answer is in the store
    before the next question goes out: a run that was stopped goes on where it was, and one that was done asks nothing
    again. With --max-calls or --max-cost nothing goes out that could pass the ceiling.

    Exit status: 0 every question has an answer (failures are counted and shown); 1 some have none, or nothing could be
    graded; 2 wrong usage.

    \b
    rankproof judge run judging.db --endpoint https://api.example.org/v1 --model small --key-env API_KEY --dry-run
    rankproof judge run judging.db --endpoint https://api.example.org/v1 --model small --key-env API_KEY
    rankproof judge run judging.db --model small --max-cost 5 --price-in 0.15 --price-out 0.6
    rankproof judge run judging.db --judge "binary(by='logprob')" --pairs judged --sample 200
    """
    refuse_outputs(output)
    from rankproof.cli.judge.text import outcome_text, plan_text
    from rankproof.cli.judge.work import JudgeRunWork

    began = time.perf_counter()
    prices = prices_of(choices)
    with opened(store) as opened_store:
        work = JudgeRunWork(opened_store, chosen(opened_store, project), choices)
        if choices["dry_run"]:
            body = work.plan_document(prices)
            _output.give(document(SCHEMA, body) if as_json else plan_text(body), output)
            return 0
        try:
            outcome = work.ask(prices)
        except KeyboardInterrupt:
            raise Interrupted("Interrupted; answers so far are in the store. The same command goes on.") from None
        body = work.outcome_document(outcome, prices)
    seconds = time.perf_counter() - began
    _output.give(document(SCHEMA, body, seconds) if as_json else outcome_text(body), output)
    return status(outcome)


def status(outcome: ModelJudging) -> int:
    """1 where questions stay open, or where not one answer counts, now or before."""
    counts = outcome.judged + outcome.there - outcome.there_failed
    return int(bool(outcome.unanswered) or not counts)
