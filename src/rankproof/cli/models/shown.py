"""List models, and show one."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from rankproof.cli.shared import output
from rankproof.cli.shared.output import document

if TYPE_CHECKING:
    from rankproof.stack.models.fetch import ListedModel

_folder = click.option(
    "--folder", type=click.Path(), help="Where models lie; RANKPROOF_MODELS or the user's data folder."
)
_json = click.option("--json", "as_json", is_flag=True, help="Write a JSON document.")


def state(model: ListedModel) -> str:
    """In one word."""
    return "damaged" if model.fault else "fetched" if model.folder else "not fetched"


def body(model: ListedModel) -> dict[str, object]:
    """A model in a document."""
    card = None if model.card is None else asdict(model.card)
    return {"name": model.name, "state": state(model), "folder": model.folder, "fault": model.fault, "card": card}


@click.command("list")
@_folder
@_json
def list(folder: str | None, as_json: bool) -> None:
    """List the models that have a card, and those that were fetched."""
    from rankproof.kernel.sections import aligned, printable
    from rankproof.stack.models.cards import models_folder
    from rankproof.stack.models.fetch import listed_models

    models = listed_models(folder)
    if as_json:
        output.say(document("models/1", {"folder": models_folder(folder), "models": [body(model) for model in models]}))
        return
    rows = [["name", "state", "dimensions", "length", "license"]]
    for model in models:
        card = model.card
        values = ["", "", ""] if card is None else [str(card.dimensions), str(card.length), card.license]
        rows.append([model.name, state(model), *values])
    faults = [printable(f"{model.name}: {model.fault}") for model in models if model.fault]
    output.say("\n".join([*aligned(rows, 2), *faults]) + "\n")


@click.command("show")
@click.argument("name")
@_folder
@click.option("--card", "only_card", is_flag=True, help="Print card.json, to begin one of your own with.")
@_json
def show(name: str, folder: str | None, only_card: bool, as_json: bool) -> None:
    """Show the card of the model NAME: prefixes, pooling, length, license, source, hashes.

    For a model that was fetched the text of its license follows.
    """
    from rankproof.errors import InputError
    from rankproof.kernel.sections import printable
    from rankproof.stack.models.fetch import listed_model
    from rankproof.stack.models.licenses import license_text

    model = listed_model(name, folder)
    text = None if model.folder is None else license_text(model.folder)
    if as_json:
        output.say(document("model/1", {"model": body(model), "license_text": text}))
        return
    if model.card is None:
        raise InputError(model.fault or f"{name} has no card.")
    if only_card:
        output.say(model.card.text())
        return
    lines = [f"{model.name}: {state(model)}", *([model.fault] if model.fault else [])]
    values = {key: value for key, value in asdict(model.card).items() if key not in ("name", "files")}
    lines += [f"  {key:<16} {value!r}" for key, value in values.items()]
    lines += [f"  {file:<16} {digits}" for file, digits in model.card.files.items()]
    if text is not None:
        lines += ["", *text.splitlines()]
    elif model.folder is not None:
        lines += [
            "",
            f"No text of the license came with the files. See {model.card.source or 'its authors'}.",
        ]
    output.say("\n".join(map(printable, lines)) + "\n")
