"""Made-up comparisons with everything in them, for tests of forms. Values come from a seeded generator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import stats

from rankproof.kernel.estimate import Answer, Estimate, NotEstimable
from rankproof.kernel.verdict import Ruling
from rankproof.measuring.grade_shares import GradeShares
from rankproof.measuring.records import Evaluation, Population, Result
from rankproof.measuring.report import Diagnosis
from rankproof.proving.holes.bounds import Bound, Holes, MeasureBounds
from rankproof.proving.movement_records import BlindSpot, DocMove, QueryMove, TieRisk
from rankproof.proving.records import Adjusted, Comparison, Contrast, Detectable, Equivalence, Family
from rankproof.proving.verdict import Verdict

MEASURES = ("nDCG@10", "RR@10", "AP")
HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)> \"quoted\" & 'single' {{x}} ​日本"


def values_of(systems: Sequence[str], queries: int, seed: int = 0) -> dict[tuple[str, str], np.ndarray]:
    """{(measure, system): a value in [0, 1] for each query}; a system is better the later it comes."""
    rng = np.random.default_rng(seed)
    ease = rng.beta(2, 2, queries)
    return {
        (measure, system): np.clip(ease + 0.04 * place + rng.normal(0, 0.12, queries), 0, 1).round(4)
        for measure in MEASURES
        for place, system in enumerate(systems)
    }


def estimated(differences: np.ndarray, level: float = 0.95) -> Answer:
    """The paired t test, as scipy does it."""
    n = len(differences)
    mean = float(differences.mean())
    if not differences.any():
        return NotEstimable("all differences are 0", "t", n, mean)
    half = float(stats.t.ppf((1 + level) / 2, n - 1) * differences.std(ddof=1) / np.sqrt(n))
    p = float(stats.ttest_1samp(differences, 0).pvalue)
    return Estimate(mean, mean - half, mean + half, p, level, "t", n)


def contrast_of(
    measure: str, names: tuple[str, str], ids: Sequence[str], before: np.ndarray, after: np.ndarray, segment: str = ""
) -> Contrast:
    """One contrast, with an adjusted p-value five times the plain one."""
    differences = after - before
    answer = estimated(differences)
    adjusted = None
    detectable = None
    if isinstance(answer, Estimate):
        half = 1.3 * (answer.high - answer.value)
        kind = "simultaneous 95% (Bonferroni)"
        adjusted = Adjusted(min(1.0, 5 * answer.p_value), answer.value - half, answer.value + half, kind)
        if adjusted.p_value > 0.05:
            detectable = Detectable(2.8 * half / 2, 0.8, 140)
    spread = float(differences.std(ddof=1))
    return Contrast(
        measure, *names, segment, "higher", tuple(ids), float(before.mean()), float(after.mean()), differences, answer,
        float(differences.mean() / spread) if spread else None, int((differences > 0).sum()),
        int((differences == 0).sum()), int((differences < 0).sum()), adjusted, None, detectable,
    )  # fmt: skip


def evaluation_of(system: str, ids: Sequence[str], values: dict[tuple[str, str], np.ndarray]) -> Evaluation:
    """An evaluation that holds these values."""
    results = {m: Result(m, float(values[m, system].mean()), list(ids), values[m, system]) for m in MEASURES}
    return Evaluation(results, Population(len(ids), len(ids)), ("gain 2^grade - 1",), system)


def comparison_of(
    systems: Sequence[str] = ("bm25", "dense"), queries: int = 40, segments: bool = False, topic: str = "made-up query"
) -> Comparison:
    """Systems against the first, with moves, bounds, blind spots, ties, diagnoses and grades."""
    ids = tuple(f"q{i + 1:02}" for i in range(queries))
    values = values_of(systems, queries)
    first = systems[0]
    parts = {"": ids, "kind=head": ids[: queries // 2], "kind=tail": ids[queries // 2 :]} if segments else {"": ids}
    place = {query: i for i, query in enumerate(ids)}
    contrasts = [
        contrast_of(measure, (first, system), of, values[measure, first][at], values[measure, system][at], name)
        for name, of in parts.items()
        for at in [[place[query] for query in of]]
        for system in systems[1:]
        for measure in MEASURES
    ]
    margin = Equivalence("non-inferiority", 0.02, True, 0.01, -0.01, float("inf"))
    contrasts[0] = replace(contrasts[0], equivalence=margin)
    tests = len(contrasts)
    topics = {query: f"{topic} {i}" for i, query in enumerate(ids)}
    return Comparison(
        tuple(systems), MEASURES, tuple(contrasts), tuple(evaluation_of(s, ids, values) for s in systems),
        Family(len(systems), len(systems) - 1, len(MEASURES), len(parts), tests), "t", "holm", 0.95, 0, ids,
        {name: of for name, of in parts.items() if name}, topics, tuple(_moves(contrasts, values, topics)),
        tuple(BlindSpot("RR@10", s, queries, 30, ids[:12], {"nDCG@10": 12, "AP": 9}) for s in systems[1:]),
        _holes(systems, contrasts, queries), (TieRisk("nDCG@10", systems[1], -0.01, 0.09, 0.03, True, True),),
        (Diagnosis("low_recall", first, "P@10 is 0.71 but R@100 is 0.32.", "It stops early.", "Return more."),),
        _shares(systems), ("dense is judged less deeply than bm25 (0.91 and 0.98 at 10).",),
        ("gain 2^grade - 1", "queries: 40 of 40 judged"), {"seed": 0, "qrels": {"sha256": "ab" * 32}},
    )  # fmt: skip


def verdict_of(comparison: Comparison, status: str = "UNDECIDED") -> Verdict:
    """A verdict with one rule of each kind."""
    answer = comparison.contrasts[0].difference
    rulings = (
        Ruling("no_regression", "nDCG@10 does not regress by 0.02", "PASS", "The lower bound is +0.0012.", 0.9, 1.0,
               threshold=-0.02, observed=answer.value, answer=answer, basis="interval", band="strong"),
        Ruling("least_value", "nDCG@10 of at least 0.40", status, "0.4012, lower bound 0.3711.", 0.4, 0.8,
               "About 120 queries more would decide it.", threshold=0.4, observed=0.4012, basis="interval"),
        Ruling("protected", "Protected queries do not drop", "PASS", "None of 3 dropped.", queries=("q01", "q02")),
    )  # fmt: skip
    reasons = ("nDCG@10 of at least 0.40: the interval holds the threshold.",)
    return Verdict(status, rulings, "launch", comparison.systems[1], comparison.systems[0], reasons,
                   ("Holm over 2 rules.",), comparison)  # fmt: skip


def _moves(
    contrasts: Sequence[Contrast], values: dict[tuple[str, str], np.ndarray], topics: dict[str, str]
) -> list[QueryMove]:
    found = []
    for contrast in contrasts:
        if contrast.segment:
            continue
        turn = np.argsort(contrast.by_query).tolist()
        for i in (*turn[:2], *turn[-2:]):
            query = contrast.query_ids[i]
            found.append(
                QueryMove(
                    contrast.measure, contrast.candidate, query, topics[query],
                    float(values[contrast.measure, contrast.baseline][i]),
                    float(values[contrast.measure, contrast.candidate][i]), float(contrast.by_query[i]), 10,
                    (DocMove("d1", None, 3, 2), DocMove("d2", None, 7, None)), (DocMove("d3", 1, None, 3),),
                    (DocMove("d4", 8, 2, 1),), (),
                )
            )  # fmt: skip
    return found


def _bound(value: float, reach: float, queries: int, exact: bool) -> Bound:
    rows = np.tile([value - reach, value + reach], (queries, 1))
    return Bound(value - reach, value + reach, rows, exact, "" if exact else "outer bound")


def _holes(systems: Sequence[str], contrasts: Sequence[Contrast], queries: int) -> Holes:
    bounds = []
    for measure in MEASURES:
        of = [c for c in contrasts if c.measure == measure and not c.segment]
        means = [of[0].baseline_mean, *(c.candidate_mean for c in of)]
        differences = tuple(_bound(c.candidate_mean - c.baseline_mean, 0.05, queries, measure != "AP") for c in of)
        values = tuple(_bound(mean, 0.04, queries, measure != "AP") for mean in means)
        bounds.append(MeasureBounds(measure, values, differences))
    rates = tuple(0.98 - 0.03 * i for i in range(len(systems)))
    return Holes("the documents that the runs return", 1234, 10, rates, tuple(bounds), "dense is judged less deeply.")


def _shares(systems: Sequence[str]) -> GradeShares:
    rows = tuple((0.1 + 0.02 * i, 0.2, 0.25, 0.4 - 0.04 * i, 0.03 + 0.02 * i, 0.02) for i in range(len(systems)))
    return GradeShares(10, tuple(systems), (3, 2, 1, 0, "unjudged", "not returned"), rows)
