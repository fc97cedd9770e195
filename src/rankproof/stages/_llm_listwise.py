"""Listwise: windows of passages, put in order by the model, from the back of the list to its front."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rankproof.stages._llm_answer import Answer, NoAnswer

if TYPE_CHECKING:
    from rankproof.stages._llm_endpoint import Endpoint

SYSTEM = "You are an assistant that ranks passages by how relevant they are to a query."
_NUMBER = re.compile(r"\[\s*(\d{1,9})\s*\]")
_BARE = re.compile(r"\s*\d{1,9}(\s*>\s*\d{1,9})*\s*\Z")


def windows(depth: int, window: int, step: int) -> Iterator[tuple[int, int]]:
    """The spans to order, back to front: the best of one reach the next, which begins `step` further to the front."""
    end = depth
    while end > 0:
        start = max(0, end - window)
        yield start, end
        if start == 0:
            return
        end -= step


def prompt(query: str, passages: Sequence[str]) -> str:
    """What the model is asked of one window."""
    count = len(passages)
    listed = "\n".join(f"[{number}] {passage}" for number, passage in enumerate(passages, 1))
    return (
        f"I will give you {count} passages, each with a number in brackets. Rank them by their relevance to the query: "
        f"{query}\n\n{listed}\n\nQuery: {query}\nRank the {count} passages above by their relevance to the query, the "
        "most relevant first. Name every passage once. Answer with the numbers only, such as [2] > [1] > [3]."
    )


def enough_tokens(window: int) -> int:
    """What a whole list of a window takes: "[12] > " is five tokens at most, and some room."""
    return 6 * window + 16


def read_order(answer: Answer, count: int) -> tuple[list[int], list[NoAnswer]]:
    """The passages in the order named, from 0, and what is wrong with the answer.

    Those that are not named come after the named ones, in their incoming order; a number that names no passage, or one
    that was named before, moves nothing.
    """
    numbers = [int(number) for number in _NUMBER.findall(answer.text)]
    if not numbers and _BARE.match(answer.text):
        numbers = [int(number) for number in answer.text.split(">")]
    known = [number - 1 for number in numbers if 1 <= number <= count]
    named = list(dict.fromkeys(known))
    rest = [place for place in range(count) if place not in set(named)]
    cut = answer.finish == "length"
    wrong = []
    if cut:
        wrong.append(NoAnswer("cut off", f"the answer ended before the list did: {_glimpse(answer.text)}"))
    elif not answer.text.strip():
        wrong.append(NoAnswer("empty answer", "the answer is empty"))
    elif not numbers:
        wrong.append(NoAnswer("unreadable answer", f"the answer names no passage: {_glimpse(answer.text)}"))
    elif rest:
        wrong.append(NoAnswer("missing ids", f"{len(rest)} of {count} passages are not named: {_few(rest)}"))
    unknown = [number - 1 for number in numbers if not 1 <= number <= count]
    if unknown:
        wrong.append(NoAnswer("unknown ids", f"there are {count} passages; named were also {_few(unknown)}"))
    if len(known) > len(named):
        twice = [place for place in named if known.count(place) > 1]
        wrong.append(NoAnswer("repeated ids", f"named more than once: {_few(twice)}"))
    return named + rest, wrong


async def order(
    endpoint: Endpoint, query: str, passages: Sequence[str], window: int, step: int
) -> tuple[list[int], list[NoAnswer], bool]:
    """The passages of a query in the model's order, what failed, and whether all answers were kept from before."""
    turn = list(range(len(passages)))
    wrong: list[NoAnswer] = []
    kept = True
    for start, end in windows(len(passages), window, step):
        span = turn[start:end]
        answer = await endpoint.ask(SYSTEM, prompt(query, [passages[i] for i in span]), enough_tokens(len(span)))
        where = f"window {start + 1}-{end}"
        if isinstance(answer, NoAnswer):
            wrong.append(NoAnswer(answer.kind, f"{where}: {answer.message}"))
            kept = False
            continue
        places, faults = read_order(answer, len(span))
        wrong += [NoAnswer(fault.kind, f"{where}: {fault.message}") for fault in faults]
        turn[start:end] = [span[place] for place in places]
        kept = kept and answer.kept
    return turn, wrong, kept


def _few(places: Sequence[int]) -> str:
    shown = ", ".join(f"[{place + 1}]" for place in places[:5])
    return shown if len(places) <= 5 else f"{shown} and {len(places) - 5} more"


def _glimpse(text: str) -> str:
    flat = " ".join(text.split())
    return repr(flat if len(flat) <= 60 else f"{flat[:60]}...")
