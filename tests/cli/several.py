"""A benchmark on three datasets made of the sample's runs: on one of them the order of the modes is turned around."""

from __future__ import annotations

from pathlib import Path

SAMPLE = Path(__file__).resolve().parents[2] / "src/rankproof/stack/samples/rankings"
CONFIG = """
[benchmark]
name = "three shops"
measures = ["nDCG@10", "RR@10"]

[datasets]
shop = "several/shop"
tech = {path = "several/tech"}
books = {path = "several/books", segments = ["traffic"]}

[modes]
lexical = "replay(path='several/{dataset}/bm25.run')"
vector = "replay(path='several/{dataset}/dense.run')"
hybrid = "replay(path='several/{dataset}/hybrid.run')"
"""
# By dataset the letter of its queries, how many it has, and the run that each mode replays.
RUNS = ("bm25", "dense", "hybrid")
DATASETS = {
    "shop": ("s", 20, RUNS),
    "tech": ("t", 20, ("hybrid", "dense", "bm25")),
    "books": ("b", 12, RUNS),
}


def write(folder: Path) -> Path:
    """several.toml and its datasets in the folder."""
    for name, (letter, queries, runs) in DATASETS.items():
        place = folder / "several" / name
        place.mkdir(parents=True)
        ids = {f"q{number:02}" for number in range(1, queries + 1)}

        def kept(file: str, between: str | None = None, ids: set[str] = ids, letter: str = letter) -> str:
            lines = (SAMPLE / file).read_text().splitlines(keepends=True)
            return "".join(letter + line[1:] for line in lines if line.split(between)[0] in ids)

        (place / "qrels.trec").write_text(kept("qrels.trec"))
        header = (SAMPLE / "queries.csv").read_text().partition("\n")[0]
        (place / "queries.csv").write_text(f"{header}\n{kept('queries.csv', ',')}")
        (place / "topics.tsv").write_text(kept("topics.tsv"))
        for mode, run in zip(RUNS, runs, strict=True):
            (place / f"{mode}.run").write_text(kept(f"{run}.run"))
    (folder / "several.toml").write_text(CONFIG)
    return folder
