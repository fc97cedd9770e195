"""`rankproof trial`: two and three variants, a broken sample ratio, a look too early, plans, and what is refused."""

from __future__ import annotations

import numpy as np
from tests.cli.json_case import Case

HEAD = "user_id,variant,day,country,clicks,searches,success,latency,before"


def rows(variants: tuple[str, ...], likely: float, seed: int, date: str) -> str:
    """Users of a day: the last variant succeeds as often as it says, the others in half of the cases."""
    rng = np.random.default_rng(seed)
    lines = [HEAD]
    for unit in range(240):
        at = unit % len(variants)
        success = int(rng.random() < (likely if at == len(variants) - 1 else 0.5))
        clicks = int(rng.poisson(2)) + success
        lines.append(
            f"u{seed}-{unit},{variants[at]},{date},{'de' if unit % 5 else 'fr'},{clicks},{1 + unit % 3},"
            f"{success},{rng.lognormal(5, 0.3):.0f},{clicks // 2 + int(rng.poisson(1))}"
        )
    return "\n".join(lines) + "\n"


def design(name: str, shares: str, more: str = "") -> str:
    return (
        f'[trial]\nname = "{name}"\ncontrol = "old"\nshares = {{{shares}}}\n{more}\n'
        '[columns]\nday = "day"\nsegments = ["country"]\n'
        '[[metric]]\nready = "success"\n'
        '[[metric]]\nready = "clicks_per_search"\ncovariate = "before"\nrole = "guardrail"\nmargin = 0.9\n'
        '[[metric]]\nready = "latency"\nat = 0.5\nrole = "watch"\n'
    )


DAYS = ("2026-11-01", "2026-11-02", "2026-11-03")
FILES = {
    **{f"users{i}.csv": rows(("old", "new"), 0.95, i, date) for i, date in enumerate(DAYS)},
    "three.csv": rows(("old", "a", "b"), 0.6, 9, DAYS[0]),
    "two.toml": design("two", "old = 0.5, new = 0.5"),
    "three.toml": design("three", "old = 0.34, a = 0.33, b = 0.33"),
    "skewed.toml": design("two", "old = 0.9, new = 0.1"),
    "once.toml": design("two", "old = 0.5, new = 0.5", 'method = "welch"\nunits = 10000'),
}
STORED = (
    *(f"trial collect two.toml users{i}.csv -o two{i}.json" for i in range(len(DAYS))),
    "trial collect skewed.toml users0.csv -o skewed.json",
    "trial collect three.toml three.csv -o three.json",
)
CASES = [
    Case("trial collect two.toml users0.csv -o again.json --json", "trial-collect/1"),
    Case("trial collect two.toml users0.csv users1.csv users2.csv --into . --json", "trial-collect/1"),
    Case("trial collect two.toml users0.csv -o -", "day/1"),
    Case("trial collect two.toml three.toml -o again.json --json", "error/1", 1),
    Case("trial read two.toml two0.json two1.json two2.json --json", "trial/1"),
    Case("trial read once.toml two0.json --json", "trial/1", 3),
    Case("trial read skewed.toml skewed.json --json", "trial/1", 1),
    Case("trial read three.toml three.json --json", "trial/1", 3),
    Case("trial read two.toml two0.json two0.json --json", "error/1", 2),
    Case("trial plan --rate 0.3 --effect 0.02 --per-day 5000 --json", "trial-plan/1"),
    Case("trial plan --mean 2 --sd 3 -n 4000 --absolute --json", "trial-plan/1"),
    Case("trial plan two.toml --past two0.json --effect 0.05 --json", "trial-plan/1"),
    Case("trial plan --effect 0.05 --json", "error/1", 2),
]
