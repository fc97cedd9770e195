"""Options of commands that ask a language model: which one, how it is asked, how hard; and the endpoint they make."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.options import together
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint, ModelSurroundings

# What an endpoint reads of them.
_OF_ENDPOINT = ("endpoint", "model", "api", "key_env", "temperature", "timeout", "retries", "concurrency")

model_options = together(
    [
        click.option("--endpoint", default="local", show_default=True, help="Address up to /v1, or local for SmolLM2."),
        click.option("--model", help="The model's name at the endpoint; with local, a GGUF file or nothing."),
        click.option(
            "--api", type=click.Choice(["chat", "completions"]), default="chat", show_default=True, help="Interface."
        ),
        click.option("--key-env", metavar="VARIABLE", help="The environment variable that has the key."),
        click.option("--temperature", type=click.FloatRange(0), default=0.0, show_default=True, help="Randomness."),
        click.option("--body", metavar="JSON", help="Fields of every request to set otherwise; null leaves one out."),
        click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True, help="Questions at once."),
        click.option("--rate", type=click.FloatRange(0, min_open=True), help="Requests per second at most."),
        click.option(
            "--timeout", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True,
            help="Seconds that one answer may take.",
        ),
        click.option("--retries", type=click.IntRange(0), default=4, show_default=True, help="When no answer came."),
    ]
)  # fmt: skip


def body_of(text: str | None) -> dict[str, Any]:
    """The fields that --body sets."""
    if text is None:
        return {}
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise UsageError(f"--body must be a JSON object, such as '{{\"max_completion_tokens\": 500}}'; got {text:.60}")
    if {"messages", "prompt", "model", "stream"} & read.keys():
        raise UsageError(
            "--body may not set messages, prompt, model or stream: the command's own options and --model say these."
        )
    return read


def endpoint_of(who: str, options: Mapping[str, Any], surroundings: ModelSurroundings, seed: int = 0) -> Endpoint:
    """The endpoint that the options name; nothing is sent yet."""
    from rankproof.kernel.llm.endpoint import Endpoint

    values = {**{name: options[name] for name in _OF_ENDPOINT}, "seed": seed}
    return Endpoint(
        who,
        values,
        surroundings,
        rate=options["rate"],
        more=body_of(options["body"]),
        spelled=lambda name: f"--{name.replace('_', '-')} NAME",
        extra="judge",
    )
