"""The demo: check, measure, compare and gate rankings of a made-up shop search, as one would on the command line."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

SAMPLE = Path(__file__).resolve().parent / "sample"
REPORT = Path(__file__).resolve().parents[1] / "demo-report" / "report.html"
RUNS = ["bm25.run", "dense.run", "hybrid.run"]
COMMANDS = [
    ["runs", "validate", "--qrels", "qrels.trec", *RUNS],
    ["evaluate", "qrels.trec", *RUNS, "-m", "nDCG@10 RR@10 AP R@20"],
    ["compare", "qrels.trec", *RUNS, "-m", "nDCG@10 RR@10", "--topics", "topics.tsv", "--html", str(REPORT)],
    ["gate", "../policy.toml"],
]


def main() -> int:
    """Run each command, show it, and stop at the first that fails."""
    REPORT.parent.mkdir(exist_ok=True)
    for command in COMMANDS:
        print("$ rankproof " + " ".join(f'"{word}"' if " " in word else word for word in command), flush=True)
        status = subprocess.run([sys.executable, "-m", "rankproof", *command], cwd=SAMPLE, check=False).returncode
        print(flush=True)
        if status != 0:
            return status
    print(f"The sample is in {SAMPLE}. The report of the comparison: {REPORT}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
