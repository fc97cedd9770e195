"""Studying: all that a click log says, in one answer: what was dropped, which model fits, where users look, grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from rankproof.clickmodels._contract import per_pair, there
from rankproof.flow.calls import read_call
from rankproof.flow.clicks.examination import Curve, clicked_at_top, curve, renumbered
from rankproof.flow.clicks.fitting import Fits, Split, fit_models
from rankproof.flow.clicks.judging import CONFIDENCE, SHOWINGS, Judged, Mapped, judged
from rankproof.flow.clicks.scoring import Perplexity
from rankproof.flow.clicks.signals import Acts, acts, event
from rankproof.records.clicklog import ClickLog, Dropped
from rankproof.records.ground import Progress, silent
from rankproof.records.impressions import Impressions


@dataclass(frozen=True, slots=True, eq=False)
class ClickStudy:
    """What a log says.

    files      how many
    pages      that were used, after all that was dropped; `sessions` is None where the log names none
    pairs      of a query and a document that these pages show
    signal     what counts as the event in place of a click
    split      what was parted into even, to learn from, and odd, to test on
    curve      None where it was not asked for, or where nobody clicks at rank 1, which notes say
    """

    files: int
    pages: int
    sessions: int | None
    queries: int
    pairs: int
    ranks: int
    stay: float
    signal: str
    split: Split
    acts: Acts
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    fits: Fits
    curve: Curve | None
    judged: Judged

    def to_dict(self) -> dict[str, Any]:
        """As JSON has it, without the rows of the grades."""
        return {
            "files": self.files,
            "pages": self.pages,
            "sessions": self.sessions,
            "queries": self.queries,
            "pairs": self.pairs,
            "ranks": self.ranks,
            "signal": self.signal,
            "satisfied_after": self.stay,
            "acts": self.acts.to_dict(),
            "dropped": [one.to_dict() for one in self.dropped],
            "notes": list(self.notes),
            "held_out": self.split,
            "training": self.fits.training,
            "testing": self.fits.testing,
            "models": [
                {
                    "model": one.text,
                    "log_likelihood": one.held_out.log_likelihood,
                    "conditional": _perplexity(one.held_out.conditional),
                    "marginal": _perplexity(one.held_out.marginal),
                    "floored": one.held_out.floored,
                }
                for one in self.fits.tried
            ],
            "best": self.fits.best.text,
            "curve": None if self.curve is None else _curve(self.curve),
            "grades": self.judged.to_dict(),
        }


def study(
    log: ClickLog,
    mapped: Mapped,
    *,
    files: int = 1,
    models: Sequence[str] = (),
    signal: str = "click",
    split: Split = "pages",
    curve_of: str | None = "position_based",
    level: float = 0.95,
    resamples: int = 200,
    seed: int = 0,
    grade_model: str | None = None,
    showings: int = SHOWINGS,
    confidence: float = CONFIDENCE,
    progress: Progress = silent,
) -> ClickStudy:
    """Fits, curve and grades of a log. Grades come from `grade_model`, else from the model that fits best."""
    grader = None if grade_model is None else read_call("clickmodels", grade_model)
    if curve_of is not None:
        read_call("clickmodels", curve_of)
    found = event(log, signal)
    fits = fit_models(found.pages, models, split, progress)
    progress("drawing the curve", 0, 1)
    notes, looked = log.notes, None
    if curve_of is not None and not clicked_at_top(found.pages):
        notes = (*notes, "there is no curve of looks: nothing at rank 1 that others could be compared with")
    elif curve_of is not None:
        looked = curve(found.pages, curve_of, resamples, level, seed)
    progress("grading", 0, 1)
    grader = grader or read_call("clickmodels", fits.best.text)
    return ClickStudy(
        files,
        len(found.pages),
        None if found.pages.sessions is None else renumbered(found.pages.sessions)[1],
        *_counted(found.pages),
        found.pages.ranks,
        log.stay,
        signal,
        split,
        acts(log),
        log.dropped if found.dropped is None else (*log.dropped, found.dropped),
        notes,
        fits,
        looked,
        judged(log, grader, mapped, signal, showings=showings, confidence=confidence),
    )


def _counted(pages: Impressions) -> tuple[int, int]:
    """How many queries and pairs these pages show."""
    pairs = np.flatnonzero(per_pair(pages, there))
    return len(np.unique(pages.pairs.queries[pairs])), len(pairs)


def _perplexity(found: Perplexity) -> dict[str, Any]:
    return {"mean": found.mean, "by_rank": list(found.by_rank)}


def _curve(found: Curve) -> dict[str, Any]:
    return {**asdict(found), "ranks": [asdict(one) for one in found.ranks], "notes": list(found.notes)}
