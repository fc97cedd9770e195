"""The demo: two runs and a policy asked whether the new one may ship, then a search stack benchmarked rung by rung."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMANDS = {
    "May it ship? Two runs, judgments and a policy": ["gate", "examples/policy.toml"],
    "What does each stage buy? About a minute on two cores, less the second time": ["demo", "-o", "demo-report"],
}


def main() -> int:
    """Run each command, show it, and stop at the first that fails."""
    for question, command in COMMANDS.items():
        print(f"# {question}\n$ rankproof {' '.join(command)}", flush=True)
        status = subprocess.run([sys.executable, "-m", "rankproof", *command], cwd=ROOT, check=False).returncode
        print(flush=True)
        if status != 0:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
