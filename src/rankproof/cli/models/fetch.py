"""Fetch a model's weights, checked, with its card and licenses."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankproof.cli.shared import output
from rankproof.cli.shared.output import document, note, ticking


@click.command("fetch")
@click.argument("name")
@click.option(
    "--from",
    "source",
    help="A folder, a zip or jar file, its address, group:artifact:version, org/name of a model hub, or 'hub'.",
)
@click.option("--folder", type=click.Path(), help="Where models lie; RANKPROOF_MODELS or the user's data folder.")
@click.option("--sha256", "accepted", multiple=True, help="Accept a file with this hash; may be repeated.")
@click.option("--card", type=click.Path(), help="The model card to use, where none is known.")
@click.option("--repository", help="Address of a Maven repository; RANKPROOF_MAVEN_REPOSITORY says the same.")
@click.option("--timeout", type=click.FloatRange(0.1, 3600), default=30.0, help="Seconds to wait for an answer.")
@click.option("--replace", is_flag=True, help="Put it in the place of what is there.")
@click.option("--json", "as_json", is_flag=True, help="Write a JSON document.")
def command(
    name: str,
    source: str | None,
    folder: str | None,
    accepted: Sequence[str],
    card: str | None,
    repository: str | None,
    timeout: float,
    replace: bool,
    as_json: bool,
) -> None:
    """Fetch the model NAME into the folder of models, whole and checked, or not at all.

    \b
    rankproof models fetch e5-small-v2
    rankproof models fetch my-model --from org/name --sha256 HASH --sha256 HASH
    """
    from rankproof.cli.models.shown import body
    from rankproof.stack.models.fetch import ListedModel, fetch_model
    from rankproof.stack.models.sources import FetchOptions

    with ticking() as progress:
        options = FetchOptions(timeout, repository, progress)
        fetched = fetch_model(
            name, source, folder=folder, accepted=accepted, card_file=card, replace_it=replace, options=options
        )
    if as_json:
        model = body(ListedModel(name, fetched.card, fetched.folder))
        output.say(document("model-fetch/1", {"new": fetched.new, "notes": list(fetched.notes), "model": model}))
        return
    for text in fetched.notes:
        note(text)
    word = "fetched" if fetched.new else "is there already, and whole"
    output.say(f"{name} {word}: {fetched.folder}\nUse it: dense(model='{name}')\n")
