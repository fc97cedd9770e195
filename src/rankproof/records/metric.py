"""Metric: what a trial watches in its users, and which way is better."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from rankproof.errors import UsageError
from rankproof.records.params import finite

Kind = Literal["proportion", "mean", "ratio", "quantile"]
Better = Literal["higher", "lower"]
_FIELDS = ("name", "kind", "better", "covariate", "at")


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric over the units of a trial.

    kind        "proportion": the share of units that did something; "mean" of a number for each unit; "ratio" of two
                sums over units, such as clicks per search where users are the units; "quantile" of a number for each
                unit, such as latency
    better      which way users are better off; "lower" for abandonment and latency
    covariate   what each unit was before the trial, where the estimate is adjusted by it (CUPED); "" where it is not
    at          which quantile: 0.95 is what 95% of the units do not exceed; None for other kinds
    """

    name: str
    kind: Kind = "mean"
    better: Better = "higher"
    covariate: str = ""
    at: float | None = None

    def __post_init__(self) -> None:
        if not self.name:
            raise UsageError("A metric needs a name.")
        for word, value, possible in (("kind", self.kind, Kind), ("better", self.better, Better)):
            if value not in get_args(possible):
                raise UsageError(
                    f"{word} of the metric {self.name!r} is one of {', '.join(get_args(possible))}; {value!r} came."
                )

        if self.kind == "quantile":
            if self.at is None or not 0 < self.at < 1:
                raise UsageError(f"The metric {self.name!r} is a quantile: `at` lies between 0 and 1, such as 0.95.")
            if self.covariate:
                raise UsageError(f"The metric {self.name!r} is a quantile, which no covariate adjusts. Leave it out.")
        elif self.at is not None:
            raise UsageError(f"The metric {self.name!r} is a {self.kind}; only a quantile has `at`.")

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in _FIELDS}

    @classmethod
    def from_dict(cls, stored: Mapping[str, Any]) -> Metric:
        """What `to_dict` gave, or a table of TOML; what is left unsaid has its default."""
        unknown = [name for name in stored if name not in _FIELDS]
        if unknown:
            raise UsageError(f"A metric has {', '.join(_FIELDS)}; {unknown[0]!r} is none of them.")
        for name, value in stored.items():
            if name == "at":
                if value is not None and finite(value) is None:
                    raise UsageError(f"at of a metric is a number between 0 and 1; {value!r} came.")
            elif not isinstance(value, str):
                raise UsageError(f"{name} of a metric is a text; {value!r} came.")
        if "name" not in stored:
            raise UsageError("A metric needs a name.")
        return cls(**dict(stored))
