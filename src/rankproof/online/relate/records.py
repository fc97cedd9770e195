"""Records of relate: past changes with their offline and online effects, and how well measures predict metrics."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from rankproof.kernel.estimate import Answer, Estimate
from rankproof.proving.conversions import answer_dict
from rankproof.proving.records import Adjusted


@dataclass(frozen=True, slots=True)
class MeasuredDifference:
    """A difference that was measured.

    error   its standard error; None where not known
    shown   whether it is statistically significant; None: by its standard error, where there is one
    """

    value: float
    error: float | None = None
    shown: bool | None = None


@dataclass(frozen=True, slots=True)
class PastChange:
    """One change: its difference in each measure offline, its effect on each metric online."""

    name: str
    offline: Mapping[str, MeasuredDifference]
    online: Mapping[str, MeasuredDifference]


@dataclass(frozen=True, slots=True)
class Changes:
    """Changes with the names of all measures and metrics; `lower` are those of which less is better."""

    changes: tuple[PastChange, ...]
    measures: tuple[str, ...]
    metrics: tuple[str, ...]
    lower: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Signs:
    """How often two differences point the same way; `unsigned` are changes in which one of them is exactly 0."""

    agree: int
    disagree: int
    unsigned: int
    share: Answer


@dataclass(frozen=True, slots=True)
class OnlineOutcomes:
    """Of the changes that were better offline, how many were significantly better online, worse, or neither."""

    better: int
    worse: int
    neither: int


@dataclass(frozen=True, slots=True)
class NeededDifference:
    """The least offline difference with at least that probability of a significant online gain; or why none has."""

    difference: float | None
    chance: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class MeasureAndMetric:
    """One measure and one metric, over the changes that have both; signs are turned so that more is better.

    corrected      Pearson's correlation of the true differences, without the noise of measuring them
    corrected_for  whose noise that is: "offline", "online" or both
    signs          over all changes
    shown_signs    over those whose online effect was shown
    slope          of the metric by the measure, in their own units and directions; `intercept` goes with it
    """

    measure: str
    metric: str
    n: int
    pearson: Answer
    spearman: Answer
    kendall: Answer
    corrected: Answer
    corrected_for: tuple[str, ...]
    signs: Signs
    shown_signs: Signs | None
    slope: Answer
    intercept: float | None
    enough: NeededDifference
    foretold: OnlineOutcomes | None

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "measure": self.measure,
            "metric": self.metric,
            "changes": self.n,
            "pearson": answer_dict(self.pearson),
            "spearman": answer_dict(self.spearman),
            "kendall": answer_dict(self.kendall),
            "corrected": answer_dict(self.corrected),
            "corrected_for": list(self.corrected_for),
            "signs": _signs(self.signs),
            "shown_signs": None if self.shown_signs is None else _signs(self.shown_signs),
            "slope": answer_dict(self.slope),
            "intercept": self.intercept,
            "enough": {
                "difference": self.enough.difference,
                "chance": self.enough.chance,
                "reason": self.enough.reason or None,
            },
            "foretold": None if self.foretold is None else asdict(self.foretold),
        }


@dataclass(frozen=True, slots=True)
class Contest:
    """Two measures over the changes that have both and the metric: the first's correlation minus the second's."""

    first: str
    second: str
    n: int
    difference: Answer
    adjusted: Adjusted | None = None

    @property
    def winner(self) -> str | None:
        """The measure with the significantly greater correlation; None where neither has."""
        if not isinstance(self.difference, Estimate):
            return None
        p = self.difference.p_value if self.adjusted is None else self.adjusted.p_value
        if p > 1 - self.difference.level:
            return None
        return self.first if self.difference.value > 0 else self.second


@dataclass(frozen=True, slots=True)
class RankedMeasures:
    """The measures by how well they predict one metric.

    best       the one with the greatest correlation; None where there is none
    beaten     the measures whose correlation is significantly lower
    """

    metric: str
    best: str | None
    beaten: tuple[str, ...]
    contests: tuple[Contest, ...]

    @property
    def sentence(self) -> str:
        """The ranking as a sentence."""
        if self.best is None:
            return f"{self.metric}: no measure has a correlation with it that can be told."
        if not self.contests:
            return f"{self.metric}: there is one measure to choose from, {self.best}."
        others = {name for contest in self.contests for name in (contest.first, contest.second)} - {self.best}
        if not self.beaten and any(contest.winner for contest in self.contests):
            worse = sorted(
                {
                    f"{c.winner} more than {c.second if c.winner == c.first else c.first}"
                    for c in self.contests
                    if c.winner
                }
            )
            return (
                f"{self.metric}: {self.best} has the greatest correlation, and is not shown to tell more than another "
                f"measure; shown: {', '.join(worse)}."
            )
        if not self.beaten:
            return f"{self.metric}: no measure is shown to tell more than another; {self.best} is ahead."
        if set(self.beaten) == others:
            return f"{self.metric}: {self.best} tells most, and more than every other measure."
        return (
            f"{self.metric}: {self.best} is shown to tell more than {', '.join(self.beaten)}, not more than the others."
        )


@dataclass(frozen=True, slots=True)
class Relation:
    """The whole answer: every measure with every metric, and for each metric which measure predicts it best.

    lower   the measures and metrics for which lower is better
    by      the correlation that measures are ranked by: "pearson" or "spearman"
    """

    changes: tuple[str, ...]
    measures: tuple[str, ...]
    metrics: tuple[str, ...]
    lower: frozenset[str]
    level: float
    by: str
    related: tuple[MeasureAndMetric, ...]
    ranked: tuple[RankedMeasures, ...]
    warnings: tuple[str, ...] = field(default=())

    def to_dict(self) -> dict[str, object]:
        """For JSON."""
        return {
            "changes": list(self.changes),
            "measures": list(self.measures),
            "metrics": list(self.metrics),
            "lower": sorted(self.lower),
            "level": self.level,
            "by": self.by,
            "related": [related.to_dict() for related in self.related],
            "ranked": [
                {
                    "metric": ranked.metric,
                    "best": ranked.best,
                    "beaten": list(ranked.beaten),
                    "sentence": ranked.sentence,
                    "contests": [
                        {
                            "first": contest.first,
                            "second": contest.second,
                            "changes": contest.n,
                            "difference": answer_dict(contest.difference),
                            "adjusted": None if contest.adjusted is None else contest.adjusted.to_dict(),
                            "winner": contest.winner,
                        }
                        for contest in ranked.contests
                    ],
                }
                for ranked in self.ranked
            ],
            "warnings": list(self.warnings),
        }


def _signs(signs: Signs) -> dict[str, object]:
    return {
        "agree": signs.agree,
        "disagree": signs.disagree,
        "unsigned": signs.unsigned,
        "share": answer_dict(signs.share),
    }
