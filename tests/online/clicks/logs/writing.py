"""Small logs written to a folder, and what was read of them in a form that can be compared."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rankproof.online.impressions import CLICKED, CONVERTED, STAYED, TIMED, ClickLog

LETTERS = ((CLICKED, "c"), (TIMED, "t"), (STAYED, "s"), (CONVERTED, "$"))


def csv(path: Path, *lines: str) -> str:
    """Lines as a file."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def jsonl(path: Path, *rows: Any) -> str:
    """Values as JSON lines."""
    return csv(path, *(json.dumps(row) for row in rows))


def shown(log: ClickLog) -> list[str]:
    """Each page as a text: number, query, and its documents with what was done to each: `0 q: a+cts b`."""
    pages = log.pages
    told = []
    for row in range(len(pages)):
        docs = [
            (*pages.pairs.named(int(pages.shown[row, rank])), int(log.deeds[row, rank]))
            for rank in range(int(pages.lengths[row]))
        ]
        words = [doc + ("+" if did else "") + "".join(c for bit, c in LETTERS if did & bit) for _, doc, did in docs]
        told.append(f"{pages.numbers[row]} {docs[0][0]}: {' '.join(words)}")
    return told


def gone(log: ClickLog) -> dict[str, tuple[int, int]]:
    """What was dropped, with how many pages and clicks, but for what did not occur."""
    return {one.name: (one.pages, one.clicks) for one in log.dropped if one.pages or one.clicks}
