"""Sorting by a model that names the best of a few passages: the first k of a list, and the most questions it can take.

A list of passages is their places in the incoming order, from 0. `best` is given some of them and says which is the
best; where it cannot say, it gives the first of them. With a `best` that never errs the first k come out exactly.

heapsort    a heap in which each passage has `children` below it: build it, take the first out, sift the last one down.
            `best` is shown a passage and its children in their incoming order, so one that cannot say keeps that order
bubblesort  k passes from the back to the front, each over windows of `size` passages that share one: the best of a
            window goes to its front, and the others keep their order

source: Zhuang et al., A setwise approach for effective and highly efficient zero-shot ranking with large language
        models, SIGIR 2024 (both sorts with sets); Qin et al., Large language models are effective text rankers with
        pairwise ranking prompting, Findings of NAACL 2024 (both with pairs)
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache

Best = Callable[[Sequence[int]], Awaitable[int]]


async def heapsort(count: int, k: int, children: int, best: Best) -> list[int]:
    """The first k, best first, and the others after them in their incoming order."""
    heap = list(range(count))

    async def sift(size: int, at: int) -> None:
        while below := _below(at, size, children):
            members = sorted(heap[place] for place in (at, *below))
            top = heap.index(await best(members))
            if top == at:
                return
            heap[at], heap[top] = heap[top], heap[at]
            at = top

    for at in reversed(range(count)):
        await sift(count, at)
    first = []
    for size in reversed(range(max(count - k, 0), count)):
        first.append(heap[0])
        heap[0], heap[size] = heap[size], heap[0]
        if len(first) < k:
            await sift(size, 0)
    return _with_rest(first, count)


async def bubblesort(count: int, k: int, size: int, best: Best) -> list[int]:
    """The first k, best first, and the others after them in their incoming order."""
    places = list(range(count))
    for top in range(min(k, count - 1)):
        for start, end in _windows(count, top, size):
            window = places[start:end]
            winner = await best(window)
            places[start:end] = [winner, *(place for place in window if place != winner)]
    return _with_rest(places[:k], count)


def _below(at: int, size: int, children: int) -> range:
    """The places right below one in a heap of this size."""
    return range(min(children * at + 1, size), min(children * (at + 1) + 1, size))


def _windows(count: int, top: int, size: int) -> list[tuple[int, int]]:
    """The spans of a pass whose winner goes to `top`, from the back to the front; each begins where the last ends."""
    spans, end = [], count
    while end - top > 1:
        spans.append((max(top, end - size), end))
        end = spans[-1][0] + 1
    return spans


def _with_rest(first: list[int], count: int) -> list[int]:
    taken = set(first)
    return [*first, *(place for place in range(count) if place not in taken)]


@lru_cache
def most_of_heapsort(count: int, k: int, children: int, pairs: bool) -> int:
    """The most questions: every sift goes all the way down where it costs most.

    With `pairs` a node with c children takes 2 c questions, both orders of c pairs; else one.
    """

    def deepest(size: int) -> list[int]:
        costs = [0] * size
        for at in reversed(range(size)):
            if below := _below(at, size, children):
                costs[at] = (2 * len(below) if pairs else 1) + max(costs[place] for place in below)
        return costs

    out = range(max(count - k, 0) + 1, count)
    return sum(deepest(count)) + sum(deepest(size)[0] for size in out)


@lru_cache
def most_of_bubblesort(count: int, k: int, size: int, pairs: bool) -> int:
    """The most questions: no pass meets a window that was asked before."""
    windows = sum(len(_windows(count, top, size)) for top in range(min(k, count - 1)))
    return 2 * windows if pairs else windows
