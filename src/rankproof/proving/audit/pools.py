"""The relevant documents that a query may have: a number, a range, any number, or grades.

Every way to have them is a tuple of grades, best first. Without grades each document has grade 1; what it is worth is
then left open (`bounds.py`). Any number is as many ways as the cutoffs can tell apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.errors import UsageError
from rankproof.measuring.measures.contract import Variant
from rankproof.proving.audit.claims import MeasureClaim, refuse_strange_gain

# Grades of a query's relevant documents, best first.
Grades = tuple[int, ...]
# Measures that do not change when a query has more relevant documents than the cutoff.
WITHOUT_TOTAL = ("DCG", "ERR", "P", "RBP", "RR", "Success")
MOST_RELEVANT = 10_000


@dataclass(frozen=True, slots=True)
class Pools:
    """The relevant documents a query may have, in one or several ways; `words` describes them for a reader."""

    ways: tuple[Grades, ...]
    words: str


def pools(claims: Sequence[MeasureClaim], relevant: str | None, grades: Sequence[str]) -> Pools:
    """From the options: a number or a range of relevant documents, or the grades of one or several pools.

    Without grades each way has as many documents of grade 1 as there are relevant ones: what they are worth is open.
    """
    if relevant is not None and grades:
        raise UsageError("--relevant and --grades say the same thing. Keep one of them.")
    pool_choices = _graded(grades) if grades else _counted(relevant) if relevant is not None else _any_number(claims)
    for claim in claims:
        refuse_strange_gain(claim.variant, [grade for way in pool_choices.ways for grade in way])
    return pool_choices


def _graded(texts: Sequence[str]) -> Pools:
    ways: dict[Grades, None] = {}
    for text in texts:
        try:
            numbers = [int(part) for part in text.replace(",", " ").split()]
        except ValueError:
            raise UsageError(f"Grades are whole numbers between commas, such as 3,2,1; got {text!r}.") from None
        if not numbers:
            raise UsageError("Grades are whole numbers between commas, such as 3,2,1; got none.")
        # Documents of grade 0 fill ranks as unjudged ones do: they make no difference to any measure here.
        ways[tuple(sorted((grade for grade in numbers if grade > 0), reverse=True))] = None
    written = " or ".join(f"{', '.join(map(str, way)) or 'none above 0'}" for way in ways)
    return Pools(tuple(ways), f"relevant documents, of grades {written}")


def _counted(text: str) -> Pools:
    match = re.fullmatch(r"(\d+)(?:-(\d+))?", text.strip())
    if match is None:
        raise UsageError(f"--relevant takes a number or a range, such as 5 or 1-8; got {text!r}.")
    least, most = int(match[1]), int(match[2] or match[1])
    if most < least or most > MOST_RELEVANT:
        raise UsageError(f"--relevant takes a number up to {MOST_RELEVANT:,} or a rising range; got {text!r}.")
    ways = tuple((1,) * many for many in range(least, most + 1))
    amount = str(least) if least == most else f"{least} to {most}"
    return Pools(ways, f"{amount} relevant {'document' if amount == '1' else 'documents'}")


def _any_number(claims: Sequence[MeasureClaim]) -> Pools:
    """Any number: for what needs no total, as many as the greatest cutoff stand for all that are more."""
    needy = [claim.variant.text for claim in claims if needs_total(claim.variant)]
    if needy:
        raise UsageError(
            f"{', '.join(needy)}: what {'it' if len(needy) == 1 else 'they'} can be depends on how many relevant "
            "documents a query has. Say it: --relevant 5, a range such as --relevant 1-8, or --grades 3,2,1."
        )
    # One more than the greatest cutoff: with so many, one at least is below it.
    most = max((a.variant.k or 1) for a in claims) + 1
    ways = tuple((1,) * many for many in range(most + 1))
    return Pools(ways, "any number of relevant documents")


def needs_total(variant: Variant) -> bool:
    """Whether a value depends on how many relevant documents there are beyond the cutoff."""
    name = variant.measure.name
    if name == "RR":
        return False
    if variant.k is None:
        return True
    # The ideal of nDCG@k has no more than k documents.
    return name not in WITHOUT_TOTAL and not (name == "nDCG" and variant["ideal"] == "judged")
