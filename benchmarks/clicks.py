"""How long click models take to learn from many pages, and how well they foretell held-out clicks.

    python benchmarks/clicks.py                       a million pages of made-up users; scored on the same
    python benchmarks/clicks.py --pages 100000        fewer
    python benchmarks/clicks.py --file PAGES          pages of a file, even to learn from and odd to test on

Time is of the processor, for one model after the other on one thread; the pages are in memory. What reading logs takes
is measured by clicks_reading.py, and whether confidence is right by clicks_confidence.py.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.clickmodels.user_browsing import UserBrowsing
from rankproof.online.clicks.examination import curve
from rankproof.online.clicks.read import read_pages
from rankproof.online.clicks.simulate import draw_clicks
from rankproof.online.clicks.study import even_and_odd, score
from rankproof.online.impressions import Impressions

QUERIES, POOL, RANKS = 10_000, 20, 10


def made_up(pages: int, rng: np.random.Generator) -> Impressions:
    """Pages of 10,000 queries, few of them asked often: ten of twenty documents each, the better tend to be above."""
    queries = np.minimum((QUERIES ** rng.random(pages)).astype(np.int64), QUERIES - 1)
    order = np.argsort(rng.random((pages, POOL)) + np.linspace(0, 1, POOL), axis=1)[:, :RANKS]
    names = tuple(f"q{i}" for i in range(QUERIES)), tuple(f"d{i}" for i in range(POOL))
    nothing = np.zeros((pages, RANKS), dtype=np.bool_)
    shown = Impressions.of(*names, queries, order, np.full(pages, RANKS), nothing)
    liked = rng.beta(1, 3, len(shown.pairs))
    looked = np.tril(0.9 / (1 + 0.3 * np.abs(np.arange(RANKS)[:, None] - np.arange(RANKS))))
    return draw_clicks(UserBrowsing(liked, looked), shown, rng)


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pages", type=int, default=1_000_000)
    reader.add_argument("--file", type=Path)
    asked = reader.parse_args()
    began = time.process_time()
    if asked.file:
        pages = read_pages(asked.file)
        train, test = even_and_odd(pages)
    else:
        pages = train = test = made_up(asked.pages, np.random.default_rng(0))
    print(f"{len(pages):,} pages, {len(pages.pairs):,} pairs, {int(pages.clicks.sum()):,} clicks")
    tested = "the same" if test is train else f"{len(test):,} others"
    print(f"read or made in {time.process_time() - began:.1f} s; learned from {len(train):,}, tested on {tested}")
    for reason, count in pages.dropped.items():
        print(f"dropped: {count:,} {reason}")
    print(f"{'model':<18}{'seconds':>8}{'log-likelihood':>16}{'conditional':>13}{'marginal':>10}")
    for name in shelf.offered("clickmodels"):
        call = read_configured("clickmodels", name)
        began = time.process_time()
        fitted = call.item.fit(train, call.values)
        took = time.process_time() - began
        found = score(fitted, test)
        means = f"{found.conditional.mean:>13.4f}{found.marginal.mean:>10.4f}"
        print(f"{name:<18}{took:>8.2f}{found.log_likelihood:>16.4f}{means}", flush=True)
    if asked.file:
        for model in ("position_based", "user_browsing"):
            print(f"looks against rank 1, {model}, 95% intervals:")
            for one in curve(pages, model).ranks:
                print(f"  rank {one.rank:>2}  {one.value:.3f}  [{one.low:.3f}, {one.high:.3f}]")
    return 0


if __name__ == "__main__":
    sys.exit(main())
