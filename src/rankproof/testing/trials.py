"""A method of an A/B test (trial) on a few units of two variants, for the pages of these methods."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rankproof.kernel.estimate import Estimate
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.trial.effects import effect_of
from rankproof.online.trial.moments import moments_of
from rankproof.online.trial.records import Metric
from rankproof.online.trials.contract import EffectRequest


def trial_inferred(method: str, control: Sequence[float], treatment: Sequence[float], **request: Any) -> str:
    """The difference of means, its interval and p-value in a line; the reason where there are none."""
    call = read_configured("trials", method)
    effect = effect_of(moments_of(control), moments_of(treatment), Metric("made up"))
    answer = call.item.answer(effect, EffectRequest(**request), call.values)
    if isinstance(answer, Estimate):
        return f"{answer.value:.3g} [{answer.low:.3g}, {answer.high:.3g}] p = {answer.p_value:.4g}"
    return f"not estimable: {answer.reason}"
