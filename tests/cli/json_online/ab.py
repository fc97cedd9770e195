"""`rankproof ab`: a verdict from one table, and what is refused."""

from __future__ import annotations

from tests.cli.json_case import Case
from tests.cli.json_online.trial import DAYS, rows

FILES = {"table.csv": rows(("old", "new"), 0.95, 1, DAYS[0])}
CASES = [
    Case(
        "ab table.csv --variant variant --metric success --metric latency:p95:lower --segment country --json", "trial/1"
    ),
    Case("ab table.csv --variant variant --metric clicks/searches --split 90/10 --json", "trial/1", 1),
    Case("ab table.csv --variant variant --metric latency --json", "trial/1", 3),
    Case("ab table.csv --variant varaint --metric success --json", "error/1", 1),
]
