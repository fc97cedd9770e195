"""Starter: the text of a design to begin with, every key of it explained."""

from __future__ import annotations

STARTER_DESIGN = """\
# What a trial asks of its users. Write it before the trial, and leave it alone while it runs.
#   rankproof trial plan THIS-FILE --past DAY      how many units and days it takes
#   rankproof trial collect THIS-FILE ROWS -o DAY  a day's rows become a day's file
#   rankproof trial read THIS-FILE DAY...          the verdict so far: 0 PASS, 1 FAIL, 3 UNDECIDED

[trial]
name = "hybrid search"
unit = "user"                             # what is assigned to a variant
control = "old"
shares = {old = 0.5, new = 0.5}           # planned; the sample ratio is checked against them
method = "sequence(units=20000)"          # may be looked at every day; "welch" takes one look, at `units`
# units = 20000                           # planned in all; "welch" needs it
confidence = 0.95                         # of each one-sided bound
correction = "holm"                       # over several variants, and over segments; "none"
enter = "first_day"                       # a unit counts on the day it enters, once; "every_day": on each day anew

[columns]
unit = "user_id"
variant = "variant"
day = "day"                               # a date, or a time that begins with one; else say --day
# entered = "first_seen"                  # rows of later days than this are left out
# strata = ["device"]                     # known before the trial: variants are compared within them
# segments = ["country"]                  # effects are shown by their values; they decide nothing

# Ready: clicks_per_search, abandonment, reformulation, dwell, success, latency. Any of their keys may be changed.
[[metric]]
ready = "success"                         # the share of users with `success` above 0
role = "decision"                         # must be better

[[metric]]
ready = "abandonment"                     # sum of `abandoned` over sum of `searches`; "*" counts rows
role = "guardrail"                        # must not be worse by the margin
margin = 0.02                             # 2% of the control; scale = "absolute" for units of the metric

[[metric]]
ready = "latency"                         # the 0.95 quantile of `latency`
role = "guardrail"
margin = 0.05

[[metric]]
name = "revenue"
value = "revenue"                         # a column
kind = "mean"                             # mean, proportion, ratio (with a denominator), quantile (with at)
better = "higher"
role = "watch"                            # shown, decides nothing
# covariate = "revenue_before"            # of the same unit before the trial: less variance (CUPED)
# each = "sum"                            # how rows of a unit become one number: sum, any, mean, max
"""
