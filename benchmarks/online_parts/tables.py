"""Tables in Markdown, printed line by line as they are made."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

from benchmarks.simulation.worlds import Rate


def table(title: str, head: str, rows: Iterable[str]) -> None:
    """A heading and a table; the time it took goes to the terminal alone."""
    began = time.process_time()
    print(f"\n### {title}\n\n| {head} |\n|{'---|' * len(head.split(' | '))}", flush=True)
    for line in rows:
        print(line, flush=True)
    print(f"{title}: {time.process_time() - began:.0f} s", file=sys.stderr, flush=True)


def row(*cells: object) -> str:
    """One line of a table."""
    return f"| {' | '.join(map(str, cells))} |"


def percent(share: float, places: int = 1) -> str:
    """A share in percent."""
    return f"{100 * share:.{places}f}%"


def rated(rate: Rate, places: int = 1) -> str:
    """A rate with its Monte Carlo standard error, in points."""
    return f"{percent(rate.share, places)} ± {100 * rate.error:.{places + 1}f}"


def met(text: str, holds: bool) -> str:
    """What was wanted, and whether it came."""
    return f"{text}: {'met' if holds else 'MISSED'}"
