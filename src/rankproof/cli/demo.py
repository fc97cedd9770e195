"""See a search stack benchmarked rung by rung on the bundled sample, from BM25 to a small local language model."""

from __future__ import annotations

import click

from rankproof.cli import _output

SCHEMA = "demo/1"


@click.command("demo")
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="demo-report",
    show_default=True,
    help="The folder for runs, reports and what is dear to make.",
)
@click.option("--cache", type=click.Path(), help="Another folder for what is dear to make.")
@click.option("--without-llm", is_flag=True, help="Leave out the language model, which takes most of the time.")
@click.option("--json", "as_json", is_flag=True, help="Give JSON, for programs; errors come as JSON too.")
def command(output: str, cache: str | None, without_llm: bool, as_json: bool) -> None:
    """Run BM25, vectors, their fusion, a MaxSim rerank and a language model's rerank on a made-up shop.

    It takes one or two minutes on two cores and needs no network. A second run uses what the first one kept. A mode
    whose library or weights are not installed is left out, with the line that installs them.

    \b
    rankproof demo
    rankproof demo --without-llm -o quick-report
    """
    from rankproof.cli._ladder import climb

    climbed = climb(output, cache, llm=not without_llm)
    if as_json:
        from rankproof.cli._document import document

        body = {
            "verdict": None if climbed.benchmark.advice is None else climbed.benchmark.advice.to_dict(),
            "left_out": dict(climbed.left_out),
            "report": climbed.report,
            "config": climbed.config,
        }
        _output.say(document(SCHEMA, body, climbed.seconds))
        return
    from rankproof.cli._demo_text import shown

    _output.say(shown(climbed))
