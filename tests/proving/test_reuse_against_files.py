"""Can judgments be reused: each group's own judgments left out, against judgments that never had those lines."""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.effort import examples
from tests.proving.reuse_answers import answer, of_contrast, of_result
from tests.shared_data import SHARED, needs_shared_data

import rankproof
from rankproof.errors import UsageError
from rankproof.proving.compare import compare

Qrels = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]

MEASURES = "nDCG@3 RR AP P@2 ERR bpref infAP R@3 SetP"


def owners(qrels: Qrels, runs: Mapping[str, Ranked], groups: Mapping[str, str], depth: int) -> dict[str, set[Any]]:
    """By group the pairs of query and document that it alone has within the depth; worked out from the dicts."""
    holders: dict[tuple[str, str], set[str]] = {}
    for name, run in runs.items():
        for query, scores in run.items():
            order = sorted(scores, key=lambda doc: (scores[doc], doc), reverse=True)
            for doc in order[:depth]:
                if doc in qrels.get(query, {}):
                    holders.setdefault((query, doc), set()).add(groups[name])
    return {one: {pair for pair, of in holders.items() if of == {one}} for one in groups.values()}


def without(qrels: Qrels, pairs: set[Any]) -> Qrels:
    left = {q: {d: g for d, g in docs.items() if (q, d) not in pairs} for q, docs in qrels.items()}
    return {query: docs for query, docs in left.items() if docs}


DOCUMENTS = "abcdefgh"
GRADES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 3), min_size=1)
SCORES = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4).map(float), min_size=1)


@st.composite
def pools(draw: st.DrawFn) -> tuple[Qrels, dict[str, Ranked], int]:
    queries = [f"q{i}" for i in range(draw(st.integers(1, 5)))]
    qrels = {query: draw(GRADES) for query in queries}
    runs = {name: {query: draw(SCORES) for query in queries} for name in ("A", "B", "C")}
    return qrels, runs, draw(st.integers(1, 5))


@settings(max_examples=examples(200), deadline=None)
@given(pools(), st.sampled_from(["rankproof", "trec_eval"]))
def test_leaving_out_judgments_is_comparing_on_judgments_that_never_had_them(
    pool: tuple[Qrels, dict[str, Ranked], int], dialect: str
) -> None:
    """Also: a group without judgments of its own changes nothing, whatever the data."""
    qrels, runs, depth = pool
    groups = {"A": "a", "B": "b", "C": "c"}
    own = owners(qrels, runs, groups, depth) if dialect == "rankproof" else None
    asked: dict[str, Any] = {"beyond": False, "dialect": dialect, "names": ["A", "B"], "significance": "t"}
    try:
        comparison = compare(
            qrels, runs["A"], runs["B"], MEASURES, reuse_groups=groups, contributors={"C": runs["C"]},
            pool_depth=depth, **asked,
        )  # fmt: skip
    except UsageError:
        assert own is None or not any(own.values())
        return
    for one in answer(comparison).groups:
        if one.judgments == 0:
            assert [of_result(c.without) for c in one.contrasts] == [of_contrast(c) for c in comparison.contrasts]
        if own is None:
            continue
        assert one.judgments == len(own[one.name])
        assert one.relevant == sum(qrels[query][doc] >= 1 for query, doc in own[one.name])
        reduced = without(qrels, own[one.name])
        assert set(one.lost_queries) == set(qrels) - set(reduced)
        if not reduced:
            assert all(contrast.without is None for contrast in one.contrasts)
            continue
        plain = compare(reduced, runs["A"], runs["B"], MEASURES, **asked)
        assert [of_result(c.without) for c in one.contrasts] == [of_contrast(c) for c in plain.contrasts]


@pytest.mark.parametrize("seed", range(examples(12)))
def test_subtopics_that_only_a_group_had_judged_are_gone_with_it(seed: int, tmp_path: Path) -> None:
    """Diversity measures count a query's subtopics: of those left, as in a file without the lines."""
    rng = random.Random(seed)
    queries, docs = [f"q{i}" for i in range(4)], "abcdef"
    lines = {(q, d, str(rng.randint(1, 9))): rng.randint(0, 1) for q in queries for d in docs for _ in range(2)}
    runs = {name: {q: {d: rng.random() for d in rng.sample(docs, 4)} for q in queries} for name in "AB"}
    groups = {"A": "a", "B": "b"}
    best = {q: {d: 1 for (other, d, _) in lines if other == q} for q in queries}
    own = owners(best, runs, groups, 2)
    asked: dict[str, Any] = {"beyond": False, "names": ["A", "B"], "significance": "t"}
    measures = "alpha_nDCG@5 ERR_IA@5 StRecall@3 nERR_IA@5 P@3"
    whole = tmp_path / "whole.qrels"
    whole.write_text("".join(f"{q} {s} {d} {g}\n" for (q, d, s), g in lines.items()))
    comparison = compare(
        str(whole), runs["A"], runs["B"], measures, reuse_groups=groups, pool_depth=2, **asked,
    )  # fmt: skip
    for one in answer(comparison).groups:
        reduced = tmp_path / f"{one.name}.qrels"
        kept = {key: grade for key, grade in lines.items() if key[:2] not in own[one.name]}
        reduced.write_text("".join(f"{q} {s} {d} {g}\n" for (q, d, s), g in kept.items()))
        plain = compare(str(reduced), runs["A"], runs["B"], measures, **asked)
        for ours, theirs in zip(one.contrasts, plain.contrasts, strict=True):
            assert ours.without is not None
            assert ours.without.difference == pytest.approx(theirs.difference.value, abs=1e-12)
            assert ours.without.direction == theirs.direction


@needs_shared_data
@pytest.mark.parametrize(
    ("depth", "choices"),
    [(10, {}), (30, {"dialect": "trec_eval"}), (10, {"judged_only": True}), (10, {"significance": "randomization"})],
)
def test_seven_runs_of_dl20_say_what_a_file_without_the_lines_says(
    depth: int, choices: dict[str, Any], tmp_path: Path
) -> None:
    folder = SHARED / "dl20"
    paths = sorted(map(str, (folder / "runs").glob("*.run")))
    assert len(paths) == 7
    names = [Path(path).stem for path in paths]
    asked: dict[str, Any] = {"beyond": False, "names": names, "resamples": 2000, **choices}
    comparison = compare(
        str(folder / "qrels.trec"), paths[0], paths[1:], "nDCG@10 AP P@10", pool_depth=depth,
        reuse_groups={name: f"team {name}" for name in names}, **asked,
    )  # fmt: skip
    # Who contributed what, from the files themselves: all seven are written in order, with ranks from 1.
    lines = (folder / "qrels.trec").read_text().splitlines()
    holders: dict[tuple[str, str], set[str]] = {}
    order = "trec_eval" if "dialect" in choices else "rankproof"
    for name, path in zip(names, paths, strict=True):
        for query, docs in first_documents(path, depth, order).items():
            for doc in docs:
                holders.setdefault((query, doc), set()).add(name)
    moved, left_out = 0, 0
    for one in answer(comparison).groups:
        name = one.name.removeprefix("team ")
        kept = [line for line in lines if holders.get((line.split()[0], line.split()[2])) != {name}]
        assert len(lines) - len(kept) == one.judgments
        left_out += one.judgments
        reduced = tmp_path / "reduced.trec"
        reduced.write_text("\n".join(kept) + "\n")
        plain = compare(str(reduced), paths[0], paths[1:], "nDCG@10 AP P@10", **asked)
        assert [of_result(c.without) for c in one.contrasts] == [of_contrast(c) for c in plain.contrasts]
        moved += sum(c.without != c.whole for c in one.contrasts)
    assert left_out > 0
    assert moved > 0  # there is something to be equal about


def first_documents(path: str, depth: int, order: str) -> dict[str, list[str]]:
    """The first documents of each query by score, then by id from the greatest; trec_eval's scores are 32-bit."""
    run = rankproof.read_run(path)
    if order == "rankproof":
        return {query: docs[:depth] for query, docs, _ in run.rankings()}
    import numpy as np

    first = {}
    for query, docs, scores in run.rankings():
        keys = sorted(zip(np.float32(scores).tolist(), docs, strict=True), reverse=True)
        first[query] = [doc for _, doc in keys[:depth]]
    return first
