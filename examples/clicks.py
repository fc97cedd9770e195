"""Made-up users of the sample's search, and the log of what they clicked: `clicks.jsonl` of the sample.

    python examples/clicks.py            writes the file anew; the same bytes each time

Visitors ask one of six queries. The engine shows six documents of two rankings, in an order that changes a little from
page to page. Visitors read from the top: whether they look at a rank depends on how far it is from their last click,
and what they then click on the grade of the document. Two programs are among them: one says so, the other clicks all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

SAMPLE = Path(__file__).resolve().parents[1] / "src/rankproof/stack/samples/rankings"
QUERIES = ("q01", "q02", "q03", "q04", "q05", "q06")
PAGES, RANKS, POOL = 1_200, 6, 9
# By grade: how likely a look becomes a click, a click satisfies, and a click that satisfied ends in a purchase.
CLICKS = {0: 0.06, 1: 0.2, 2: 0.45, 3: 0.7}
SATISFIES = {0: 0.15, 1: 0.35, 2: 0.6, 3: 0.8}
BUYS = {0: 0.0, 1: 0.05, 2: 0.15, 3: 0.3}
BEGIN = 1_767_603_600  # a Monday morning
BROWSER, PROGRAM = "Mozilla/5.0 Firefox/140.0", "pricebot/2.1"


def grades() -> dict[tuple[str, str], int]:
    """What people said of the documents; what nobody judged is taken for 0."""
    rows = (line.split() for line in (SAMPLE / "qrels.trec").read_text().splitlines())
    return {(query, doc): int(grade) for query, _, doc, grade in rows}


def pools() -> dict[str, list[str]]:
    """For each query the first documents of two rankings, in turn."""
    found: dict[str, list[str]] = {query: [] for query in QUERIES}
    tops: dict[tuple[str, int], list[str]] = {}
    for name in ("hybrid.run", "bm25.run"):
        for line in (SAMPLE / name).read_text().splitlines():
            query, _, doc, rank, *_ = line.split()
            tops.setdefault((query, int(rank)), []).append(doc)
    for (query, _), docs in sorted(tops.items()):
        if query in found:
            found[query] += docs
    return {query: list(dict.fromkeys(docs))[:POOL] for query, docs in found.items()}


def visit(query: str, docs: list[str], known: dict[tuple[str, str], int], rng: np.random.Generator) -> dict[str, Any]:
    """What one person does with one page."""
    clicks, dwell, bought, last = [], {}, [], 0
    for rank, doc in enumerate(docs, start=1):
        grade = known.get((query, doc), 0)
        if rng.random() < 0.95 / (1 + 0.35 * (rank - 1 - last)) and rng.random() < CLICKS[grade]:
            clicks.append(doc)
            last = rank
            satisfied = rng.random() < SATISFIES[grade]
            if rng.random() < 0.9:  # sometimes nobody noticed when the document was left
                dwell[doc] = int(rng.integers(30, 240) if satisfied else rng.integers(1, 30))
            if satisfied and rng.random() < BUYS[grade]:
                bought.append(doc)
    return {"docs": docs, "clicks": clicks, "dwell": dwell, "conversions": bought}


def log() -> Iterator[dict[str, Any]]:
    """The pages, one after the other."""
    rng = np.random.default_rng(7)
    known, tops = grades(), pools()
    for number in range(PAGES):
        session, time = f"v{number // 3}", BEGIN + 40 * number
        query = QUERIES[int(rng.integers(len(QUERIES)))]
        order = np.argsort(np.arange(POOL) + rng.normal(0, 2.0, POOL))[:RANKS]
        docs = [tops[query][at] for at in order.tolist()]
        about = {"session": session, "time": time, "query": query}
        yield {**about, **visit(query, docs, known, rng), "agent": BROWSER}
        if number % 40 == 0:
            yield {
                **about,
                "session": "x1",
                "docs": docs,
                "clicks": [],
                "dwell": {},
                "conversions": [],
                "agent": PROGRAM,
            }
        if number % 60 == 0:
            seen = dict.fromkeys(docs, 1)
            yield {
                **about,
                "session": "x2",
                "docs": docs,
                "clicks": docs,
                "dwell": seen,
                "conversions": [],
                "agent": BROWSER,
            }


def main() -> int:
    """Writes the log."""
    text = "".join(json.dumps(page, separators=(",", ":")) + "\n" for page in log())
    (SAMPLE / "clicks.jsonl").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
