"""Design of an A/B test: from TOML or a dict to metrics and margins, every value checked; ready-made metrics.

clicks_per_search   ratio of the sums of `clicks` and `searches`; higher is better
abandonment         ratio of `abandoned` (searches without a click) and `searches`; lower is better
reformulation       ratio of `reformulated` (searches followed by another wording) and `searches`; lower is better
dwell               ratio of `dwell` (seconds on documents) and `clicks`; higher is better
success             share of units with `success` above 0; higher is better
latency             0.95 quantile of `latency`, of a unit's rows the mean; lower is better
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, get_args

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import read_configured
from rankproof.kernel.specs.kinds import Choice, Flag, Kind, Number, Text, Texts, Whole
from rankproof.kernel.specs.tables import check_tables, read_table, read_value
from rankproof.online.trial.day_clock import is_date, zone_named
from rankproof.online.trial.records import (
    Better,
    Each,
    Exclusions,
    Goal,
    Metric,
    Role,
    TrialColumns,
    TrialDesign,
    TrialMetric,
)
from rankproof.online.trial.records import Kind as MetricKind
from rankproof.reading.source import read_toml

READY: Mapping[str, Mapping[str, Any]] = {
    "clicks_per_search": {"kind": "ratio", "value": "clicks", "denominator": "searches"},
    "abandonment": {
        "kind": "ratio",
        "value": "abandoned",
        "denominator": "searches",
        "better": "lower",
        "within": True,
    },
    "reformulation": {
        "kind": "ratio",
        "value": "reformulated",
        "denominator": "searches",
        "better": "lower",
        "within": True,
    },
    "dwell": {"kind": "ratio", "value": "dwell", "denominator": "clicks"},
    "success": {"kind": "proportion", "value": "success"},
    "latency": {"kind": "quantile", "value": "latency", "at": 0.95, "better": "lower"},
}


KEYS: dict[str, Kind] = {
    "ready": Choice(tuple(READY)),
    "name": Text(),
    "kind": Choice(get_args(MetricKind)),
    "better": Choice(get_args(Better)),
    "covariate": Text(),
    "at": Number(0, 1, open_low=True, open_high=True),
    "value": Text(),
    "denominator": Text(),
    "each": Choice(get_args(Each)),
    "digits": Whole(2),
    "role": Choice(get_args(Role)),
    "goal": Choice(get_args(Goal)),
    "margin": Number(0),
    "scale": Choice(("relative", "absolute")),
    "within": Flag(),
}
# What becomes of several rows of a unit where the design does not say.
EACH: dict[str, Each] = {"proportion": "any", "mean": "sum", "ratio": "sum", "quantile": "mean"}
DIGITS = 3
MOST_DIGITS = 15


def read_metric(entry: object, place: str) -> TrialMetric:
    """The metric of one entry; `place` names it in messages."""
    values = read_table(entry, KEYS, place)
    ready = values.pop("ready", None)
    if ready is not None:
        values = {"name": ready, **READY[ready], **values}
    for key in ("name", "value"):
        if key not in values:
            raise UsageError(f'{place}: {key} is missing. Or take one that is ready: ready = "abandonment".')
    kind = values.setdefault("kind", "ratio" if "denominator" in values else "quantile" if "at" in values else "mean")
    place = f"{place} ({values['name']})"
    if (kind == "ratio") != ("denominator" in values):
        raise UsageError(
            f'{place}: a ratio has a denominator, and no other kind has: the name of a column, or "*" for the number '
            "of rows."
        )
    if kind != "ratio" and values.get("within"):
        raise UsageError(f"{place}: within says that a part is never more than its whole; only a ratio has both.")
    if kind != "quantile" and "digits" in values:
        raise UsageError(f"{place}: only a quantile rounds its values to `digits`; this is a {kind}.")
    if values.get("digits", DIGITS) > MOST_DIGITS:
        raise UsageError(f"{place}: digits is {MOST_DIGITS} at most, which is what a number holds.")
    metric = Metric(**{key: values.pop(key) for key in ("name", "kind", "better", "covariate", "at") if key in values})
    each = values.setdefault("each", EACH[kind])
    _refuse_each(kind, each, place)
    if kind == "quantile":
        values.setdefault("digits", DIGITS)
    return TrialMetric(metric, **_with_goal(values, place))


def _refuse_each(kind: str, each: Each, place: str) -> None:
    if kind == "ratio" and each != "sum":
        raise UsageError(f'{place}: the rows of a unit are summed on both sides of a ratio: each = "sum" or nothing.')
    if kind == "proportion" and each not in ("any", "max"):
        raise UsageError(f'{place}: a unit of a proportion did something or not: each = "any", or nothing.')


def _with_goal(values: dict[str, Any], place: str) -> dict[str, Any]:
    """The same with role, goal and margin, refused where they contradict one another."""
    role = values.setdefault("role", "decision")
    goal = values.setdefault("goal", "not_worse" if role == "guardrail" else "better")
    if role == "guardrail" and goal != "not_worse":
        raise UsageError(f'{place}: a guardrail is not to be worse. What must be better has role = "decision".')
    if role == "watch" and ("margin" in values):
        raise UsageError(f"{place}: a metric that is only watched has no margin.")
    if role != "watch" and goal == "not_worse" and not values.get("margin", 0) > 0:
        raise UsageError(
            f"{place}: margin is missing: how much worse may it be? Such as margin = 0.01, which is 1% where scale is "
            '"relative". No trial shows that nothing changed at all.'
        )
    return values


TABLES = ("trial", "columns", "exclude", "metric")
# Shares that miss 1 by less than this are meant to sum to it.
ROUNDING = 1e-6


@dataclass(frozen=True, slots=True)
class CalendarDay(Kind):
    """A day of the calendar: 2026-11-01."""

    def read(self, value: object) -> str:
        """The day as text; TOML's own dates are days too."""
        text = value.isoformat() if isinstance(value, date) else value
        if not isinstance(text, str) or not is_date(text):
            raise ValueError(f"must be a day such as 2026-11-01; got {value!r:.40}")
        return text


@dataclass(frozen=True, slots=True)
class Zone(Kind):
    """A time zone by its name in the IANA database."""

    def read(self, value: object) -> str:
        """The name, which is known."""
        if not isinstance(value, str) or zone_named(value) is None:
            raise ValueError(f'must be a time zone such as "Europe/Berlin" or "UTC"; got {value!r:.40}')
        return value


@dataclass(frozen=True, slots=True)
class Shares(Kind):
    """Planned shares of two variants or more, which sum to 1: {old = 0.5, new = 0.5}."""

    def read(self, value: object) -> dict[str, float]:
        """The shares by variant."""
        if not isinstance(value, Mapping) or len(value) < 2:
            raise ValueError(f"are of two variants or more, such as {{old = 0.5, new = 0.5}}; got {value!r:.80}")
        shares: dict[str, float] = {}
        for name, share in value.items():
            try:
                shares[str(name)] = Number(0, 1, open_low=True, open_high=True).read(share)
            except ValueError as error:
                raise ValueError(f"are numbers: that of {name} {error}") from None
        whole = math.fsum(shares.values())
        if abs(whole - 1) > ROUNDING:
            raise ValueError(
                f"sum to {whole:g}, not to 1. They are shares of the units that are in the trial: leave out who is in "
                "no variant"
            )
        return shares


HEAD: dict[str, Kind] = {
    "name": Text(),
    "unit": Text(),
    "control": Text(),
    "shares": Shares(),
    "method": Text(),
    "confidence": Number(0.5, 1, open_low=True, open_high=True),
    "correction": Text(),
    "units": Whole(2),
    "enter": Choice(("first_day", "every_day")),
    "window": Whole(1),
    "begins": CalendarDay(),
    "ends": CalendarDay(),
}
COLUMNS: dict[str, Kind] = {
    "unit": Text(),
    "variant": Text(),
    "day": Text(),
    "entered": Text(),
    "strata": Texts(),
    "segments": Texts(),
    "row": Text(),
    "zone": Zone(),
    "written": Zone(),
    "agent": Text(),
}
EXCLUDE: dict[str, Kind] = {"crossing": Number(0, 1), "rows": Whole(1)}


def read_design(what: object) -> TrialDesign:
    """A design from a path, a dict of the shape of the TOML, or a TrialDesign, which stays as it is."""
    if isinstance(what, TrialDesign):
        return what
    if isinstance(what, Mapping):
        return design_of(what, "the design")
    if isinstance(what, str | os.PathLike):
        return _file(os.fspath(what))
    raise UsageError(f"The design of a trial is a path, a dict or a TrialDesign; got {type(what).__name__}.")


def _file(path: str) -> TrialDesign:
    document = read_toml(path, "`rankproof trial init` writes one to begin with.")
    design = design_of(document, path)
    name = design.name or os.path.splitext(os.path.basename(path))[0]
    return replace(design, name=name, source=path)


def design_of(document: Mapping[str, Any], place: str) -> TrialDesign:
    """The design in a document; `place` names it in messages."""
    check_tables(document, TABLES, place)
    head = read_table(document.get("trial", {}), HEAD, f"{place}, [trial]")
    for key in ("control", "shares"):
        if key not in head:
            raise UsageError(
                f'{place}, [trial]: {key} is missing. Such as: control = "old" and shares = {{old = 0.5, new = 0.5}}'
            )
    if head["control"] not in head["shares"]:
        raise UsageError(
            f"{place}, [trial]: the control {head['control']!r} has no share; shares are of "
            f"{', '.join(head['shares'])}."
        )
    columns = TrialColumns(**read_table(document.get("columns", {}), COLUMNS, f"{place}, [columns]"))
    exclude = Exclusions(**read_table(document.get("exclude", {}), EXCLUDE, f"{place}, [exclude]"))
    entries = document.get("metric", [])
    if not isinstance(entries, list | tuple) or not entries:
        raise UsageError(f"{place} has no [[metric]], so nothing is measured. `rankproof trial init` shows some.")
    metrics = tuple(read_metric(entry, f"{place}, metric {i}") for i, entry in enumerate(entries, start=1))
    names = [metric.name for metric in metrics]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{place}: two metrics are called {name!r}. Give one of them another name.")
    if all(metric.role == "watch" for metric in metrics):
        raise UsageError(f'{place}: every metric is only watched, so nothing is decided. Give one role = "decision".')
    head.setdefault("name", "")
    design = TrialDesign(metrics=metrics, columns=columns, exclude=exclude, **head)
    _refuse_senseless(design, place)
    return design


def read_shares(value: object, where: str) -> dict[str, float]:
    """Planned shares by variant; `where` begins every message."""
    shares: dict[str, float] = read_value(Shares(), value, where)
    return shares


def _refuse_senseless(design: TrialDesign, place: str) -> None:
    try:
        call = read_configured("trials", design.method)
    except UsageError as error:
        raise UsageError(f"{place}, [trial]: method: {error}") from None
    try:
        chosen = shelf.find("corrections", design.correction)
    except UnknownName as error:
        raise UsageError(f"{place}, [trial]: correction: {error}") from None
    if chosen.needs_all_pairs:
        raise UsageError(
            f"{place}, [trial]: {chosen.name} permutes the queries of all pairs; a trial compares with its control. "
            "Use holm."
        )
    if not (call.item.always_valid or call.item.planned_looks) and design.units is None:
        raise UsageError(
            f"{place}, [trial]: {call.item.name} takes one look at a size fixed beforehand. Say units = 20000, from "
            '`rankproof trial plan`, or use method = "obrien_fleming(days=14)", with a look after each planned day, or '
            '"sequence(units=20000)", which may be looked at any time.'
        )
    columns = design.columns
    if columns.entered and not columns.day:
        raise UsageError(f"{place}, [columns]: entered is compared with the day of a row: name the column `day` too.")
    if columns.entered and design.enter == "every_day":
        raise UsageError(
            f'{place}: enter = "every_day" counts a unit on every day; columns.entered says it counts on one. Keep one.'
        )
    if design.window > 1 and design.enter == "every_day":
        raise UsageError(
            f'{place}, [trial]: enter = "every_day" counts each day by itself; a window of {design.window} days takes '
            'enter = "first_day".'
        )
    if design.window > 1 and not columns.day:
        raise UsageError(
            f"{place}, [columns]: a window of {design.window} days takes the column of the `day` of a row."
        )
    if columns.written and not columns.zone:
        raise UsageError(
            f"{place}, [columns]: `written` is the zone that times are read in; say the `zone` of days too."
        )
    if design.begins and design.ends and design.ends < design.begins:
        raise UsageError(f"{place}, [trial]: it ends on {design.ends}, before it begins on {design.begins}.")
