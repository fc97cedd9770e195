"""Users of a shop's search, made up: what they look at, click and leave is drawn from a seed.

They are position-based: a user looks at a rank with a chance that falls with the rank, and clicks what is looked at
with a chance that rises with its grade. The files of the sample lie beside it: qrels.trec, bm25.run, hybrid.run.

    python online_users.py pages 2000                                   pages for an interleaving to make lists for
    python online_users.py click shown.jsonl                            clicks on the lists that were shown
    python online_users.py log shown.jsonl                              the same clicks, with all that was shown
    python online_users.py day 2026-03-02 --share 0.05                  the searches of one day of a trial
    python online_users.py day 2026-03-02 --share 0.05 --broken         the same with a cache that is too small
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

OLD, NEW = "bm25", "hybrid"
DEPTH = 10
# The chance that a user looks at a rank, and that one who looks at a document of a grade clicks it.
LOOKS = np.array([1.0, 0.72, 0.55, 0.43, 0.35, 0.29, 0.25, 0.21, 0.19, 0.17])
CLICKS = np.array([0.04, 0.25, 0.50, 0.75])
# A click on a document of this grade or a higher one is a success.
GOOD = 2
USERS = 10_000
# Milliseconds of a page, and how much longer the new ranking takes.
MEDIAN, LONGER = 180.0, 1.02
# With the small cache: how much longer it takes then, and how many users do not wait for it.
BROKEN, IMPATIENT = 1.18, 0.12


def grades() -> dict[tuple[str, str], int]:
    """By query and document."""
    lines = (line.split() for line in Path("qrels.trec").read_text().splitlines())
    return {(query, doc): int(grade) for query, _, doc, grade in lines}


def page(known: dict[tuple[str, str], int], query: str, docs: list[str]) -> list[int]:
    """The grades down a page; what nobody judged is 0, and -1 stands where the page has no document."""
    found = [known.get((query, doc), 0) for doc in docs[:DEPTH]]
    return found + [-1] * (DEPTH - len(found))


def clicked(shown: Any, rng: np.random.Generator) -> Any:
    """Which ranks are clicked, on pages with these grades."""
    likely = np.where(shown < 0, 0.0, CLICKS[np.maximum(shown, 0)]) * LOOKS
    return rng.random(shown.shape) < likely


def run(name: str) -> dict[str, list[str]]:
    """The documents of every query, in their order."""
    found: dict[str, list[str]] = {}
    for line in Path(f"{name}.run").read_text().splitlines():
        query, _, doc, *_ = line.split()
        found.setdefault(query, []).append(doc)
    return found


def day(date: str, share: float, broken: bool) -> Iterator[tuple[Any, ...]]:
    """One row for each search of new users: who, which ranking, and what came of it."""
    rng = np.random.default_rng([7, int(date.replace("-", ""))])
    known = grades()
    queries = sorted({query for query, _ in known})
    rankings = [run(OLD), run(NEW)]
    tables = np.array([[page(known, query, ranking.get(query, [])) for query in queries] for ranking in rankings])
    users = np.repeat(np.arange(USERS), 1 + rng.poisson(1.0, USERS))
    new = (rng.random(USERS) < share)[users].astype(int)
    often = 1 / np.arange(3, len(queries) + 3)  # some queries are asked more often than others
    shown = tables[new, rng.choice(len(queries), len(users), p=often / often.sum())]
    clicks = clicked(shown, rng)
    waits = rng.lognormal(np.log(MEDIAN), 0.4, len(users)) * np.where(new, LONGER, 1.0)
    if broken:
        waits = np.where(new, waits * BROKEN, waits)
        clicks[(new == 1) & (rng.random(len(users)) < IMPATIENT)] = False
    good = (clicks & (shown >= GOOD)).any(axis=1)
    yield "user_id", "variant", "searches", "clicks", "abandoned", "success", "latency"
    columns = users, new, clicks.sum(axis=1), ~clicks.any(axis=1), good, waits.round(1)
    for user, which, count, left, found, wait in zip(*(column.tolist() for column in columns), strict=True):
        yield f"{date}-{user}", (OLD, NEW)[which], 1, count, int(left), int(found), wait


def pages(count: int) -> Iterator[tuple[Any, ...]]:
    """One row for each page that a session asks for."""
    rng = np.random.default_rng(7)
    queries = sorted({query for query, _ in grades()})
    yield "key", "unit", "query_id"
    for i, query in enumerate(rng.choice(queries, count).tolist()):
        yield f"page {i}", f"user {i // 2}", query


def served(path: str) -> Iterator[tuple[dict[str, Any], list[tuple[str, bool]]]]:
    """Every page of a log, and which of its documents were clicked."""
    rng = np.random.default_rng(8)
    known = grades()
    for line in Path(path).read_text().splitlines():
        told = json.loads(line)
        docs = told["shown"]["docs"]
        hits = clicked(np.array([page(known, told["query_id"], docs)]), rng)[0]
        yield told, list(zip(docs, hits.tolist(), strict=False))


def click(path: str) -> Iterator[tuple[Any, ...]]:
    """One row for each click on the lists of a log."""
    yield "key", "doc_id"
    for told, docs in served(path):
        yield from ((told["key"], doc) for doc, hit in docs if hit)


def log(path: str) -> Iterator[tuple[Any, ...]]:
    """The same clicks with all that was shown: one row for each document of a page."""
    yield "session", "page", "query_id", "doc_id", "rank", "clicked"
    for told, docs in served(path):
        for rank, (doc, hit) in enumerate(docs, start=1):
            yield told["unit"], told["key"], told["query_id"], doc, rank, int(hit)


def main() -> None:
    """Writes what was asked for to standard output, as CSV."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked = parser.add_subparsers(dest="what", required=True)
    asked.add_parser("pages").add_argument("count", type=int)
    for name in ("click", "log"):
        asked.add_parser(name).add_argument("path")
    one = asked.add_parser("day")
    one.add_argument("date")
    one.add_argument("--share", type=float, required=True)
    one.add_argument("--broken", action="store_true")
    args = vars(parser.parse_args())
    rows = {"pages": pages, "click": click, "day": day, "log": log}[args.pop("what")](**args)
    csv.writer(sys.stdout, lineterminator="\n").writerows(rows)


if __name__ == "__main__":
    main()
