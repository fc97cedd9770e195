"""Hit fields: what an answer says of each hit (title, text, picture, price), kept for people who judge.

An API is described by JMESPath expressions inside one hit. Servers with fields of documents take names of fields, and
their own engine says where in a hit these stand. Keeping fields is a part of the request, and of the time it takes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rankproof.errors import UsageError
from rankproof.kernel.jsontext import to_json
from rankproof.kernel.specs.kinds import Param
from rankproof.stack.engines._expressions import expression, extracted
from rankproof.stack.engines._kinds import HitFields

# A name, those inside of it, and what stands in brackets behind them.
_PATH = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\[[^\]]*\].*)?", re.ASCII)
_NO_NAME = re.compile(r"[\s,(){}]")


def hit_fields_param(where: str) -> Param:
    """The parameter; `where` says what stands behind a name, such as "JMESPath in one hit"."""
    return Param(
        "hit_fields",
        HitFields(),
        {},
        f"what is kept of each hit for people who judge: {where} by name, or names alone, such as 'title url'",
    )


def field_text(value: object) -> str:
    """A value as the text that judges read; "" where there is none.

    >>> field_text(" a "), field_text(12.5), field_text(["red", 7]), field_text({"eur": 3}), field_text(None)
    (' a ', '12.5', 'red\\n7', '{"eur": 3}', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and not any(isinstance(part, dict | list) for part in value):
        return "\n".join(filter(None, map(field_text, value)))
    try:
        return to_json(value)
    except (TypeError, ValueError):  # of a database, such as a date; NaN
        return str(value)


def texts_of(values: Iterable[tuple[str, object]]) -> dict[str, str]:
    """The fields that have a text, in their order."""
    return {name: text for name, value in values if (text := field_text(value)).strip()}


class HitReader:
    """Reads the kept fields of hits by JMESPath expressions.

    begins   the parts of a hit, such as `_source.`: a plain path that begins with none of them stands in the first
    """

    def __init__(self, fields: Mapping[str, str], begins: Sequence[str] = ()) -> None:
        self._begins = begins
        self.paths = {name: _placed(path, begins) for name, path in fields.items()}
        self._compiled = {name: expression(f"hit_fields: {name}", path) for name, path in self.paths.items()}

    def read(self, hits: Sequence[object]) -> list[dict[str, str]]:
        """The fields of each hit; nothing at all where none are kept."""
        if not self._compiled:
            return []
        return [texts_of((name, extracted(each, hit)) for name, each in self._compiled.items()) for hit in hits]

    def sources(self) -> list[str] | None:
        """The fields of the first part of a hit that the expressions need; None where that may be all of them."""
        part = self._begins[0]
        needed = []
        for path in self.paths.values():
            if part.rstrip(".") not in path:
                continue
            if not path.startswith(part) or not _PATH.fullmatch(path):
                return None
            needed.append(path.removeprefix(part).partition("[")[0])
        return needed


def _placed(path: str, begins: Sequence[str]) -> str:
    if not begins or path.startswith(tuple(begins)) or not _PATH.fullmatch(path):
        return path
    return begins[0] + path


def plain_names(who: str, fields: Mapping[str, str], pattern: re.Pattern[str] | None = None) -> dict[str, str]:
    """The fields of a server that takes names alone; UsageError for what is none."""
    for name, field in fields.items():
        if _NO_NAME.search(field) or (pattern is not None and not pattern.fullmatch(field)):
            raise UsageError(f"{who}: hit_fields: {name} = {field!r} is no name of a field. Name one, such as 'title'.")
    return dict(fields)


def named_fields(fields: Mapping[str, str], hits: Sequence[Mapping[str, object]]) -> list[dict[str, str]]:
    """The fields of each hit that has them by name; nothing at all where none are kept."""
    if not fields:
        return []
    return [texts_of((name, hit.get(field)) for name, field in fields.items()) for hit in hits]
