"""Past changes from a table, or from stored documents that a TOML file names.

    [[change]]
    name = "synonyms"
    comparison = "synonyms/comparison.json"   # of `rankproof compare --json`
    trial = "synonyms/trial.json"             # of `rankproof trial read --json`
    candidate = "hybrid"                      # needed where the comparison has several
    variant = "treatment"                     # needed where the trial has several

The offline difference is that over all queries, with the standard error of its differences by query. The online one is
the effect of the trial over all units; its standard error is the one with which the trial's own method gives the
interval that the document has. Relative effects and absolute ones of one metric are not mixed.

    change               its name; once in the file
    offline:NAME         the difference in the measure NAME; empty where it was not measured
    offline:NAME:se      its standard error, if it is known
    online:NAME          the effect on the metric NAME
    online:NAME:se       its standard error

A difference is candidate minus baseline, as measured; whether lower is better is an option beside the file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence

from rankproof.errors import InputError, UnknownName
from rankproof.kernel.documents import Document
from rankproof.kernel.jsontext import from_json
from rankproof.kernel.sections import counted
from rankproof.kernel.specs.calls import read_configured
from rankproof.online.relate.records import Changes, MeasuredDifference, PastChange
from rankproof.online.trials.contract import Effect, EffectRequest, VariancePart
from rankproof.reading.row_batches import RowBatch, stream
from rankproof.reading.source import open_source, read_toml, require_text

NAME = "change"
SIDES = ("offline", "online")
ERROR = ":se"


def read_changes(path: str, lower: Iterable[str] = ()) -> Changes:
    """The changes of a file; `lower` names measures and metrics of which less is better."""
    changes: dict[str, PastChange] = {}
    names: dict[str, dict[str, None]] = {side: {} for side in SIDES}
    for batch in stream(path):
        columns = _columns(batch)
        numbers = {name: batch.numbers(name).tolist() for side in columns.values() for name in side.values()}
        for side, named in columns.items():
            names[side].update((name, None) for name in named if not name.endswith(ERROR))
        for row, name in enumerate(batch.texts(NAME)):
            if name in changes:
                raise InputError(f"{batch.where(row)}: the change {name!r} is there already. Give each change one row.")
            offline, online = (_figures(columns[side], numbers, batch, row) for side in SIDES)
            changes[name] = PastChange(name, offline, online)
    if not changes:
        raise InputError(f"{path}: there is no change in it. Check that it is the right file.")
    return Changes(
        tuple(changes.values()), tuple(names["offline"]), tuple(names["online"]), known_names(lower, names.values())
    )


def known_names(lower: Iterable[str], names: Iterable[Mapping[str, None]]) -> frozenset[str]:
    """The names of which less is better; an error for one that nobody knows."""
    known = {name for some in names for name in some}
    for name in lower:
        if name not in known:
            raise UnknownName("measure or metric", name, known)
    return frozenset(lower)


def _columns(batch: RowBatch) -> dict[str, dict[str, str]]:
    """For each side, the column of each name, with standard errors under NAME:se."""
    batch.values(NAME)  # an error where the file has no names of changes
    by_side: dict[str, dict[str, str]] = {side: {} for side in SIDES}
    for column in batch.columns:
        side, colon, name = column.partition(":")
        if side in SIDES and colon and name:
            by_side[side][name] = column
    for side, named in by_side.items():
        if not any(not name.endswith(ERROR) for name in named):
            raise InputError(
                f"{batch.source} has no column {side}:NAME. Call columns such as offline:nDCG@10, offline:nDCG@10:se, "
                "online:success and online:success:se."
            )
        for name in named:
            if name.endswith(ERROR) and name.removesuffix(ERROR) not in named:
                raise InputError(
                    f"{batch.source}: the column {side}:{name} has the standard errors of {side}:"
                    f"{name.removesuffix(ERROR)}, which is not there. Add it, or leave this one out."
                )
    return by_side


def _figures(
    columns: Mapping[str, str], numbers: Mapping[str, list[float]], batch: RowBatch, row: int
) -> dict[str, MeasuredDifference]:
    differences = {}
    for name, column in columns.items():
        if name.endswith(ERROR) or math.isnan(value := numbers[column][row]):
            continue
        error = numbers[columns[name + ERROR]][row] if name + ERROR in columns else math.nan
        if error < 0:
            raise InputError(f"{batch.where(row)}: a standard error must be 0 or more; {column}{ERROR} is {error:g}.")
        differences[name] = MeasuredDifference(value, None if math.isnan(error) else error)
    return differences


KEYS = ("name", "comparison", "trial", "candidate", "variant")


def assemble(path: str, lower: Iterable[str] = ()) -> Changes:
    """The changes that a TOML file names; its paths are from its own folder."""
    document = read_toml(path)
    tables = document.get("change")
    if not isinstance(tables, list) or not tables or set(document) != {"change"}:
        raise InputError(f"{path} has one [[change]] table for each change, and nothing else.")
    folder = os.path.dirname(path)
    changes: dict[str, PastChange] = {}
    less: set[str] = set()
    scales: dict[str, tuple[str, str]] = {}
    for at, table in enumerate(tables, start=1):
        entry = _checked(table, f"{path}, change {at}")
        if entry["name"] in changes:
            raise InputError(f"{path}: two changes are called {entry['name']!r}. Give each a name of its own.")
        comparison, trial = (os.path.join(folder, entry[key]) for key in ("comparison", "trial"))
        offline, lower_offline = _offline(_document(comparison), comparison, entry.get("candidate"))
        online, lower_online, scale = _online(_document(trial), trial, entry.get("variant"))
        for metric, on_scale in scale.items():
            before = scales.setdefault(metric, (on_scale, entry["name"]))
            if before[0] != on_scale:
                raise InputError(
                    f"{path}: the effect on {metric} is {before[0]} in {before[1]!r} and {on_scale} in "
                    f"{entry['name']!r}. Read the A/B tests on one scale."
                )
        less |= lower_offline | lower_online
        changes[entry["name"]] = PastChange(entry["name"], offline, online)
    measures = dict.fromkeys(name for change in changes.values() for name in change.offline)
    metrics = dict.fromkeys(name for change in changes.values() for name in change.online)
    named = known_names(lower, (measures, metrics))
    return Changes(tuple(changes.values()), tuple(measures), tuple(metrics), frozenset(less | named))


def _checked(table: object, place: str) -> dict[str, str]:
    if not isinstance(table, Mapping):
        raise InputError(f"{place} is not a table. Write [[change]].")
    for key, value in table.items():
        if key not in KEYS:
            raise UnknownName(f"key of {place}", key, KEYS)
        if not isinstance(value, str) or not value:
            raise InputError(f"{place}: {key} must be a text; got {value!r:.60}.")
    for key in KEYS[:3]:
        if key not in table:
            raise InputError(f"{place} has no {key}. A change has a name, a comparison and a trial (an A/B test).")
    return dict(table)


def _document(path: str) -> Document:
    source = open_source(path)
    require_text(source)
    document = from_json(source.text(), path)
    if not isinstance(document, dict):
        raise InputError(f"{path} is not a JSON document of rankproof.")
    return document


def _offline(document: Document, path: str, candidate: str | None) -> tuple[dict[str, MeasuredDifference], set[str]]:
    if document.get("schema") != "comparison/1":
        raise _wrong(document, path, "comparison/1", "rankproof compare --json")
    systems = document["systems"]
    name = _chosen(candidate, systems[1:], "candidate", path)
    differences, lower = {}, set()
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
        differences[contrast["measure"]] = MeasuredDifference(value, error)
    return differences, lower


def _online(
    document: Document, path: str, variant: str | None
) -> tuple[dict[str, MeasuredDifference], set[str], dict[str, str]]:
    if document.get("schema") != "trial/1":
        raise _wrong(document, path, "trial/1", "rankproof trial read --json")
    trial = document["trial"]
    effects = trial["effects"]
    if not effects:
        raise InputError(f"{path} shows no effects: {trial['withheld'] or 'the A/B test had none'}.")
    name = _chosen(variant, list(dict.fromkeys(effect["variant"] for effect in effects)), "variant", path)
    differences, lower, scales = {}, set(), {}
    for each in effects:
        answer, metric = each["effect"], each["metric"]["name"]
        if each["variant"] != name or each["segment"] is not None or answer["value"] is None:
            continue
        if each["metric"]["better"] == "lower":
            lower.add(metric)
        scales[metric] = each["scale"]
        error = standard_error(answer, trial["method"], trial["confidence"])
        differences[metric] = MeasuredDifference(
            answer["value"], error, None if answer["low"] is None else each["direction"] != "not shown"
        )
    return differences, lower, scales


def standard_error(answer: Document, method: str, level: float) -> float | None:
    """The standard error with which a method of the trials shelf gives this interval; None without an interval."""
    from scipy.optimize import brentq  # here: loading scipy is for those who test

    if answer["low"] is None or answer["high"] is None:
        return None
    call = read_configured("trials", method)
    half_width, half = (answer["high"] - answer["low"]) / 2, answer["n"] // 2

    def too_wide(log_error: float) -> float:
        variance = math.exp(2 * log_error)
        parts = (VariancePart(variance / 2, half), VariancePart(variance / 2, half))
        estimate = call.item.infer(Effect(0.0, parts, answer["n"]), EffectRequest(level), call.values)
        return float((estimate.high - estimate.low) / 2 - half_width)

    center = math.log(half_width)
    return math.exp(float(brentq(too_wide, center - 6, center + 1, xtol=1e-12)))


def _chosen(selected: str | None, available: Sequence[str], what: str, path: str) -> str:
    if selected is not None:
        if selected not in available:
            raise UnknownName(f"{what} of {path}", selected, available)
        return selected
    if len(available) != 1:
        names = f": {', '.join(available)}" if available else ""
        raise InputError(f'{path} has {counted(len(available), what)}{names}. Name one with {what} = "NAME".')
    return available[0]


def _wrong(document: Document, path: str, schema: str, command: str) -> InputError:
    schema_found = document.get("schema", "no schema")
    return InputError(f"{path} holds {schema_found!r:.40}, where {schema} is needed: what `{command}` writes.")
