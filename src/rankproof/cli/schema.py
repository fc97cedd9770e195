"""Print the JSON Schema of a document that rankproof writes."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.shared import output as _output
from rankproof.cli.shared.options import refuse_outputs
from rankproof.cli.shared.output import document


def _names(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    from click.shell_completion import CompletionItem

    from rankproof.kernel.schema_files import names

    return [CompletionItem(name) for name in names() if name.startswith(incomplete)]


@click.command("schema")
@click.argument("name", required=False, shell_complete=_names)
@click.option("--json", "as_json", is_flag=True, help="Give the list as JSON too; errors come as JSON too.")
@click.option("-o", "--output", type=click.Path(), help="Write to this file, whole or not at all.")
def command(name: str | None, as_json: bool, output: str | None) -> None:
    """Print the JSON Schema (2020-12) called NAME, such as comparison/1; without NAME, list all of them.

    A document names its schema in the field "schema". The schema printed stands alone: what it refers to is in it.

    \b
    rankproof schema
    rankproof schema comparison/1 -o comparison.schema.json
    """
    refuse_outputs(output)
    from rankproof.kernel.jsontext import to_json
    from rankproof.kernel.schema_files import bundled, names, schema

    if name is not None:
        _output.give(to_json(bundled(name), indent=2) + "\n", output)
        return
    descriptions = {known: str(schema(known)["description"]) for known in names()}
    if as_json:
        _output.give(document("schemas/1", {"schemas": descriptions}), output)
        return
    from rankproof.kernel.sections import aligned

    lines = [*aligned([[known, about] for known, about in descriptions.items()], 2), ""]
    _output.give("\n".join([*lines, "rankproof schema NAME prints one of them."]) + "\n", output)
