"""What sets the traffic, made up: asks the ramp for the share, serves users for a day, collects the day, asks again.

    python online_ramp.py ramp.toml --days 3                   three days of users, from the day after the last one
    python online_ramp.py ramp.toml                            until the ramp is over
    python online_ramp.py ramp.toml --broken-from 0.05         with a cache that is too small from 5% of traffic on

In your system the share goes to the load balancer, and the rows come from its logs.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import online_users

RANKPROOF = (sys.executable, "-m", "rankproof")
FIRST = date(2026, 3, 2)  # a Monday


def look(policy: str) -> dict[str, Any]:
    """The next step. Exit status 3 is to hold and 1 to stop, and both come with an answer."""
    told = subprocess.run([*RANKPROOF, "ramp", policy, "--json"], capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(told.stdout)
    if "error" in found:
        sys.exit(found["error"]["message"])
    return found


def serve(today: str, share: float, days: Path, broken: bool) -> None:
    """A day of users at a share, and its file."""
    rows = Path("rows.csv")
    with rows.open("w", newline="") as file:
        csv.writer(file).writerows(online_users.day(today, share, broken))
    shares = f"bm25={1 - share:.10g},hybrid={share:.10g}"
    collect = [*RANKPROOF, "trial", "collect", "trial.toml", str(rows), "--day", today, "--shares", shares]
    subprocess.run([*collect, "-o", str(days / f"{today}.json")], capture_output=True, check=True)
    rows.unlink()


def main() -> None:
    """One line for each day."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("policy")
    parser.add_argument("--days", type=int, default=100, help="no more than so many")
    parser.add_argument("--folder", type=Path, default=Path("days"), help="where the policy looks for day files")
    parser.add_argument("--broken-from", type=float, default=2.0, help="the share of traffic that breaks the cache")
    args = parser.parse_args()
    args.folder.mkdir(exist_ok=True)
    now = look(args.policy)
    for _ in range(args.days):
        if now["over"]:
            break
        today = (FIRST + timedelta(days=len(list(args.folder.iterdir())))).isoformat()
        serve(today, now["share"], args.folder, now["share"] >= args.broken_from)
        now = look(args.policy)
        print(f"{today}  {now['headline']}: {now['reasons'][0]}", flush=True)


if __name__ == "__main__":
    main()
