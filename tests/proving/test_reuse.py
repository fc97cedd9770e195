"""Can judgments be reused: each group's own judgments left out, by hand, read, refused."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.proving.reuse_answers import answer, of_contrast, of_result
from tests.raising import raises

import rankproof
from rankproof.errors import UsageError
from rankproof.measuring.run_sources import TextRun
from rankproof.proving.compare import compare
from rankproof.proving.records import Comparison
from rankproof.proving.reuse_records import ReuseGroup, ReuseResult
from rankproof.proving.sections import comparison_sections

Qrels = dict[str, dict[str, int]]
Ranked = dict[str, dict[str, float]]

# Six queries. Only A has the relevant document a, both have the relevant document s (in q6 only A), only B has n, which
# is not relevant, nobody has u, and nobody judged z. P@2 of A is 1; that of B is 0.5, and 0 in q6.
QRELS = {f"q{i}": {"a": 1, "s": 1, "n": 0, "u": 1} for i in range(1, 7)}
A = {query: {"a": 2.0, "s": 1.0} for query in QRELS}
B = {query: {"s" if query != "q6" else "z": 2.0, "n": 1.0} for query in QRELS}
# The mean of five times -0.5 and once -1; six of six queries agree.
MEAN, P = pytest.approx(-7 / 12), pytest.approx(2 / 64)
GROUPS = {"A": "team a", "B": "team b"}


def checked(qrels: object = QRELS, runs: tuple[object, ...] = (A, B), **choices: Any) -> Comparison:
    """A against B by the sign test: one query more or less says nothing, six that agree are significant."""
    asked: dict[str, Any] = {"names": ["A", "B"], "significance": "sign", "beyond": False}
    asked |= {"reuse_groups": GROUPS, "pool_depth": 2, **choices}
    return compare(qrels, runs[0], list(runs[1:]), asked.pop("measures", "P@2"), **asked)


def group(comparison: Comparison, name: str) -> ReuseGroup:
    (found,) = [group for group in answer(comparison).groups if group.name == name]
    return found


# ---- by hand -------------------------------------------------------------------------------------


def test_a_verdict_that_rests_on_one_group_s_judgments_does_not_stand_without_them() -> None:
    """Without what A alone has, both have P@2 0.5, and 0 in q6; without n, everything is as with all judgments."""
    comparison = checked()
    check = answer(comparison)
    assert (check.judgments, check.by_one, check.by_several, check.by_none) == (24, 13, 5, 6)
    a, b = check.groups
    assert (a.name, a.runs, a.judgments, a.relevant, a.lost_queries) == ("team a", ("A",), 7, 7, ())
    assert (b.name, b.runs, b.judgments, b.relevant, b.lost_queries) == ("team b", ("B",), 6, 0, ())
    (without_a,), (without_b,) = a.contrasts, b.contrasts
    assert without_a.whole == ReuseResult(MEAN, P, "worse", "sign")
    assert without_a.without == ReuseResult(0.0, None, "not shown", "sign")
    assert without_b.without == without_b.whole
    assert (without_a.stands, without_b.stands) == (False, True)
    assert without_a.own
    assert without_b.own
    assert check.standing == ("team b",)
    assert check.sentence == (
        "The verdict (worse) stands for 1 of 2 groups; it changes without team a (not significant)."
    )
    assert comparison.warnings[-1].startswith(check.sentence)


def test_a_group_that_keeps_its_verdict_gives_no_warning() -> None:
    """Both against a third that retrieves what nobody judged: significant, whichever group is left out."""
    nothing = {query: {"y": 1.0} for query in QRELS}
    comparison = checked(runs=(A, nothing), significance="t", measures="P@2 RR")
    check = answer(comparison)
    assert check.standing == ("team a", "team b")
    assert check.sentence == "Every verdict stands for all 2 groups."
    assert not any("verdict" in warning for warning in comparison.warnings)


def test_a_further_run_takes_a_judgment_from_the_only_group_that_had_it() -> None:
    """C retrieves a as well, in a group of its own: A has nothing of its own any more, and its verdict stands."""
    comparison = checked(reuse_groups={**GROUPS, "C": "team c"}, contributors={"C": A})
    assert [g.judgments for g in answer(comparison).groups] == [0, 6, 0]
    assert answer(comparison).standing == ("team a", "team b", "team c")
    assert comparison.systems == ("A", "B")
    assert not group(comparison, "team c").contrasts[0].own


def test_a_run_contributes_its_first_documents_only() -> None:
    """At depth 1 A has a, which stays its own; B has s (in q6 z), which A has at rank 2 and so did not contribute."""
    comparison = checked(pool_depth=1)
    check = answer(comparison)
    assert (check.by_one, check.by_several, check.by_none) == (11, 0, 13)
    # Without s, A finds a alone (in q6 s too, which B has not), and B nothing: five times -0.5 and once -1.
    assert group(comparison, "team b").contrasts[0].without == ReuseResult(MEAN, P, "worse", "sign")


def test_the_order_of_a_pool_is_that_of_the_measure() -> None:
    """Equal scores: the default takes the greater id first, so that at depth 1 A contributes s and not a."""
    tied = {query: {"a": 1.0, "s": 1.0} for query in QRELS}
    check = answer(checked(runs=(tied, B), pool_depth=1, reuse_groups={"A": "a", "B": "b", "C": "c"}, contributors={
        "C": {query: {"n": 1.0} for query in QRELS}
    }))  # fmt: skip
    assert [g.judgments for g in check.groups] == [1, 0, 6]  # in q6 nobody else has s


def test_two_runs_of_one_group_are_no_contrast_of_its_own() -> None:
    third = {query: {"n": 1.0} for query in QRELS}
    comparison = checked(
        runs=(A, B, third), names=["A", "B", "C"], reuse_groups={"A": "one", "B": "one", "C": "other"}, all_pairs=True
    )
    own = {g.name: [(c.baseline, c.candidate) for c in g.contrasts if c.own] for g in answer(comparison).groups}
    assert own == {"one": [("A", "C"), ("B", "C")], "other": [("A", "C"), ("B", "C")]}


def test_queries_that_lose_every_judgment_are_named_and_not_scored() -> None:
    qrels = {**QRELS, "q1": {"a": 1}}
    comparison = checked(qrels)
    lost = group(comparison, "team a")
    assert lost.lost_queries == ("q1",)
    assert "q1" in str(comparison_sections(comparison, per_query=False))


def test_where_no_query_is_left_the_comparison_cannot_be_made_and_says_so() -> None:
    comparison = checked({query: {"a": 1} for query in QRELS})
    (contrast,) = group(comparison, "team a").contrasts
    assert contrast.without is None
    assert not contrast.stands
    assert "no query" in contrast.reason
    assert "cannot be compared" in answer(comparison).sentence


def test_a_segment_that_loses_every_query_is_named() -> None:
    qrels = {**QRELS, "q1": {"a": 1}}
    kinds = {query: {"kind": "rare" if query == "q1" else "usual"} for query in QRELS}
    comparison = checked(qrels, queries=kinds, by=["kind"])
    contrasts = {c.segment: c for c in group(comparison, "team a").contrasts}
    assert set(contrasts) == {"", "kind=rare", "kind=usual"}
    assert contrasts["kind=rare"].without is None
    assert "kind=rare" in contrasts["kind=rare"].reason
    assert contrasts["kind=usual"].without is not None


def test_a_margin_that_no_longer_holds_is_a_verdict_that_changes() -> None:
    """The other way round: A is not worse than B by 0.1 with all; without a they are alike, which six ties show not."""
    comparison = checked(runs=(B, A), names=["B", "A"], non_inferiority=0.1, significance="t_or_gaffke")
    (contrast,) = group(comparison, "team a").contrasts
    assert contrast.whole.margin_holds
    assert contrast.without is not None
    assert not contrast.without.margin_holds
    assert not contrast.stands


def test_what_a_dialect_refuses_without_a_group_is_told_and_ends_nothing() -> None:
    """Quepid divides 0 by 0 where nothing is relevant: with all judgments a is, without team a nothing."""
    qrels = {query: {"a": 1, "s": 0, "n": 0} for query in QRELS}
    comparison = checked(qrels, dialect="quepid", measures="AP@10")
    (contrast,) = group(comparison, "team a").contrasts
    assert contrast.without is None
    assert "q1" in contrast.reason
    assert group(comparison, "team b").contrasts[0].without is not None


def test_relevant_is_what_the_level_says() -> None:
    qrels = {query: {**grades, "a": 2, "n": 1} for query, grades in QRELS.items()}
    groups = answer(checked(qrels, level=2)).groups
    assert [(g.judgments, g.relevant) for g in groups] == [(7, 6), (6, 0)]  # s has grade 1


def test_a_dialect_that_drops_the_query_s_own_document_drops_it_without_a_group_too() -> None:
    """BEIR: each ranking begins with the query's own document, so that rank 3 is rank 2 there."""
    qrels = {query: {**grades, query: 1} for query, grades in QRELS.items()}
    runs = tuple({q: {q: 9.0, **docs} for q, docs in run.items()} for run in (A, B))
    whole = checked(qrels, runs, dialect="beir", measures="P@2", pool_depth=3)
    plain = checked({q: {d: g for d, g in docs.items() if d != "n"} for q, docs in qrels.items()}, runs,
                    dialect="beir", measures="P@2", reuse_groups=None, pool_depth=None)  # fmt: skip
    assert of_result(group(whole, "team b").contrasts[0].without) == of_contrast(plain.contrasts[0])


def test_another_test_on_other_judgments_is_named_beside_the_verdict() -> None:
    """The default takes t where 12 queries changed and Gaffke's bound where fewer did: the reader sees which."""
    rng = random.Random(0)
    qrels: Qrels = {f"q{i}": {"x": rng.randint(1, 3), "y": 0, "s": 1} for i in range(14)}
    a = {query: {"x": 3.0, "s": 2.0} for query in qrels}
    b = {query: {"y": 3.0, "s": 2.0} for query in qrels}
    comparison = checked(qrels, (b, a), names=["B", "A"], measures="nDCG@2", significance="t_or_gaffke")
    (contrast,) = group(comparison, "team a").contrasts
    assert contrast.without is not None
    assert contrast.whole.method != contrast.without.method
    assert contrast.whole.method in contrast.change
    assert contrast.without.method in contrast.change
    assert contrast.without.method in comparison.warnings[-1]


# ---- reading -------------------------------------------------------------------------------------


def written(folder: Path, name: str, run: Ranked) -> str:
    path = folder / f"{name}.run"
    path.write_text("".join(f"{q} Q0 {d} 0 {score} t\n" for q, scores in run.items() for d, score in scores.items()))
    return str(path)


def test_a_run_is_read_once_however_many_groups_there_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Counter[str]()
    join = TextRun.join

    def counted(self: TextRun, *args: Any) -> Any:
        read[self.name] += 1
        return join(self, *args)

    monkeypatch.setattr(TextRun, "join", counted)
    a, b = written(tmp_path, "A", A), written(tmp_path, "B", B)
    written(tmp_path, "C", {query: {"u": 1.0} for query in QRELS})
    (tmp_path / "groups.csv").write_text("run,group,file\nA,a,A.run\nB,b,\nextra,c,C.run\n")
    comparison = checked(runs=(a, b), names=None, reuse_groups=str(tmp_path / "groups.csv"))
    assert [g.judgments for g in answer(comparison).groups] == [7, 6, 6]
    assert answer(comparison).groups[2].runs == ("extra",)
    assert read == {"A": 1, "B": 1, "extra": 1} or read == {"A": 1, "B": 1, "C": 1}


def test_a_run_may_be_named_by_its_path_beside_the_file_of_groups(tmp_path: Path) -> None:
    written(tmp_path, "C", {query: {"u": 1.0} for query in QRELS})
    path = tmp_path / "groups.tsv"
    path.write_text("\ufeffrun\tgroup\nA\ta\nB\tb\nC.run\tc\n")
    assert [g.judgments for g in answer(checked(reuse_groups=path)).groups] == [7, 6, 6]


def test_prepared_runs_are_taken_as_they_are() -> None:
    prepared = rankproof.prepare(QRELS)
    runs = [prepared.prepare(run) for run in (A, B)]
    assert answer(checked(prepared, tuple(runs))) == answer(checked())


def test_prepared_runs_on_other_judgments_are_refused() -> None:
    """Their places in the pool are others: the wrong judgments would be left out."""
    one, other = rankproof.prepare(QRELS), rankproof.prepare({q: dict(reversed(g.items())) for q, g in QRELS.items()})
    with raises(UsageError, "B"):
        checked(one, (one.prepare(A), other.prepare(B)))


# ---- refused -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("choices", "values"),
    [
        ({"reuse_groups": {"A": "a", "B": "b", "D": "d"}}, ["D", "A", "B", "file"]),
        ({"reuse_groups": {"A": "a"}}, ["B"]),
        ({"reuse_groups": {"A": "a", "B": "a"}}, ["a", 2]),
        ({"contributors": {"C": A}}, ["C"]),
        ({"pool_depth": None}, ["pool_depth", "--pool-depth", 2, 18, 24]),
        ({"pool_depth": 0}, [0, 1]),
        ({"reuse_groups": None}, ["groups"]),
        ({"reuse_groups": None, "pool_depth": None, "contributors": {"C": A}}, ["groups"]),
        ({"runs": (A, A)}, [24, 12, 2]),
    ],
)
def test_a_check_that_cannot_be_made_is_refused(choices: dict[str, Any], values: list[object]) -> None:
    with raises(UsageError, *values):
        checked(**choices)


def test_a_comparison_without_groups_has_no_check_and_no_part_in_its_document() -> None:
    comparison = checked(reuse_groups=None, pool_depth=None)
    assert comparison.reuse is None
    assert "reuse" not in comparison.to_dict()
    assert "reuse" in replace(comparison, reuse=checked().reuse).to_dict()
