"""`rankproof relate`: a table with standard errors and one without, kept documents, and what is refused."""

from __future__ import annotations

import json

from tests.cli.json_case import Case

NUMBERS = [(0.01, 0.5), (-0.02, -0.4), (0.03, 0.9), (0.0, 0.1), (0.02, 0.2), (0.05, 1.3), (-0.01, 0.3), (0.04, 0.8)]
ROWS = [f"c{i},{x},0.004,{abs(x) / 2},{y},0.2" for i, (x, y) in enumerate(NUMBERS)]
HEADER = "change,offline:nDCG@10,offline:nDCG@10:se,offline:P@1,online:success,online:success:se"
PLAIN = "\n".join(["change,offline:AP,online:ctr", *(f"c{i},{x},{y}" for i, (x, y) in enumerate(NUMBERS[:4]))])
METRIC = {"name": "success", "kind": "mean", "better": "higher", "covariate": "", "at": None}
TRIAL = {
    "schema": "trial/1",
    "trial": {
        "method": "welch",
        "confidence": 0.95,
        "withheld": None,
        "effects": [
            {
                "metric": METRIC,
                "variant": "treatment",
                "segment": None,
                "scale": "absolute",
                "effect": {"value": 0.5, "low": 0.1, "high": 0.9, "p_value": 0.01, "n": 4000},
                "direction": "better",
            }
        ],
    },
}
TABLE = '[[change]]\nname = "{}"\ncomparison = "relate_comparison.json"\ntrial = "relate_trial.json"\n'
FILES = {
    "relate.csv": "\n".join([HEADER, *ROWS]) + "\n",
    "relate_plain.csv": PLAIN + "\n",
    "relate.toml": "".join(TABLE.format(name) for name in ("first", "second")),
    "relate_trial.json": json.dumps(TRIAL),
    "relate_nothing.csv": "change,nDCG\na,1\n",
}
STORED = ("compare qrels.trec bm25.run dense.run -m nDCG@10 --no-beyond --json -o relate_comparison.json",)

CASES = [
    Case("relate relate.csv --json", "relation/1"),
    Case("relate relate_plain.csv --by pearson --lower ctr --json", "relation/1"),
    Case("relate relate.toml --json", "relation/1"),
    Case("relate relate_nothing.csv --json", "error/1", 1),
    Case("relate relate.csv --lower nDGC@10 --json", "error/1", 2),
]
