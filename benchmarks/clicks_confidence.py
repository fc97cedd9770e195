"""How often grades from clicks are right, against the confidence that they come with: the table of docs/clicks.md.

    python benchmarks/clicks_confidence.py                 2 logs of 30,000 pages for each kind of user
    python benchmarks/clicks_confidence.py --logs 1

Pages have ten of the twenty documents of one of 300 queries, few of which are asked often; the better tend to stand
above. How much each document is liked is drawn from a Beta distribution, and users click as a click model says. Grades
are of pairs that were shown ten times or more, from that model or from another, which is then wrong.
"""

from __future__ import annotations

import argparse
import sys

import numpy as np

from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels.contract import Fitted, Floats
from rankproof.online.clickmodels.dynamic_bayesian import DynamicBayesian
from rankproof.online.clickmodels.position_based import PositionBased
from rankproof.online.clickmodels.user_browsing import UserBrowsing
from rankproof.online.clicks.grades import LIMITS, GradeStep, grades_of, often_shown, posterior
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.impressions import Impressions

PAGES, QUERIES, POOL, RANKS, LEAST = 30_000, 300, 20, 10, 10
BANDS = ((0.5, 0.6), (0.7, 0.8), (0.9, 0.97))
LIKINGS = (((1, 3), LIMITS), ((1, 10), LIMITS), ((2, 2), LIMITS), ((1, 40), (0.02, 0.05)))
WRONG = (("user_browsing", "position_based"), ("user_browsing", "ctr"), ("dynamic_bayesian", "position_based"))


def users(kind: str, liked: Floats, rng: np.random.Generator) -> tuple[Fitted, float]:
    """Users of a kind, and how likely they look at rank 1."""
    if kind == "position_based":
        looked = 0.9 / (1 + 0.35 * np.arange(RANKS))
        return PositionBased(liked, looked), float(looked[0])
    if kind == "user_browsing":
        after = np.tril(0.9 / (1 + 0.3 * np.abs(np.arange(RANKS)[:, None] - np.arange(RANKS))))
        return UserBrowsing(liked, after), float(after[0, 0])
    return DynamicBayesian(liked, rng.beta(2, 2, len(liked))), 1.0


def tried(
    kind: str, model: str, likings: tuple[int, int], limits: tuple[float, ...], seed: int
) -> tuple[Floats, Floats]:
    """The confidence of each grade, and whether it is right."""
    rng = np.random.default_rng(seed)
    queries = np.minimum((QUERIES ** rng.random(PAGES)).astype(np.int64), QUERIES - 1)
    docs = np.argsort(rng.random((PAGES, POOL)) + np.linspace(0, 1, POOL), axis=1)[:, :RANKS]
    names = tuple(f"q{i}" for i in range(QUERIES)), tuple(f"d{i}" for i in range(POOL))
    shown = Impressions.of(*names, queries, docs, np.full(PAGES, RANKS), np.zeros((PAGES, RANKS), dtype=np.bool_))
    liked = rng.beta(*likings, len(shown.pairs))
    truth, first = users(kind, liked, rng)
    pages = draw_clicks(truth, shown, rng)
    asked = read_configured("clickmodels", model)
    found = posterior(asked.item.fit(pages, asked.values), pages, often_shown(pages, LEAST))
    grades, sure = grades_of([GradeStep("click", limit) for limit in limits], {"click": found})
    return sure, (np.searchsorted(limits, liked[found.pairs] * first, side="right") == grades).astype(np.float64)


def row(kind: str, model: str, likings: tuple[int, int], limits: tuple[float, ...], logs: int) -> str:
    """One line of the table."""
    both = [tried(kind, model, likings, limits, 100 + seed) for seed in range(logs)]
    sure, right = (np.concatenate(columns) for columns in zip(*both, strict=True))
    cells = [f"{right[(sure >= low) & (sure < high)].mean():.2f}" for low, high in BANDS]
    at = "" if limits == LIMITS else f", limits {', '.join(map(str, limits))}"
    return f"| {kind} | {model} | Beta{likings}{at} | {right.mean():.3f} | {sure.mean():.3f} | {' | '.join(cells)} |"


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--logs", type=int, default=2)
    logs = reader.parse_args().logs
    for kind in ("position_based", "user_browsing", "dynamic_bayesian"):
        for likings, limits in LIKINGS:
            print(row(kind, kind, likings, limits, logs), flush=True)
    for kind, model in WRONG:
        print(row(kind, model, (1, 3), LIMITS, logs), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
