"""Matrices of scores and grades: the same numbers as dicts, bit for bit; padding, holes and ties; what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.raising import raises

import rankproof
import rankproof.arrays
from rankproof.errors import InputError, UsageError
from rankproof.kernel import shelf
from rankproof.kernel.specs.kinds import REQUIRED

MEASURES = "nDCG@10 nDCG RR@10 AP P@5 R@10 Success@1 bpref ERR@10 RBP Judged@10 Rprec"
CASES = ["dense", "padded", "unjudged", "not retrieved", "tied", "float32", "wide", "one column", "few documents"]


def _case(name: str, seed: int) -> tuple[NDArray[Any], NDArray[Any], dict[str, NDArray[np.bool_]]]:
    rng = np.random.default_rng(seed)
    rows, columns = 30, {"wide": 300, "one column": 1, "few documents": 2}.get(name, 17)
    scores: NDArray[Any] = rng.normal(size=(rows, columns))
    labels = rng.choice([0, 0, 0, 1, 2, 3], size=(rows, columns))
    masks = {}
    if name == "padded":
        masks["mask"] = rng.random((rows, columns)) < 0.7
        masks["mask"][3] = False
    if name == "unjudged":
        masks["judged"] = rng.random((rows, columns)) < 0.6
    if name == "not retrieved":
        masks = {"retrieved": rng.random((rows, columns)) < 0.5, "mask": rng.random((rows, columns)) < 0.8}
    if name == "tied":
        scores = np.round(scores)
    if name == "float32":
        scores = np.round(scores, 1).astype(np.float32)
    return scores, labels, masks


def _dicts(
    scores: NDArray[Any], labels: NDArray[Any], masks: dict[str, NDArray[np.bool_]]
) -> tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]:
    """What the matrices say, with columns as ids of one length, so that their order is that of numbers."""
    every = np.ones(scores.shape, dtype=bool)
    there = masks.get("mask", every)
    judged, retrieved = there & masks.get("judged", every), there & masks.get("retrieved", every)
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q in range(len(scores)):
        qrels[f"q{q:03}"] = {f"d{c:04}": int(labels[q, c]) for c in np.flatnonzero(judged[q])}
        if retrieved[q].any():
            run[f"q{q:03}"] = {f"d{c:04}": float(scores[q, c]) for c in np.flatnonzero(retrieved[q])}
    return qrels, run


@pytest.mark.parametrize(
    "settings", [{}, {"ties": "expected"}, {"dialect": "trec_eval"}, {"lower_is_better": True}], ids=str
)
@pytest.mark.parametrize("name", CASES)
def test_the_values_are_those_of_dicts_bit_for_bit(name: str, settings: dict[str, Any]) -> None:
    scores, labels, masks = _case(name, seed=CASES.index(name))
    qrels, run = _dicts(scores, labels, masks)
    measures = "ndcg_cut_10 map recip_rank P_5 bpref" if settings.get("dialect") else MEASURES
    qrels = {query: docs for query, docs in qrels.items() if docs}
    kept = [q for q in range(len(scores)) if f"q{q:03}" in qrels]
    cut = {what: mask[kept] for what, mask in masks.items()}
    ours = rankproof.arrays.evaluate(
        scores[kept], labels[kept], measures, query_ids=[f"q{q:03}" for q in kept], **cut, **settings
    )
    theirs = rankproof.evaluate(qrels, run, measures, **settings)
    for text in theirs.results:
        assert ours[text].by_query == theirs[text].by_query, text
        assert ours[text].mean == theirs[text].mean
    assert ours.population == theirs.population or ours.population.missing == theirs.population.missing


@pytest.mark.parametrize("k", [1, 3, 10, 40])
@pytest.mark.parametrize("name", CASES)
def test_every_measure_with_a_cutoff_is_the_same_where_only_the_first_documents_are_placed(name: str, k: int) -> None:
    """Documents below the cutoff are not even put in order then."""
    scores, labels, masks = _case(name, seed=5)
    scores = np.round(scores, 1)  # ties across the cut too
    measures = [
        f"{measure.name}@{k}"
        for measure in shelf.offered("measures").values()
        if measure.cutoff in ("optional", "required") and not measure.needs_subtopics
        if REQUIRED not in [param.default for param in measure.params]
    ]
    measures.append(f"GradeShare(grade=1)@{k}")
    assert len(measures) > 15
    short = rankproof.arrays.evaluate(scores, labels, measures, **masks)
    # One measure without a cutoff, and all documents are placed.
    whole = rankproof.arrays.evaluate(scores, labels, [*measures, "AP"], **masks)
    for text in short.results:
        assert np.array_equal(short[text].values, whole[text].values, equal_nan=True), text
        assert short[text].undefined == whole[text].undefined
        assert short[text].fine_print == whole[text].fine_print
    assert short.population == whole.population or short.population.missing == whole.population.missing


def test_a_model_that_gives_one_score_gets_no_credit_for_the_first_column() -> None:
    """Data with the relevant candidate first is usual; a sort that keeps the order would call such a model perfect."""
    scores, labels = np.zeros((5, 10)), np.zeros((5, 10), dtype=int)
    labels[:, 0] = 1
    evaluate = rankproof.arrays.evaluate
    assert evaluate(scores, labels, "RR")["RR"].mean == pytest.approx(0.1)
    expected = np.mean([1 / rank for rank in range(1, 11)])
    assert evaluate(scores, labels, "RR", ties="expected")["RR"].mean == pytest.approx(expected)


def test_evaluations_on_the_same_labels_compare_and_on_others_do_not() -> None:
    rng = np.random.default_rng(3)
    labels = (rng.random((60, 20)) < 0.2).astype(int)
    one = rankproof.arrays.evaluate(rng.normal(size=labels.shape), labels, "nDCG@10", name="one")
    two = rankproof.arrays.evaluate(rng.normal(size=labels.shape) + labels, labels, "nDCG@10", name="two")
    assert rankproof.compare_evaluations([one, two]).contrast("nDCG@10").direction == "better"
    labels[0, 0] ^= 1
    other = rankproof.arrays.evaluate(rng.normal(size=labels.shape), labels, "nDCG@10", name="other")
    with pytest.raises(rankproof.RankproofError):
        rankproof.compare_evaluations([one, other])


def test_models_on_the_same_labels_are_compared_in_one_call() -> None:
    rng = np.random.default_rng(3)
    labels = (rng.random((60, 20)) < 0.2).astype(int)
    noise = rng.normal(size=labels.shape)
    mask, returned = rng.random(labels.shape) < 0.9, rng.random(labels.shape) < 0.5
    compared = rankproof.arrays.compare(
        {"first": noise, "second": noise + labels}, labels, "nDCG@10 RR@10", mask=mask, retrieved={"second": returned}
    )
    by_hand = rankproof.compare_evaluations(
        [
            rankproof.arrays.evaluate(noise, labels, "nDCG@10 RR@10", name="first", mask=mask),
            rankproof.arrays.evaluate(
                noise + labels, labels, "nDCG@10 RR@10", name="second", mask=mask, retrieved=returned
            ),
        ]
    )
    assert compared.to_dict() == by_hand.to_dict()
    assert repr(compared) == repr(by_hand)
    with raises(UsageError, "two models"):
        rankproof.arrays.compare({"first": noise}, labels, "RR")
    with raises(UsageError, "two models"):
        rankproof.arrays.compare([noise, noise], labels, "RR")  # type: ignore[arg-type]
    with raises(UsageError, "retrieved", "first", "second"):
        rankproof.arrays.compare({"first": noise, "second": noise}, labels, "RR", retrieved={"third": returned})
    with raises(UsageError, "labels is 60x20", "scores is 60x19"):
        rankproof.arrays.compare({"first": noise, "second": noise[:, :19]}, labels, "RR")


def test_columns_count_as_documents_is_said() -> None:
    ours = rankproof.arrays.evaluate([[0.1, 0.2]], [[1, 0]], "RR")
    assert any("later column" in line for line in ours.fine_print)


class Lent:
    """A tensor of another library: it lends its memory by DLPack and has no array interface."""

    def __init__(self, values: NDArray[Any]) -> None:
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class Elsewhere(Lent):
    """A tensor on another device that keeps gradients: it lends nothing before it is detached and copied, once."""

    copies = 0
    attached = True

    def detach(self) -> Elsewhere:
        self.attached = False
        return self

    def cpu(self) -> Lent:
        assert not self.attached
        type(self).copies += 1
        return Lent(self.values)

    def __dlpack__(self, **options: Any) -> Any:
        raise BufferError("on another device")


def test_tensors_of_other_libraries_are_read() -> None:
    scores, labels, _ = _case("dense", 1)
    plain = rankproof.arrays.evaluate(scores, labels, "nDCG@10")["nDCG@10"].values
    for kind in (Lent, Elsewhere):
        read = rankproof.arrays.evaluate(kind(scores), kind(labels), "nDCG@10")
        assert np.array_equal(read["nDCG@10"].values, plain)
    assert Elsewhere.copies == 2
    for columns in (scores.tolist(), np.asfortranarray(scores), scores[:, ::-1][:, ::-1]):
        assert np.array_equal(rankproof.arrays.evaluate(columns, labels, "nDCG@10")["nDCG@10"].values, plain)


class Tensor(Lent):
    """A tensor that can make itself a 32-bit one, as torch's can."""

    def __init__(self, values: NDArray[Any], dtype: str) -> None:
        super().__init__(values)
        self.dtype = dtype

    def float(self) -> Lent:
        return Lent(self.values.astype(np.float32))


def test_a_tensor_of_64_bits_keeps_all_of_them() -> None:
    """Made 32-bit floats, the two scores would be tied, and the later column first."""
    scores = np.array([[0.5 + 1e-12, 0.5]])
    assert rankproof.arrays.evaluate(Tensor(scores, "torch.float64"), [[1, 0]], "RR")["RR"].mean == 1.0
    assert rankproof.arrays.evaluate(Tensor(scores, "torch.bfloat16"), [[1, 0]], "RR")["RR"].mean == 0.5


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, np.int8, np.uint8, np.int64, bool])
def test_every_kind_of_number_is_taken(kind: Any) -> None:
    scores = np.array([[3, 1, 2], [0, 1, 0]]).astype(kind)
    labels = np.array([[0, 1, 0], [0, 1, 0]]).astype(kind)
    assert rankproof.arrays.evaluate(scores, labels, "Success@1")["Success@1"].values[1] == 1


GOOD = np.array([[0.1, 0.2], [0.3, 0.4]])
LABELS = np.array([[1, 0], [0, 1]])
ONES = np.ones((2, 2), dtype=bool)
REFUSED: list[tuple[str, type[Exception], dict[str, Any], tuple[str, ...]]] = [
    ("labels of another shape", UsageError, {"labels": LABELS[:1]}, ("labels is 1x2", "scores is 2x2")),
    ("mask of another shape", UsageError, {"mask": ONES[:, :1]}, ("mask is 2x1", "2x2")),
    ("one axis", UsageError, {"scores": GOOD[0]}, ("scores", "matrix", "2")),
    ("a number", UsageError, {"scores": np.float64(1)}, ("scores", "single value")),
    ("ragged lists", UsageError, {"scores": [[1.0], [1.0, 2.0]]}, ("scores", "same length", "mask=")),
    ("texts", UsageError, {"scores": np.array([["a", "b"], ["c", "d"]])}, ("scores", "numbers")),
    ("NaN", InputError, {"scores": np.array([[0.1, np.nan], [0.3, 0.4]])}, ("scores[0, 1]", "nan", "mask=")),
    ("padding as -inf", InputError, {"scores": np.array([[0.1, 0.2], [0.3, -np.inf]])}, ("scores[1, 1]", "mask=")),
    ("padding as -1", InputError, {"labels": np.array([[1, -1], [0, 1]])}, ("labels[0, 1]", "-1", "mask=")),
    ("half a grade", InputError, {"labels": np.array([[1, 0.5], [0, 1]])}, ("labels[0, 1]", "0.5", "judged=")),
    ("a label that is NaN", InputError, {"labels": np.array([[1, np.nan], [0, 1]])}, ("labels[0, 1]", "judged=")),
    ("a huge label", InputError, {"labels": np.array([[1, 2**40], [0, 1]])}, ("labels[0, 1]", "grade")),
    ("a mask of shares", UsageError, {"mask": np.full((2, 2), 0.5)}, ("mask", "true or false")),
    ("a mask of counts", UsageError, {"mask": np.full((2, 2), 2)}, ("mask", "true or false")),
    ("names too few", UsageError, {"query_ids": ["a"]}, ("query_ids", "1 name", "2 rows")),
    ("a name twice", InputError, {"query_ids": ["a", "a"]}, ("query_ids", "'a'")),
    ("names that are numbers", UsageError, {"query_ids": [1, 2]}, ("query_ids", "texts")),
    ("huge whole numbers", UsageError, {"scores": np.array([[2**60, 2**60 + 1], [1, 2]])}, ("scores", "2^53")),
    ("very negative whole numbers", UsageError, {"scores": np.array([[-(2**63), 0], [1, 2]])}, ("scores", "2^53")),
    ("a masked array", UsageError, {"scores": np.ma.masked_less(GOOD, 0.15)}, ("scores", "mask=~scores.mask")),
    ("masked labels", UsageError, {"labels": np.ma.masked_array(LABELS, LABELS > 0)}, ("mask=~labels.mask",)),
    ("a mask of texts", UsageError, {"mask": np.array([["a", "b"], ["c", "d"]])}, ("mask", "true or false")),
    ("an infinite label", InputError, {"labels": np.array([[1, np.inf], [0, 1]])}, ("labels[0, 1]", "inf")),
    ("a half as float16", InputError, {"labels": np.float16([[1, 0.5], [0, 1]])}, ("labels[0, 1]", "0.5")),
    ("a label of 2^32", InputError, {"labels": np.array([[1, 2**32], [0, 1]])}, ("labels[0, 1]", 2**32)),
    ("subtopics", UsageError, {"measures": "alpha_nDCG@10"}, ("alpha_nDCG@10", "subtopics")),
]


@pytest.mark.parametrize(("what", "error", "given", "parts"), REFUSED, ids=[case[0] for case in REFUSED])
def test_what_cannot_be_measured_is_refused(
    what: str, error: type[Exception], given: dict[str, Any], parts: tuple[str, ...]
) -> None:
    given = {"scores": GOOD, "labels": LABELS, "measures": "RR", **given}
    with raises(error, *parts):
        rankproof.arrays.evaluate(**given)


def test_what_a_mask_leaves_out_may_be_anything() -> None:
    scores, labels = np.array([[0.1, np.nan]]), np.array([[1, -1]])
    ours = rankproof.arrays.evaluate(scores, labels, "RR", mask=[[True, False]])
    assert ours["RR"].mean == 1.0
    unknown = rankproof.arrays.evaluate([[0.1, 0.2]], [[1.0, np.nan]], "RR", judged=[[True, False]])
    assert unknown["RR"].mean == 0.5


def test_no_rows_and_no_columns_are_no_crash() -> None:
    empty = rankproof.arrays.evaluate(np.zeros((3, 0)), np.zeros((3, 0), dtype=int), "RR")
    assert empty["RR"].values.tolist() == [0.0, 0.0, 0.0]
    with pytest.raises(rankproof.RankproofError):
        rankproof.arrays.evaluate(np.zeros((0, 3)), np.zeros((0, 3), dtype=int), "RR")
