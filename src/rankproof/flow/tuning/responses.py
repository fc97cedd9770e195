"""Responses: how the measure answers to each dial, over all settings that were tried on dev."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.records.estimate import Answer
from rankproof.records.tuning import Dial, Response, Setting

# More values than this on one axis are put into spans of equal width.
MOST_VALUES = 12
SPANS = 8
# Interval and p-value of gains by query.
Infer = Callable[[NDArray[np.float64]], Answer]


def responses(
    dial: Dial, settings: Sequence[Setting], gains: NDArray[np.float64], infer: Infer
) -> tuple[Response, ...]:
    """One for each value that was tried, in order; for each span of values where they are many numbers."""
    groups: dict[Any, list[int]] = {}
    for at, setting in enumerate(settings):
        groups.setdefault(_hashable(setting.dials[dial.name]), []).append(at)
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in groups)
    if numbers:
        groups = dict(sorted(groups.items()))
    if numbers and len(groups) > MOST_VALUES:
        spans = _spans(list(groups), dial.log)
        found = [(values[0], values[-1], [at for v in values for at in groups[v]]) for values in spans]
    else:
        found = [(value, value, members) for value, members in groups.items()]
    return tuple(_response(low, high, members, settings, gains, infer) for low, high, members in found)


def _response(
    low: Any, high: Any, members: list[int], settings: Sequence[Setting], gains: NDArray[np.float64], infer: Infer
) -> Response:
    top = max(members, key=lambda at: (float(gains[at].mean()), -at))
    mean = math.fsum(settings[at].mean for at in members) / len(members)
    return Response(_plain(low), _plain(high), len(members), mean, settings[top].mean, infer(gains[top]))


def _spans(values: list[float], log: bool) -> list[list[float]]:
    """The values that were tried, by spans of equal width; spans without one are left out."""
    scale = [math.log(value) for value in values] if log and values[0] > 0 else [float(value) for value in values]
    width = (scale[-1] - scale[0]) / SPANS
    spans: dict[int, list[float]] = {}
    for value, place in zip(values, scale, strict=True):
        spans.setdefault(min(int((place - scale[0]) / width), SPANS - 1), []).append(value)
    return list(spans.values())


def _hashable(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
