"""JSON for programs: every value in full precision, with population, settings, findings and fine print.

{
  "rankproof": "0.1.0",            the version that wrote it
  "schema": "evaluation/1",        changes when a field changes its meaning or goes
  "evaluations": [                 one per run, in the order given
    {
      "run": "bm25",
      "dialect": "rankproof",
      "settings": {...},           depth, judged_only, level, complete, undefined, ties
      "measures": {
        "nDCG@10": {
          "value": 0.4796,         all queries together; null when there is no value
          "aggregate": "mean",     or "geometric", "sum"
          "better": "higher",      or "lower", "neither"
          "whole": false,          true for a count
          "undefined": ["q7"],     queries without a value, whatever they count as in the mean
          "fine_print": "...",
          "ties": {...},           with --ties: least, expected, greatest, exact, note
          "by_query": {"q1": 0.3}  with -q: the values that count in the mean
        }
      },
      "population": {...},         scored, judged, missing, without_relevant, unjudged, skipped
      "fine_print": ["..."],
      "findings": [...],           code, severity, source, line, message, remedy
      "spelled": {"mrr@10": "RR@10"}
    }
  ],
  "observed": {"seconds": 0.2}     what differs from one time to the next stands here and nowhere else
}
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rankproof.kernel.jsontext import to_json
from rankproof.kernel.version import __version__
from rankproof.measuring.records import Evaluation
from rankproof.online.trial.results import trial_of
from rankproof.proving.leaderboard_records import Leaderboard
from rankproof.proving.records import Comparison
from rankproof.proving.verdict import Verdict
from rankproof.reports.forms.contract import Report
from rankproof.stack.benchmark.datasets.records import MultiBenchmark
from rankproof.stack.benchmark.records import Benchmark

SCHEMA = "evaluation/1"


def render(evaluations: Sequence[Evaluation], *, per_query: bool, observed: Mapping[str, object]) -> str:
    """One JSON object. Numbers are written so that they read back to the same number."""
    document = {
        "rankproof": __version__,
        "schema": SCHEMA,
        "evaluations": [evaluation.to_dict(by_query=per_query) for evaluation in evaluations],
        "observed": dict(observed),
    }
    return to_json(document, indent=2) + "\n"


def comparison(comparison: Comparison, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """One JSON object, by the published schema `comparison/1`."""
    document = {
        "rankproof": __version__,
        "schema": "comparison/1",
        **comparison.to_dict(by_query=per_query),
        "observed": dict(observed),
    }
    return to_json(document, indent=2) + "\n"


def verdict(verdict: Verdict, *, observed: Mapping[str, object]) -> str:
    """One JSON object, by the published schema `verdict/1`; of a trial by `trial/1`, with what it showed."""
    reading = trial_of(verdict)
    of_trial = {} if reading is None else {"trial": reading.to_dict()}
    document = {
        "rankproof": __version__,
        "schema": "trial/1" if of_trial else "verdict/1",
        **verdict.to_dict(),
        **of_trial,
        "observed": dict(observed),
    }
    return to_json(document, indent=2) + "\n"


def benchmark(benchmark: Benchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """One JSON object, by the published schema `benchmark/1`; times of queries stand under `observed`."""
    from rankproof.stack.benchmark.records import to_dict

    document = {
        "rankproof": __version__,
        "schema": "benchmark/1",
        **to_dict(benchmark, by_query=per_query),
        "observed": {**observed, **_times(benchmark)},
    }
    return to_json(document, indent=2) + "\n"


def _times(benchmark: Benchmark) -> dict[str, object]:
    from rankproof.stack.benchmark.worth import throughputs, times, unbeaten_in_time

    return {
        "milliseconds": times(benchmark),
        "throughput": throughputs(benchmark),
        "unbeaten": unbeaten_in_time(benchmark),
    }


def datasets(benchmark: MultiBenchmark, *, per_query: bool, observed: Mapping[str, object]) -> str:
    """One JSON object, by the published schema `benchmark-datasets/1`; what was observed on each by its name."""
    own = observed.get("datasets")
    seen = own if isinstance(own, Mapping) else {}
    document = {
        "rankproof": __version__,
        "schema": "benchmark-datasets/1",
        **benchmark.to_dict(by_query=per_query),
        "observed": {
            **observed,
            "datasets": {name: {**seen.get(name, {}), **_times(part)} for name, part in benchmark.parts.items()},
        },
    }
    return to_json(document, indent=2) + "\n"


def leaderboard(leaderboard: Leaderboard, *, observed: Mapping[str, object]) -> str:
    """One JSON object, by the published schema `leaderboard/1`."""
    document = {
        "rankproof": __version__,
        "schema": "leaderboard/1",
        **leaderboard.to_dict(),
        "observed": dict(observed),
    }
    return to_json(document, indent=2) + "\n"


OFFERS = (
    Report(
        "json", __doc__, render, ".json", "application/json", comparison, verdict, benchmark=benchmark,
        leaderboard=leaderboard, datasets=datasets,
    ),
)  # fmt: skip
