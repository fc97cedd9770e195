"""Assembling: past changes from documents that were kept, which a TOML file names.

    [[change]]
    name = "synonyms"
    comparison = "synonyms/comparison.json"   # of `rankproof compare --json`
    trial = "synonyms/trial.json"             # of `rankproof trial read --json`
    candidate = "hybrid"                      # needed where the comparison has several
    variant = "treatment"                     # needed where the trial has several

The offline difference is that over all queries, with the standard error of its differences by query. The online one is
the effect of the trial over all units; its standard error is the one with which the trial's own method gives the
interval that the document has. Relative effects and absolute ones of one metric are not mixed.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rankproof.errors import InputError, UnknownName
from rankproof.flow.calls import read_call
from rankproof.flow.relating.reading import known_names
from rankproof.flow.source import open_source, require_text
from rankproof.flow.tomlfile import read_toml
from rankproof.records.jsontext import from_json
from rankproof.records.relation import Change, Changes, Figure
from rankproof.trials._contract import Asked, Effect, Part

KEYS = ("name", "comparison", "trial", "candidate", "variant")


def assemble(path: str, lower: Iterable[str] = ()) -> Changes:
    """The changes that a TOML file names; its paths are from its own folder."""
    document = read_toml(path)
    tables = document.get("change")
    if not isinstance(tables, list) or not tables or set(document) != {"change"}:
        raise InputError(f"{path} has one [[change]] table for each change, and nothing else.")
    folder = os.path.dirname(path)
    found: dict[str, Change] = {}
    less: set[str] = set()
    scales: dict[str, tuple[str, str]] = {}
    for at, table in enumerate(tables, start=1):
        asked = _checked(table, f"{path}, change {at}")
        if asked["name"] in found:
            raise InputError(f"{path}: two changes are called {asked['name']!r}. Give each a name of its own.")
        comparison, trial = (os.path.join(folder, asked[key]) for key in ("comparison", "trial"))
        offline, lower_offline = _offline(_document(comparison), comparison, asked.get("candidate"))
        online, lower_online, scale = _online(_document(trial), trial, asked.get("variant"))
        for metric, said in scale.items():
            before = scales.setdefault(metric, (said, asked["name"]))
            if before[0] != said:
                raise InputError(
                    f"{path}: the effect on {metric} is {before[0]} in {before[1]!r} and {said} in {asked['name']!r}. "
                    "Read the trials on one scale."
                )
        less |= lower_offline | lower_online
        found[asked["name"]] = Change(asked["name"], offline, online)
    measures = dict.fromkeys(name for change in found.values() for name in change.offline)
    metrics = dict.fromkeys(name for change in found.values() for name in change.online)
    named = known_names(lower, (measures, metrics))
    return Changes(tuple(found.values()), tuple(measures), tuple(metrics), frozenset(less | named))


def _checked(table: Any, place: str) -> dict[str, str]:
    if not isinstance(table, Mapping):
        raise InputError(f"{place} is no table. Write [[change]].")
    for key, value in table.items():
        if key not in KEYS:
            raise UnknownName(f"key of {place}", key, KEYS)
        if not isinstance(value, str) or not value:
            raise InputError(f"{place}: {key} is a text; {value!r:.60} came.")
    for key in KEYS[:3]:
        if key not in table:
            raise InputError(f"{place} has no {key}. A change has a name, a comparison and a trial.")
    return dict(table)


def _document(path: str) -> Mapping[str, Any]:
    source = open_source(path)
    require_text(source)
    found = from_json(source.text(), path)
    if not isinstance(found, Mapping):
        raise InputError(f"{path} is no JSON document of rankproof.")
    return found


def _offline(document: Mapping[str, Any], path: str, candidate: str | None) -> tuple[dict[str, Figure], set[str]]:
    if document.get("schema") != "comparison/1":
        raise _wrong(document, path, "comparison/1", "rankproof compare --json")
    systems = document["systems"]
    name = _chosen(candidate, systems[1:], "candidate", path)
    found, lower = {}, set()
    for contrast in document["contrasts"]:
        if (contrast["baseline"], contrast["candidate"], contrast["segment"]) != (systems[0], name, None):
            continue
        value, effect = contrast["difference"]["value"], contrast["effect"]
        if value is None:
            continue
        if contrast["better"] == "lower":
            lower.add(contrast["measure"])
        # The effect is the mean over the standard deviation of the differences by query.
        error = abs(value / effect) / math.sqrt(contrast["queries"]) if effect else None
        found[contrast["measure"]] = Figure(value, error)
    return found, lower


def _online(
    document: Mapping[str, Any], path: str, variant: str | None
) -> tuple[dict[str, Figure], set[str], dict[str, str]]:
    if document.get("schema") != "trial/1":
        raise _wrong(document, path, "trial/1", "rankproof trial read --json")
    trial = document["trial"]
    effects = trial["effects"]
    if not effects:
        raise InputError(f"{path} shows no effects: {trial['withheld'] or 'the trial had none'}.")
    name = _chosen(variant, list(dict.fromkeys(effect["variant"] for effect in effects)), "variant", path)
    found, lower, scales = {}, set(), {}
    for each in effects:
        answer, metric = each["effect"], each["metric"]["name"]
        if each["variant"] != name or each["segment"] is not None or answer["value"] is None:
            continue
        if each["metric"]["better"] == "lower":
            lower.add(metric)
        scales[metric] = each["scale"]
        error = standard_error(answer, trial["method"], trial["confidence"])
        found[metric] = Figure(
            answer["value"], error, None if answer["low"] is None else each["direction"] != "not shown"
        )
    return found, lower, scales


def standard_error(answer: Mapping[str, Any], method: str, level: float) -> float | None:
    """The standard error with which a method of the trials shelf gives this interval; None without an interval."""
    from scipy.optimize import brentq  # here: loading scipy is for those who test

    if answer["low"] is None or answer["high"] is None:
        return None
    call = read_call("trials", method)
    wanted, half = (answer["high"] - answer["low"]) / 2, answer["n"] // 2

    def too_wide(log_error: float) -> float:
        variance = math.exp(2 * log_error)
        parts = (Part(variance / 2, half), Part(variance / 2, half))
        found = call.item.infer(Effect(0.0, parts, answer["n"]), Asked(level), call.values)
        return float((found.high - found.low) / 2 - wanted)

    center = math.log(wanted)
    return math.exp(float(brentq(too_wide, center - 6, center + 1, xtol=1e-12)))


def _chosen(asked: str | None, there: Sequence[str], what: str, path: str) -> str:
    if asked is not None:
        if asked not in there:
            raise UnknownName(f"{what} of {path}", asked, there)
        return asked
    if len(there) != 1:
        raise InputError(f'{path} has {len(there)} {what}s: {", ".join(there)}. Say which one with {what} = "NAME".')
    return there[0]


def _wrong(document: Mapping[str, Any], path: str, schema: str, command: str) -> InputError:
    came = document.get("schema", "no schema")
    return InputError(f"{path} holds {came!r:.40}, where {schema} is needed: what `{command}` writes.")
