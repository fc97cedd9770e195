"""Collections that come with the package, to try things on."""

from __future__ import annotations

from importlib.resources import files


def shop() -> str:
    """The folder of the shop sample: corpus.jsonl, queries.csv, qrels.trec and a README that describes them."""
    return str(files(__name__) / "shop")


def ladder() -> str:
    """The configuration of a benchmark on the shop sample: a search stack, stage by stage."""
    return str(files(__name__) / "ladder.toml")
