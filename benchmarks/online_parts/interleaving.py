"""Interleaving against A/B trials: how many sessions each needs for the same decision, on users fitted to a click log.

Real rankings of dl20, users fitted to real clicks, and rankproof's own interleaving. Users are not drawn: what is to be
expected of them on a page is computed. Lists are drawn, `LISTS` for each query, pair and method; the interval of a
pair's ratio is that of its lists. The interval of a median over pairs is over resampled queries, with the results on
them and how attractive these happen to be: what another sample of queries would change. A pair on which the two decide
for different systems has no ratio, and is left out of the median.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from benchmarks.online_parts.needed import Size, equal_weights, interleaved, resampled_weights, trial
from benchmarks.online_parts.pages import INTERLEAVINGS, METHODS, METRICS, alone, drawn, earned
from benchmarks.online_parts.replay import Crowd, interleavings, trials
from benchmarks.online_parts.searches import APPEALS, DATA, Pair, Searches
from benchmarks.online_parts.tables import met, percent, rated, row, table
from benchmarks.online_parts.users import Floats, Users, fitted
from benchmarks.simulation.worlds import Rate

from rankproof.online.clicks.read import read_pages

LISTS, RESAMPLES, REPLAYS = 1_000, 2_000, 500
SHORT = {"BM25_then_": "", "_P_P_ENSEMBLE_DISTIL": "", "D_BERT_KD_": "", "_depth": "-"}
REACH = 1.96


@dataclass(frozen=True, eq=False)
class Compared:
    """One pair of systems before one kind of users: sizes by method of interleaving and by metric of a trial.

    The first row of each size is of the queries as they are, the others of resampled ones. `error` is by method the
    standard error of the effect that comes from the number of lists.
    """

    pair: Pair
    interleaved: dict[str, Size]
    trials: dict[str, Size]
    error: dict[str, float]

    def ratios(self, method: str, metric: str) -> Floats:
        """Sessions of the trial for one of the interleaving; NaN where the two decide for different systems."""
        one, other = self.interleaved[method], self.trials[metric]
        return np.where((one.effect > 0) == (other.effect > 0), other.sessions / one.sessions, np.nan)

    def ratio(self, method: str, metric: str) -> str:
        """The ratio with the interval of the lists; a bound where these cannot tell who is preferred."""
        one, other = self.interleaved[method], self.trials[metric]
        size, off = abs(float(one.effect[0])), REACH * self.error[method]
        most = float(other.sessions[0] / one.sessions[0]) * ((size + off) / size) ** 2
        if off >= size:
            return f"at most {short(most)}"
        ratio = float(self.ratios(method, metric)[0])
        if np.isnan(ratio):
            return "signs differ"
        return f"{short(ratio)} [{short(ratio * ((size - off) / size) ** 2)}, {short(most)}]"


class Study:
    """The searches, the users, and lists that are drawn once for all users."""

    def __init__(self, lists: int = LISTS, resamples: int = RESAMPLES, seed: int = 0) -> None:
        self.searches = Searches()
        self.users = fitted(read_pages(DATA / "clicks" / "yandex_sample.txt"))
        self.seed = seed
        self.kept: dict[tuple[str, str], list[Compared]] = {}
        many = len(self.searches.queries)
        rng = np.random.default_rng([seed, 6])
        self.weights = np.concatenate([equal_weights(many), resampled_weights(many, resamples, rng)])
        self.lists = {
            (pair, method): drawn(self.searches, pair, method, lists, f"{seed}")
            for pair in self.searches.pairs
            for method in INTERLEAVINGS
        }

    def attraction(self, users: Users, appeal: str) -> Floats:
        """The same for every table."""
        rng = np.random.default_rng([self.seed, 7, self.users.index(users), APPEALS.index(appeal)])
        return self.searches.attraction(users, appeal, rng)

    def compared(self, users: Users, appeal: str) -> list[Compared]:
        """Every pair before one kind of users; computed once."""
        key = users.name, appeal
        if key not in self.kept:
            self.kept[key] = list(self._compared(users, appeal))
        return self.kept[key]

    def _compared(self, users: Users, appeal: str) -> Iterator[Compared]:
        attraction = self.attraction(users, appeal)
        metrics = {name: alone(self.searches.shown(name), users, attraction) for name in self.searches.values}
        for pair in self.searches.pairs:
            sizes, errors = {}, {}
            for method in METHODS:
                lists = self.lists[pair, method.partition(",")[0]]
                margin, errors[method] = earned(method, lists, users, attraction)
                sizes[method] = interleaved(margin, self.weights)
            trials = {
                metric: trial(metrics[pair.worse][metric], metrics[pair.better][metric], self.weights)
                for metric in METRICS
            }
            yield Compared(pair, sizes, trials, errors)


def named(pair: Pair) -> str:
    """Short names."""
    text = f"{pair.worse} < {pair.better}"
    for long, short in SHORT.items():
        text = text.replace(long, short)
    return text


def facts(searches: Searches) -> Iterator[str]:
    """What the two systems of a pair show: how much of it is the same, and how good it is by its grades."""
    grades = np.array(searches.grades)
    for pair in searches.pairs:
        worse, better = searches.shown(pair.worse), searches.shown(pair.better)
        common = np.mean([len(np.intersect1d(*rows)) for rows in zip(worse, better, strict=True)])
        same = float((worse[:, 0] == better[:, 0]).mean())
        first, ten = (
            " and ".join(f"{grades[shown[:, :ranks]].mean():.2f}" for shown in (worse, better))
            for ranks in (1, worse.shape[1])
        )
        yield row(named(pair), f"{pair.difference:.3f}", f"{common:.1f}", percent(same, 0), first, ten)


def sessions(study: Study, appeal: str) -> Iterator[str]:
    """The sessions that each way needs."""
    for users in study.users:
        for one in study.compared(users, appeal):
            sizes = [*(one.interleaved[method] for method in METHODS), *(one.trials[metric] for metric in METRICS)]
            cells = [f"{size.sessions[0]:,.0f}{' against' if size.effect[0] < 0 else ''}" for size in sizes]
            yield row(users.name, named(one.pair), f"{one.pair.difference:.3f}", *cells)


def ratios(study: Study, appeal: str) -> Iterator[str]:
    """How many sessions of a trial stand for one of interleaving, pair by pair, by the metric that needs fewest."""
    for users in study.users:
        for one in study.compared(users, appeal):
            best = min(METRICS, key=lambda metric: one.trials[metric].sessions[0])
            yield row(users.name, named(one.pair), best, *(one.ratio(method, best) for method in METHODS))


def medians(study: Study, metric: str) -> Iterator[str]:
    """The median over pairs for one metric of the trial, by users, way to be attracted and method."""
    for users in study.users:
        for appeal in APPEALS:
            pairs = study.compared(users, appeal)
            cells = [median([one.ratios(method, metric) for one in pairs]) for method in METHODS]
            yield row(users.name, appeal, *cells)


def median(ratios: Sequence[Floats]) -> str:
    """Over the pairs that have a ratio, and the 95% interval over resampled queries that leave any."""
    every = np.array(ratios)
    there = np.isfinite(every)
    if not there[:, 0].any():
        return "none of them"
    found = np.nanmedian(every[:, there.any(axis=0)], axis=0)
    low, high = np.quantile(found[1:], [0.025, 0.975])
    told = f"{short(found[0])} [{short(low)}, {short(high)}]"
    many = int(there[:, 0].sum())
    return told if many == len(every) else f"{told} ({many} {'pair' if many == 1 else 'pairs'})"


def decisions(study: Study, appeal: str) -> Iterator[str]:
    """For which of the two systems each way decides."""
    for users in study.users:
        pairs = study.compared(users, appeal)
        sizes = [[one.interleaved[method] for one in pairs] for method in METHODS]
        sizes += [[one.trials[metric] for one in pairs] for metric in METRICS]
        yield row(users.name, appeal, *(sum(size.effect[0] > 0 for size in each) for each in sizes))


def powers(study: Study, appeal: str, many: int) -> Iterator[str]:
    """Whole experiments of the computed size, for the pair that takes the fewest sessions of an A/B trial."""
    for at, users in enumerate(study.users):
        if len(users.eagerness) > 1:
            continue
        one = min(study.compared(users, appeal), key=lambda one: one.trials["clicks"].sessions[0])
        rng = np.random.default_rng([study.seed, 8, at])
        crowd = Crowd(study.searches, users, study.attraction(users, appeal), rng)
        for method in ("team_draft", "probabilistic"):
            size = one.interleaved[method]
            yield power(users, one, method, size, interleavings(crowd, one.pair, method, size, many))
        for metric in ("clicks", "success"):
            size = one.trials[metric]
            yield power(users, one, f"A/B {metric}", size, trials(crowd, one.pair, metric, size, many))


def power(users: Users, one: Compared, name: str, size: Size, found: Rate) -> str:
    """One line: planned for 80%, within three standard errors and what a normal approximation costs."""
    near = met("80% ± 6", abs(found.share - 0.8) <= 0.06)
    return row(users.name, named(one.pair), name, f"{np.ceil(size.sessions[0]):,.0f}", rated(found), near)


def short(value: float) -> str:
    """Two digits or so."""
    if value >= 10:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 1 else f"{value:.2f}" if value >= 0.095 else f"{value:.1g}"


def study(share: float, seed: int) -> None:
    """Prints the tables; `share` is that of the long form's lists, resamples and experiments."""
    if not DATA.is_dir():
        sys.exit(f"No click log and no runs: there is no folder {DATA}.")
    made = Study(round(LISTS * share), round(RESAMPLES * share), seed)
    searches = made.searches
    print(f"\n{len(searches.pairs)} pairs of {len(searches.values)} systems, {len(searches.queries)} queries.")
    for users in made.users:
        kinds = ", ".join(f"{percent(part)} x {factor:.2f}" for part, factor in users.eagerness)
        appeals = ", ".join(f"{values.mean():.3f}" for values in users.appeals)
        print(f"\n{users.name}: attractiveness by grade {appeals}; sessions {kinds}", end=".\n")
    head = "pair | nDCG@10 | common results of ten | same first result | mean grade of the first | of the first ten"
    table("Pairs of systems", head, facts(searches))
    trials_by = " | ".join(f"A/B {metric}" for metric in METRICS)
    head = f"users | pair | nDCG@10 | {' | '.join(METHODS)} | {trials_by}"
    table("Sessions for a decision with 80% power at 5%, attractiveness `own`", head, sessions(made, "own"))
    head = f"users | pair | A/B by | {' | '.join(METHODS)}"
    table("Sessions of the best A/B trial for one of interleaving, attractiveness `own`", head, ratios(made, "own"))
    head = f"users | attractiveness | {' | '.join(METHODS)}"
    for metric in METRICS:
        title = f"Sessions of an A/B trial on {metric} for one of interleaving, median over pairs"
        table(title, head, medians(made, metric))
    every = (line for appeal in APPEALS for line in decisions(made, appeal))
    table(f"Decisions that agree with nDCG@10, of {len(searches.pairs)}", f"{head} | {trials_by}", every)
    head = "users | pair | by | sessions | decides for the better system | wanted"
    table("Whole experiments of that size, attractiveness `own`", head, powers(made, "own", round(REPLAYS * share)))
