"""The verdict of a benchmark in words: what to ship, and what every stage bought or lost."""

from __future__ import annotations

from collections.abc import Iterator

from rankproof.records.advice import Advice, Held, Rung
from rankproof.records.words import p_phrase, signed
from rankproof.reports._sections import Section

VERDICT = "Verdict by "


def verdict(advice: Advice) -> Section:
    """What to ship, then a line for each stage."""
    lines = (f"{rung.mode}: {' '.join(_said(advice, rung))}" for rung in advice.rungs if rung.against)
    return Section(f"{VERDICT}{advice.measure}", (ship(advice), *lines))


def ship(advice: Advice) -> str:
    """The sentence that answers the question."""
    if len(advice.path) == 1:
        return f"Ship {advice.ship}: no mode is shown to be better than it."
    way = ", which is shown to be better than ".join(reversed(advice.path[:-1]))
    return f"Ship {advice.ship}. It is shown to be better than {way}. No mode is shown to be better than {advice.ship}."


def _said(advice: Advice, rung: Rung) -> Iterator[str]:
    for held in rung.against:
        yield _held(held)
    if rung.failures:
        yield f"{rung.failures:,} answers failed, and the order before stood in for them."
    own = advice.times.get(rung.mode)
    before = [advice.times.get(held.other) for held in rung.against]
    if own is not None:
        instead = f" instead of {before[0]:,.1f}" if len(before) == 1 and before[0] is not None else ""
        yield f"{own:,.1f} ms a query{instead}."


def _held(held: Held) -> str:
    if held.difference is None or held.p is None:
        return f"No test against {held.other} could be made."
    numbers = f"{signed(held.difference)}, {p_phrase(held.p)}"
    if held.shown != "not shown":
        return f"{held.shown.capitalize()} than {held.other}: {numbers}."
    return f"Not shown to differ from {held.other}: {numbers}."
