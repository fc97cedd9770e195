"""How long a click log of many pages takes to be read, or to be fitted, and the most memory that the process had.

    python benchmarks/clicks_reading.py                    a million pages of ten documents, read in each layout
    python benchmarks/clicks_reading.py --pages 100000     fewer
    python benchmarks/clicks_reading.py --fit              the whole of clicks fit, on pages as JSON lines

Logs are made up and written to a temporary folder first. Each is read by a process of its own, whose peak is compared
with that of one that only imports what reading takes; time is of the processor.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

DOCS, RANKS, POOL, QUERIES, AT_ONCE = 200_000, 10, 20, 10_000, 10_000
READ = """
import resource, sys, time
from rankproof.online.clicks.read import read_log
began = time.process_time()
if len(sys.argv) > 1:
    log = read_log(sys.argv[1:])
    print(len(log), len(log.pages.pairs), int(log.pages.clicks.sum()), end=" ")
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
FIT = """
import resource, sys, time
from rankproof.cli import main
folder, path = sys.argv[1:]
made = ["--qrels", f"{folder}/clicks.qrels", "--grades", f"{folder}/grades.csv"]
began = time.process_time()
try:
    main(["clicks", "fit", path, *made, "--json", "-o", f"{folder}/fit.json"])
except SystemExit as done:
    if done.code:
        raise
print(time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""
Pages = tuple[list[str], list[list[str]], list[list[bool]]]


def batches(pages: int) -> Iterator[tuple[int, Pages]]:
    """Some pages after the other: the query, the documents by rank, and which are clicked."""
    rng = np.random.default_rng(0)
    for start in range(0, pages, AT_ONCE):
        n = min(AT_ONCE, pages - start)
        queries = np.minimum((QUERIES ** rng.random(n)).astype(np.int64), QUERIES - 1)
        order = np.argsort(rng.random((n, POOL)) + np.linspace(0, 1, POOL), axis=1)[:, :RANKS]
        docs = (queries[:, None] * POOL + order) % DOCS
        clicks = rng.random((n, RANKS)) < 0.3 / (1 + np.arange(RANKS))
        names = [f"query-{q}" for q in queries.tolist()]
        yield start, (names, [[f"document-{d}" for d in row] for row in docs.tolist()], clicks.tolist())


def by_page(start: int, some: Pages) -> Iterator[str]:
    """JSON lines, one for each page."""
    for at, (query, docs, clicks) in enumerate(zip(*some, strict=True), start=start):
        shown = '","'.join(docs)
        clicked = ",".join(f'"{doc}"' for doc, flag in zip(docs, clicks, strict=True) if flag)
        yield f'{{"session":"s{at // 4}","query":"{query}","docs":["{shown}"],"clicks":[{clicked}]}}\n'


def by_document(start: int, some: Pages) -> Iterator[str]:
    """CSV, one row for each document."""
    for at, (query, docs, clicks) in enumerate(zip(*some, strict=True), start=start):
        for rank, (doc, flag) in enumerate(zip(docs, clicks, strict=True), start=1):
            yield f"s{at // 4},p{at},{query},{doc},{rank},{flag:d}\n"


def as_text(start: int, some: Pages) -> Iterator[str]:
    """The text with pages parted by semicolons."""
    for query, docs, clicks in zip(*some, strict=True):
        clicked = " , ".join(doc for doc, flag in zip(docs, clicks, strict=True) if flag)
        yield f"{query}\t{','.join(docs)} : {clicked};\n"


LAYOUTS: dict[str, tuple[str, Callable[[int, Pages], Iterator[str]]]] = {
    "pages.jsonl": ("", by_page),
    "documents.csv": ("session,page_id,query,doc,rank,clicked\n", by_document),
    "text.txt": ("", as_text),
}


def main() -> int:
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--pages", type=int, default=1_000_000)
    reader.add_argument("--fit", action="store_true")
    asked = reader.parse_args()
    if asked.fit:
        return fit(asked.pages)
    base = float(run(READ, [])[-1])
    print(f"importing alone: {base / 1024:.0f} MiB")
    print(
        f"{'log':<14}{'MiB':>7}{'pages':>11}{'pairs':>9}{'clicks':>9}{'seconds':>9}{'peak MiB':>10}{'bytes a page':>14}"
    )
    with tempfile.TemporaryDirectory() as folder:
        for name, (header, lines) in LAYOUTS.items():
            path = Path(folder) / name
            write(path, header, lines, asked.pages)
            pages, pairs, clicks, seconds, peak = map(float, run(READ, [str(path)]))
            size = path.stat().st_size / 2**20
            each = (peak - base) * 1024 / pages
            counts = f"{pages:>11,.0f}{pairs:>9,.0f}{clicks:>9,.0f}"
            print(f"{name:<14}{size:>7.0f}{counts}{seconds:>9.1f}{peak / 1024:>10.0f}{each:>14.0f}", flush=True)
            path.unlink()
    return 0


def fit(pages: int) -> int:
    """The whole command on one log."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "pages.jsonl"
        write(path, *LAYOUTS[path.name], pages)
        seconds, peak = map(float, run(FIT, [folder, str(path)]))
        size = path.stat().st_size / 2**20
    print(f"{size:,.0f} MiB, {pages:,} pages: {seconds:.0f} seconds of a processor, peak {peak / 1024:,.0f} MiB")
    return 0


def write(path: Path, header: str, lines: Callable[[int, Pages], Iterator[str]], pages: int) -> None:
    """A log of so many pages."""
    with path.open("w") as file:
        file.write(header)
        for start, some in batches(pages):
            file.writelines(lines(start, some))


def run(program: str, given: list[str]) -> list[str]:
    """What a process of its own prints."""
    done = subprocess.run([sys.executable, "-c", program, *given], capture_output=True, text=True, check=True)
    return done.stdout.split()


if __name__ == "__main__":
    sys.exit(main())
