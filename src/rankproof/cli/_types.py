"""Kinds of option values that know the live shelves: they complete, list and check names from there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

from rankproof import shelf
from rankproof.errors import UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    _Text = click.ParamType[str]
else:
    _Text = click.ParamType

# What a report can hold, with its article.
_A = {"evaluation": "an evaluation", "comparison": "a comparison", "verdict": "a verdict", "benchmark": "a benchmark"}
# Cutoffs offered when completing a measure that takes one.
USUAL_CUTOFFS = (5, 10, 20, 100, 1000)


class ShelfName(_Text):
    """The name of an item on a shelf. `holds` keeps to formats and reports that can hold a noun."""

    def __init__(self, shelf_name: str, holds: str | None = None) -> None:
        self.shelf_name, self.holds = shelf_name, holds
        self.name = shelf.KINDS[shelf_name]

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name itself, once the shelf knows it; an error that names its neighbors otherwise."""
        item = shelf.find(self.shelf_name, value)
        if self.shelf_name == "reports" and self.holds is not None and self.holds not in item.holds:
            raise UsageError(
                f"The report {value} cannot show {_A[self.holds]}; it shows: {', '.join(item.holds)}. "
                f"Possible here: {', '.join(self._names())}."
            )
        return value

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:
        """The names in the help: read when help is asked for."""
        names = self._names()
        return f"[{'|'.join(names)}]" if len(names) <= 8 else self.name.upper()

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        return _items(self._names(), incomplete)

    def _names(self) -> list[str]:
        items = shelf.everything(self.shelf_name)
        return [name for name, item in items.items() if self.holds is None or self.holds in item.holds]


class Measures(_Text):
    """One or more measures in any accepted spelling; read where they are used."""

    name = "measures"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The text as typed."""
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Completes the last measure of the text, with usual cutoffs."""
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
        return _items([before + offer for offer in offers], incomplete)


def _items(names: Iterable[str], incomplete: str) -> list[CompletionItem]:
    from click.shell_completion import CompletionItem

    begun = incomplete.casefold()
    return [CompletionItem(name) for name in dict.fromkeys(names) if name.casefold().startswith(begun)]


def any_name(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Every name on every shelf that begins so."""
    names = (name for kind in shelf.KINDS for name in shelf.everything(kind))
    return _items(names, incomplete)
