"""Explain: any name that a shelf knows, or any accepted spelling of one, to its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import UnknownName
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED
from rankproof.measuring.names import by_name, parse


@dataclass(frozen=True, slots=True)
class ParameterLine:
    """A parameter of an item: its name, its default as text and what it means."""

    name: str
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that a shelf documents about one item."""

    shelf: str
    name: str
    summary: str
    text: str
    parameters: tuple[ParameterLine, ...] = ()
    spellings: tuple[str, ...] = ()
    facts: Mapping[str, str] | None = None

    @property
    def kind(self) -> str:
        """The singular noun: measure, dialect, format, ..."""
        return shelf.KINDS[self.shelf]


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a name means: the canonical texts it stands for, when it is a spelling, and the pages."""

    asked: str
    means: tuple[str, ...]
    pages: tuple[Page, ...]


def explain(name: str) -> Explanation:
    """The pages of a name: every shelf item called so, or the measures that the spelling stands for."""
    exact = tuple(page_of(kind, items[name]) for kind in shelf.KINDS if name in (items := shelf.everything(kind)))
    if exact:
        return Explanation(name, (), exact)
    for read, kind in ((_spans, "spanmeasures"), (_measures, "measures"), (_similarities, "similarities")):
        readings = read(name)
        if readings:
            items = dict.fromkeys(item for _, item in readings)
            return Explanation(name, tuple(text for text, _ in readings), tuple(page_of(kind, item) for item in items))
    *kinds, last = shelf.KINDS.values()
    raise UnknownName(f"{', '.join(kinds)} or {last}", name, _all_names())


def listing() -> dict[str, tuple[Page, ...]]:
    """Every item of every shelf."""
    return {kind: tuple(page_of(kind, i) for i in shelf.everything(kind).values()) for kind in shelf.KINDS}


def page_of(kind: str, item: Any) -> Page:
    """An item's page, with its parameters, spellings and facts where its kind has them."""
    return Page(
        shelf=kind,
        name=item.name,
        summary=item.summary,
        text=item.page.strip(),
        parameters=tuple(
            ParameterLine(p.name, "required" if p.default is REQUIRED else p.kind.show(p.default), p.meaning)
            for p in getattr(item, "params", ())
        ),
        spellings=tuple(getattr(item, "spellings", ())),
        facts=_FACTS[kind](item) if kind in _FACTS else None,
    )


def _measure_facts(item: Any) -> dict[str, str]:
    cutoff = {
        "none": "none",
        "optional": f"a rank, or none: {item.name}@10, {item.name}",
        "required": f"a rank: {item.name}@10",
        "recall": f"a recall level from 0 to 1: {item.name}@0.5",
    }[item.cutoff]
    better = {"higher": "higher is better", "lower": "lower is better", "neither": "neither high nor low"}
    return {"cutoff": cutoff, "aggregate": item.aggregate, "direction": better[item.better]}


def _format_facts(item: Any) -> dict[str, str]:
    facts = {"reads": ", ".join(item.holds), "writes": ", ".join(item.writes) or "nothing"}
    if item.endings:
        facts["endings"] = ", ".join(item.endings)
    return facts


def _check_facts(item: Any) -> dict[str, str]:
    return {"severity": item.severity, "of": ", ".join(item.of), "remedy": item.remedy}


def _report_facts(item: Any) -> dict[str, str]:
    return {"ending": item.ending, "media type": item.mime}


def _span_facts(item: Any) -> dict[str, str]:
    cutoff = f"a rank, a budget of text, or none: {item.name}@5, {item.name}@4000tokens, {item.name}"
    return {"cutoff": cutoff, "direction": f"{item.better} is better"}


_FACTS = {
    "spanmeasures": _span_facts,
    "measures": _measure_facts,
    "formats": _format_facts,
    "checks": _check_facts,
    "reports": _report_facts,
}


def _measures(name: str) -> list[tuple[str, Any]]:
    plain = by_name(name)
    if plain is not None:
        # An everyday name without the cutoff it would need to be evaluated: recall, precision.
        return [(plain.name, plain)]
    try:
        return [(str(variant), variant.measure) for variant in parse(name)]
    except UnknownName:
        return []


def _spans(name: str) -> list[tuple[str, Any]]:
    from rankproof.measuring.spans.measures.contract import parse as parse_spans

    try:
        return [(str(variant), variant.measure) for variant in parse_spans(name)]
    except UnknownName:
        return []


def _similarities(name: str) -> list[tuple[str, Any]]:
    from rankproof.measuring.similarities.contract import parse as parse_similarities

    try:
        return [(str(variant), variant.similarity) for variant in parse_similarities(name)]
    except UnknownName:
        return []


def _all_names() -> set[str]:
    return {name for kind in shelf.KINDS for name in shelf.everything(kind)}
