"""What intervals of model judges cover on real judgments, where the full human answer is known.

Corrected values: human grades are drawn from the frame of seven runs again and again; each interval should hold the
value by all human grades. Agreement: queries, and pairs within them, are drawn from a large set of judgments; each
interval should hold what the large set gives.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rankproof.judging.correction.correct import GradedSample, estimate
from rankproof.judging.correction.frame import Frame, Rankings, form_of, frame_of, variants_of
from rankproof.judging.correction.plan import draw
from rankproof.judging.correction.records import JudgingPlan, PlannedPair
from rankproof.measuring.evaluate import evaluate
from rankproof.proving.agreement import Grades
from rankproof.proving.agreement_records import AgreementFigure
from rankproof.proving.agreement_statistics import by_query, confusions, distances, figure, kappa
from rankproof.reading.collect import read_qrels, read_run

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "dl20"
LEVEL = 0.95


@dataclass(frozen=True)
class World:
    """People's grades and a model's on the runs' first ten documents."""

    human: Grades
    model: Grades
    runs: dict[str, Rankings]
    frame: Frame

    @property
    def on_frame(self) -> dict[str, dict[str, int]]:
        """People's grades of the frame's pairs."""
        found: dict[str, dict[str, int]] = {}
        for query, doc in self.frame.pairs:
            found.setdefault(query, {})[doc] = self.human[query][doc]
        return found


def world(model: str, depth: int = 10) -> World:
    """The real one, with the grades of this model on every pair that people graded."""
    human = read_qrels(FOLDER / "qrels.trec").to_dict()
    given = read_qrels(FOLDER / "llm_qrels" / f"{model}.trec").to_dict()
    runs = {
        path.stem: {query: docs for query, docs, _ in read_run(path).rankings()}
        for path in sorted((FOLDER / "runs").iterdir())
    }
    # The frame is what people judged, whatever the model left out.
    judged = [
        (query, doc)
        for query, docs in human.items()
        for doc in dict.fromkeys(d for ranking in runs.values() for d in ranking.get(query, ())[:depth])
        if doc in docs
    ]
    return World(human, given, runs, frame_of(given, runs, depth, judged))


@dataclass(frozen=True)
class Covered:
    """One value over many draws of human grades.

    covers, human_covers   how often the interval held the full human value, corrected and from the draw alone
    width, human_width     the mean widths
    bias                   the mean error of the corrected value
    """

    run: str
    truth: float
    naive: float
    covers: float
    width: float
    human_covers: float
    human_width: float
    bias: float


def corrected(
    place: World,
    measure: str,
    number: int,
    trials: int,
    *,
    compare: bool = False,
    probabilities: np.ndarray | None = None,
    seed: int = 0,
) -> list[Covered]:
    """Each run's coverage (its difference to the first, with `compare`); a plain draw where no probabilities are."""
    frame, (variant,) = place.frame, variants_of(measure)
    form, full = form_of(frame, variant), place.on_frame
    truths = {run: _value(full, place.runs[run], measure) for run in frame.runs}
    rows = list(range(1, len(frame.runs)) if compare else range(len(frame.runs)))
    rng = np.random.default_rng([seed, number])
    seen: dict[int, list[tuple[float, ...]]] = {at: [] for at in rows}
    naive = {}
    for _ in range(trials):
        sample = _draw(frame, full, number, probabilities, rng)
        for at in rows:
            weights = form.weights[at] - form.weights[0] if compare else form.weights[at]
            baseline = frame.runs[0] if compare else None
            truth = truths[frame.runs[at]] - (truths[frame.runs[0]] if compare else 0.0)
            found = estimate(sample, form, weights, frame.runs[at], baseline, LEVEL)
            naive[at] = found.naive
            ours, alone = found.corrected, found.human
            assert isinstance(ours, AgreementFigure)
            assert isinstance(alone, AgreementFigure)
            seen[at].append(
                (
                    ours.low <= truth <= ours.high,
                    ours.high - ours.low,
                    alone.low <= truth <= alone.high,
                    alone.high - alone.low,
                    ours.value - truth,
                )
            )
    answers = []
    for at in rows:
        truth = truths[frame.runs[at]] - (truths[frame.runs[0]] if compare else 0.0)
        answers.append(Covered(frame.runs[at], truth, naive[at], *np.mean(seen[at], axis=0).tolist()))
    return answers


def _draw(frame: Frame, full: Grades, number: int, p: np.ndarray | None, rng: np.random.Generator) -> GradedSample:
    if p is None:
        rows = rng.permutation(len(frame.pairs))[:number]
        return GradedSample(frame, _grades(frame, full, rows), None)
    chosen = draw(p, rng)
    pairs = [PlannedPair(q, d, float(p[i]), bool(chosen[i])) for i, (q, d) in enumerate(frame.pairs)]
    plan = JudgingPlan("", frame.runs, False, frame.depth, 0, pairs)
    return GradedSample(frame, _grades(frame, full, np.flatnonzero(chosen)), plan)


def _grades(frame: Frame, full: Grades, rows: np.ndarray) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for row in rows.tolist():
        query, doc = frame.pairs[row]
        found.setdefault(query, {})[doc] = full[query][doc]
    return found


def _value(grades: Grades, ranking: Rankings, measure: str) -> float:
    run = {query: {doc: float(-rank) for rank, doc in enumerate(docs)} for query, docs in ranking.items()}
    return float(evaluate(dict(grades), run, measure, complete=True)[measure].mean)


# ---- agreement ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class AgreementCovered:
    """How often intervals of kappa hold the population's, by queries left out and by pairs taken for independent."""

    queries: int
    pairs_each: int
    truth: float
    by_query: float
    by_pair: float


def agreement(
    place: World, queries: int, pairs_each: int, trials: int, *, weights: str = "none", seed: int = 0
) -> AgreementCovered:
    """Queries are drawn with replacement, pairs within each without; the population is every query, drawn so."""
    rng = np.random.default_rng([seed, queries, pairs_each])
    levels = (0, 1, 2, 3)
    distance = distances(levels, weights)
    ids = list(place.human)
    tables = []
    for query in ids:
        docs = [doc for doc in place.human[query] if doc in place.model.get(query, {})]
        a = np.array([place.human[query][doc] for doc in docs])
        b = np.array([place.model[query][doc] for doc in docs])
        tables.append(confusions(a, b, levels))

    def drawn(which: np.ndarray) -> list[np.ndarray]:
        return [tables[i][rng.permutation(len(tables[i]))[:pairs_each]] for i in which.tolist()]

    every = np.concatenate([np.concatenate(drawn(np.arange(len(ids)))) for _ in range(200)])
    truth = float(kappa(every.sum(axis=0, keepdims=True), distance)[0])
    hits = np.zeros(2)
    for _ in range(trials):
        parts = drawn(rng.integers(0, len(ids), queries))
        rows = np.concatenate(parts)
        query = np.repeat(np.arange(queries), [len(part) for part in parts])
        for at, cluster in enumerate((query, np.arange(len(rows)))):
            sums = by_query(cluster, rows)
            found = figure(sums, lambda m: kappa(m, distance), "fisher", "", len(rows), LEVEL)
            hits[at] += isinstance(found, AgreementFigure) and found.low <= truth <= found.high
    return AgreementCovered(queries, pairs_each, truth, *(hits / trials).tolist())
