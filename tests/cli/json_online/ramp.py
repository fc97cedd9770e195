"""`rankproof ramp`: the look at the gate, where it stands, a replay, and what is refused."""

from __future__ import annotations

from tests.cli.json_case import Case

TRIAL = """
[trial]
name = "hybrid"
control = "old"
shares = {old = 0.5, new = 0.5}

[[metric]]
ready = "success"
"""
GATE = """
[policy]
qrels = "qrels.trec"
baseline = "bm25.run"
candidate = "hybrid.run"

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = AT_LEAST
"""
RAMP = """
[ramp]
trial = "ramp_trial.toml"
gate = "GATE"
days = "no_days"

[[step]]
share = 0.05

[[step]]
share = 0.5
least_days = 7
most_days = 28
advance = "pass"
"""
FILES = {
    "ramp_trial.toml": TRIAL,
    "ramp_passes.toml": GATE.replace("AT_LEAST", "0.1"),
    "ramp_fails.toml": GATE.replace("AT_LEAST", "0.99"),
    "ramp.toml": RAMP.replace("GATE", "ramp_passes.toml"),
    "ramp_stopped.toml": RAMP.replace("GATE", "ramp_fails.toml"),
    "ramp_new.toml": RAMP.replace("GATE", "ramp_passes.toml"),
    "ramp_odd.toml": RAMP.replace("share = 0.5\n", "share = 0.01\n"),
}
STORED = ("ramp ramp.toml",)

CASES = [
    Case("ramp ramp.toml --json", "ramp/1"),
    Case("ramp ramp_stopped.toml --json", "ramp/1", 1),
    Case("ramp ramp.toml --status --json", "ramp-status/1"),
    Case("ramp ramp_new.toml --status --json", "ramp-status/1"),
    Case("ramp ramp.toml --replay --json", "ramp-replay/1"),
    Case("ramp ramp_new.toml --replay --json", "ramp-replay/1"),
    Case("ramp nowhere.toml --json", "error/1", 2),
    Case("ramp ramp_odd.toml --json", "error/1", 2),
    Case("ramp ramp.toml --status --replay --json", "error/1", 2),
]
