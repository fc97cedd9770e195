"""How many random examples a test tries: all of them in `make test-full`, a third in `make test`."""

from __future__ import annotations

import os

FULL = os.environ.get("RANKPROOF_TESTS") == "full"
LEAST = 10


def examples(full: int) -> int:
    """Of that many examples, those that are tried in this run."""
    return full if FULL else max(min(full, LEAST), full // 3)
