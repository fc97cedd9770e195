"""Fitting: click models learned on some pages, scored on others, and which of them fits best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from rankproof import shelf
from rankproof.clickmodels._contract import Fitted
from rankproof.errors import InputError, UsageError
from rankproof.flow.calls import read_call
from rankproof.flow.clicks.scoring import Score, score
from rankproof.records.ground import Progress, silent
from rankproof.records.impressions import Impressions

# What is numbered to be parted into even and odd.
Split = Literal["pages", "sessions"]


@dataclass(frozen=True, slots=True, eq=False)
class Tried:
    """A model as it was asked for, what it learned, and its score on the pages that were held out."""

    text: str
    fitted: Fitted
    held_out: Score


@dataclass(frozen=True, slots=True, eq=False)
class Fits:
    """Models tried on the same pages, in the order asked. `best` foretold the held-out clicks best."""

    training: int
    testing: int
    tried: tuple[Tried, ...]

    @property
    def best(self) -> Tried:
        """By log-likelihood, which weighs all that happened on a page; the first of equals."""
        return max(self.tried, key=lambda one: one.held_out.log_likelihood)


def even_and_odd(pages: Impressions, by: Split = "pages") -> tuple[Impressions, Impressions]:
    """The pages of even numbers, to learn from, and those of odd numbers, to test on. Numbers are from 0.

    by   "sessions" to go by the numbers of sessions, so that no user is in both parts
    """
    if by == "sessions" and pages.sessions is None:
        raise UsageError("The log names no sessions: it cannot be parted by them. Hold out pages instead.")
    numbers = pages.numbers if pages.sessions is None or by == "pages" else pages.sessions
    even = numbers % 2 == 0
    if even.all() or not even.any():
        raise InputError(f"{len(pages)} pages, all of them even or all odd: there is nothing to hold out. Read more.")
    return pages.take(even), pages.take(~even)


def fit_models(
    pages: Impressions, models: Sequence[str] = (), by: Split = "pages", progress: Progress = silent
) -> Fits:
    """Models by name or call, such as `user_browsing(passes=20)`, on even pages and odd; all of them by default."""
    asked = [read_call("clickmodels", text) for text in models or shelf.everything("clickmodels")]
    texts = [call.text for call in asked]
    for text in texts:
        if texts.count(text) > 1:
            raise UsageError(f"The click model {text} is asked for twice. Name it once.")
    train, test = even_and_odd(pages, by)
    tried = []
    for done, call in enumerate(asked):
        progress("fitting model", done, len(asked))
        fitted: Fitted = call.item.fit(train, call.values)
        tried.append(Tried(call.text, fitted, score(fitted, test)))
    return Fits(len(train), len(test), tuple(tried))
