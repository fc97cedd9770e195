"""`clicks estimate --json`, in every setting, with and without an estimate."""

from __future__ import annotations

from tests.cli.json_case import Case

FILES = {
    "chosen.csv": "query_id,action,propensity,reward,session\n"
    + "".join(f"q01,{'ab'[i % 2]},0.5,{(i % 3) / 2},s{i // 2}\n" for i in range(40)),
    "chance.csv": "query_id,action,probability\nq01,a,0.75\nq01,b,0.25\n",
    "nothing.csv": "query_id,action,probability\nq01,c,1\n",
    "looked.csv": "rank,examination\n1,1\n2,0.7\n3,0.5\n4,0.4\n5,0.3\n",
}

CASES = [
    Case("clicks estimate shuffled.csv --run hybrid.run --setting placement --json", "counterfactual/1"),
    Case("clicks estimate shuffled.csv --run hybrid.run --setting list --json", "counterfactual/1"),
    Case("clicks estimate shuffled.csv --run bm25.run --examination position_based --json", "counterfactual/1"),
    Case("clicks estimate shuffled.csv --run dense.run --examination looked.csv --json", "counterfactual/1"),
    Case("clicks estimate chosen.csv --policy chance.csv --estimator ips(clip=1.0),dr --json", "counterfactual/1"),
    Case("clicks estimate chosen.csv --policy nothing.csv --json", "counterfactual/1"),
    Case("clicks estimate shuffled.csv --run hybrid.run --json", "error/1", 2),
    Case("clicks estimate chosen.csv --policy looked.csv --json", "error/1", 1),
    Case("clicks estimate missing.csv --run hybrid.run --setting placement --json", "error/1", 1),
]
