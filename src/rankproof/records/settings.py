"""Settings: the choices of one evaluation that are not part of a measure's name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Settings:
    """How to evaluate. Every field is printed in the fine print when it is not the default.

    dialect      whose conventions to follow
    depth        look only at the first `depth` documents of each ranking (trec_eval's -M)
    judged_only  remove unjudged documents from the rankings first (trec_eval's -J)
    level        the least relevant grade for measures that do not say their own (trec_eval's -l)
    complete     score judged queries that the run lacks, even in a dialect that drops them (trec_eval's -c)
    undefined    "zero" counts an undefined query as the measure says; "skip" leaves such queries out of all
    ties         "rule" (the order's tie rule), "expected" or "range" over all orders of tied documents
    """

    dialect: str = "rankproof"
    depth: int | None = None
    judged_only: bool = False
    level: int | None = None
    complete: bool = False
    undefined: Literal["zero", "skip"] = "zero"
    ties: Literal["rule", "expected", "range"] = "rule"


DEFAULT_SETTINGS = Settings()

# Threads that may be asked for: more would wait for each other.
MOST_THREADS = 1024
