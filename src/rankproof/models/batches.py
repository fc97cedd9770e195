"""Batches: texts with the same number of tokens together, so that nothing is padded and no text bends another.

Small batches are the fastest on a processor: what a layer makes of 512 tokens stays in its cache. Batches and not
operations are spread over threads: no thread waits for another within a layer, and how many there are changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.models.tokens import Tokenized

TOKENS = 512
ALONE = 1  # each text by itself


def batches(texts: Sequence[Tokenized], tokens: int) -> Iterator[tuple[list[int], NDArray[np.int64]]]:
    """Places of texts, and their tokens, texts x tokens; longest texts first."""
    turn = sorted(range(len(texts)), key=lambda i: -len(texts[i].numbers))
    for length, alike in groupby(turn, key=lambda i: len(texts[i].numbers)):
        places = list(alike)
        most = max(1, tokens // max(1, length))
        for at in range(0, len(places), most):
            some = places[at : at + most]
            yield some, np.stack([texts[i].numbers for i in some])


def processors() -> int:
    """How many this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed is not None else os.cpu_count() or 1


def spread(
    work: Callable[[NDArray[np.int64]], Any], texts: Sequence[Tokenized], threads: int, tokens: int = TOKENS
) -> Iterator[tuple[list[int], Any]]:
    """What `work` gives for each batch of at most so many tokens, with the places of its texts."""
    cut = list(batches(texts, tokens))
    if threads == 1 or len(cut) == 1:
        yield from ((places, work(tokens)) for places, tokens in cut)
        return
    with ThreadPoolExecutor(threads) as pool:
        yield from zip([places for places, _ in cut], pool.map(work, [tokens for _, tokens in cut]), strict=True)
