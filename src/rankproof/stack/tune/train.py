"""Train: the model of a learned fusion, from the judgments of dev queries; then what it is worth on test queries.

How many trees are taken is decided by cross-validation: the dev queries are put into folds (equal texts into the same
one), a model is trained without each fold, and the measure is taken on the fold with more and more trees. The number
with the best mean is taken, which may be none at all: learning begins with reciprocal rank fusion, and then ends there.
A fold's own values count for the cross-validated gain with the number that the other folds would take, so that the
choice does not flatter it.

The gain is over the best of what needs no training: each pipeline that flows in, and their reciprocal rank fusion.
Which is the best is seen on dev; the same one is compared with on test, where nothing is chosen.

source: Burges, From RankNet to LambdaRank to LambdaMART, MSR-TR-2010-82, 2010
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UsageError
from rankproof.kernel.libraries import library
from rankproof.kernel.sections import counted
from rankproof.kernel.version import __version__
from rankproof.measuring.names import parse
from rankproof.reading.collection import Query
from rankproof.reading.datasets.queries import normal
from rankproof.reading.datasets.records import Dataset
from rankproof.reading.ranking import Ranking
from rankproof.stack.benchmark.failed import is_outage
from rankproof.stack.pipeline import Runner, read_pipeline
from rankproof.stack.records import Step
from rankproof.stack.stages._ltr_features import Candidates, LtrFeatures
from rankproof.stack.stages._ltr_model import MARK, WHO, LtrHeader, Trees, model_text, text_hash
from rankproof.stack.stages.fuse_ltr import NAME
from rankproof.stack.tune.assess import held_against
from rankproof.stack.tune.parameters import modes_of
from rankproof.stack.tune.records import Against, Gain, TuneConfig
from rankproof.stack.tune.search import Measured, Measurer, measured_run
from rankproof.stack.tune.training import Learned, Training, cautions_of, outcome_of
from rankproof.stack.tune.tune import OpenRunner, inference

FOLDS: Final = 5
# Numbers of trees that are tried, up to `trials`.
STEPS: Final = (5, 10, 20, 40, 80, 120, 160, 240, 320, 480, 640, 960)
# LightGBM takes no more documents for a query.
MOST_DOCUMENTS: Final = 10_000
PARAMETERS: Final[Mapping[str, object]] = {
    "objective": "lambdarank",
    "metric": "None",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 20,
    "lambda_l2": 1.0,
    "feature_pre_filter": False,
    "deterministic": True,
    "force_row_wise": True,
    "num_threads": 1,
    "verbosity": -1,
}
TRAINED: Final = "the trained mode"


def inputs_of(config: TuneConfig) -> tuple[Step, ...]:
    """The pipelines that flow into the mode that is trained; UsageError for a mode that cannot be."""
    step = modes_of(config.texts)[config.mode]
    if step.name != NAME:
        raise UsageError(
            f"{config.benchmark.source}: method = 'train' trains a mode that ends in {NAME}, and {config.mode} is "
            f"{step.text}. Write one such as: learned = \"{NAME}(lexical, vector, model='learned.txt')\", and name it "
            "as mode in [tune]."
        )
    return step.inputs


def refuse_other_file(path: str) -> None:
    """The model may take the place of an earlier one, and of nothing else."""
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(
            f"There is no folder {folder} to write the model into. Make it, or name another file as model."
        )
    if os.path.isdir(path):
        raise UsageError(f"{path} is a folder. Name a file as model.")
    if os.path.exists(path):
        with open(path, encoding="utf-8", errors="replace") as file:
            if file.readline().rstrip("\n") != MARK:
                raise UsageError(f"{path} is there already and is no learned fusion. Move it away first.")


@dataclass(frozen=True, slots=True, eq=False)
class _Rows:
    """All candidates of some queries, as LightGBM takes them."""

    queries: tuple[Query, ...]
    candidates: tuple[Candidates, ...]
    labels: tuple[NDArray[np.int64], ...]

    def some(self, places: Sequence[int]) -> _Rows:
        """Those of the queries at these places."""
        return _Rows(
            tuple(self.queries[i] for i in places),
            tuple(self.candidates[i] for i in places),
            tuple(self.labels[i] for i in places),
        )

    def ranked(self, trees: Trees | None, count: int) -> dict[str, Ranking]:
        """The ranking of each query by so many trees."""
        rankings = {}
        for query, each in zip(self.queries, self.candidates, strict=True):
            learned = np.zeros(len(each.doc_ids))
            if trees is not None and count and len(learned):
                learned = trees.predict(each.features, num_iteration=count)
            rankings[query.query_id] = each.ranked(learned)
        return rankings


def learn(config: TuneConfig, dev: Dataset, open_runner: OpenRunner) -> Learned:
    """Trains on dev, with what cross-validation says; nothing is written."""
    lightgbm = library("lightgbm", WHO)
    inputs = inputs_of(config)
    depth = config.benchmark.depth
    with open_runner(dev) as runner:
        runner.open(inputs)
        rankings = [_answers(runner, step) for step in inputs]
        identities = tuple(tuple(runner.identity(step)) for step in inputs)
        corpus = runner.ground.corpus
        references = _references(config, inputs, runner, dev)
    features = LtrFeatures(len(inputs), corpus, () if corpus is None else tuple(corpus.fields))
    queries = dev.judged_queries
    candidates = tuple(
        features.of(query, flowing, depth) for query, flowing in zip(queries, zip(*rankings, strict=True), strict=True)
    )
    grades = sorted({grade for query in queries for grade in dev.qrels.get(query.query_id, {}).values() if grade > 0})
    rows = _Rows(
        queries, candidates, tuple(_labels(dev, q, c, grades) for q, c in zip(queries, candidates, strict=True))
    )
    taught = _refuse_unteachable(rows, config)
    learner = _Learner(lightgbm, config, dev, rows, [0.0, *map(float, grades)])
    steps = (0, *(step for step in STEPS if step < config.trials), config.trials)
    values, chosen, trees = learner.cross_validated(steps)
    final = learner.trees(list(range(len(queries))), max(trees, 1))
    header = LtrHeader(
        features=features.names,
        fields=None if corpus is None else features.fields,
        inputs=tuple(step.text for step in inputs),
        keys=tuple(step.key for step in inputs),
        identities=tuple(tuple(dict(step) for step in steps_of) for steps_of in identities),
        depth=depth,
        corpus="" if corpus is None else corpus.content_hash,
        dataset=dev.content_hash,
        split=config.dev or f"a share of {config.share:g}, seed {config.seed}",
        queries={query.query_id: text_hash(query.text) for query in queries},
        grades=dict(sorted(_judged(dev, rows).items())),
        measure=config.measure,
        trees=trees,
        seed=config.seed,
        lightgbm=str(lightgbm.__version__),
        rankproof=__version__,
    )
    best = max(references, key=lambda name: learner.sign * references[name].mean)
    gains = _gains(values, references[best].by_query, learner.sign)
    infer = inference(config.benchmark.design, config.measure)
    gain = Gain(
        len(gains),
        references[best].mean,
        float(np.mean(list(values.values()))),
        infer(np.array(list(gains.values()))),
        gains,
    )
    fitted = measured_run(rows.ranked(final, trees), dev.qrels, config.measure).mean
    return Learned(
        header=header,
        text=model_text(header, final.model_to_string(num_iteration=trees)) if trees else "",
        references={name: one.mean for name, one in references.items()},
        reference=best,
        dev=gain,
        fitted=fitted,
        tried=chosen,
        importance=_importance(final, features.names) if trees else {},
        taught=taught,
        unjudged=_unjudged(dev, rows),
    )


def _answers(runner: Runner, step: Step) -> tuple[Ranking, ...]:
    """What a pipeline gives; InputError where a query has no answer, since no model should learn from an outage."""
    outcome = runner.run("input", step)
    lost = [failure for failure in outcome.failures if is_outage(failure)]
    if lost:
        raise InputError(
            f"{step.text} has no answer to {counted(len({one.query_id for one in lost}), 'dev query', 'dev queries')}, "
            f"so nothing was trained. {lost[0].query_id}: {lost[0].kind}: {lost[0].message}. Run it again."
        )
    return outcome.steps[-1].rankings


def _references(config: TuneConfig, inputs: Sequence[Step], runner: Runner, dev: Dataset) -> dict[str, Measured]:
    """What needs no training, by its text: each pipeline, and their reciprocal rank fusion."""
    measurer = Measurer(runner, dev, config.measure, inputs[0])
    found = {step.text: measurer(step) for step in (*inputs, untrained(inputs))}
    if not all(measured.by_query for measured in found.values()):
        raise InputError(f"{config.measure} has no value for any dev query: there is nothing to train for.")
    if any(measured.scale for measured in found.values()):
        raise UsageError(f"{config.measure} is no mean over queries, so folds cannot be held against each other.")
    return found


def untrained(inputs: Sequence[Step]) -> Step:
    """The reciprocal rank fusion of these."""
    named = {f"pipeline_{i}": step for i, step in enumerate(inputs)}
    return read_pipeline(f"fuse_rrf({', '.join(named)})", named)


def _labels(dev: Dataset, query: Query, candidates: Candidates, grades: Sequence[int]) -> NDArray[np.int64]:
    """The place of each grade among those above 0; 0 for what is not relevant, or not judged."""
    place = {grade: i for i, grade in enumerate(grades, 1)}
    judged = dev.qrels.get(query.query_id, {})
    return np.array([place.get(judged.get(doc, 0), 0) for doc in candidates.doc_ids], dtype=np.int64)


def _judged(dev: Dataset, rows: _Rows) -> Counter[str]:
    """How many judged candidates have each grade."""
    return Counter(
        str(grade)
        for query, each in zip(rows.queries, rows.candidates, strict=True)
        for doc in each.doc_ids
        if (grade := dev.qrels.get(query.query_id, {}).get(doc)) is not None
    )


def _unjudged(dev: Dataset, rows: _Rows) -> float:
    """The share of candidates that nobody judged."""
    pairs = sum(len(each.doc_ids) for each in rows.candidates)
    return 1 - sum(_judged(dev, rows).values()) / pairs if pairs else 0.0


def _refuse_unteachable(rows: _Rows, config: TuneConfig) -> int:
    """How many queries teach anything: those with candidates of two grades. InputError where they are too few."""
    most = max((len(each.doc_ids) for each in rows.candidates), default=0)
    if most > MOST_DOCUMENTS:
        raise InputError(
            f"A query has {most:,} candidates, and LightGBM takes {MOST_DOCUMENTS:,} at most. Set a lower depth in "
            "[benchmark]."
        )
    taught = sum(len(set(labels.tolist())) > 1 for labels in rows.labels)
    if taught < FOLDS:
        raise InputError(
            f"Only {counted(taught, 'dev query', 'dev queries')} of {len(rows.queries)} "
            f"{'has' if taught == 1 else 'have'} both relevant and other documents among the candidates; training "
            f"needs {FOLDS} or more, and some hundreds to be worth it. Judge more queries, or raise depth "
            f"({config.benchmark.depth}) or share in [tune]."
        )
    return taught


class _Learner:
    """Trains on some of the queries; deterministic in the configuration's seed."""

    def __init__(self, lightgbm: ModuleType, config: TuneConfig, dev: Dataset, rows: _Rows, gains: list[float]) -> None:
        self._lightgbm, self._config, self._dev, self._rows = lightgbm, config, dev, rows
        self._parameters = {**PARAMETERS, "seed": config.seed, "label_gain": gains}
        self.sign = -1.0 if parse([config.measure])[0].measure.better == "lower" else 1.0

    def trees(self, places: Sequence[int], rounds: int) -> Trees:
        """A model of so many trees, trained on the queries at these places."""
        rows = self._rows.some([i for i in places if len(self._rows.labels[i])])
        dataset = self._lightgbm.Dataset(
            np.concatenate([each.features for each in rows.candidates]),
            label=np.concatenate(rows.labels),
            group=[len(labels) for labels in rows.labels],
            init_score=np.concatenate([each.base for each in rows.candidates]),
            params={"verbosity": -1},
        )
        trees: Trees = self._lightgbm.train(dict(self._parameters), dataset, num_boost_round=rounds)
        return trees

    def folds(self) -> list[list[int]]:
        """Places of queries, drawn by the seed; equal texts are in one fold."""
        groups: dict[str, list[int]] = {}
        for i, query in enumerate(self._rows.queries):
            groups.setdefault(normal(query.text), []).append(i)
        rng = np.random.default_rng([self._config.seed, *b"folds"])
        order = [list(groups.values())[i] for i in rng.permutation(len(groups)).tolist()]
        return [[i for group in order[fold::FOLDS] for i in group] for fold in range(FOLDS)]

    def cross_validated(self, steps: Sequence[int]) -> tuple[dict[str, float], dict[int, float], int]:
        """By query the value of a model that did not see it; the mean by number of trees; the number to take."""
        folds = self.folds()
        values: dict[int, dict[str, float]] = {step: {} for step in steps}
        fold_of: dict[str, int] = {}
        for number, fold in enumerate(folds):
            inside = set(fold)
            trees = self.trees([i for i in range(len(self._rows.queries)) if i not in inside], steps[-1])
            held_out = self._rows.some(fold)
            fold_of.update((query.query_id, number) for query in held_out.queries)
            for step in steps:
                rankings = held_out.ranked(trees, step)
                part = self._dev.qrels.filter(set(rankings))
                values[step].update(measured_run(rankings, part, self._config.measure).by_query)
        fair = {}
        for number in range(len(folds)):
            step = self._best(values, [query for query in values[0] if fold_of[query] != number])
            fair.update({query: values[step][query] for query in values[0] if fold_of[query] == number})
        means = {step: float(np.mean(list(values[step].values()))) for step in steps}
        ordered = {query.query_id: fair[query.query_id] for query in self._rows.queries if query.query_id in fair}
        return ordered, means, self._best(values, list(values[0]))

    def _best(self, values: Mapping[int, Mapping[str, float]], queries: Sequence[str]) -> int:
        """The number of trees with the best mean over these queries; the smallest of equal ones."""
        means = {step: self.sign * float(np.mean([of_step[q] for q in queries])) for step, of_step in values.items()}
        top = max(means.values())
        return next(step for step, mean in means.items() if mean >= top - 1e-12)


def _gains(values: Mapping[str, float], reference: Mapping[str, float], sign: float) -> dict[str, float]:
    gains = {query: sign * (value - reference[query]) for query, value in values.items() if query in reference}
    return {query: 0.0 if abs(gain) < 1e-12 else gain for query, gain in gains.items()}


def _importance(trees: Trees, names: Sequence[str]) -> dict[str, float]:
    """The share of the loss that splits on each feature saved, greatest first; those that no tree uses are left out."""
    gain = trees.feature_importance("gain")
    shares = gain / gain.sum() if gain.sum() else gain
    ranked = sorted(zip(names, shares.tolist(), strict=True), key=lambda pair: -pair[1])
    return {name: share for name, share in ranked if share > 0}


def prove(config: TuneConfig, learned: Learned, dev: Dataset, test: Dataset, open_runner: OpenRunner) -> Training:
    """The trained mode against what needs no training, and against the other modes, on queries that it never saw."""
    corpus = learned.header.corpus
    seen = {query.query_id for query in test.judged_queries if learned.header.trained_on(query, corpus)}
    unseen = test.select({query.query_id for query in test.queries} - seen) if seen else test
    if not unseen.judged_queries:
        raise InputError("Every test query was trained on: there is nothing to test on. Name another split.")
    variant = parse([config.measure])[0].measure
    sign = -1.0 if variant.better == "lower" else 1.0
    gain: Gain | None = None
    against: tuple[Against, ...] = ()
    if learned.text:
        modes = modes_of(config.texts)
        inputs = modes[config.mode].inputs
        best = next(step for step in (*inputs, untrained(inputs)) if step.text == learned.reference)
        with open_runner(unseen) as runner:
            measurer = Measurer(runner, unseen, config.measure, modes[config.mode])
            trained, reference = measurer(modes[config.mode]), measurer(best)
            others = {name: step for name, step in modes.items() if name != config.mode}
            values = {name: measurer(step) for name, step in others.items()}
        design = replace(config.benchmark.design, all_pairs=False)
        (main,) = held_against(config, TRAINED, {best.text: reference}, trained, design, sign)
        gain = Gain(
            len(main.query_ids), reference.mean, trained.mean, main.difference,
            dict(zip(main.query_ids, main.by_query.tolist(), strict=True)),
        )  # fmt: skip
        family = held_against(config, TRAINED, values, trained, design, sign) if values else ()
        against = tuple(
            Against(c.candidate, others[c.candidate].text, values[c.candidate].mean, c.difference, c.p_value)
            for c in family
        )
    return Training(
        config=config,
        learned=learned,
        better=variant.better,
        test_queries=len(unseen.judged_queries),
        test=gain,
        against=against,
        outcome=outcome_of(gain),
        notes=cautions_of(learned, gain, len(seen)),
        dev_hash=dev.content_hash,
        test_hash=test.content_hash,
    )
