"""Training: what came of training a learned fusion; the document `training/1`, and what it says in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.sections import counted, signed
from rankproof.proving.conversions import answer_dict
from rankproof.stack.stages._ltr_model import LtrHeader
from rankproof.stack.tune.records import Against, Gain, TuneConfig
from rankproof.stack.tune.records import to_dict_of_gain as gain_dict
from rankproof.stack.tune.wording import gain_text

# Fewer queries teach little; with fewer, the interval of a gain is wide.
FEW_TAUGHT: Final = 50
FEW_TESTED: Final = 30
# untrained   cross-validation takes no tree: what needs no training is as good
TrainingOutcome = Literal["untrained", "gain", "not shown", "worse"]


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """A model that was trained on dev.

    text         the file; "" where cross-validation takes no tree
    references   values on dev of what needs no training, by pipeline; `reference` is the best of them
    dev          the cross-validated gain over it
    fitted       the value on the very queries it was trained on: it flatters
    tried        the cross-validated mean by number of trees
    importance   what share of the loss splits on each feature saved, greatest first
    taught       how many queries have candidates of two grades
    unjudged     the share of candidates that nobody judged, which count as not relevant
    """

    header: LtrHeader
    text: str
    references: Mapping[str, float]
    reference: str
    dev: Gain
    fitted: float
    tried: Mapping[int, float]
    importance: Mapping[str, float]
    taught: int
    unjudged: float


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What came out: `test` is the gain over the same reference on queries that it was not trained on.

    None where there was nothing to test.
    """

    config: TuneConfig
    learned: Learned
    better: str
    test_queries: int
    test: Gain | None
    against: tuple[Against, ...]
    outcome: TrainingOutcome
    notes: tuple[str, ...]
    dev_hash: str
    test_hash: str


def outcome_of(test: Gain | None) -> TrainingOutcome:
    """By the interval of the gain on test."""
    if test is None:
        return "untrained"
    if not isinstance(test.answer, Estimate):
        return "not shown"
    return "gain" if test.answer.low > 0 else "worse" if test.answer.high < 0 else "not shown"


def cautions_of(learned: Learned, test: Gain | None, seen: int) -> tuple[str, ...]:
    """What must be known before the model is used."""
    notes = []
    if learned.taught < FEW_TAUGHT:
        notes.append(
            f"{counted(learned.taught, 'query', 'queries')} with candidates of two grades taught it: some hundreds are "
            "usual."
        )
    if learned.unjudged > 0.5:
        notes.append(f"{learned.unjudged:.0%} of the candidates are not judged: they were taught as not relevant.")
    if outcome_of(test) == "gain" and (learned.dev.answer.value or 0.0) <= 0:
        notes.append("Cross-validation on dev shows no gain, so this one may be luck: test it on more queries.")
    if test is not None and test.queries < FEW_TESTED:
        notes.append(f"{test.queries:,} test queries show only large gains.")
    if seen:
        notes.append(
            f"{counted(seen, 'test query', 'test queries')} with the text of a dev query left out of the test."
        )
    return tuple(notes)


def conclusion(training: Training) -> str:
    """What came of it, in a sentence that can be defended."""
    learned = training.learned
    if training.test is None:
        return (
            f"No model was written: no number of trees does better than {learned.reference} in cross-validation. Use "
            "that; the test queries were not touched."
        )
    numbers = f"({gain_text(training.test.answer)})"
    if training.outcome == "gain":
        return f"Use the trained mode: it is significantly better than {learned.reference} on test {numbers}."
    how = "significantly worse" if training.outcome == "worse" else "not significantly better"
    return f"Keep {learned.reference}: on test the trained mode is {how} {numbers}."


def to_dict(training: Training, model: str) -> dict[str, object]:
    """All of it but the trees; `model` is the file that holds them."""
    config, learned = training.config, training.learned
    return {
        "name": config.benchmark.name,
        "dataset": {
            "source": config.benchmark.dataset,
            "dev": {"split": config.dev or None, "queries": len(learned.header.queries), "sha256": training.dev_hash},
            "test": {"split": config.test or None, "queries": training.test_queries, "sha256": training.test_hash},
            "share": None if config.dev else config.share,
        },
        "mode": config.mode,
        "measure": config.measure,
        "better": training.better,
        "seed": config.seed,
        "depth": config.benchmark.depth,
        "model": model if learned.text else None,
        "inputs": list(learned.header.inputs),
        "features": list(learned.header.features),
        "grades": dict(learned.header.grades),
        "lightgbm": learned.header.lightgbm,
        "trees": learned.header.trees,
        "tried": [{"trees": trees, "value": value} for trees, value in learned.tried.items()],
        "taught": learned.taught,
        "unjudged": learned.unjudged,
        "importance": dict(learned.importance),
        "references": [{"pipeline": text, "value": value} for text, value in learned.references.items()],
        "reference": learned.reference,
        "fitted": learned.fitted,
        "dev": gain_dict(learned.dev),
        "test": None if training.test is None else gain_dict(training.test),
        "against": [
            {
                "mode": other.mode,
                "pipeline": other.pipeline,
                "value": other.value,
                "gain": answer_dict(other.answer),
                "p_adjusted": other.p_adjusted,
            }
            for other in training.against
        ],
        "outcome": training.outcome,
        "notes": list(training.notes),
    }


def importance_text(learned: Learned, most: int = 8) -> list[tuple[str, str]]:
    """The features that trees use most, with their shares."""
    return [(name, f"{share:.1%}") for name, share in list(learned.importance.items())[:most]]


def fitted_text(learned: Learned) -> str:
    """How far the value on the training queries is from that of cross-validation."""
    after = learned.dev.after or 0.0
    return (
        f"{learned.fitted:.4f} on the queries it was trained on, {signed(learned.fitted - after)} over cross-validation"
    )
