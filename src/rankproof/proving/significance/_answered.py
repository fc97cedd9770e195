"""Tests of many columns together: those that cannot be tested are set aside, the others are taken in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer
from rankproof.proving.significance.contract import Differences, not_estimable

# The answers of some columns (by their place among the tested columns).
Some = Iterable[tuple[Sequence[int], Sequence[Answer]]]


def answered(differences: Differences, method: str, ask: Callable[[NDArray[np.float64]], Some]) -> list[Answer]:
    """An answer for each column; `ask` is given the columns that can be answered, and may give them in batches."""
    not_estimable_rows = [not_estimable(column, method) for column in differences.T]
    estimable = [i for i, why in enumerate(not_estimable_rows) if why is None]
    answers: dict[int, Answer] = {i: why for i, why in enumerate(not_estimable_rows) if why is not None}
    if estimable:
        for places, batch in ask(differences[:, estimable]):
            answers.update(zip((estimable[place] for place in places), batch, strict=True))
    return [answers[i] for i in range(len(not_estimable_rows))]
