"""Whether tuning paid: selection optimism, response curves, and the winner on test queries.

The queries of the test split decide what came out: a gain counts where its interval lies above 0. Where it does not, a
gain on dev is put down to picking (overfitted) if one of these holds:

1. on test the winner is no better than the configuration as written
2. the gain on dev is beyond the interval of the gain on test
3. the gain on dev would pass for shown, but picked without the queries it is measured on it is not, and less than
   half of it is left

Chance can bring about each of them, and a search of many settings on few queries brings them about most of the time.

Queries are drawn with replacement, the best setting is picked again on those drawn, and its gain is measured on the
queries left out, about 37% of them. Each query's gain is averaged over the draws that left it out, and these are
averaged: the leave-one-out bootstrap of Efron and Tibshirani, Improvements on Cross-Validation: The .632+ Bootstrap
Method, JASA 92, 1997, equation 17, here of a gain in place of an error. Picks on drawn queries see fewer different
ones, so the answer is a little on the low side.

The interval is Student's, with the spread that the gain of one pick has over queries left out. (That of the averaged
gains would be too small: averaging over different picks hides how much any one of them varies.)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.sections import interval, signed
from rankproof.proving.contrasts import contrasts
from rankproof.proving.per_unit import PerUnit, range_of
from rankproof.proving.records import Contrast, Design
from rankproof.stack.records import Step
from rankproof.stack.tune.records import (
    Against,
    Gain,
    Outcome,
    Response,
    Setting,
    TuneConfig,
    TunedParameter,
    TuningRuling,
)
from rankproof.stack.tune.search import Measured, Measurer

# Fewer queries than this make an interval wide and its method doubtful.
FEW_QUERIES = 30


def judge(dev: Gain, out_of_bag: Gain, test: Gain | None, settings: int) -> TuningRuling:
    """The outcome, the flag and the reasons. `test` is None where the configuration as written won."""
    cautions = _cautions(dev, test, settings)
    if test is None:
        return TuningRuling("as written", False, cautions)
    outcome = _outcome(test.answer)
    gained, tested = value(dev.answer), value(test.answer)
    if outcome == "gain":
        if isinstance(test.answer, Estimate) and test.answer.high < gained:
            cautions = (_beyond(test.answer, gained), *cautions)
        return TuningRuling(outcome, False, cautions)
    reasons = []
    if tested <= 0:
        how = "no better" if tested == 0 else f"worse by {abs(tested):.4f}"
        reasons.append(f"On test the winner is {how} than the configuration as written.")
    if isinstance(test.answer, Estimate) and test.answer.high < gained:
        reasons.append(_beyond(test.answer, gained))
    left = value(out_of_bag.answer)
    if left < gained / 2 and not _above(out_of_bag.answer):
        optimism = (
            f"Of the gain on dev, {signed(gained)}, picking without the queries it is measured on leaves "
            f"{signed(left)}{_ends(out_of_bag.answer)}."
        )
        # A gain that not even dev shows deceives nobody: then this is only worth knowing.
        if _above(dev.answer):
            reasons.append(optimism)
        else:
            cautions = (optimism, *cautions)
    return TuningRuling(outcome, bool(reasons), (*reasons, *cautions))


def value(answer: Answer) -> float:
    """The mean gain; differences that are all the same have one too."""
    return answer.value or 0.0


def _outcome(answer: Answer) -> Outcome:
    if not isinstance(answer, Estimate):
        return "not shown"
    return "gain" if answer.low > 0 else "worse" if answer.high < 0 else "not shown"


def _above(answer: Answer) -> bool:
    return isinstance(answer, Estimate) and answer.low > 0


def _ends(answer: Answer) -> str:
    return f" ({interval(answer.low, answer.high)})" if isinstance(answer, Estimate) else ""


def _beyond(answer: Estimate, gained: float) -> str:
    return f"The gain on dev, {signed(gained)}, is more than the test queries allow for: at most {signed(answer.high)}."


def _cautions(dev: Gain, test: Gain | None, settings: int) -> tuple[str, ...]:
    cautions = []
    if settings > dev.queries:
        cautions.append(f"{settings:,} settings were tried on {dev.queries:,} queries: more settings than queries.")
    if test is not None and test.queries < FEW_QUERIES:
        cautions.append(f"{test.queries:,} test queries show only large gains.")
    return tuple(cautions)


NAME = "out of bag"
RESAMPLES = 1_000
_AT_ONCE = 100


def out_of_bag(gains: NDArray[np.float64], level: float, rng: np.random.Generator) -> Answer:
    """The gain of a setting that is picked without the queries it is measured on, with its interval.

    `gains` has settings by queries, each over the configuration as written, which is the first row.
    """
    from scipy.special import stdtr, stdtrit  # here: loading scipy is for those who test

    queries = gains.shape[1]
    total, times, spreads = np.zeros(queries), np.zeros(queries), []
    for _ in range(RESAMPLES // _AT_ONCE):
        drawn = rng.integers(0, queries, size=(_AT_ONCE, queries))
        counts = np.zeros((_AT_ONCE, queries))
        np.add.at(counts, (np.arange(_AT_ONCE)[:, None], drawn), 1)
        left = counts == 0
        picked = gains[best(counts @ gains.T)]
        total += (picked * left).sum(axis=0)
        times += left.sum(axis=0)
        spreads += _variances(picked, left)
    seen = times > 0
    if not seen.any() or not spreads or max(spreads) == 0.0:
        value = float((total[seen] / times[seen]).mean()) if seen.any() else None
        return NotEstimable("gains on queries left out do not differ from each other", NAME, queries, value)
    value = float((total[seen] / times[seen]).mean())
    error = math.sqrt(math.fsum(spreads) / len(spreads) / queries)
    reach = float(-stdtrit(queries - 1, (1 - level) / 2)) * error
    p = 2 * float(stdtr(queries - 1, -abs(value) / error))
    return Estimate(value, value - reach, value + reach, p, level, NAME, queries, resamples=RESAMPLES)


def _variances(picked: NDArray[np.float64], left: NDArray[np.bool_]) -> list[float]:
    """Of each row over its queries left out; rows with fewer than two of them have none."""
    several = left.sum(axis=1) > 1
    picked, left = picked[several], left[several]
    many = left.sum(axis=1, keepdims=True)
    away = (picked - (picked * left).sum(axis=1, keepdims=True) / many) * left
    variances: list[float] = ((away**2).sum(axis=1) / (many[:, 0] - 1)).tolist()
    return variances


def best(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """The column with the highest score in each row; of equal ones the first, so that what is written wins a tie.

    Sums of the same numbers in another order differ in the last digits: that is a tie.
    """
    top = scores.max(axis=1, keepdims=True)
    return np.asarray(np.argmax(scores >= top - 1e-12 * np.maximum(1.0, np.abs(top)), axis=1), dtype=np.int64)


# More values than this on one axis are put into spans of equal width.
MOST_VALUES = 12
SPANS = 8
# Interval and p-value of gains by query.
Infer = Callable[[NDArray[np.float64]], Answer]


def responses(
    parameter: TunedParameter, settings: Sequence[Setting], gains: NDArray[np.float64], infer: Infer
) -> tuple[Response, ...]:
    """One for each value that was tried, in order; for each span of values where they are many numbers."""
    groups: dict[object, list[int]] = {}
    for at, setting in enumerate(settings):
        groups.setdefault(_hashable(setting.parameters[parameter.name]), []).append(at)
    rows: list[tuple[object, object, list[int]]] = [(value, value, members) for value, members in groups.items()]
    numbers = sorted(value for value in groups if isinstance(value, int | float) and not isinstance(value, bool))
    if len(numbers) == len(groups):
        spans = _spans(numbers, parameter.log) if len(groups) > MOST_VALUES else [[number] for number in numbers]
        rows = [(values[0], values[-1], [at for v in values for at in groups[v]]) for values in spans]
    return tuple(_response(low, high, members, settings, gains, infer) for low, high, members in rows)


def _response(
    low: object, high: object, members: list[int], settings: Sequence[Setting], gains: NDArray[np.float64], infer: Infer
) -> Response:
    top = max(members, key=lambda at: (float(gains[at].mean()), -at))
    mean = math.fsum(settings[at].mean for at in members) / len(members)
    return Response(_plain(low), _plain(high), len(members), mean, settings[top].mean, infer(gains[top]))


def _spans(values: list[float], log: bool) -> list[list[float]]:
    """The values that were tried, by spans of equal width; spans without one are left out."""
    scale = [math.log(value) for value in values] if log and values[0] > 0 else [float(value) for value in values]
    width = (scale[-1] - scale[0]) / SPANS
    spans: dict[int, list[float]] = {}
    for value, place in zip(values, scale, strict=True):
        spans.setdefault(min(int((place - scale[0]) / width), SPANS - 1), []).append(value)
    return list(spans.values())


def _hashable(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


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
    measurements = {name: measured(step) for name, step in systems.items()}
    design = replace(config.benchmark.design, all_pairs=False)
    (main,) = held_against(config, TUNED, {WRITTEN: measurements[WRITTEN]}, winner, design, sign)
    ids = main.query_ids
    gain = Gain(
        len(ids), measurements[WRITTEN].mean, winner.mean, main.difference,
        dict(zip(ids, main.by_query.tolist(), strict=True)),
    )  # fmt: skip
    others = {name: values for name, values in measurements.items() if name != WRITTEN}
    if not others:
        return gain, ()
    family = held_against(config, TUNED, others, winner, design, sign)
    return gain, tuple(
        Against(c.candidate, systems[c.candidate].text, measurements[c.candidate].mean, c.difference, c.p_value)
        for c in family
    )


def held_against(
    config: TuneConfig, name: str, others: Mapping[str, Measured], winner: Measured, design: Design, sign: float
) -> Sequence[Contrast]:
    """The winner, of this name, minus each of the others: above 0 where the winner is better."""
    systems = (winner, *others.values())
    ids = tuple(query for query in winner.by_query if all(query in system.by_query for system in systems))
    # A contrast is candidate minus baseline, and the winner is everyone's baseline: with signs turned it is a gain.
    values = -sign * np.array([[system.by_query[query] for system in systems] for query in ids])
    low, high = range_of(config.measure)
    table = PerUnit(config.measure, "higher", "mean", ids, values.reshape(len(ids), len(systems)), low=low, high=high)
    pairs, _ = contrasts((name, *others), [table], {}, design)
    return [contrast for contrast in pairs if contrast.baseline == name]
