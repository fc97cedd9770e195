"""Starter: the text of a policy to begin with, every key of it explained."""

from __future__ import annotations

_TEXT = """\
# What must hold before a ranking may ship: rankproof gate THIS-FILE
# Exit status: 0 PASS, 1 FAIL, 3 UNDECIDED (2: this file or the command line is wrong).
#
# A rule on a mean or a change passes when its one-sided lower bound meets what is asked, fails when its upper bound
# misses it, and is undecided between. The targets below are a start: put your own in their place.
# Every rule has a page: rankproof explain least_value

[policy]
name = "{name}"
{inputs}
confidence = 0.95                 # of each one-sided bound
significance = "t_or_gaffke"      # how bounds are made: `rankproof explain t_or_gaffke` has its page
risks = "undecided"               # a rule that ties or unjudged documents could turn; or "report": only told

# How runs are read and measured: the choices of `rankproof evaluate`.
# [evaluate]
# dialect = "trec_eval"
# complete = true

# ---- The candidate itself -------------------------------------------------------------------------

[[rule]]
rule = "least_value"
measure = "nDCG@10"
at_least = 0.35
bands = {{good = 0.35, strong = 0.40}}  # labels; they decide nothing
warn_at = 0.9                          # a mean that misses the target by less than a tenth is labeled "warn"

[[rule]]
rule = "least_value"
measure = "MRR@10"
at_least = 0.55
warn_at = 0.9

[[rule]]
rule = "least_value"
measure = "Recall@50"
at_least = 0.62
warn_at = 0.9

[[rule]]
rule = "least_value"
measure = "Recall@100"
at_least = 0.70
warn_at = 0.9

[[rule]]
rule = "least_value"
measure = "HitRate@10"
at_least = 0.75
warn_at = 0.9

# ---- The candidate against the baseline -----------------------------------------------------------

[[rule]]
rule = "least_gain"
measure = "MAP@100"
at_least = 0.03

[[rule]]
rule = "no_regression"
measure = "nDCG@10"
margin = 0.01
# segment = "language"     # asks it of each language; "language=de" of one
# basis = "point"          # compares the plain means, and the report says so

[[rule]]
rule = "no_query_loses_more"
measure = "nDCG@10"
than = 0.3

# [[rule]]
# rule = "protected"       # the queries that must not drop at all
# measure = "RR@10"
# queries = ["{protected}"]
# tolerance = 0.0

# ---- Whether the numbers can be trusted, and whether it is fast enough ----------------------------

[[rule]]
rule = "judged_rate"
k = 10
at_least = 0.8

[[rule]]
rule = "checks"
strict = false             # true: warnings fail too

# [[rule]]
# rule = "latency"         # needs `latency` above
# percentile = 95
# budget_ms = 250
"""
# Columns of a line before its comment.
ROOM = 34


def starter_policy(
    name: str = "search release",
    qrels: str = "qrels.trec",
    baseline: str = "baseline.run",
    candidate: str = "candidate.run",
    topics: str | None = None,
    protected: str = "q1",
) -> str:
    """A policy in TOML. Without topics their line is a comment."""
    inputs = (
        (f'qrels = "{qrels}"', "files are named from the folder of this one"),
        (f'baseline = "{baseline}"', "what is live; on the command line: --baseline RUN"),
        (f'candidate = "{candidate}"', "what would ship; on the command line: --candidate RUN"),
        (f'topics = "{topics}"' if topics else '# topics = "topics.tsv"', "the queries' own words, for reports"),
        ('# queries = "queries.csv"', "columns of queries (intent, language, head or tail), for `segment`"),
        ('# latency = "latency.tsv"', "one request per line: query id, tab, milliseconds"),
    )
    lines = "\n".join(f"{setting:<{ROOM}}# {meaning}" for setting, meaning in inputs)
    return _TEXT.format(name=name, inputs=lines, protected=protected)
