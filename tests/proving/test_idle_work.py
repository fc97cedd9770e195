"""What nobody reads is not computed: a plain verdict, and a comparison whose power nobody shows."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof
from rankproof.kernel import shelf
from rankproof.kernel.least import least, least_of_each
from rankproof.proving import compare, manifest
from rankproof.proving import compare as beyond
from rankproof.proving import contrasts as contrasting
from rankproof.proving.gate import gate
from rankproof.proving.power import queries_needed, queries_needed_each

SAMPLE = Path(__file__).parents[2] / "src/rankproof/stack/samples/rankings"
POLICY = {
    "rule": [
        {"rule": "no_regression", "measure": "nDCG@10", "margin": 0.02},
        {"rule": "least_value", "measure": "RR@10", "at_least": 0.2},
        {"rule": "judged_rate", "k": 10, "at_least": 0.1},
    ]
}
EXPENSIVE = (
    (compare, "compare_runs"),
    (compare, "moves"),
    (beyond, "blind_spots"),
    (beyond, "holes"),
    (beyond, "diagnose"),
    (beyond, "grade_shares"),
    (beyond, "tie_risks"),
    (manifest, "manifest_of"),
)


def ours(**more: Any) -> Any:
    paths = {role: str(SAMPLE / f"{name}.{end}") for role, name, end in
             (("qrels", "qrels", "trec"), ("baseline", "bm25", "run"), ("candidate", "dense", "run"))}  # fmt: skip
    return gate(POLICY, **paths, **more)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the expensive functions, as they are called."""
    called: list[str] = []

    def counting(name: str, function: Any) -> Any:
        def counted(*args: Any, **kwargs: Any) -> Any:
            called.append(name)
            return function(*args, **kwargs)

        return counted

    for module, name in EXPENSIVE:
        monkeypatch.setattr(module, name, counting(name, getattr(module, name)))
    monkeypatch.setattr(
        contrasting, "queries_needed_each", counting("queries_needed_each", contrasting.queries_needed_each)
    )
    return called


@pytest.mark.parametrize("form", ["table", "markdown", "junit", "github"])
def test_a_verdict_that_shows_no_comparison_computes_none(form: str, calls: list[str]) -> None:
    assert shelf.find("reports", form).verdict(ours(), observed={})
    assert calls == []


def test_the_parts_of_a_verdict_are_made_once_when_they_are_read(calls: list[str]) -> None:
    verdict = ours()
    assert verdict.manifest["kind"] == "comparison"
    first = sorted(calls)
    assert {name for _, name in EXPENSIVE} <= set(first)
    assert verdict.comparison is verdict.comparison
    assert verdict.manifest is verdict.manifest
    assert sorted(calls) == first


def test_threads_that_read_together_get_one_comparison(calls: list[str]) -> None:
    verdict = ours()
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: verdict.comparison, range(8)))
    assert all(one is found[0] for one in found)
    assert calls.count("compare_runs") == 1


def test_the_comparison_of_a_verdict_is_the_one_that_compare_makes() -> None:
    verdict = ours()
    alone = rankproof.compare(
        str(SAMPLE / "qrels.trec"), str(SAMPLE / "bm25.run"), str(SAMPLE / "dense.run"), ["nDCG@10", "RR@10"]
    )
    assert verdict.comparison.to_dict() == alone.to_dict()
    for part in ("holes", "blind_spots", "tie_risks", "diagnoses", "grade_shares", "moves"):
        assert getattr(verdict.comparison, part), part


def test_a_verdict_takes_its_parts_to_another_process() -> None:
    verdict = ours()
    there = pickle.loads(pickle.dumps(verdict))
    assert there.to_dict() == verdict.to_dict()
    assert repr(there) == repr(verdict)


def test_a_verdict_without_detail_has_no_comparison() -> None:
    verdict = ours(detail=False)
    assert verdict.comparison is None
    assert verdict.manifest == {}


def test_power_is_computed_once_for_a_measure_and_only_when_it_is_read(calls: list[str]) -> None:
    rng = np.random.default_rng(3)
    qrels = {f"q{i}": {f"d{j}": int(rng.integers(0, 2)) for j in range(8)} for i in range(12)}
    runs = [{q: {doc: float(rng.random()) for doc in docs} for q, docs in qrels.items()} for _ in range(6)]
    found = rankproof.compare(qrels, runs[0], runs[1:], "nDCG@10 RR", all_pairs=True, beyond=False)
    assert "queries_needed_each" not in calls
    powers = [c.detectable for c in found.contrasts if c.measure == "nDCG@10"]
    assert calls.count("queries_needed_each") == 1
    assert any(power is not None for power in powers)
    for contrast, power in zip(found.contrasts, powers, strict=False):
        if power is not None:
            d = contrast.by_query
            assert power.queries_needed == queries_needed(float(d.std(ddof=1)), float(d.mean()))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize(("level", "power"), [(0.95, 0.8), (0.5, 0.6), (0.99, 0.99)])
def test_many_searches_find_what_single_ones_do(alternative: Any, level: float, power: float) -> None:
    rng = np.random.default_rng(5)
    sds = rng.uniform(0.01, 1, 60).tolist()
    differences = (rng.normal(0, 0.05, 60) * 10.0 ** rng.integers(-6, 2, 60)).tolist()
    differences[7] = 0.0
    together = queries_needed_each(sds, differences, level=level, power=power, alternative=alternative)
    alone = [
        queries_needed(sd, d, level=level, power=power, alternative=alternative)
        for sd, d in zip(sds, differences, strict=True)
    ]
    assert together == alone
    assert together[7] is None


def test_least_of_each_takes_the_steps_of_least() -> None:
    limits = np.array([0, 1, 2, 3, 17, 64, 65, 1000, 1001, 5000])
    found = least_of_each(lambda questions, n: n >= limits[questions], len(limits), first=2, most=1000)
    assert found == [least(lambda n, at=at: n >= at, first=2, most=1000) for at in limits.tolist()]
    assert found[-2:] == [None, None]
