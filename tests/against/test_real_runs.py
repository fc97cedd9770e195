"""Real runs from files, through the compiled core: the ir_measures and beir dialects against the tools themselves."""

from __future__ import annotations

import pytest
from tests.shared_data import SHARED, needs_shared_data

from rankproof.measuring.evaluate import evaluate

irm = pytest.importorskip("ir_measures", reason="ir_measures is not installed: nothing to hold against")

NAMES = {
    "nDCG@10": "nDCG@10",
    "RR": "RR",
    "RR@10": "RR@10",
    "AP": "AP",
    "AP(rel=2)@100": "AP(rel=2)@100",
    "P@5": "P@5",
    "R@100": "R@100",
    "Rprec": "Rprec",
    "Bpref": "Bpref",
    "infAP": "infAP",
    "IPrec@0.1": "IPrec@0.1",
    "Success@10": "Success@10",
    "SetF": "SetF",
    "Judged@10": "Judged@10",
}


@needs_shared_data
@pytest.mark.parametrize(
    ("qrels", "run"),
    [
        ("dl20/qrels.trec", "dl20/runs/BM25.run"),
        ("dl20/qrels.trec", "dl20/runs/SPLADE_P_P_ENSEMBLE_DISTIL.run"),  # has ties
        ("scifact/qrels.trec", "scifact/dense.run"),
    ],
)
def test_ir_measures_gives_the_same_on_real_runs(qrels, run):
    measures = {text: irm.parse_measure(name) for text, name in NAMES.items()}
    judged = list(irm.read_trec_qrels(str(SHARED / qrels)))
    expected = irm.calc_aggregate(list(measures.values()), judged, list(irm.read_trec_run(str(SHARED / run))))
    ours = evaluate(SHARED / qrels, SHARED / run, list(NAMES), dialect="ir_measures")
    assert {text: ours[text].mean for text in NAMES} == pytest.approx(
        {text: expected[measure] for text, measure in measures.items()}, abs=1e-9
    )


@needs_shared_data
def test_beir_gives_the_number_that_is_known():
    """nDCG@10 of the dense run on SciFact, as the data's own description has it."""
    ours = evaluate(SHARED / "scifact/qrels.trec", SHARED / "scifact/dense.run", "nDCG@10", dialect="beir")
    assert ours["nDCG@10"].mean == 0.64508
