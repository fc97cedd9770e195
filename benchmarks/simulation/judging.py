"""What intervals of model judges cover on real judgments, where the full human answer is known.

Corrected values: human grades are drawn from a frame again and again; each interval should hold the value by all human
grades. Frames are those of seven real runs, and of BM25 beside a run planted at a chosen true value: made of the same
judged documents, so that the models' grades of them are real. For intervals over queries the queries are drawn too,
with replacement, and the value of all of them is to be held. Agreement: queries, and pairs within them, are drawn from
a large set of judgments; each interval should hold what the large set gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from rankproof.judging.correction.correct import estimate
from rankproof.judging.correction.frame import Frame, Rankings, form_of, frame_of, query_values, variants_of
from rankproof.judging.correction.plan import draw, draw_queries
from rankproof.judging.correction.records import Corrected, JudgingPlan, PlannedPair
from rankproof.judging.correction.sample import GradedSample
from rankproof.proving.agreement import Grades
from rankproof.proving.agreement_records import AgreementAnswer, AgreementFigure
from rankproof.proving.agreement_statistics import by_query, confusions, distances, figure, kappa
from rankproof.proving.judge_bias import biases
from rankproof.reading.collect import read_qrels, read_run

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data" / "dl20"
LEVEL = 0.95
BASELINE = "BM25"
PLANTED = "planted"


@dataclass(frozen=True)
class World:
    """People's grades and a model's on the runs' first ten documents."""

    human: Grades
    model: Grades
    runs: Mapping[str, Rankings]
    frame: Frame

    @property
    def on_frame(self) -> dict[str, dict[str, int]]:
        """People's grades of the frame's pairs."""
        grades: dict[str, dict[str, int]] = {}
        for query, doc in self.frame.pairs:
            grades.setdefault(query, {})[doc] = self.human[query][doc]
        return grades


@cache
def _files() -> tuple[dict[str, dict[str, int]], dict[str, Rankings]]:
    human = read_qrels(FOLDER / "qrels.trec").to_dict()
    runs = {
        path.stem: {query: docs for query, docs, _ in read_run(path).rankings()}
        for path in sorted((FOLDER / "runs").iterdir())
    }
    return human, runs


def world_of(human: Grades, model: Grades, runs: Mapping[str, Rankings], depth: int = 10) -> World:
    """The frame is what people judged, whatever the model left out."""
    judged = [
        (query, doc)
        for query, docs in human.items()
        for doc in dict.fromkeys(d for ranking in runs.values() for d in ranking.get(query, ())[:depth])
        if doc in docs
    ]
    return World(human, model, runs, frame_of(model, runs, depth, judged))


def world(model: str) -> World:
    """The real one: seven runs, with the grades of this model on every pair that people graded."""
    human, runs = _files()
    return world_of(human, read_qrels(FOLDER / "llm_qrels" / f"{model}.trec").to_dict(), runs)


def planted(model: str, measure: str, target: float, *, crowd: bool = False, seed: int = 0) -> World:
    """BM25, or all seven runs (`crowd`), and a run whose true value is as near to the target as these queries allow.

    At each rank stands the best document that is left, or one that is not relevant, by one random number each; how
    often the former is found by bisection. For measures other than nDCG the documents come in random order. The target
    of DCG is a share of the best possible: the same run as for nDCG. Queries with fewer than ten relevant documents are
    left out: with them no run reaches 0.97.
    """
    given = read_qrels(FOLDER / "llm_qrels" / f"{model}.trec").to_dict()
    human, runs = _planted_runs(measure, target, crowd, seed)
    return world_of(human, {query: given[query] for query in human}, runs)


@cache
def _planted_runs(measure: str, target: float, crowd: bool, seed: int) -> tuple[Grades, dict[str, Rankings]]:
    """People's grades of the queries with enough relevant documents, and the runs: they are the same for each model."""
    every, real = _files()
    human = {query: docs for query, docs in every.items() if sum(grade > 0 for grade in docs.values()) >= 10}
    by_ideal = measure.startswith(("nDCG", "DCG"))
    aim = "nDCG@10" if by_ideal else measure
    beside = real if crowd else {BASELINE: real[BASELINE]}
    low, high = 0.0, 1.0
    for _ in range(14):
        share = (low + high) / 2
        runs = {**beside, PLANTED: _made(human, share, by_ideal, seed)}
        low, high = (share, high) if true_values(world_of(human, human, runs), aim)[PLANTED] < target else (low, share)
    return human, runs


def _made(human: Grades, share: float, best_first: bool, seed: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(seed)
    ranking = {}
    for query, docs in human.items():
        mixed = [list(docs)[i] for i in rng.permutation(len(docs)).tolist()]
        good = [doc for doc in mixed if docs[doc] > 0]
        poor = [doc for doc in mixed if docs[doc] <= 0]
        if best_first:
            good.sort(key=lambda doc: -docs[doc])
        picks = (rng.random(10) < share).tolist()
        ranking[query] = [(good if (pick and good) or not poor else poor).pop(0) for pick in picks]
    return ranking


def true_values(place: World, measure: str) -> dict[str, float]:
    """Each run's value by all human grades of the frame."""
    return {run: float(values.sum()) for run, values in _by_query(place, measure).items()}


def _by_query(place: World, measure: str) -> dict[str, np.ndarray]:
    frame, (variant,) = place.frame, variants_of(measure)
    form = form_of(frame, variant)
    gains = form.gain(np.array([place.human[query][doc] for query, doc in frame.pairs]))
    return {run: query_values(frame, form, form.weights[at], gains) for at, run in enumerate(frame.runs)}


@dataclass(frozen=True)
class Covered:
    """One value over many draws of human grades.

    covers, human_covers   how often the interval held the full human value, corrected and from the draw alone
    over_queries           how often the interval over queries held it
    width, human_width     the mean widths
    bias                   the mean error of the corrected value
    answered               the share of draws that gave an interval; the others count nowhere
    """

    run: str
    baseline: str | None
    truth: float
    naive: float
    covers: float
    width: float
    human_covers: float
    human_width: float
    over_queries: float
    bias: float
    answered: float


def corrected(
    place: World,
    measure: str,
    number: int,
    trials: int,
    *,
    compare: bool = False,
    probabilities: np.ndarray | None = None,
    whole_queries: bool = False,
    resample: bool = False,
    only: str | None = None,
    seed: int = 0,
) -> list[Covered]:
    """Each run's coverage (its difference to the first, with `compare`), from about `number` human grades a draw.

    probabilities   of pairs; a plain draw where there are none
    whole_queries   queries are drawn with all of their pairs, as many as hold so many pairs on average
    resample        the queries are drawn first, with replacement
    only            the one run to look at
    """
    truths = true_values(place, measure)
    rng = np.random.default_rng([seed, number])
    runs = [run for run in place.frame.runs[compare:] if only in (None, run)]
    first = place.frame.runs[0] if compare else None
    seen: dict[str, list[Corrected]] = {run: [] for run in runs}
    here = place
    for _ in range(trials):
        if resample:
            here = _other_queries(place, rng)
        frame = here.frame
        form = form_of(frame, variants_of(measure)[0])
        sample = _draw(here, number, probabilities, whole_queries, rng)
        for run in runs:
            at = frame.runs.index(run)
            weights = form.weights[at] - form.weights[0] if compare else form.weights[at]
            seen[run].append(estimate(sample, form, weights, run, first, LEVEL))
    return [_summed(run, first, truths[run] - (truths[first] if first else 0.0), seen[run]) for run in runs]


def _summed(run: str, baseline: str | None, truth: float, seen: list[Corrected]) -> Covered:
    ours, alone, over = ([getattr(one, name) for one in seen] for name in ("corrected", "human", "over_queries"))
    answered = [one for one in ours if isinstance(one, AgreementFigure)]
    return Covered(
        run, baseline, truth, float(np.mean([one.naive for one in seen])),
        _held(ours, truth), _width(ours), _held(alone, truth), _width(alone), _held(over, truth),
        float(np.mean([one.value - truth for one in answered])) if answered else float("nan"),
        len(answered) / len(ours),
    )  # fmt: skip


def _held(answers: list[AgreementAnswer], truth: float) -> float:
    held = [one.low - 1e-12 <= truth <= one.high + 1e-12 for one in answers if isinstance(one, AgreementFigure)]
    return float(np.mean(held)) if held else float("nan")


def _width(answers: list[AgreementAnswer]) -> float:
    widths = [one.high - one.low for one in answers if isinstance(one, AgreementFigure)]
    return float(np.mean(widths)) if widths else float("nan")


def _other_queries(place: World, rng: np.random.Generator) -> World:
    """As many queries, drawn with replacement; one that is drawn twice is two queries."""
    ids = list(place.human)
    drawn = {f"{at}": ids[i] for at, i in enumerate(rng.integers(0, len(ids), len(ids)).tolist())}

    def taken(by_query: Mapping[str, object]) -> dict[str, object]:
        return {new: by_query[old] for new, old in drawn.items() if old in by_query}

    runs = {name: taken(ranking) for name, ranking in place.runs.items()}
    return world_of(taken(place.human), taken(place.model), runs)  # type: ignore[arg-type]


def _draw(
    place: World, number: int, p: np.ndarray | None, whole_queries: bool, rng: np.random.Generator
) -> GradedSample:
    frame = place.frame
    if p is None and not whole_queries:
        rows = rng.permutation(len(frame.pairs))[:number]
        return GradedSample(frame, _grades(place, rows), None)
    if whole_queries:
        p, chosen = draw_queries(frame, number, rng)
    else:
        assert p is not None
        chosen = draw(p, rng)
    pairs = [PlannedPair(q, d, float(p[i]), bool(chosen[i])) for i, (q, d) in enumerate(frame.pairs)]
    plan = JudgingPlan("", frame.runs, False, frame.depth, 0, pairs, whole_queries=whole_queries)
    return GradedSample(frame, _grades(place, np.flatnonzero(chosen)), plan)


def _grades(place: World, rows: np.ndarray) -> dict[str, dict[str, int]]:
    grades: dict[str, dict[str, int]] = {}
    for row in rows.tolist():
        query, doc = place.frame.pairs[row]
        grades.setdefault(query, {})[doc] = place.human[query][doc]
    return grades


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


# ---- whom a judge favors -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Favored:
    """A group of runs over many draws of human grades: the truth, how often the interval held it, and how often it was
    called favored or disfavored at 5%."""

    truth: float
    covers: float
    called: float
    answered: float


def favored(
    place: World, group: tuple[str, ...], number: int, trials: int, *, neutral: bool = False, seed: int = 0
) -> Favored:
    """Queries are drawn with replacement, then pairs of them; every query with all its pairs has the truth.

    neutral   instead of drawing queries, the judge's grades are dealt anew among pairs with the same human grade, so
              that it favors nobody
    """
    rng = np.random.default_rng([seed, number])
    truth = 0.0
    if not neutral:
        (whole,) = biases(place.on_frame, place.model, place.runs, {"": group}, 10, LEVEL)
        truth = float(whole.at_equal_grades.value or 0.0)
    held, called = [], []
    for _ in range(trials):
        # Dealing grades anew is chance enough: with queries drawn on top of it, zero would not be what is estimated.
        here = _neutral(place, rng) if neutral else _other_queries(place, rng)
        rows = rng.permutation(len(here.frame.pairs))[:number]
        (found,) = biases(_grades(here, rows), here.model, here.runs, {"": group}, 10, LEVEL)
        answer = found.at_equal_grades
        if isinstance(answer, AgreementFigure):
            held.append(answer.low <= truth <= answer.high)
            called.append(found.p_value is not None and found.p_value < 0.05)
    return Favored(truth, float(np.mean(held)), float(np.mean(called)), len(held) / trials)


def _neutral(place: World, rng: np.random.Generator) -> World:
    human = np.array([place.human[query][doc] for query, doc in place.frame.pairs])
    model = place.frame.model.copy()
    for grade in np.unique(human).tolist():
        rows = np.flatnonzero(human == grade)
        model[rows] = model[rng.permutation(rows)]
    dealt: dict[str, dict[str, int]] = {query: {} for query in place.model}
    for (query, doc), grade in zip(place.frame.pairs, model.tolist(), strict=True):
        dealt[query][doc] = grade
    return World(place.human, dealt, place.runs, place.frame)
