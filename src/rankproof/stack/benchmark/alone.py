"""Alone: a benchmark of one mode measures it, and compares nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rankproof.measuring.evaluate import measure_run
from rankproof.measuring.measures.contract import Variant
from rankproof.measuring.prepare import PreparedRun
from rankproof.measuring.records import DEFAULT_SETTINGS
from rankproof.proving.movement import rankings_later
from rankproof.proving.per_unit import warnings_of_evaluations
from rankproof.proving.records import Comparison, Design, Family


def measured_alone(
    name: str, run: PreparedRun, variants: tuple[Variant, ...], design: Design, topics: Mapping[str, str]
) -> Comparison:
    """A comparison without contrasts: the evaluation of one mode in the place where several would stand."""
    evaluation = replace(measure_run(run, variants, DEFAULT_SETTINGS), run_name=name)
    measures = tuple(text for text, result in evaluation.results.items() if result.labels is None)
    results = [evaluation.results[text] for text in measures]
    query_ids = tuple(dict.fromkeys(query for r in results for query in (*r.query_ids, *r.undefined)))
    return Comparison(
        systems=(name,),
        measures=measures,
        contrasts=(),
        evaluations=(evaluation,),
        family=Family(1, 0, len(measures), 1, 0),
        significance=design.significance,
        correction="none",
        level=design.confidence,
        seed=design.seed,
        query_ids=query_ids,
        topics={query: topics[query] for query in query_ids if query in topics},
        warnings=tuple(warnings_of_evaluations((evaluation,))),
        rankings=rankings_later({name: run}, variants, DEFAULT_SETTINGS, query_ids),
    )
