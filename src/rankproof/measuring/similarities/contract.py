"""Contract of the similarities shelf: Similarity, Pairing, and the reader of their names: `RBO(p=0.9)`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankproof.errors import UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import split_call
from rankproof.kernel.specs.kinds import OptionValues, Param
from rankproof.measuring.measures.contract import Cutoff, text_of
from rankproof.measuring.names import options_of, tokens

Ranking = Sequence[str]  # document ids, best first, none twice


@dataclass(frozen=True, slots=True, eq=False)
class Pairing:
    """A similarity with every parameter set. `str()` is its canonical text, which reads back to itself."""

    similarity: Similarity
    values: OptionValues
    at: float | int | None = None
    text: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", text_of(self.similarity, self.values, self.at))

    def __getitem__(self, param: str) -> Any:
        return self.values[param]

    @property
    def k(self) -> int | None:
        """The rank cutoff, or None for whole rankings."""
        return None if self.at is None else int(self.at)

    def __str__(self) -> str:
        return self.text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Pairing) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


@dataclass(frozen=True, slots=True, eq=False)
class Similarity:
    """One item of the shelf. `page` is the module's docstring: range, undefined, source, example.

    compare    the value of two rankings of one query; None where the page says it is undefined
    cutoff     "none", "optional" or "required" rank cutoff
    symmetric  whether both rankings can change places
    spellings  everyday names that mean this similarity with default parameters, matched without case
    """

    name: str
    page: str
    compare: Callable[[Ranking, Ranking, Pairing], float | None]
    params: tuple[Param, ...] = ()
    cutoff: Cutoff = "none"
    symmetric: bool = True
    low: float = 0.0
    high: float = 1.0
    spellings: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]

    def pairing(self, at: float | int | None = None, **values: Any) -> Pairing:
        """This similarity with the given parameters and defaults for the rest."""
        return Pairing(self, {p.name: values.get(p.name, p.default) for p in self.params}, at)


def parse(text: str) -> tuple[Pairing, ...]:
    """The pairings that a text names; each once, in the order of the text."""
    pairings = dict.fromkeys(read(token) for token in tokens(text))
    if not pairings:
        raise UsageError("No similarity was named. Name one or more, such as: RBO Jaccard@10")
    return tuple(pairings)


def read(token: str) -> Pairing:
    """The pairing of one token."""
    call = split_call(token)
    if call is None:
        name = re.split(r"[(@]", token)[0] or token
        raise shelf.unknown("similarities", name, shelf.everything("similarities"))
    item = by_name(call.name)
    return Pairing(item, *options_of(item, call, token))


def by_name(name: str) -> Similarity:
    """The similarity with this name or everyday spelling."""
    items: dict[str, Similarity] = dict(shelf.offered("similarities"))
    if name in items:
        return items[name]
    folded = name.casefold().replace("-", "_")
    for item in items.values():
        if folded in {spelling.casefold() for spelling in (item.name, *item.spellings)}:
            return item
    similarity: Similarity = shelf.find("similarities", name)
    return similarity
