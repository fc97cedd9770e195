"""What engines and stages promise alike: a page, documented parameters, an import that loads no library."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from rankproof.kernel.shelf import PACKAGES
from rankproof.kernel.specs.kinds import REQUIRED
from rankproof.stack.engines.contract import Engine
from rankproof.stack.stages.contract import Stage

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "bm25s", "Stemmer", "onnxruntime", "tokenizers", "usearch", "httpx", "jmespath", "psycopg", "xllamacpp", "tantivy",
    "apsw", "sqlite_vec", "duckdb", "qdrant_edge", "lancedb", "milvus_lite", "chromadb", "lightgbm",
)  # fmt: skip


def is_item(path: Path) -> bool:
    """Whether a file of a shelf holds an item: neither its contract nor what items share."""
    return not path.name.startswith("_") and path.name != "contract.py"


def files_of(shelf: str) -> list[Path]:
    """The modules of a shelf."""
    folder = Path(inspect.getfile(importlib.import_module(PACKAGES[shelf]))).parent
    return sorted(path for path in folder.glob("*.py") if is_item(path))


def check_page(shelf: str, file: Path) -> None:
    """One item for each file, of its name; its page is the docstring, with its headings; its example runs."""
    module = importlib.import_module(f"{PACKAGES[shelf]}.{file.stem}")
    (item,) = module.OFFERS
    assert (item.name, item.page) == (file.stem, module.__doc__)
    first, second = item.page.splitlines()[:2]
    assert first.endswith(".")
    assert not second
    assert re.search(r"^source: \S", item.page, re.MULTILINE)
    assert doctest.testmod(module).failed == 0


def check_params(item: Engine | Stage) -> None:
    """Each has a name of its own, a meaning, and a default that it would read itself."""
    names = [param.name for param in item.params]
    assert len(set(names)) == len(names)
    for param in item.params:
        assert param.name.isidentifier()
        assert re.fullmatch(r"\S.*[^\s.]", param.meaning), param.name
        if param.default is not None and param.default is not REQUIRED:
            assert param.kind.read(param.default) == param.default, param.name
            assert param.kind.show(param.default), param.name


def check_extra(item: Engine | Stage) -> None:
    """The extra that brings its library is one that can be installed."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert not item.extra or item.extra in extras, f"{item.name}: pyproject.toml has no extra {item.extra!r}"


def check_imports(shelf: str) -> None:
    """Loading the whole shelf loads none of the libraries that only some of its items use."""
    program = (
        f"import sys; from rankproof.kernel import shelf; shelf.offered({shelf!r}); "
        f"print([name for name in {LIBRARIES!r} if name in sys.modules])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
