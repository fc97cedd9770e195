"""Holes: what nobody judged, and how far it could move values and differences."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Literal

from rankproof import shelf
from rankproof.errors import UsageError
from rankproof.flow.evaluate import speak
from rankproof.flow.holes.bounding import Bounder
from rankproof.flow.holes.rates import judged_rates, unjudged_rates, warning
from rankproof.flow.holes.summing import difference_bound, value_bound
from rankproof.flow.holes.universe import Universe
from rankproof.flow.prepared import PreparedRun
from rankproof.measures._contract import Variant
from rankproof.records.bounds import Holes, MeasureBounds
from rankproof.records.order import DEFAULT_ORDER
from rankproof.records.settings import DEFAULT_SETTINGS, Settings

__all__ = ["holes"]

# More documents, over all queries and runs, would take gigabytes of memory and minutes; and where rankings are so many
# and so deep, nearly nothing of them is judged, and bounds say nothing.
MOST_DOCUMENTS = 4_000_000


def holes(
    runs: Sequence[PreparedRun],
    variants: Sequence[Variant],
    *,
    universe: Literal["union", "open"] = "union",
    pool: Mapping[str, Collection[str]] | None = None,
    depth: int | None = None,
    top_grade: int | None = None,
    judged_at: int = 10,
    settings: Settings = DEFAULT_SETTINGS,
    names: Sequence[str] | None = None,
) -> Holes:
    """Judged rates, and bounds of every measure for each run and for each run after the first against the first.

    The universe is the documents of all runs, to their last rank, and those of `pool`, by query; judged documents
    belong to it anyway. "open" sets no limit to it: any number of relevant documents may be in no run. A document
    that nobody judged may have any grade from 0 to `top_grade`, the collection's top grade unless said.

    `settings` are those of the evaluation; bounds are given where its values are rankproof's own, and a note says
    why there are none otherwise. `names` are what to call the runs, where those are not their own names.
    """
    if not runs:
        raise UsageError("There is no run to look for unjudged documents in. Give one or more.")
    depth = settings.depth if depth is None else depth
    rates = judged_rates(runs, judged_at, depth)
    unequal = warning(names or [run.name for run in runs], unjudged_rates(runs, judged_at, depth), judged_at)
    retrieved = sum(int(run.table(DEFAULT_ORDER).retrieved.sum()) for run in runs)
    if retrieved > MOST_DOCUMENTS:
        unjudged = retrieved - sum(len(run.table(DEFAULT_ORDER).rank) for run in runs)
        note = f"no bounds over unjudged documents: {retrieved:,} ranked documents are more than are gone through"
        return Holes("the runs' documents, each counted for every run", unjudged, judged_at, rates, (), unequal, note)
    world = Universe(runs, endless=universe == "open", pool=pool, depth=depth, top_grade=top_grade)
    note = _other_numbers(settings)
    return Holes(
        universe=str(world),
        documents=int(world.open.sum()),
        judged_at=judged_at,
        judged_rates=rates,
        bounds=() if note else tuple(_bounds(world, variant, settings) for variant in variants),
        warning=unequal,
        note=note,
    )


def _bounds(world: Universe, variant: Variant, settings: Settings) -> MeasureBounds:
    bounder = Bounder(world, speak(variant, shelf.find("dialects", "rankproof"), settings))
    runs = range(len(world.runs))
    return MeasureBounds(
        variant.text,
        tuple(value_bound(bounder, run) for run in runs),
        tuple(difference_bound(bounder, run, 0) for run in runs[1:]),
    )


def _other_numbers(settings: Settings) -> str:
    """Why bounds would be about other numbers than those evaluated; "" where they are not."""
    why = [
        *([f"the dialect {settings.dialect}"] if settings.dialect != "rankproof" else []),
        *(["condensed rankings (--judged-only), where each judgment changes ranks"] if settings.judged_only else []),
        *(["queries left out where undefined, which judgments change"] if settings.undefined == "skip" else []),
        *(["means over orders of tied documents"] if settings.ties != "rule" else []),
    ]
    return f"no bounds over unjudged documents: there are none for {', '.join(why)}" if why else ""
