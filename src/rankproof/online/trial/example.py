"""A made-up A/B test of two weeks to try the commands on, and a commented design to begin with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

DESIGN = """\
# A made-up trial: a new ranking against the old one, on the rows of searches.csv.

[trial]
name = "new ranking"
unit = "user"
control = "old"
shares = {old = 0.5, new = 0.5}
method = "sequence(units=4000)"
window = 7                        # a user counts on the day of entry, with the searches of seven days

[columns]
day = "day"
entered = "first_day"
segments = ["device"]

[[metric]]
ready = "clicks_per_search"
denominator = "*"                 # a row is a search
covariate = "clicks_before"

[[metric]]
ready = "abandonment"
denominator = "*"
role = "guardrail"
margin = 0.02

[[metric]]
ready = "latency"
role = "guardrail"
margin = 0.1
"""
HEADER = ("user_id", "variant", "day", "first_day", "device", "clicks_before", "clicks", "abandoned", "latency")
# Users enter on so many days; the searches of the last of them are there to the end of their window.
DAYS, WINDOW = 14, 7
USERS = 400
# How probable a click is at each of two results, before a user's own liking for clicks.
LIKELY = {"old": 0.40, "new": 0.46}
RETURN = 0.1


@dataclass(frozen=True, slots=True)
class _User:
    name: str
    first: int
    variant: str
    device: str
    liking: float
    before: int


def example_rows(rng: np.random.Generator) -> Iterator[str]:
    """The lines of a CSV file, header first: one for each search."""
    yield ",".join(HEADER) + "\n"
    users: list[_User] = []
    for day in range(1, DAYS + WINDOW):
        back = [user for user in users if rng.random() < RETURN]
        new = [_user(len(users) + i, day, rng) for i in range(USERS if day <= DAYS else 0)]
        users += new
        for user in (*back, *new):
            for _ in range(int(rng.integers(1, 5))):
                yield ",".join(map(str, _search(user, day, rng))) + "\n"


def _user(number: int, day: int, rng: np.random.Generator) -> _User:
    liking = float(rng.gamma(8, 0.125))
    return _User(
        f"u{number}",
        day,
        ("old", "new")[int(rng.integers(2))],
        ("phone", "desk")[int(rng.integers(2))],
        liking,
        int(rng.poisson(10 * liking)),
    )


def _search(user: _User, day: int, rng: np.random.Generator) -> tuple[object, ...]:
    clicks = int((rng.random(2) < LIKELY[user.variant] * user.liking).sum())
    latency = round(float(rng.lognormal(4.6, 0.4)) * (1.5 if user.device == "phone" else 1.0), 1)
    dates = (f"2026-11-{day:02d}", f"2026-11-{user.first:02d}")
    return (user.name, user.variant, *dates, user.device, user.before, clicks, int(clicks == 0), latency)


STARTER_DESIGN = """\
# What a trial asks of its users. Write it before the trial, and leave it alone while it runs.
#   rankproof trial plan THIS-FILE --past DAY      how many units and days it takes
#   rankproof trial collect THIS-FILE ROWS... --into DAYS  the rows so far become a file for each day
#   rankproof trial read THIS-FILE DAYS                    the verdict so far: 0 PASS, 1 FAIL, 3 UNDECIDED

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
window = 7                                # with its rows of so many days from entry on; a day counts when they are over
# begins = 2026-11-01                     # units that enter on other days are left out
# ends = 2026-11-14

[columns]
unit = "user_id"                          # "*": each row is a unit
variant = "variant"
day = "day"                               # a date, or a time that begins with one; else say --day
# entered = "first_seen"                  # the day of entry; else it is the first day in the rows that are collected
# zone = "Europe/Berlin"                  # whose days are meant; written = "UTC": of times that say no zone
# row = "event_id"                        # no two rows have the same: rows that repeat are refused
# agent = "user_agent"                    # rows of agents that say they are programs are left out
# strata = ["device"]                     # known before the trial: variants are compared within them
# segments = ["country"]                  # effects are shown by their values; they decide nothing

[exclude]                                 # stated before the trial, the same for every variant, and reported
crossing = 0.01                           # units in two variants are left out; more of them than this are refused
# rows = 1000                             # units with more rows than this are left out, as programs

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
