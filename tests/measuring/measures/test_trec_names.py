"""trec_eval's names: from what people type to one definition, and back to what trec_eval prints."""

from __future__ import annotations

import pytest
from tests.raising import raises

from rankproof.errors import UnknownName, UsageError
from rankproof.measuring.names import parse
from rankproof.measuring.trec_names import TREC_MEASURES, TREC_SETS, trec_name, trec_variants


def texts(asked: str) -> list[str]:
    return [str(variant) for variant in parse(asked)]


def printed(asked: str) -> list[str | None]:
    names = [trec_name(variant) for variant in parse(asked)]
    return [None if name is None else name.name for name in names]


@pytest.mark.parametrize(
    ("typed", "means", "prints"),
    [
        ("map", ["AP"], ["map"]),
        ("recip_rank", ["RR"], ["recip_rank"]),
        ("ndcg", ["nDCG"], ["ndcg"]),
        ("ndcg_cut_10", ["nDCG@10"], ["ndcg_cut_10"]),
        ("ndcg_cut.10,20,23.4", ["nDCG@10", "nDCG@20", "nDCG@23"], ["ndcg_cut_10", "ndcg_cut_20", "ndcg_cut_23"]),
        ("map_cut.100", ["AP@100"], ["map_cut_100"]),
        ("recall.50,100", ["R@50", "R@100"], ["recall_50", "recall_100"]),
        ("P_5", ["P@5"], ["P_5"]),
        ("P.5,7,3", ["P@5", "P@7", "P@3"], ["P_5", "P_7", "P_3"]),
        ("success.10", ["Success@10"], ["success_10"]),
        ("success", ["Success@1", "Success@5", "Success@10"], ["success_1", "success_5", "success_10"]),
        ("iprec_at_recall..10,.20", ["IPrec@0.1", "IPrec@0.2"], ["iprec_at_recall_0.10", "iprec_at_recall_0.20"]),
        ("Rprec_mult.5.0,0.2", ["RprecMult(mult=5)", "RprecMult(mult=0.2)"], ["Rprec_mult_5.00", "Rprec_mult_0.20"]),
        ("utility.2,-1,0,0", ["Utility(weights=2;-1;0;0)"], ["utility_2,-1,0,0"]),
        ("utility.1.0,-1.0,0.0,0.0", ["Utility"], ["utility_1.0,-1.0,0.0,0.0"]),
        ("11pt_avg..25,.5,.75", ["11pt(recall=0.25;0.5;0.75)"], ["11pt_avg_.25,.5,.75"]),
        ("ndcg.1=3,2=9,4=4.5", ["nDCG(gain={1:3,2:9,4:4.5})"], ["ndcg_1=3,2=9,4=4.5"]),
        ("relstring.20", ["RelString@20"], ["relstring_20"]),
        ("relstring", ["RelString@10"], ["relstring"]),
        ("set_F.0.5", ["SetF(weight=0.5)"], ["set_F_0.5"]),
        ("rbp.p=.8", ["RBP(p=0.8)"], ["rbp_p=.8"]),
        ("rbp rbp_resid", ["RBP", "RBPres"], ["rbp", "rbp_resid"]),
        ("unj_5", ["Unjudged@5"], ["unj_5"]),
        ("yaap dcg", ["YAAP", "DCG"], ["yaap", "dcg"]),
    ],
)
def test_what_is_typed(typed: str, means: list[str], prints: list[str]) -> None:
    assert texts(typed) == means
    assert printed(typed) == prints


def test_bare_names_have_the_usual_cutoffs() -> None:
    assert texts("P") == [f"P@{k}" for k in (5, 10, 15, 20, 30, 100, 200, 500, 1000)]
    assert texts("iprec_at_recall")[:3] == ["IPrec@0", "IPrec@0.1", "IPrec@0.2"]
    assert texts("unj") == ["Unjudged@5", "Unjudged@10", "Unjudged@20"]


def test_everyday_names_are_not_taken() -> None:
    """`recall` is trec_eval's, `recall@10` is everyday English; both are R."""
    assert texts("recall@10 mrr@10 P@5 hit_rate@3") == ["R@10", "RR@10", "P@5", "Success@3"]


def test_names_of_canonical_variants() -> None:
    assert printed("AP AP@5 nDCG@10 RR P@3 IPrec@0.25") == [
        "map", "map_cut_5", "ndcg_cut_10", "recip_rank", "P_3", "iprec_at_recall_0.25",
    ]  # fmt: skip
    assert printed("Utility(weights=2;-1;0;0) nDCG(gain={1:3,2:9}) RelString@20 RBP(p=0.5)") == [
        "utility_2,-1,0,0", "ndcg_1=3,2=9", "relstring_20", "rbp_p=0.5",
    ]  # fmt: skip


def test_no_name_for_what_trec_eval_lacks() -> None:
    assert printed("RR@10 P(rel=2)@5 nDCG(gain=exp2) nDCG(gain=exp2)@10 R(denominator=min_k)@5 ERR@10") == [None] * 6


def test_sets() -> None:
    order = [measure.name for measure in TREC_MEASURES]
    for names in TREC_SETS.values():
        assert sorted(names, key=order.index) == list(names)
    assert len(parse("official")) == 30  # as many lines as trec_eval prints by default
    assert printed("set") == [
        "runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility", "set_P", "set_relative_P", "set_recall",
        "set_map", "set_F",
    ]  # fmt: skip


@pytest.mark.parametrize("measure", TREC_MEASURES, ids=lambda measure: measure.name)
def test_every_name_prints_as_itself_and_reads_back(measure: object) -> None:
    name = measure.name
    variants = trec_variants(name)
    assert variants
    for variant in variants:
        shown = trec_name(variant)
        assert shown is not None
        assert shown.measure.name == name
        assert parse(shown.name) == (variant,)


def test_of_two_equal_ones_the_typed_one_stays() -> None:
    (variant,) = parse(["P@5", "P.5"])
    assert variant.typed == "P_5"
    (variant,) = parse("utility utility.1,-1,0,0")
    assert variant.typed == "utility_1,-1,0,0"


@pytest.mark.parametrize(
    ("typed", "complaint"),
    [
        ("P.0", "takes cutoffs from 1 upward; got 0"),
        ("P.five", "takes numbers separated by commas; got 'five'"),
        ("P.", "takes numbers separated by commas; got ''"),
        ("map.5", "trec_eval's map takes no parameters"),
        ("iprec_at_recall.1.5", "does not take 1.5"),
        ("Rprec_mult.0", "does not take 0"),
        ("utility.1,2", "must be 4 numbers"),
        ("ndcg.1", "must be linear, exp2 or a mapping"),
        ("rbp.0.8", "takes p=NUMBER"),
        ("rbp.p=2", "must be a number above 0 below 1"),
    ],
)
def test_wrong_parameters(typed: str, complaint: str) -> None:
    with pytest.raises(UsageError) as error:
        parse(typed)
    assert complaint in str(error.value)


@pytest.mark.parametrize("name", ["ndcg_cutt_10", "foo.5", "prefs_simp", "P5"])
def test_unknown_names(name: str) -> None:
    with raises(UnknownName, repr(name)) as unknown:
        parse(name)
    assert (unknown.value.kind, unknown.value.name) == ("measure", name)
