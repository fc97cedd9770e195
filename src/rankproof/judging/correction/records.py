"""Correction: values of measures from many model grades and a few human ones, beside the naive values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.proving.agreement_records import AgreementAnswer, answer_dict


@dataclass(frozen=True, slots=True)
class Corrected:
    """One measure of one run, or its difference to a baseline.

    naive        by the model's grades alone, as if they were people's
    human        from people's grades alone
    corrected    from both: it stays right although the model errs
    over_queries the same estimate with an interval for many queries like these, not only for these
    weight       how much of the model's word was used: 0 none, 1 as it stands; None where there is no estimate
    note         what a reader must know of this estimate; "" where it is nothing
    sampled      how many of the pairs that people graded have a part in the value
    """

    measure: str
    run: str
    baseline: str | None
    naive: float
    human: AgreementAnswer
    corrected: AgreementAnswer
    over_queries: AgreementAnswer
    weight: float | None
    note: str
    sampled: int

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "measure": self.measure,
            "run": self.run,
            "baseline": self.baseline,
            "naive": self.naive,
            "human_alone": answer_dict(self.human),
            "corrected": answer_dict(self.corrected),
            "over_queries": answer_dict(self.over_queries),
            "weight": self.weight,
            "note": self.note,
            "sampled": self.sampled,
        }


@dataclass(frozen=True, slots=True)
class CorrectedValues:
    """The answer of `rankproof judge estimate`.

    frame    how many pairs the values are about: the runs' first documents that the model graded, or those of a plan
    human    how many of them people graded
    design   how those were chosen, in words
    notes    what a reader must know
    """

    frame: int
    human: int
    queries: int
    depth: int
    level: float
    design: str
    estimates: tuple[Corrected, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "frame": self.frame,
            "human": self.human,
            "queries": self.queries,
            "depth": self.depth,
            "level": self.level,
            "design": self.design,
            "estimates": [estimate.to_dict() for estimate in self.estimates],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class PlannedPair:
    """A pair of the frame: the probability with which it is chosen, and whether it was."""

    query_id: str
    doc_id: str
    probability: float
    chosen: bool


@dataclass(frozen=True, slots=True)
class JudgingPlan:
    """Which pairs to send to people, and with which probability every pair of the frame could have been chosen.

    measure     whose intervals are to shrink
    whole_queries  whether queries are chosen with all of their pairs, not pairs
    expected    by run (its difference to the first, where `compare`): the interval's half width to expect, by this
                plan and by a plain draw of as many pairs; None where no anchor says how much people's grades vary
    """

    measure: str
    runs: tuple[str, ...]
    compare: bool
    depth: int
    seed: int
    pairs: Sequence[PlannedPair]
    expected: dict[str, tuple[float, float]] | None = None
    whole_queries: bool = False

    @property
    def chosen(self) -> list[PlannedPair]:
        """The pairs for people."""
        return [pair for pair in self.pairs if pair.chosen]

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "measure": self.measure,
            "runs": list(self.runs),
            "compare": self.compare,
            "depth": self.depth,
            "seed": self.seed,
            "drawn": "queries" if self.whole_queries else "pairs",
            "number": len(self.chosen),
            "expected": None
            if self.expected is None
            else [{"run": run, "planned": ours, "plain": plain} for run, (ours, plain) in self.expected.items()],
            "pairs": [
                {"query_id": p.query_id, "doc_id": p.doc_id, "probability": p.probability, "chosen": p.chosen}
                for p in self.pairs
            ],
        }
