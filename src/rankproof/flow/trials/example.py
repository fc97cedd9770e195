"""Example: a made-up trial to try the commands on, two weeks of searches with an old and a new ranking."""

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

[columns]
day = "day"
entered = "first_day"             # rows of later days are left out: a user counts on the first
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
DAYS = 14
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


def example_rows(chance: np.random.Generator) -> Iterator[str]:
    """The lines of a CSV file, header first: one for each search."""
    yield ",".join(HEADER) + "\n"
    users: list[_User] = []
    for day in range(1, DAYS + 1):
        back = [user for user in users if chance.random() < RETURN]
        new = [_user(len(users) + i, day, chance) for i in range(USERS)]
        users += new
        for user in (*back, *new):
            for _ in range(int(chance.integers(1, 5))):
                yield ",".join(map(str, _search(user, day, chance))) + "\n"


def _user(number: int, day: int, chance: np.random.Generator) -> _User:
    liking = float(chance.gamma(8, 0.125))
    return _User(
        f"u{number}",
        day,
        ("old", "new")[int(chance.integers(2))],
        ("phone", "desk")[int(chance.integers(2))],
        liking,
        int(chance.poisson(10 * liking)),
    )


def _search(user: _User, day: int, chance: np.random.Generator) -> tuple[object, ...]:
    clicks = int((chance.random(2) < LIKELY[user.variant] * user.liking).sum())
    latency = round(float(chance.lognormal(4.6, 0.4)) * (1.5 if user.device == "phone" else 1.0), 1)
    dates = (f"2026-11-{day:02d}", f"2026-11-{user.first:02d}")
    return (user.name, user.variant, *dates, user.device, user.before, clicks, int(clicks == 0), latency)
