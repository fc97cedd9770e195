"""A way of inference on a few units of two variants, for the pages of the trials shelf."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.flow.calls import read_call
from rankproof.flow.trials.effects import effect_of
from rankproof.records.estimate import Estimate
from rankproof.records.metric import Metric
from rankproof.records.moments import moments_of
from rankproof.trials._contract import Asked


def inferred(method: str, control: Sequence[float], treatment: Sequence[float], **asked: Any) -> str:
    """The difference of means, its interval and p-value in a line; the reason where there are none."""
    call = read_call("trials", method)
    effect = effect_of(moments_of(control), moments_of(treatment), Metric("made up"))
    answer = call.item.answer(effect, Asked(**asked), call.values)
    if isinstance(answer, Estimate):
        return f"{answer.value:.3g} [{answer.low:.3g}, {answer.high:.3g}] p = {answer.p_value:.4g}"
    return f"not estimable: {answer.reason}"
