"""What a shell offers when somebody presses the tab key: names of items, and measures with usual cutoffs."""

from __future__ import annotations

from collections.abc import Iterable

import click
from click.shell_completion import CompletionItem

from rankproof.kernel import shelf

# Cutoffs offered when completing a measure that takes one.
USUAL_CUTOFFS = (5, 10, 20, 100, 1000)


def items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The names that begin so, each once."""
    begun = incomplete.casefold()
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.casefold().startswith(begun)]


def any_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Every name on every shelf, and every concept, that begins so."""
    from rankproof.kernel.concepts import CONCEPTS

    names = [name for kind in shelf.KINDS for name in shelf.everything(kind)]
    return items([*names, *(concept.name for concept in CONCEPTS)], incomplete)


def measure_items(incomplete: str) -> list[CompletionItem]:
    """Completes the last measure of a text, with usual cutoffs."""
    place = max(incomplete.rfind(" "), incomplete.rfind(",")) + 1
    before, begun = incomplete[:place], incomplete[place:]
    offers: list[str] = []
    for name, measure in shelf.everything("measures").items():
        for word in (name, *measure.spellings):
            if measure.cutoff in ("none", "optional"):
                offers.append(word)
            if measure.cutoff in ("required", "optional") and begun.casefold().startswith(word.casefold()):
                offers += [f"{word}@{k}" for k in USUAL_CUTOFFS]
            elif measure.cutoff == "required":
                offers.append(f"{word}@")
    return items([before + offer for offer in offers], incomplete)
