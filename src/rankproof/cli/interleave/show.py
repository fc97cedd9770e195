"""What a server would show: the list of one key, or of every key in a file, as it would log them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.interleave.shared import making, recipe_of
from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import answer_options, refuse_outputs
from rankproof.cli.shared.output import document
from rankproof.errors import InputError, UsageError

if TYPE_CHECKING:
    from rankproof.online.interleaving.records import InterleavedList
    from rankproof.online.interleaving.show import ListRecipe

SCHEMA = "interleaved/1"


@click.command("show")
@click.argument("query", metavar="[QUERY]", required=False)
@making
@click.option("--key", help="The key of the page: the session and the query, as the server writes it.")
@click.option(
    "--keys", type=click.Path(), help="A table of pages with the columns key and query_id, and unit if there is one."
)
@answer_options
def command(
    query: str | None,
    runs: Sequence[str],
    method: str,
    depth: int,
    experiment: str,
    key: str | None,
    keys: str | None,
    as_json: bool,
    output: str | None,
) -> None:
    """Show the list that the page of a QUERY id has under a key. The same key always gives the same list.

    With --keys, every page of a table, as JSON lines: the log a server would have written.

    \b
    rankproof interleave show 7 --run bm25.run --run hybrid.run --key "session 1, query 7"
    rankproof interleave show --run bm25.run --run hybrid.run --keys pages.csv -o shown.jsonl
    """
    refuse_outputs(output)
    if keys is not None:
        if query is not None or key is not None:
            raise UsageError("--keys has queries and keys of its own. Leave QUERY and --key out.")
        recipe = recipe_of(runs, method, depth, experiment)
        lines = _lines(keys, recipe)
        if as_json:
            _output.give(document(SCHEMA, {"lists": list(lines)}), output)
        else:
            _give_lines(lines, output)
        return
    if query is None or key is None:
        raise UsageError("Give a QUERY and its --key, or --keys with a table of both.")
    recipe = recipe_of(runs, method, depth, experiment, (query,))
    shown = recipe.made(key, query)
    if shown is None:
        raise InputError(f"No run ranks anything for query {query!r}. Check the query's id.")
    if as_json:
        text = document(SCHEMA, {"lists": [_logged(None, key, query, shown)]})
    else:
        from rankproof.cli.interleave.shared import shown_list

        text = shown_list(shown)
    _output.give(text, output)


def _lines(path: str, recipe: ListRecipe) -> Iterator[dict[str, Any]]:
    from rankproof.reading.row_batches import stream

    for batch in stream(path, ("key", "query_id"), ("unit",)):
        units = batch.texts("unit") if batch.has("unit") and any(batch.values("unit")) else [None] * len(batch)
        pages = zip(units, batch.texts("key"), batch.texts("query_id"), strict=True)
        for row, (unit, key, query) in enumerate(pages):
            shown = recipe.made(key, query)
            if shown is None:
                raise InputError(
                    f"{batch.where(row)}: no run ranks anything for query {query!r}. Leave the row out, or add it to "
                    "a run."
                )
            yield _logged(unit, key, query, shown)


def _logged(unit: str | None, key: str, query: str, shown: InterleavedList) -> dict[str, Any]:
    """A page as a server logs it."""
    return {**({} if unit is None else {"unit": unit}), "key": key, "query_id": query, "shown": shown.to_dict()}


def _give_lines(lines: Iterator[dict[str, Any]], output: str | None) -> None:
    from rankproof.kernel.atomic import replace_file
    from rankproof.kernel.jsontext import to_json

    if output is None or output == "-":
        for line in lines:
            _output.say(to_json(line) + "\n")
    else:
        replace_file(output, ((to_json(line) + "\n").encode() for line in lines))
