"""Session rules: they leave out pages of robots and of implausible sessions, and count what each of them leaves out.

Rules are applied one after the other, so that a page is counted once. The limit of each can be changed, and each can be
turned off. A rule does nothing where the log lacks the data it needs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import counted
from rankproof.online.impressions import ClickLog, Dropped, Flags, Impressions, Numbers

HOUR = 3600.0
# The rule clicks_all counts pages with at least DOCUMENTS documents, in sessions with at least PAGES such pages.
DOCUMENTS, PAGES = 3, 10


@dataclass(frozen=True, slots=True)
class SessionRule:
    """One rule.

    why     what it leaves out, in the plural, with {} in place of the limit
    limit   the default; None for a rule without a limit
    find    flags of the pages to leave out; a text with the reason where the rule cannot be applied
    """

    name: str
    why: str
    limit: float | None
    find: Callable[[ClickLog, float], Flags | str | None]

    def description(self, limit: float | None) -> str:
        """What the rule leaves out, with the limit filled in."""
        return self.why if limit is None else self.why.format(f"{limit:,g}")


def filter_sessions(log: ClickLog, limits: Mapping[str, float | None] | None = None) -> ClickLog:
    """The log without the pages that the rules leave out.

    limits   by the name of a rule, in place of its default; None turns a rule off
    """
    limits = limits or {}
    for name in limits:
        if name not in _BY_NAME:
            raise UnknownName("rule", name, _BY_NAME)
    for rule in RULES:
        limit = limits.get(rule.name, rule.limit)
        if limit is None and (rule.name in limits or rule.limit is not None):
            continue
        flags = rule.find(log, 0.0 if limit is None else limit)
        if isinstance(flags, str):
            log = replace(log, notes=(*log.notes, f"{rule.name} was not applied: {flags}"))
        elif flags is not None:
            clicks = int(_clicks_by_page(log.pages)[flags].sum()) if flags.any() else 0
            left_out = Dropped(rule.name, rule.description(limit), int(flags.sum()), clicks, limit)
            if flags.all():
                raise InputError(
                    f"No page is left: the rule {rule.name}{'' if limit is None else f' with the limit {limit:g}'} "
                    "leaves out all "
                    f"{counted(len(log), 'page')}. Change its limit, or turn it off with --drop {rule.name}=off."
                )
            log = log.take(~flags, [left_out]) if flags.any() else replace(log, dropped=(*log.dropped, left_out))
    return log


def read_limits(texts: Sequence[str]) -> dict[str, float | None]:
    """Limits from texts such as `too_fast=60` and `robot_agent=off`."""
    limits: dict[str, float | None] = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals:
            raise UsageError(f"A rule is written NAME=LIMIT or NAME=off, such as too_fast=60; got {text!r}.")
        if name not in _BY_NAME:
            raise UnknownName("rule", name, _BY_NAME)
        if value == "off":
            limits[name] = None
            continue
        rule = _BY_NAME[name]
        if rule.limit is None:
            raise UsageError(f"The rule {name} has no limit. It is on; turn it off with {name}=off.")
        try:
            limit = float(value)
        except ValueError:
            limit = math.nan
        least, most, words = _RANGES[name]
        if not least <= limit <= most:
            raise UsageError(f"The limit of {name} must be {words}, or off; got {value!r}.")
        limits[name] = limit
    return limits


def _robots(log: ClickLog, limit: float) -> Flags | None:
    return log.robots


def _too_many(log: ClickLog, limit: float) -> Flags | None:
    who = log.pages.sessions
    return None if who is None else (np.bincount(who) > limit)[who]


def _too_fast(log: ClickLog, limit: float) -> Flags | None:
    who, times = log.pages.sessions, log.times
    if who is None or times is None:
        return None
    known = np.flatnonzero(~np.isnan(times))
    order = known[np.lexsort((times[known], who[known]))]
    step = int(limit)
    first, last = order[:-step], order[step:]
    fast = (who[first] == who[last]) & (times[last] - times[first] < HOUR)
    return np.isin(who, who[first[fast]])


def _clicks_all(log: ClickLog, limit: float) -> Flags | None:
    who, pages = log.pages.sessions, log.pages
    if who is None:
        return None
    long_enough = pages.lengths >= DOCUMENTS
    shown = np.bincount(who[long_enough], pages.lengths[long_enough], int(who.max()) + 1)
    clicked = np.bincount(who[long_enough], _clicks_by_page(pages)[long_enough], len(shown))
    many = np.bincount(who[long_enough], minlength=len(shown)) >= PAGES
    return (many & (clicked >= limit * shown))[who]


def _backward(log: ClickLog, limit: float) -> Flags | str | None:
    who, times = log.pages.sessions, log.times
    if who is None or times is None:
        return None
    known = np.flatnonzero(~np.isnan(times))
    order = known[np.argsort(who[known], kind="stable")]
    same = who[order[1:]] == who[order[:-1]]
    back = same & (times[order[1:]] < times[order[:-1]] - limit)
    wrong, several = _distinct(who[order[1:]][back]), _distinct(who[order[1:]][same])
    if 2 * len(wrong) > len(several):
        return "the pages of this log are not in the order of time"
    return np.isin(who, wrong)


def _clicks_by_page(pages: Impressions) -> NDArray[np.int64]:
    return np.concatenate([piece.clicks.sum(axis=1) for piece in pages.pieces()])


def _distinct(numbers: Numbers) -> NDArray[np.int64]:
    return np.unique(numbers)


RULES = (
    SessionRule("robot_agent", "pages whose user agent says that it is a program", None, _robots),
    SessionRule("too_many_pages", "pages of sessions with more than {} pages", 500.0, _too_many),
    SessionRule("too_fast", "pages of sessions with more than {} pages within an hour", 120.0, _too_fast),
    SessionRule(
        "clicks_all",
        f"pages of sessions that click {{}} or more of all they are shown, on {PAGES} pages or more",
        0.9,
        _clicks_all,
    ),
    SessionRule("time_backward", "pages of sessions whose clock goes back by more than {} seconds", 60.0, _backward),
)
_BY_NAME = {rule.name: rule for rule in RULES}
_MOST = 1e9
_PAGES_ALLOWED = (1.0, _MOST, "1 page or more")
_RANGES = {
    "too_many_pages": _PAGES_ALLOWED,
    "too_fast": _PAGES_ALLOWED,
    "clicks_all": (0.01, 1.0, "a share from 0.01 to 1"),
    "time_backward": (0.0, _MOST, "0 seconds or more"),
}
