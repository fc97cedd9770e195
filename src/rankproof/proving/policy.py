"""Policy: rules and settings from TOML or a dict of the same shape, every value checked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs import REQUIRED, Choice, Flag, Kind, Number, Path, Text, Texts, Whole
from rankproof.proving.rules.contract import Rule
from rankproof.reading.detect import by_prefix
from rankproof.reading.source import read_toml


@dataclass(frozen=True, slots=True, eq=False)
class Clause:
    """One rule of a policy, with every choice made.

    rule     the item of the rules shelf
    values   by the names of its parameters
    title    what reports call it; "" for the rule's own words
    place    where it stands, for messages: "gate.toml, rule 2 (least_value)"
    """

    rule: str
    values: Mapping[str, Any]
    title: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Policy:
    """Rules, and the inputs and choices that they rest on. Inputs are paths or whatever `evaluate` takes.

    queries       a file with columns of queries, whose values make segments
    latency       a file with one request per line: query id and milliseconds
    confidence    of each one-sided bound
    significance  the item of the significance shelf that gives the bounds
    choices       how runs are read and measured: the choices of `evaluate`
    source        the file it was read from; "" for an object
    """

    name: str
    clauses: tuple[Clause, ...]
    qrels: Any = None
    baseline: Any = None
    candidate: Any = None
    topics: Any = None
    queries: Any = None
    latency: Any = None
    confidence: float = 0.95
    significance: str = "t"
    resamples: int = 100_000
    seed: int = 0
    choices: Mapping[str, Any] = field(default_factory=dict)
    source: str = ""


# What stands at the top of a policy: its tables.
TABLES = ("policy", "evaluate", "rule")
# Files that a policy names from its own folder.
INPUTS = ("qrels", "baseline", "candidate", "topics", "queries", "latency")
STATISTICS: dict[str, Kind] = {
    "confidence": Number(0.5, 1, open_low=True, open_high=True),
    "significance": Text(),
    "resamples": Whole(1_000),
    "seed": Whole(0),
}
# The choices of `rankproof evaluate`, by the names they have in Python.
CHOICES: dict[str, Kind] = {
    "dialect": Text(),
    "depth": Whole(1),
    "judged_only": Flag(),
    "level": Whole(0),
    "complete": Flag(),
    "undefined": Choice(("zero", "skip")),
    "ties": Choice(("rule", "expected")),
    "order": Choice(("score", "rank", "given")),
    "lower_is_better": Flag(),
    "collapse": Text(),
    "drop_self": Flag(),
    "allow": Texts(),
    "qrels_format": Text(),
    "run_format": Text(),
}
# Choices that name an item of a shelf.
ON_SHELVES = {"significance": "significance", "dialect": "dialects", "qrels_format": "formats", "run_format": "formats"}


def read_policy(what: Any, **instead: Any) -> Policy:
    """A policy from a path, a dict of the shape of the TOML, or a Policy; what is given `instead` goes before.

    Files that a policy file names are looked for from its own folder; those given here, from where one is.
    """
    if isinstance(what, Policy):
        policy = what
    elif isinstance(what, Mapping):
        policy = policy_of(what, "the policy", "")
    elif isinstance(what, str | os.PathLike):
        policy = _file(os.fspath(what))
    else:
        raise UsageError(f"A policy is a path, a dict or a Policy; got {type(what).__name__}.")
    said = {name: value for name, value in instead.items() if value is not None}
    for name in STATISTICS.keys() & said.keys():
        said[name] = _value(STATISTICS[name], said[name], name, name)
    return replace(policy, **said)


def _file(path: str) -> Policy:
    document = read_toml(path, "`rankproof gate init` writes one to begin with.")
    policy = policy_of(document, path, os.path.dirname(path))
    name = policy.name or os.path.splitext(os.path.basename(path))[0]
    return replace(policy, name=name, source=path)


def policy_of(document: Mapping[str, Any], place: str, folder: str) -> Policy:
    """The policy in a document; `place` names it in messages, `folder` is where its files are looked for."""
    for key in document:
        if key not in TABLES:
            raise UnknownName(f"table of {place}", key, TABLES)
    head = _table(document, "policy", place)
    known = {"name": Text(), **dict.fromkeys(INPUTS), **STATISTICS}
    fields: dict[str, Any] = {}
    for key, value in head.items():
        if key not in known:
            raise UnknownName(f"key of [policy] in {place}", key, known)
        kind = known[key]
        where = f"{place}, [policy]: {key}"
        fields[key] = _input(value, folder, where) if kind is None else _value(kind, value, key, where)
    choices = {}
    for key, value in _table(document, "evaluate", place).items():
        if key not in CHOICES:
            raise UnknownName(f"key of [evaluate] in {place}", key, CHOICES)
        choices[key] = _value(CHOICES[key], value, key, f"{place}, [evaluate]: {key}")
    entries = document.get("rule", [])
    if not isinstance(entries, list | tuple) or not entries:
        raise UsageError(f"{place} has no [[rule]]: nothing is asked. Rules: {', '.join(shelf.everything('rules'))}.")
    clauses = tuple(read_clause(e, f"{place}, rule {i}", folder) for i, e in enumerate(entries, start=1))
    return Policy(name=fields.pop("name", ""), clauses=clauses, choices=choices, **fields)


def read_clause(entry: Any, place: str, folder: str = "") -> Clause:
    """One entry of a policy, its values read by the parameters of its rule."""
    if not isinstance(entry, Mapping) or not isinstance(entry.get("rule"), str):
        raise UsageError(f'{place}: a rule needs its name, such as rule = "least_value"; got {entry!r:.80}.')
    name = entry["rule"]
    try:
        rule: Rule = shelf.find("rules", name)
    except UnknownName as error:
        raise UnknownName(f"rule ({place})", name, shelf.everything("rules")) from error
    place = f"{place} ({name})"
    known = {param.name: param for param in rule.params}
    values: dict[str, Any] = {}
    for key, value in entry.items():
        if key in ("rule", "title"):
            continue
        if key not in known:
            raise UnknownName(f"key of {place}", key, (*known, "rule", "title"))
        values[key] = _value(known[key].kind, value, key, f"{place}: {key}")
        if isinstance(known[key].kind, Path):
            values[key] = _input(values[key], folder, f"{place}: {key}")
    for param in rule.params:
        if param.name not in values:
            if param.default is REQUIRED:
                raise UsageError(f"{place}: {param.name} is missing: {param.meaning}.")
            values[param.name] = param.default
    if rule.refuse is not None:
        try:
            rule.refuse(values)
        except UsageError as error:
            raise UsageError(f"{place}: {error}.") from None
    title = _value(Text(), entry["title"], "title", f"{place}: title") if "title" in entry else ""
    return Clause(name, values, title, place)


def _table(document: Mapping[str, Any], key: str, place: str) -> Mapping[str, Any]:
    table = document.get(key, {})
    if not isinstance(table, Mapping):
        raise UsageError(f"{place}: [{key}] must be a table of keys and values; got {table!r:.80}.")
    return table


def _value(kind: Kind, value: Any, key: str, where: str) -> Any:
    try:
        read = kind.read(value)
    except ValueError as error:
        raise UsageError(f"{where} {error}.") from None
    if key in ON_SHELVES:
        try:
            shelf.find(ON_SHELVES[key], read)
        except UnknownName as error:
            raise UnknownName(f"{error.kind} ({where})", read, shelf.everything(ON_SHELVES[key])) from error
    return read


def _input(value: Any, folder: str, where: str) -> Any:
    """A file named from the policy's folder; objects, standard input and names such as irds:... as they are."""
    if not isinstance(value, str):
        if folder:
            raise UsageError(f"{where} must be the name of a file; got {value!r:.80}.")
        return value
    if not value:
        raise UsageError(f"{where} must be the name of a file; got an empty text.")
    return value if value == "-" or by_prefix(value) is not None else os.path.join(folder, value)
