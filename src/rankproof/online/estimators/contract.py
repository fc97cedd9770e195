"""What an item on the estimators shelf is: Estimator, which says from logged decisions what a new system would earn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rankproof.kernel.specs.kinds import Number, Param
from rankproof.online.counterfactual.records import Decisions, Influence

CLIP = Param("clip", Number(0, open_low=True), None, "no weight counts more than this; none: weights stay as they are")

# The same decisions and values give the same answer.
Estimating = Callable[[Decisions, Mapping[str, float | None]], Influence]


@dataclass(frozen=True, slots=True, eq=False)
class Estimator:
    """One item of the shelf. `page` is the module's docstring: formula, when it fails, source, example.

    believes   whether it needs what a model of rewards foretells
    """

    name: str
    page: str
    estimate: Estimating
    params: tuple[Param, ...] = (CLIP,)
    believes: bool = False

    @property
    def summary(self) -> str:
        """The first line of the page."""
        return self.page.strip().splitlines()[0]


def with_clip(decisions: Decisions, values: Mapping[str, float | None]) -> Decisions:
    """The decisions as the choices of an item want them."""
    clip = values["clip"]
    return decisions if clip is None else decisions.clipped(float(clip))
