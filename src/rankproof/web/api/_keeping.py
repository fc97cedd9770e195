"""Keeping acts: what conflicts with what the store has is answered by 409."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from rankproof.errors import InputError
from rankproof.web.problems import Problem, understood

T = TypeVar("T")


def keeping(work: Callable[[], T]) -> T:
    """What `work` gives; 409 where the store already holds something else."""
    try:
        return work()
    except InputError as error:
        problem = understood(error)
        if problem is None:
            raise
        raise Problem(409, problem.message) from None
