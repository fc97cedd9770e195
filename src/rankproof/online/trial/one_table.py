"""An A/B test from one table: the design that its columns, values and a few options amount to.

What the options leave open is found in the table and said: the variants and their control, the kind of each metric, the
column of units. The design is that of a TOML file, so that the same test can be read by `rankproof trial` next time.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from rankproof.errors import InputError, UnknownName, UsageError
from rankproof.kernel.sections import percent
from rankproof.online.trial.collect import collect_units
from rankproof.online.trial.design import design_of
from rankproof.online.trial.read import read_trial
from rankproof.online.trial.records import ROWS
from rankproof.proving.verdict import Verdict
from rankproof.reading.row_batches import header, missing_column, stream
from rankproof.reading.source import STDIN

# What people call the variant that others are compared with; taken where only one of these is there.
CONTROLS = ("control", "a", "baseline", "old", "off", "0", "false")
# What people call the column of units, where none is named.
UNITS = (
    "user_id", "userid", "user", "unit_id", "unit", "visitor_id", "visitor", "customer_id", "client_id", "account_id",
    "anonymous_id", "session_id",
)  # fmt: skip
# More values than this are no variants: somebody named another column.
MOST_VARIANTS = 20
# Words after a colon -> what they say of a metric.
WORDS: Mapping[str, Mapping[str, Any]] = {
    **{word: {"kind": "proportion"} for word in ("binary", "conversion", "proportion", "rate")},
    **{word: {"kind": "mean"} for word in ("mean", "count", "sum", "revenue")},
    "ratio": {"kind": "ratio"},
    "median": {"kind": "quantile", "at": 0.5},
    "lower": {"better": "lower"},
    "higher": {"better": "higher"},
}
_QUANTILE = re.compile(r"p(\d{1,2}(?:\.\d+)?)")
_YES_NO = frozenset({"0", "1", "0.0", "1.0", "true", "false", "yes", "no", "t", "f", "y", "n", "none", "nan", ""})


@dataclass(frozen=True, slots=True)
class TableTest:
    """What is asked of a table.

    variant      the column of variants
    metrics      COLUMN[:KIND], or NUMERATOR/DENOMINATOR; the first decides, the others are watched
    guardrails   COLUMN[:KIND]=MARGIN, each of which must not be worse by more than its margin
    unit         the column of units; "*" where each row is one; "" to look for a usual name
    control      the variant that others are compared with; "" to look for a usual name
    split        planned shares, "90/10" with the control first or "old=0.9,new=0.1"; "" for equal ones
    """

    path: str
    variant: str
    metrics: tuple[str, ...]
    guardrails: tuple[str, ...] = ()
    unit: str = ""
    control: str = ""
    split: str = ""
    segments: tuple[str, ...] = ()
    method: str = "sequence"
    units: int | None = None
    confidence: float = 0.95


@dataclass(slots=True)
class _Survey:
    """What one pass over the table saw: rows by variant, and columns that say yes or no only."""

    variants: Counter[str] = field(default_factory=Counter)
    other: set[str] = field(default_factory=set)
    filled: set[str] = field(default_factory=set)


def read_table_test(request: TableTest) -> tuple[Verdict, dict[str, Any]]:
    """The verdict on the table, and the design as the document of a TOML file."""
    document, notes = design_of_table(request)
    design = design_of(document, request.path)
    verdict = read_trial(design, [collect_units(design, [request.path])])
    return replace(verdict, notes=(*notes, *verdict.notes)), document


def design_of_table(request: TableTest) -> tuple[dict[str, Any], list[str]]:
    """The design as the document of a TOML file, and what was found in the table and not said."""
    if request.path == STDIN:
        raise UsageError("A table is read twice, and standard input can be read once. Give a file.")
    names = header(request.path)
    if request.variant not in names:
        raise missing_column(request.variant, names, request.path)
    metrics = [_metric(text, names, request.path) for text in request.metrics]
    metrics += [_guardrail(text, names, request.path) for text in request.guardrails]
    for metric in metrics[1 : len(request.metrics)]:
        metric["role"] = "watch"
    columns_of = Counter(metric["name"] for metric in metrics)
    for metric, text in zip(metrics, (*request.metrics, *request.guardrails), strict=True):
        if columns_of[metric["name"]] > 1:  # revenue and revenue:binary are two metrics
            metric["name"] = text
    survey = _survey(request, sorted({metric["value"] for metric in metrics if "kind" not in metric}))
    notes = [*_guess_kinds(metrics, survey, request.path)]
    unit, note = _unit(request.unit, names, request.path)
    control = _control(request, survey)
    shares = _shares(request.split, control, sorted(survey.variants, key=lambda name: (name != control, name)))
    notes += [
        note,
        f"control: {control}; planned shares: {', '.join(f'{name} {percent(share)}' for name, share in shares.items())}"
        + ("" if request.split else " (equal, since --split names no others)"),
    ]
    head: dict[str, Any] = {
        "name": os.path.basename(request.path).partition(".")[0],
        "unit": "row" if unit == ROWS else "unit" if unit == "unit" else re.sub(r"_?id$", "", unit) or "unit",
        "control": control,
        "shares": shares,
        "method": request.method,
        "confidence": request.confidence,
    }
    if request.units is not None:
        head["units"] = request.units
    columns: dict[str, Any] = {"unit": unit, "variant": request.variant}
    if request.segments:
        columns["segments"] = list(request.segments)
    return {"trial": head, "columns": columns, "metric": metrics}, notes


def design_text(document: Mapping[str, Any], path: str) -> str:
    """The design as TOML, with the lines that read the table by it."""
    lines = [
        f"# The design of an A/B test that `rankproof ab` found in {os.path.basename(path)}. Next time:",
        "#   rankproof trial collect THIS-FILE ROWS --day 2026-11-01 -o DAY.json",
        "#   rankproof trial read THIS-FILE DAY.json",
    ]
    for table in ("trial", "columns"):
        lines += ["", f"[{table}]", *(f"{key} = {_toml(value)}" for key, value in document[table].items())]
    for metric in document["metric"]:
        lines += ["", "[[metric]]", *(f"{key} = {_toml(value)}" for key, value in metric.items())]
    return "\n".join(lines) + "\n"


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(share)}" for key, share in value.items()) + "}"
    # Texts, numbers and lists of JSON are TOML too; DEL is the one character that TOML wants written out besides.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _metric(text: str, names: Sequence[str], path: str) -> dict[str, Any]:
    """The entry of a metric: COLUMN, COLUMN:KIND[:lower], NUMERATOR/DENOMINATOR; a column of the whole name wins."""
    if text in names:
        return {"name": text, "value": text}
    column, *words = text.split(":")
    metric: dict[str, Any] = {"name": column, "value": column}
    if column not in names and "/" in column:
        above, _, below = column.partition("/")
        metric |= {"value": above, "denominator": below, "kind": "ratio"}
    for name in (metric["value"], metric.get("denominator", ROWS)):
        if name not in names and name != ROWS:
            raise missing_column(name, names, path)
    for word in words:
        quantile = _QUANTILE.fullmatch(word)
        if quantile:
            metric |= {"kind": "quantile", "at": round(float(quantile[1]) / 100, 6)}
        elif word in WORDS:
            metric |= WORDS[word]
        else:
            raise UnknownName(f"kind of a metric (in {text!r})", word, [*WORDS, "p95"])
    if metric.get("kind") == "ratio" and "denominator" not in metric:
        raise UsageError(f"{text}: a ratio names two columns, {column}/COLUMN, or {column}/* for one per row.")
    return metric


def _guardrail(text: str, names: Sequence[str], path: str) -> dict[str, Any]:
    spec, equals, margin = text.rpartition("=")
    try:
        share = float(margin.removesuffix("%")) / (100 if margin.endswith("%") else 1)
    except ValueError:
        share = 0.0
    if not equals or not 0 < share < 1:
        raise UsageError(
            f"--guardrail is written as COLUMN=MARGIN, such as latency:p95:lower=5%, which may be worse by 5% at most; "
            f"got {text!r}."
        )
    return {**_metric(spec, names, path), "role": "guardrail", "margin": share}


def _survey(request: TableTest, unknown_kinds: Sequence[str]) -> _Survey:
    """One pass over the table."""
    survey = _Survey()
    for batch in stream(request.path, (request.variant, *unknown_kinds, *request.segments)):
        survey.variants.update("" if value is None else str(value) for value in batch.values(request.variant))
        if len(survey.variants) > MOST_VARIANTS + 1:
            raise InputError(
                f"{request.path}: the column {request.variant!r} has more than {MOST_VARIANTS} values. A column of "
                "variants has a few, such as control and treatment: name another with --variant."
            )
        for column in unknown_kinds:
            if column not in survey.other:
                values = {str(value).casefold() for value in batch.values(column)}
                survey.filled |= {column} if values - {"", "none", "nan"} else set()
                survey.other |= set() if values <= _YES_NO else {column}
    survey.variants.pop("", None)
    if len(survey.variants) < 2:
        seen = f"only {next(iter(survey.variants))!r}" if survey.variants else "no value"
        raise InputError(
            f"{request.path}: the column {request.variant!r} has {seen}. An A/B test has two variants or more."
        )
    return survey


def _guess_kinds(metrics: Sequence[dict[str, Any]], survey: _Survey, path: str) -> list[str]:
    """Sets kinds that were not said, and says them."""
    notes = []
    for metric in metrics:
        if "kind" in metric:
            continue
        column = metric["value"]
        if column not in survey.filled:
            raise InputError(f"{path}: the column {column!r} has no value. Name another with --metric.")
        metric["kind"] = "mean" if column in survey.other else "proportion"
        word = "mean" if column in survey.other else "binary"
        what = "numbers: the mean over units" if word == "mean" else "0 and 1: the share of units with a 1 in any row"
        notes.append(f"{column}: its values are {what} (--metric {column}:{word} says so)")
    return notes


def _unit(unit: str, names: Sequence[str], path: str) -> tuple[str, str]:
    """The column of units, or "*", and what to say of it."""
    if unit and unit != ROWS:
        if unit not in names:
            raise missing_column(unit, names, path)
        return unit, f"units: the rows of one {unit} are added up"
    if unit == ROWS:
        return ROWS, "units: each row counts as one, independent of the others"
    folded = {name.casefold(): name for name in names}
    usual = next((folded[name] for name in UNITS if name in folded), None)
    if usual is None:
        return ROWS, "units: each row counts as one, independent of the others; --unit COLUMN adds up rows of one unit"
    return usual, f"units: the rows of one {usual} are added up; --unit '*' counts each row as a unit"


def _control(request: TableTest, survey: _Survey) -> str:
    if request.control:
        if request.control not in survey.variants:
            raise UnknownName("variant", request.control, survey.variants)
        return request.control
    usual = [name for word in CONTROLS for name in survey.variants if name.casefold() == word]
    if len(usual) == 1:
        return usual[0]
    variants = ", ".join(sorted(survey.variants))
    raise UsageError(f"Which variant is the control? {request.path} has {variants}. Name one with --control.")


def _shares(split: str, control: str, variants: Sequence[str]) -> dict[str, float]:
    """Planned shares, the control first; `variants` has the control first."""
    if not split:
        return dict.fromkeys(variants, 1 / len(variants))
    named = "=" in split
    parts = split.split(",") if named else split.split("/")
    try:
        pairs = [part.split("=") for part in parts] if named else list(zip(variants, parts, strict=True))
        shares = {name.strip(): float(share) for name, share in pairs}
    except ValueError:
        shares = {}
    whole = sum(shares.values())
    if not set(variants) <= set(shares) or not all(share > 0 for share in shares.values()) or control not in shares:
        raise UsageError(
            f"--split is written as 50/50, in the order {'/'.join(variants)}, or as "
            f"{','.join(f'{name}=SHARE' for name in variants)}; got {split!r}."
        )
    return {name: share / whole for name, share in shares.items()}
