"""A made-up ramp for tests: its policy, its trial and its gate in a folder, and day files drawn from a seed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from rankproof.online.trial.days import Day, DayCell
from rankproof.online.trial.design import read_design
from rankproof.online.trial.moments import from_counts, tally_of

GATE = """
[policy]
name = "offline"
qrels = "qrels"
baseline = "old.run"
candidate = "new.run"

[[rule]]
rule = "least_value"
measure = "RR"
at_least = 0.5
basis = "point"
"""
TRIAL = """
[trial]
name = "new ranking"
control = "old"
shares = {old = 0.5, new = 0.5}
method = "sequence(units=20000)"

[[metric]]
ready = "success"

[[metric]]
ready = "latency"
role = "guardrail"
margin = 0.1
"""
RAMP = """
[ramp]
trial = "trial.toml"
gate = "gate.toml"

[[step]]
share = 0.01
least_days = 2
least_units = 10000

[[step]]
share = 0.05
least_days = 2

[[step]]
share = 0.5
least_days = 2
most_days = 5
advance = "pass"
"""
UNITS = 10_000


def written(folder: Path, *, gate: bool = True, ranked: str = "r x") -> Path:
    """The folder of a ramp that has not begun. `ranked` is how the candidate ranks the one relevant document."""
    (folder / "days").mkdir(parents=True)
    (folder / "trial.toml").write_text(TRIAL)
    (folder / "ramp.toml").write_text(RAMP if gate else RAMP.replace('gate = "gate.toml"\n', ""))
    (folder / "gate.toml").write_text(GATE)
    queries = [f"q{i}" for i in range(1, 6)]
    (folder / "qrels").write_text("".join(f"{query} 0 r 1\n" for query in queries))
    for name, docs in (("old", "x r"), ("new", ranked)):
        lines = [
            f"{query} Q0 {doc} {rank} {9 - rank} {name}\n"
            for query in queries
            for rank, doc in enumerate(docs.split(), start=1)
        ]
        (folder / f"{name}.run").write_text("".join(lines))
    return folder


def drawn(folder: Path, date: str, share: float, *, gain: float = 0.0, slow: float = 1.0, seed: int = 0) -> Day:
    """A day: 30% of the units of the control succeed, `gain` more of the treatment, whose latency is `slow` times."""
    design = read_design(folder / "trial.toml")
    rng = np.random.default_rng([seed, int(date.replace("-", ""))])
    new = int(rng.binomial(UNITS, share))
    units = {"old": UNITS - new, "new": new}
    moments, tallies = {}, {}
    for name, n in units.items():
        treated = name == "new"
        moments[DayCell("success", name)] = from_counts(int(rng.binomial(n, 0.3 + gain * treated)), n)
        times = rng.lognormal(np.log(100), 0.5, n) * (slow if treated else 1.0)
        tallies[DayCell("latency", name)] = tally_of(np.round(times).tolist())
    return Day(
        trial=design.name,
        dates=(date,),
        unit=design.unit,
        enter=design.enter,
        shares={"old": 1 - share, "new": share},
        metrics={metric.name: metric.collected() for metric in design.metrics},
        strata=(),
        segments=(),
        units=units,
        rows=UNITS,
        moments=moments,
        tallies=tallies,
    )


def put_day(folder: Path, number: int, share: float, *, gain: float = 0.0, slow: float = 1.0, seed: int = 0) -> Path:
    """Writes the file of the day with that number, as a collection would."""
    date = f"2026-03-{number:02d}"
    path = folder / "days" / f"{date}.json"
    day = drawn(folder, date, share, gain=gain, slow=slow, seed=seed)
    path.write_text(json.dumps(day.to_dict()))
    return path
