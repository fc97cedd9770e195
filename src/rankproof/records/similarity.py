"""Similarity of two runs: one number per query and their mean, with the queries that have none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Likeness:
    """The values of one similarity on two runs.

    `mean` is over the queries in `by_query`, and None when there are none. `undefined` are queries that
    both runs answer and the similarity has no value for; `only_a` and `only_b` are answered by one run only
    and compared with nothing.
    """

    text: str
    mean: float | None
    by_query: Mapping[str, float]
    undefined: tuple[str, ...] = ()
    only_a: tuple[str, ...] = ()
    only_b: tuple[str, ...] = ()
