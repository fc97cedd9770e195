"""How the values of an evaluation are written for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.kernel.wording import UNDEFINED, number

if TYPE_CHECKING:
    from rankproof.measuring.records import Evaluation, Result


def overall(result: Result, as_range: bool = False) -> str:
    """The value of all queries together; with `as_range` the least and the greatest over tied documents."""
    if result.labels is not None:
        return ""  # texts have no mean
    if as_range and result.ties is not None:
        return f"[{number(result.ties.least, result.whole)}, {number(result.ties.greatest, result.whole)}]"
    return number(result.mean, result.whole)


def by_query(result: Result, as_range: bool = False) -> dict[str, str]:
    """Each query's value as text; a word where the measure has none, whatever that counts as in the mean."""
    if result.labels is not None:
        return dict(result.labels)
    if as_range and result.ties is not None:
        shown = {
            query: f"[{number(least, result.whole)}, {number(greatest, result.whole)}]"
            for query, (least, _, greatest) in zip(result.query_ids, result.ties.by_query.tolist(), strict=True)
        }
    else:
        shown = {query: number(value, result.whole) for query, value in result.by_query.items()}
    shown.update(dict.fromkeys(result.undefined, UNDEFINED))
    return shown


def query_ids(evaluation: Evaluation) -> list[str]:
    """Every query that some measure speaks of, in the order of the measure that speaks of most."""
    found: dict[str, None] = {}
    for result in sorted(evaluation.results.values(), key=lambda r: -len(r.query_ids)):
        found.update(dict.fromkeys(result.query_ids))
    for result in evaluation.results.values():
        found.update(dict.fromkeys(result.undefined))
    return list(found)


def line(evaluation: Evaluation) -> str:
    """One line for a prompt: run, measures and their values, number of queries."""
    as_range = evaluation.settings.ties == "range"
    values = ", ".join(f"{text} {overall(r, as_range)}" for text, r in evaluation.results.items())
    return f"<Evaluation of {evaluation.run_name}: {values}; {evaluation.population.scored} queries>"
