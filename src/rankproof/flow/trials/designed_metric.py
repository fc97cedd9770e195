"""One [[metric]] of a design: its kind, its columns, and what the trial asks of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from rankproof.errors import UnknownName, UsageError
from rankproof.flow.trials.readymade import READY
from rankproof.records.metric import Better, Metric
from rankproof.records.metric import Kind as MetricKind
from rankproof.records.params import Choice, Kind, Number, Text, Whole
from rankproof.records.trialdesign import Each, Goal, Role, TrialMetric

KEYS: dict[str, Kind] = {
    "ready": Choice(tuple(READY)),
    "name": Text(),
    "kind": Choice(get_args(MetricKind)),
    "better": Choice(get_args(Better)),
    "covariate": Text(),
    "at": Number(0, 1, open_low=True, open_high=True),
    "value": Text(),
    "denominator": Text(),
    "each": Choice(get_args(Each)),
    "digits": Whole(2),
    "role": Choice(get_args(Role)),
    "goal": Choice(get_args(Goal)),
    "margin": Number(0),
    "scale": Choice(("relative", "absolute")),
}
# What becomes of several rows of a unit where the design does not say.
EACH: dict[str, Each] = {"proportion": "any", "mean": "sum", "ratio": "sum", "quantile": "mean"}
DIGITS = 3
MOST_DIGITS = 15


def read_metric(entry: Any, place: str) -> TrialMetric:
    """The metric of one entry; `place` names it in messages."""
    if not isinstance(entry, Mapping):
        raise UsageError(f"{place} must be a table: [[metric]] with keys below; got {entry!r:.80}.")
    said: dict[str, Any] = {}
    for key, value in entry.items():
        if key not in KEYS:
            raise UnknownName(f"key of {place}", key, KEYS)
        try:
            said[key] = KEYS[key].read(value)
        except ValueError as error:
            raise UsageError(f"{place}: {key} {error}.") from None
    ready = said.pop("ready", None)
    if ready is not None:
        said = {"name": ready, **READY[ready], **said}
    for key in ("name", "value"):
        if key not in said:
            raise UsageError(f'{place}: {key} is missing. Or take one that is ready: ready = "abandonment".')
    kind = said.setdefault("kind", "ratio" if "denominator" in said else "quantile" if "at" in said else "mean")
    place = f"{place} ({said['name']})"
    if (kind == "ratio") != ("denominator" in said):
        raise UsageError(
            f'{place}: a ratio has a denominator, and no other kind has: the name of a column, or "*" for the number '
            "of rows."
        )
    if kind != "quantile" and "digits" in said:
        raise UsageError(f"{place}: only a quantile rounds its values to `digits`; this is a {kind}.")
    if said.get("digits", DIGITS) > MOST_DIGITS:
        raise UsageError(f"{place}: digits is {MOST_DIGITS} at most, which is what a number holds.")
    metric = Metric(**{key: said.pop(key) for key in ("name", "kind", "better", "covariate", "at") if key in said})
    each = said.setdefault("each", EACH[kind])
    _refuse_each(kind, each, place)
    if kind == "quantile":
        said.setdefault("digits", DIGITS)
    return TrialMetric(metric, **_asked(said, place))


def _refuse_each(kind: str, each: Each, place: str) -> None:
    if kind == "ratio" and each != "sum":
        raise UsageError(f'{place}: the rows of a unit are summed on both sides of a ratio: each = "sum" or nothing.')
    if kind == "proportion" and each not in ("any", "max"):
        raise UsageError(f'{place}: a unit of a proportion did something or not: each = "any", or nothing.')


def _asked(said: dict[str, Any], place: str) -> dict[str, Any]:
    """The same with role, goal and margin that go together."""
    role = said.setdefault("role", "decision")
    goal = said.setdefault("goal", "not_worse" if role == "guardrail" else "better")
    if role == "guardrail" and goal != "not_worse":
        raise UsageError(f'{place}: a guardrail is not to be worse. What must be better has role = "decision".')
    if role == "watch" and ("margin" in said):
        raise UsageError(f"{place}: a metric that is only watched has no margin.")
    if role != "watch" and goal == "not_worse" and not said.get("margin", 0) > 0:
        raise UsageError(
            f"{place}: margin is missing: how much worse may it be? Such as margin = 0.01, which is 1% where scale is "
            '"relative". No trial shows that nothing changed at all.'
        )
    return said
