"""Makes `sample/shuffled.csv`: a made-up log in which chance put the first five results of a shop into order.

    python examples/shuffled.py

Each page has the first five documents of `hybrid.run` for its query, in an order that is drawn anew: every document has
a chance of 1/5 to stand at a rank, which is logged as its propensity. Users look at ranks as LOOKED says and then click
by the grade of the document; a session has three pages.
"""

from __future__ import annotations

import random
from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[1] / "src/rankproof/stack/samples/rankings"
LOOKED = (1.0, 0.7, 0.5, 0.4, 0.3)
LIKED = {0: 0.05, 1: 0.2, 2: 0.45, 3: 0.7}
SESSIONS, PAGES = 300, 3


def made() -> str:
    """The table, the same each time."""
    rng = random.Random(6)
    ranked: dict[str, list[str]] = {}
    for line in (SAMPLE / "hybrid.run").read_text().splitlines():
        query, _, doc, *_ = line.split()
        ranked.setdefault(query, []).append(doc)
    grades = {}
    for line in (SAMPLE / "qrels.trec").read_text().splitlines():
        query, _, doc, grade = line.split()
        grades[query, doc] = int(grade)
    lines = ["session,page,query_id,doc_id,rank,clicked,propensity"]
    for page in range(SESSIONS * PAGES):
        query = rng.choice(sorted(ranked))
        docs = rng.sample(ranked[query][: len(LOOKED)], len(LOOKED))
        for rank, (doc, looked) in enumerate(zip(docs, LOOKED, strict=True), start=1):
            clicked = rng.random() < looked * LIKED[grades.get((query, doc), 0)]
            lines.append(f"s{page // PAGES},p{page},{query},{doc},{rank},{int(clicked)},0.2")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (SAMPLE / "shuffled.csv").write_text(made(), encoding="utf-8")
