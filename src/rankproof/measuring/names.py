"""Names of measures: from what people type (`nDCG@10`, `P(rel=2)@5`, `mrr@10`) to measures with all parameters set."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs import REQUIRED
from rankproof.measuring.measures.contract import Measure, NamedItem, Variant

_FORM = re.compile(r"(?P<name>[^()@\s]+)(?:\((?P<params>.*)\))?(?:@(?P<at>[^@()]+))?")


def parse(asked: str | Variant | Iterable[str | Variant]) -> tuple[Variant, ...]:
    """The variants that a text, or several texts, ask for; each once, in the order asked."""
    if isinstance(asked, Variant):
        return (asked,)
    if isinstance(asked, str):
        return _parse_text(asked)
    found: dict[Variant, Variant] = {}
    for item in asked:
        _gather(found, parse(item))
    return tuple(found.values())


def canonical(asked: str) -> str:
    """The canonical text of what was asked; of the first measure, when a name stands for several."""
    return str(parse(asked)[0])


@lru_cache(maxsize=1024)
def _parse_text(text: str) -> tuple[Variant, ...]:
    found: dict[Variant, Variant] = {}
    for token in tokens(text):
        _gather(found, read(token))
    if not found:
        raise UsageError("No measure was asked for. Name one or more, such as: nDCG@10 RR@10 R@100")
    return tuple(found.values())


def _gather(found: dict[Variant, Variant], more: Iterable[Variant]) -> None:
    """Adds what is not there yet; of two that are equal, the one that somebody spelled out stays."""
    for variant in more:
        if variant.typed or variant not in found:
            found[variant] = variant


def tokens(text: str) -> list[str]:
    """The text split at white space and at commas, except commas inside brackets or trec_eval's lists."""
    pieces: list[str] = []
    depth = 0
    for part in re.split(r"([\s,(){}])", text):
        if part in ("(", "{"):
            depth += 1
        elif part in (")", "}"):
            depth -= 1
        if depth == 0 and (part == "," or part.isspace()):
            pieces.append(part)
        elif pieces and pieces[-1] not in (",", "") and not pieces[-1].isspace():
            pieces[-1] += part
        elif part:
            pieces.append(part)
    out: list[str] = []
    comma = False
    for piece in pieces:
        if piece == "," or piece.isspace():
            comma = piece == "," and bool(out)
        elif comma and re.match(r"[-+.\d]|[a-z]=", piece) and not re.match(r"\d+pt", piece):
            out[-1] += "," + piece  # a further parameter of trec_eval's `P.5,10`
            comma = False
        else:
            out.append(piece)
            comma = False
    return out


def read(token: str) -> tuple[Variant, ...]:
    """The variants of one token: one, except for trec_eval's names, which may stand for several."""
    match = _FORM.fullmatch(token)
    measure = None if match is None else _ours(match["name"])
    # trec_eval's bare `P` has cutoffs of its own: a name that lacks what it needs may still be one of its names.
    bare = measure is not None and measure.cutoff in ("required", "recall") and token == measure.name
    if match is not None and measure is not None and measure.name == match["name"] and not bare:
        return (_variant(measure, match["params"], match["at"], token),)
    # Loaded only here: most texts are canonical and never ask for another tool's names.
    from rankproof.measuring.trec_names import trec_variants

    ours = translated(token)
    if ours != token:
        return read(ours)
    trec = trec_variants(token)
    if trec is not None:
        return trec
    if match is not None and measure is None:
        measure = _of_others(match["name"])
    if match is None or measure is None:
        name = re.split(r"[(@]", token)[0]
        raise UnknownName("measure", name or token, _known_names())
    return (_variant(measure, match["params"], match["at"], token),)


def by_name(name: str) -> Measure | None:
    """The measure with this name or everyday spelling, of rankproof or of an installed package."""
    return _ours(name) or _of_others(name)


def _of_others(name: str) -> Measure | None:
    """The measure of an installed package with this name or everyday spelling."""
    plain = name.casefold().replace("-", "_")
    for measure in shelf.everything("measures").values():
        if plain in (spelling.casefold() for spelling in (measure.name, *measure.spellings)):
            found: Measure = measure
            return found
    return None


def _ours(name: str) -> Measure | None:
    """The measure of rankproof's own with this name or everyday spelling."""
    found: Measure | None = shelf.glance("measures", name) or shelf.offered("measures").get(name)
    return found or _spellings().get(name.casefold().replace("-", "_"))


@lru_cache(maxsize=1)
def _spellings() -> dict[str, Measure]:
    return {
        spelling.casefold(): measure
        for measure in shelf.offered("measures").values()
        for spelling in (*measure.spellings, measure.name)
    }


def _known_names() -> set[str]:
    return {*shelf.everything("measures"), *_spellings()}


def _variant(measure: Measure, params: str | None, at: str | None, token: str) -> Variant:
    return Variant(measure, *choices(measure, params, at, token))


def choices(
    item: NamedItem, params: str | None, at: str | None, token: str
) -> tuple[dict[str, Any], float | int | None]:
    """The parameters and the cutoff that a token gives to an item, with defaults for what is left unsaid."""
    known = {p.name: p for p in item.params}
    values = {p.name: p.default for p in item.params}
    for part in _split_params(params):
        name, eq, text = part.partition("=")
        name = name.strip()
        if not eq or name not in known:
            offer = f"It takes: {', '.join(known)}." if known else "It takes no parameters."
            raise UsageError(f"{token}: {item.name} has no parameter {name!r}. {offer}")
        try:
            values[name] = known[name].kind.read(text.strip())
        except ValueError as error:
            raise UsageError(f"{token}: {name} {error}.") from None
    for name, value in values.items():
        if value is REQUIRED:
            raise UsageError(f"{token}: say {name}, {known[name].meaning}.")
    return values, _cutoff(item, at, token)


def _split_params(params: str | None) -> list[str]:
    """Parameters between commas, leaving the commas of `{1:0,2:1}` alone."""
    if params is None or not params.strip():
        return []
    return re.split(r",(?![^{]*\})", params)


def _cutoff(item: NamedItem, at: str | None, token: str) -> float | int | None:
    if at is None:
        if item.cutoff in ("required", "recall"):
            raise UsageError(f"{token}: {item.name} needs a cutoff, such as {item.name}@10.")
        return None
    if item.cutoff == "none":
        raise UsageError(f"{token}: {item.name} takes no cutoff. Ask for {item.name}.")
    try:
        value = float(at) if item.cutoff == "recall" else int(at)
    except ValueError:
        value = -1
    if item.cutoff == "recall" and not 0 <= value <= 1:
        raise UsageError(f"{token}: the recall level must be a number from 0 to 1; got {at!r}.")
    if item.cutoff != "recall" and value < 1:
        raise UsageError(f"{token}: the cutoff must be a whole number, 1 or more; got {at!r}.")
    return value


# Matched without case, '-' as '_'.
NAMES = {
    "ndcg_burges": ("nDCG", "gain=exp2"),
    "dcg_burges": ("DCG", "gain=exp2"),
    "r_cap": ("R", "denominator=min_k"),
    "recall_cap": ("R", "denominator=min_k"),
}

# ranx's level of relevance comes last: `ndcg@10-l2`. Its patience comes without the 0: `rbp.95`.
_PEER_FORM = re.compile(r"(?P<name>[^()@]+?)(?:@(?P<at>[^()@]+?))?(?:-l(?P<rel>\d+))?")
_RBP = re.compile(r"rbp\.(\d+)")


def translated(token: str) -> str:
    """The token as rankproof writes it; as it is when it is no such name."""
    match = _PEER_FORM.fullmatch(token)
    if match is None:
        return token
    name, choices = NAMES.get(match["name"].casefold().replace("-", "_"), (match["name"], ""))
    patience = _RBP.fullmatch(name)
    if patience:
        name, choices = "RBP", f"p=0.{patience[1]}"
    if match["rel"]:
        choices = ",".join(filter(None, (choices, f"rel={match['rel']}")))
    if not choices:
        return token
    return f"{name}({choices})" + (f"@{match['at']}" if match["at"] else "")
