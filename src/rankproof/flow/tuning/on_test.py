"""On test: the winner against the mode as written and against the other modes, on queries the search never saw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from rankproof.flow.contrasting import contrasts
from rankproof.flow.paired import Paired
from rankproof.flow.tuning.measured import Measured, Measurer
from rankproof.records.comparison import Contrast
from rankproof.records.design import Design
from rankproof.records.pipeline import Step
from rankproof.records.tuning import Against, Gain, TuneConfig

WRITTEN = "as written"
TUNED = "the tuned mode"


def on_test(
    config: TuneConfig, written: Mapping[str, Step], tuned: Mapping[str, Step], measured: Measurer, sign: float
) -> tuple[Gain, tuple[Against, ...]]:
    """The winner against the mode as written, which is the one question; then against the other modes, a family."""
    mode = config.mode
    systems = {WRITTEN: written[mode]}
    for name in written:
        if name != mode:
            systems[name] = written[name]
            if tuned[name].key != written[name].key:
                systems[f"{name}, tuned"] = tuned[name]
    winner = measured(tuned[mode])
    found = {name: measured(step) for name, step in systems.items()}
    design = replace(config.benchmark.design, all_pairs=False)
    (main,) = _contrasts(config, {WRITTEN: found[WRITTEN]}, winner, design, sign)
    ids = main.query_ids
    gain = Gain(
        len(ids), found[WRITTEN].mean, winner.mean, main.difference,
        dict(zip(ids, main.by_query.tolist(), strict=True)),
    )  # fmt: skip
    others = {name: values for name, values in found.items() if name != WRITTEN}
    if not others:
        return gain, ()
    family = _contrasts(config, others, winner, design, sign)
    return gain, tuple(
        Against(c.candidate, systems[c.candidate].text, found[c.candidate].mean, c.difference, c.p_value)
        for c in family
    )


def _contrasts(
    config: TuneConfig, others: Mapping[str, Measured], winner: Measured, design: Design, sign: float
) -> Sequence[Contrast]:
    """The winner minus each of the others, above 0 where the winner is better."""
    systems = (winner, *others.values())
    ids = tuple(query for query in winner.by_query if all(query in found.by_query for found in systems))
    # A contrast is candidate minus baseline, and the winner is everyone's baseline: with signs turned it is a gain.
    values = -sign * np.array([[found.by_query[query] for found in systems] for query in ids])
    table = Paired(config.measure, "higher", "mean", ids, values.reshape(len(ids), len(systems)))
    found, _ = contrasts((TUNED, *others), [table], {}, design)
    return [contrast for contrast in found if contrast.baseline == TUNED]
