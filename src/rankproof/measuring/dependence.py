"""How a value depends on grades: the basis of bounds over unjudged documents.

A measure that names one of these kinds says enough about its formula for the least and greatest value over all grades
to be found without trying them all. A measure that names none is still bounded: by trying all grades where they are
few, and by its range otherwise.

The kinds are named tuples: every command makes these classes at its start, and a dataclass takes six times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Ranks = NDArray[Any]
Weight = Callable[[Ranks, Ranks], Numbers]  # of ranks, and of how many documents their rankings hold
Gain = Callable[[Ranks], Numbers]  # of grades
# The documents whose grades matter: all of them, those in the ranking, or those in its first k.
Reach = Literal["all", "retrieved", "within"]


class Linear(NamedTuple):
    """A sum of weight(rank) x gain(grade) over documents, and something that no grade changes.

    elsewhere   the weight of a document that the ranking does not have
    """

    weight: Weight
    gain: Gain
    elsewhere: float = 0.0


class Best(NamedTuple):
    """The greatest weight(rank) of any relevant document; 0 without one."""

    weight: Weight
    rel: int


class Share(NamedTuple):
    """Relevant documents in the first k, over divisor(R), where R is how many are relevant in all.

    The divisor is never below R x (divisor's step from R to R + 1), as in R, min(R, k) and a + b R: one more relevant
    document in the first k never lowers the value.
    """

    k: int | None
    rel: int
    divisor: Callable[[Numbers], Numbers]


class OverIdeal(NamedTuple):
    """Discounted gain of the first k, over that of the best order of all documents, cut at `ideal_k`.

    retrieved   the ideal is made of the ranking's own documents only
    """

    k: int | None
    ideal_k: int | None
    gain: Gain
    discount: Callable[[Ranks], Numbers]
    retrieved: bool = False


class PrecisionSum(NamedTuple):
    """A function of s, the sum of precisions at the relevant ranks up to k: value(s, hits within k, R).

    It rises with s and falls with R. `reach` is "within" when R plays no part; `ratio` says that the value is s over
    a divisor that only R decides.
    """

    k: int | None
    rel: int
    value: Callable[[Numbers, Numbers, Numbers], Numbers]
    reach: Reach = "all"
    ratio: bool = True


class Ordered(NamedTuple):
    """Grades count as relevant or not, and two documents of which the relevant one stands lower, when they change
    places, never lower the value (`falls`: never raise it). A document that is not in the ranking stands lowest.

    thins   one more relevant document that is not in the ranking never raises the value
    """

    rel: int
    reach: Reach = "all"
    falls: bool = False
    thins: bool = False


class Cut(NamedTuple):
    """Relevant documents in the first cut(R), over cut(R), where R is how many are relevant in all."""

    rel: int
    cut: Callable[[NDArray[np.int64]], NDArray[np.int64]]


class Rising(NamedTuple):
    """A better grade never lowers the value; or, with `ideal`, value x ideal, where the ideal rises too."""

    ideal: Callable[[Any, Any], Numbers] | None = None


class Fixed(NamedTuple):
    """The value does not depend on grades. `why` completes the sentence "it ..."."""

    why: str


Dependence = Linear | Best | Share | OverIdeal | PrecisionSum | Ordered | Cut | Rising | Fixed


def is_relevant(rel: int) -> Gain:
    """1 for grades that count as relevant, 0 for others."""
    return lambda grade: (grade >= rel).astype(np.float64)


def first(k: int | None) -> Weight:
    """1 for each of the first k ranks."""
    return lambda rank, retrieved: np.ones(len(rank)) if k is None else (rank <= k).astype(np.float64)


def fixed(why: str) -> Callable[[object], Fixed]:
    """Every variant of a measure is fixed, for the same reason."""
    return lambda variant: Fixed(why)
