"""Matrices of other libraries, where they are installed: torch, JAX and CuPy; values beside those of torchmetrics.

No test environment of the project has them, by their size. In one that has:

    pip install -e . pytest torch torchmetrics jax && pytest tests/against/test_tensors.py
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.raising import raises

import rankproof.arrays
from rankproof.errors import UsageError

RNG = np.random.default_rng(0)
# Whole numbers: no kind of float rounds them, so that each keeps the order and the ties of the others.
SCORES = RNG.integers(0, 100, (50, 30)).astype(np.float32)
LABELS = RNG.choice(4, SCORES.shape, p=(0.8, 0.1, 0.06, 0.04))
MEASURES = "nDCG@10 RR@10 AP"


def _values(scores: Any, labels: Any, **choices: Any) -> list[list[float]]:
    made = rankproof.arrays.evaluate(scores, labels, MEASURES, **choices)
    return [result.values.tolist() for result in made.values()]


PLAIN = _values(SCORES, LABELS)


def _torch() -> Any:
    return pytest.importorskip("torch", reason="torch is not installed")


def _cuda() -> Any:
    torch = _torch()
    if not torch.cuda.is_available():
        pytest.skip("no GPU that torch can use")
    return torch


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "float32", "float64", "int64", "uint8", "float8_e5m2"])
@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_torch_tensor_gives_the_values_of_its_numbers(kind: str, device: str) -> None:
    torch = _cuda() if device == "cuda" else _torch()
    scores = torch.tensor(SCORES).to(getattr(torch, kind)).to(device)
    labels = torch.tensor(LABELS).to(device)
    same = scores.float().cpu().numpy()  # 8 bits round
    assert _values(scores, labels) == _values(same, LABELS)
    if kind != "float8_e5m2":
        assert _values(scores, labels) == PLAIN


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_a_torch_tensor_of_64_bits_keeps_all_of_them(device: str) -> None:
    torch = _cuda() if device == "cuda" else _torch()
    scores = 0.7 + SCORES.astype(np.float64) * np.spacing(0.7)
    assert _values(torch.tensor(scores).to(device), LABELS) == _values(scores, LABELS) == PLAIN


def test_a_torch_tensor_may_keep_gradients_be_a_view_and_hold_booleans() -> None:
    torch = _torch()
    scores = torch.tensor(SCORES, requires_grad=True)
    assert _values(scores * 2, torch.tensor(LABELS)) == PLAIN
    assert scores.requires_grad
    assert scores.grad is None
    turned = torch.tensor(SCORES.T.copy()).T
    assert not turned.is_contiguous()
    assert _values(turned, torch.tensor(LABELS.T.copy()).T) == PLAIN
    half = torch.tensor(SCORES)[:, ::2], torch.tensor(LABELS)[:, ::2]
    assert _values(*half) == _values(SCORES[:, ::2], LABELS[:, ::2])
    relevant = torch.tensor(LABELS) > 0
    assert _values(torch.tensor(SCORES), relevant) == _values(SCORES, LABELS > 0)
    mask = torch.tensor(RNG.random(SCORES.shape) < 0.7)
    assert _values(torch.tensor(SCORES), torch.tensor(LABELS), mask=mask) == _values(SCORES, LABELS, mask=mask.numpy())
    with torch.inference_mode():
        assert _values(torch.tensor(SCORES), torch.tensor(LABELS)) == PLAIN


def test_a_torch_tensor_without_values_is_refused() -> None:
    torch = _torch()
    for scores in (torch.empty(50, 30, device="meta"), torch.tensor(SCORES).to_sparse(), torch.tensor(SCORES).cfloat()):
        with raises(UsageError, "scores"):
            rankproof.arrays.evaluate(scores, LABELS, MEASURES)


def test_a_tensor_of_a_gpu_is_copied_once(monkeypatch: pytest.MonkeyPatch) -> None:
    torch = _cuda()
    copied = []
    to_host = torch.Tensor.cpu
    monkeypatch.setattr(torch.Tensor, "cpu", lambda self: copied.append(self.nbytes) or to_host(self))
    scores, labels = torch.tensor(SCORES, device="cuda"), torch.tensor(LABELS, device="cuda")
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        # Two orders of ties, and so two joins, of the same matrices.
        rankproof.arrays.evaluate(scores, labels, "ndcg_cut_10 recip_rank", dialect="trec_eval")
    assert copied == [scores.nbytes, labels.nbytes]
    assert sum(event.count for event in profile.key_averages() if "DtoH" in event.key) == 2


def test_jax_arrays_are_read() -> None:
    jax = pytest.importorskip("jax", reason="JAX is not installed")
    for kind in ("float16", "bfloat16", "float32", "int32"):
        scores = jax.numpy.asarray(SCORES, dtype=kind)
        assert _values(scores, jax.numpy.asarray(LABELS)) == PLAIN, kind
    assert _values(jax.numpy.asarray(SCORES), jax.numpy.asarray(LABELS) > 0) == _values(SCORES, LABELS > 0)


def test_cupy_arrays_are_read() -> None:
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed")
    if not cupy.cuda.is_available():
        pytest.skip("no GPU that CuPy can use")
    assert _values(cupy.asarray(SCORES), cupy.asarray(LABELS)) == PLAIN
    half = cupy.asarray(SCORES)[:, ::2], cupy.asarray(LABELS)[:, ::2]
    assert _values(*half) == _values(SCORES[:, ::2], LABELS[:, ::2])


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("nDCG@10", "RetrievalNormalizedDCG"),
        ("RR@10", "RetrievalMRR"),
        ("P@10", "RetrievalPrecision"),
        ("R@10", "RetrievalRecall"),
        ("Success@10", "RetrievalHitRate"),
    ],
)
def test_values_are_those_of_torchmetrics(ours: str, theirs: str) -> None:
    torch = _torch()
    retrieval = pytest.importorskip("torchmetrics.retrieval", reason="torchmetrics is not installed")
    scores: NDArray[Any] = RNG.permuted(np.tile(np.arange(30.0), (50, 1)), axis=1).astype(np.float32)  # without ties
    labels = LABELS if ours == "nDCG@10" else (LABELS > 0).astype(np.int64)
    metric = getattr(retrieval, theirs)(top_k=10)
    indexes = torch.arange(50).repeat_interleave(30)
    value = metric(torch.tensor(scores).flatten(), torch.tensor(labels).flatten(), indexes=indexes)
    made = rankproof.arrays.evaluate(scores, labels, ours)[ours]
    assert made.mean == pytest.approx(float(value), abs=1e-6)  # theirs is a 32-bit float
