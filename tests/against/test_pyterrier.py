"""PyTerrier's Experiment with rankproof as the provider of its measures, and without: the same table."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import ir_measures
import pandas as pd
import pytest
from ir_measures import AP, RR, P, nDCG

from rankproof.integrations import ir_measures as provider

pyterrier = pytest.importorskip("pyterrier", reason="PyTerrier (python-terrier) is not installed")
SAMPLE = Path(__file__).parents[2] / "src/rankproof/stack/samples/rankings"


@pytest.fixture
def registered() -> Iterator[None]:
    yield
    provider.unregister()


def frame(name: str) -> pd.DataFrame:
    """A run as PyTerrier has it."""
    rows = ir_measures.read_trec_run(str(SAMPLE / name))
    found = pd.DataFrame(rows).rename(columns={"query_id": "qid", "doc_id": "docno"})
    return found.assign(rank=found.groupby("qid")["score"].rank(ascending=False, method="first").astype(int) - 1)


def test_an_experiment_has_the_same_table_on_our_core(registered: None, monkeypatch: pytest.MonkeyPatch) -> None:
    qrels = pd.DataFrame(ir_measures.read_trec_qrels(str(SAMPLE / "qrels.trec")))
    qrels = qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})
    topics = pd.DataFrame({"qid": sorted(set(qrels["qid"]))}).assign(query="none")

    def experiment() -> pd.DataFrame:
        return pyterrier.Experiment(
            [frame("bm25.run"), frame("dense.run"), frame("hybrid.run")], topics, qrels,
            [AP, RR @ 10, nDCG @ 10, P(rel=2) @ 5], names=["bm25", "dense", "hybrid"], baseline=0, correction="holm",
        )  # fmt: skip

    theirs = experiment()
    computed: list[object] = []
    real = provider.measure_run
    monkeypatch.setattr(provider, "measure_run", lambda *given: computed.append(given) or real(*given))
    provider.register(first=True)
    ours = experiment()
    assert computed, "another provider made the numbers"
    assert set(ours.columns) == set(theirs.columns)  # their order is that of a set
    numbers = theirs.select_dtypes("number").columns
    assert len(numbers) > 8
    pd.testing.assert_frame_equal(ours[numbers], theirs[numbers], rtol=0, atol=1e-12)
