"""Tables of options: values by key, read by the kind of the key, with defaults and messages that name the place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED, ItemName, Kind, Param


def check_tables(document: Mapping[str, object], names: Iterable[str], place: str) -> None:
    """Refuses tables of a document that are none of these."""
    known = tuple(names)
    for key in document:
        if key not in known:
            raise UnknownName(f"table of {place}", key, known)


def read_table(table: object, kinds: Mapping[str, Kind], place: str, *, others: Iterable[str] = ()) -> dict[str, Any]:
    """The values that a table gives; keys that it leaves out stay out.

    `place` begins every message: "gate.toml, [policy]". `others` are keys of the table that the caller reads itself.
    """
    if not isinstance(table, Mapping):
        raise UsageError(f"{place} must be a table of keys and values; got {table!r:.80}.")
    others = tuple(others)
    _refuse_unknown(table, (*kinds, *others), place, f"key of {place}")
    return {key: read_value(kinds[key], value, f"{place}: {key}") for key, value in table.items() if key not in others}


def read_params(
    options: Mapping[str, Any], params: Iterable[Param], place: str, *, noun: str = "", texts: bool = False
) -> dict[str, Any]:
    """A value for every parameter: what the options give, or its default; UsageError where a required one is missing.

    `noun` is what an unknown option is called in the message: "key of gate.toml, rule 1" where nothing is given. With
    `texts`, options are texts to be parsed: `exp2` of `nDCG(gain=exp2)`.
    """
    params = tuple(params)
    kinds = {param.name: param.kind for param in params}
    _refuse_unknown(options, kinds, place, noun or f"key of {place}")
    values = {name: read_value(kinds[name], value, f"{place}: {name}", text=texts) for name, value in options.items()}
    return with_defaults(values, params, place)


def with_defaults(values: Mapping[str, Any], params: Iterable[Param], place: str) -> dict[str, Any]:
    """The values with the defaults of what they leave out, in the order of the parameters."""
    whole: dict[str, Any] = {}
    for param in params:
        if param.name not in values and param.default is REQUIRED:
            raise UsageError(f"{place}: {param.name} is missing: {param.meaning}.")
        whole[param.name] = values.get(param.name, param.default)
    return whole


def read_value(kind: Kind, value: Any, where: str, *, text: bool = False) -> Any:
    """One value; a message begins with `where`: "gate.toml, [policy]: seed"."""
    try:
        return kind.parse(value) if text else kind.read(value)
    except ValueError as error:
        raise UsageError(f"{where} {error}.") from None
    except UnknownName as error:
        if not isinstance(kind, ItemName):
            raise
        raise UnknownName(f"{error.kind} ({where})", error.name, shelf.everything(kind.shelf)) from error


def _refuse_unknown(options: Iterable[str], known: Iterable[str], place: str, noun: str) -> None:
    known = tuple(known)
    for key in options:
        if key not in known:
            if not known:
                raise UsageError(f"{place} takes no options. Leave out {key!r}.")
            raise UnknownName(noun, key, known)
