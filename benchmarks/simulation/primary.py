"""Families with a primary measure and secondary ones, made of real scores: how often a false claim is made.

Systems are compared with a baseline in AP, P@10 and RR, one of which is the primary measure, on the same
topics, drawn with replacement. Taking a system's mean over all topics away makes it equal to the others in a measure
and changes nothing else. `equal`: in all three. `primary`: in the secondary ones only, so that the primary differences
are true and open the way for secondary claims. `half`: half of the candidates differ in the primary measure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import numpy as np

from rankproof.proving.contrasts import contrasts
from rankproof.proving.per_unit import PerUnit
from rankproof.proving.records import Design

from .worlds import Rate, Values

THREE = ("AP", "P@10", "RR")
Truth = Literal["equal", "primary", "half"]


def claims(
    by_measure: Mapping[str, Values], primary: str, truth: Truth, systems: int, n: int, families: int, seed: int = 0
) -> tuple[Rate, Rate]:
    """The share of families with a false claim in the primary measure, and with one in any measure."""
    rng = np.random.default_rng([seed, systems, n])
    design = Design(resamples=1_000)
    in_primary = in_any = 0
    names = tuple(f"s{i}" for i in range(systems))
    ids = tuple(f"q{i}" for i in range(n))
    for _ in range(families):
        columns = rng.permutation(by_measure[primary].shape[1])[:systems]
        topics = rng.integers(0, len(by_measure[primary]), n)
        tables, null = [], {}
        for measure in (primary, *(name for name in THREE if name != primary)):
            whole = by_measure[measure][:, columns]
            equal = np.ones(systems, dtype=bool)
            if measure == primary and truth != "equal":
                equal[1:] = False
                equal[1 : 1 + (systems - 1) // 2] = truth == "half"
            # An equal system has the baseline's mean; another one keeps its distance from it.
            means = whole.mean(axis=0)
            level = np.where(equal, 0.0, means - means[0])
            tables.append(PerUnit(measure, "higher", "mean", ids, (whole - means + level)[topics], low=-1.5, high=1.5))
            null[measure] = {names[at] for at in np.flatnonzero(np.abs(level) < 1e-12) if at}
        found, _ = contrasts(names, tables, {}, design)
        false = [c.measure for c in found if c.direction != "not shown" and c.candidate in null[c.measure]]
        in_primary += primary in false
        in_any += bool(false)
    return Rate(in_primary, families), Rate(in_any, families)
