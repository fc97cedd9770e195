"""Explain: any name that a shelf knows, or any accepted spelling of one, or a concept of the field, to its page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import UnknownName
from rankproof.kernel import shelf
from rankproof.kernel.concepts import CONCEPTS, Concept, concept_of, fold
from rankproof.kernel.specs.kinds import REQUIRED
from rankproof.measuring.names import by_name, parse

CONCEPT_SHELF = "concepts"


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
        """The singular noun: measure, dialect, format, ..., concept."""
        return shelf.KINDS.get(self.shelf, "concept")


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a name means: the canonical texts it stands for, when it is a spelling, and the pages."""

    asked: str
    means: tuple[str, ...]
    pages: tuple[Page, ...]


def explain(name: str) -> Explanation:
    """The pages of a name: every shelf item called so, what a spelling stands for, or a concept."""
    exact = tuple(page_of(kind, items[name]) for kind in shelf.KINDS if name in (items := shelf.everything(kind)))
    if exact:
        return Explanation(name, (), exact)
    concept = concept_of(name)
    pages: tuple[Page, ...] = () if concept is None else (concept_page(concept),)
    # As people write of measures in general: recall@k.
    plain = name[:-2] if name.endswith(("@k", "@K")) else name
    for read, kind in ((_spans, "spanmeasures"), (_measures, "measures"), (_similarities, "similarities")):
        readings = () if concept is not None and " " in name else read(plain)
        if readings:
            items = dict.fromkeys(item for _, item in readings)
            pages += tuple(page_of(kind, item) for item in items)
            return Explanation(name, tuple(text for text, _ in readings), pages)
    if concept is not None:
        return Explanation(name, () if fold(name) == fold(concept.name) else (concept.name,), pages)
    spelled = _spelled(name)
    if spelled:
        return Explanation(name, tuple(page.name for page in spelled), spelled)
    raise UnknownName(
        "measure, test, format, check, other item or concept", name, _all_names(), "`rankproof explain` lists all."
    )


def listing(only: str = "") -> dict[str, tuple[Page, ...]]:
    """Every item of every shelf, or of one shelf, and every concept."""
    shelves = {
        kind: tuple(page_of(kind, i) for i in shelf.everything(kind).values())
        for kind in shelf.KINDS
        if only in ("", kind)
    }
    if only in ("", CONCEPT_SHELF):
        shelves[CONCEPT_SHELF] = tuple(map(concept_page, CONCEPTS))
    return shelves


def is_shelf(name: str) -> bool:
    """Whether a name is that of a shelf, or of the list of concepts."""
    return name in shelf.KINDS or name == CONCEPT_SHELF


def concept_page(concept: Concept) -> Page:
    """The page of a concept: its sentence in the glossary, then the rest."""
    return Page(
        CONCEPT_SHELF, concept.name, concept.summary, f"{concept.summary}\n\n{concept.page}", (), concept.spellings
    )


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
    plain = by_name(name.replace(" ", "_"))
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


def _spelled(name: str) -> tuple[Page, ...]:
    """Items whose name or spelling differs only in case, hyphens and spaces: Gaffke, t-test."""
    wanted = fold(name)
    return tuple(
        page_of(kind, item)
        for kind in shelf.KINDS
        for item in shelf.everything(kind).values()
        if wanted in map(fold, (item.name, *getattr(item, "spellings", ())))
    )


def _all_names() -> set[str]:
    names = {name for kind in shelf.KINDS for name in shelf.everything(kind)}
    return names | {word for concept in CONCEPTS for word in (concept.name, *concept.spellings)}
