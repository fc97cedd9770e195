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
correction = "holm"                    # over all pairs of modes and measures; segments are a family of their own
seed = 0

[modes]
lexical = "bm25()"
vector = "dense()"
hybrid = "fuse_rrf(lexical, vector, k=60)"
maxsim = "hybrid >> rerank_maxsim(depth=30)"

# [limits]                             # how hard live engines may be asked; these are the defaults
# concurrency = 4                      # requests under way at once
# timeout = 10                         # seconds for one request
# attempts = 5                         # how often a query is asked at most, with growing waits between
# rate = 20                            # requests per second at most; no limit by default

# [cost]                               # prices of 1,000 queries: a mode costs the sum of its steps
# currency = "USD"
# [cost.steps]
# dense = 0.02
# [cost.modes]                         # or a price of its own
# maxsim = 0.35
"""


def starter_config() -> str:
    """The text of the file."""
    return STARTER
