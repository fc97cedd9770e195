"""Scores of promptfoo's results: what an assertion found, what a grader that failed left at 0, what a model decided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rankproof.errors import InputError
from rankproof.kernel.sections import counted
from rankproof.reading.formats._jsontext import refuse_repeated

Result = Mapping[str, object]
# Assertions that a language or embedding model decides, and how the reason begins of those that say what they found.
FOUND = {
    "answer-relevance": ("Relevance ",),
    "context-recall": ("Recall ",),
    "context-relevance": ("Context relevance ", "Relevance "),
    "context-faithfulness": ("Faithfulness ",),
    **dict.fromkeys(("similar", "similar:cosine", "similar:dot", "similar:euclidean"), ("Similarity ", "Distance ")),
    "model-graded-closedqa": ("The submission ",),
}
# Of these a grader that failed leaves 0 and its own words as the reason, as one that decided does.
UNTOLD = ("factuality", "model-graded-factuality")
BY_MODEL = frozenset(
    {
        *FOUND, *UNTOLD, "llm-rubric", "g-eval", "select-best", "conversation-relevance", "search-rubric", "pi",
        "classifier", "moderation", "trajectory:goal-success",
    }
)  # fmt: skip
LOWER = ("latencyMs", "cost")


@dataclass(slots=True)
class PromptfooCounts:
    """What the notes tell: errors, graders that failed, answers from the cache, metrics that a model decided."""

    errors: int = 0
    without: int = 0
    untold: int = 0
    cached: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    by_model: dict[str, None] = field(default_factory=dict)
    by_vars: int = 0

    def add(self, other: PromptfooCounts) -> None:
        """Counts what another counted as well."""
        self.errors += other.errors
        self.without += other.without
        self.untold += other.untold
        self.cached += other.cached
        self.failed.update(other.failed)
        self.by_model |= other.by_model
        self.by_vars += other.by_vars


def mapping_of(value: object, key: str, where: str) -> Mapping[str, object]:
    """An object of a result; an empty one where it is null."""
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"{where}: {key} must be an object; got {value!r:.60}.")
    refuse_repeated(value, where)
    return value


def components(grading: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The results of assertions, those of sets of assertions too; a stack, since sets may stand in sets."""
    left = [grading]
    while left:
        inner = left.pop().get("componentResults")
        for component in inner if isinstance(inner, list) else []:
            if isinstance(component, Mapping):
                yield component
                left.append(component)


def result_scores(record: Result, grading: Mapping[str, object], where: str, counts: PromptfooCounts) -> dict[str, Any]:
    """The scores of a result; None for what an error or a grader that failed left at 0."""
    named = mapping_of(record.get("namedScores"), "namedScores", where)
    row: dict[str, Any] = {"score": record.get("score"), "pass": record.get("success")}
    row |= {
        key if key not in ("unit", "provider", *row, *LOWER) else f"named {key}": value for key, value in named.items()
    }
    if record.get("failureReason") == 2 or (record.get("error") and not grading):
        counts.errors += 1
        return dict.fromkeys(row)
    if not grading or grading.get("reason") == "No assertions":
        counts.without += 1
        row |= {"score": None, "pass": None}
    failed: set[str] = set()
    for component in components(grading):
        _, column = _about(component)
        inner = [component, *components(component)]  # a set of assertions has the score of those in it
        kinds = [_about(part)[0] for part in inner]
        if any(kind.removeprefix("not-") in BY_MODEL for kind in kinds):
            counts.by_model |= dict.fromkeys(("score", "pass", column) if column in row else ("score", "pass"))
        broken = {kind for part, kind in zip(inner, kinds, strict=True) if _grader_failed(part, kind)}
        if broken:
            failed |= broken
            row |= {"score": None, "pass": None, **({column: None} if column in row else {})}
        counts.untold += _about(component)[0] in UNTOLD and not component.get("score")
    counts.failed.update(sorted(failed))
    response = record.get("response")
    is_cached = isinstance(response, Mapping) and response.get("cached") is True
    counts.cached += is_cached
    return row | {"latencyMs": None if is_cached else record.get("latencyMs"), "cost": record.get("cost")}


def _about(component: Mapping[str, object]) -> tuple[str, str]:
    """The type of the assertion of a component, or of the set of assertions that it is, and the name of its metric."""
    about, metadata = component.get("assertion"), component.get("metadata")
    if about is None and isinstance(metadata, Mapping):
        about = metadata.get("assertionSet")
    about = about if isinstance(about, Mapping) else {}
    metric = about.get("metric")
    return str(about.get("type")), metric if isinstance(metric, str) else ""


def _grader_failed(component: Mapping[str, object], kind: str) -> bool:
    """Whether a score of 0 is no score: promptfoo marks it for some graders, and tells no value for the others."""
    metadata = component.get("metadata")
    if isinstance(metadata, Mapping) and metadata.get("graderError") is True:
        return True
    kind = kind.removeprefix("not-")
    reason = component.get("reason")
    return kind in FOUND and not component.get("score") and not str(reason).startswith(FOUND[kind])


def score_notes(counts: PromptfooCounts) -> Iterator[str]:
    """What is said about the scores."""
    if counts.by_model:
        yield (
            f"a model decides in: {', '.join(counts.by_model)}. What a model gives varies from run to run: ask several "
            "times (--repeat), or compare by intervals"
        )
    if counts.errors:
        yield f"{counted(counts.errors, 'result')} ended in an error: their scores are missing, not 0"
    for kind, count in counts.failed.items():
        yield f"the grader of {kind} failed in {counted(count, 'result')}: their scores are missing, not 0"
    if counts.untold:
        yield (
            f"factuality is 0 in {counted(counts.untold, 'assertion')}: promptfoo does not say whether the grader "
            "failed there"
        )
    if counts.without:
        yield f"{counted(counts.without, 'result')} without assertions: score and pass are missing, not 1"
    if counts.cached:
        yield f"{counted(counts.cached, 'answer')} came from promptfoo's cache: their latencies are missing"
    yield f"less is better: {', '.join(LOWER)}"
