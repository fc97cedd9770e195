"""Options of commands that ask a language model: which one, how it is asked, how hard; and the endpoint they make."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.shared.options import together
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint, ModelSurroundings
    from rankproof.kernel.llm.spending import Spending, TokenPrices


class FiniteRange(click.FloatRange):
    """A number between limits. NaN, which no limit stops, and infinities are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The number; refused where it is no finite one."""
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a finite number.", param, ctx)
        return number


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
        click.option("--temperature", type=FiniteRange(0), default=0.0, show_default=True, help="Randomness."),
        click.option("--body", metavar="JSON", help="Fields of every request to set otherwise; null leaves one out."),
        click.option("--concurrency", type=click.IntRange(1), default=4, show_default=True, help="Questions at once."),
        click.option("--rate", type=FiniteRange(0, min_open=True), help="Requests per second at most."),
        click.option(
            "--timeout", type=FiniteRange(0, min_open=True), default=60.0, show_default=True,
            help="Seconds that one answer may take.",
        ),
        click.option("--retries", type=click.IntRange(0), default=4, show_default=True, help="When no answer came."),
    ]
)  # fmt: skip

price_options = together(
    [
        click.option("--price-in", type=FiniteRange(0), help="Of a million tokens asked."),
        click.option("--price-out", type=FiniteRange(0), help="Of a million tokens answered."),
        click.option("--currency", default="", help="Of the prices."),
    ]
)


def body_of(text: str | None) -> dict[str, Any]:
    """The fields that --body sets."""
    if text is None:
        return {}
    try:
        read = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        read = None
    if not isinstance(read, dict):
        raise UsageError(f"--body must be a JSON object, such as '{{\"max_completion_tokens\": 500}}'; got {text:.60}")
    if {"messages", "prompt", "model", "stream"} & read.keys():
        raise UsageError(
            "--body may not set messages, prompt, model or stream: the command's own options and --model say these."
        )
    return read


def _refuse_constant(word: str) -> object:
    raise ValueError(f"JSON has no {word}")


def endpoint_of(
    who: str,
    options: Mapping[str, Any],
    surroundings: ModelSurroundings,
    seed: int = 0,
    spending: Spending | None = None,
) -> Endpoint:
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
        spending=spending,
    )


def prices_of(options: Mapping[str, Any]) -> TokenPrices | None:
    """The prices that were named; None where none was."""
    price_in, price_out = options["price_in"], options["price_out"]
    if price_in is None and price_out is None:
        if options["currency"]:
            raise UsageError("--currency needs a price: --price-in, --price-out or both.")
        return None
    from rankproof.kernel.llm.spending import TokenPrices

    return TokenPrices(price_in or 0.0, price_out or 0.0, options["currency"])


def money_text(amount: float, currency: str) -> str:
    """Two digits that count at least: nobody wants to read 0.00."""
    digits = 2 if amount >= 0.095 or amount == 0 else 4
    return f"{amount:,.{digits}f}{f' {currency}' if currency else ''}"
