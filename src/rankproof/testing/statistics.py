"""Small samples for statistical methods: differences, families, units of variants, logged pages and decisions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel import shelf
from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.counterfactual.records import Decisions, PredictedRewards, TargetDisplay
from rankproof.online.impressions import Impressions
from rankproof.online.trial.effects import effect_of
from rankproof.online.trial.moments import moments_of
from rankproof.online.trial.records import Metric
from rankproof.online.trials.contract import EffectRequest
from rankproof.proving.corrections.contract import Block, Tests
from rankproof.proving.significance.contract import Significance, SignificanceRequest


def family(p_values: Sequence[float | None], level: float = 0.95) -> Tests:
    """Tests with these p-values, of means with standard error 1 and normal intervals; None is one not made."""
    from scipy.special import ndtri

    def at_level(at: float) -> list[Answer]:
        reach = float(ndtri((1 + at) / 2))
        answers: list[Answer] = []
        for p in p_values:
            if p is None:
                answers.append(NotEstimable("no query differs: there is nothing to test", "z", 50, 0.0))
            else:
                value = -float(ndtri(p / 2))
                answers.append(Estimate(value, value - reach, value + reach, p, at, "z", 50))
        return answers

    return Tests(at_level(level), at_level, (), level, 1_000)


def all_pairs(tables: Sequence[Sequence[Sequence[float]]], level: float = 0.95, resamples: int = 9_999) -> Tests:
    """Every pair of the systems of each table (queries by systems), by the t test; one block for each table."""
    student: Significance = shelf.find("significance", "t")
    blocks: list[Block] = []
    columns: list[NDArray[np.float64]] = []
    for table in tables:
        scores = np.array(table, dtype=np.float64)
        pairs = tuple(itertools.combinations(range(scores.shape[1]), 2))
        blocks.append(Block(scores, pairs, tuple(range(len(columns), len(columns) + len(pairs)))))
        columns += [scores[:, b] - scores[:, a] for a, b in pairs]

    def at_level(at: float) -> list[Answer]:
        rng = np.random.default_rng(0)
        return [student.infer(column, SignificanceRequest(at), rng) for column in columns]

    return Tests(at_level(level), at_level, blocks, level, resamples)


def adjusted(correction: str, tests: Tests, seed: int = 0) -> list[float | None]:
    """The p-values a correction makes of a family, to three places; None for a test that was not made."""
    from rankproof.kernel import shelf

    made = shelf.find("corrections", correction).adjust(tests, np.random.default_rng(seed))
    return [None if one is None else round(one.p_value, 3) for one in made]


def inferred(method: str, differences: Sequence[float], seed: int = 0, **request: Any) -> str:
    """The mean, its interval and p-value in a line; the reason where there are none."""
    item = shelf.find("significance", method)
    answer = item.infer(
        np.array(differences, dtype=np.float64), SignificanceRequest(**request), np.random.default_rng(seed)
    )
    if isinstance(answer, Estimate):
        return f"{answer.value:.3g} [{answer.low:.3g}, {answer.high:.3g}] p = {answer.p_value:.4g}"
    return f"not estimable: {answer.reason}"


def trial_inferred(method: str, control: Sequence[float], treatment: Sequence[float], **request: Any) -> str:
    """The difference of means, its interval and p-value in a line; the reason where there are none."""
    call = read_configured("trials", method)
    effect = effect_of(moments_of(control), moments_of(treatment), Metric("made up"))
    answer = call.item.answer(effect, EffectRequest(**request), call.values)
    if isinstance(answer, Estimate):
        return f"{answer.value:.3g} [{answer.low:.3g}, {answer.high:.3g}] p = {answer.p_value:.4g}"
    return f"not estimable: {answer.reason}"


def logged_decisions(
    propensities: Sequence[float], rewards: Sequence[float], new: Sequence[float], believed: float | None = None
) -> Decisions:
    """One decision on each page of one query: logged with a propensity, by the new system with another."""
    n = len(rewards)
    weights = np.asarray(new, dtype=np.float64) / np.asarray(propensities, dtype=np.float64)
    target = np.array([0])
    return Decisions(
        queries=np.zeros(n, dtype=np.int64),
        units=np.arange(n),
        logged=np.asarray(rewards, dtype=np.float64),
        pages=np.arange(n),
        cells=np.zeros(n, dtype=np.int64),
        rewards=np.asarray(rewards, dtype=np.float64),
        weights=weights,
        looked=np.ones(n),
        norms=None,
        group_of=np.zeros(1, dtype=np.int64),
        target=TargetDisplay(target, target, np.ones(1)),
        balanced=True,
        believed=None if believed is None else PredictedRewards(np.full(n, believed), np.full(n, believed)),
    )


def valued(text: str, decisions: Decisions) -> float:
    """The estimate alone."""
    call = read_configured("estimators", text)
    return float(call.item.estimate(decisions, call.values).value)


def pages_of(*pages: str) -> Impressions:
    """Impressions from texts such as `"q: a B c"`: the query, and its documents by rank, capitals where clicked."""
    queries: dict[str, int] = {}
    docs: dict[str, int] = {}
    split = [(query.strip(), shown.split()) for query, _, shown in (page.partition(":") for page in pages)]
    ranks = max(len(shown) for _, shown in split)
    of = np.array([queries.setdefault(query, len(queries)) for query, _ in split])
    at = np.zeros((len(pages), ranks), dtype=np.int64)
    clicks = np.zeros((len(pages), ranks), dtype=np.bool_)
    for row, (_, shown) in enumerate(split):
        at[row, : len(shown)] = [docs.setdefault(doc.lower(), len(docs)) for doc in shown]
        clicks[row, : len(shown)] = [doc != doc.lower() for doc in shown]
    lengths = np.array([len(shown) for _, shown in split])
    return Impressions.of(tuple(queries), tuple(docs), of, at, lengths, clicks)
