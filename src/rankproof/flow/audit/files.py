"""Reports in files: TOML or JSON with the values, how many queries, and how many relevant documents.

queries = 54
relevant = "1-30"        # or a number; or grades = ["3,2,1"]
decimals = 3             # where the values were rounded to more digits than are written

[values]
"P@10" = 0.341
"nDCG@10" = 0.448
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass
from typing import Any

from rankproof.errors import InputError
from rankproof.flow.source import open_source, require_text

FIELDS = ("decimals", "grades", "queries", "relevant", "values")


@dataclass(frozen=True, slots=True)
class Reported:
    """What a file says; None where it says nothing."""

    values: tuple[tuple[str, str], ...]
    queries: int | None = None
    relevant: str | None = None
    grades: tuple[str, ...] = ()
    decimals: int | None = None


def read_report(path: Any) -> Reported:
    """The report in a file, with the digits of its values as they are written."""
    source = open_source(path)
    require_text(source)
    text = source.text()
    try:
        # Numbers stay texts: 0.60 says more than 0.6 does.
        if text.lstrip().startswith("{"):
            found = json.loads(text, parse_float=str)
        else:
            found = tomllib.loads(text, parse_float=str)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name} is neither TOML nor JSON: {error}.") from None
    if not isinstance(found, dict) or not isinstance(found.get("values"), dict):
        raise InputError(f'{source.name}: a report has a table `values`, such as values = {{"P@10" = 0.341}}.')
    unknown = [name for name in found if name not in FIELDS]
    if unknown:
        raise InputError(f"{source.name}: a report has no field {unknown[0]!r}. Possible: {', '.join(FIELDS)}.")
    grades = found.get("grades", [])
    return Reported(
        tuple((name, _said(source.name, name, value)) for name, value in found["values"].items()),
        _whole(source.name, found, "queries"),
        None if "relevant" not in found else str(found["relevant"]),
        tuple(_pool(pool) for pool in _listed(source.name, grades)),
        _whole(source.name, found, "decimals"),
    )


def _said(source: str, name: str, value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise InputError(f"{source}: the value of {name} must be a number; got {value!r:.80}.")
    return str(value)


def _whole(source: str, found: dict[str, Any], name: str) -> int | None:
    value = found.get(name)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
        raise InputError(f"{source}: {name} must be a whole number; got {value!r:.80}.")
    return value


def _listed(source: str, grades: Any) -> list[Any]:
    if isinstance(grades, str):
        return [grades]
    if not isinstance(grades, list):
        raise InputError(f'{source}: grades must be a text such as "3,2,1", or a list; got {grades!r:.80}.')
    # A plain list of numbers is one pool.
    return [grades] if grades and all(isinstance(grade, int) for grade in grades) else grades


def _pool(pool: Any) -> str:
    return ",".join(map(str, pool)) if isinstance(pool, list) else str(pool)
