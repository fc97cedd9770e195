"""Types that several resources share, pages of a list, and conflicts answered by 409."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

import msgspec
from msgspec import Meta

from rankproof.errors import InputError
from rankproof.web.problems import Problem, understood

T = TypeVar("T")

# No text holds NUL: PostgreSQL keeps none.
_NO_NUL = "^[^\\u0000]*$"

Text = Annotated[str, Meta(pattern=_NO_NUL, max_length=100_000)]
Note = Annotated[str, Meta(pattern=_NO_NUL, max_length=10_000)]
Short = Annotated[str, Meta(pattern=_NO_NUL, max_length=200)]
# 250 characters are 1,000 bytes at most, which is what the indexes of both databases hold.
Id = Annotated[str, Meta(pattern=_NO_NUL, min_length=1, max_length=250)]
Key = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z0-9_-]{8,64}$",
        description="Names the act. Make a new one for each: sent twice, it is one act.",
    ),
]
Withdrawn = Annotated[
    str, Meta(pattern="^([A-Za-z0-9_-]{8,64})?$", description="The key of an act of your own that this one takes back.")
]
Slug = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]+$", min_length=1, max_length=80)]


class Paged(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """Which part of a list is wanted."""

    limit: Annotated[int, Meta(ge=1, le=1000, description="How many at most.")] = 100
    offset: Annotated[int, Meta(ge=0, le=2**31 - 1, description="How many to leave out.")] = 0

    def part(self, items: Sequence[T]) -> Sequence[T]:
        """That part."""
        return items[self.offset : self.offset + self.limit]


class Saved(msgspec.Struct):
    """An act that is kept. `added` is false where it was there already."""

    key: str
    added: bool


class Added(msgspec.Struct):
    """How many were new, and how many were there already."""

    added: int
    there: int


def keeping(work: Callable[[], T]) -> T:
    """What `work` gives; 409 where the store already holds something else."""
    try:
        return work()
    except InputError as error:
        problem = understood(error)
        if problem is None:
            raise
        raise Problem(409, problem.message) from None
