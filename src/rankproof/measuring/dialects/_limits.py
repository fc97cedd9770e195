"""Limits of dialects: refusals that name the queries, shared by several tools."""

from __future__ import annotations

import numpy as np

from rankproof.errors import OutOfDialect
from rankproof.kernel.sections import some
from rankproof.measuring.judged_table import JudgedTable
from rankproof.measuring.measures.contract import Mask, Variant

# How many query ids a refusal names before it only counts.
NAMED = 3


def refuse(queries: Mask, table: JudgedTable, variant: Variant, why: str, remedy: str) -> None:
    """Raises OutOfDialect with the queries that a mask selects; does nothing when it selects none."""
    ids = [table.pool.query_ids[i] for i in np.flatnonzero(queries).tolist()]
    if ids:
        named = f"{'query' if len(ids) == 1 else 'queries'} {some(ids, NAMED)}"
        raise OutOfDialect(f"{variant}, {named}: {why} {remedy}")


def refuse_negative_grades(table: JudgedTable, variant: Variant, tool: str) -> None:
    """For tools that take 2^grade - 1 of any grade: a grade below 0 is a loss there, which rankproof does not have."""
    below = table.pool.count(table.pool.grade < 0) > 0
    refuse(
        below, table, variant,
        f"there are grades below 0, and {tool} subtracts for them.",
        "Write them as 0, or leave the dialect out.",
    )  # fmt: skip


def refuse_grades_above(table: JudgedTable, variant: Variant, top: int, why: str) -> None:
    """For measures with a fixed top grade."""
    above = table.pool.relevant(top + 1) > 0
    refuse(above, table, variant, why, "Bring the grades to that scale, or leave the dialect out.")
