"""Listwise: windows of numbered passages, and the order that the model writes down for each.

source: Sun et al., Is ChatGPT good at search?, EMNLP 2023 (permutations, sliding windows)
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from rankproof.kernel.llm.answer import ModelAnswer, NoAnswer
from rankproof.kernel.llm.whole import declined
from rankproof.kernel.sections import some
from rankproof.stack.records import Values
from rankproof.stack.stages._llm_questions import NOT_ASKED, AnswerTally, JudgedHead, glimpse, shown

if TYPE_CHECKING:
    from rankproof.kernel.llm.endpoint import Endpoint

SYSTEM = "You are an assistant that ranks passages by how relevant they are to a query."
_NUMBER = re.compile(r"\[\s*(\d{1,9})\s*\]")
_BARE = re.compile(r"\s*\d{1,9}(\s*>\s*\d{1,9})*\s*\Z")


class Listwise:
    """The method. A pass goes over all windows; one that moves nothing is the last."""

    def __init__(self, values: Values) -> None:
        self._window, self._step, self._passes = values["window"], values["step"], values["passes"]

    def most(self, passages: int) -> int:
        """One for each window of each pass."""
        return len(list(windows(passages, self._window, self._step))) * int(self._passes)

    def judge(self, endpoint: Endpoint, query: str, docs: Sequence[tuple[str, str]], tally: AnswerTally) -> JudgedHead:
        """Points are places in the order that comes out."""
        texts = [text for _, text in docs]
        order = list(range(len(texts)))
        wrong: list[NoAnswer] = []
        kept = bool(texts)
        for number in range(self._passes):
            before, several = list(order), f"pass {number + 1}, " if self._passes > 1 else ""
            question = self._pass(endpoint, query, texts, order, tally)
            ((faults, all_kept),) = endpoint.together([question])
            wrong += [NoAnswer(fault.kind, several + fault.message) for fault in faults]
            kept = kept and all_kept
            if order == before or any(fault.kind == NOT_ASKED for fault in faults):
                break
        points = {place: float(len(order) - i) for i, place in enumerate(order)}
        return JudgedHead({} if order == sorted(order) else points, wrong, kept)

    async def _pass(
        self, endpoint: Endpoint, query: str, texts: Sequence[str], order: list[int], tally: AnswerTally
    ) -> tuple[list[NoAnswer], bool]:
        """Orders the passages, window by window: what failed, and whether all answers were kept from before."""
        wrong: list[NoAnswer] = []
        kept = True
        for start, end in windows(len(texts), self._window, self._step):
            span = order[start:end]
            asked = listwise_prompt(query, [texts[i] for i in span])
            answer = await endpoint.ask(SYSTEM, asked, enough_tokens(len(span)))
            tally.asked += 1
            where = f"window {start + 1}-{end}"
            if isinstance(answer, NoAnswer):
                wrong.append(NoAnswer(answer.kind, f"{where}: {answer.message}"))
                kept = False
                continue
            places, faults = read_order(answer, len(span))
            wrong += [NoAnswer(fault.kind, f"{where}: {fault.message}") for fault in faults]
            order[start:end] = [span[place] for place in places]
            kept = kept and answer.kept
        return wrong, kept


def windows(depth: int, window: int, step: int) -> Iterator[tuple[int, int]]:
    """The spans to order, back to front: the best of one reach the next, which begins `step` further to the front.

    >>> list(windows(10, 4, 2))
    [(6, 10), (4, 8), (2, 6), (0, 4)]
    """
    end = depth
    while end > 0:
        start = max(0, end - window)
        yield start, end
        if start == 0:
            return
        end -= step


def listwise_prompt(query: str, passages: Sequence[str]) -> str:
    """What the model is asked of one window. A number in brackets is ours alone: in a passage it gets round ones."""
    count = len(passages)
    query = shown(query)
    texts = [_NUMBER.sub(r"(\1)", shown(passage)) for passage in passages]
    listed = "\n".join(f"[{number}] {text}" for number, text in enumerate(texts, 1))
    return (
        f"I will give you {count} passages, each with a number in brackets. Rank them by their relevance to the query: "
        f"{query}\n\n{listed}\n\nQuery: {query}\nRank the {count} passages above by their relevance to the query, the "
        "most relevant first. Name every passage once. Answer with the numbers only, such as [2] > [1] > [3]."
    )


def enough_tokens(window: int) -> int:
    """What a whole list of a window takes: "[12] > " is five tokens at most, and some room."""
    return 6 * window + 16


def read_order(answer: ModelAnswer, count: int) -> tuple[list[int], list[NoAnswer]]:
    """The passages in the order named, from 0, and what is wrong with the answer.

    Those that are not named come after the named ones, in their incoming order; a number that names no passage, or one
    that was named before, moves nothing. A refusal moves nothing, whatever it names.
    """
    if declined(answer) is not None:
        return list(range(count)), [NoAnswer("refusal", f"the model refused: {glimpse(answer.text)}")]
    numbers = [int(number) for number in _NUMBER.findall(answer.text)]
    if not numbers and _BARE.match(answer.text):
        numbers = [int(number) for number in answer.text.split(">")]
    known = [number - 1 for number in numbers if 1 <= number <= count]
    named = list(dict.fromkeys(known))
    rest = [place for place in range(count) if place not in set(named)]
    cut = answer.finish == "length"
    wrong = []
    if cut:
        wrong.append(NoAnswer("cut off", f"the answer ended before the list did: {glimpse(answer.text)}"))
    elif not answer.text.strip():
        wrong.append(NoAnswer("empty answer", "the answer is empty"))
    elif not numbers:
        wrong.append(NoAnswer("unreadable answer", f"the answer names no passage: {glimpse(answer.text)}"))
    elif rest:
        wrong.append(NoAnswer("missing ids", f"{len(rest)} of {count} passages are not named: {_few(rest)}"))
    unknown = [number - 1 for number in numbers if not 1 <= number <= count]
    if unknown:
        wrong.append(NoAnswer("unknown ids", f"there are {count} passages; named were also {_few(unknown)}"))
    if len(known) > len(named):
        twice = [place for place in named if known.count(place) > 1]
        wrong.append(NoAnswer("repeated ids", f"named more than once: {_few(twice)}"))
    return named + rest, wrong


def _few(places: Sequence[int]) -> str:
    return some([f"[{place + 1}]" for place in places])
