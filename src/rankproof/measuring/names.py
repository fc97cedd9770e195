"""Names of measures: from what people type (`nDCG@10`, `P(rel=2)@5`, `mrr@10`) to measures with all parameters set.

The one place where a measure's name is read. Every accepted spelling means exactly one definition.

Names that mean a measure with its defaults are spellings in the measure's own file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from inspect import isroutine
from operator import attrgetter
from typing import Any

from rankproof.errors import UnknownName, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.calls import Call, no_call, split_call
from rankproof.kernel.specs.kinds import REQUIRED
from rankproof.kernel.specs.tables import read_params
from rankproof.measuring.functions import FunctionMeasure, PlacedFunctions, QueryView
from rankproof.measuring.measures.contract import Measure, NamedItem, Variant

# No ranking is as deep; what follows `@` is then exact as a number and as a text.
DEEPEST = 10**15

_BUDGET = re.compile(r"(\d+)(tokens|chars)")


class Budget(int):
    """A cutoff that counts text and not chunks: `4000tokens`, `16000chars`."""

    unit: str

    def __new__(cls, amount: int, unit: str) -> Budget:
        """So many units of text."""
        budget = super().__new__(cls, amount)
        budget.unit = unit
        return budget

    def __str__(self) -> str:
        return f"{int(self)}{self.unit}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Budget, (int(self), self.unit)


def parse(names: str | Variant | Iterable[str | Variant], dialect: str = "") -> tuple[Variant, ...]:
    """The measures that a text, or several texts, name; each once, in their order.

    Of two equal ones, the one that was typed as another tool's name stays. trec_eval's sets, such as `all_trec`, stand
    for what the dialect's version calls so.
    """
    variants: dict[Variant, Variant] = {}
    for name in (names,) if isinstance(names, str | Variant) or callable(names) else names:
        if not isinstance(name, str | Variant):
            raise _no_name(name)
        for variant in (name,) if isinstance(name, Variant) else _parse_text(name, dialect):
            if variant.typed or variant not in variants:
                variants[variant] = variant
    return tuple(variants.values())


Requested = str | Variant | FunctionMeasure | Callable[[QueryView], float | None]
NamesAndFunctions = Requested | Iterable[Requested]


def requested(measures: NamesAndFunctions, dialect: str = "") -> tuple[tuple[Variant, ...], PlacedFunctions]:
    """What a caller asks to measure: the measures of the shelf, and the functions with their places among them.

    The one place where it is decided what counts as a function. An object that happens to be callable, such as another
    tool's measure, does not: it is given as a FunctionMeasure, or refused by `parse`.
    """
    if isinstance(measures, str | Variant):
        return parse(measures, dialect), ()
    named: list[Any] = []
    functions: list[tuple[int, FunctionMeasure]] = []
    for item in measures if isinstance(measures, Iterable) else (measures,):
        if not isinstance(item, FunctionMeasure) and not isroutine(item):
            named.append(item)
            continue
        function = item if isinstance(item, FunctionMeasure) else FunctionMeasure(item)
        if any(function.name == other.name for _, other in functions):
            raise UsageError(
                f"Two functions are called {function.name}. Give one another name: FunctionMeasure(function, name=...)."
            )
        _refuse_known(function.name)
        functions.append((len(parse(named, dialect)), function))
    return parse(named or "" if not functions else named, dialect), tuple(functions)


def _refuse_known(name: str) -> None:
    """Refuses a function with a name that is read as a measure, or as that of another tool's."""
    try:
        parse(name)
    except UnknownName:
        return
    except UsageError:  # `IPrec` lacks its level, and measures of some tools are refused with a reason
        pass
    raise UsageError(
        f"{name} is the name of a measure of rankproof or another tool, so that nobody could tell the two apart. "
        f'Give the function another one: FunctionMeasure(function, name="my_{name}").'
    )


def _no_name(what: object) -> UsageError:
    """The error for what is neither a name nor a variant: functions too, which only some callers measure."""
    if callable(what):
        called = getattr(what, "__name__", "") or f"{what!s:.80}"
        return UsageError(
            f"{called} is a function, or an object that can be called ({type(what).__name__}), where only the name of "
            "a measure can stand, such as 'nDCG@10'. `rankproof.evaluate` and `rankproof.compare` take functions, and "
            "a FunctionMeasure of any such object; a gate takes their Evaluations, and the function's name."
        )
    return UsageError(f"A measure is a text, such as 'nDCG@10 RR@10', or a list of texts; got {what!r:.80}.")


def canonical(name: str) -> str:
    """The canonical text of a name; of the first measure, when the name stands for several."""
    return str(parse(name)[0])


def at_level(variants: Sequence[Variant], level: int | None) -> tuple[Variant, ...]:
    """The variants with a relevance level, which is then part of their names: `AP` at level 2 is `AP(rel=2)`.

    A level replaces the usual `grade >= 1` only; measures whose rel means something else keep theirs.
    """
    if level in (None, 1):
        return tuple(variants)
    return tuple(
        Variant(variant.measure, {**variant.values, "rel": level}, variant.at, variant.typed)
        if variant.values.get("rel") == 1 and _usual_level(variant)
        else variant
        for variant in variants
    )


def canonical_at(level: int | None, plain: Collection[str], name: str) -> str:
    """The canonical text of a name where a relevance level was set: what was asked for as AP is found as AP.

    plain   names that do not say the level, since a tool counts these totals without regard to it
    """
    text = canonical(name)
    (leveled,) = at_level(parse(text), level)
    return text if text in plain else leveled.text


def _usual_level(variant: Variant) -> bool:
    return any(param.name == "rel" and param.default == 1 for param in variant.measure.params)


@lru_cache(maxsize=1024)
def _parse_text(text: str, dialect: str = "") -> tuple[Variant, ...]:
    variants: list[Variant] = []
    for token in tokens(text):
        variants += read(token, dialect)
    if not variants:
        raise UsageError("No measure was named. Name one or more, such as: nDCG@10 RR@10 R@100")
    return tuple(variants)


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


def read(token: str, dialect: str = "") -> tuple[Variant, ...]:
    """The variants of one token: one, except for trec_eval's names, which may stand for several."""
    call = split_call(token)
    measure = None if call is None else _ours(call.name)
    # trec_eval's bare `P` has cutoffs of its own: a name that lacks what it needs may still be one of its names.
    bare = measure is not None and measure.cutoff in ("required", "recall") and token == measure.name
    if call is not None and measure is not None and measure.name == call.name and not bare:
        return (_variant(measure, call, token),)
    # Loaded only here: most texts are canonical and need no other tool's names.
    from rankproof.measuring.trec_names import trec_variants

    ours = translated(token)
    if ours != token:
        return read(ours)
    trec = trec_variants(token, dialect)
    if trec is not None:
        return trec
    if call is not None and measure is None:
        measure = _of_others(call.name)
    if call is None or measure is None:
        name = re.split(r"[(@]", token)[0]
        if call is not None and shelf.offered("spanmeasures").get(name) is not None:
            raise UsageError(
                f"{token}: {name} measures ranges of text, not documents. Give gold spans and chunks to "
                "`rankproof.spans.evaluate`."
            )
        if call is None and by_name(name) is not None:
            raise no_call(token)
        from rankproof.measuring.other_tools import refuse_foreign

        refuse_foreign(name)
        raise shelf.unknown("measures", name or token, _known_names())
    return (_variant(measure, call, token),)


def by_name(name: str) -> Measure | None:
    """The measure with this name or everyday spelling, of rankproof or of an installed package."""
    return _ours(name) or _of_others(name)


def _of_others(name: str) -> Measure | None:
    """The measure of an installed package with this name or everyday spelling."""
    plain = name.casefold().replace("-", "_")
    for measure in shelf.everything("measures").values():
        if plain in (spelling.casefold() for spelling in (measure.name, *measure.spellings)):
            match: Measure = measure
            return match
    return None


def _ours(name: str) -> Measure | None:
    """The measure of rankproof's own with this name or everyday spelling."""
    measure: Measure | None = shelf.glance("measures", name) or shelf.offered("measures").get(name)
    return measure or _spellings().get(name.casefold().replace("-", "_"))


@lru_cache(maxsize=1)
def _spellings() -> dict[str, Measure]:
    return {
        spelling.casefold(): measure
        for measure in shelf.offered("measures").values()
        for spelling in (*measure.spellings, measure.name)
    }


def _known_names() -> set[str]:
    return {*shelf.everything("measures"), *_spellings()}


def _variant(measure: Measure, call: Call, token: str) -> Variant:
    if not call.options and REQUIRED not in map(attrgetter("default"), measure.params):
        return measure.variant(_cutoff(measure, call.at, token))
    return Variant(measure, *options_of(measure, call, token))


def options_of(item: NamedItem, call: Call, token: str) -> tuple[dict[str, Any], float | int | None]:
    """The parameters and the cutoff that a token gives to an item, with defaults for the rest."""
    try:
        values = read_params(call.options, item.params, token, noun=f"parameter of {item.name}", texts=True)
    except UnknownName as error:  # the measure is known: `rankproof explain` must not look for it elsewhere
        raise UsageError(f"{token}: {error}") from None
    return values, _cutoff(item, call.at, token)


def _cutoff(item: NamedItem, at: str | None, token: str) -> float | int | None:
    if at is None:
        if item.cutoff in ("required", "recall"):
            raise UsageError(f"{token}: {item.name} needs a cutoff, such as {item.name}@10.")
        return None
    if item.cutoff == "none":
        raise UsageError(f"{token}: {item.name} takes no cutoff. Write {item.name}.")
    budget = _BUDGET.fullmatch(at) if item.cutoff == "budget" else None
    try:
        value = float(at) if item.cutoff == "recall" else int(budget[1] if budget else at)
    except ValueError:
        value = -1
    if item.cutoff == "recall" and not 0 <= value <= 1:
        raise UsageError(f"{token}: the recall level must be a number from 0 to 1; got {at!r}.")
    if item.cutoff != "recall" and not 1 <= value < DEEPEST:
        more = ", or a budget of text, such as 4000tokens or 16000chars" if item.cutoff == "budget" else ""
        raise UsageError(f"{token}: the cutoff must be a whole number from 1 to below 10^15{more}; got {at!r}.")
    return value if budget is None else Budget(int(budget[1]), budget[2])


# Matched without case, '-' as '_'.
NAMES = {
    "ndcg_burges": ("nDCG", "gain=exp2"),
    "dcg_burges": ("DCG", "gain=exp2"),
    "r_cap": ("R", "denominator=min_k"),
    "recall_cap": ("R", "denominator=min_k"),
}

# ranx writes the level of relevance last, `ndcg@10-l2`, and the patience without its 0, `rbp.95`.
_PEER_FORM = re.compile(r"(?P<name>[^()@]+?)(?:@(?P<at>[^()@]+?))?(?:-l(?P<rel>\d+))?")
_RBP = re.compile(r"rbp\.(\d+)")


def translated(token: str) -> str:
    """The token as rankproof writes it; as it is when it is no such name."""
    match = _PEER_FORM.fullmatch(token)
    if match is None:
        return token
    name, options = NAMES.get(match["name"].casefold().replace("-", "_"), (match["name"], ""))
    patience = _RBP.fullmatch(name)
    if patience:
        name, options = "RBP", f"p=0.{patience[1]}"
    if match["rel"]:
        options = ",".join(filter(None, (options, f"rel={match['rel']}")))
    if not options:
        return token
    return f"{name}({options})" + (f"@{match['at']}" if match["at"] else "")
