"""The evaluations of a model while it is trained, each tested against the first one, the one before, or another system.

    checkpoints = Checkpoints(qrels, "nDCG@10 RR@10", against="first")
    for step in ...:
        numbers = checkpoints.add({query: {document: score}}, f"step {step}").metrics

No library of training is needed: `rankproof.integrations.sentence_transformers` uses it, and any other loop can.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rankproof.errors import InputError, UsageError
from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import some
from rankproof.measuring.evaluate import Measures, ReadyQrels, evaluate, prepare
from rankproof.measuring.names import parse
from rankproof.measuring.records import Evaluation
from rankproof.measuring.report import EvaluationReport, evaluation_of
from rankproof.proving.compare import compare_evaluations
from rankproof.proving.conversions import contrast_line
from rankproof.proving.records import Contrast, Design
from rankproof.reading.collect import read_qrels

FIRST, PREVIOUS = "first", "previous"
# What sentence-transformers calls its measures, and what they are here.
_FAMILIES = {
    "accuracy": "Success",
    "precision": "P",
    "recall": "R",
    "ndcg": "nDCG",
    "mrr": "RR",
    "map": "AP(denominator=min_k)",
}


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A state of the model: its evaluation, and its contrasts with an earlier one, if there is one."""

    label: str
    evaluation: Evaluation
    contrasts: tuple[Contrast, ...] = ()

    @property
    def metrics(self) -> dict[str, float]:
        """Numbers by measure, with what was tested: `..._difference`, its interval, and which way it is shown to go.

        `_better` and `_worse` are 1 or 0; both are 0 where nothing is shown. What cannot be estimated is left out.
        """
        found: dict[str, float | None] = dict(_means(self.evaluation))
        for contrast in self.contrasts:
            name, answer = contrast.measure, contrast.difference
            found[f"{name}_difference"] = answer.value
            if isinstance(answer, Estimate):
                ends = answer if contrast.adjusted is None else contrast.adjusted
                found |= {f"{name}_difference_low": ends.low, f"{name}_difference_high": ends.high}
            found |= {f"{name}_{way}": float(contrast.direction == way) for way in ("better", "worse")}
        return {name: float(value) for name, value in found.items() if value is not None and math.isfinite(value)}

    @property
    def lines(self) -> list[str]:
        """Each contrast in a sentence."""
        return [contrast_line(contrast) for contrast in self.contrasts]

    def to_json(self) -> str:
        """One line of JSON: means, and for each contrast its numbers and what they show."""
        told = {
            "checkpoint": self.label,
            "means": {text: _finite(mean) for text, mean in _means(self.evaluation)},
            "queries": self.evaluation.population.scored,
            "contrasts": [_told(contrast) for contrast in self.contrasts],
        }
        return json.dumps(told, allow_nan=False)


def _means(evaluation: Evaluation) -> Iterator[tuple[str, float]]:
    """Measures with their means; one whose values are texts has none."""
    return ((text, result.mean) for text, result in evaluation.results.items() if result.labels is None)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _told(contrast: Contrast) -> dict[str, object]:
    answer = contrast.difference
    told: dict[str, object] = {
        "measure": contrast.measure, "against": contrast.baseline, "queries": len(contrast.query_ids),
        "difference": _finite(answer.value),
    }  # fmt: skip
    if not isinstance(answer, Estimate):
        return {**told, "verdict": "not estimable", "reason": answer.reason}
    ends = answer if contrast.adjusted is None else contrast.adjusted
    ways = {"wins": contrast.wins, "ties": contrast.ties, "losses": contrast.losses}
    verdict = contrast.direction if contrast.direction in ("better", "worse") else "not significant"
    ends_told = {"low": _finite(ends.low), "high": _finite(ends.high), "p_value": _finite(contrast.p_value)}
    return {**told, **ends_told, **ways, "verdict": verdict}


class Checkpoints:
    """Evaluations of one model on one set of judgments, in the order they were made.

    qrels     judgments in any form that `evaluate` takes; queries without a relevant document do not count
    measures  all measures
    tested    those that are tested, the first of `measures` where none is named
    against   "first", "previous", or a system: an evaluation, a saved report or a run
    looks     how many checkpoints are going to be tested: each has an interval at 1 - (1 - confidence) / looks, so that
              all of them hold together (Bonferroni). 1 where each is read by itself
    design    how they are compared, as `rankproof.compare` takes it
    reading   of rankings, as `rankproof.evaluate` takes it: in the order they are given in, where it says nothing else
    """

    def __init__(
        self,
        qrels: Any,
        measures: Measures,
        *,
        tested: Measures = "",
        against: object = FIRST,
        looks: int = 1,
        design: Design | None = None,
        **reading: Any,
    ) -> None:
        self.variants = parse(measures)
        names = [variant.text for variant in self.variants]
        self.tested = [variant.text for variant in parse(tested)] if tested else names[:1]
        if unknown := [text for text in self.tested if text not in names]:
            raise UsageError(f"{some(unknown)} is to be tested and not measured. Name it among the measures as well.")
        if isinstance(looks, bool) or not isinstance(looks, int) or looks < 1:
            raise UsageError(f"The number of looks is a whole number from 1; got {looks!r:.40}.")
        self.qrels: ReadyQrels = prepare(relevant_judgments(qrels))
        self.reading = {"order": "given", **reading}
        design = design or Design()
        self.design = replace(design, confidence=1 - (1 - design.confidence) / looks)
        self.made: list[Checkpoint] = []
        named = isinstance(against, str) and against in (FIRST, PREVIOUS)
        self.against = against if named else self._measured(against)

    def add(self, rankings: Mapping[str, Mapping[str, float]], label: str = "") -> Checkpoint:
        """Measures rankings, tests them and keeps the answer; a label that was used before gets a number."""
        used = {checkpoint.label for checkpoint in self.made}
        used |= {self.against.run_name} if isinstance(self.against, Evaluation) else set()
        base = label or "checkpoint"
        label = next(name for n in range(1, len(used) + 2) if (name := f"{base} ({n})" if n > 1 else base) not in used)
        made = replace(evaluate(self.qrels, rankings, self.variants, name=label, **self.reading), run_name=label)
        checkpoint = Checkpoint(label, made)
        if (other := self._earlier()) is not None:
            checkpoint = replace(checkpoint, contrasts=self._contrasts(other, made))
        self.made.append(checkpoint)
        return checkpoint

    def _earlier(self) -> Evaluation | None:
        if isinstance(self.against, Evaluation):
            return self.against
        return self.made[0 if self.against == FIRST else -1].evaluation if self.made else None

    def _contrasts(self, earlier: Evaluation, later: Evaluation) -> tuple[Contrast, ...]:
        both = [replace(one, results={text: one.results[text] for text in self.tested}) for one in (earlier, later)]
        return compare_evaluations(both, self.design).contrasts

    def _measured(self, system: object) -> Evaluation:
        """The system to be compared with, on the same judgments and in the same measures."""
        if isinstance(system, EvaluationReport):
            system = evaluation_of(system)
        if not isinstance(system, Evaluation):
            return evaluate(self.qrels, system, self.variants)
        if lacking := [text for text in self.tested if text not in system.results]:
            raise UsageError(
                f"The evaluation of {system.run_name!r:.80} has no {some(lacking)}, which is tested. It has "
                f"{some(list(system.results))}."
            )
        return system


def relevant_judgments(qrels: Any) -> dict[str, dict[str, int]]:
    """The judgments of the queries that have a relevant document: of others every ranking is worth the same."""
    read = read_qrels(qrels)
    kept = {query: dict(grades) for query, grades in read.items() if any(grade > 0 for grade in grades.values())}
    if not kept:
        raise InputError(f"{read.name}: no query has a relevant document. Give judgments with grades above 0.")
    return kept


def library_measure(name: str, k: int) -> str:
    """The measure that sentence-transformers calls by a name.

    >>> library_measure("map", 100)
    'AP(denominator=min_k)@100'
    """
    return f"{_FAMILIES[name]}@{k}"
