"""Runs and qrels of any size, the same for the same numbers, written once and kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent / "data"


def run_file(queries: int = 6980, documents: int = 1000, seed: int = 0) -> Path:
    """A TREC run shaped like MS MARCO's: seven-digit ids, scores with six decimals, in order of rank."""
    path = HERE / f"run-{queries}x{documents}.trec"
    if not path.exists():
        HERE.mkdir(exist_ok=True)
        rng = np.random.default_rng(seed)
        names = rng.choice(2_000_000, queries, replace=False)
        part = path.with_suffix(".part")
        with part.open("w") as file:
            for query in names:
                docs = rng.choice(8_841_823, documents, replace=False)
                scores = np.sort(rng.normal(20, 5, documents))[::-1]
                file.write(
                    "".join(
                        f"{query} Q0 {doc} {rank} {score:.6f} run\n"
                        for rank, (doc, score) in enumerate(zip(docs, scores, strict=True), 1)
                    )
                )
        part.rename(path)
    return path


def qrels_file(run: Path, judged: int, seed: int = 1) -> Path:
    """Judgments for a run: about `judged` documents a query, half of them retrieved, grades 0 to 3.

    With `judged` below 3, one or two relevant documents a query, as in MS MARCO.
    """
    path = run.with_name(f"{run.stem}-judged-{judged}.qrels")
    if not path.exists():
        rng = np.random.default_rng(seed)
        part = path.with_suffix(".part")
        with run.open() as source, part.open("w") as file:
            docs: list[str] = []
            current = ""
            for line in source:
                query, _, doc, *_ = line.split()
                if query != current:
                    _write(file, current, docs, judged, rng)
                    current, docs = query, []
                docs.append(doc)
            _write(file, current, docs, judged, rng)
        part.rename(path)
    return path


def _write(file, query: str, docs: list[str], judged: int, rng: np.random.Generator) -> None:
    if not docs:
        return
    number = int(rng.integers(1, 3)) if judged < 3 else judged
    found = rng.choice(docs, min(number - number // 2, len(docs)), replace=False)
    others = 10_000_000 + rng.choice(1_000_000, number // 2, replace=False)
    for doc in [*found, *others]:
        grade = 1 if judged < 3 else int(rng.integers(0, 4))
        file.write(f"{query} 0 {doc} {grade}\n")
