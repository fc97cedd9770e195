"""Starter: the commented configuration that `rankproof benchmark init` writes."""

from __future__ import annotations

STARTER = """\
# A search stack, mode by mode: rankproof benchmark run THIS-FILE
#
# A mode is a pipeline: an engine, and stages that its rankings flow through. A mode may be named in the pipelines
# below it; what modes share runs once. Every engine and stage has a page: rankproof explain bm25

[benchmark]
name = "shop search"
dataset = "sample:shop"                # bundled; or a folder: BEIR, ESCI, TREC files, ...; from where this file is
measures = ["nDCG@10", "RR@10", "R@100"]
segments = ["kind"]                    # columns of the queries
depth = 100                            # documents of each ranking
baseline = "lexical"
confidence = 0.95
significance = "t"
correction = "holm"                    # over all pairs of modes, measures and segments
seed = 0

[modes]
lexical = "bm25()"
vector = "dense()"
hybrid = "fuse_rrf(lexical, vector, k=60)"
maxsim = "hybrid >> rerank_maxsim(depth=30)"
"""


def starter_config() -> str:
    """The text of the file."""
    return STARTER
