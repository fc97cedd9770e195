"""Study of a click log: what was dropped, which click model fits best, the examination curve, and grades."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.progress import Progress, silent
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels.contract import Fitted, Floats, per_pair, there
from rankproof.online.clicks.examination import ExaminationCurve, clicked_at_top, curve, renumbered
from rankproof.online.clicks.qrels import CONFIDENCE, SHOWINGS, GradeMapping, LogGrades, grade_log
from rankproof.online.clicks.signals import ClickSignals, count_signals, event_pages
from rankproof.online.impressions import ClickLog, Dropped, Impressions

# Probabilities of clicks and skips stay this far from 0 and 1, so that one event that a model holds impossible does
# not decide the whole score.
FLOOR = 1e-6


@dataclass(frozen=True, slots=True)
class Perplexity:
    """2 to the mean surprise in bits: 1 where every click and skip was predicted, 2 for a fair coin.

    by_rank   from rank 1; None where no page reaches
    mean      over the ranks that have one
    """

    by_rank: tuple[float | None, ...]

    @property
    def mean(self) -> float:
        """The mean over ranks, each counting alike."""
        return float(np.mean([value for value in self.by_rank if value is not None]))


@dataclass(frozen=True, slots=True)
class HeldOutScore:
    """How well a model predicts the clicks of pages.

    log_likelihood   natural logarithm of the probability of all clicks and skips of a page, mean over pages
    conditional      perplexity given the clicks above, on each page
    marginal         perplexity before anything is clicked
    floored          clicks and skips that the model held impossible, and that count with FLOOR instead
    """

    pages: int
    log_likelihood: float
    conditional: Perplexity
    marginal: Perplexity
    floored: int


def score(fitted: Fitted, pages: Impressions) -> HeldOutScore:
    """The score of a model on pages that share their pairs with the pages it learned from."""
    counts, floored, likely = np.zeros(pages.ranks, dtype=np.int64), 0, 0.0
    conditional, marginal = np.zeros((2, pages.ranks))
    for piece in pages.pieces():
        given = fitted.conditional(piece)
        surprise = _logs(given, piece.clicks)
        impossible = np.where(piece.clicks, given, 1 - given) < FLOOR
        counts += piece.there.sum(axis=0)
        likely += float(surprise[piece.there].sum())
        conditional += _by_rank(surprise, piece.there)
        marginal += _by_rank(_logs(fitted.marginal(piece), piece.clicks), piece.there)
        floored += int((impossible & piece.there).sum())
    return HeldOutScore(
        len(pages), likely / len(pages), _perplexity(conditional, counts), _perplexity(marginal, counts), floored
    )


def _logs(probabilities: Floats, clicks: NDArray[np.bool_]) -> Floats:
    """The logarithm of the probability of what happened at each place."""
    safe = np.clip(probabilities, FLOOR, 1 - FLOOR)
    return np.asarray(np.log(np.where(clicks, safe, 1 - safe)), dtype=np.float64)


def _by_rank(logs: Floats, there: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.where(there, logs, 0.0).sum(axis=0), dtype=np.float64)


def _perplexity(sums: Floats, counts: NDArray[np.int64]) -> Perplexity:
    return Perplexity(tuple(float(np.exp(-s / n)) if n else None for s, n in zip(sums, counts, strict=True)))


# Whether pages or sessions are split into even and odd numbers.
Split = Literal["pages", "sessions"]


@dataclass(frozen=True, slots=True, eq=False)
class TriedModel:
    """A model with its parameters, what it learned, and its score on the held-out pages."""

    text: str
    fitted: Fitted
    held_out: HeldOutScore


@dataclass(frozen=True, slots=True, eq=False)
class ModelFits:
    """Models tried on the same pages, in the order given. `best` predicts the held-out clicks best."""

    training: int
    testing: int
    tried: tuple[TriedModel, ...]

    @property
    def best(self) -> TriedModel:
        """By log-likelihood, which weighs all that happened on a page; the first of equals."""
        return max(self.tried, key=lambda one: one.held_out.log_likelihood)


def even_and_odd(pages: Impressions, by: Split = "pages") -> tuple[Impressions, Impressions]:
    """The pages of even numbers, to learn from, and those of odd numbers, to test on. Numbers are from 0.

    by   "sessions" to go by the numbers of sessions, so that no user is in both parts
    """
    if by == "sessions" and pages.sessions is None:
        raise UsageError("The log has no sessions, so it cannot be split by them. Hold out pages instead.")
    numbers = pages.numbers if pages.sessions is None or by == "pages" else pages.sessions
    even = numbers % 2 == 0
    if even.all() or not even.any():
        raise InputError(
            f"Models learn from {by} of even number and are tested on {by} of odd number; "
            f"{counted(len(pages), 'page')} cannot be split so. Read more pages."
        )
    return pages.take(even), pages.take(~even)


def fit_models(
    pages: Impressions, models: Sequence[str] = (), by: Split = "pages", progress: Progress = silent
) -> ModelFits:
    """Models by name or call, such as `user_browsing(passes=20)`, on even pages and odd; all of them by default."""
    calls = [read_configured("clickmodels", text) for text in models or shelf.everything("clickmodels")]
    texts = [call.text for call in calls]
    for text in texts:
        if texts.count(text) > 1:
            raise UsageError(f"The click model {text} is named twice. Name it once.")
    train, test = even_and_odd(pages, by)
    tried = []
    for done, call in enumerate(calls):
        progress("fitting model", done, len(calls))
        fitted: Fitted = call.item.fit(train, call.values)
        tried.append(TriedModel(call.text, fitted, score(fitted, test)))
    return ModelFits(len(train), len(test), tuple(tried))


@dataclass(frozen=True, slots=True, eq=False)
class ClickStudy:
    """The whole study of a log.

    files      how many
    pages      that were used, after all that was dropped; `sessions` is None where the log names none
    pairs      of a query and a document that these pages show
    signal     the event that models learn
    split      what was split into even numbers, to learn from, and odd numbers, to test on
    curve      None where it was not requested, or where there is no click at rank 1 (see notes)
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
    acts: ClickSignals
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    fits: ModelFits
    curve: ExaminationCurve | None
    judged: LogGrades

    def to_dict(self) -> dict[str, object]:
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
                    "conditional": _perplexity_dict(one.held_out.conditional),
                    "marginal": _perplexity_dict(one.held_out.marginal),
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
    mapped: GradeMapping,
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
    grader = None if grade_model is None else read_configured("clickmodels", grade_model)
    if curve_of is not None:
        read_configured("clickmodels", curve_of)
    chosen = event_pages(log, signal)
    fits = fit_models(chosen.pages, models, split, progress)
    progress("drawing the curve", 0, 1)
    notes, examination_curve = log.notes, None
    if curve_of is not None and not clicked_at_top(chosen.pages):
        notes = (*notes, "there is no curve of looks: nothing at rank 1 that others could be compared with")
    elif curve_of is not None:
        examination_curve = curve(chosen.pages, curve_of, resamples, level, seed)
    progress("grading", 0, 1)
    grader = grader or read_configured("clickmodels", fits.best.text)
    return ClickStudy(
        files,
        len(chosen.pages),
        None if chosen.pages.sessions is None else renumbered(chosen.pages.sessions)[1],
        *_counted(chosen.pages),
        chosen.pages.ranks,
        log.stay,
        signal,
        split,
        count_signals(log),
        log.dropped if chosen.dropped is None else (*log.dropped, chosen.dropped),
        notes,
        fits,
        examination_curve,
        grade_log(log, grader, mapped, signal, showings=showings, confidence=confidence),
    )


def _counted(pages: Impressions) -> tuple[int, int]:
    """How many queries and pairs these pages show."""
    pairs = np.flatnonzero(per_pair(pages, there))
    return len(np.unique(pages.pairs.queries[pairs])), len(pairs)


def _perplexity_dict(perplexity: Perplexity) -> dict[str, object]:
    return {"mean": perplexity.mean, "by_rank": list(perplexity.by_rank)}


def _curve(fitted_curve: ExaminationCurve) -> dict[str, object]:
    return {
        **asdict(fitted_curve),
        "ranks": [asdict(one) for one in fitted_curve.ranks],
        "notes": list(fitted_curve.notes),
    }
